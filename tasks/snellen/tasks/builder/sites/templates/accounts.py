"""Pages of those who have signed in: an account, switches, figures."""

from collections.abc import Callable, Sequence
from random import Random

from snellen.tasks.builder.sites import blocks, charts
from snellen.tasks.builder.sites.drafts import Act, Body, PageDraft
from snellen.tasks.builder.sites.markup import Html, join, tag
from snellen.tasks.builder.sites.pictures import picture


def account(draft: PageDraft) -> Body:
    """Return an account: who, which devices or invoices, and buttons that can't be undone."""
    site, random = draft.site, draft.random
    person = site.person
    lead = draft.opening("account")
    number, since = site.number, site.since
    known = [
        (draft.ui("name"), person),
        (draft.ui("customer_number"), number),
        (draft.ui("member_since"), since),
        (draft.ui("host"), site.host),
        (draft.ui("language"), draft.ui("own_name")),
    ]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        tag(
            "section",
            tag("h2", draft.ui("profile")),
            blocks.facts(known),
            blocks.actions(
                blocks.call_to_action(draft, Act(draft.ui("edit"), ("profile",)))
                if random.randrange(2)
                else blocks.button(draft.ui("save_changes"), "primary"),
                blocks.button(draft.safe()),
                blocks.button(draft.ui("sign_out"), "quiet"),
            ),
            class_="panel",
        ),
        _invoices(draft) if site.plan.billed and random.randrange(2) else _devices(draft),
        blocks.section(draft.ui("notifications"), _switches(draft, 3)),
        blocks.danger_zone(draft),
    )
    aside = [
        tag("section", tag("h2", person),
            picture("portrait", draft.ui("picture_of", name=person), random, wide=False),
            tag("p", f"{draft.ui('member_since')}: {since}", class_="meta")),
        blocks.panel(draft.ui("good_to_know"), blocks.facts(draft.facts(4))),
    ]  # fmt: skip
    return Body(main, lead, aside)


def toggles(draft: PageDraft) -> Body:
    """Return switches in groups, and the button that keeps them."""
    site, random = draft.site, draft.random
    lead = draft.opening("account")
    groups = list(dict.fromkeys(thing.category for thing in site.things))
    # What can be bought is not switched on and off.
    shown = groups[2:] if site.kind == "settings" else groups[:3]
    parts = [
        tag("fieldset", tag("legend", group), _switches(draft, 4, group, prefix=f"group-{n}"))
        for n, group in enumerate(shown)
    ]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        tag(
            "form",
            parts,
            blocks.actions(
                tag("button", draft.ui("save_changes"), type="submit", class_="primary"),
                tag("button", draft.safe(), type="reset"),
            ),
            action=site.href(draft.plan.key),
            method="get",
        ),
        blocks.danger_zone(draft) if random.randrange(2) else None,
    )
    return Body(
        main,
        lead,
        [blocks.panel(draft.ui("good_to_know"), blocks.facts(draft.facts(4)))],
    )


def dashboard(draft: PageDraft) -> Body:
    """Return figures: tiles, up to four charts, and what happened last."""
    site, random, language = draft.site, draft.random, draft.site.language
    lead = draft.opening("figures")
    measures = list(dict.fromkeys(draft.texts("measures")))
    random.shuffle(measures)
    tiles = [(name, language.number(random.randrange(120, 9800)), random.randrange(-19, 40))
             for name in measures[:4]]  # fmt: skip
    # The last six months before this one.
    last = site.calendar.today.month - 1
    months = [language.short_months[month % 12] for month in range(last - 6, last)]
    categories = list(dict.fromkeys(thing.category for thing in site.things))[:5]
    first, second, third, fourth = measures[:4]
    read = random.randrange(3)
    shown = [
        (first, _figures(charts.bars, first, months, (12, 96), random, read=read == 0)),
        (second, _figures(charts.line, second, months, (120, 940), random, read=read == 1)),
        (fourth, _figures(charts.bars, fourth, months[:4], (110, 960), random, read=read == 2)),
        (third, charts.shares(third, categories, [random.randrange(8, 50) for _ in categories])),
    ]
    # A line is on every page of figures, among one other chart or three.
    drawn = [shown.pop(1), *random.sample(shown, random.choice((1, 3)))]
    random.shuffle(drawn)
    lines = [
        [blocks.named(draft, thing), thing.date, thing.person,
         tag("span", random.choice(draft.texts("states")), class_="badge warning"),
         draft.price(thing) if site.plan.priced else thing.category]
        for thing in draft.newest(draft.sample(random.randrange(5, 9)))
    ]  # fmt: skip
    headers = [draft.ui("item"), draft.ui("date"), draft.ui("name"), draft.ui("status"),
               draft.ui("amount") if site.plan.priced else draft.ui("category")]  # fmt: skip
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            blocks.tool(draft, "download"),
            blocks.button(draft.safe(), "quiet"),
        ),
        tag(
            "dl",
            (
                tag("div", tag("dt", name), tag("dd", value, class_="big"),
                    tag("dd", f"{change:+d} % {draft.ui('since_last_month')}", class_="meta"))
                for name, value, change in tiles
            ),
            class_="tiles",
        ),
        tag(
            "div",
            (tag("figure", tag("h2", title), chart, class_="panel")
             for title, chart in drawn),
            class_="charts",
        ),
        blocks.section(draft.ui("recent"), blocks.table(headers, lines)),
        blocks.danger_zone(draft) if random.randrange(3) == 0 else None,
    )  # fmt: skip
    return Body(main, lead)


def _figures(
    draw: Callable[..., Html],
    title: str,
    labels: Sequence[str],
    between: tuple[int, int],
    random: Random,
    *,
    read: bool,
) -> Html:
    """Return a chart: its values are written, or each is one of the axis and is read there."""
    if not read:
        return draw(title, labels, [random.randrange(*between) for _ in labels])
    step = charts.tick(between[1])
    values = [step * place for place in random.sample(range(1, charts.TICKS), len(labels))]
    return draw(title, labels, values, step=step)


def _switches(
    draft: PageDraft, count: int, group: str | None = None, prefix: str = "switch"
) -> Html:
    site = draft.site
    if group is None:
        names = draft.texts("switches")[:count]
        texts = [""] * count
    else:
        things = [thing for thing in site.things if thing.category == group][:count]
        mail = site.kind == "mail"
        # A rule is about who writes, not about one letter.
        names = [thing.person if mail else thing.name for thing in things]
        texts = [
            f"{draft.ui('folder')}: {group}"
            if mail
            else ""
            if site.kind == "settings"
            else ": ".join(thing.fields[0])
            for thing in things
        ]
    return tag(
        "ul",
        (
            tag(
                "li",
                tag("div", tag("label", name, for_=f"{prefix}-{n}"),
                    tag("p", text) if text else None),
                tag("input", type="checkbox", id=f"{prefix}-{n}", name=f"{prefix}-{n}",
                    checked=draft.random.randrange(2) == 0),
            )
            for n, (name, text) in enumerate(zip(names, texts, strict=True))
        ),
        class_="switches",
    )  # fmt: skip


def _devices(draft: PageDraft) -> Html:
    names = draft.texts("devices")
    draft.random.shuffle(names)
    names = names[: draft.random.randrange(2, 5)]
    lines = [
        [name, draft.writer.text("{town}"), day, blocks.button(draft.ui("remove"))]
        for name, day in zip(names, draft.past(len(names)), strict=True)
    ]
    headers = [draft.ui("device"), draft.ui("place"), draft.ui("last_used"), draft.ui("action")]
    return blocks.section(draft.ui("devices"), blocks.table(headers, lines))


def _invoices(draft: PageDraft) -> Html:
    number, random = draft.random.randrange(2000, 8000), draft.random
    states = draft.texts("states")
    lines = [
        [f"R-{number - place}", day, draft.site.language.price(
            random.randrange(900, 24000)), random.choice(states), blocks.button(draft.ui("open"))]
        for place, day in enumerate(draft.past(random.randrange(3, 6)))
    ]  # fmt: skip
    headers = [draft.ui("invoice"), draft.ui("date"), draft.ui("amount"), draft.ui("status"),
               draft.ui("action")]  # fmt: skip
    return blocks.section(draft.ui("invoices"), blocks.table(headers, lines, numbers=[2]))
