"""What is around a page's own content: head, header, navigation, footer."""

from functools import cache
from importlib.resources import files

from snellen.tasks.builder.sites import blocks
from snellen.tasks.builder.sites.drafts import Body, PageDraft
from snellen.tasks.builder.sites.markup import Html, join, tag
from snellen.tasks.builder.sites.pictures import logo
from snellen.tasks.builder.sites.themes import MONO, Theme

_SCRIPT = """
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


def document(draft: PageDraft, body: Body, title: str) -> str:
    """Return a whole page.

    Args:
        draft: The page.
        body: What is on it.
        title: What it is called, unique in its site.
    """
    site = draft.site
    theme = site.theme
    aside = [child for child in body.aside if child is not None]
    order = "aside-first" if site.layout.aside_first else "with-aside"
    content = tag(
        "div",
        tag("main", body.main, id="content", class_="narrow" if body.narrow else None),
        tag("aside", aside, aria_label=draft.ui("more")) if aside else None,
        class_=f"columns {order}" if aside else "columns",
    )
    middle = tag("div", _crumbs(draft), content, class_="wrap")
    if theme.navigation == "side":
        rail = tag("div", _navigation(draft), class_="rail")
        middle = tag("div", rail, middle, class_="shell")
    css = f"nav-{theme.navigation}"
    css += " capitals" if theme.capitals else ""
    css += " shadow" if theme.shadow else ""
    page = tag(
        "html",
        tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("title", title),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="description", content=body.description),
            tag("style", Html(_variables(theme, site.layout.cards) + _style())),
        ),
        tag(
            "body",
            tag("a", draft.ui("skip"), href="#content", class_="skip"),
            _header(draft),
            middle,
            _footer(draft),
            tag("script", Html(_SCRIPT)) if 'role="tablist"' in body.main else None,
            class_=css,
        ),
        lang="zh-CN" if site.language.code == "zh" else site.language.code,
        dir=site.language.direction,
    )
    return f"<!DOCTYPE html>\n{page}\n"


@cache
def _style() -> str:
    return (files(__package__ or "") / "style.css").read_text("utf-8")


def _variables(theme: Theme, cards: int) -> str:
    colors = theme.colors
    values = {
        "page": colors.page, "surface": colors.surface, "sunken": colors.sunken,
        "text": colors.text, "muted": colors.muted, "line": colors.line, "link": colors.link,
        "primary": colors.primary, "on-primary": colors.on_primary, "header": colors.header,
        "on-header": colors.on_header, "footer": colors.footer, "on-footer": colors.on_footer,
        "danger": colors.danger, "on-danger": colors.on_danger, "badge": colors.badge,
        "on-badge": colors.on_badge, "notice": colors.notice, "on-notice": colors.on_notice,
        "body": theme.body, "head": theme.head, "mono": MONO, "size": f"{theme.size}px",
        "scale": f"{theme.scale}", "space": f"{theme.space}px", "radius": f"{theme.radius}px",
        "width": f"{theme.width}px", "cards": str(cards), "phone-cards": "2" if cards > 3 else "1",
    }  # fmt: skip
    return "\n:root { " + " ".join(f"--{name}: {value};" for name, value in values.items()) + " }\n"


def _header(draft: PageDraft) -> Html:
    site = draft.site
    colors = site.theme.colors
    sign = logo(site.title, colors.on_header, colors.header, draft.random)
    search = None
    if site.layout.search:
        search = tag(
            "form",
            tag("input", type="search", name="q", aria_label=draft.ui("search"),
                placeholder=site.language.words.form_fields["search"].hint),
            tag("button", draft.ui("search"), type="submit"),
            class_="search", role="search", action=site.href("index"), method="get",
        )  # fmt: skip
    return tag(
        "header",
        tag(
            "div",
            tag("a", sign, site.title, href=site.href("index"), class_="brand"),
            _navigation(draft) if site.theme.navigation != "side" else None,
            search,
            class_="wrap",
        ),
        class_="site",
    )


def _navigation(draft: PageDraft) -> Html:
    site = draft.site
    keys = [page.key for page in site.pages if not page.key.startswith("item-")]
    return tag(
        "nav",
        tag(
            "ul",
            (
                tag("li", tag("a", site.label(key), href=site.href(key),
                              aria_current="page" if key == draft.plan.key else None))
                for key in keys
            ),
        ),
        class_="main",
        aria_label=draft.ui("navigation"),
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


def _footer(draft: PageDraft) -> Html:
    site = draft.site
    return tag(
        "footer",
        tag(
            "div",
            tag("div", tag("p", tag("strong", site.title)), tag("p", site.address)),
            tag(
                "div",
                tag("p", f"{draft.ui('phone')}: {site.phone}"),
                tag("p", f"{draft.ui('email')}: ", blocks.link(site.email, f"mailto:{site.email}")),
            ),
            tag("ul", (tag("li", blocks.link(site.label(page.key), site.href(page.key)))
                       for page in site.pages[1:4] if not page.key.startswith("item-"))),
            tag("p", join(draft.ui("rights", year=2026, site=site.title)), class_="full"),
            class_="wrap",
        ),
        class_="site",
    )  # fmt: skip
