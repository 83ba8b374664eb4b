"""Pages for signed-in users: an account, switches, figures."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from snellen.build.sites import blocks, charts
from snellen.build.sites.drafts import Act, Body, PageDraft
from snellen.build.sites.markup import Html, join, tag
from snellen.build.sites.pictures import picture


def account(draft: PageDraft) -> Body:
    """Return an account: the user, devices or invoices, and buttons with irreversible effects."""
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
    """Return groups of switches and the button that saves them."""
    site, random = draft.site, draft.random
    lead = draft.opening("account")
    groups = list(dict.fromkeys(thing.category for thing in site.things))
    # The first two categories of settings are offers to buy, which have no switch.
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
    """Return a dashboard: tiles of figures, up to four charts and the latest events."""
    site, random, language = draft.site, draft.random, draft.site.language
    lead = draft.opening("figures")
    measures = list(dict.fromkeys(draft.measures()))
    random.shuffle(measures)
    # The six months before the current one.
    last = site.calendar.today.month - 1
    months = [language.short_months[month % 12] for month in range(last - 6, last)]
    categories = list(dict.fromkeys(thing.category for thing in site.things))[:5]
    first, second, third, fourth = measures[:4]
    read = random.randrange(3)
    low = _series((12, 96), 6, random, read=read == 0)
    line = _series((120, 940), 6, random, read=read == 1)
    high = _series((110, 960), 4, random, read=read == 2)
    shown = [
        (first, charts.bars(first, months, low.values, low.step)),
        (second, charts.line(second, months, line.values, line.step)),
        (fourth, charts.bars(fourth, months[2:], high.values, high.step)),
        (third, charts.shares(third, categories, [random.randrange(8, 50) for _ in categories])),
    ]
    # A tile shows the last value of its chart.
    parts = _series((120, 9800), 2, random, read=False)
    named = {first: low, second: line, third: parts, fourth: high}
    tiles = [(name, language.number(each.values[-1]), each.change) for name, each in named.items()]
    # Every dashboard has the line chart, with one or three of the other charts.
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


class _Series(NamedTuple):
    """Monthly figures and the step of the axis from which they are read; 0 if they are written."""

    values: Sequence[int]
    step: int = 0

    @property
    def change(self) -> int:
        """The change from the last but one figure to the last, in percent."""
        *_, before, last = self.values
        return round(100 * (last - before) / before)


def _series(between: tuple[int, int], count: int, random: Random, *, read: bool) -> _Series:
    """Return random figures; with `read`, they are distinct multiples of the axis step."""
    low, high = between
    if read:
        step = charts.tick(high)
        places = list(range(1, charts.TICKS))
        before = random.randrange(3, charts.TICKS - 1)
        last = before + random.choice((-1, 1))
        rest = [place for place in places if place not in (before, last)]
        return _Series(
            [step * place for place in (*random.sample(rest, count - 2), before, last)], step
        )
    values = [random.randrange((low + high) // 3, (low + high) * 2 // 3)]
    while len(values) < count:
        after = values[-1] * random.randrange(75, 133) // 100
        values.append(min(max(after, low), high))
    return _Series(values)


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
        # A mail rule concerns a sender, not one letter.
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
