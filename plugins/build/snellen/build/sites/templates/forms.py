"""Pages to fill in: forms, signing in, paying."""

from snellen.build.sites import blocks
from snellen.build.sites.drafts import Body, PageDraft
from snellen.build.sites.markup import join, tag

_TO_WRITE = ("name", "email", "topic", "message")
"""The fields of a contact form, if the site's own form has another purpose."""


_OF_MINE = ("profile", "transfer", "meter")
"""Forms that edit existing data, which can also be deleted there."""


def form(draft: PageDraft) -> Body:
    """Return a form with the facts that the user should know before sending it."""
    site, random = draft.site, draft.random
    letter = draft.plan.key == "compose"
    lead = draft.opening() if letter else draft.opening("form")
    keys = list(_TO_WRITE if draft.plan.key == "contact" else site.plan.form)
    half = len(keys) // 2 if len(keys) > 5 and random.randrange(2) else len(keys)
    groups = [group for group in (keys[:half], keys[half:]) if group]
    titles = [draft.ui("your_details"), draft.ui("your_request")]
    if letter:
        titles[0] = site.label(draft.plan.key)
    fieldsets = [
        tag(
            "fieldset",
            tag("legend", title),
            tag(
                "div",
                (blocks.field(draft, key, hint=random.randrange(3) > 0) for key in group),
                class_="fields",
            ),
        )
        for title, group in zip(titles, groups, strict=False)
    ]
    send = _send(draft)
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        tag(
            "form",
            fieldsets,
            blocks.actions(
                tag("button", send, type="submit", class_="primary"),
                tag("button", draft.ui("clear_form"), type="reset"),
                blocks.button(draft.ui("save_draft"), "quiet"),
            ),
            action=site.href("index"),
            method="get",
        ),
        blocks.danger_zone(draft) if draft.plan.key in _OF_MINE else None,
    )
    steps = blocks.steps(draft) if draft.plan.key not in (*_OF_MINE, "compose") else []
    aside = [
        blocks.panel(draft.ui("what_next"), tag("ol", (tag("li", step) for step in steps)))
        if steps
        else None,
        blocks.panel(
            draft.ui("good_to_know"),
            blocks.facts(draft.facts(3)),
        ),
        blocks.hours_panel(draft) if random.randrange(4) == 0 else None,
    ]
    return Body(main, lead, aside)


def _send(draft: PageDraft) -> str:
    match draft.plan.key:
        case "compose":
            return draft.acts[0].text
        case "register":
            return draft.acts[1].text
        case "profile":
            return draft.ui("save_changes")
        case "contact" | "groups" | "feedback" | "invite":
            return draft.ui("send_request")
        case _:
            # The text of a button that leads to the form may also be that of its submit button.
            here = [act for act in draft.acts if draft.plan.key in act.keys]
            return draft.random.choice(here or draft.acts).text


def signin(draft: PageDraft) -> Body:
    """Return a narrow sign-in page."""
    site = draft.site
    lead = draft.opening("form")
    other = site.key_of("form")
    more = blocks.link(site.label(other), site.href(other)) if other else None
    main = join(
        blocks.heading(draft),
        tag("p", lead),
        tag(
            "div",
            tag(
                "form",
                tag(
                    "div",
                    blocks.field(draft, "email"),
                    blocks.field(draft, "password", hint=False),
                    tag(
                        "div",
                        tag("input", type="checkbox", id="field-stay", name="stay"),
                        tag("label", draft.ui("stay_signed_in"), for_="field-stay"),
                        class_="check",
                    ),
                    class_="fields",
                ),
                blocks.actions(
                    tag("button", draft.ui("sign_in"), type="submit", class_="primary"), more
                ),
                action=site.href("index"),
                method="get",
            ),
            class_="panel",
        ),
        tag("p", blocks.button(draft.ui("forgot"), "quiet")),
        blocks.section(
            draft.ui("good_to_know"),
            blocks.facts(draft.facts(5)),
        ),
    )
    return Body(main, lead, narrow=True)


def checkout(draft: PageDraft) -> Body:
    """Return an order with its total, an address and the button to pay."""
    site, random, language = draft.site, draft.random, draft.site.language
    lead = draft.opening("priced", "form")
    chosen = draft.sample(random.randrange(2, 5))
    counts = [random.randrange(1, 4) for _ in chosen]
    sums = [thing.cents * count for thing, count in zip(chosen, counts, strict=True)]
    fee = random.choice((0, 250, 490, 695))
    lines = [
        [blocks.named(draft, thing), str(count), draft.price(thing), language.price(total)]
        for thing, count, total in zip(chosen, counts, sums, strict=True)
    ]
    lines.append([draft.ui("fee"), "1", language.price(fee), language.price(fee)])
    total = language.price(sum(sums) + fee)
    headers = [draft.ui("item"), draft.ui("quantity"), draft.ui("price"), draft.ui("amount")]
    main = join(
        blocks.heading(draft),
        tag("p", lead, class_="lead"),
        blocks.table(headers, lines, caption=draft.ui("order_summary"), numbers=[1, 2, 3],
                     foot=[draft.ui("total"), str(sum(counts) + 1), "", total]),
        blocks.actions(
            blocks.button(draft.safe()),
            blocks.tool(draft, "save"),
        ),
        tag(
            "form",
            *(
                tag(
                    "fieldset",
                    tag("legend", title),
                    tag("div", (blocks.field(draft, key, hint=random.randrange(3) > 0)
                                for key in keys), class_="fields"),
                )
                for title, keys in (
                    (draft.ui("your_details"), ("name", "email", "address", "city", "postcode")),
                    (draft.ui("payment"), ("card", "expiry")),
                )
            ),
            tag("p", draft.ui("final", total=total), class_="meta"),
            blocks.actions(
                tag("button", draft.ui("place_order"), type="submit", class_="primary"),
                blocks.link(draft.ui("back"), site.href("index")),
            ),
            action=site.href("index"),
            method="get",
        ),
    )  # fmt: skip
    steps = blocks.steps(draft)
    aside = [
        blocks.panel(draft.ui("what_next"), tag("ol", (tag("li", step) for step in steps))),
        blocks.hours_panel(draft),
    ]
    return Body(main, lead, aside)
