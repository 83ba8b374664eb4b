"""The table of the structures of pages."""

from collections.abc import Callable, Mapping

from snellen.build.sites.drafts import Body, PageDraft
from snellen.build.sites.templates import accounts, forms, fronts, messages, texts

STRUCTURES: Mapping[str, Callable[[PageDraft], Body]] = {
    "home": fronts.home,
    "listing": fronts.listing,
    "menu": fronts.menu,
    "detail": fronts.detail,
    "plans": fronts.plans,
    "article": texts.article,
    "docs": texts.docs,
    "reference": texts.reference,
    "timetable": texts.timetable,
    "faq": texts.faq,
    "form": forms.form,
    "signin": forms.signin,
    "checkout": forms.checkout,
    "account": accounts.account,
    "toggles": accounts.toggles,
    "dashboard": accounts.dashboard,
    "inbox": messages.inbox,
    "message": messages.message,
    "feed": messages.feed,
}
"""The structures by name."""

ABOUT_ONE_THING = frozenset({"detail", "article", "message"})
"""The structures whose pages are about one thing; their first heading is its name."""
