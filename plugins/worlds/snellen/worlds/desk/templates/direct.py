"""Tasks for keys, drags, context menus and lists that scroll."""

from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.kanban import COLUMNS, PRIORITIES
from snellen.worlds.desk.apps.sheet import rows_of
from snellen.worlds.desk.kit.verbs import State
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk, called
from snellen.worlds.desk.templates.calendar import TITLES, events
from snellen.worlds.desk.templates.common import (
    Found,
    alone,
    arrived,
    change_each,
    event_words,
    gone,
    inbox,
    more,
    people,
    person_words,
    series,
    some,
    to_message,
    to_person,
    to_week,
)
from snellen.worlds.desk.templates.office import (
    BUDGET,
    card_words,
    cards,
    file_words,
    files,
    folder_words,
    label_changed,
    to_board,
    to_cell,
)
from snellen.worlds.desk.world.words import ROOMS

DOWN = "sheet.Enter"
MONTHS = "BCDEF"
SEEN = 13
"""At least the number of messages that the list shows without scrolling, in any look."""


def many(draft: Draft) -> int:
    """Return the number of items of a task that takes too long without a shortcut: 3, 5 or 7."""
    return 2 * draft.size + 1


def of_one(draft: Draft, found: Found, field: str, count: int) -> Found:
    """Choose items that have the same value of a field, of one of the most frequent values."""
    values = sorted({item[1][field] for item in found})
    groups = [[item for item in found if item[1][field] == value] for value in values]
    full = [group for group in groups if len(group) >= count] or [max(groups, key=len)]
    group = draft.rng.choice(full)
    return some(draft, group, min(count, len(group)))


def _fill(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    found = rows_of({"cells": cells})
    first = draft.rng.randrange(len(found) - many(draft))
    rows = found[first : first + many(draft)]
    column = draft.rng.choice(MONTHS)
    values = [str(4000 + draft.rng.randrange(1, 99) * 10) for _ in rows]
    parts = [f"{cells[f'A{row}']} {value}" for row, value in zip(rows, values, strict=True)]
    if draft.difficulty != "easy":
        # Not in the order of the rows.
        parts = draft.rng.sample(parts, len(parts))
    draft.goal = f"Set the amounts of {cells[f'{column}1']} in the sheet “Budget”: {series(parts)}."
    for row, value in zip(rows, values, strict=True):
        draft.expect("set_cell", sheet=BUDGET, cell=f"{column}{row}", value=value)
    label_changed(draft, BUDGET, f"A{rows[-1]}")

    @draft.path
    def way(walk: Walk) -> None:
        to_cell(walk, BUDGET, f"{column}{rows[0]}")
        for value in values:
            walk.type("sheet.value", value)
            walk.press(DOWN)


def _undo(draft: Draft) -> None:
    before = draft.state
    cells = before["sheet"]["sheets"][BUDGET]["cells"]
    places = draft.rng.sample([f"{c}{row}" for row in rows_of({"cells": cells}) for c in MONTHS], 6)
    values = [str(draft.rng.randrange(100, 999)) for _ in places]
    calls = [
        ("set_cell", {"sheet": BUDGET, "cell": place, "value": value})
        for place, value in zip(places, values, strict=True)
    ]
    draft.state = called(before, calls)
    count = draft.size
    words = "change" if count == 1 else f"{('two', 'three')[count - 2]} changes"
    draft.goal = (
        f"The last {words} that you made in the application Sheet {'was' if count == 1 else 'were'}"
        f" in the wrong cell{'s' * (count > 1)}. Undo {'it' if count == 1 else 'them'}; what you"
        " changed before stays."
    )
    for _ in range(count):
        draft.expect("undo_change", app="sheet")

    def change(state: State) -> None:
        state["history"] = []
        state["sheet"]["sheets"][BUDGET] = before["sheet"]["sheets"][BUDGET]

    draft.impossible(Reason.NO_SUCH_ITEM, change)

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("sheet")
        walk.press(*["sheet.undo"] * count)


def _phones(draft: Draft) -> None:
    chosen = some(draft, people(draft), draft.size + 1)
    words = series([person_words(draft, person) for _, person in chosen])
    draft.goal = (
        f"Write the phone numbers of {words} into the sheet “Budget”, in this order, one below the"
        " other from A18 on, as they are in your contacts."
    )
    for row, (_, person) in enumerate(chosen, 18):
        draft.expect("set_cell", sheet=BUDGET, cell=f"A{row}", value=person["phone"])
    draft.impossible(Reason.NO_SUCH_ITEM, gone("contacts.people", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            for key, _ in chosen:
                to_person(walk, key)
        to_cell(walk, BUDGET, "A18")
        for _, person in chosen:
            walk.type("sheet.value", person["phone"])
            walk.press(DOWN)


def _finish(draft: Draft) -> None:
    column = draft.rng.choice(COLUMNS[1:])
    found = [item for item in cards(draft) if item[1]["column"] != column]
    chosen = of_one(draft, found, "board", many(draft))
    board = chosen[0][1]["board"]
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = f"Move these cards to “{column}”: {words}."
    change_each(draft, "kanban.cards", chosen, "change_card", "card", column=column)

    @draft.path
    def way(walk: Walk) -> None:
        to_board(walk, board)
        for key, _ in chosen:
            walk.drag(f"kanban.open:{key}", f"kanban.to:{column}")


def _sort(draft: Draft) -> None:
    chosen = of_one(draft, files(draft), "parent", many(draft))
    parent = chosen[0][1]["parent"]
    folder = draft.rng.choice([f"d{each}" for each in range(1, 6) if f"d{each}" != parent])
    words = series([file_words(draft, file) for _, file in chosen])
    draft.goal = f"Move these files to {folder_words(draft, folder)}: {words}."
    change_each(draft, "files.entries", chosen, "move_file", "file", folder=folder)

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("files")
        if parent:
            walk.press(f"files.folder:{parent}")
        for key, _ in chosen:
            walk.drag(f"files.open:{key}", f"files.to:{folder}")


def _empty_day(draft: Draft) -> None:
    """Move all events of a day, of which most are new, to another day of its week."""
    today = date.fromisoformat(draft.state["clock"][:10])
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=draft.rng.choice((1, 2)))
    first, second = draft.rng.sample(range(5), 2)
    day, other = ((monday + timedelta(days=each)).isoformat() for each in (first, second))
    calendar = draft.state["calendar"]["events"]
    for key in [key for key, event in calendar.items() if event["date"] in (day, other)]:
        del calendar[key]
    hours = sorted(draft.rng.sample(range(8, 18), many(draft) + 1))
    for number, hour in enumerate(hours):
        # One event of the other day stays; it is a distractor.
        calendar[f"e{80 + number}"] = {
            "title": f"{draft.rng.choice(TITLES)} {number + 1}",
            "date": other if number == many(draft) else day,
            "start": f"{hour:02}:00",
            "end": f"{hour + 1:02}:00",
            "place": draft.rng.choice(ROOMS),
            "guests": [],
        }
    moved = [key for key, event in calendar.items() if event["date"] == day]
    draft.goal = (
        f"You are away on {long_day(day)}. Move all events of your calendar from this day to"
        f" {long_day(other)}, each at its hours. If one of these hours is taken there, move none."
    )
    for key in moved:
        event = calendar[key]
        draft.expect("change_event", event=key, date=other, start=event["start"], end=event["end"])
    last = calendar[moved[-1]]
    draft.impossible(
        Reason.CONFLICT, more("calendar.events", {**last, "title": "Town hall", "date": other})
    )

    @draft.path
    def way(walk: Walk) -> None:
        to_week(walk, day)
        for key in moved:
            walk.drag(f"calendar.open:{key}", f"calendar.to:{other}T{calendar[key]['start']}")


def _postpone(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    key, event = draft.rng.choice(
        [item for item in events(draft) if date.fromisoformat(item[1]["date"]).weekday() < 4]
    )
    start = date.fromisoformat(event["date"])
    day = (start + timedelta(days=draft.rng.randrange(1, 5 - start.weekday()))).isoformat()
    calendar = draft.state["calendar"]["events"]
    for other in [each for each in calendar if calendar[each]["date"] == day]:
        # The day has no other event, and its world is as full as before.
        calendar[other]["date"] = (start + timedelta(weeks=5)).isoformat()
    asked = arrived(
        draft,
        person,
        subject=f"Can't make it: {event['title']}",
        body=f"Hello,\n\nI can't come then. Could we have it on {long_day(day)}, at the same"
        f" hours?\n\n{person['name'].split()[0]}",
    )
    answer = "Done, see you then."
    draft.goal = (
        f"{person['name']} asks by mail to put off {event_words(draft, event)} in your calendar."
        f" Move it, reply “{answer}”, and archive the message. If that time is taken in your"
        " calendar, do none of it."
    )
    hours = {name: event[name] for name in ("start", "end")}
    draft.expect("change_event", event=key, date=day, **hours)
    draft.expect("reply_to_message", message=asked, body=answer)
    draft.expect("move_message", message=asked, folder="archive")
    taken: dict[str, Any] = {**event, "title": "Board meeting", "date": day}
    draft.impossible(Reason.CONFLICT, more("calendar.events", taken))

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            to_message(walk, asked)
        to_week(walk, event["date"])
        walk.drag(f"calendar.open:{key}", f"calendar.to:{day}T{event['start']}")
        walk.go("mail")
        walk.choose_verb(f"mail.open:{asked}", "reply")
        walk.write(body=answer)
        walk.press("mail.send")
        walk.choose_verb(f"mail.open:{asked}", "to:archive")


def _done_by_mail(draft: Draft) -> None:
    _, person = draft.rng.choice(people(draft))
    found = [item for item in cards(draft) if item[1]["column"] != "Done"]
    found = alone(found, "board", "title")
    chosen = of_one(draft, found, "board", many(draft))
    board = chosen[0][1]["board"]
    lines = "\n".join(f"- {card['title']}" for _, card in chosen)
    asked = arrived(
        draft,
        person,
        subject=f"{board}: what is finished",
        body=f"Hello,\n\nthese are finished:\n\n{lines}\n\nCould you bring the board up to date?",
    )
    draft.goal = (
        f"{person['name']} writes what is finished. Move these cards of the board {board} to"
        " “Done”, and archive the message. If one of them is not on the board, do neither."
    )
    change_each(draft, "kanban.cards", chosen, "change_card", "card", column="Done")
    draft.expect("move_message", message=asked, folder="archive")

    @draft.path
    def way(walk: Walk) -> None:
        with walk.looking():
            to_message(walk, asked)
        to_board(walk, board)
        for key, _ in chosen:
            walk.drag(f"kanban.open:{key}", "kanban.to:Done")
        walk.go("mail")
        walk.drag(f"mail.open:{asked}", "mail.to:archive")


def _urgent(draft: Draft) -> None:
    level, name = draft.rng.choice(PRIORITIES)
    found = [item for item in cards(draft) if item[1]["priority"] != level]
    chosen = of_one(draft, found, "board", many(draft))
    board = chosen[0][1]["board"]
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = f"Give these cards the priority “{name}”: {words}."
    change_each(draft, "kanban.cards", chosen, "change_card", "card", priority=level)

    @draft.path
    def way(walk: Walk) -> None:
        to_board(walk, board)
        for key, _ in chosen:
            walk.choose_verb(f"kanban.open:{key}", f"is:{level}")


def _clean(draft: Draft) -> None:
    chosen = some(draft, files(draft), draft.size + 1)
    words = series([file_words(draft, file) for _, file in chosen])
    draft.goal = f"Delete these files: {words}."
    change_each(draft, "files.entries", chosen, "delete_file", "file")

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("files")
        for key, file in chosen:
            if (walk.desktop.ui.get("files.folder") or "") != file["parent"]:
                walk.press(f"files.folder:{file['parent'] or 'top'}")
            walk.choose_verb(f"files.open:{key}", "delete")
            walk.press("files.delete.yes")


def _below(draft: Draft) -> None:
    listed = sorted(inbox(draft), key=lambda item: (item[1]["date"], item[0]), reverse=True)
    described = {key for key, _ in alone(listed, "name", "subject")}
    # Every second one, so that no message is both a reference and what is asked for.
    places = [
        place
        for place in range(SEEN, len(listed) - 1, 2)
        if listed[place][0] in described and not listed[place + 1][1]["starred"]
    ]
    chosen = sorted(draft.rng.sample(places, draft.size))
    parts = [f"“{listed[place][1]['subject']}” from {listed[place][1]['name']}" for place in chosen]
    draft.goal = (
        "In the inbox, with the newest message first and all messages shown, add a star to the"
        f" message right below {series(parts)}{', each' * (len(parts) > 1)}."
    )
    for place in chosen:
        draft.expect("star_message", message=listed[place + 1][0], starred=True)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("mail.messages", listed[chosen[-1]][0]))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("mail")
        for place in chosen:
            walk.press(f"mail.star:{listed[place + 1][0]}")


def _after(draft: Draft) -> None:
    listed = sorted(people(draft), key=lambda item: (item[1]["name"], item[0]))
    far = draft.rng.randrange(2, 5) * draft.size
    key, person = listed[-1 - far]
    draft.goal = (
        f"How many people come after {person['name']} in the list of all your contacts? Answer with"
        " a number."
    )
    draft.answer = Answer("number", far)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("contacts.people", key))

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("contacts")


DIRECT = tuple(
    Template(name, apps, fill)
    for name, apps, fill in (
        ("sheet-fill", ("sheet",), _fill),
        ("sheet-undo", ("sheet",), _undo),
        ("kanban-finish", ("kanban",), _finish),
        ("files-sort", ("files",), _sort),
        ("calendar-empty-day", ("calendar",), _empty_day),
        ("kanban-urgent", ("kanban",), _urgent),
        ("files-clean", ("files",), _clean),
        ("mail-below", ("mail",), _below),
        ("contacts-after", ("contacts",), _after),
        ("phones-into-sheet", ("contacts", "sheet"), _phones),
        ("postpone-by-mail", ("mail", "calendar"), _postpone),
        ("done-by-mail", ("mail", "kanban"), _done_by_mail),
    )
)
