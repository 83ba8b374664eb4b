"""Turn the actions that an agent wrote into inputs of mouse and keyboard.

The reader is the one that grades (`snellen.grading.actions`): here are only the inputs of what it
read. An argument that nothing uses is refused by its name, so none is dropped. The coordinate space
is fixed before the first action and never guessed, unless an action declares its own. An input is
a step: `type_text_at` is five.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple, cast

from snellen.grading.actions import meaning
from snellen.grading.actions.declaring import SPACES, Declared, declared
from snellen.grading.actions.meaning import Named, known_name, meant, point_in
from snellen.grading.actions.reading import FENCE, NAME_KEYS, MarkedCall, NoActionError, calls_in
from snellen.grading.calls import plain_name
from snellen.grading.errors import InputError
from snellen.grading.models import actions
from snellen.grading.models.geometry import Space
from snellen.tasks.environments.arguments import (
    QUIET,
    ActError,
    Arguments,
    Fields,
    arguments_of,
    filled,
    flag,
    number,
    short,
    whole,
)
from snellen.tasks.environments.inputs import LONGEST_TEXT, LONGEST_WAIT, Button, Input, InputKind
from snellen.tasks.environments.keys import combinations, key_of

MOST_INPUTS = 50
NOTCH = 100.0
"""Pixels that one turn of the wheel scrolls."""
_MOST_POINTS = 500
_WAIT = 1.0
_TURNS = 5.0
_DIRECTIONS: Mapping[actions.Direction, actions.Point] = {
    actions.Direction.UP: (0, -1),
    actions.Direction.DOWN: (0, 1),
    actions.Direction.LEFT: (-1, 0),
    actions.Direction.RIGHT: (1, 0),
}


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
    pointer: actions.Point | None = None


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


_END = "act does not end a task: call submit_answer with the status done or infeasible"


def _itself(named: Named) -> Sequence[Named]:
    return (named,)


def read_act(
    given: object, screen: Screen, parts: Callable[[Named], Sequence[Named]] = _itself
) -> Acted:
    """Parse a call of `act`.

    Args:
        given: The arguments as received, `action` with its fields, or whatever else is graded as
            an action: a call of a tool, an API's object, a text with calls.
        screen: The screen that its coordinates refer to.
        parts: Returns the calls that a call stands for.

    Raises:
        ActError: It can't be read or done; the message says why.
    """
    acted = Acted()
    for named, said in ((part, said) for call, said in _calls(given) for part in parts(call)):
        each = _acted(named, said, screen)
        acted = Acted(
            (*acted.inputs, *each.inputs),
            acted.look or each.look,
            acted.end or each.end,
            "; ".join(filter(None, (acted.note, each.note))),
        )
        moved = [point for done in each.inputs for point in done.path]
        screen = replace(screen, pointer=moved[-1]) if moved else screen
    if len(acted.inputs) > MOST_INPUTS:
        raise ActError(
            f"{len(acted.inputs)} inputs in one call are too many: {MOST_INPUTS} at most"
        )
    if acted.inputs and acted.end:
        return acted._replace(end="", note="; ".join(filter(None, (acted.note, acted.end))))
    return acted


# ---- the calls of a response -------------------------------------------------------------------

_CALL = re.compile(r"[({<]")
_REPEATS = re.compile(r"^[ \t]*(for|while|if|def)\b [^\n]*:$", re.MULTILINE)


def _calls(given: object) -> Iterator[tuple[Named, Declared]]:
    """Yield the calls of a response, each with what the response declares of itself."""
    if not isinstance(given, str | Mapping):
        raise ActError(f"an action is an object or a text, not {short(given)}")
    try:
        said = declared(cast("object", given))
    except InputError as error:
        raise ActError(str(error)) from None
    response = said.response
    if isinstance(response, Mapping):
        response = filled(cast("Fields", response))
        several = response.get("actions")
        if isinstance(several, list):
            for each in cast("list[object]", several):
                yield from _calls(each)
            return
        text, beside = response.get("action"), sorted(response.keys() - {"action", *QUIET})
        if isinstance(text, str) and not known_name(text) and plain_name(text) not in meaning.LOOKS:
            if beside and _CALL.search(text):
                raise ActError(f"{beside[0]!r} beside a text of calls is not read")
            response = response if beside else text
    if isinstance(response, str) and (repeats := _REPEATS.search(response)):
        raise ActError(f"{repeats[1]!r} of a program can't be done: write each action out")
    try:
        calls = _in_blocks(response) if isinstance(response, str) else calls_in(response)
    except NoActionError:
        raise ActError(_no_action(response)) from None
    for call in calls:
        if not call.format:
            raise ActError(_unread(call.named.name))
        yield call.named, said


def _in_blocks(text: str) -> list[MarkedCall]:
    """Return the calls of a text; of several blocks of code, where one is graded, those of all."""
    calls = calls_in(text)
    blocks: list[list[MarkedCall]] = []
    for block in FENCE.findall(text):
        with suppress(NoActionError):
            blocks.append(calls_in(block))
    return [call for block in blocks for call in block] if calls in blocks[:1] else calls


def _no_action(response: object) -> str:
    name = response
    if isinstance(response, Mapping):
        fields = cast("Fields", response)
        name = next((fields[key] for key in NAME_KEYS if isinstance(fields.get(key), str)), "")
    if isinstance(name, str) and re.fullmatch(r"[\w .-]{1,40}", name.strip()):
        return _unread(name)
    return f"no action is named; there are: {', '.join(ACTIONS)}"


def _unread(name: str) -> str:
    plain = plain_name(name)
    if plain in _ELSEWHERE:
        return _not_here(name)
    if known_name(name):
        return f"{name[:40]} can't be read: its arguments must be numbers and texts"
    close = get_close_matches(plain[:40], meaning.READERS, n=1)
    hint = f"; did you mean {_written(close[0])!r}?" if close else ""
    return f"there is no action {name[:40]!r}{hint}; there are: {', '.join(ACTIONS)}"


def _written(name: str) -> str:
    """Return an action's name as the tool's schema writes it."""
    return next((action for action in ACTIONS if plain_name(action) == name), name)


def _not_here(name: str) -> str:
    return f"{name[:40]!r} is not available here: an action can only use the screen"


_ELSEWHERE = frozenset(
    {"navigate", "goto", "forward", "goforward", "search", "openwebbrowser", "newtab", "tabclose",
     "tabfocus", "cursor", "fileupload", "keydown", "keyup", "note", "callapi"}
)  # fmt: skip


# ---- actions -----------------------------------------------------------------------------------


_NOT_MOVED = "the action needs a coordinate, [x, y]: the mouse has not been moved yet"


class _Doing(NamedTuple):
    """An action that is to be done."""

    name: str  # as `known_name` has it
    action: actions.Action  # what grading reads in it
    given: Arguments
    screen: Screen
    said: Declared
    y_first: bool  # whether its points are written so

    def place(self, point: actions.Point) -> actions.Point:
        """Return a point of the response in pixels of the screenshot."""
        width, height = self.screen.width, self.screen.height
        form, counts = self.said.format, self.said.counts
        if form is not None:
            point = (point[0] * form.factors[0], point[1] * form.factors[1])
            counts = counts or form.counts(self.action.point, self.action.end)
        if counts is None and self.screen.space is not Space.VIEW:
            counts = SPACES[self.screen.space.value]
        full = counts and counts.extent((width, height), self.said.view)
        across, down = full or (width, height)
        if not (0 <= point[0] <= across and 0 <= point[1] <= down):
            words = counts.id if counts else self.screen.space.value
            raise ActError(
                f"the point ({point[0]:g}, {point[1]:g}) lies outside the screen, which is"
                f" {across:g} by {down:g} in the coordinates of this attempt ({words})"
            )
        return (
            min(point[0] * width / across, width - 1.0),
            min(point[1] * height / down, height - 1.0),
        )

    def point(self) -> actions.Point | None:
        """Return where the action is, in pixels of the screenshot; None for nowhere."""
        return None if self.action.point is None else self.place(self.action.point)

    def here(self) -> actions.Point:
        """Return where the action is, or the mouse."""
        point = self.point() or self.screen.pointer
        if point is None:
            raise ActError(_NOT_MOVED)
        return point

    def held(self, *names: str) -> tuple[str, ...]:
        """Return the keys that are held meanwhile: Anthropic's `text`, OpenAI's `keys`."""
        value = self.given.take("keys", "modifiers", "modifier", "hold_keys", *names)
        return tuple(key for keys in _combinations(value) for key in keys)

    def button(self, default: Button = "left") -> Button:
        value = self.given.take("button")
        if value is None:
            return default
        button = meaning.BUTTONS.get(value.strip().lower()) if isinstance(value, str) else None
        if button is None:
            raise ActError(f"there is no button {short(value)}; use left, middle or right")
        return button


def _acted(named: Named, said: Declared, screen: Screen) -> Acted:
    name = known_name(named.name)
    if plain_name(named.name) in meaning.LOOKS - _ELSEWHERE:
        return Acted(look=True)
    if not name or name in _ELSEWHERE:
        raise ActError(_unread(named.name))
    named = replace(named, y_first=said.format is not None and said.format.y_first)
    action = meant(named)
    if action is not None and action.type is actions.ActionType.FINISH:
        return Acted(end=_END)
    given = arguments_of(named)
    # Two names stand for actions that are no step of a benchmark, with a point or keys as these.
    like = "mousemove" if name in _BUTTONS_MOVE else "key" if name == "holdkey" else named.name
    action = meant(replace(named, name=like, given=given, positional=()))
    try:
        _check_points(given.given, action)
        if action is None:
            raise ActError(_lacking(name, given))
        acted = _done(_Doing(name, action, given, screen, said, named.y_first))
    finally:
        # What is not known says more than what is lacking.
        given.refuse_unused(_written(name))
    return acted


_NUMBERS = (
    ("x", "y"), ("coordinate_x", "coordinate_y"), ("destination_x", "destination_y"),
    ("x1", "y1", "x2", "y2"), ("from_x", "from_y", "to_x", "to_y"),
)  # fmt: skip
_WORDED = frozenset({"element", "target", "location", "position", "from", "to"})


def _check_points(fields: Fields, action: actions.Action | None) -> None:
    """Refuse a point among the arguments that can't be read."""
    for names in _NUMBERS:
        sides = [fields.get(name) for name in names]
        if any(side is not None for side in sides) and not all(
            map(point_in, (sides[:2], sides[-2:]))
        ):
            raise ActError(f"{', '.join(names)} must all be finite numbers")
    lost = action is not None and action.type in actions.POINTED and action.point is None
    for name in (*meaning.POINT_KEYS, *meaning.END_KEYS):
        value = fields.get(name)
        if value is None or point_in(value) or (name in _WORDED and not lost and _is_word(value)):
            continue
        raise ActError(f"{name} must be [x, y] in finite numbers, not {short(value)}")


def _is_word(value: object) -> bool:
    return isinstance(value, str) and not any(map(str.isdigit, value))


def _lacking(name: str, given: Arguments) -> str:
    if "scroll" in name:
        _way(given)
        return _NO_WAY
    if name in _KEYBOARD:
        return "the action needs keys, such as ctrl+a or Enter"
    return f"{name} needs a direction, or where it begins and ends"


def _done(doing: _Doing) -> Acted:
    kind = doing.action.type
    if doing.name in _BUTTONS_MOVE:
        return _button_move(doing)
    if kind is actions.ActionType.NAVIGATE and doing.name in _KEYBOARD:
        kind = actions.ActionType.KEY
    do = _INPUTS.get(kind)
    if do is None:
        raise ActError(_not_here(doing.name))
    return do(doing)


_COUNTS = {actions.ActionType.DOUBLE_CLICK: 2, actions.ActionType.TRIPLE_CLICK: 3}
_BUTTONS: Mapping[actions.ActionType, Button] = {
    actions.ActionType.RIGHT_CLICK: "right",
    actions.ActionType.MIDDLE_CLICK: "middle",
}


def _click(doing: _Doing) -> Acted:
    kind, given = doing.action.type, doing.given
    default = _BUTTONS.get(kind, "left")
    button = doing.button(default)
    if kind in _BUTTONS and button != default:
        raise ActError(f"{_written(doing.name)} is done with the {default} button, not {button}")
    times, count = _COUNTS.get(kind, 1), given.take(*meaning.COUNT_KEYS)
    if count is not None:
        counted = whole(count, "num_clicks", 3)
        if kind in _COUNTS and counted != times:
            raise ActError(f"{_written(doing.name)} clicks {times} times, not {counted}")
        times = counted
    held = doing.held("text", "key")
    return Acted((Input(InputKind.CLICK, (doing.here(),), button=button, count=times, keys=held),))


def _move(doing: _Doing) -> Acted:
    point = doing.point()
    if point is None:
        raise ActError("the action needs a coordinate, [x, y]")
    return Acted((Input(InputKind.MOVE, (point,)),))


_BUTTONS_MOVE: Mapping[str, InputKind] = {
    "mousedown": InputKind.DOWN,
    "leftmousedown": InputKind.DOWN,
    "mouseup": InputKind.UP,
    "leftmouseup": InputKind.UP,
}


def _button_move(doing: _Doing) -> Acted:
    point = doing.point()
    doing.here()
    path = () if point is None else (point,)
    return Acted((Input(_BUTTONS_MOVE[doing.name], path, button=doing.button()),))


def _long_press(doing: _Doing) -> Acted:
    point, button, wait = doing.here(), doing.button(), _wait(doing)
    down, up = (Input(kind, (point,), button) for kind in (InputKind.DOWN, InputKind.UP))
    return wait._replace(inputs=(down, *wait.inputs, up))


def _drag(doing: _Doing) -> Acted:
    path = doing.given.take("path")
    if path is not None:
        way = _path(doing, path)
    else:
        start, end = doing.action.point, doing.action.end
        if end is None:
            start, end = None, start
        if end is None:
            raise ActError("the action needs start_coordinate and coordinate, each [x, y]")
        way = tuple(doing.place(point) for point in (start, end) if point is not None)
    if len(way) == 1:
        mouse = doing.screen.pointer
        if mouse is None:
            raise ActError(_NOT_MOVED)
        way = (mouse, *way)
    return Acted((Input(InputKind.DRAG, way, button=doing.button(), keys=doing.held()),))


def _path(doing: _Doing, path: object) -> tuple[actions.Point, ...]:
    points = cast("Sequence[object]", path) if isinstance(path, list | tuple) else ()
    if not 0 < len(points) <= _MOST_POINTS:
        raise ActError(
            f"path must be a list of 1 to {_MOST_POINTS} points, not {len(points)} points"
        )
    read = [point_in(point, y_first=doing.y_first) for point in points]
    if None in read:
        raise ActError(f"path must hold points [x, y], not {short(points[read.index(None)])}")
    return tuple(doing.place(point) for point in read if point is not None)


_NO_WAY = "the action needs scroll_direction (up, down, left or right) and scroll_amount"
_DIRECTED = ("scroll_direction", "direction")
_FAR = ("scroll_amount", "amount", "clicks")
_PIXELS = ("pixels", "distance", "scroll_distance")
_AXES = (("scroll_x", "scroll_y", 1.0), ("delta_x", "delta_y", 1.0), ("dx", "dy", -NOTCH))


def _scroll(doing: _Doing) -> Acted:
    point = doing.point()
    path = () if point is None else (point,)
    text = () if actions.direction_of(doing.given.get("text")) else ("text",)
    if doing.action.end is not None and point is not None:
        # A finger that swipes: the page follows it.
        end = doing.place(doing.action.end)
        far = (point[0] - end[0], point[1] - end[1])
    else:
        far = _far(doing)
    return Acted((Input(InputKind.SCROLL, path, scroll=far, keys=doing.held(*text)),))


def _way(given: Arguments) -> actions.Direction | None:
    value = given.take(*_DIRECTED)
    way = actions.direction_of(value)
    if value is not None and way is None:
        raise ActError(f"there is no direction {short(value)}; use up, down, left or right")
    return way


def _far(doing: _Doing) -> actions.Point:
    given, direction = doing.given, doing.action.direction
    words = (given.get(name) for name in ("text", "value", "input_text", "to"))
    directed = _way(given) or any(map(actions.direction_of, words)) or _NAMES_WAY.search(doing.name)
    if directed and direction is not None:
        across, down = _DIRECTIONS[direction]
        width, height = _distance(doing)
        return across * width, down * height
    for left, up, sign in _AXES:
        if given.take(left, up) is not None:
            # Positive is down, but up in OSWorld's turns of the wheel.
            across, down = (number(given.get(name) or 0, name) for name in (left, up))
            return across * abs(sign), down * sign
    # Positive is up, as in pyautogui: in turns of the wheel, or in pixels for Qwen.
    far = given.take(*_PIXELS)
    if far is not None:
        up = number(far, "pixels")
    elif (far := given.take(*_FAR)) is not None:
        up = number(far, "scroll_amount") * NOTCH
    else:
        raise ActError(_NO_WAY)
    return (up, 0.0) if doing.name.startswith("h") else (0.0, -up)


_NAMES_WAY = re.compile(r"(?:up|down|left|right)\Z|\A(?:swipe|slide|flick)\Z")


def _distance(doing: _Doing) -> actions.Point:
    """Return how far a scroll in a direction goes, if along x and if along y, in pixels."""
    given, screen = doing.given, doing.screen
    start, end = doing.point(), point_in(given.take(*meaning.END_KEYS))
    if start is not None and end is not None:
        across, down = doing.place(end)
        return abs(across - start[0]), abs(down - start[1])
    pixels = given.take(*_PIXELS)
    if pixels is not None:
        far = number(pixels, "pixels", 0)
        return far, far
    turns = given.take(*_FAR)
    if turns is not None:
        far = number(turns, "scroll_amount", 0) * NOTCH
        return far, far
    share = given.take("magnitude")
    if share is None and doing.name not in _GEMINI:
        return _TURNS * NOTCH, _TURNS * NOTCH
    thousandths = number(_GEMINI_SHARE if share is None else share, "magnitude", 0) / 1000
    return thousandths * screen.width, thousandths * screen.height


_GEMINI = frozenset({"scrolldocument", "scrollat"})
_GEMINI_SHARE = 800


def _type(doing: _Doing) -> Acted:
    given, full = doing.given, doing.name == "typetextat"
    point, value = doing.point(), given.take(*meaning.TEXT_KEYS)
    clears = flag(given.take("clear_before_typing", "clear"), "clear_before_typing", full)
    enters = flag(given.take("press_enter", "enter"), "press_enter", full)
    steps: list[Input] = []
    if point is not None:
        steps.append(Input(InputKind.CLICK, (point,)))
    if clears:
        steps.append(Input(InputKind.KEY, keys=("Control", "a")))
        steps.append(Input(InputKind.KEY, keys=("Backspace",)))
    if isinstance(value, list) and any(len(str(each)) > 1 for each in cast("list[object]", value)):
        # pyautogui's list may name keys.
        steps += map(_press, _combinations(cast("object", value)))
    else:
        steps.append(Input(InputKind.TYPE, text=_text(doing.action.text)))
    if enters:
        steps.append(Input(InputKind.KEY, keys=("Enter",)))
    return Acted(tuple(steps))


def _text(value: str) -> str:
    if not value:
        raise ActError("the action needs text, the text to type")
    if len(value) > LONGEST_TEXT:
        raise ActError(f"the text has {len(value):,} characters; the limit is {LONGEST_TEXT:,}")
    if not value.isprintable() and any(ord(mark) < 32 and mark not in "\n\t" for mark in value):
        raise ActError("the text contains control characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ActError("the text contains half a surrogate pair, which can't be encoded") from None
    return value


_KEYBOARD = frozenset(
    {"key", "press", "hotkey", "keypress", "keycombination", "keyboardpress", "presskey",
     "presskeys", "holdkey"}
)  # fmt: skip


def _key(doing: _Doing) -> Acted:
    value = doing.given.take("keys", "key", "text", "button", "value", "key_comb", "hotkey")
    pressed = _combinations(value or doing.action.button)
    if not pressed:
        raise ActError("the action needs keys, such as ctrl+a or Enter")
    times = doing.given.take("presses", "repeat", "count", "times")
    count = 1 if times is None else whole(times, "presses", MOST_INPUTS)
    seconds = doing.given.take("duration", "seconds", "time")
    note = "" if seconds is None else "the keys were pressed, not held"
    return Acted(tuple(map(_press, pressed)) * count, note=note)


def _combinations(value: object) -> Sequence[tuple[str, ...]]:
    parts = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value or "",)
    for part in parts:
        if not isinstance(part, str):
            raise ActError(f"a key must be a text, not {short(part)}")
    return [_pressed(names) for names in combinations([str(part)[:200] for part in parts])]


def _pressed(names: Sequence[str]) -> tuple[str, ...]:
    keys = [(name, key_of(name)) for name in names]
    unknown = [name for name, key in keys if key is None]
    if unknown:
        raise ActError(f"there is no key {unknown[0][:40]!r}")
    return tuple(key for _, key in keys if key is not None)


def _press(keys: tuple[str, ...]) -> Input:
    # Playwright presses the keys of a US keyboard; other characters are typed.
    if len(keys) == 1 and len(keys[0]) == 1 and not keys[0].isascii():
        return Input(InputKind.TYPE, text=keys[0])
    return Input(InputKind.KEY, keys=keys)


def _wait(doing: _Doing) -> Acted:
    given = doing.given
    short = given.take("wait_ms", "milliseconds", "ms")
    if short is not None:
        seconds = number(short, "wait_ms", 0) / 1000
    elif doing.name == "wait5seconds":
        seconds = LONGEST_WAIT
    else:
        value = given.take("time", "seconds", "duration", "value")
        seconds = _WAIT if value is None else number(value, "duration", 0)
    over = seconds > LONGEST_WAIT
    note = f"waited {LONGEST_WAIT:g} seconds, the maximum for one step" if over else ""
    return Acted((Input(InputKind.WAIT, seconds=min(seconds, LONGEST_WAIT)),), note=note)


_INPUTS: Mapping[actions.ActionType, Callable[[_Doing], Acted]] = {
    actions.ActionType.CLICK: _click,
    actions.ActionType.DOUBLE_CLICK: _click,
    actions.ActionType.TRIPLE_CLICK: _click,
    actions.ActionType.RIGHT_CLICK: _click,
    actions.ActionType.MIDDLE_CLICK: _click,
    actions.ActionType.LONG_PRESS: _long_press,
    actions.ActionType.HOVER: _move,
    actions.ActionType.TYPE: _type,
    actions.ActionType.SCROLL: _scroll,
    actions.ActionType.DRAG: _drag,
    actions.ActionType.KEY: _key,
    actions.ActionType.WAIT: _wait,
}

ACTIONS = (
    "left_click", "right_click", "middle_click", "double_click", "triple_click", "mouse_move",
    "left_click_drag", "left_mouse_down", "left_mouse_up", "scroll", "type", "key", "wait", "click",
    "move", "drag", "keypress",
)  # fmt: skip
"""The names that the tool's schema lists; the others are accepted, too."""
