"""Boards: cards in columns, with who does them until when."""

from typing import Annotated, Any, Literal

from markupsafe import Markup
from pydantic import Field, JsonValue

from snellen.worlds.desk.apps.calendar import Day
from snellen.worlds.desk.kit.app import App
from snellen.worlds.desk.kit.markup import div, icon, join, span, tag
from snellen.worlds.desk.kit.verbs import (
    Arguments,
    RefusalError,
    State,
    add,
    read,
    take,
    verb,
)
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Layer,
    View,
    avatar,
    do,
    dragged,
    go,
    short_day,
)

COLUMNS = ("Backlog", "Doing", "Review", "Done")
PRIORITIES = (("low", "Low"), ("normal", "Normal"), ("high", "High"))

Column = Literal["Backlog", "Doing", "Review", "Done"]
Priority = Literal["low", "normal", "high"]
Title = Annotated[str, Field(min_length=1, max_length=60)]


class NewCard(Arguments):
    """A new card."""

    board: str
    title: Title
    column: Column = "Backlog"
    assignee: str = ""
    due: Day
    priority: Priority = "normal"


class CardId(Arguments):
    """A card."""

    card: str


class CardChange(CardId):
    """Changes to a card; fields that are left out stay unchanged."""

    title: Title | None = None
    column: Column | None = None
    assignee: str | None = None
    due: Day | None = None
    priority: Priority | None = None


class BoardName(Arguments):
    """A board; empty: all."""

    board: str = ""


def add_card(state: State, given: NewCard) -> JsonValue:
    """Add a card."""
    if given.board not in boards(state):
        raise RefusalError(f"There is no board {given.board}")
    _checked(state, given.assignee)
    return {"card": add(state["kanban"]["cards"], given.model_dump())}


def change_card(state: State, given: CardChange) -> JsonValue:
    """Change the given fields of a card."""
    card = take(state["kanban"]["cards"], given.card, "card")
    card.update(given.model_dump(exclude={"card"}, exclude_none=True))
    _checked(state, card["assignee"])
    return card


def remove_card(state: State, given: CardId) -> JsonValue:
    """Remove a card."""
    take(state["kanban"]["cards"], given.card, "card")
    del state["kanban"]["cards"][given.card]
    return {}


def list_cards(state: State, given: BoardName) -> JsonValue:
    """List the cards of a board, or of all boards."""
    cards = state["kanban"]["cards"].items()
    return [{"id": key, **card} for key, card in cards if given.board in ("", card["board"])]


def boards(state: State) -> list[str]:
    """Return the names of the boards."""
    return sorted({card["board"] for card in state["kanban"]["cards"].values()})


def _checked(state: State, assignee: str) -> None:
    names = {person["name"] for person in state["contacts"]["people"].values()}
    if assignee and assignee not in {*names, state["me"]["name"]}:
        raise RefusalError(f"There is no {assignee} in the contacts")


def _view(view: View) -> Markup:
    names = boards(view.state)
    board = view.text("kanban.board")
    board = board if board in names else names[0]
    new = {"dialog": "kanban.new", "form.*": None, "form.column": "Backlog",
           "form.priority": "normal"}  # fmt: skip
    shown = view.text("kanban.show", "all")
    bar = div(
        "toolbar",
        view.button("New card", "kanban.new", go(new), sign="plus", kind="primary"),
        view.select("kanban.board", [(name, f"Board {name}") for name in names], default=board),
        view.select(
            "kanban.show", [("all", "All priorities"), *PRIORITIES], default="all",
        ),
    )  # fmt: skip
    cards = [
        (key, card)
        for key, card in view.state["kanban"]["cards"].items()
        if card["board"] == board and shown in ("all", card["priority"])
    ]
    columns = [
        _column(view, board, name, [c for c in cards if c[1]["column"] == name]) for name in COLUMNS
    ]
    return join(tag("section", bar, div("board", columns), class_="fill"), _dialogs(view, board))


def _column(view: View, board: str, name: str, cards: list[tuple[str, dict[str, Any]]]) -> Markup:
    cards = sorted(cards, key=lambda item: (item[1]["due"], item[1]["title"]))
    drawn = [_card(view, key, card) for key, card in cards]
    head = div("column-head", span("strong", name), span("badge", str(len(cards))))
    listing = view.scroll(f"kanban.{name}.{board}", drawn)
    drop = view.place(f"kanban.to:{name}", "card", column=name)
    return div("column", head, listing, aria_label=name, aria_dropeffect="move", data_d=drop)


def _card(view: View, key: str, card: dict[str, Any]) -> Markup:
    form = {f"form.{name}": card[name] for name in ("title", "column", "assignee", "due",
                                                    "priority")}  # fmt: skip
    return view.press(
        "board-card",
        f"kanban.open:{key}",
        go({"dialog": "kanban.edit", "dialog.of": key, **form}),
        span("strong", card["title"]),
        span(
            "board-line",
            span(f"level is-{card['priority']}", card["priority"].capitalize()),
            icon("clock", 14),
            span("grow", short_day(card["due"])),
            avatar(card["assignee"]) if card["assignee"] else None,
        ),
        label=card["title"],
        data_d=view.place(f"kanban.card:{key}", "person", card=key),
        grab=dragged("card", "change_card", {"card": key}, "Card moved"),
        menu=lambda: [
            *((f"to:{name}", f"Move to {name}", do("change_card", {"card": key, "column": name},
                                                   then={"toast": "Card moved"}))
              for name in COLUMNS if name != card["column"]),
            *((f"is:{level}", f"{words} priority", do("change_card",
                                                      {"card": key, "priority": level}))
              for level, words in PRIORITIES if level != card["priority"]),
            ("copy", "Duplicate", do("add_card", card, then={"toast": "Card added"})),
            ("remove", "Remove", go({"dialog": "kanban.remove", "dialog.of": key})),
        ],
    )  # fmt: skip


def _dialogs(view: View, board: str) -> Markup:
    name, key = view.text("dialog"), view.text("dialog.of")
    cards = view.state["kanban"]["cards"]
    if name == "kanban.remove":
        return view.confirm(
            name,
            "Remove this card?",
            f"“{cards[key]['title']}” will be removed from the board {cards[key]['board']}.",
            "Remove",
            do("remove_card", {"card": key}, then={**CLOSE.ui, "toast": "Card removed"}),
        )
    if name not in ("kanban.new", "kanban.edit"):
        return Markup("")
    fields = {part: f"form.{part}" for part in ("title", "column", "assignee", "due", "priority")}
    with view.layer(Layer.DIALOG):
        body = [
            view.input("form.title", "Title"),
            div(
                "columns even",
                view.select("form.column", [(each, each) for each in COLUMNS], label="Column"),
                view.select("form.priority", PRIORITIES, label="Priority"),
            ),
            view.input("form.assignee", "Assigned to", hint="Name of a contact"),
            view.date_field("form.due", "Due"),
        ]
        if name == "kanban.new":
            then = {**CLOSE.ui, "toast": "Card added"}
            action = do("add_card", {"board": board}, fields, then)
            extra = None
        else:
            then = {**CLOSE.ui, "toast": "Card changed"}
            action = do("change_card", {"card": key}, fields, then)
            extra = view.button(
                "Remove", "kanban.remove", go({"dialog": "kanban.remove"}), sign="trash",
                kind="danger-quiet",
            )  # fmt: skip
        save = view.button("Save", "kanban.save", action, kind="primary")
        title = f"New card on {board}" if name == "kanban.new" else "Card"
        return view.dialog(title, body, extra, view.cancel(), save)


KANBAN = App(
    "kanban",
    "Boards",
    _view,
    (read(list_cards), verb(add_card), verb(change_card), verb(remove_card)),
)
