"""More tasks for keys and pointer: hover menus, knobs, column widths, two windows."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.contacts import GROUPS
from snellen.worlds.desk.apps.kanban import PRIORITIES
from snellen.worlds.desk.apps.notes import NOTEBOOKS
from snellen.worlds.desk.apps.sheet import rows_of
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates.calendar import TITLES, free
from snellen.worlds.desk.templates.common import (
    Found,
    alone,
    arrived,
    change_each,
    gone,
    more,
    people,
    person_words,
    series,
    set_to,
    some,
    to_message,
    to_week,
)
from snellen.worlds.desk.templates.direct import DOWN, MONTHS, many, of_one
from snellen.worlds.desk.templates.office import (
    BUDGET,
    card_words,
    cards,
    label_changed,
    note_words,
    notes,
    some_notes,
    to_board,
    to_cell,
    to_setting,
)
from snellen.worlds.desk.templates.travel import to_trip
from snellen.worlds.desk.world import mailing
from snellen.worlds.desk.world.words import CITIES, FULL

INVENTORY = "s2"
WIDEST = 1160
"""The edge to which the last column with texts is widened, in pixels."""


def _notes_sort(draft: Draft) -> None:
    book = draft.rng.choice(NOTEBOOKS)
    found = [item for item in alone(notes(draft), "title") if item[1]["notebook"] != book]
    chosen = some(draft, found, many(draft))
    words = series([f"“{note['title']}”" for _, note in chosen])
    draft.goal = f"Move these notes to the notebook “{book}”: {words}."
    change_each(draft, "notes.notes", chosen, "change_note", "note", notebook=book)

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("notes")
        for key, _ in chosen:
            walk.drag(f"notes.open:{key}", f"notes.to:{book}")


def _notes_copy(draft: Draft) -> None:
    chosen = some_notes(draft)
    words = series([note_words(draft, note) for _, note in chosen])
    draft.goal = (
        f"Make a copy of each of these notes, with the same title, text and notebook: {words}."
    )
    for _, note in chosen:
        draft.expect("add_note", **{name: note[name] for name in ("title", "text", "notebook")})
    draft.impossible(Reason.NO_SUCH_ITEM, gone("notes.notes", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("notes")
        for key, _ in chosen:
            walk.choose_verb(f"notes.open:{key}", "copy")


def _cards_copy(draft: Draft) -> None:
    chosen = of_one(draft, alone(cards(draft), "board", "title"), "board", draft.size + 1)
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = f"Make a copy of each of these cards, the same in all that it shows: {words}."
    for _, card in chosen:
        draft.expect("add_card", **card)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        to_board(walk, chosen[0][1]["board"])
        for key, _ in chosen:
            walk.choose_verb(f"kanban.open:{key}", "copy")


def _regroup(draft: Draft) -> None:
    group = draft.rng.choice(GROUPS)
    chosen = some(draft, [item for item in people(draft) if item[1]["group"] != group], many(draft))
    words = series([person_words(draft, person) for _, person in chosen])
    draft.goal = f"Move these contacts to the group “{group}”: {words}."
    change_each(draft, "contacts.people", chosen, "change_contact", "contact", group=group)

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("contacts")
        for key, _ in chosen:
            walk.drag(f"contacts.open:{key}", f"contacts.to:{group}")


def _set(draft: Draft, chosen: Found) -> tuple[list[str], list[str]]:
    """Choose new values of settings; return them, and the settings with them in words."""
    values: list[str] = []
    for key, setting in chosen:
        options = [each for each in setting["options"] or ("on", "off") if each != setting["value"]]
        values.append(draft.rng.choice(options))
        draft.expect("change_setting", setting=key, value=values[-1])
    return values, [
        f"“{setting['title']}” {'to ' * bool(setting['options'])}{value}"
        for (_, setting), value in zip(chosen, values, strict=True)
    ]


def _settings(draft: Draft, fits: Callable[[dict[str, Any]], bool]) -> Found:
    return [item for item in draft.state["settings"]["values"].items() if fits(item[1])]


def _knob(setting: dict[str, Any]) -> bool:
    return "50" in setting["options"]


def _hidden(setting: dict[str, Any]) -> bool:
    return setting["section"] in ("Accessibility", "Backup", "Region")


def _knobs(draft: Draft) -> None:
    _change(draft, some(draft, _settings(draft, _knob), draft.size + 1))


def _more(draft: Draft) -> None:
    _change(draft, some(draft, _settings(draft, _hidden), draft.size + 1))


def _change(draft: Draft, chosen: Found) -> None:
    values, parts = _set(draft, chosen)
    draft.goal = f"Set in the settings {series(parts)}. If one of them is locked, set none."
    draft.impossible(Reason.NOT_ALLOWED, set_to("settings.values", chosen[-1][0], locked=True))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), value in zip(chosen, values, strict=True):
            to_setting(walk, key, value)


def _by_operator(draft: Draft) -> None:
    trips = draft.state["travel"]["trips"]
    by_route: dict[tuple[str, ...], list[str]] = {}
    for key, trip in sorted(trips.items()):
        by_route.setdefault((trip["start"], trip["goal"], trip["date"]), []).append(key)
    routes = draft.rng.sample(sorted(by_route), draft.size)
    chosen: list[str] = []
    parts: list[str] = []
    names = sorted({name for each in FULL.operators.values() for name in each})
    for route in routes:
        keys = by_route[route]
        key, operator = draft.rng.choice(keys), draft.rng.choice(names)
        for other in keys:
            taken = operator if other == key else draft.rng.choice(
                [name for name in names if name != operator])  # fmt: skip
            trips[other]["operator"] = taken
        chosen.append(key)
        parts.append(f"from {route[0]} to {route[1]} on {long_day(route[2])}, run by {operator}")
    draft.goal = (
        f"Book for one traveler the trip {series(parts)}. If a company runs none there on that day,"
        " book nothing."
    )
    for key in chosen:
        draft.expect("book_trip", trip=key, travelers=1)
    others = [name for name in names if name != trips[chosen[-1]]["operator"]]
    other = draft.rng.choice(others)
    draft.impossible(Reason.NO_SUCH_ITEM, set_to("travel.trips", chosen[-1], operator=other))

    @draft.path
    def way(walk: Walk) -> None:
        for key in chosen:
            walk.go("travel")
            if walk.desktop.ui.get("travel.tab", "search") != "search":
                walk.press("travel.tab:search")
            to_trip(walk, key)
            for each in by_route[tuple(trips[key][name] for name in ("start", "goal", "date"))]:
                walk.hover(f"travel.fare:{each}")
                if each == key:
                    break
            walk.press(f"travel.book:{key}", "travel.save")


def _fast(draft: Draft) -> None:
    products = draft.state["shop"]["products"]
    kind = draft.rng.choice(sorted({product["kind"] for product in products.values()}))
    keys = sorted(key for key, product in products.items() if product["kind"] == kind)
    chosen = draft.rng.sample(keys, draft.size + 1)
    days = draft.rng.randrange(2, 8)
    for key in keys:
        first, last = (1, days) if key in chosen else (days + 1, days + 8)
        products[key]["ships"] = draft.rng.randint(first, last)
        products[key]["stock"] = products[key]["stock"] or 12
    draft.goal = (
        f"Which {kind.lower()} of the shop ship within {days} days? Put one of each of these"
        " products into the cart, and order nothing. If one of them is sold out, put none."
    )
    for key in chosen:
        draft.expect("add_to_cart", product=key, count=1)
    draft.impossible(Reason.NOT_AVAILABLE, set_to("shop.products", chosen[-1], stock=0))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("shop")
        walk.hover("shop.departments")
        with walk.looking():
            walk.press(f"shop.kind:{kind}")
        for key in sorted(keys, key=lambda key: products[key]["name"]):
            walk.hover(f"shop.look:{key}")
            if key in chosen:
                walk.drag(f"shop.open:{key}", "shop.to:cart")


def _slots(draft: Draft) -> None:
    parts, plan = _plan(draft)
    draft.goal = (
        "Add to your calendar, each one hour long and without place and guests:"
        f" {series(parts)}. If one of these hours is taken, add none of them."
    )
    draft.way = plan


def _plan(draft: Draft) -> tuple[list[str], Callable[[Walk], None]]:
    """Expect new events; return them in words, and the way to add them."""
    hours = free(draft, draft.size + 1)
    titles = draft.rng.sample(TITLES, len(hours))
    events = list(zip(titles, hours, strict=True))
    for title, (day, start, end) in events:
        draft.expect("add_event", title=title, date=day, start=start, end=end)
    day, start, end = hours[-1]
    taken: dict[str, Any] = {"title": "Town hall", "date": day, "start": start, "end": end,
                             "place": "", "guests": []}  # fmt: skip
    draft.impossible(Reason.CONFLICT, more("calendar.events", taken))

    def way(walk: Walk) -> None:
        for title, (day, start, _) in events:
            to_week(walk, day)
            walk.press(f"calendar.slot:{day}T{start}")
            walk.write(title=title)
            walk.press("calendar.save")

    return [f"“{title}” on {long_day(day)} at {start}" for title, (day, start, _) in events], way


def _note(draft: Draft, title: str, lines: list[str]) -> str:
    """Add a note and return its id."""
    note: dict[str, Any] = {"title": title, "text": "\n".join(f"- {line}" for line in lines),
                            "notebook": "Meetings", "pinned": False,
                            "date": draft.state["clock"][:10]}  # fmt: skip
    draft.state["notes"]["notes"]["t90"] = note
    return "t90"


def _from_note(draft: Draft) -> None:
    title = f"Dates for {draft.rng.choice(CITIES)}"
    parts, plan = _plan(draft)
    note = _note(draft, title, parts)
    draft.goal = (
        f"Your note “{title}” has new dates. Add them to your calendar, each one hour long and"
        " without place and guests. If one of these hours is taken, add none of them."
    )

    @draft.path
    def way(walk: Walk) -> None:
        walk.beside("calendar", "notes")
        with walk.looking():
            walk.press(f"notes.open:{note}")
        plan(walk)


def _widen(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][INVENTORY]["cells"]
    rows = rows_of({"cells": cells})
    names = [person["name"] for _, person in some(draft, people(draft), len(rows) + 1)]
    for row, name in zip(rows, names, strict=False):
        cells[f"E{row}"] = f"For the office in {draft.rng.choice(CITIES)}, counted by {name}"
    chosen = sorted(draft.rng.sample(range(len(rows)), draft.size))
    draft.goal = (
        f"The remarks in the sheet “Inventory” end with who counted. What did"
        f" {series([names[index] for index in chosen])} count? Answer with the article"
        + ("'s number." if len(chosen) == 1 else " numbers, as a list.")
        + " Change no cell."
    )
    articles = [cells[f"A{rows[index]}"] for index in chosen]
    draft.answer = Answer("text", articles[0]) if len(chosen) == 1 else Answer("list", articles)

    def change(state: State) -> None:
        text = f"For the office in Ghent, counted by {names[-1]}"
        state["sheet"]["sheets"][INVENTORY]["cells"][f"E{rows[chosen[-1]]}"] = text

    draft.impossible(Reason.NO_SUCH_ITEM, change)

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("sheet")
        walk.press(f"sheet.tab:{INVENTORY}")
        walk.drag("sheet.handle:E", f"sheet.edge:{WIDEST}")


def _thread(draft: Draft) -> None:
    messages = draft.state["mail"]["messages"]
    _, person = draft.rng.choice(people(draft))
    today = date.fromisoformat(draft.state["clock"][:10])
    subject, turns = mailing.thread(draft.rng, draft.state, today)
    for key in [key for key, each in messages.items() if each["subject"].endswith(subject)]:
        del messages[key]
    begun = today - timedelta(days=draft.rng.randrange(8, 20))
    before = set(messages)
    turns = turns[: min(draft.size + 2, 4)]
    last = mailing.add(draft.rng, draft.state, person, subject, turns, begun)
    added = sorted(set(messages) - before, key=lambda key: messages[key]["date"])
    first = messages[added[0]]["date"][:10]
    for key in added[:-1]:
        # The user has only the last message of the thread, which quotes the others.
        del messages[key]
    draft.goal = (
        f"On which day was the first message of the thread “{subject}” with {person['name']}"
        " written? Answer with a date; change nothing."
    )
    draft.answer = Answer("date", first)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("mail.messages", last))
    draft.way = lambda walk: to_message(walk, last)


def _by_mail(draft: Draft, subject: str, lines: list[str], ask: str) -> tuple[str, str]:
    """Let a contact write; return the message's id and the contact's name."""
    _, person = draft.rng.choice(people(draft))
    listed = "\n".join(f"- {line}" for line in lines)
    body = f"Hello,\n\n{ask}\n\n{listed}\n\nThank you\n{person['name'].split()[0]}"
    return arrived(draft, person, subject=subject, body=body), person["name"]


def _regroup_by_mail(draft: Draft) -> None:
    group = draft.rng.choice(GROUPS)
    found = [item for item in alone(people(draft), "name") if item[1]["group"] != group]
    chosen = some(draft, found, many(draft))
    lines = [f"{person['name']}, {person['company']}" for _, person in chosen]
    asked, name = _by_mail(draft, "New list of contacts", lines, "please sort these people anew:")
    draft.goal = (
        f"{name} sends you people in the message “New list of contacts”. Move them to the group"
        f" “{group}” of your contacts, and archive the message. If one of them is not in your"
        " contacts, do neither."
    )
    change_each(draft, "contacts.people", chosen, "change_contact", "contact", group=group)
    draft.expect("move_message", message=asked, folder="archive")

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            to_message(walk, asked)
        walk.go("contacts")
        for key, _ in chosen:
            walk.drag(f"contacts.open:{key}", f"contacts.to:{group}")
        walk.go("mail")
        walk.drag(f"mail.open:{asked}", "mail.to:archive")


def _assign(draft: Draft) -> None:
    found = of_one(draft, alone(cards(draft), "board", "title"), "board", draft.size + 1)
    board = found[0][1]["board"]
    names = {card["assignee"] for _, card in found}
    fitting = [item for item in people(draft) if item[1]["name"] not in names]
    chosen = some(draft, alone(fitting, "name"), len(found))
    pairs = list(zip(found, chosen, strict=True))
    parts = [
        f"{card_words(draft, card)} to {person_words(draft, person)}"
        for (_, card), (_, person) in pairs
    ]
    draft.goal = f"Assign cards: {'; '.join(parts)}."
    for (card, _), (_, person) in pairs:
        draft.expect("change_card", card=card, assignee=person["name"])
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", found[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        walk.beside("kanban", "contacts")
        to_board(walk, board)
        for (card, _), (person, _) in pairs:
            walk.drag(f"contacts.open:{person}", f"kanban.card:{card}")


def _amounts(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    count = draft.size + 3
    start = draft.rng.randrange(len(rows_of({"cells": cells})) - count)
    rows = rows_of({"cells": cells})[start : start + count]
    column = draft.rng.choice(MONTHS)
    values = [str(4000 + draft.rng.randrange(1, 99) * 10) for _ in rows]
    lines = [f"{cells[f'A{row}']}: {value}" for row, value in zip(rows, values, strict=True)]
    month = cells[f"{column}1"]
    asked, name = _by_mail(
        draft,
        f"Budget of {month}",
        draft.rng.sample(lines, len(lines)),
        f"these are the new amounts for {month}:",
    )
    draft.goal = (
        f"{name} has sent new amounts for {month}. Write them into the sheet “Budget”, and star the"
        " message. If an item is not in the sheet, do neither."
    )
    for row, value in zip(rows, values, strict=True):
        draft.expect("set_cell", sheet=BUDGET, cell=f"{column}{row}", value=value)
    draft.expect("star_message", message=asked, starred=True)
    label_changed(draft, BUDGET, f"A{rows[-1]}")

    @draft.path
    def way(walk: Walk) -> None:
        walk.beside("mail", "sheet")
        with walk.looking():
            walk.press(f"mail.open:{asked}")
        to_cell(walk, BUDGET, f"{column}{rows[0]}")
        for value in values:
            walk.type("sheet.value", value)
            walk.press(DOWN)
        walk.press(f"mail.star:{asked}")


def _set_by_mail(draft: Draft) -> None:
    knobs, others = _settings(draft, _knob), _settings(draft, _hidden)
    chosen = [*some(draft, knobs), *some(draft, others, 1)]
    values, parts = _set(draft, chosen)
    asked, name = _by_mail(draft, "Your new computer", parts, "please set on your new computer:")
    draft.goal = (
        f"{name} writes how to set up your computer. Change these settings, and label the message"
        " “Later”. If one of the settings is locked, do neither."
    )
    draft.expect("label_message", message=asked, label="Later")
    draft.impossible(Reason.NOT_ALLOWED, set_to("settings.values", chosen[-1][0], locked=True))

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            to_message(walk, asked)
        for (key, _), value in zip(chosen, values, strict=True):
            to_setting(walk, key, value)
        walk.go("mail")
        walk.choose_verb(f"mail.open:{asked}", "is:Later")


def _level(draft: Draft) -> None:
    """Copy the priorities that a note names to cards, by their menus, with both on the screen."""
    chosen = of_one(draft, alone(cards(draft), "board", "title"), "board", many(draft))
    board = chosen[0][1]["board"]
    levels = [
        draft.rng.choice([each for each in PRIORITIES if each[0] != card["priority"]])
        for _, card in chosen
    ]
    lines = [
        f"{card['title']}: {name}" for (_, card), (_, name) in zip(chosen, levels, strict=True)
    ]
    title = f"Priorities of {board}"
    note = _note(draft, title, lines)
    draft.goal = (
        f"Your note “{title}” says what is important. Give the cards of the board {board} these"
        " priorities. If one of them is not on the board, change none."
    )
    for (key, _), (level, _) in zip(chosen, levels, strict=True):
        draft.expect("change_card", card=key, priority=level)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        walk.beside("kanban", "notes")
        with walk.looking():
            walk.press(f"notes.open:{note}")
        to_board(walk, board)
        for (key, _), (level, _) in zip(chosen, levels, strict=True):
            walk.choose_verb(f"kanban.open:{key}", f"is:{level}")


POINTER = tuple(
    Template(name, apps, fill)
    for name, apps, fill in (
        ("notes-sort", ("notes",), _notes_sort),
        ("notes-copy", ("notes",), _notes_copy),
        ("kanban-copy", ("kanban",), _cards_copy),
        ("contacts-regroup", ("contacts",), _regroup),
        ("settings-knobs", ("settings",), _knobs),
        ("settings-more", ("settings",), _more),
        ("travel-by-operator", ("travel",), _by_operator),
        ("shop-fast", ("shop",), _fast),
        ("calendar-slots", ("calendar",), _slots),
        ("sheet-widen", ("sheet",), _widen),
        ("mail-thread", ("mail",), _thread),
        ("regroup-by-mail", ("mail", "contacts"), _regroup_by_mail),
        ("settings-by-mail", ("mail", "settings"), _set_by_mail),
        ("assign-beside", ("contacts", "kanban"), _assign),
        ("amounts-beside", ("mail", "sheet"), _amounts),
        ("dates-beside", ("notes", "calendar"), _from_note),
        ("priorities-beside", ("notes", "kanban"), _level),
    )
)
