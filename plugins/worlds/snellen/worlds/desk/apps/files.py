"""Files: folders, a list that sorts, details of a file."""

from typing import Annotated, Any

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    Options,
    View,
    do,
    dragged,
    go,
    long_day,
    short_day,
)

FileName = Annotated[str, Field(min_length=1, max_length=80)]


class FolderId(verbs.Arguments):
    """A folder; empty: the uppermost."""

    folder: str = ""


class FileId(verbs.Arguments):
    """A file."""

    file: str


class NewFolder(verbs.Arguments):
    """A new folder and the one that it is in."""

    name: FileName
    parent: str = ""


class Renaming(FileId):
    """A file and its new name."""

    name: FileName


class Filing(FileId):
    """A file and the folder that it goes to; empty: the uppermost."""

    folder: str


class Sharing(FileId):
    """A file and who may read it, by mail address."""

    email: Annotated[str, verbs.written_like(r"[^@\s,]+@[^@\s,]+\.[^@\s,]+", "ann@firm.example")]


def make_folder(state: verbs.State, given: NewFolder) -> JsonValue:
    """Make a folder."""
    entries = state["files"]["entries"]
    _folder(state, given.parent)
    _free(state, given.parent, given.name)
    made: dict[str, Any] = {
        "name": given.name,
        "kind": "folder",
        "parent": given.parent,
        "modified": state["clock"][:10],
        "size": 0,
        "shared": [],
        "text": "",
    }
    return {"folder": verbs.add(entries, made)}


def rename_file(state: verbs.State, given: Renaming) -> JsonValue:
    """Rename a file."""
    file = _file(state, given.file)
    if file["name"] != given.name:
        _free(state, file["parent"], given.name)
    file["name"] = given.name
    return {"name": given.name}


def move_file(state: verbs.State, given: Filing) -> JsonValue:
    """Move a file to another folder."""
    file = _file(state, given.file)
    _folder(state, given.folder)
    if file["parent"] != given.folder:
        _free(state, given.folder, file["name"])
    file["parent"] = given.folder
    return {"folder": given.folder}


def share_file(state: verbs.State, given: Sharing) -> JsonValue:
    """Share a file with a person, who can then read it."""
    file = _file(state, given.file)
    file["shared"] = sorted({*file["shared"], given.email.lower()})
    return {"shared": file["shared"]}


def delete_file(state: verbs.State, given: FileId) -> JsonValue:
    """Delete a file."""
    _file(state, given.file)
    del state["files"]["entries"][given.file]
    return {}


def list_folder(state: verbs.State, given: FolderId) -> JsonValue:
    """List the content of a folder, by name."""
    _folder(state, given.folder)
    shown = ("name", "kind", "size", "modified", "shared")
    return [
        {"id": key, **{name: entry[name] for name in shown}}
        for key, entry in _listed(state, given.folder, "", "name")
    ]


def read_file(state: verbs.State, given: FileId) -> JsonValue:
    """Read a file's text and details."""
    return _file(state, given.file)


def _file(state: verbs.State, key: str) -> dict[str, Any]:
    file = verbs.take(state["files"]["entries"], key, "file")
    if file["kind"] != "file":
        raise verbs.RefusalError(f"{file['name']} is a folder")
    return file


def _folder(state: verbs.State, key: str) -> None:
    if key and verbs.take(state["files"]["entries"], key, "folder")["kind"] != "folder":
        raise verbs.RefusalError(f"{key} is no folder")


def _free(state: verbs.State, parent: str, name: str) -> None:
    for entry in state["files"]["entries"].values():
        if entry["parent"] == parent and entry["name"].lower() == name.lower():
            raise verbs.RefusalError(f"There is something called {name} in this folder already")


def _listed(
    state: verbs.State, parent: str, text: str, sort: str
) -> list[tuple[str, dict[str, Any]]]:
    wanted = text.lower().split()
    found = [
        (key, entry)
        for key, entry in state["files"]["entries"].items()
        if (entry["parent"] == parent or (wanted and entry["kind"] == "file"))
        and all(word in entry["name"].lower() for word in wanted)
    ]
    found.sort(key=lambda item: item[1]["name"].lower())
    field = sort.lstrip("-")
    found.sort(
        key=lambda item: item[1][field].lower() if field == "name" else item[1][field],
        reverse=sort.startswith("-"),
    )
    return sorted(found, key=lambda item: item[1]["kind"] != "folder")


def _path(state: verbs.State, key: str) -> list[tuple[str, str]]:
    entries = state["files"]["entries"]
    path = [(key, entries[key]["name"])] if key else []
    while key:
        key = entries[key]["parent"]
        path.insert(0, (key, entries[key]["name"] if key else "All files"))
    return path or [("", "All files")]


def _folders(state: verbs.State) -> list[tuple[str, str]]:
    entries = state["files"]["entries"].items()
    found = [(key, entry) for key, entry in entries if entry["kind"] == "folder"]
    named = [(key, " / ".join(name for _, name in _path(state, key)[1:])) for key, _ in found]
    return [("", "All files"), *sorted(named, key=lambda item: item[1])]


def _view(view: View) -> Markup:
    return join(_tree(view), _list(view), _details(view), _dialogs(view))


def _opened(key: str) -> dict[str, JsonValue]:
    return {"files.folder": key, "files.open": None, "files.search*": None}


def _tree(view: View) -> Markup:
    now = view.text("files.folder")
    new = view.button(
        "New folder",
        "files.new",
        go({"dialog": "files.new", "form.*": None}),
        sign="plus",
        kind="primary",
    )
    entries = [
        view.press(
            "side on" if key == now else "side",
            f"files.folder:{key or 'top'}",
            go(_opened(key)),
            icon("folder", 16),
            span("grow", name),
            label=name,
            data_d=view.place(f"files.to:{key or 'top'}", "file", folder=key),
        )
        for key, name in _folders(view.state)
    ]
    return tag(
        "aside",
        div("side-top", new),
        entries,
        class_="sidebar wide-side scroll",
        data_s="files.tree",
    )


def _list(view: View) -> Markup:
    folder, now = view.text("files.folder"), view.text("files.open")
    search, sort = view.text("files.search.done"), view.text("files.sort", "name")
    listed = _listed(view.state, folder, search, sort)
    crumbs = " / ".join(name for _, name in _path(view.state, folder))
    bar = div(
        "toolbar",
        view.search("files.search", "Search all files"),
        span("grow"),
        view.total(len(listed)),
    )
    heads = (("name", "Name"), ("modified", "Changed"), ("size", "Size"))
    head = div(
        "file-row file-head", [view.header("files.sort", key, word, "name") for key, word in heads]
    )
    rows = [
        view.press(
            "file-row on" if key == now else "file-row",
            f"files.open:{key}",
            go(_opened(key) if entry["kind"] == "folder" else {"files.open": key}),
            span("file-name", icon(entry["kind"], 18), span("cut", entry["name"])),
            span("soft", short_day(entry["modified"])),
            span("soft right", f"{entry['size']:,} KB" if entry["kind"] == "file" else "-"),
            label=entry["name"],
            **_direct(view, key, entry),
        )
        for key, entry in listed
    ]
    where = div("crumbs", f"Found for “{search}”" if search else crumbs)
    scrolled = view.scroll(f"files.page.{folder}.{search}", rows)
    body = scrolled if rows else div("empty", "Nothing here")
    return tag("section", bar, where, head, body, class_="fill")


def _direct(view: View, key: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return what a row can do besides being clicked: a file is dragged into a folder."""
    if entry["kind"] == "folder":
        return {"data_d": view.place(f"files.into:{key}", "file", folder=key)}
    chosen: dict[str, JsonValue] = {"files.open": key, "form.*": None}

    def menu() -> Options:
        return [
            ("rename", "Rename…",
             go({**chosen, "dialog": "files.rename", "form.name": entry["name"]})),
            ("share", "Share…", go({**chosen, "dialog": "files.share"})),
            ("delete", "Delete…", go({**chosen, "dialog": "files.delete"})),
            *((f"to:{folder or 'top'}", f"Move to {name}",
               do("move_file", {"file": key, "folder": folder}, then={"toast": "File moved"}))
              for folder, name in _folders(view.state) if folder != entry["parent"]),
        ]  # fmt: skip

    return {"grab": dragged("file", "move_file", {"file": key}, "File moved"), "menu": menu}


def _details(view: View) -> Markup:
    key = view.text("files.open")
    file = view.state["files"]["entries"].get(key)
    if file is None or file["kind"] != "file":
        return tag("section", div("empty", "Select a file"), class_="details")
    moves = [
        (folder or "top", name, do("move_file", {"file": key, "folder": folder}))
        for folder, name in _folders(view.state)
        if folder != file["parent"]
    ]
    bar = div(
        "toolbar",
        view.tool(
            "edit", "Rename", "files.rename",
            go({"dialog": "files.rename", "form.*": None, "form.name": file["name"]}),
        ),
        view.menu("files.move", "Move", moves, sign="folder", kind="tool"),
        view.tool("share", "Share", "files.share", go({"dialog": "files.share", "form.*": None})),
        view.tool("trash", "Delete", "files.delete", go({"dialog": "files.delete"})),
    )  # fmt: skip
    where = _path(view.state, file["parent"])[-1][1]
    facts = (
        ("Folder", where),
        ("Changed", long_day(file["modified"])),
        ("Size", f"{file['size']:,} KB"),
        ("Shared", ", ".join(file["shared"]) or "With nobody"),
    )
    body = div(
        "details-body",
        div("preview", icon("file", 44)),
        tag("h2", file["name"]),
        tag("dl", [join(tag("dt", name), tag("dd", value)) for name, value in facts]),
        div("quote", file["text"]),
    )
    return tag("section", bar, body, class_="details")


def _dialogs(view: View) -> Markup:
    name, key = view.text("dialog"), view.text("files.open")
    file = view.state["files"]["entries"].get(key, {})
    if name == "files.delete":
        return view.confirm(
            name,
            "Delete this file?",
            f"“{file['name']}” will be deleted for good.",
            "Delete",
            do("delete_file", {"file": key}, then={**CLOSE.ui, "toast": "File deleted"}),
        )
    with view.layer(Layer.DIALOG):
        if name == "files.new":
            title, field = "New folder", view.input("form.name", "Name", enter="files.save")
            given = {"parent": view.text("files.folder")}
            action = do(
                "make_folder", given, {"name": "form.name"}, {**CLOSE.ui, "toast": "Folder made"}
            )
        elif name == "files.rename":
            title, field = "Rename the file", view.input("form.name", "Name", enter="files.save")
            action = do(
                "rename_file",
                {"file": key},
                {"name": "form.name"},
                {**CLOSE.ui, "toast": "File renamed"},
            )
        elif name == "files.share":
            title = f"Share “{file['name']}”"
            field = view.input("form.email", "Mail address", enter="files.save")
            action = do(
                "share_file",
                {"file": key},
                {"email": "form.email"},
                {**CLOSE.ui, "toast": "File shared"},
            )
        else:
            return Markup("")
        save = view.button("OK", "files.save", action, kind="primary")
        return view.dialog(title, field, view.cancel(), save)


FILES = App(
    "files",
    "Files",
    _view,
    (
        verbs.read(list_folder),
        verbs.read(read_file),
        verbs.verb(make_folder),
        verbs.verb(rename_file),
        verbs.verb(move_file),
        verbs.verb(share_file),
        verbs.verb(delete_file, undo=False),
    ),
)
