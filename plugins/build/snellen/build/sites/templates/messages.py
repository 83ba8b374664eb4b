"""Pages of messages: a mailbox, a letter, a feed of posts."""

from snellen.build.sites import blocks
from snellen.build.sites.drafts import Body, PageDraft, Thing
from snellen.build.sites.markup import Html, join, tag
from snellen.build.sites.pictures import picture


def inbox(draft: PageDraft) -> Body:
    """Return a mailbox: letters with senders and dates."""
    site, random = draft.site, draft.random
    lead = draft.opening()
    things = draft.newest(site.things)
    # The letters that have a page of their own must be in the list.
    last = max(place for place, thing in enumerate(things) if thing.key or not place)
    shown = things[: max(random.randrange(8, 13), last + 1)]
    unread = random.randrange(1, 5)

    def row(place: int, thing: Thing) -> Html:
        mark = f"letter-{place}"
        choose = draft.ui("select_named", name=thing.name)
        return tag(
            "tr",
            tag("td", tag("input", type="checkbox", id=mark, name=mark, aria_label=choose)),
            tag("td", thing.person),
            tag("td", blocks.named(draft, thing)),
            tag("td", draft.line(thing.category, thing.fields[0][1]), class_="extra"),
            tag("td", thing.date),
            class_="unread" if place < unread else None,
        )

    headers = [draft.ui("from"), draft.ui("subject"), draft.ui("folder"), draft.ui("date")]
    main = join(
        blocks.heading(draft),
        tag("p", draft.ui("unread", count=unread), class_="lead"),
        blocks.actions(
            blocks.call_to_action(draft, draft.act()),
            *(blocks.button(draft.writer.wording(text)) for text in site.words.safe),
            blocks.button(site.words.danger[0][0], "danger") if random.randrange(2) else None,
        ),
        tag(
            "table",
            tag("thead", tag(
                "tr",
                tag("td", ""),
                (tag("th", text, scope="col", class_="extra" if n == 2 else None)
                 for n, text in enumerate(headers)),
            )),
            tag("tbody", (row(place, thing) for place, thing in enumerate(shown))),
            class_="inbox",
        ),
        blocks.pagination(draft, len(shown)),
        tag("p", lead),
    )  # fmt: skip
    folders = dict.fromkeys(dict.fromkeys(t.category for t in site.things), 0)
    for thing in site.things:
        folders[thing.category] += 1
    counted = [(name, str(count)) for name, count in folders.items()]
    aside = [
        blocks.panel(draft.ui("folders"), blocks.facts(counted)),
        blocks.advertisement(draft) if random.randrange(3) == 0 else None,
    ]
    return Body(main, lead, aside)


def message(draft: PageDraft) -> Body:
    """Return a letter with a field for a reply."""
    site, random, thing = draft.site, draft.random, draft.thing
    texts = draft.letter(random.randrange(4, 7))
    main = tag(
        "article",
        blocks.heading(draft),
        blocks.facts(
            [
                (draft.ui("from"), thing.person),
                (draft.ui("date"), thing.date),
                (draft.ui("folder"), thing.category),
            ]
        ),
        blocks.paragraphs(*texts),
        blocks.section(draft.ui("details"), blocks.facts(thing.fields)),
        blocks.actions(
            blocks.button(draft.ui("reply"), "primary"),
            blocks.tool(draft, "forward"),
            blocks.button(draft.safe()),
            blocks.button(random.choice(site.words.danger)[0], "danger"),
        ),
        blocks.section(
            draft.ui("reply"),
            blocks.form(draft, ("message",), draft.ui("send"), quiet=True, target="index"),
        ),
    )
    others = [other for other in site.things if other.key]
    aside = [
        tag("section", tag("h2", thing.person),
            picture("portrait", draft.ui("picture_of", name=thing.person), random, wide=False)),
        blocks.links_panel(draft, draft.ui("more_messages"), others),
    ]  # fmt: skip
    return Body(main, draft.together(draft.purpose(), texts[0]), aside)


def feed(draft: PageDraft) -> Body:
    """Return a feed of posts with authors and the actions of each post."""
    site, random = draft.site, draft.random
    lead = draft.opening("post")
    things = draft.newest(draft.sample(random.randrange(4, 7)))
    pictured = random.sample(range(len(things)), len(things) // 2)

    def post(place: int, thing: Thing) -> Html:
        person = thing.person
        return tag(
            "article",
            tag(
                "header",
                picture("portrait", draft.ui("picture_of", name=person), random, wide=False),
                tag("div", tag("h2", person), tag("p", f"{thing.date} · {thing.category}",
                                                  class_="meta")),
            ),
            blocks.paragraphs(draft.says(random.choice((2, 3)), thing)),
            blocks.shown(draft, thing) if place in pictured else None,
            blocks.actions(
                blocks.button(f"{draft.ui('like')} ({random.randrange(2, 240)})"),
                blocks.button(f"{draft.ui('comments')} ({random.randrange(0, 48)})"),
                blocks.tool(draft, "share"),
                blocks.button(draft.safe(), "quiet"),
            ),
            class_="post panel",
        )  # fmt: skip

    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.form(draft, ("message",), draft.acts[0].text, css="panel"),
        (post(place, thing) for place, thing in enumerate(things)),
    )
    aside = [
        blocks.panel(draft.ui("good_to_know"), blocks.facts(draft.facts(4))),
        blocks.links_panel(draft, draft.ui("popular"), site.things),
        blocks.advertisement(draft) if random.randrange(2) else None,
    ]
    return Body(main, lead, aside)
