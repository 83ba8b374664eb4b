"""Pages to read: articles, documentation, tables of fees, timetables, questions."""

from snellen.tasks.builder.sites import blocks
from snellen.tasks.builder.sites.drafts import Body, PageDraft
from snellen.tasks.builder.sites.markup import Html, join, tag
from snellen.tasks.builder.sites.pictures import picture


def article(draft: PageDraft) -> Body:
    """Return a headline, who wrote it and when, and some paragraphs with a picture between."""
    site, random, thing = draft.site, draft.random, draft.thing
    lead = draft.says(2)
    texts = [text for text in (draft.says(random.choice((2, 3))) for _ in range(4)) if text]
    texts.append(draft.about(2))
    shown = picture(site.plan.picture, draft.ui("picture_of", name=thing.category), random)
    parts: list[Html | None] = [blocks.paragraphs(text) for text in texts]
    parts.insert(1, tag("figure", shown, tag("figcaption", f"{thing.category}, {site.place}")))
    if random.randrange(2):
        said = draft.writer.sentences(site.language.list("voices"), 1)
        parts.insert(3, tag("blockquote", tag("p", said[0])) if said else None)
    minutes = random.randrange(2, 9)
    main = tag(
        "article",
        tag("p", tag("span", thing.category, class_="badge")),
        blocks.heading(draft),
        tag("p", f"{draft.ui('by', person=thing.person)} · {thing.date} · "
            f"{draft.ui('minutes', count=minutes)}", class_="meta"),
        tag("p", lead, class_="lead"),
        blocks.actions(
            blocks.button(draft.ui("share")), blocks.button(draft.ui("save")),
            blocks.button(draft.ui("print"), "quiet"),
        ),
        parts,
        blocks.section(draft.ui("facts"), blocks.facts(thing.fields)),
    )  # fmt: skip
    others = tag("ol", (tag("li", blocks.named(draft, t)) for t in draft.sample(5, thing)))
    aside = [
        blocks.panel(draft.ui("most_read"), others),
        blocks.advertisement(draft) if random.randrange(2) else None,
        blocks.subscription(draft),
    ]
    return Body(main, f"{thing.name}. {lead} {draft.ui('by', person=thing.person)}.", aside)


_SOURCES = (
    '{name} = connect("{name}.example", port={n})\n'
    "for row in {name}.read(limit={m}):\n    print(row)",
    "$ {name} init --workers {m}\n$ {name} start --port {n}\nlistening on port {n}",
    "[{name}]\nport = {n}\nworkers = {m}\nverbose = true",
    'import {{ open }} from "{name}";\n\n'
    "const store = open({{ port: {n} }});\nawait store.sync({m});",
)
_NOTHING = "\N{EN DASH}"
_OPTIONS = ("port", "workers", "timeout", "cache", "verbose", "retries", "color", "limit", "depth",
            "format", "locale", "threads")  # fmt: skip


def docs(draft: PageDraft) -> Body:
    """Return a page of documentation: steps, examples, a table of options."""
    site, random = draft.site, draft.random
    lead = draft.says(2)
    name = random.choice(("quill", "lantern", "pebble", "tern", "ripple", "sprig"))
    sources = list(_SOURCES)
    random.shuffle(sources)
    n, m = random.randrange(3000, 9000), random.randrange(2, 16)
    steps = list(site.things)
    random.shuffle(steps)
    parts = [
        tag(
            "section",
            tag("h2", thing.name, id=f"part-{place}"),
            blocks.paragraphs(draft.says(3, thing)),
            tag("pre", tag("code", source.format(name=name, n=n, m=m))),
        )
        for place, (thing, source) in enumerate(zip(steps, sources[:3], strict=False))
    ]
    options = list(_OPTIONS)
    random.shuffle(options)
    *_, effect = site.words.fields.values()
    lines = [
        [
            tag("code", f"--{option}"),
            tag("code", str(random.choice((0, 1, 8, 30, 100, 500)))),
            value,
        ]
        for option, value in zip(options, draft.writer.several(effect, 4), strict=False)
    ]
    headers = [draft.ui("option"), draft.ui("default"), draft.ui("meaning")]
    main = tag(
        "article",
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.actions(
            blocks.call_to_action(draft, draft.writer.pick(site.words.act), "docs", "form"),
            blocks.button(draft.ui("copy")),
        ),
        tag("div", tag("p", draft.about(1)), class_="notice", role="note"),
        parts,
        blocks.section(draft.ui("options"), blocks.table(headers, lines)),
        tag("p", draft.ui("updated", date=draft.writer.date()), class_="meta"),
    )
    contents = tag(
        "ol",
        (tag("li", blocks.link(t.name, f"#part-{n}")) for n, t in enumerate(steps[: len(parts)])),
    )
    named = ", ".join(thing.name for thing in steps[: len(parts)])
    return Body(main, f"{lead} {named}.", [blocks.panel(draft.ui("on_this_page"), contents)])


def reference(draft: PageDraft) -> Body:
    """Return tables of what things cost, and definitions below."""
    site, random = draft.site, draft.random
    lead = draft.about(2)
    names = [name for name, _ in site.things[0].fields[:3]]
    parts: list[Html] = []
    for category in dict.fromkeys(thing.category for thing in site.things):
        things = [thing for thing in site.things if thing.category == category]
        headers = [draft.ui("item"), *names]
        lines = [[t.name, *(value for _, value in t.fields[:3])] for t in things]
        if site.plan.priced:
            headers.append(draft.price_label)
            for line, thing in zip(lines, things, strict=True):
                line.append(draft.price(thing))
        numbers = [4] if site.plan.priced else []
        parts.append(blocks.table(headers, lines, caption=category, numbers=numbers))
    facts = [(name, draft.writer.text(value)) for name, value in site.words.facts.items()]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        parts,
        blocks.section(draft.ui("good_to_know"), blocks.facts(facts)),
        blocks.actions(
            blocks.call_to_action(draft, draft.writer.pick(site.words.act), "form", "checkout"),
            blocks.button(draft.ui("download")),
        ),
        tag("p", draft.ui("updated", date=draft.writer.date()), class_="meta"),
    )
    first = site.things[0]
    name, value = first.fields[0]
    aside = [blocks.hours_panel(draft)] if random.randrange(2) else []
    return Body(main, f"{draft.heading}. {lead} {first.name}: {name} {value}.", aside)


def timetable(draft: PageDraft) -> Body:
    """Return what happens on which day and at what time."""
    site, random, language = draft.site, draft.random, draft.site.language
    lead = draft.about(2)
    days = language.words.weekdays[: random.choice((5, 5, 6))]
    start = random.randrange(28, 36) * 15
    slots = [start + n * random.choice((60, 90, 90, 120)) for n in range(random.randrange(4, 7))]
    slots = sorted(dict.fromkeys(slots))
    names = [thing.name for thing in site.things]
    lines = [
        [language.time(slot), *(random.choice([*names, _NOTHING]) for _ in days)] for slot in slots
    ]
    headers = [draft.ui("time"), *days]
    notes = [(thing.name, f"{thing.date}, {thing.person}") for thing in draft.sample(4)]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.table(headers, lines, caption=draft.ui("week_of", date=draft.writer.date())),
        blocks.section(draft.ui("dates"), blocks.facts(notes)),
        blocks.actions(
            blocks.call_to_action(draft, draft.writer.pick(site.words.act), "form"),
            blocks.button(draft.ui("print")),
            blocks.button(draft.ui("download")),
        ),
    )
    span = f"{days[0]} {_NOTHING} {days[-1]}, {language.hours(slots[0], slots[-1])}"
    return Body(main, f"{draft.heading}: {span}. {lead}")


def faq(draft: PageDraft) -> Body:
    """Return questions that open to their answers; the first ones are open."""
    site, random = draft.site, draft.random
    lead = draft.about(1)
    facts = [(name, draft.writer.text(value)) for name, value in site.words.facts.items()]
    random.shuffle(facts)
    parts = [
        tag(
            "details",
            tag("summary", draft.ui("question_about", topic=name)),
            tag("p", f"{value}. {draft.about(1)}"),
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
                blocks.call_to_action(draft, draft.ui("contact"), "form"),
            ),
        ),
    )
    named = ", ".join(name for name, _ in facts[:3])
    return Body(main, f"{draft.heading}: {named}. {lead}", [blocks.hours_panel(draft)])
