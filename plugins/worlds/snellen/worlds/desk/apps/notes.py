"""Notes: notebooks, a list, one note to read and write."""

from functools import partial
from typing import Annotated, Any, Literal

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.verbs import Arguments, State, add, read, take, verb
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    Options,
    View,
    do,
    dragged,
    go,
    short_day,
)

NOTEBOOKS = ("Ideas", "Meetings", "Personal")

Notebook = Literal["Ideas", "Meetings", "Personal"]
NoteTitle = Annotated[str, Field(min_length=1, max_length=80)]


class NewNote(Arguments):
    """A new note."""

    title: NoteTitle
    text: str = ""
    notebook: Notebook = "Ideas"


class NoteId(Arguments):
    """A note."""

    note: str


class NoteChange(NoteId):
    """Changes to a note; fields that are left out stay unchanged."""

    title: NoteTitle | None = None
    text: str | None = None
    notebook: Notebook | None = None


class Pinning(NoteId):
    """A note, and whether it stays on top."""

    pinned: bool


class NoteSearch(Arguments):
    """A filter of notes."""

    text: str = ""
    notebook: Literal["", "Ideas", "Meetings", "Personal"] = ""


def add_note(state: State, given: NewNote) -> JsonValue:
    """Add a note."""
    note = {**given.model_dump(), "pinned": False, "date": state["clock"][:10]}
    return {"note": add(state["notes"]["notes"], note)}


def change_note(state: State, given: NoteChange) -> JsonValue:
    """Change the given fields of a note."""
    note = take(state["notes"]["notes"], given.note, "note")
    note.update(given.model_dump(exclude={"note"}, exclude_none=True))
    return note


def pin_note(state: State, given: Pinning) -> JsonValue:
    """Pin a note to the top of the list, or unpin it."""
    take(state["notes"]["notes"], given.note, "note")["pinned"] = given.pinned
    return {"pinned": given.pinned}


def remove_note(state: State, given: NoteId) -> JsonValue:
    """Remove a note."""
    take(state["notes"]["notes"], given.note, "note")
    del state["notes"]["notes"][given.note]
    return {}


def list_notes(state: State, given: NoteSearch) -> JsonValue:
    """List the notes of a notebook that contain a text, pinned ones first."""
    return [
        {"id": key, "title": note["title"], "notebook": note["notebook"], "pinned": note["pinned"]}
        for key, note in _listed(state, given.text, given.notebook)
    ]


def read_note(state: State, given: NoteId) -> JsonValue:
    """Read a note."""
    return take(state["notes"]["notes"], given.note, "note")


def _listed(state: State, text: str, notebook: str) -> list[tuple[str, dict[str, Any]]]:
    wanted = text.lower().split()
    found = [
        (key, note)
        for key, note in state["notes"]["notes"].items()
        if notebook in ("", note["notebook"])
        and all(word in f"{note['title']} {note['text']}".lower() for word in wanted)
    ]
    found.sort(key=lambda item: item[1]["title"])
    found.sort(key=lambda item: item[1]["date"], reverse=True)
    return sorted(found, key=lambda item: not item[1]["pinned"])


def _view(view: View) -> Markup:
    return join(_side(view), _list(view), _note(view), _dialogs(view))


def _side(view: View) -> Markup:
    now = view.text("notes.book")
    new = {"dialog": "notes.new", "form.*": None, "form.notebook": now or "Ideas"}
    button = view.button("New note", "notes.new", go(new), sign="plus", kind="primary")
    books = [
        view.press(
            "side on" if name == now else "side",
            f"notes.book:{name or 'all'}",
            go({"notes.book": name, "notes.open": None}),
            icon("notes", 16),
            span("grow", name or "All notes"),
            label=name or "All notes",
            data_d=view.place(f"notes.to:{name}", "note", notebook=name) if name else None,
        )
        for name in ("", *NOTEBOOKS)
    ]
    return tag("aside", div("side-top", button), books, class_="sidebar")


def _list(view: View) -> Markup:
    listed = _listed(view.state, view.text("notes.search.done"), view.text("notes.book"))
    now = view.text("notes.open")
    bar = div(
        "toolbar",
        view.search("notes.search", "Search notes", {"notes.open": None}),
        span("grow"),
        view.total(len(listed)),
    )
    rows = [
        view.press(
            "note-row on" if key == now else "note-row",
            f"notes.open:{key}",
            go({"notes.open": key}),
            span(
                "mail-words",
                span("mail-name strong", note["title"]),
                span("mail-subject", note["text"].replace("\n", " ")),
            ),
            icon("pin", 16, filled=True) if note["pinned"] else None,
            span("mail-date", short_day(note["date"])),
            label=note["title"],
            grab=dragged("note", "change_note", {"note": key}, "Note moved"),
            menu=partial(_verbs, key, note),
        )
        for key, note in listed
    ]
    where = f"notes.page.{view.text('notes.book')}.{view.text('notes.search.done')}"
    body = view.scroll(where, rows) if rows else div("empty", "No notes found")
    return tag("section", bar, body, class_="note-list")


def _verbs(key: str, note: dict[str, Any]) -> Options:
    """Return the context menu of a note."""
    copied = {name: note[name] for name in ("title", "text", "notebook")}
    return [
        ("pin", "Unpin" if note["pinned"] else "Pin",
         do("pin_note", {"note": key, "pinned": not note["pinned"]})),
        ("copy", "Duplicate", do("add_note", copied, then={"toast": "Note added"})),
        *((f"to:{name}", f"Move to {name}", do("change_note", {"note": key, "notebook": name}))
          for name in NOTEBOOKS if name != note["notebook"]),
        ("remove", "Remove…", go({"notes.open": key, "dialog": "notes.remove"})),
    ]  # fmt: skip


def _note(view: View) -> Markup:
    key = view.text("notes.open")
    note = view.state["notes"]["notes"].get(key)
    if note is None:
        return tag("section", div("empty", "Select a note"), class_="reading")
    form = {"form.title": note["title"], "form.text": note["text"], "form.notebook":
            note["notebook"]}  # fmt: skip
    pinned = note["pinned"]
    bar = div(
        "toolbar",
        view.tool("edit", "Edit", "notes.edit", go({"dialog": "notes.edit", **form})),
        view.tool(
            "pin",
            "Unpin" if pinned else "Pin",
            "notes.pin",
            do("pin_note", {"note": key, "pinned": not pinned}),
            on=pinned,
        ),
        view.tool("trash", "Remove", "notes.remove", go({"dialog": "notes.remove"})),
        span("grow"),
        span("chip", note["notebook"]),
    )
    head = div("reading-head", tag("h2", note["title"]))
    return tag("section", bar, head, div("reading-body", note["text"]), class_="reading")


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("notes.open")
    if name == "notes.remove":
        return view.confirm(
            name,
            "Remove this note?",
            f"“{view.state['notes']['notes'][key]['title']}” will be removed.",
            "Remove",
            do("remove_note", {"note": key}, then={**CLOSE.ui, "toast": "Note removed"}),
        )
    if name not in ("notes.new", "notes.edit"):
        return Markup("")
    fields = {part: f"form.{part}" for part in ("title", "text", "notebook")}
    with view.layer(Layer.DIALOG):
        body = [
            view.input("form.title", "Title"),
            view.labelled(
                "Notebook", view.radio("form.notebook", [(name, name) for name in NOTEBOOKS])
            ),
            view.input("form.text", "Text", rows=10),
        ]
        if name == "notes.new":
            action = do("add_note", {}, fields, {**CLOSE.ui, "toast": "Note added"})
        else:
            then = {**CLOSE.ui, "toast": "Note changed"}
            action = do("change_note", {"note": key}, fields, then)
        save = view.button("Save", "notes.save", action, kind="primary")
        title = "New note" if name == "notes.new" else "Edit note"
        return view.dialog(title, body, view.cancel(), save, wide=True)


NOTES = App(
    "notes",
    "Notes",
    _view,
    (
        read(list_notes),
        read(read_note),
        verb(add_note),
        verb(change_note),
        verb(pin_note),
        verb(remove_note),
    ),
)
