"""Pages that present a site's things: the home page, lists, one thing, plans, a menu."""

from collections.abc import Sequence

from snellen.build.sites import blocks
from snellen.build.sites.drafts import Act, Body, PageDraft, Thing
from snellen.build.sites.markup import Html, join, tag


def home(draft: PageDraft) -> Body:
    """Return a home page: the site's introduction, its things and its opening hours."""
    site, random = draft.site, draft.random
    lead = draft.opening("offer")
    act = draft.act()
    primary = blocks.call_to_action(draft, act)
    second = site.key_of("listing", "reference", "article", "menu")
    offered = draft.sample(max(4, site.layout.cards * random.choice((1, 2))))
    pictured = blocks.shown(draft, offered[0])
    text = [
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.actions(
            primary,
            blocks.link(site.label(second), site.href(second), "button") if second else None,
        ),
    ]
    hero = site.layout.hero
    shown = {
        "split": [tag("div", text), pictured],
        "banner": [pictured, text],
        "over": [pictured, tag("div", text, class_="over")],
        "boxed": [text],
        "plain": [text],
    }[hero]
    show = blocks.tiles if site.layout.listing == "tiles" else blocks.cards
    main = join(
        _notice(draft) if random.randrange(3) == 0 else None,
        tag("section", shown, class_=f"hero {hero}"),
        blocks.section(draft.ui("popular"), show(draft, offered)),
        blocks.section(draft.ui("about"), blocks.paragraphs(draft.about(2))),
        blocks.section(draft.ui("good_to_know"), blocks.facts(draft.facts(6))),
        _voices(draft),
    )
    aside = [
        blocks.hours_panel(draft),
        blocks.advertisement(draft) if random.randrange(3) == 0 else None,
        blocks.subscription(draft) if random.randrange(2) else None,
    ]
    return Body(main, lead, aside)


def listing(draft: PageDraft) -> Body:
    """Return a list of the site's things with a filter, in the site's listing style."""
    site, random = draft.site, draft.random
    lead = draft.opening("offer", "priced")
    things = draft.newest(site.things) if not site.plan.priced else list(site.things)
    shown = things[: random.randrange(6, min(12, len(things)) + 1)]
    # A thing that can be bought or applied for has its own button.
    act = random.choice((draft.act().text, None)) if site.plan.priced else None
    if site.layout.listing == "table":
        content = _table(draft, shown)
    elif site.layout.listing == "rows":
        content = blocks.rows(draft, shown, act)
    elif site.layout.listing == "tiles":
        content = blocks.tiles(draft, shown, "h2")
    else:
        content = blocks.cards(draft, shown, act, "h2")
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        _filters(draft, shown),
        tag("p", draft.ui("results", count=len(things)), class_="meta"),
        content,
        blocks.advertisement(draft) if random.randrange(2) else None,
        blocks.pagination(draft, len(shown)),
        blocks.actions(blocks.call_to_action(draft, draft.act())),
    )
    aside = [
        blocks.links_panel(draft, draft.ui("popular"), site.things),
        blocks.hours_panel(draft) if random.randrange(3) == 0 else None,
    ]
    return Body(main, lead, aside)


def menu(draft: PageDraft) -> Body:
    """Return all things by category, each with its price."""
    site = draft.site
    lead = draft.opening("offer", "priced")
    parts: list[Html] = []
    for category in dict.fromkeys(thing.category for thing in site.things):
        things = [thing for thing in site.things if thing.category == category]
        labels = [name for name, _ in things[0].fields[:2]]
        headers = [draft.ui("item"), *labels, draft.ui("price")]
        lines = [
            [blocks.named(draft, t), t.fields[0][1], t.fields[1][1], draft.price(t)] for t in things
        ]
        parts.append(blocks.table(headers, lines, caption=category, numbers=[3]))
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        parts,
        tag("p", draft.about(1), class_="meta"),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            blocks.tool(draft, "print"),
        ),
    )
    return Body(main, lead, [blocks.hours_panel(draft)])


def detail(draft: PageDraft) -> Body:
    """Return a page about one thing: its picture, its properties and its actions."""
    site, random, thing = draft.site, draft.random, draft.thing
    act = draft.act()
    first, second = draft.says(2), draft.says(3)
    known = [(draft.ui("category"), thing.category), *thing.fields]
    head = tag(
        "div",
        blocks.shown(draft, thing, wide=site.layout.wide_pictures),
        tag(
            "div",
            blocks.heading(draft),
            _opinion(draft),
            tag("p", blocks.cost(draft, thing)) if site.plan.priced else None,
            tag("p", first),
            blocks.actions(
                blocks.call_to_action(draft, act),
                blocks.tool(draft, "save"),
                blocks.tool(draft, "share"),
            ),
            blocks.facts(known[:4]),
        ),
        class_="detail",
    )  # fmt: skip
    panels = [
        (draft.ui("details"), blocks.table([draft.ui("feature"), draft.ui("value")], known)),
        (draft.ui("description"), blocks.paragraphs(second, draft.says(2))),
        (draft.ui("questions"), blocks.facts(draft.facts(2))),
    ]
    random.shuffle(panels)
    others = draft.sample(site.layout.cards, besides=thing)
    main = join(
        head,
        blocks.tabs(draft, panels),
        _voices(draft),
        blocks.section(draft.ui("related", name=thing.name), blocks.cards(draft, others, None)),
    )
    return Body(main, draft.together(draft.purpose(), first))


def plans(draft: PageDraft) -> Body:
    """Return three or four subscription plans side by side, then a comparison of them."""
    site, random = draft.site, draft.random
    chosen = sorted(site.things[: random.choice((3, 3, 4))], key=lambda thing: thing.cents)
    lead = draft.opening("offer", "priced", of=chosen)
    best = random.randrange(len(chosen))
    shown = [
        tag(
            "li",
            tag(
                "div",
                tag("h2", blocks.named(draft, thing)),
                tag("span", draft.ui("recommended"), class_="badge") if n == best else None,
                tag("p", tag("span", draft.price(thing), class_="price"), " ",
                    tag("span", draft.ui("per_month"), class_="meta")),
                tag("ul", (tag("li", f"{name}: {value}") for name, value in thing.fields[:3])),
                blocks.actions(
                    blocks.call_to_action(draft, Act(act, ("register",)))
                    if n == best
                    else blocks.button(act)
                    for act in [draft.ui("choose_plan", name=thing.name)]
                ),
                class_="inside",
            ),
            class_="card",
        )
        for n, thing in enumerate(chosen)
    ]  # fmt: skip
    names = [name for name, _ in chosen[0].fields]
    compared = [
        [draft.price_label, *(draft.price(thing) for thing in chosen)],
        *([name, *(dict(thing.fields)[name] for thing in chosen)] for name in names),
    ]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        tag("ul", shown, class_="cards", style=f"--cards: {len(chosen)}"),
        blocks.section(
            draft.ui("compare", name=chosen[0].name),
            blocks.table([draft.ui("feature"), *(thing.name for thing in chosen)], compared),
        ),
        blocks.section(draft.ui("questions", name=chosen[0].name), blocks.facts(draft.facts(3))),
        _voices(draft),
    )
    return Body(main, lead)


def _table(draft: PageDraft, things: Sequence[Thing]) -> Html:
    names = [name for name, _ in things[0].fields[:3]]
    headers = [draft.ui("item"), draft.ui("category"), *names]
    lines = [
        [blocks.named(draft, thing), thing.category, *(value for _, value in thing.fields[:3])]
        for thing in things
    ]
    if not draft.site.plan.priced:
        return blocks.table(headers, lines)
    for line, thing in zip(lines, things, strict=True):
        line.append(draft.price(thing))
    return blocks.table([*headers, draft.price_label], lines, numbers=[len(headers)])


def _filters(draft: PageDraft, things: Sequence[Thing]) -> Html:
    categories = dict.fromkeys(thing.category for thing in things)
    sort = draft.texts("sorting")
    if not (draft.site.plan.priced and draft.site.plan.compared):
        sort.pop()
    return tag(
        "form",
        blocks.field(draft, "search", "filter"),
        tag(
            "div",
            tag("label", draft.ui("category"), for_="filter-category"),
            tag("select", (tag("option", text) for text in [draft.ui("all"), *categories]),
                id="filter-category", name="category"),
        ),
        tag(
            "div",
            tag("label", draft.ui("sort_by"), for_="filter-sort"),
            tag("select", (tag("option", text) for text in sort), id="filter-sort", name="sort"),
        ),
        tag("button", draft.ui("apply"), type="submit"),
        tag("button", draft.safe(), type="reset", class_="quiet"),
        class_="filters",
        action=draft.site.href(draft.plan.key),
        method="get",
    )  # fmt: skip


def _notice(draft: PageDraft) -> Html:
    text = draft.random.choice(draft.texts("notices"))
    return tag("div", tag("p", text), class_="notice", role="status")


def _opinion(draft: PageDraft) -> Html:
    """Return the rating of a thing, or its category if the site's things have no ratings."""
    thing = draft.thing
    if not draft.site.plan.rated:
        return tag("p", tag("span", thing.category, class_="badge"))
    opinion = draft.ui("rating", stars=draft.site.language.tenths(thing.stars))
    badge = draft.random.choice(draft.texts("badges"))
    return tag("p", tag("span", badge, class_="badge"), " ", tag("span", opinion, class_="meta"))


def _voices(draft: PageDraft) -> Html | None:
    """Return quotes of customers, on half of the pages of sites that have quotes."""
    if not draft.site.plan.praised or draft.random.randrange(2):
        return None
    templates = draft.site.language.words.lists["voices"]
    said = [draft.writer.paragraph(templates, 1, draft.plan.key) for _ in range(2)]
    return blocks.section(
        draft.ui("reviews"),
        (
            tag("blockquote", tag("p", text), tag("footer", draft.writer.text("{person}"),
                                                  class_="meta"))
            for text in filter(None, said)
        ),
    )  # fmt: skip
