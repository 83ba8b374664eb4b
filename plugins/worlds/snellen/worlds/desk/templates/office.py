"""Tasks in files, sheets, boards and notes."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from snellen.tasks.environments.reasons import Reason
from snellen.worlds.desk.apps.kanban import boards
from snellen.worlds.desk.apps.settings import SECTIONS
from snellen.worlds.desk.apps.sheet import rows_of
from snellen.worlds.desk.kit.view import long_day
from snellen.worlds.desk.tasks import Answer, Draft, Template, Walk
from snellen.worlds.desk.templates.common import (
    Found,
    alone,
    change_each,
    gone,
    more,
    people,
    series,
    set_to,
    some,
)
from snellen.worlds.desk.world.words import CARDS, PROJECTS
from snellen.worlds.desk.world.work import FOLDERS, NOTEBOOKS

BUDGET, INVENTORY, TRIPS = "s1", "s2", "s3"


def files(draft: Draft) -> Found:
    """Return the files, each of which can be described."""
    entries = draft.state["files"]["entries"].items()
    return alone([item for item in entries if item[1]["kind"] == "file"], "parent", "size")


def folder_words(draft: Draft, key: str) -> str:
    """Describe a folder."""
    return f"“{draft.state['files']['entries'][key]['name']}”" if key else "“All files”"


def file_words(draft: Draft, file: dict[str, Any]) -> str:
    """Describe a file: by folder and name, by name, or by folder and size."""
    if draft.difficulty == "easy":
        return f"“{file['name']}” in the folder {folder_words(draft, file['parent'])}"
    if draft.difficulty == "medium":
        return f"“{file['name']}”"
    return f"the one of {file['size']:,} KB in the folder {folder_words(draft, file['parent'])}"


def to_file(walk: Walk, key: str) -> None:
    """Select a file."""
    walk.go("files")
    parent = walk.desktop.state["files"]["entries"][key]["parent"]
    if (walk.desktop.ui.get("files.folder") or "") != parent:
        walk.press(f"files.folder:{parent or 'top'}")
    walk.press(f"files.open:{key}")


def to_sheet(walk: Walk, sheet: str) -> None:
    """Show a sheet."""
    to_cell(walk, sheet, "A1")


def to_cell(walk: Walk, sheet: str, cell: str) -> None:
    """Select a cell."""
    walk.go("sheet")
    if walk.desktop.ui.get("sheet.open", BUDGET) != sheet:
        walk.press(f"sheet.tab:{sheet}")
    if walk.desktop.ui.get("sheet.cell", "") != cell:
        walk.press(f"sheet.cell:{cell}")


def into_cell(walk: Walk, sheet: str, cell: str, value: str) -> None:
    """Write into a cell."""
    to_cell(walk, sheet, cell)
    walk.fill("sheet.value", value)
    walk.press("sheet.set.go")


def into_cells(walk: Walk, sheet: str, values: Mapping[str, str]) -> None:
    """Write into cells."""
    for cell, value in values.items():
        into_cell(walk, sheet, cell, value)


def to_setting(walk: Walk, key: str, value: str) -> None:
    """Set a setting, by its switch, its list or its knob."""
    walk.go("settings")
    setting = walk.desktop.state["settings"]["values"][key]
    section = f"settings.section:{setting['section']}"
    if walk.desktop.ui.get("settings.section", "General") != setting["section"]:
        sections = [each["section"] for each in walk.desktop.state["settings"]["values"].values()]
        if setting["section"] in list(dict.fromkeys(sections))[SECTIONS:]:
            walk.hover("settings.more")
        walk.press(section)
    if setting["options"] and setting["options"][0].isdigit():
        walk.drag(f"settings.{key}", f"settings.{key}.to:{value}")
        return
    walk.press(f"settings.{key}")
    if setting["options"]:
        walk.press(f"settings.{key}:{value}")


def to_board(walk: Walk, board: str) -> None:
    """Show a board."""
    walk.go("kanban")
    if walk.desktop.ui.get("kanban.board", boards(walk.desktop.state)[0]) != board:
        walk.press("kanban.board", f"kanban.board:{board}")


def to_card(walk: Walk, key: str) -> None:
    """Open a card of a board."""
    to_board(walk, walk.desktop.state["kanban"]["cards"][key]["board"])
    walk.press(f"kanban.open:{key}")


def new_card(walk: Walk, board: str, card: dict[str, Any]) -> None:
    """Add a card to a board."""
    to_board(walk, board)
    walk.press("kanban.new")
    walk.write(title=card["title"])
    walk.choose("form.column", card["column"])
    walk.choose("form.priority", card["priority"])
    walk.write(assignee=card.get("assignee", ""))
    walk.choose_day("form.due", card["due"])
    walk.press("kanban.save")


def new_folder(walk: Walk, parent: str, name: str) -> None:
    """Make a folder."""
    walk.go("files")
    walk.press(f"files.folder:{parent}", "files.new")
    walk.write(name=name)
    walk.press("files.save")


def rename(walk: Walk, key: str, name: str) -> None:
    """Rename a file."""
    to_file(walk, key)
    walk.press("files.rename")
    walk.write(name=name)
    walk.press("files.save")


def share(walk: Walk, key: str, email: str) -> None:
    """Share a file."""
    to_file(walk, key)
    walk.press("files.share")
    walk.write(email=email)
    walk.press("files.save")


def to_note(walk: Walk, key: str) -> None:
    """Open a note."""
    walk.go("notes")
    if walk.desktop.ui.get("notes.open") != key:
        walk.press(f"notes.open:{key}")


def new_note(walk: Walk, title: str, book: str, text: str) -> None:
    """Write a note."""
    walk.go("notes")
    walk.press("notes.new")
    walk.write(title=title)
    if book != "Ideas":
        walk.press(f"form.notebook:{book}")
    walk.write(text=text)
    walk.press("notes.save")


def _move(draft: Draft) -> None:
    chosen = some(draft, files(draft))
    folders = [
        draft.rng.choice([f"d{each}" for each in range(1, 6) if f"d{each}" != file["parent"]])
        for _, file in chosen
    ]
    parts = [
        f"{file_words(draft, file)} to {folder_words(draft, folder)}"
        for (_, file), folder in zip(chosen, folders, strict=True)
    ]
    draft.goal = f"Move files: {series(parts)}."
    for (key, _), folder in zip(chosen, folders, strict=True):
        draft.expect("move_file", file=key, folder=folder)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("files.entries", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), folder in zip(chosen, folders, strict=True):
            to_file(walk, key)
            walk.press("files.move", f"files.move:{folder}")


def _rename(draft: Draft) -> None:
    chosen = some(draft, files(draft))
    names = [f"{draft.rng.choice(PROJECTS)} final {number}.pdf" for number in range(len(chosen))]
    parts = [
        f"{file_words(draft, file)} to “{name}”"
        for (_, file), name in zip(chosen, names, strict=True)
    ]
    draft.goal = (
        f"Rename files: {series(parts)}. If a file of the new name is in the folder already, rename"
        " nothing at all."
    )
    for (key, _), name in zip(chosen, names, strict=True):
        draft.expect("rename_file", file=key, name=name)
    other: dict[str, Any] = {
        **chosen[-1][1],
        "name": names[-1],
        "size": 1,
        "shared": [],
        "text": "",
    }
    draft.impossible(Reason.CONFLICT, more("files.entries", other))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), name in zip(chosen, names, strict=True):
            rename(walk, key, name)


def _share(draft: Draft) -> None:
    found = [item for item in files(draft) if not item[1]["shared"]]
    chosen = some(draft, found)
    persons = [person for _, person in some(draft, people(draft))]
    parts = [
        f"{file_words(draft, file)} with {person['email']}"
        for (_, file), person in zip(chosen, persons, strict=True)
    ]
    draft.goal = f"Share files: {series(parts)}."
    for (key, _), person in zip(chosen, persons, strict=True):
        draft.expect("share_file", file=key, email=person["email"])
    draft.impossible(Reason.NO_SUCH_ITEM, gone("files.entries", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), person in zip(chosen, persons, strict=True):
            share(walk, key, person["email"])


def _delete(draft: Draft) -> None:
    chosen = some(draft, files(draft))
    words = series([file_words(draft, file) for _, file in chosen])
    draft.goal = f"Delete {'this file' if len(chosen) == 1 else 'these files'}: {words}."
    change_each(draft, "files.entries", chosen, "delete_file", "file")

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            to_file(walk, key)
            walk.press("files.delete", "files.delete.yes")


def _folders(draft: Draft) -> None:
    parents = draft.rng.sample(range(1, len(FOLDERS) + 1), draft.size)
    names = [f"{draft.rng.choice(PROJECTS)} {draft.rng.randrange(2019, 2025)}" for _ in parents]
    parts = [
        f"“{name}” in {folder_words(draft, f'd{parent}')}"
        for name, parent in zip(names, parents, strict=True)
    ]
    draft.goal = (
        f"Make folders: {series(parts)}. If there is a folder of such a name already, make none."
    )
    for name, parent in zip(names, parents, strict=True):
        draft.expect("make_folder", name=name, parent=f"d{parent}")
    other = {**draft.state["files"]["entries"]["d1"], "name": names[-1]}
    draft.impossible(Reason.CONFLICT, more("files.entries", {**other, "parent": f"d{parents[-1]}"}))

    @draft.path
    def way(walk: Walk) -> None:
        for name, parent in zip(names, parents, strict=True):
            new_folder(walk, f"d{parent}", name)


def label_changed(draft: Draft, sheet: str, cell: str) -> None:
    """Make a task infeasible: the text that it names is another one."""

    def change(state: dict[str, Any]) -> None:
        state["sheet"]["sheets"][sheet]["cells"][cell] = "Storage"

    draft.impossible(Reason.NO_SUCH_ITEM, change)


def _amounts(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    rows = draft.rng.sample(rows_of({"cells": cells}), draft.size)
    columns = [draft.rng.choice("BCDEF") for _ in rows]
    steps = [draft.rng.randrange(1, 30) * 10 for _ in rows]
    raised = draft.difficulty == "hard"
    values = [
        str(int(cells[f"{column}{row}"]) + step) if raised else str(4000 + step)
        for row, column, step in zip(rows, columns, steps, strict=True)
    ]
    verb = "Raise" if raised else "Set"
    parts = [
        f"the amount for {cells[f'A{row}']} in {cells[f'{column}1']}"
        f" {f'by {step}' if raised else f'to {value}'}"
        for row, column, step, value in zip(rows, columns, steps, values, strict=True)
    ]
    draft.goal = f"In the sheet “Budget”: {verb.lower()} {series(parts)}."
    for row, column, value in zip(rows, columns, values, strict=True):
        draft.expect("set_cell", sheet=BUDGET, cell=f"{column}{row}", value=value)
    label_changed(draft, BUDGET, f"A{rows[-1]}")

    @draft.path
    def way(walk: Walk) -> None:
        for row, column, value in zip(rows, columns, values, strict=True):
            into_cell(walk, BUDGET, f"{column}{row}", value)


def _stock(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][INVENTORY]["cells"]
    rows = draft.rng.sample(rows_of({"cells": cells}), draft.size)
    counts = [str(draft.rng.randrange(2, 30)) for _ in rows]
    parts = [f"{count} of the {cells[f'B{row}']}" for row, count in zip(rows, counts, strict=True)]
    draft.goal = f"Note in the sheet “Inventory” what is to be ordered: {series(parts)}."
    for row, count in zip(rows, counts, strict=True):
        draft.expect("set_cell", sheet=INVENTORY, cell=f"D{row}", value=count)
    label_changed(draft, INVENTORY, f"B{rows[-1]}")

    @draft.path
    def way(walk: Walk) -> None:
        for row, count in zip(rows, counts, strict=True):
            into_cell(walk, INVENTORY, f"D{row}", count)


def _ask(draft: Draft) -> None:
    cells = draft.state["sheet"]["sheets"][BUDGET]["cells"]
    row = draft.rng.choice(rows_of({"cells": cells}))
    columns = sorted(draft.rng.sample("BCDEF", draft.size))
    months = series([cells[f"{column}1"] for column in columns])
    draft.goal = (
        f"How much is planned for {cells[f'A{row}']} in {months}{' in all' * (draft.size > 1)},"
        " as the sheet “Budget” says? Answer with a number."
    )
    draft.answer = Answer("money", sum(int(cells[f"{column}{row}"]) for column in columns))
    label_changed(draft, BUDGET, f"A{row}")

    @draft.path
    def way(walk: Walk) -> None:
        walk.go("sheet")


def cards(draft: Draft) -> Found:
    """Return the cards, each of which can be described."""
    return alone(list(draft.state["kanban"]["cards"].items()), "board", "due")


def card_words(draft: Draft, card: dict[str, Any]) -> str:
    """Describe a card: by board and title, or by board and day."""
    if draft.difficulty == "easy":
        return f"“{card['title']}” on the board {card['board']}"
    return f"the card of the board {card['board']} that is due on {long_day(card['due'])}"


def _column(draft: Draft) -> None:
    chosen = some(draft, cards(draft))
    columns = [
        draft.rng.choice([name for name in ("Backlog", "Doing", "Review", "Done")
                          if name != card["column"]])
        for _, card in chosen
    ]  # fmt: skip
    parts = [
        f"{card_words(draft, card)} to “{column}”"
        for (_, card), column in zip(chosen, columns, strict=True)
    ]
    draft.goal = f"Move cards on the boards: {series(parts)}."
    for (key, _), column in zip(chosen, columns, strict=True):
        draft.expect("change_card", card=key, column=column)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), column in zip(chosen, columns, strict=True):
            to_card(walk, key)
            walk.choose("form.column", column)
            walk.press("kanban.save")


def _assign(draft: Draft) -> None:
    chosen = some(draft, cards(draft))
    _, person = draft.rng.choice(people(draft))
    for _, card in chosen:
        card["assignee"] = "" if card["assignee"] == person["name"] else card["assignee"]
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = f"Assign to {person['name']}: {words}."
    change_each(draft, "kanban.cards", chosen, "change_card", "card", assignee=person["name"])

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            to_card(walk, key)
            walk.write(assignee=person["name"])
            walk.press("kanban.save")


def _later(card: dict[str, Any], weeks: int) -> str:
    return (date.fromisoformat(card["due"]) + timedelta(weeks=weeks)).isoformat()


def _due(draft: Draft) -> None:
    weeks = draft.rng.randrange(1, 4)
    # No two cards of a board are due on the same day, so that a day describes one card.
    due = {(card["board"], card["due"]) for card in draft.state["kanban"]["cards"].values()}
    found = [item for item in cards(draft) if (item[1]["board"], _later(item[1], weeks)) not in due]
    chosen = some(draft, found)
    words = series([card_words(draft, card) for _, card in chosen])
    draft.goal = (
        f"Put off by {weeks} week{'s' * (weeks > 1)} the day on which this is due: {words}."
    )
    days = [_later(card, weeks) for _, card in chosen]
    for (key, _), day in zip(chosen, days, strict=True):
        draft.expect("change_card", card=key, due=day)
    draft.impossible(Reason.NO_SUCH_ITEM, gone("kanban.cards", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), day in zip(chosen, days, strict=True):
            to_card(walk, key)
            walk.choose_day("form.due", day)
            walk.press("kanban.save")


def _card(draft: Draft) -> None:
    board = draft.rng.choice(boards(draft.state))
    today = date.fromisoformat(draft.state["clock"][:10])
    taken = {card["title"] for card in draft.state["kanban"]["cards"].values()
             if card["board"] == board}  # fmt: skip
    titles = draft.rng.sample([title for title in CARDS if title not in taken], draft.size)
    made: list[dict[str, Any]] = [
        {
            "title": title,
            "column": draft.rng.choice(("Backlog", "Doing")),
            "due": (today + timedelta(days=draft.rng.randrange(3, 40))).isoformat(),
            "priority": draft.rng.choice(("low", "normal", "high")),
        }
        for title in titles
    ]
    parts = [
        f"“{card['title']}” in {card['column']}, due on {long_day(card['due'])}, priority"
        f" {card['priority']}"
        for card in made
    ]
    draft.goal = (
        f"Add cards to the board {board}, assigned to nobody: {'; '.join(parts)}. If a card of such"
        " a title is on that board already, add none."
    )
    for card in made:
        draft.expect("add_card", board=board, **card)
    other = {**made[-1], "board": board, "assignee": "", "column": "Review"}
    draft.impossible(Reason.CONFLICT, more("kanban.cards", other))

    @draft.path
    def way(walk: Walk) -> None:
        for card in made:
            new_card(walk, board, card)


def notes(draft: Draft) -> Found:
    """Return the notes, each of which can be described."""
    return list(draft.state["notes"]["notes"].items())


def some_notes(draft: Draft) -> Found:
    """Choose notes that can be described."""
    found = notes(draft)
    return some(draft, alone(found, "date") if draft.difficulty == "hard" else found)


def note_words(draft: Draft, note: dict[str, Any]) -> str:
    """Describe a note: by title, or by its day."""
    if draft.difficulty == "hard":
        return f"the one of {long_day(note['date']).partition(', ')[2]}"
    return f"“{note['title']}”"


def _pin(draft: Draft) -> None:
    chosen = some_notes(draft)
    for _, note in chosen:
        note["pinned"] = False
    words = series([note_words(draft, note) for _, note in chosen])
    draft.goal = f"Pin {'this note' if len(chosen) == 1 else 'these notes'}: {words}."
    change_each(draft, "notes.notes", chosen, "pin_note", "note", pinned=True)

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            to_note(walk, key)
            walk.press("notes.pin")


def _discard(draft: Draft) -> None:
    chosen = some_notes(draft)
    words = series([note_words(draft, note) for _, note in chosen])
    draft.goal = f"Remove {'this note' if len(chosen) == 1 else 'these notes'}: {words}."
    change_each(draft, "notes.notes", chosen, "remove_note", "note")

    @draft.path
    def way(walk: Walk) -> None:
        for key, _ in chosen:
            to_note(walk, key)
            walk.press("notes.remove", "notes.remove.yes")


def _line(draft: Draft) -> None:
    chosen = some_notes(draft)
    lines = draft.rng.sample(("ask again", "cheaper in May", "done by Friday", "see the plan"),
                             len(chosen))  # fmt: skip
    parts = [
        f"“{line}” to {note_words(draft, note)}"
        for (_, note), line in zip(chosen, lines, strict=True)
    ]
    draft.goal = f"Add a new last line to notes: {series(parts)}. The text before it stays."
    for (key, note), line in zip(chosen, lines, strict=True):
        draft.expect("change_note", note=key, text=f"{note['text']}\n{line}")
    draft.impossible(Reason.NO_SUCH_ITEM, gone("notes.notes", chosen[-1][0]))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, note), line in zip(chosen, lines, strict=True):
            to_note(walk, key)
            walk.press("notes.edit")
            walk.write(text=f"{note['text']}\n{line}")
            walk.press("notes.save")


def _note(draft: Draft) -> None:
    titles = [
        f"Checklist {draft.rng.choice(PROJECTS)} {number + 1}" for number in range(draft.size)
    ]
    texts = draft.rng.sample(("tickets, visa", "screws, glue, tape", "call back, send the offer"),
                             draft.size)  # fmt: skip
    books = [draft.rng.choice(NOTEBOOKS) for _ in titles]
    parts = [
        f"“{title}” in the notebook {book} with the text “{text}”"
        for title, book, text in zip(titles, books, texts, strict=True)
    ]
    draft.goal = (
        f"Write notes: {series(parts)}. If there is a note of such a title already, write none."
    )
    for title, book, text in zip(titles, books, texts, strict=True):
        draft.expect("add_note", title=title, notebook=book, text=text)
    other = {"title": titles[-1], "text": "old", "notebook": books[-1], "pinned": False,
             "date": draft.state["clock"][:10]}  # fmt: skip
    draft.impossible(Reason.CONFLICT, more("notes.notes", other))

    @draft.path
    def way(walk: Walk) -> None:
        for title, book, text in zip(titles, books, texts, strict=True):
            new_note(walk, title, book, text)


def _settings(draft: Draft) -> None:
    values = draft.state["settings"]["values"]
    chosen = some(draft, list(values.items()))
    wanted = [
        draft.rng.choice([option for option in setting["options"] if option != setting["value"]])
        if setting["options"]
        else {"on": "off", "off": "on"}[setting["value"]]
        for _, setting in chosen
    ]
    parts = [
        f"“{setting['title']}” to “{value}”"
        if setting["options"]
        else f"“{setting['title']}” {value}"
        for (_, setting), value in zip(chosen, wanted, strict=True)
    ]
    draft.goal = f"Change the settings: set or switch {series(parts)}."
    for (key, _), value in zip(chosen, wanted, strict=True):
        draft.expect("change_setting", setting=key, value=value)
    draft.impossible(Reason.NOT_ALLOWED, set_to("settings.values", chosen[-1][0], locked=True))

    @draft.path
    def way(walk: Walk) -> None:
        for (key, _), value in zip(chosen, wanted, strict=True):
            to_setting(walk, key, value)


OFFICE = tuple(
    Template(name, (app,), fill)
    for name, app, fill in (
        ("files-move", "files", _move),
        ("files-rename", "files", _rename),
        ("files-share", "files", _share),
        ("files-delete", "files", _delete),
        ("files-folder", "files", _folders),
        ("sheet-amounts", "sheet", _amounts),
        ("sheet-stock", "sheet", _stock),
        ("sheet-ask", "sheet", _ask),
        ("kanban-move", "kanban", _column),
        ("kanban-assign", "kanban", _assign),
        ("kanban-due", "kanban", _due),
        ("kanban-add", "kanban", _card),
        ("notes-pin", "notes", _pin),
        ("notes-remove", "notes", _discard),
        ("notes-line", "notes", _line),
        ("notes-add", "notes", _note),
        ("settings-change", "settings", _settings),
    )
)
