"""A view: the widgets that an application draws its page with.

A view is made for one rendering. Its page depends on the state and on `ui`, a flat object with
dotted names that is not graded: the open application, filters, open menus, half-written forms.
Every control gets its own token and is in one of three layers: the page, a dialog over it, a menu
over both. Only the controls of the top layer work.
"""

import secrets
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from markupsafe import Markup
from pydantic import JsonValue

from snellen.worlds.desk.kit.markup import (
    Child,
    Value,
    div,
    icon,
    join,
    span,
    tag,
    translated,
)
from snellen.worlds.desk.kit.verbs import State

Ui: TypeAlias = dict[str, JsonValue]
"""The state of the screen by dotted names: what is open, and the texts of forms."""


class Layer(IntEnum):
    """The layers of a page, from the bottom."""

    PAGE = 0
    DIALOG = 1
    MENU = 2


@dataclass(frozen=True, slots=True)
class Action:
    """The action of a control.

    Attributes:
        ui: The values to set in `ui` after the verb succeeds; a name that ends in `*` removes all
            names with this prefix.
        verb: The verb to run first; empty for none.
        given: The verb's arguments.
        fields: Further arguments, by the names in `ui` that hold their values.
    """

    ui: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    verb: str = ""
    given: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


class Grab(NamedTuple):
    """What dragging a control does.

    Attributes:
        kind: The kind of what is dragged, such as `card`.
        onto: The action of dropping it at a place, by what the place gives.
    """

    kind: str
    onto: "Callable[[Mapping[str, JsonValue]], Action]"


@dataclass(frozen=True, slots=True)
class Control:
    """A control that can be clicked."""

    key: str  # its name in every rendering of the same state, such as `mail.open:m7`
    label: str  # its text
    action: Action
    grab: Grab | None = None  # what dragging it does, instead of an action; None: it is clicked


@dataclass(frozen=True, slots=True)
class Drop:
    """A place where something that is dragged can be dropped."""

    key: str  # its name in every rendering of the same state, such as `kanban.to:Done`
    kind: str  # the kind of what it accepts
    given: Mapping[str, JsonValue]  # what it gives to the action of dropping there


Options: TypeAlias = Sequence[tuple[str, str, Action]]
"""The options of a menu: value, words, action."""


def go(ui: Mapping[str, JsonValue]) -> Action:
    """Return an action that only changes the screen."""
    return Action(ui)


def do(
    verb: str,
    given: Mapping[str, JsonValue] | None = None,
    fields: Mapping[str, str] | None = None,
    then: Mapping[str, JsonValue] | None = None,
) -> Action:
    """Return an action that runs a verb, with given arguments and arguments from the form."""
    return Action(then or {}, verb, given or {}, fields or {})


def dragged(kind: str, verb: str, given: Mapping[str, JsonValue], toast: str) -> Grab:
    """Return a drag that runs a verb, to whose arguments the place adds, and then says a text."""

    def onto(place: Mapping[str, JsonValue]) -> Action:
        return do(verb, {**given, **place}, then={"toast": toast})

    return Grab(kind, onto)


class View:
    """One rendering.

    Attributes:
        state: The world, read-only.
        ui: The state of the screen, read-only.
        controls: The controls that work, by token.
        drops: The places where something can be dropped, by token.
        fields: The text fields that can be written in, and what they show, by name.
        hovers: The parts that show more while the pointer is over them, by name.
    """

    def __init__(self, state: State, ui: Ui) -> None:
        self.state = state
        self.ui = ui
        self.controls: dict[str, Control] = {}
        self.drops: dict[str, Drop] = {}
        self.fields: dict[str, str] = {}
        self.hovers: set[str] = set()
        self._layer = Layer.PAGE
        self._top = (
            Layer.MENU if ui.get("menu") else Layer.DIALOG if ui.get("dialog") else Layer.PAGE
        )

    def text(self, name: str, default: str = "") -> str:
        """Return a value of `ui` as text."""
        value = self.ui.get(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: int = 0) -> int:
        """Return a value of `ui` as a number."""
        value = self.ui.get(name)
        return value if isinstance(value, int) else default

    @contextmanager
    def layer(self, layer: Layer) -> Generator[None]:
        """Draw in a layer."""
        before, self._layer = self._layer, layer
        yield
        self._layer = before

    def token(self, key: str, label: str, action: Action, grab: Grab | None = None) -> str | None:
        """Return a new control's token; None if another layer covers it."""
        if self._layer is not self._top:
            return None
        made = (f"{grab.kind}." if grab else "") + secrets.token_hex(8)
        self.controls[made] = Control(key, label, action, grab)
        return made

    def key(
        self, keys: str, key: str, action: Action, *, field: str = "", idle: bool = False
    ) -> Markup:
        """Return a control that keys trigger, and that is not seen.

        Args:
            keys: Names as in the browser, joined by `+`, such as `Control+z`.
            key: Its stable name.
            action: Its action.
            field: The text field in which they work; empty: outside of fields; `*`: everywhere.
            idle: Whether they work only while nothing is edited in the field.
        """
        made = self.token(key, keys, action)
        if made is None:
            return Markup("")
        where = field or None
        return tag("i", hidden=True, data_c=made, data_k=keys, data_in=where, data_idle=idle)

    def place(self, key: str, kind: str, **given: JsonValue) -> str | None:
        """Return the token of a place where something can be dropped; None if it does not work."""
        if self._layer is not self._top:
            return None
        # The page looks for a place of the kind of what is dragged.
        made = f"{kind}.{secrets.token_hex(8)}"
        self.drops[made] = Drop(key, kind, given)
        return made

    def hover(self, key: str, shown: Markup, kind: str, *more: Child) -> Markup:
        """Return something that shows more while the pointer is over it.

        Args:
            key: Its stable name.
            shown: What is always seen.
            kind: The class of the rest.
            more: The rest.
        """
        if self._layer is self._top:
            self.hovers.add(key)
        told = span(f"more {kind}", *more)
        return span("hover", shown, told, aria_haspopup="true", data_h=key)

    def press(
        self,
        kind: str,
        key: str,
        action: Action,
        *children: Child,
        label: str = "",
        style: str | None = None,
        disabled: bool = False,
        grab: Grab | None = None,
        menu: Callable[[], Options] | None = None,
        **extra: Value,
    ) -> Markup:
        """Return a control of a class with any content.

        Args:
            kind: Its class.
            key: Its stable name.
            action: Its action.
            children: Its content.
            label: Its text.
            style: Its style.
            disabled: Whether it can't be clicked now.
            grab: What dragging it does.
            menu: The options of its context menu.
            extra: Further attributes, such as `data_d`, if something can be dropped on it.
        """
        made = None if disabled else self.token(key, label or key, action)
        opened = menu is not None and self.ui.get("menu") == f"{key}.menu"
        drawn = tag(
            "button",
            *children,
            type="button",
            class_=kind,
            data_c=made,
            data_key=key if made and key.endswith((".go", ".save", ".send")) else None,
            data_at=self._focused(key),
            aria_label=label or None,
            style=f"{style or ''};anchor-name: --menu" if opened else style,
            disabled=disabled,
            data_g=self.token(f"{key}.drag", label, go({}), grab) if grab else None,
            data_m=self.token(f"{key}.menu", label, go({"menu": f"{key}.menu"})) if menu else None,
            **extra,
        )
        return drawn + self._options(f"{key}.menu", menu()) if opened and menu else drawn

    def button(
        self,
        label: str,
        key: str,
        action: Action,
        *,
        sign: str = "",
        kind: str = "plain",
        disabled: bool = False,
    ) -> Markup:
        """Return a button with words, and an icon if one is named.

        Args:
            label: The words.
            key: Its stable name.
            action: Its action.
            sign: Its icon.
            kind: `plain`, `primary`, `danger` or `quiet`.
            disabled: Whether it can't be clicked now.
        """
        drawn = icon(sign, 16) if sign else None
        return self.press(
            f"button {kind}", key, action, drawn, span("", label), label=label, disabled=disabled
        )

    def tool(self, sign: str, label: str, key: str, action: Action, *, on: bool = False) -> Markup:
        """Return a small button with an icon and its word below it."""
        kind = "tool on" if on else "tool"
        return self.press(kind, key, action, icon(sign, 18), span("", label), label=label)

    def input(
        self,
        name: str,
        label: str = "",
        *,
        hint: str = "",
        enter: str = "",
        rows: int = 0,
        default: str = "",
        **extra: Value,
    ) -> Markup:
        """Return a text field whose value is in `ui`.

        Args:
            name: Of the value.
            label: What stands above it.
            hint: What it shows while it is empty.
            enter: The key of the control that Enter clicks; it must be drawn, before or after.
            rows: More than none: a field of this many lines.
            default: What it shows without a value in `ui`.
            extra: Further attributes.
        """
        works = self._layer is self._top
        value = self.text(name, default)
        if works:
            self.fields[name] = value
        given = {
            "class_": "input",
            "data_f": name if works else None,
            "data_at": self._focused(name),
            "data_enter": enter or None,
            "placeholder": translated(hint) or None,
            "maxlength": 2000,
            "autocomplete": "off",
            "spellcheck": "false",
            "aria_label": label or hint or name,
            **extra,
        }
        if rows:
            drawn = tag("textarea", "\n" + value, rows=rows, **given)
        else:
            drawn = tag("input", type="text", value=value, **given)
        return self.labelled(label, drawn) if label else drawn

    def labelled(self, label: str, *children: Child) -> Markup:
        """Return an element with a label above it."""
        return div("field", span("label", label), *children)

    def search(self, name: str, hint: str, then: Mapping[str, JsonValue] | None = None) -> Markup:
        """Return a search field with its button; what is searched for is `<name>.done`."""
        searching = Action({**(then or {}), "search": name})
        return div(
            "search",
            icon("search", 16),
            self.input(name, hint=hint, enter=f"{name}.go"),
            self.press("go", f"{name}.go", searching, "Search", label="Search"),
        )

    def check(self, label: str, key: str, action: Action, *, on: bool) -> Markup:
        """Return a checkbox with its words."""
        box = span("box on" if on else "box", icon("check", 12) if on else None)
        return self.press("check", key, action, box, span("", label), label=label)

    def switch(self, label: str, key: str, action: Action, *, on: bool) -> Markup:
        """Return a switch without words."""
        kind = "switch on" if on else "switch"
        return self.press(kind, key, action, span("knob"), label=label)

    def radio(self, name: str, options: Sequence[tuple[str, str]], default: str = "") -> Markup:
        """Return radio buttons that set a value of `ui`."""
        chosen = self.text(name, default)
        return div(
            "radios",
            [
                self.press(
                    "check",
                    f"{name}:{value}",
                    go({name: value}),
                    span("round on" if value == chosen else "round"),
                    span("", words),
                    label=words,
                )
                for value, words in options
            ],
        )

    def select(
        self,
        name: str,
        options: Sequence[tuple[str, str]],
        *,
        label: str = "",
        default: str = "",
        then: Mapping[str, JsonValue] | None = None,
    ) -> Markup:
        """Return a drawn list to choose from that sets a value of `ui`."""
        chosen = self.text(name, default)
        words = dict(options).get(chosen, "Choose…")
        actions = [(value, text, go({**(then or {}), name: value})) for value, text in options]
        drawn = self.menu(name, words, actions, chosen=chosen)
        return self.labelled(label, drawn) if label else drawn

    def menu(
        self,
        name: str,
        words: str,
        options: Options,
        *,
        chosen: str | None = None,
        sign: str = "",
        kind: str = "select",
    ) -> Markup:
        """Return a button that opens a menu; its options are (value, words, action)."""
        opened = self.press(
            kind,
            name,
            go({"menu": name}),
            icon(sign, 18) if sign else None,
            span("", words),
            icon("down", 14) if kind == "select" else None,
            label=words,
            style="anchor-name: --menu" if self.ui.get("menu") == name else None,
        )
        if self.ui.get("menu") != name:
            return opened
        return opened + self._options(name, options, chosen)

    def date_field(self, name: str, label: str = "") -> Markup:
        """Return a drawn date field with a calendar that opens below it."""
        value = self.text(name)
        words = long_day(value) if value else "Choose a date…"
        opened = self.press(
            "select",
            name,
            go({"menu": name, "menu.month": (value or self.today.isoformat())[:7]}),
            icon("calendar", 16),
            span("", words),
            icon("down", 14),
            label=words,
            style="anchor-name: --menu" if self.ui.get("menu") == name else None,
        )
        if self.ui.get("menu") == name:
            with self.layer(Layer.MENU):
                opened += self._floating("days", self._month(name, value))
        return self.labelled(label, opened) if label else opened

    def dialog(self, title: str, body: Child, *buttons: Child, wide: bool = False) -> Markup:
        """Return a dialog; body and buttons must be drawn in its layer."""
        head = div(
            "dialog-head",
            span("dialog-title", title),
            self.press("closer", "dialog.close", CLOSE, icon("close", 16), label="Close"),
        )
        kind = "dialog wide" if wide else "dialog"
        return div(
            "overlay",
            div(kind, head, div("dialog-body", body), div("dialog-foot", *buttons)),
            self.key("Escape", "dialog.escape", CLOSE, field="*"),
        )

    def cancel(self) -> Markup:
        """Return the button that closes a dialog."""
        return self.button("Cancel", "dialog.cancel", CLOSE)

    def confirm(self, name: str, title: str, question: str, label: str, action: Action) -> Markup:
        """Return the dialog of a name if it is open: a question and a button that confirms it."""
        if self.ui.get("dialog") != name:
            return Markup("")
        with self.layer(Layer.DIALOG):
            agree = self.button(label, f"{name}.yes", action, kind="danger")
            return self.dialog(title, tag("p", question), self.cancel(), agree)

    def total(self, count: int) -> Markup:
        """Return how many rows a list has."""
        return div("pager", span("count", f"{count} in all"))

    def scroll(self, name: str, *children: Child, rows: bool = True) -> Markup:
        """Return the rows of a list, which scrolls.

        Args:
            name: With its scroll position; another list has another name.
            children: The rows.
            rows: Whether arrows go through them.
        """
        return div("scroll listed", *children, data_s=name, data_list=rows)

    def header(self, name: str, key: str, words: str, default: str) -> Markup:
        """Return a table's heading that sorts by its column; a second click reverses the order."""
        now = self.text(name, default)
        turned = f"-{key}" if now == key else key
        sign = icon("up" if now == key else "down", 12) if now.lstrip("-") == key else None
        return self.press("heading", f"{name}:{key}", go({name: turned}), words, sign, label=words)

    @property
    def today(self) -> date:
        """The date of the world's clock."""
        return date.fromisoformat(self.state["clock"][:10])

    def _focused(self, name: str) -> str | None:
        return "1" if self.ui.get("focus") == name else None

    def _options(self, name: str, options: Options, chosen: str | None = None) -> Markup:
        with self.layer(Layer.MENU):
            listed = [
                self.press(
                    "option on" if value == chosen else "option",
                    f"{name}:{value}",
                    action,
                    text,
                    label=text,
                )
                for value, text, action in options
            ]
            many = len(listed) > 10 and not name.endswith(".menu")
            return self._floating("menu many" if many else "menu", listed)

    def _floating(self, kind: str, *children: Child) -> Markup:
        shut = self.token("menu.close", "Close", go({}))
        listed = "menu" in kind
        return join(
            tag("div", popover="manual", class_="shade", data_c=shut),
            tag("div", *children, popover="manual", class_=f"floating {kind}", data_list=listed),
            self.key("Escape", "menu.escape", go({}), field="*"),
        )

    def _month(self, name: str, value: str) -> Markup:
        first = date.fromisoformat(f"{self.text('menu.month')}-01")
        earlier = (first - timedelta(days=1)).isoformat()[:7]
        later = (first + timedelta(days=31)).isoformat()[:7]
        start = first - timedelta(days=first.weekday())
        days = [start + timedelta(days=offset) for offset in range(42)]
        drawn = [
            self.press(
                "day"
                + (" out" if day.month != first.month else "")
                + (" on" if day.isoformat() == value else "")
                + (" today" if day == self.today else ""),
                f"{name}:{day.isoformat()}",
                go({name: day.isoformat()}),
                str(day.day),
                label=long_day(day.isoformat()),
            )
            for day in days
        ]

        def turn(way: str, month: str) -> Markup:
            action = go({"menu": name, "menu.month": month})
            key = f"{name}.{'earlier' if way == 'left' else 'later'}"
            return self.press("arrow", key, action, icon(way, 16), label=f"To {month}")

        head = div(
            "month",
            turn("left", earlier),
            span("", f"{MONTHS[first.month - 1]} {first.year}"),
            turn("right", later),
        )
        week = [span("weekday", day) for day in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")]
        return join(head, div("grid7", week, drawn))


CLOSE = go({"dialog": None, "dialog.of": None, "form.*": None})

# The library's names depend on the machine's language.
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def long_day(day: str) -> str:
    """Return a date in words.

    >>> long_day("2025-06-16")
    'Monday, June 16, 2025'
    """
    parsed = date.fromisoformat(day[:10])
    month = MONTHS[parsed.month - 1]
    return f"{WEEKDAYS[parsed.weekday()]}, {month} {parsed.day}, {parsed.year}"


def short_day(day: str) -> str:
    """Return a date in few letters.

    >>> short_day("2025-06-16")
    'Jun 16'
    """
    parsed = date.fromisoformat(day[:10])
    return f"{MONTHS[parsed.month - 1][:3]} {parsed.day}"


def money(cents: int) -> str:
    """Return an amount in dollars.

    >>> money(123450)
    '$1,234.50'
    """
    return f"${cents / 100:,.2f}"


def initials(name: str) -> str:
    """Return the first letters of a name's first and last word."""
    words = name.split()
    return (words[0][0] + words[-1][0]).upper() if len(words) > 1 else name[:2].upper()


def avatar(name: str) -> Markup:
    """Return the round avatar of a person: the initials on one of eight colors."""
    return span(f"avatar tone{sum(map(ord, name)) % 8}", initials(name))
