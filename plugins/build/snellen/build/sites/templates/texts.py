"""Pages to read: articles, documentation, tables of fees, timetables, questions."""

from collections.abc import Sequence

from snellen.build.sites import blocks
from snellen.build.sites.drafts import Act, Body, PageDraft, Thing
from snellen.build.sites.markup import Html, join, tag


def article(draft: PageDraft) -> Body:
    """Return an article: a headline, its author and date, and paragraphs with a picture."""
    random, thing = draft.random, draft.thing
    lead = draft.says(2)
    texts = [text for text in (draft.says(random.choice((2, 3))) for _ in range(4)) if text]
    texts.append(draft.about(2))
    shown = blocks.shown(draft, thing)
    parts: list[Html | None] = [blocks.paragraphs(text) for text in texts]
    parts.insert(
        1, tag("figure", shown, tag("figcaption", draft.line(thing.name, thing.known["photo"])))
    )
    minutes = random.randrange(2, 9)
    main = tag(
        "article",
        tag("p", tag("span", thing.category, class_="badge")),
        blocks.heading(draft),
        tag("p", f"{draft.ui('by', person=thing.person)} · {thing.date} · "
            f"{draft.ui('minutes', count=minutes)}", class_="meta"),
        tag("p", lead, class_="lead"),
        blocks.actions(
            blocks.tool(draft, "share"), blocks.tool(draft, "save"), blocks.tool(draft, "print"),
        ),
        parts,
        blocks.section(draft.ui("facts"), blocks.facts(thing.fields)),
        blocks.advertisement(draft) if random.randrange(2) else None,
    )  # fmt: skip
    others = tag("ol", (tag("li", blocks.named(draft, t)) for t in draft.sample(5, thing)))
    aside = [
        blocks.panel(draft.ui("most_read"), others),
        blocks.subscription(draft),
    ]
    return Body(main, draft.together(draft.purpose(), lead), aside)


_SOURCES = (
    '{name} = connect("{name}.example", port={n})\n'
    "for row in {name}.read(limit={m}):\n    print(row)",
    "$ {name} init --workers {m}\n$ {name} start --port {n}\nlistening on port {n}",
    "[{name}]\nport = {n}\nworkers = {m}\nverbose = true",
    'import {{ open }} from "{name}";\n\n'
    "const store = open({{ port: {n} }});\nawait store.sync({m});",
)
_NOTHING = "\N{EN DASH}"
# The order is that of the options' descriptions in the words of every language.
_OPTIONS = (("timeout", "30"), ("workers", ""), ("store", "./results"), ("skip", "none"))


def docs(draft: PageDraft) -> Body:
    """Return a page of documentation: steps, examples and a table of options."""
    site, random = draft.site, draft.random
    lead = draft.opening("offer")
    name, workers = draft.writer.text("{tool}"), draft.writer.text("{workers}")
    sources = list(_SOURCES)
    random.shuffle(sources)
    port = draft.writer.text("{digits 3000 9000}", "port")
    steps = list(site.things)
    random.shuffle(steps)
    parts = [
        tag(
            "section",
            tag("h2", thing.name, id=f"part-{place}"),
            blocks.paragraphs(draft.says(3, thing)),
            tag("pre", tag("code", source.format(name=name, n=port, m=workers), dir="ltr")),
        )
        for place, (thing, source) in enumerate(zip(steps, sources[:3], strict=False))
    ]
    *_, effect = site.words.fields.values()
    effects = effect.strip("[]").split("|")
    lines = [
        [
            tag("code", f"--{option}", dir="ltr"),
            tag("code", default or workers, dir="ltr"),
            draft.writer.text(effect),
        ]
        for (option, default), effect in zip(_OPTIONS, effects, strict=True)
    ]
    random.shuffle(lines)
    headers = [draft.ui("option"), draft.ui("default"), draft.ui("meaning")]
    main = tag(
        "article",
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            blocks.tool(draft, "copy"),
        ),
        tag("div", tag("p", draft.about(1)), class_="notice", role="note"),
        parts,
        blocks.section(draft.ui("options", name=name), blocks.table(headers, lines)),
        blocks.updated(draft),
    )
    contents = tag(
        "ol",
        (tag("li", blocks.link(t.name, f"#part-{n}")) for n, t in enumerate(steps[: len(parts)])),
    )
    return Body(main, lead, [blocks.panel(draft.ui("on_this_page"), contents)])


def reference(draft: PageDraft) -> Body:
    """Return tables of prices with definitions below."""
    random = draft.random
    lead = draft.opening("offer", "priced")
    parts = _together(draft) if random.randrange(2) else _by_category(draft)
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        parts,
        blocks.section(draft.ui("good_to_know"), blocks.facts(draft.facts(4))),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            blocks.tool(draft, "download"),
        ),
        blocks.updated(draft),
    )
    aside = [blocks.hours_panel(draft)] if random.randrange(2) else []
    return Body(main, lead, aside)


def _together(draft: PageDraft) -> Html:
    """Return a table of all things, each with its category."""
    lines = [[thing.name, thing.category] for thing in draft.site.things]
    return _priced_table(draft, [draft.ui("item"), draft.ui("category")], lines, draft.site.things)


def _by_category(draft: PageDraft) -> Html:
    """Return one table for each category."""
    tables: list[Html] = []
    for category in dict.fromkeys(thing.category for thing in draft.site.things):
        things = [thing for thing in draft.site.things if thing.category == category]
        lines = [[thing.name] for thing in things]
        tables.append(_priced_table(draft, [draft.ui("item")], lines, things, category))
    return join(tables)


def _priced_table(
    draft: PageDraft,
    headers: list[str],
    lines: list[list[str]],
    things: Sequence[Thing],
    caption: str | None = None,
) -> Html:
    headers += [name for name, _ in things[0].fields[:3]]
    for line, thing in zip(lines, things, strict=True):
        line += [value for _, value in thing.fields[:3]]
    numbers: list[int] = []
    if draft.site.plan.priced:
        numbers.append(len(headers))
        headers.append(draft.price_label)
        for line, thing in zip(lines, things, strict=True):
            line.append(draft.price(thing))
    return blocks.table(headers, lines, caption=caption, numbers=numbers)


def timetable(draft: PageDraft) -> Body:
    """Return a timetable: the things by day and time."""
    site, random, language = draft.site, draft.random, draft.site.language
    lead = draft.opening("offer")
    calendar = site.calendar
    days = [language.weekdays[day] for day in calendar.days]
    cells = {(thing.coming.weekday(), thing.minutes): thing for thing in site.things}
    slots = [slot for slot in calendar.slots if any(slot == minutes for _, minutes in cells)]
    lines = [
        [
            language.time(slot),
            *(
                blocks.named(draft, cells[day, slot]) if (day, slot) in cells else _NOTHING
                for day in calendar.days
            ),
        ]
        for slot in slots
    ]
    headers = [draft.ui("time"), *(day[:1].upper() + day[1:] for day in days)]
    coming = sorted(
        random.sample(list(cells.values()), min(5, len(cells))), key=lambda thing: thing.coming
    )
    notes = [
        (thing.name, draft.line(draft.writer.date(thing.coming), thing.known["time"]))
        for thing in coming
    ]
    week = draft.writer.date(site.calendar.monday)
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.table(headers, lines, caption=draft.ui("week_of", date=week)),
        blocks.section(draft.ui("dates"), blocks.facts(notes)),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            blocks.tool(draft, "print"),
            blocks.tool(draft, "download"),
        ),
    )
    return Body(main, lead)


def faq(draft: PageDraft) -> Body:
    """Return questions with collapsible answers; the first ones are open."""
    site = draft.site
    lead = draft.opening("offer")
    facts = draft.facts(7)
    stop = "\N{IDEOGRAPHIC FULL STOP}" if site.language.code == "zh" else "."
    parts = [
        tag(
            "details",
            tag(
                "summary",
                draft.ui(
                    "question_about",
                    topic=name.strip("?\N{INVERTED QUESTION MARK}\N{ARABIC QUESTION MARK}"),
                ),
            ),
            tag("p", draft.together(f"{value}{stop}", draft.lead("offer"))),
            open=place < 3,
        )
        for place, (name, value) in enumerate(facts)
    ]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        tag("section", parts),
        blocks.section(
            draft.ui("still_unsure"),
            blocks.facts([(draft.ui("phone"), site.phone), (draft.ui("email"), site.email)]),
            blocks.actions(
                blocks.call_to_action(draft, Act(draft.ui("contact"), ("contact", "feedback"))),
            ),
        ),
    )
    return Body(main, lead, [blocks.hours_panel(draft)])
