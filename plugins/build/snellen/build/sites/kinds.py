"""The table of the kinds of sites and their pages."""

from collections.abc import Mapping
from typing import NamedTuple


class PagePlan(NamedTuple):
    """One page of a site."""

    key: str  # its file name without `.html`; also the key of its heading in the words of the kind
    structure: str  # the name of its template, from `templates.STRUCTURES`


class Kind(NamedTuple):
    """A kind of site.

    Attributes:
        pages: Its pages; the first is its home.
        form: The fields of its form.
        price: The range of its prices in whole units; the upper end is excluded.
        picture: The scene of its pictures, from `pictures.SCENES`.
        priced: Whether its things have prices.
        families: The design families of such sites.
        hours: The earliest and latest opening hour, then the earliest and latest closing hour.
        weekend: Whether it is open on Saturdays instead of on Mondays.
        local: Whether everything that it offers is at its own address.
        rated: Whether customers rate its things.
        praised: Whether its pages quote customers.
        compared: Whether its pages compare prices.
        billed: Whether users with an account get invoices.
        acts: For each of its clear buttons, in their order, the key of the page where the action
            is done. Empty means that the action is done at once. An @ before the key means that
            the button appears only on that page, such as one that sends a form.
    """

    pages: tuple[PagePlan, ...]
    form: tuple[str, ...]
    price: tuple[int, int] = (5, 100)
    picture: str = "landscape"
    priced: bool = True
    families: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    hours: tuple[int, int, int, int] = (7, 10, 16, 19)
    weekend: bool = False
    local: bool = False
    rated: bool = False
    praised: bool = False
    compared: bool = True
    billed: bool = True


def _pages(*pages: str) -> tuple[PagePlan, ...]:
    return tuple(PagePlan(*page.split(":")) for page in pages)


KINDS: Mapping[str, Kind] = {
    "shop": Kind(
        _pages("index:home", "products:listing", "item-1:detail", "item-2:detail",
               "checkout:checkout", "account:account"),
        ("name", "email", "topic", "message"), (9, 480), "product",
        families=("shop", "travel", "app", "magazine"),
        acts=("", "checkout", "checkout"),
        rated=True, praised=True,
    ),
    "bank": Kind(
        _pages("index:home", "overview:dashboard", "transfer:form", "fees:reference",
               "account:account"),
        ("name", "iban", "amount", "date", "purpose", "consent"), (1, 60), "cards",
        families=("admin", "civic", "app", "shop"),
        acts=("transfer", "", ""),
        local=True, praised=True,
    ),
    "news": Kind(
        _pages("index:home", "section:listing", "item-1:article", "item-2:article",
               "account:account"),
        ("name", "email", "topic", "message"), picture="skyline", priced=False,
        families=("magazine", "app", "travel"),
        acts=("", "", ""),
    ),
    "documentation": Kind(
        _pages("index:docs", "guide:docs", "options:reference", "questions:faq",
               "feedback:form"),
        ("name", "email", "version", "topic", "message"), picture="diagram", priced=False,
        families=("docs", "tool", "civic"),
        acts=("guide", "guide", "feedback"),
    ),
    "clinic": Kind(
        _pages("index:home", "treatments:listing", "item-1:detail", "appointment:form",
               "account:account"),
        ("name", "birth", "phone", "email", "date", "topic", "message", "consent"), (20, 260),
        "case",
        families=("civic", "travel", "app", "shop"),
        acts=("appointment", "", "appointment"),
        praised=True,
        billed=False,
    ),
    "travel": Kind(
        _pages("index:home", "trips:listing", "item-1:detail", "booking:form",
               "timetable:timetable"),
        ("name", "email", "people", "date", "topic", "message", "consent"), (90, 2400),
        "landscape",
        families=("travel", "magazine", "app"),
        acts=("booking", "booking", ""),
        rated=True, praised=True,
    ),
    "settings": Kind(
        _pages("index:account", "notifications:toggles", "plans:plans", "privacy:account",
               "profile:form"),
        ("name", "email", "phone", "city", "website", "topic"), (3, 40), "portrait",
        families=("app", "admin", "docs"),
        acts=("", "profile", "plans"),
    ),
    "dashboard": Kind(
        _pages("index:dashboard", "items:listing", "report:dashboard", "team:toggles",
               "account:account"),
        ("name", "email", "topic", "message"), (20, 900), "diagram",
        families=("admin", "tool"),
        acts=("", "", ""),
        billed=False,
    ),
    "signup": Kind(
        _pages("index:plans", "register:form", "signin:signin", "questions:faq",
               "contact:form"),
        ("name", "email", "password", "company", "topic", "consent"), (4, 80), "diagram",
        families=("travel", "tool", "docs", "shop"),
        acts=("register", "register", "register"),
        praised=True,
    ),
    "social": Kind(
        _pages("index:feed", "member:feed", "groups:listing", "account:account",
               "invite:form"),
        ("name", "email", "topic", "message"), picture="landscape", priced=False,
        families=("app", "magazine", "shop"),
        acts=("", "", ""),
        billed=False,
    ),
    "mail": Kind(
        _pages("index:inbox", "item-1:message", "item-2:message", "compose:form",
               "rules:toggles"),
        ("recipient", "subject", "topic", "message"), picture="portrait", priced=False,
        families=("admin", "app", "tool"),
        acts=("@compose", "compose"),
    ),
    "municipal": Kind(
        _pages("index:home", "services:listing", "item-1:detail", "appointment:form",
               "collection:timetable", "fees:reference"),
        ("name", "address", "phone", "date", "time", "topic", "consent"), (5, 140), "hall",
        families=("civic", "docs", "magazine"),
        acts=("appointment", "", ""),
        local=True,
    ),
    "restaurant": Kind(
        _pages("index:home", "menu:menu", "booking:form", "item-1:detail", "questions:faq"),
        ("name", "phone", "date", "time", "people", "message"), (4, 32), "dish",
        families=("travel", "magazine", "app"),
        acts=("booking", "booking", "@booking"),
        hours=(11, 12, 22, 23), weekend=True, praised=True, rated=True,
    ),
    "university": Kind(
        _pages("index:home", "courses:listing", "item-1:detail", "timetable:timetable",
               "application:form", "fees:reference"),
        ("name", "birth", "email", "address", "topic", "consent"), (60, 900),
        "hall",
        families=("civic", "docs", "magazine", "admin"),
        acts=("application", "", "@application"),
        hours=(7, 9, 20, 22), compared=False,
    ),
    "jobs": Kind(
        _pages("index:listing", "item-1:detail", "item-2:detail", "application:form",
               "account:account"),
        ("name", "email", "phone", "topic", "date", "message"), (2100, 6400),
        "tools",
        families=("shop", "civic", "app", "admin"),
        acts=("application", "@application", "@application"),
        compared=False, billed=False,
    ),
    "realestate": Kind(
        _pages("index:home", "offers:listing", "item-1:detail", "item-2:detail",
               "viewing:form", "costs:reference"),
        ("name", "phone", "email", "date", "time", "people", "message"), (480, 2900), "room",
        families=("travel", "shop", "magazine"),
        acts=("viewing", "", "viewing"),
        praised=True,
    ),
    "museum": Kind(
        _pages("index:home", "exhibitions:listing", "item-1:detail", "tickets:checkout",
               "admission:reference", "groups:form"),
        ("name", "email", "people", "date", "topic", "message"), (4, 28), "abstract",
        families=("magazine", "travel", "civic"),
        acts=("tickets", "", ""),
        hours=(9, 10, 17, 19), weekend=True,
    ),
    "energy": Kind(
        _pages("index:home", "tariffs:plans", "usage:dashboard", "meter:form",
               "account:account", "questions:faq"),
        ("customer", "meter", "date", "email", "consent"), (12, 140), "turbines",
        families=("civic", "shop", "app", "tool"),
        acts=("tariffs", "meter", "tariffs"),
        praised=True,
    ),
}  # fmt: skip
"""The kinds by name, in the order from which the turns of sites are shuffled."""
