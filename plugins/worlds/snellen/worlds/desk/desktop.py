"""A desktop: the state of a world, the state of its screen, and the page that shows them.

The state changes only inside an open step, and each step lets at most one control of the last page
work: a script that clicks many controls gains nothing.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Final

from markupsafe import Markup
from pydantic import JsonValue

from snellen.worlds.desk.apps.table import APPS, VERBS
from snellen.worlds.desk.kit.markup import div, icon, join, language, span, tag
from snellen.worlds.desk.kit.verbs import RefusalError, State
from snellen.worlds.desk.kit.view import (
    CLOSE,
    Action,
    Control,
    Drop,
    Layer,
    Options,
    Ui,
    View,
    do,
    go,
    long_day,
)

MAX_TEXT: Final = 2000

_PASSING: Final = ("menu", "menu.month", "toast", "search", "refused")
"""The parts of `ui` that every click closes unless it sets them."""


@dataclass(frozen=True, slots=True)
class Page:
    """A rendered page."""

    html: str  # the body's content
    controls: Mapping[str, Control]  # the controls that work, by token
    drops: Mapping[str, Drop]  # the places where something can be dropped, by token
    fields: Mapping[str, str]  # the text fields and what they show, by name
    hovers: Set[str]  # the parts that show more while the pointer is over them, by name

    def token(self, name: str) -> str | None:
        """Return the token of a control by its key or, if no control has this key, by its label."""
        by_label = None
        for token, control in self.controls.items():
            if control.key == name:
                return token
            if control.label == name and by_label is None:
                by_label = token
        return by_label

    def place(self, key: str) -> str | None:
        """Return the token of a place where something can be dropped, by its key."""
        return next((token for token, drop in self.drops.items() if drop.key == key), None)


class Desktop:
    """One world and its one user."""

    def __init__(self, state: State, ui: Ui | None = None) -> None:
        self.state = state
        self.ui: Ui = dict(ui or {})
        self._open = False
        self._page = self._draw()

    @property
    def page(self) -> Page:
        """The last rendering; only its controls work."""
        return self._page

    def open_step(self) -> None:
        """Let one control work."""
        self._open = True

    def close_step(self) -> None:
        """Let no control work."""
        self._open = False

    def write(self, fields: Mapping[str, JsonValue]) -> None:
        """Store the values of the page's text fields, without rendering a new page."""
        for name, value in fields.items():
            if name in self._page.fields and isinstance(value, str):
                self.ui[name] = value[:MAX_TEXT]

    def handle(self, token: str, fields: Mapping[str, JsonValue], onto: str = "") -> Page:
        """Run a control's action, and return the new page.

        Args:
            token: The token of a control of the last page; any other token does nothing.
            fields: The values of the page's text fields, by name.
            onto: The token of the place where something dragged is dropped.
        """
        control = self._page.controls.get(token)
        if not self._open or control is None:
            return self._page
        action = control.action
        if control.grab is not None:
            drop = self._page.drops.get(onto)
            if drop is None or drop.kind != control.grab.kind:
                return self._page
            action = control.grab.onto(drop.given)
        self._open = False
        self.write(fields)
        self._do(action)
        self._page = self._draw()
        return self._page

    def refresh(self) -> Page:
        """Draw the same state and `ui` again, with new tokens."""
        self._page = self._draw()
        return self._page

    def _do(self, action: Action) -> None:
        for name in _PASSING:
            self.ui.pop(name, None)
        self.ui.pop("focus", None)
        if action.verb:
            drawn = self._page.fields
            typed = {
                name: self.ui.get(key, drawn.get(key)) or "" for name, key in action.fields.items()
            }
            try:
                self.state, _ = VERBS[action.verb](self.state, {**action.given, **typed})
            except RefusalError as error:
                self.ui["toast"] = str(error)
                self.ui["refused"] = True
                return
        for name, value in action.ui.items():
            if name.endswith("*"):
                for key in [key for key in self.ui if key.startswith(name[:-1])]:
                    del self.ui[key]
            elif value is None:
                self.ui.pop(name, None)
            else:
                self.ui[name] = value
        searched = self.ui.pop("search", None)
        if isinstance(searched, str):
            self.ui[f"{searched}.done"] = self.ui.get(searched) or ""

    def _draw(self) -> Page:
        view = View(self.state, self.ui)
        with language(self.state.get("look", {}).get("language", "en")):
            html = _shell(view)
        return Page(str(html), view.controls, view.drops, view.fields, view.hovers)


def _shell(view: View) -> Markup:
    name = view.text("app")
    app = APPS.get(name)
    beside = view.text("beside")
    other = beside if app and beside in APPS and beside != name else ""
    toast = view.text("toast")
    kind = "toast refused" if view.ui.get("refused") else "toast"
    bar = div(
        "bar",
        span("bar-title", app.title if app else "Desktop"),
        span(kind, icon("close" if view.ui.get("refused") else "check", 14), toast)
        if toast
        else None,
        span("bar-day", long_day(view.state["clock"]), " · ", view.state["clock"][11:16]),
        span("bar-user", view.state["me"]["name"]),
    )
    dock = tag(
        "nav",
        [
            view.press(
                "dock-item on" if key in (name, other) else "dock-item",
                f"dock:{key}",
                go({"app": key, **CLOSE.ui, **({"beside": None} if key == other else {})}),
                span(f"dock-icon of-{key}", icon(key, 22)),
                span("dock-word", each.title),
                label=each.title,
                menu=partial(_dock_menu, name, key),
            )
            for key, each in APPS.items()
        ],
        class_="dock",
    )
    body = tag("main", app.view(view) if app else _home(view), class_=f"app app-{name or 'home'}")
    if other:
        second = tag("main", APPS[other].view(view), class_=f"app app-{other}")
        body = div("windows", _window(view, name, other), body, _window(view, other, name), second)
    changed = [entry["app"] for entry in view.state.get("history", [])]
    last = next((each for each in reversed(changed) if each in (name, other)), name)
    undo = view.key("Control+z", "undo", do("undo_change", {"app": last}, then={"toast": "Undone"}))
    return join(bar, dock, body, undo if app else None)


def _dock_menu(name: str, key: str) -> Options:
    """Return the context menu of an application: two of them share the screen."""
    if name in ("", key):
        return [("alone", "Open", go({"app": key, "beside": None, **CLOSE.ui}))]
    return [
        ("beside", f"Open below {APPS[name].title}", go({"beside": key, **CLOSE.ui})),
        ("alone", "Open", go({"app": key, "beside": None, **CLOSE.ui})),
    ]


def _window(view: View, name: str, other: str) -> Markup:
    """Return the bar of one of two windows."""
    shut = go({"app": other, "beside": None, **CLOSE.ui})
    close = view.press("closer", f"window.close:{name}", shut, icon("close", 14), label="Close")
    return div("window-bar", icon(name, 14), span("grow", APPS[name].title), close)


def _home(view: View) -> Markup:
    with view.layer(Layer.PAGE):
        return div(
            "home",
            div("home-hello", f"Good morning, {view.state['me']['name'].split()[0]}"),
            div("home-hint", "Choose an application on the left."),
        )
