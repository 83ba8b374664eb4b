"""Parse an agent's action, in any known vocabulary, into primitive inputs.

One table of names serves all vocabularies: Anthropic's and OpenAI's computer use, Qwen's
`computer_use`, OSWorld's computer_13, BrowserGym's coordinate actions, Gemini's, UI-TARS's and
pyautogui's calls. They use the same names in different case. Where they differ (how far a scroll
goes, which way is up), the names of their arguments distinguish them. The coordinate space is fixed
before the first action and never guessed. A primitive input is a step: `type_text_at` is five.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias, cast

from snellen.grading.calls import AnyName, Call, TooManyError, scan
from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point
from snellen.grading.models.geometry import Space
from snellen.tasks.environments.inputs import LONGEST_TEXT, LONGEST_WAIT, Button, Input, InputKind
from snellen.tasks.environments.keys import combinations, key_of

MOST_INPUTS = 50
NOTCH = 100.0
"""Pixels that one turn of the wheel scrolls."""
_MOST_POINTS = 500
_WAIT = 1.0
_NUMBERS = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
_DIRECTIONS: Mapping[str, Point] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

Fields: TypeAlias = Mapping[str, Any]


class ActError(InputError):
    """An action that can't be read or done. It costs a step and changes nothing."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The screen that coordinates refer to.

    Attributes:
        width: In pixels of the screenshot.
        height: In pixels of the screenshot.
        space: The unit of the agent's coordinates: pixels, thousandths or fractions.
        pointer: Where the mouse is, in pixels of the screenshot; None before the first point.
    """

    width: int
    height: int
    space: Space = Space.PIXELS
    pointer: Point | None = None

    def place(self, x: object, y: object) -> Point:
        """Return a point in pixels of the screenshot.

        Raises:
            ActError: It is not a point, or lies outside the screen.
        """
        across, down = _number(x, "x"), _number(y, "y")
        full = _FULL.get(self.space, (self.width, self.height))
        if not (0 <= across <= full[0] and 0 <= down <= full[1]):
            raise ActError(
                f"the point ({across:g}, {down:g}) lies outside the screen, which is"
                f" {full[0]:g} by {full[1]:g} in the coordinates of this attempt"
                f" ({self.space.value})"
            )
        return (
            min(across * self.width / full[0], self.width - 1.0),
            min(down * self.height / full[1], self.height - 1.0),
        )


_FULL = {Space.THOUSAND: (1000.0, 1000.0), Space.UNIT: (1.0, 1.0)}


class Acted(NamedTuple):
    """A parsed call of `act`.

    Attributes:
        inputs: The inputs to do, in order; each is a step.
        look: Whether the call asks for a screenshot only.
        end: The message for an agent that tries to end the task by an action; empty if it does not.
        note: What is done differently from the request.
    """

    inputs: tuple[Input, ...] = ()
    look: bool = False
    end: str = ""
    note: str = ""


def read_act(given: Fields, screen: Screen) -> Acted:
    """Parse a call of `act`.

    Args:
        given: The arguments as received: `action` with its fields, or another vocabulary's form.
        screen: The screen that its coordinates refer to.

    Raises:
        ActError: It can't be read; the message says why.
    """
    acted = Acted()
    for name, fields in _parts(given):
        action = _action(name, fields, screen)
        acted = Acted(
            (*acted.inputs, *action.inputs),
            acted.look or action.look,
            acted.end or action.end,
            "; ".join(filter(None, (acted.note, action.note))),
        )
        moved = [point for each in action.inputs for point in each.path]
        screen = replace(screen, pointer=moved[-1]) if moved else screen
    if len(acted.inputs) > MOST_INPUTS:
        raise ActError(
            f"{len(acted.inputs)} inputs in one call are too many: {MOST_INPUTS} at most"
        )
    return acted


def _parts(given: Fields) -> Sequence[tuple[str, Fields]]:
    """Return the names and fields of the actions in a call."""
    several = given.get("actions")
    if isinstance(several, list):
        parts = [_flat(each) for each in cast("list[object]", several)]
        return [part for each in parts for part in _parts(each)]
    given = _flat(given)
    name = given.get("action", given.get("type", given.get("action_type", given.get("name"))))
    if not isinstance(name, str) or not name.strip():
        raise ActError(f"no action is named; there are: {', '.join(ACTIONS)}")
    if "(" in name:
        return [_called(call) for call in _calls(name)]
    return [(name, given)]


def _flat(given: object) -> Fields:
    """Return an action's fields, wherever its vocabulary nests them."""
    if isinstance(given, str):
        return {"action": given}
    if not isinstance(given, Mapping):
        raise ActError("an action is an object with its name and its fields")
    fields: dict[str, Any] = dict(cast("Fields", given))
    for inner in ("action", "parameters", "args", "arguments", "input"):
        nested = fields.get(inner)
        if isinstance(nested, str) and nested.lstrip().startswith("{"):
            try:
                nested = json.loads(nested)
            except (ValueError, RecursionError):
                continue
        if isinstance(nested, Mapping):
            del fields[inner]
            fields = {**fields, **_flat(cast("Fields", nested))}
    return fields


def _calls(text: str) -> Sequence[Call]:
    # UI-TARS may write its thoughts before the action.
    try:
        calls = list(scan(text.rpartition("Action:")[2], AnyName()))
    except TooManyError:
        calls = []
    calls = [call for call in calls if call.form == "call"]
    if not calls:
        raise ActError(f"{text[:80]!r} can't be read as a call")
    return calls


# The positional parameters of each call.
_PLACES: Mapping[str, Sequence[str]] = {
    "click": ("x", "y", "clicks", "interval", "button"),
    "doubleclick": ("x", "y"),
    "tripleclick": ("x", "y"),
    "rightclick": ("x", "y"),
    "middleclick": ("x", "y"),
    "moveto": ("x", "y"),
    "dragto": ("x", "y"),
    "mousedown": ("x", "y", "button"),
    "mouseup": ("x", "y", "button"),
    "write": ("message",),
    "typewrite": ("message",),
    "press": ("keys", "presses"),
    "scroll": ("delta_x", "delta_y"),
    "pyautogui.scroll": ("clicks", "x", "y"),
    "hscroll": ("clicks", "x", "y"),
    "sleep": ("seconds",),
    "mouse_click": ("x", "y", "button"),
    "mouse_dblclick": ("x", "y", "button"),
    "mouse_move": ("x", "y"),
    "mouse_down": ("x", "y", "button"),
    "mouse_up": ("x", "y", "button"),
    "mouse_drag_and_drop": ("from_x", "from_y", "to_x", "to_y"),
    "keyboard_press": ("key",),
    "keyboard_type": ("text",),
    "keyboard_insert_text": ("text",),
    "noop": ("wait_ms",),
    "type": ("content",),
}


def _called(call: Call) -> tuple[str, Fields]:
    bare = call.name.rpartition(".")[2]
    places = _PLACES.get(call.name.lower(), _PLACES.get(bare.lower(), ()))
    fields = dict(zip(places, call.positional, strict=False)) | dict(call.given)
    if bare.lower() == "hotkey" and call.positional:
        fields["keys"] = list(call.positional)
    if call.name == "pyautogui.scroll" and "delta_x" in fields:
        fields["clicks"] = fields.pop("delta_x")
    return bare, fields


def _action(name: str, fields: Fields, screen: Screen) -> Acted:
    plain = re.sub(r"[\s-]+", "_", name.strip()).lower()
    if plain in _LOOKS:
        return Acted(look=True)
    if plain in _ENDS:
        return Acted(
            end="act does not end a task: call submit_answer with the status done or infeasible"
        )
    if plain in _REFUSED:
        raise ActError(f"{name[:40]!r} is not available here: an action can only use the screen")
    read = _READERS.get(plain)
    if read is None:
        close = get_close_matches(plain[:40], _READERS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ActError(f"there is no action {name[:40]!r}{hint}; there are: {', '.join(ACTIONS)}")
    return read(fields, screen)


# ---- fields ------------------------------------------------------------------------------------


def _number(value: object, name: str) -> float:
    if isinstance(value, str):
        match = _NUMBERS.fullmatch(value.strip())
        value = float(match[0]) if match else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ActError(f"{name} must be a number, not {_short(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ActError(f"{name} must be a finite number")
    return number


def _short(value: object) -> str:
    return repr(value)[:40] if value is not None else "nothing"


_POINTS = ("coordinate", "point", "start_box", "start_point", "coordinates", "position")


def _point(fields: Fields, screen: Screen, *names: str) -> Point | None:
    """Return the point in the fields, under one of the names or as x and y; None without one."""
    for name in names or _POINTS:
        if fields.get(name) is not None:
            return _placed(fields[name], screen, name)
    if not names and (fields.get("x") is not None or fields.get("y") is not None):
        return screen.place(fields.get("x"), fields.get("y"))
    return None


def _placed(value: object, screen: Screen, name: str) -> Point:
    if isinstance(value, Mapping):
        point = cast("Fields", value)
        return screen.place(point.get("x"), point.get("y"))
    if isinstance(value, str):
        value = cast("object", _NUMBERS.findall(value[:400]))
    if isinstance(value, list | tuple):
        numbers = cast("Sequence[object]", value)
        if len(numbers) == 2:
            return screen.place(*numbers)
        if len(numbers) == 4:
            left, top, right, bottom = (_number(number, name) for number in numbers)
            return screen.place((left + right) / 2, (top + bottom) / 2)
    raise ActError(f"{name} must be [x, y], not {_short(cast('object', value))}")


def _needed(fields: Fields, screen: Screen) -> Point:
    point = _point(fields, screen)
    if point is None:
        raise ActError("the action needs a coordinate, [x, y]")
    return point


def _here(screen: Screen) -> Point:
    if screen.pointer is None:
        raise ActError("the action needs a coordinate, [x, y]: the mouse has not been moved yet")
    return screen.pointer


def _text(fields: Fields, *names: str) -> str:
    value = next((fields[name] for name in names if fields.get(name) is not None), None)
    if not isinstance(value, str) or not value:
        raise ActError(f"the action needs {names[0]}, the text to type")
    if len(value) > LONGEST_TEXT:
        raise ActError(f"the text has {len(value):,} characters; the limit is {LONGEST_TEXT:,}")
    if not value.isprintable() and any(ord(mark) < 32 and mark not in "\n\t" for mark in value):
        raise ActError("the text contains control characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ActError("the text contains half a surrogate pair, which can't be encoded") from None
    return value


def _pressed(names: Sequence[str]) -> tuple[str, ...]:
    keys = [(name, key_of(name)) for name in names]
    unknown = [name for name, key in keys if key is None]
    if unknown:
        raise ActError(f"there is no key {unknown[0][:40]!r}")
    return tuple(key for _, key in keys if key is not None)


def _combinations(value: object) -> Sequence[tuple[str, ...]]:
    if isinstance(value, list | tuple):
        # A list is one combination; a part may be a combination itself, such as "ctrl+a".
        parts = [part for each in cast("Sequence[object]", value) for part in _words(each)]
        return [_pressed(parts)] if parts else []
    if isinstance(value, str):
        return [_pressed(names) for names in combinations(value[:200])]
    return []


def _words(value: object) -> Sequence[str]:
    if not isinstance(value, str):
        raise ActError(f"a key must be a text, not {_short(value)}")
    if len(value) == 1:
        return [value]
    return [name for names in combinations(value[:200]) for name in names]


def _held(fields: Fields) -> tuple[str, ...]:
    """Return the keys that are held meanwhile: Anthropic's `text`, OpenAI's `keys`."""
    given = fields.get("keys") or fields.get("text")
    return tuple(key for keys in _combinations(given) for key in keys)


_BUTTONS: Mapping[str, Button] = {
    "left": "left",
    "right": "right",
    "middle": "middle",
    "wheel": "middle",
    "center": "middle",
}


def _button(fields: Fields, default: Button = "left") -> Button:
    given = fields.get("button")
    if given is None:
        return default
    button = _BUTTONS.get(given.lower()) if isinstance(given, str) else None
    if button is None:
        raise ActError(f"there is no button {_short(given)}; use left, middle or right")
    return button


# ---- actions -----------------------------------------------------------------------------------

_Reader: TypeAlias = Callable[[Fields, Screen], Acted]


def _clicks(count: int | None = None, button: Button = "left") -> _Reader:
    def read(fields: Fields, screen: Screen) -> Acted:
        point = _point(fields, screen) or _here(screen)
        times = count
        if times is None:
            times = round(_number(fields.get("num_clicks", fields.get("clicks", 1)), "num_clicks"))
        if not 1 <= times <= 3:
            raise ActError("num_clicks must be 1, 2 or 3")
        used = _button(fields, button)
        return Acted(
            (Input(InputKind.CLICK, (point,), button=used, count=times, keys=_held(fields)),)
        )

    return read


def _move(fields: Fields, screen: Screen) -> Acted:
    return Acted((Input(InputKind.MOVE, (_needed(fields, screen),)),))


def _button_at(kind: InputKind) -> _Reader:
    def read(fields: Fields, screen: Screen) -> Acted:
        point = _point(fields, screen)
        if point is None:
            _here(screen)
        return Acted((Input(kind, () if point is None else (point,), button=_button(fields)),))

    return read


_STARTS = ("start_coordinate", "start_box", "start_point", "from_coord")
_ENDS_AT = ("end_coordinate", "coordinate2", "end_box", "end_point", "to_coord")


def _drag(fields: Fields, screen: Screen) -> Acted:
    path = fields.get("path")
    if isinstance(path, list | tuple) and path:
        points = cast("Sequence[object]", path)
        if len(points) > _MOST_POINTS:
            raise ActError(f"a path of {len(points)} points is too long: {_MOST_POINTS} at most")
        way = tuple(_placed(point, screen, "path") for point in points)
    else:
        way = _ends_of(fields, screen)
    if len(way) == 1:
        way = (_here(screen), *way)
    held = _held({"keys": fields.get("keys")})
    return Acted((Input(InputKind.DRAG, way, button=_button(fields), keys=held),))


def _ends_of(fields: Fields, screen: Screen) -> tuple[Point, ...]:
    for first, second in (("from_x", "from_y"), ("x", "y")):
        last = ("to_x", "to_y") if first == "from_x" else ("destination_x", "destination_y")
        if fields.get(last[0]) is not None:
            start = screen.place(fields.get(first), fields.get(second))
            return start, screen.place(fields.get(last[0]), fields.get(last[1]))
    start, end = _point(fields, screen, *_STARTS), _point(fields, screen, *_ENDS_AT)
    if end is None:
        end = _point(fields, screen, "coordinate")
        if end is None:
            end = _needed(fields, screen)
    elif start is None:
        start = _point(fields, screen, "coordinate")
    return (end,) if start is None else (start, end)


def _scroll(fields: Fields, screen: Screen) -> Acted:
    point = _point(fields, screen)
    path = () if point is None else (point,)
    far, held = _far(fields, screen), _held(fields)
    return Acted((Input(InputKind.SCROLL, path, scroll=far, keys=held),))


def _far(fields: Fields, screen: Screen) -> Point:
    direction = fields.get("scroll_direction", fields.get("direction"))
    if direction is not None:
        way = _DIRECTIONS.get(direction.strip().lower()) if isinstance(direction, str) else None
        if way is None:
            raise ActError(
                f"there is no direction {_short(direction)}; use up, down, left or right"
            )
        if fields.get("magnitude") is not None:
            # Gemini counts thousandths of the screen.
            share = _number(fields["magnitude"], "magnitude") / 1000
            return way[0] * share * screen.width, way[1] * share * screen.height
        amount = fields.get("scroll_amount", fields.get("amount"))
        turns = 5.0 if amount is None else _number(amount, "scroll_amount")
        return way[0] * turns * NOTCH, way[1] * turns * NOTCH
    for names, sign in (
        (("scroll_x", "scroll_y"), 1.0),
        (("delta_x", "delta_y"), 1.0),
        # Positive is up, as in pyautogui: in turns of the wheel, or in pixels for Qwen.
        (("dx", "dy"), NOTCH),
    ):
        if any(fields.get(name) is not None for name in names):
            across, down = (_number(fields.get(name) or 0, name) * sign for name in names)
            return (across, -down) if names[0] == "dx" else (across, down)
    if fields.get("pixels") is not None:
        return 0.0, -_number(fields["pixels"], "pixels")
    if fields.get("clicks") is not None:
        return 0.0, -_number(fields["clicks"], "clicks") * NOTCH
    raise ActError("the action needs scroll_direction (up, down, left or right) and scroll_amount")


def _across(fields: Fields, screen: Screen) -> Acted:
    acted = _scroll(fields, screen)
    return Acted(tuple(_turned(each) for each in acted.inputs))


def _turned(given: Input) -> Input:
    return Input(given.kind, given.path, scroll=(-given.scroll[1], 0.0), keys=given.keys)


def _document(fields: Fields, screen: Screen) -> Acted:
    return _scroll({"magnitude": 800, **fields}, screen)


def _type(fields: Fields, _: Screen) -> Acted:
    return Acted((Input(InputKind.TYPE, text=_text(fields, "text", "content", "message")),))


def _key(fields: Fields, _: Screen) -> Acted:
    given = next(
        (fields[name] for name in ("keys", "key", "text") if fields.get(name) is not None), None
    )
    pressed = _combinations(given)
    if not pressed:
        raise ActError("the action needs keys, such as ctrl+a or Enter")
    return Acted(tuple(_press(keys) for keys in pressed))


def _press(keys: tuple[str, ...]) -> Input:
    # Playwright presses the keys of a US keyboard; other characters are typed.
    if len(keys) == 1 and len(keys[0]) == 1 and not keys[0].isascii():
        return Input(InputKind.TYPE, text=keys[0])
    return Input(InputKind.KEY, keys=keys)


def _wait(fields: Fields, _: Screen) -> Acted:
    if fields.get("wait_ms") is not None:
        seconds = _number(fields["wait_ms"], "wait_ms") / 1000
    else:
        names = ("duration", "seconds", "time")
        given = next((fields[name] for name in names if fields.get(name) is not None), _WAIT)
        seconds = _number(given, "duration")
    if seconds < 0:
        raise ActError("duration must not be negative")
    note = (
        f"waited {LONGEST_WAIT:g} seconds, the maximum for one step"
        if seconds > LONGEST_WAIT
        else ""
    )
    return Acted((Input(InputKind.WAIT, seconds=min(seconds, LONGEST_WAIT)),), note=note)


def _five(_: Fields, __: Screen) -> Acted:
    return Acted((Input(InputKind.WAIT, seconds=LONGEST_WAIT),))


def _type_at(fields: Fields, screen: Screen) -> Acted:
    steps = [Input(InputKind.CLICK, (_needed(fields, screen),))]
    if fields.get("clear_before_typing") is not False:
        steps += [
            Input(InputKind.KEY, keys=("Control", "a")),
            Input(InputKind.KEY, keys=("Backspace",)),
        ]
    steps.append(Input(InputKind.TYPE, text=_text(fields, "text")))
    if fields.get("press_enter") is not False:
        steps.append(Input(InputKind.KEY, keys=("Enter",)))
    return Acted(tuple(steps))


_LOOKS = frozenset({"screenshot", "zoom", "cursor_position"})
_ENDS = frozenset(
    {"done", "fail", "finished", "terminate", "answer", "call_user", "infeasible", "submit",
     "send_msg_to_user", "report_infeasible", "finish"}
)  # fmt: skip
_REFUSED = frozenset(
    {"navigate", "goto", "go_back", "go_forward", "search", "open_web_browser", "open_app", "back",
     "forward", "key_down", "key_up", "keydown", "keyup", "press_home", "press_back",
     "system_button", "open", "new_tab", "tab_close", "tab_focus", "cursor", "file_upload"}
)  # fmt: skip

_READERS: Mapping[str, _Reader] = {
    # The names in the schema of `act`.
    "left_click": _clicks(1),
    "right_click": _clicks(1, "right"),
    "middle_click": _clicks(1, "middle"),
    "double_click": _clicks(2),
    "triple_click": _clicks(3),
    "mouse_move": _move,
    "left_click_drag": _drag,
    "left_mouse_down": _button_at(InputKind.DOWN),
    "left_mouse_up": _button_at(InputKind.UP),
    "scroll": _scroll,
    "type": _type,
    "key": _key,
    "wait": _wait,
    "click": _clicks(),
    "move": _move,
    "drag": _drag,
    "keypress": _key,
    # The names of other vocabularies.
    "hold_key": _key,
    "hscroll": _across,
    "move_to": _move,
    "drag_to": _drag,
    "mouse_down": _button_at(InputKind.DOWN),
    "mouse_up": _button_at(InputKind.UP),
    "typing": _type,
    "press": _key,
    "hotkey": _key,
    "mouse_click": _clicks(1),
    "mouse_dblclick": _clicks(2),
    "mouse_drag_and_drop": _drag,
    "keyboard_press": _key,
    "keyboard_type": _type,
    "keyboard_insert_text": _type,
    "noop": _wait,
    "click_at": _clicks(1),
    "hover_at": _move,
    "type_text_at": _type_at,
    "key_combination": _key,
    "scroll_document": _document,
    "scroll_at": _document,
    "drag_and_drop": _drag,
    "wait_5_seconds": _five,
    "left_single": _clicks(1),
    "left_double": _clicks(2),
    "right_single": _clicks(1, "right"),
    "hover": _move,
    "select": _drag,
    "doubleclick": _clicks(2),
    "tripleclick": _clicks(3),
    "rightclick": _clicks(1, "right"),
    "middleclick": _clicks(1, "middle"),
    "moveto": _move,
    "dragto": _drag,
    "mousedown": _button_at(InputKind.DOWN),
    "mouseup": _button_at(InputKind.UP),
    "write": _type,
    "typewrite": _type,
    "sleep": _wait,
}

ACTIONS = tuple(_READERS)[:17]
"""The names that the tool's schema lists; the others are accepted, too."""
