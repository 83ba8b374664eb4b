"""The frame of a page: head, bars, navigation and footer of each family."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from snellen.build.sites import blocks
from snellen.build.sites.drafts import Body, PageDraft
from snellen.build.sites.icons import icon, icon_of
from snellen.build.sites.markup import Child, Html, join, tag
from snellen.build.sites.pictures import logo
from snellen.build.sites.themes import FONTS, Theme

_TABS = """
for (const list of document.querySelectorAll('[role="tablist"]')) {
  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (!tab) return;
    for (const other of list.children) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
  });
}
"""
_BURGER = """
for (const burger of document.querySelectorAll(".burger")) {
  burger.addEventListener("click", () => {
    const open = document.body.classList.toggle("open");
    burger.setAttribute("aria-expanded", String(open));
  });
}
"""


def document(draft: PageDraft, body: Body, title: str) -> str:
    """Return a whole page.

    Args:
        draft: The page.
        body: Its content.
        title: Its title, unique in its site.
    """
    site = draft.site
    framed = _FRAMES[site.family.name](draft, body)
    scripts = [
        _TABS if 'role="tablist"' in body.main else "",
        _BURGER if 'class="burger"' in framed else "",
    ]
    page = tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("title", title),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="description", content=body.description),
            tag(
                "style", Html(_variables(site.theme, site.layout.cards) + _style(site.family.name))
            ),
        ),
        tag(
            "body",
            framed,
            tag("script", Html("".join(scripts))) if any(scripts) else None,
            class_=f"{site.family.name} page-{draft.plan.structure}",
        ),
        lang="zh-CN" if site.language.code == "zh" else site.language.code,
        dir=site.language.direction,
    )
    return f"<!DOCTYPE html>\n{page}\n"


@cache
def _style(family: str) -> str:
    """Return the rules for wide windows, then for narrow ones; a family's follow the shared."""
    styles = files(__package__ or "") / "styles"
    base, phone, own = (
        (styles / f"{name}.css").read_text("utf-8") for name in ("base", "phone", family)
    )
    wide, narrow, rest = own.partition("@media")
    return base + wide + phone + narrow + rest


def _variables(theme: Theme, cards: int) -> str:
    colors = theme.colors
    values = {
        "page": colors.page, "surface": colors.surface, "sunken": colors.sunken,
        "text": colors.text, "muted": colors.muted, "line": colors.line, "link": colors.link,
        "primary": colors.primary, "on-primary": colors.on_primary, "header": colors.header,
        "on-header": colors.on_header, "footer": colors.footer, "on-footer": colors.on_footer,
        "danger": colors.danger, "on-danger": colors.on_danger, "badge": colors.badge,
        "on-badge": colors.on_badge, "notice": colors.notice, "on-notice": colors.on_notice,
        "cards": str(cards), "phone-cards": "2" if cards > 3 else "1", **FONTS,
    }  # fmt: skip
    return "\n:root { " + " ".join(f"--{name}: {value};" for name, value in values.items()) + " }\n"


def _columns(draft: PageDraft, body: Body, *more: Child) -> Html:
    """Return the content and the sidebar."""
    aside = [child for child in body.aside if child is not None]
    order = "aside-first" if draft.site.layout.aside_first else "with-aside"
    return tag(
        "div",
        tag("main", body.main, id="content", class_="narrow" if body.narrow else None),
        tag("aside", aside, aria_label=draft.ui("more")) if aside else None,
        more,
        class_=f"columns {order}" if aside else "columns",
    )


def _brand(draft: PageDraft, *, sign: bool = True) -> Html:
    site = draft.site
    colors = site.theme.colors
    shown = logo(site.title, colors.primary, colors.on_primary) if sign else None
    return tag("a", shown, tag("span", site.title), href=site.href("index"), class_="brand")


def _navigation(draft: PageDraft, *, icons: bool = False) -> Html:
    site = draft.site

    def entry(key: str, structure: str) -> Html:
        here = "page" if key == draft.plan.key else None
        text = [icon_of(structure), tag("span", site.label(key))] if icons else site.label(key)
        return tag("li", tag("a", text, href=site.href(key), aria_current=here))

    pages = [page for page in site.pages if not page.key.startswith("item-")]
    return tag(
        "nav",
        tag("ul", (entry(page.key, page.structure) for page in pages)),
        class_="main",
        id="navigation",
        aria_label=draft.ui("navigation"),
    )


def _burger(draft: PageDraft, *, word: bool = False) -> Html:
    label = draft.ui("menu")
    return tag(
        "button",
        icon("menu"),
        tag("span", label) if word else None,
        type="button",
        class_="burger",
        aria_label=None if word else label,
        aria_expanded="false",
        aria_controls="navigation",
    )


def _search(draft: PageDraft, *, word: bool = False) -> Html | None:
    site = draft.site
    if not site.layout.search:
        return None
    label = draft.ui("search")
    hint = draft.writer.wording(site.language.words.form_fields["search"].hint)
    return tag(
        "form",
        tag("input", type="search", name="q", aria_label=label, placeholder=hint),
        tag("button", label, type="submit")
        if word
        else tag("button", icon("search"), type="submit", aria_label=label, class_="icon"),
        class_="search", role="search", action=site.href("index"), method="get",
    )  # fmt: skip


def _crumbs(draft: PageDraft) -> Html | None:
    site = draft.site
    if not site.layout.crumbs or draft.plan.key == "index":
        return None
    parts = ["index"]
    above = site.key_of("listing", "menu", "inbox", besides="index")
    if draft.plan.key.startswith("item-") and above:
        parts.append(above)
    return tag(
        "nav",
        tag(
            "ol",
            (tag("li", blocks.link(site.label(key), site.href(key))) for key in parts),
            tag("li", draft.heading, aria_current="page"),
        ),
        class_="crumbs",
        aria_label=draft.ui("where"),
    )


def _tools(draft: PageDraft, *names: str) -> Html:
    """Return a toolbar of icons without words."""
    return tag("div", (_tool(draft, name) for name in names), class_="tools")


def _tool(draft: PageDraft, name: str) -> Html:
    text = draft.ui(name)
    return tag("button", icon(name), type="button", class_="icon", aria_label=text, title=text)


def _strip(draft: PageDraft) -> Html:
    """Return a promotional line about one of the things."""
    thing = draft.site.things[-1]
    price = draft.price(thing) if draft.site.plan.priced else thing.date
    if draft.site.words.price:
        price = f"{draft.site.words.price} {price}"
    return tag("p", draft.ui("promo", name=thing.name, price=price), class_="strip")


def _mail(draft: PageDraft) -> Html:
    return blocks.link(draft.site.email, f"mailto:{draft.site.email}")


def _rights(draft: PageDraft) -> str:
    site = draft.site
    year = site.calendar.today.year
    return draft.ui("rights", year=year, site=site.title, street=site.address)


def _footer(draft: PageDraft, *parts: Child) -> Html:
    return tag(
        "footer",
        tag("div", parts, tag("p", _rights(draft), class_="full"), class_="wrap"),
        class_="site",
    )


def _contact(draft: PageDraft) -> list[Child]:
    site = draft.site
    return [tag("p", draft.line(site.host, site.phone)), tag("p", _mail(draft))]


def _links(draft: PageDraft) -> Html:
    """Return links to up to three other pages."""
    site = draft.site
    pages = [page.key for page in site.pages if page.key not in (draft.plan.key, "index")]
    return tag(
        "ul", (tag("li", blocks.link(site.headings[key], site.href(key))) for key in pages[:3])
    )


def _categories(draft: PageDraft) -> Html:
    site = draft.site
    target = site.href(site.key_of("listing", "menu", "reference", "plans") or "index")
    names = dict.fromkeys(thing.category for thing in site.things)
    return tag("ul", (tag("li", blocks.link(name, target)) for name in names), class_="categories")


_ASKING = frozenset({"form", "signin", "checkout"})


def _person(draft: PageDraft) -> Html | None:
    """Return the signed-in user; None beside a form that asks for personal data."""
    if draft.plan.structure in _ASKING:
        return None
    return tag("p", icon("person"), tag("span", draft.site.person), class_="chip")


def _admin(draft: PageDraft, body: Body) -> Html:
    rail = tag(
        "div", _brand(draft), _navigation(draft, icons=True),
        _person(draft), class_="rail",
    )  # fmt: skip
    bar = tag("header", _crumbs(draft), _search(draft), _tools(draft, "print", "share", "download"),
              class_="site")  # fmt: skip
    foot = _footer(draft)
    desk = tag("div", bar, _columns(draft, body), foot, class_="desk")
    return tag("div", rail, desk, class_="shell")


def _magazine(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    head = tag(
        "header",
        tag("div", tag("p", site.today, class_="edition"), _burger(draft),
            class_="wrap above"),
        tag("div", _brand(draft, sign=False), class_="wrap mast"),
        tag("div", _navigation(draft), _search(draft, word=True), class_="wrap below"),
        class_="site",
    )  # fmt: skip
    foot = _footer(
        draft,
        tag("div", tag("p", tag("strong", site.title)), tag("p", site.address)),
        tag("div", _contact(draft)),
        _links(draft),
    )
    return join(head, tag("div", _columns(draft, body), class_="wrap"), foot)


def _shop(draft: PageDraft, body: Body) -> Html:
    account = draft.site.key_of("account", "signin", besides=draft.plan.key)
    # A name beside a form that asks for personal data would belong to another person.
    name = None if draft.plan.structure in _ASKING else tag("span", draft.site.person)
    person = (icon("person"), name)
    who = None if name else draft.site.label(account) if account else draft.ui("profile")
    head = tag(
        "header",
        _strip(draft),
        tag(
            "div",
            _brand(draft),
            _search(draft, word=True),
            tag(
                "div",
                _tool(draft, "save"),
                tag("a", *person, href=draft.site.href(account), class_="icon", aria_label=who)
                if account
                else tag("button", *person, type="button", class_="icon", aria_label=who),
                class_="tools",
            ),
            class_="wrap",
        ),
        tag("div", _navigation(draft, icons=True), class_="wrap bar"),
        class_="site",
    )  # fmt: skip
    middle = tag("div", _crumbs(draft), _columns(draft, body), class_="wrap")
    foot = _footer(
        draft,
        tag("div", tag("p", tag("strong", draft.site.title)), tag("p", draft.site.address)),
        tag("div", _contact(draft)),
        _categories(draft),
        _links(draft),
    )
    return join(head, middle, foot)


def _docs(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    groups: dict[str, list[str]] = {}
    for thing in site.things[:9]:
        groups.setdefault(thing.category, []).append(thing.name)
    target = site.href(site.key_of("docs", "listing", "reference", "menu") or "index")
    tree = tag(
        "ul",
        (
            tag("li", tag("strong", name), tag("ul", (tag("li", blocks.link(each, target))
                                                      for each in names)))
            for name, names in groups.items()
        ),
        class_="tree",
    )  # fmt: skip
    head = tag("header", _burger(draft), _brand(draft, sign=False), _search(draft), class_="site")
    side = tag("div", _navigation(draft), tree, class_="side")
    page = tag("div", _crumbs(draft), _columns(draft, body), class_="page")
    foot = _footer(draft, tag("p", f"{site.host} · ", _mail(draft)))
    return join(head, tag("div", side, page, class_="shell"), foot)


def _travel(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    head = tag(
        "header",
        tag("div", _brand(draft), _navigation(draft), _burger(draft), class_="wrap"),
        class_="site",
    )
    foot = _footer(
        draft,
        tag("div", tag("p", tag("strong", site.title), class_="big"), tag("p", site.address)),
        tag("div", _contact(draft)),
    )
    middle = tag("div", _crumbs(draft), _columns(draft, body), class_="wrap")
    return join(head, middle, foot)


def _app(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    back = draft.ui("back")
    target = site.href("index")
    bar = tag(
        "header",
        None
        if draft.plan.key == "index"
        else tag("a", icon("next"), href=target, class_="icon back", aria_label=back, title=back),
        tag("a", site.title, href=target, class_="brand"),
        _search(draft),
        _tool(draft, "share"),
        class_="site",
    )
    add = site.key_of("form", "checkout", besides=draft.plan.key)
    label = site.label(add) if add else ""
    floating = tag("a", icon("plus", 26), href=site.href(add), class_="floating",
                   aria_label=label, title=label) if add else None  # fmt: skip
    foot = _footer(draft)
    return join(bar, _columns(draft, body), foot, floating, _navigation(draft, icons=True))


def _civic(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    head = tag(
        "header",
        tag("div", tag("p", site.address, class_="wrap"), class_="strip"),
        tag("div", _brand(draft), _search(draft, word=True), _burger(draft, word=True),
            class_="wrap"),
        tag("div", _navigation(draft), class_="bar"),
        class_="site",
    )  # fmt: skip
    updated = blocks.updated(draft)
    # Some pages contain the date already.
    shown = None if updated in body.main else updated
    middle = tag("div", _crumbs(draft), _columns(draft, body), shown, class_="wrap")
    foot = _footer(draft, tag("div", _contact(draft)), _links(draft))
    return join(head, middle, foot)


def _tool_frame(draft: PageDraft, body: Body) -> Html:
    site = draft.site
    head = tag("header", _brand(draft), _navigation(draft),
               _tools(draft, "copy", "download", "share"), class_="site")  # fmt: skip
    shown = draft.ui("status_bar", count=len(site.things))
    foot = tag("footer", tag("p", shown), tag("p", _rights(draft)), class_="site")
    return join(head, tag("div", _columns(draft, body), class_="wrap"), foot)


_FRAMES: Mapping[str, Callable[[PageDraft, Body], Html]] = {
    "admin": _admin,
    "magazine": _magazine,
    "shop": _shop,
    "docs": _docs,
    "travel": _travel,
    "app": _app,
    "civic": _civic,
    "tool": _tool_frame,
}
