"""Mail: folders, a list, a reading pane; write, answer, move."""

from functools import partial
from typing import Annotated, Any, Literal

from markupsafe import Markup
from pydantic import BeforeValidator, Field, JsonValue

from snellen.worlds.desk.kit import verbs
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    Options,
    View,
    avatar,
    do,
    dragged,
    go,
    long_day,
    short_day,
)

FOLDERS = (
    ("inbox", "Inbox", "inbox"),
    ("sent", "Sent", "send"),
    ("archive", "Archive", "archive"),
    ("trash", "Trash", "trash"),
)
LABELS = ("Work", "Private", "Later")

Folder = Literal["inbox", "sent", "archive", "trash"]


def _addresses(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.replace(";", ",").split(",") if part.strip()]


Addresses = Annotated[list[str], BeforeValidator(_addresses), Field(max_length=20)]
"""Mail addresses; as a text, with commas between them."""


class Sending(verbs.Arguments):
    """A new message."""

    to: Addresses
    subject: str
    body: str


class Answering(verbs.Arguments):
    """An answer to a message."""

    message: str
    body: str


class Forwarding(verbs.Arguments):
    """A message for others."""

    message: str
    to: Addresses
    body: str = ""


class MessageId(verbs.Arguments):
    """A message."""

    message: str


class Moving(MessageId):
    """A message and its new folder."""

    folder: Folder


class Marking(MessageId):
    """A message, and whether it counts as unread."""

    unread: bool


class Starring(MessageId):
    """A message, and whether it has a star."""

    starred: bool


class Labelling(MessageId):
    """A message and its label; empty: none."""

    label: Literal["", "Work", "Private", "Later"]


class Listing(verbs.Arguments):
    """A filter of messages."""

    folder: Folder = "inbox"
    text: str = ""


def send_message(state: verbs.State, given: Sending) -> JsonValue:
    """Send a message."""
    return {"message": _send(state, given.to, given.subject, given.body)}


def reply_to_message(state: verbs.State, given: Answering) -> JsonValue:
    """Reply to the sender of a message."""
    message = verbs.take(state["mail"]["messages"], given.message, "message")
    if not given.body:
        raise verbs.RefusalError("Write an answer first")
    return {"message": _send(state, [message["from"]], _again("Re", message), given.body)}


def forward_message(state: verbs.State, given: Forwarding) -> JsonValue:
    """Forward a message to other addresses, with a text before it."""
    message = verbs.take(state["mail"]["messages"], given.message, "message")
    body = f"{given.body}\n\n{_quoted(message)}".strip()
    return {"message": _send(state, given.to, _again("Fwd", message), body)}


def move_message(state: verbs.State, given: Moving) -> JsonValue:
    """Move a message to the inbox, the archive or the trash."""
    message = verbs.take(state["mail"]["messages"], given.message, "message")
    if given.folder == "sent":
        raise verbs.RefusalError("Only what was sent is in Sent")
    message["folder"] = given.folder
    return {"folder": given.folder}


def mark_message(state: verbs.State, given: Marking) -> JsonValue:
    """Mark a message as read or unread."""
    verbs.take(state["mail"]["messages"], given.message, "message")["unread"] = given.unread
    return {"unread": given.unread}


def star_message(state: verbs.State, given: Starring) -> JsonValue:
    """Add or remove a message's star."""
    verbs.take(state["mail"]["messages"], given.message, "message")["starred"] = given.starred
    return {"starred": given.starred}


def label_message(state: verbs.State, given: Labelling) -> JsonValue:
    """Set or remove a message's label."""
    verbs.take(state["mail"]["messages"], given.message, "message")["label"] = given.label
    return {"label": given.label}


def list_messages(state: verbs.State, given: Listing) -> JsonValue:
    """List the messages of a folder that contain a text, the newest first."""
    shown = ("from", "name", "subject", "date", "unread", "starred", "label")
    return [
        {"id": key, **{name: message[name] for name in shown}}
        for key, message in _listed(state, given.folder, given.text)
    ]


def read_message(state: verbs.State, given: MessageId) -> JsonValue:
    """Read a message."""
    return verbs.take(state["mail"]["messages"], given.message, "message")


def _send(state: verbs.State, to: list[str], subject: str, body: str) -> str:
    if not to:
        raise verbs.RefusalError("Name at least one address")
    for address in to:
        name, _, host = address.partition("@")
        if not name or "." not in host or " " in address:
            raise verbs.RefusalError(f"{address} is no mail address")
    if not subject:
        raise verbs.RefusalError("Write a subject first")
    sent = {
        "folder": "sent",
        "from": state["me"]["email"],
        "name": state["me"]["name"],
        "to": sorted({address.lower() for address in to}),
        "subject": subject,
        "body": body,
        "date": state["clock"],
        "unread": False,
        "starred": False,
        "label": "",
    }
    return verbs.add(state["mail"]["messages"], sent)


def _again(word: str, message: dict[str, Any]) -> str:
    subject = message["subject"]
    return subject if subject.startswith(f"{word}: ") else f"{word}: {subject}"


def _quoted(message: dict[str, Any]) -> str:
    return f"From: {message['name']} <{message['from']}>\n\n{message['body']}"


def _listed(state: verbs.State, folder: str, text: str) -> list[tuple[str, dict[str, Any]]]:
    wanted = text.lower().split()
    return sorted(
        (
            (key, message)
            for key, message in state["mail"]["messages"].items()
            if message["folder"] == folder
            and all(
                word in f"{message['name']} {message['subject']} {message['body']}".lower()
                for word in wanted
            )
        ),
        key=lambda item: (item[1]["date"], item[0]),
        reverse=True,
    )


def _view(view: View) -> Markup:
    return join(_folders(view), _list(view), _reading(view), _dialogs(view))


def _folders(view: View) -> Markup:
    messages = view.state["mail"]["messages"].values()
    now = view.text("mail.folder", "inbox")
    unread = sum(message["folder"] == "inbox" and message["unread"] for message in messages)

    def entry(name: str, title: str, sign: str) -> Markup:
        count = span("badge", str(unread)) if name == "inbox" and unread else None
        opened = {"mail.folder": name, "mail.open": None, "mail.search*": None}
        return view.press(
            "side on" if name == now else "side",
            f"mail.folder:{name}",
            go(opened),
            icon(sign, 16),
            span("grow", title),
            count,
            label=title,
            data_d=view.place(f"mail.to:{name}", "message", folder=name),
        )

    compose = view.button(
        "New message",
        "mail.new",
        go({"dialog": "mail.new", "form.*": None}),
        sign="edit",
        kind="primary",
    )
    return tag(
        "aside", div("side-top", compose), [entry(*folder) for folder in FOLDERS], class_="sidebar"
    )


def _list(view: View) -> Markup:
    folder = view.text("mail.folder", "inbox")
    listed = _listed(view.state, folder, view.text("mail.search.done"))
    show = view.text("mail.show", "all")
    listed = [(key, message) for key, message in listed if show == "all" or message[show]]
    if view.text("mail.sort", "new") == "old":
        listed.reverse()
    bar = div(
        "toolbar",
        view.search("mail.search", "Search in this folder", {"mail.open": None}),
        view.select(
            "mail.show",
            (("all", "All messages"), ("unread", "Unread"), ("starred", "Starred")),
            default="all",
        ),
        view.select("mail.sort", (("new", "Newest first"), ("old", "Oldest first")), default="new"),
        span("grow"),
        view.total(len(listed)),
    )
    rows = [_row(view, key, message) for key, message in listed]
    where = f"mail.page.{folder}.{show}.{view.text('mail.search.done')}"
    listing = view.scroll(where, rows) if rows else div("empty", "No messages here")
    return tag("section", bar, listing, class_="mail-list")


def _row(view: View, key: str, message: dict[str, Any]) -> Markup:
    opened = view.text("mail.open") == key
    starred = message["starred"]
    other = f"To: {message['to'][0]}" if message["folder"] == "sent" else message["name"]
    kind = "mail-row" + (" on" if opened else "") + (" unread" if message["unread"] else "")
    row = view.press(
        "mail-open",
        f"mail.open:{key}",
        go({"mail.open": key}),
        span("mark"),
        avatar(message["name"]),
        span(
            "mail-words",
            span("mail-name", other),
            span("mail-subject", message["subject"]),
        ),
        span("chip", message["label"]) if message["label"] else None,
        span("mail-date", short_day(message["date"])),
        label=message["subject"],
        grab=dragged("message", "move_message", {"message": key}, "Message moved"),
        menu=lambda: _verbs(key, message),
    )
    star = view.press(
        "star on" if starred else "star",
        f"mail.star:{key}",
        do("star_message", {"message": key, "starred": not starred}),
        icon("star", 16, filled=starred),
        label="Remove the star" if starred else "Add a star",
    )
    return div(kind, row, star)


def _verbs(key: str, message: dict[str, Any]) -> Options:
    """Return the context menu of a message."""
    unread, starred = not message["unread"], not message["starred"]
    return [
        ("reply", "Reply…", go({"mail.open": key, "dialog": "mail.reply", "form.*": None})),
        ("unread", "Mark unread" if unread else "Mark read",
         do("mark_message", {"message": key, "unread": unread})),
        ("star", "Add a star" if starred else "Remove the star",
         do("star_message", {"message": key, "starred": starred})),
        *((f"is:{label or 'none'}", f"Label: {label or 'none'}",
           do("label_message", {"message": key, "label": label}))
          for label in ("", *LABELS) if label != message["label"]),
        *((f"to:{name}", f"Move to {title}", do("move_message", {"message": key, "folder": name}))
          for name, title, _ in FOLDERS if name not in ("sent", message["folder"])),
    ]  # fmt: skip


def _reading(view: View) -> Markup:
    key = view.text("mail.open")
    message = view.state["mail"]["messages"].get(key)
    if message is None:
        return tag("section", div("empty", "Select a message to read it"), class_="reading")
    unread = message["unread"]
    moves = [
        (name, title, do("move_message", {"message": key, "folder": name}, then={"mail.open": ""}))
        for name, title, _ in FOLDERS
        if name not in ("sent", message["folder"])
    ]
    labels = [
        (
            label or "none",
            label or "No label",
            do("label_message", {"message": key, "label": label}),
        )
        for label in ("", *LABELS)
    ]
    trash = do("move_message", {"message": key, "folder": "trash"}, then={"mail.open": ""})
    bar = div(
        "toolbar",
        view.tool("reply", "Reply", "mail.reply", go({"dialog": "mail.reply", "form.*": None})),
        view.tool(
            "forward", "Forward", "mail.forward", go({"dialog": "mail.forward", "form.*": None})
        ),
        view.menu("mail.move", "Move", moves, sign="folder", kind="tool"),
        view.menu("mail.label", "Label", labels, sign="tag", kind="tool"),
        view.tool(
            "dot",
            "Mark read" if unread else "Mark unread",
            "mail.unread",
            do("mark_message", {"message": key, "unread": not unread}),
        ),
        view.tool("trash", "Delete", "mail.trash", trash) if message["folder"] != "trash" else None,
    )
    when = f"{long_day(message['date'])}, {message['date'][11:16]}"
    head = div(
        "reading-head",
        tag("h2", message["subject"]),
        div(
            "reading-by",
            avatar(message["name"]),
            div(
                "",
                div("strong", message["name"]),
                div("soft", message["from"]),
                div("soft", f"To: {', '.join(message['to'])}"),
            ),
            span("grow"),
            span("soft", when),
        ),
    )
    return tag(
        "section",
        bar,
        head,
        div("reading-body scroll", message["body"], data_s=f"mail.body.{key}"),
        class_="reading",
    )


def _dialogs(view: View) -> Markup:
    name = view.text("dialog")
    if name not in ("mail.new", "mail.reply", "mail.forward"):
        return Markup("")
    key = view.text("mail.open")
    message = view.state["mail"]["messages"].get(key, {})
    shut = {**CLOSE.ui, "toast": "Message sent"}
    with view.layer(Layer.DIALOG):
        to = partial(view.input, "form.to", "To", hint="name@company.example, …")
        body = view.input("form.body", "Message", rows=9)
        if name == "mail.new":
            title = "New message"
            parts = [to(), view.input("form.subject", "Subject"), body]
            fields = {"to": "form.to", "subject": "form.subject", "body": "form.body"}
            action = do("send_message", {}, fields, shut)
        elif name == "mail.reply":
            title = f"Reply to {message['name']}"
            quoted = div("quote", _quoted(message))
            parts = [view.labelled("To", div("fixed", message["from"])), body, quoted]
            action = do("reply_to_message", {"message": key}, {"body": "form.body"}, shut)
        else:
            title = "Forward"
            parts = [to(), body, div("quote", _quoted(message))]
            fields = {"to": "form.to", "body": "form.body"}
            action = do("forward_message", {"message": key}, fields, shut)
        send = view.button("Send", "mail.send", action, sign="send", kind="primary")
        return view.dialog(title, parts, view.cancel(), send, wide=True)


MAIL = App(
    "mail",
    "Mail",
    _view,
    (
        verbs.read(list_messages),
        verbs.read(read_message),
        verbs.verb(send_message, undo=False),
        verbs.verb(reply_to_message, undo=False),
        verbs.verb(forward_message, undo=False),
        verbs.verb(move_message),
        verbs.verb(mark_message),
        verbs.verb(star_message),
        verbs.verb(label_message),
    ),
)
