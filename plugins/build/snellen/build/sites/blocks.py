"""Building blocks that pages of every structure share."""

import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from snellen.build.sites.drafts import Act, PageDraft, Thing
from snellen.build.sites.icons import icon
from snellen.build.sites.markup import Child, Html, join, tag
from snellen.build.sites.pictures import TINTED, TINTS, picture

_PHONE_WIDTH = 50
"""The most characters that the longest words of a table's columns may have beside each other."""
_TAG = re.compile(r"<[^>]*>")
_UNBROKEN = re.compile(r"[^\s\u3040-\u9fff]+")


def heading(draft: PageDraft) -> Html:
    """Return the page's first heading."""
    return tag("h1", draft.heading)


def section(title: str, *children: Child) -> Html:
    """Return a section with its own heading."""
    return tag("section", tag("h2", title), *children)


def paragraphs(*texts: str, css: str | None = None) -> Html:
    """Return paragraphs, without the empty texts."""
    return join(tag("p", text, class_=css) for text in texts if text)


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """Return a definition list."""
    return tag("dl", ((tag("dt", name), tag("dd", value)) for name, value in pairs), class_="facts")


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[Child]],
    *,
    caption: str | None = None,
    numbers: Sequence[int] = (),
    foot: Sequence[Child] | None = None,
) -> Html:
    """Return a table whose rows begin with their heading; wide ones break words on phones.

    Args:
        headers: The headings of the columns.
        rows: The cells of each row, one for each header.
        caption: The caption; None leaves it out.
        numbers: The indices of the columns that hold numbers, from 0.
        foot: The cells of a last row of sums.
    """

    def css(place: int) -> str | None:
        return "number" if place in numbers else None

    def row(cells: Sequence[Child]) -> Html:
        first, *rest = cells
        return tag(
            "tr",
            tag("th", first, scope="row"),
            [tag("td", cell, class_=css(place)) for place, cell in enumerate(rest, 1)],
        )

    head = [tag("th", text, scope="col", class_=css(n)) for n, text in enumerate(headers)]
    columns = zip(headers, *rows, strict=True)
    width = sum(1 + max(map(_longest, column)) for column in columns)
    return tag(
        "table",
        tag("caption", caption) if caption else None,
        tag("thead", tag("tr", head)),
        tag("tbody", (row(cells) for cells in rows)),
        tag("tfoot", row(foot)) if foot else None,
        class_="crowded" if width > _PHONE_WIDTH else None,
    )


def _longest(cell: Child) -> int:
    """Return the length of a cell's longest word; lines may break at any Chinese character."""
    return max(map(len, _UNBROKEN.findall(_TAG.sub(" ", join(cell)))), default=0)


def button(text: str, css: str | None = None, **attributes: str) -> Html:
    """Return a button that does not submit a form."""
    return tag("button", text, type="button", class_=css, **attributes)


def link(text: str, href: str, css: str | None = None) -> Html:
    return tag("a", text, href=href, class_=css)


def actions(*children: Child) -> Html:
    """Return a row of buttons and links."""
    return tag("div", *children, class_="actions")


def call_to_action(draft: PageDraft, act: Act) -> Html:
    """Return the page's primary button: a link to the page of the action if there is another."""
    key = next((page.key for page in draft.site.pages if page.key in act.keys), None)
    if key is None or key == draft.plan.key:
        return button(act.text, "primary")
    return link(act.text, draft.site.href(key), "button primary")


def tool(draft: PageDraft, key: str) -> Html:
    """Return a button for a tool of a browser or app, such as printing: an icon or words."""
    text = draft.ui(key)
    if draft.site.layout.icons:
        return tag("button", icon(key), type="button", class_="icon", aria_label=text, title=text)
    return button(text, "quiet" if draft.random.randrange(3) == 0 else None)


_VISITS = frozenset({"appointment", "viewing", "booking"})


def steps(draft: PageDraft) -> list[str]:
    """Return what happens after the form is sent, in order."""
    sent, checked, changes, *visit = draft.site.language.words.lists["steps"]
    templates = [sent, checked]
    if draft.plan.key in _VISITS:
        templates.append(changes)
    if draft.plan.key == "appointment":
        templates += visit
    # The writer leaves out sentences that the page has already.
    return draft.writer.sentences(templates, len(templates), draft.plan.key)


def shown(draft: PageDraft, thing: Thing, *, wide: bool = True) -> Html:
    """Return a picture of a thing: the same thing looks the same on every page."""
    site = draft.site
    categories = list(dict.fromkeys(each.category for each in site.things))
    random = Random(f"{site.title} {thing.name}")
    tint = random.randrange(len(TINTS))
    name = f"{thing.name}, {site.language.words.lists['colors'][tint]}"
    tinted = site.plan.picture in TINTED
    return picture(
        site.plan.picture,
        draft.ui("picture_of", name=name if tinted else thing.name),
        random,
        tint=TINTS[tint],
        form=categories.index(thing.category) % 4,
        wide=wide,
    )


def _line(draft: PageDraft, thing: Thing) -> str:
    """Return a line about a thing in a list: its category and a field without digits."""
    texts = [value for _, value in thing.fields if not any(map(str.isdigit, value))]
    return f"{thing.category} · {draft.random.choice(texts or [thing.person])}"


def named(draft: PageDraft, thing: Thing) -> Html:
    """Return a thing's name, as a link if the thing has a page of its own."""
    if not thing.key or thing.key == draft.plan.key:
        return join(thing.name)
    return link(thing.name, draft.site.href(thing.key))


def cost(draft: PageDraft, thing: Thing) -> Html | None:
    """Return the price of a thing; None if the site's things have no prices."""
    if not draft.site.plan.priced:
        return None
    # Some amounts, such as wages, are no prices and have a label of their own.
    named = draft.site.words.price
    colon = "\N{FULLWIDTH COLON}" if draft.site.language.code == "zh" else ":"
    return tag(
        "span",
        tag("small", f"{named}{colon} ") if named else None,
        draft.price(thing),
        class_="price",
    )


def updated(draft: PageDraft) -> Html:
    """Return the date of the site's last update, the same on all its pages."""
    return tag("p", draft.ui("updated", date=draft.site.today), class_="meta")


def cards(
    draft: PageDraft, things: Sequence[Thing], act: str | None = None, level: str = "h3"
) -> Html:
    """Return things as cards of the same form, which differ only in their contents."""
    site = draft.site

    def card(thing: Thing) -> Html:
        return tag(
            "li",
            shown(draft, thing, wide=site.layout.wide_pictures),
            tag(
                "div",
                tag(level, named(draft, thing)),
                tag("p", _line(draft, thing), class_="meta"),
                cost(draft, thing),
                actions(button(act)) if act else _opened(draft, thing),
                class_="inside",
            ),
            class_="card",
        )  # fmt: skip

    return tag("ul", (card(thing) for thing in things), class_="cards")


def _opened(draft: PageDraft, thing: Thing) -> Html | None:
    """Return a link to the page of a thing, without its name; None if it has no other page."""
    if not thing.key or thing.key == draft.plan.key:
        return None
    return tag("p", link(draft.ui("open"), draft.site.href(thing.key)))


def tiles(draft: PageDraft, things: Sequence[Thing], level: str = "h3") -> Html:
    """Return things as pictures overlaid with their names."""

    def tile(thing: Thing) -> Html:
        text = [tag(level, named(draft, thing)), tag("p", _line(draft, thing)), cost(draft, thing)]
        return tag("li", shown(draft, thing), tag("div", text, class_="over"), class_="tile")

    return tag("ul", (tile(thing) for thing in things), class_="cards tiled")


def rows(draft: PageDraft, things: Sequence[Thing], act: str | None, level: str = "h2") -> Html:
    """Return things in a column, each with a picture and a sentence."""

    def row(thing: Thing) -> Html:
        return tag(
            "li",
            shown(draft, thing),
            tag(
                "div",
                tag(level, named(draft, thing)),
                tag("p", _line(draft, thing)),
                cost(draft, thing),
                class_="grow",
            ),
            button(act) if act else _opened(draft, thing),
        )

    return tag("ul", (row(thing) for thing in things), class_="rows")


def tabs(draft: PageDraft, panels: Sequence[tuple[str, Child]]) -> Html:
    """Return tabs and their panels; one panel is visible at a time."""
    heads = [
        tag("button", title, type="button", role="tab", id=f"tab-{n}", aria_controls=f"panel-{n}",
            aria_selected="true" if n == 0 else "false")
        for n, (title, _) in enumerate(panels)
    ]  # fmt: skip
    bodies = [
        tag("div", content, role="tabpanel", id=f"panel-{n}", aria_labelledby=f"tab-{n}",
            hidden=n != 0)
        for n, (_, content) in enumerate(panels)
    ]  # fmt: skip
    return tag(
        "div",
        tag("div", heads, role="tablist", aria_label=draft.heading),
        bodies,
        class_="tabs",
    )


def pagination(draft: PageDraft, shown: int) -> Html | None:
    """Return links to the pages of a list; the first is current. None if there is only one page."""
    here = draft.site.href(draft.plan.key)
    count = -(-len(draft.site.things) // shown)
    if count == 1:
        return None
    return tag(
        "nav",
        tag(
            "ul",
            tag("li", tag("span", "1", aria_current="page")),
            (tag("li", link(str(n), f"{here}?page={n}")) for n in range(2, count + 1)),
            tag("li", link(draft.ui("next"), f"{here}?page=2")),
        ),
        class_="pages",
        aria_label=draft.ui("pages"),
    )


def danger_zone(draft: PageDraft) -> Html:
    """Return buttons with irreversible effects, each with a description of its effect."""
    pairs = list(draft.site.words.danger)
    draft.random.shuffle(pairs)
    return tag(
        "section",
        tag("h2", draft.ui("danger_zone")),
        (
            tag("div", tag("p", draft.writer.text(effect)), button(name, "danger"))
            for name, effect in pairs[: draft.random.randrange(1, len(pairs) + 1)]
        ),
        class_="danger-zone",
    )


def panel(title: str, *children: Child) -> Html:
    """Return a panel of the sidebar."""
    return tag("section", tag("h2", title), *children)


def hours_panel(draft: PageDraft) -> Html:
    """Return a panel with the opening hours and the contact details."""
    site = draft.site
    return panel(
        draft.ui("opening_hours"),
        table([draft.ui("day"), draft.ui("hours")], site.hours)
        if site.founded % 2
        else facts(site.hours),
        tag("p", tag("a", draft.ui("call"), href=f"tel:{''.join(site.phone.split())}")),
        tag("p", draft.line(site.host, site.address)),
    )


def links_panel(draft: PageDraft, title: str, things: Sequence[Thing]) -> Html | None:
    """Return a panel of links to things that have pages; None if none has one."""
    found = [thing for thing in things if thing.key and thing.key != draft.plan.key]
    if not found:
        return None
    return panel(title, tag("ul", (tag("li", named(draft, thing)) for thing in found)))


def advertisement(draft: PageDraft) -> Html:
    """Return an advertisement, labeled as such."""
    lists = draft.site.language.words.lists
    text, act = draft.random.choice(list(zip(lists["ads"], lists["ad_acts"], strict=True)))
    text, name = draft.writer.text(text), draft.writer.text("{last} & {last}")
    return tag(
        "section",
        tag("small", draft.ui("advertisement", name=name)),
        tag("p", text),
        link(draft.writer.text(act), "#", "button"),
        class_="sponsored",
        aria_label=draft.ui("advertisement", name=name),
    )


def subscription(draft: PageDraft) -> Html:
    """Return a short form to subscribe to a newsletter."""
    return panel(
        draft.ui("newsletter"),
        tag("p", draft.ui("newsletter_text")),
        form(draft, ("email",), draft.ui("subscribe"), prefix="letter", css="letter", quiet=True),
    )


class _Input(NamedTuple):
    type: str
    autocomplete: str | None = None
    full: bool = False


_INPUTS = {
    "name": _Input("text", "name"),
    "email": _Input("email", "email"),
    "phone": _Input("tel", "tel"),
    "date": _Input("text"),
    "birth": _Input("text", "bday"),
    "time": _Input("text"),
    "people": _Input("number"),
    "address": _Input("text", "street-address", full=True),
    "city": _Input("text", "address-level2"),
    "postcode": _Input("text", "postal-code"),
    "company": _Input("text", "organization"),
    "website": _Input("url", "url"),
    "password": _Input("password", "new-password"),
    "iban": _Input("text"),
    "amount": _Input("text"),
    "purpose": _Input("text", full=True),
    "recipient": _Input("email"),
    "subject": _Input("text"),
    "customer": _Input("text"),
    "meter": _Input("number"),
    "version": _Input("text"),
    "card": _Input("text", "cc-number"),
    "expiry": _Input("text", "cc-exp"),
    "topic": _Input("select"),
    "message": _Input("textarea", full=True),
    "consent": _Input("checkbox", full=True),
    "search": _Input("search"),
}


def label_of(draft: PageDraft, key: str) -> str:
    """Return the label of a form's field."""
    label = draft.site.language.words.form_fields[key].label
    if draft.site.kind == "mail":
        # The other wordings address the operators of the site; a mail goes to someone else.
        label = label.strip("[]").split("|")[0]
    return draft.writer.wording(label)


def field(draft: PageDraft, key: str, prefix: str = "field", *, hint: bool = True) -> Html:
    """Return a form's field with its label.

    Args:
        draft: The page.
        key: The field's key in the words of the language.
        prefix: Makes its id unique on the page.
        hint: Whether the field shows its hint as a placeholder.
    """
    words, kind = draft.site.language.words.form_fields[key], _INPUTS[key]
    name = f"{prefix}-{key}"
    placeholder = draft.writer.wording(words.hint) if hint and words.hint else None
    label = tag("label", label_of(draft, key), for_=name)
    if kind.type == "checkbox":
        box = tag("input", type="checkbox", id=name, name=key, required=True)
        return tag("div", box, label, class_="check full")
    if kind.type == "select":
        choices = [draft.ui("choose"), *map(draft.writer.wording, draft.site.words.topics)]
        control = tag("select", (tag("option", text) for text in choices), id=name, name=key)
    elif kind.type == "textarea":
        control = tag("textarea", id=name, name=key, rows=5, placeholder=placeholder)
    else:
        control = tag("input", type=kind.type, id=name, name=key, placeholder=placeholder,
                      autocomplete=kind.autocomplete)  # fmt: skip
    return tag("div", label, control, class_="full" if kind.full else None)


def form(
    draft: PageDraft,
    keys: Sequence[str],
    send: str,
    *,
    prefix: str = "field",
    css: str | None = None,
    quiet: bool = False,
    target: str | None = None,
    more: Child = None,
) -> Html:
    """Return a form; each field that has a hint shows it with a probability of two thirds.

    Args:
        draft: The page.
        keys: The keys of its fields.
        send: The label of its submit button.
        prefix: Makes ids unique on the page.
        css: Its CSS class.
        quiet: Whether its submit button is not the page's primary button.
        target: The key of the page that it leads to; None leads back to the page itself.
        more: Other buttons beside the submit button.
    """
    fields = [field(draft, key, prefix, hint=draft.random.randrange(3) > 0) for key in keys]
    submit = tag("button", send, type="submit", class_=None if quiet else "primary")
    return tag(
        "form",
        tag("div", fields, class_="fields"),
        actions(submit, more),
        action=draft.site.href(target or draft.plan.key),
        method="get",
        class_=css,
    )
