"""What a call of an agent means: one table of names for the actions of all families.

The families use the same names in different case, and where they differ (how far a scroll goes,
which way is up) the names of their arguments tell them apart: `scroll` says where the page goes,
`swipe` where the finger goes; pyautogui's and Qwen's amounts are positive upwards, OpenAI's
`scroll_y` downwards.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, cast

from snellen.grading.calls import plain_name
from snellen.grading.models.actions import (
    POINTED,
    Action,
    ActionType,
    Direction,
    Point,
    direction_of,
    swiped,
)
from snellen.grading.parse.vocabularies.base import as_number

Fields = Mapping[str, object]

_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d{1,3})?")
# What may stand around the numbers of a point that is written as text.
_AROUND = re.compile(r"(?:[\s()\[\]{},;:=xy\"']|</?[a-z_|]{1,20}>)*+", re.IGNORECASE)
_LONGEST_POINT = 400

POINT_KEYS = (
    "coordinate", "coordinates", "point", "start_box", "box", "bbox", "start_point", "start",
    "start_coordinate", "from_coord", "from", "position", "click_point", "element", "location",
    "box_2d", "bbox_2d", "point_2d", "point1", "grounding", "target", "pos", "at",
)  # fmt: skip
END_KEYS = (
    "coordinate2", "end_coordinate", "end_box", "end_point", "end", "to_coord", "to", "point2",
    "coordinate_end", "target_coordinate",
)  # fmt: skip
TEXT_KEYS = (
    "text",
    "content",
    "message",
    "value",
    "input_text",
    "typed_text",
    "typing_text",
    "answer",
)
_APP_KEYS = ("app", "app_name", "package", "package_name", "name", "text", "value", "input_text")
_KEY_KEYS = ("keys", "key", "button", "text", "value", "key_comb", "hotkey")


@dataclass(frozen=True, slots=True)
class Named:
    """A call whose name is known."""

    name: str  # the name, as `plain_name` writes it
    given: Fields = field(default_factory=dict[str, object])  # its arguments by name
    positional: Sequence[object] = ()  # its arguments without a name
    y_first: bool = False  # whether its points are written with y first
    finger: bool = False  # whether the direction of its `scroll` is the finger's

    def first(self, keys: Sequence[str], index: int | None = None) -> object:
        """Return the first argument of these names that is given, or the one at an index."""
        for key in keys:
            if self.given.get(key) is not None:
                return self.given[key]
        if index is not None and index < len(self.positional):
            return self.positional[index]
        return None

    def text(self, keys: Sequence[str], index: int | None = 0) -> str:
        """Return an argument as text; empty where there is none."""
        value = self.first(keys, index)
        if isinstance(value, list):
            return "+".join(map(str, cast("list[object]", value)))
        return "" if value is None else str(value)


def point_in(value: object, *, y_first: bool = False) -> Point | None:
    """Return the point that a value writes, the middle of one of four numbers; None for none.

    >>> point_in("<point>1 2</point>"), point_in([[10, 20, 30, 40]]), point_in("OK 1 2")
    ((1.0, 2.0), (20.0, 30.0), None)
    """
    numbers = _numbers(value)
    if len(numbers) == 4:
        numbers = [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2]
    if len(numbers) != 2:
        return None
    return (numbers[1], numbers[0]) if y_first else (numbers[0], numbers[1])


def _numbers(value: object, depth: int = 3) -> list[float]:
    """Return the numbers of a point or a box; an empty list where it is neither."""
    if isinstance(value, str):
        if len(value) > _LONGEST_POINT or not _AROUND.fullmatch(_NUMBER.sub(" ", value)):
            return []
        return [float(number) for number in _NUMBER.findall(value)[:5]]
    if isinstance(value, dict):
        fields = cast("Fields", value)
        value = [fields.get("x"), fields.get("y")]
    if not isinstance(value, list | tuple) or depth == 0:
        return []
    found: list[float] = []
    for each in cast("Sequence[object]", value)[:5]:
        number = as_number(each)
        inner = [number] if number is not None else _numbers(each, depth - 1)
        if not inner:
            return []
        found += inner
    return found


def _place(named: Named, keys: Sequence[str] = POINT_KEYS) -> Point | None:
    for key in keys:
        if key in named.given:
            point = point_in(named.given[key], y_first=named.y_first)
            if point is not None:
                return point
    if keys is POINT_KEYS:
        x, y = (named.first((axis, f"coordinate_{axis}")) for axis in "xy")
        if x is not None and y is not None:
            return point_in([x, y])
        if named.positional:
            whole = point_in(named.positional[0])
            return whole or point_in(list(named.positional[:2]))
    return None


def _pointed(kind: ActionType) -> Callable[[Named], Action]:
    return lambda named: Action(kind, point=_place(named))


BUTTONS: Mapping[str, Literal["left", "middle", "right"]] = {
    "left": "left",
    "primary": "left",
    "right": "right",
    "secondary": "right",
    "middle": "middle",
    "wheel": "middle",
    "center": "middle",
}
"""The buttons of a mouse by the names that agents give them, in small letters."""

COUNT_KEYS = ("clicks", "num_clicks", "click_count")
_CLICKS = {"right": ActionType.RIGHT_CLICK, "middle": ActionType.MIDDLE_CLICK}
_COUNTS = {2: ActionType.DOUBLE_CLICK, 3: ActionType.TRIPLE_CLICK}


def _click(named: Named) -> Action:
    button = BUTTONS.get(str(named.given.get("button", "left")).lower(), "left")
    kind = _CLICKS.get(button, ActionType.CLICK)
    count = as_number(named.first(COUNT_KEYS))
    if kind is ActionType.CLICK and count is not None:
        kind = _COUNTS.get(int(count), kind)
    return Action(kind, point=_place(named))


def _long_press(named: Named) -> Action:
    seconds = as_number(named.first(("time", "seconds", "duration")))
    return Action(ActionType.LONG_PRESS, point=_place(named), seconds=seconds)


def _type(named: Named) -> Action:
    # `pyautogui.write(["a", "b"])` and texts that are numbers are typed, too.
    value = named.first(TEXT_KEYS, 0)
    text = "".join(map(str, cast("list[object]", value))) if isinstance(value, list) else value
    return Action(
        ActionType.TYPE, point=_pointed_place(named), text="" if text is None else str(text)
    )


def _pointed_place(named: Named) -> Point | None:
    """Return a point that is given by name; the first positional argument is a text here."""
    return _place(Named(named.name, named.given, (), named.y_first))


def _select(named: Named) -> Action:
    if _place(named, END_KEYS):
        return _drag(named)
    text = named.text(("text", "value", "option", "content", "input_text"))
    return Action(ActionType.SELECT, point=_pointed_place(named), text=text)


def _corners(named: Named) -> tuple[Point | None, Point | None] | None:
    """Return where a movement begins and ends, if its four coordinates have names of their own."""
    for names in (("x1", "y1", "x2", "y2"), ("from_x", "from_y", "to_x", "to_y")):
        numbers = [named.given.get(name) for name in names]
        if None not in numbers:
            return point_in(numbers[:2]), point_in(numbers[2:])
    return None


def _drag(named: Named) -> Action:
    path = named.given.get("path")
    if isinstance(path, list) and len(cast("list[object]", path)) > 1:
        points = cast("list[object]", path)
        return Action(ActionType.DRAG, point=point_in(points[0]), end=point_in(points[-1]))
    start, end = _place(named), _place(named, END_KEYS)
    start, end = _corners(named) or (start, end)
    across, down = (named.given.get(f"destination_{axis}") for axis in "xy")
    if end is None and across is not None:
        end = point_in([across, down])
    if named.given.get("start_coordinate") is not None and end is None:
        # Claude's drag: the end is its `coordinate`.
        start = point_in(named.given["start_coordinate"])
        end = point_in(named.given.get("coordinate"))
    if end is None and named.name in ("dragto", "leftclickdrag", "dragrel"):
        start, end = None, start
    return Action(ActionType.DRAG, point=start, end=end)


def _swipe(named: Named) -> Action | None:
    start, end = _place(named), _place(named, END_KEYS)
    if start is not None and end is None and len(named.positional) == 2:
        end = point_in(named.positional[1])
    start, end = _corners(named) or (start, end)
    if start is not None and end is not None:
        if start == end:
            return None
        return Action(ActionType.SCROLL, point=start, end=end, direction=swiped(start, end))
    finger = direction_of(named.first(("direction", "to", "value", "text", "input_text"), 0))
    if finger is None:
        return None
    return Action(ActionType.SCROLL, point=start, direction=finger.opposite)


def _scroll(named: Named) -> Action | None:
    way = direction_of(
        named.first(("direction", "scroll_direction", "input_text", "text", "value"))
    )
    way = way or next(filter(None, map(direction_of, named.positional)), None)
    point = _place(named) if not named.positional else _pointed_place(named)
    if way is not None:
        return Action(
            ActionType.SCROLL, point=point, direction=way.opposite if named.finger else way
        )
    if named.name.startswith("scroll") and (way := direction_of(named.name.removeprefix("scroll"))):
        return Action(ActionType.SCROLL, point=point, direction=way)
    if way := _amounts(named):
        return Action(ActionType.SCROLL, point=point, direction=way)
    amount = as_number(named.first(("pixels", "clicks", "amount", "page", "scroll_amount"), 0))
    if amount is None and _place(named, END_KEYS):
        return _swipe(named)
    if not amount:
        return None
    back, forth = Direction.UP, Direction.DOWN
    if named.name.startswith("h"):
        # To the right for a positive amount, as pyautogui has it.
        back, forth = Direction.RIGHT, Direction.LEFT
    return Action(ActionType.SCROLL, point=point, direction=back if amount > 0 else forth)


def _amounts(named: Named) -> Direction | None:
    """Return where amounts along both axes lead; None where there are none."""
    given: Fields = named.given
    if len(named.positional) == 2:
        # BrowserGym's scroll(delta_x, delta_y).
        given = {"delta_x": named.positional[0], "delta_y": named.positional[1]}
    for axis, forward in (("y", Direction.DOWN), ("x", Direction.RIGHT)):
        amount = as_number(given.get(f"scroll_{axis}")) or as_number(given.get(f"delta_{axis}"))
        if amount:
            return forward if amount > 0 else forward.opposite
    if up := as_number(given.get("dy")):
        # OSWorld's, positive upwards as pyautogui has it.
        return Direction.UP if up > 0 else Direction.DOWN
    if right := as_number(given.get("dx")):
        return Direction.RIGHT if right > 0 else Direction.LEFT
    return None


_SYSTEM = frozenset({"back", "home", "recent", "recents", "menu", "appswitch", "overview"})


def _key(named: Named) -> Action | None:
    if len(named.positional) > 1:
        button = "+".join(map(str, named.positional))
    else:
        button = named.text(_KEY_KEYS)
    button = "+".join(button.lower().replace("+", " ").split())
    if not button:
        return None
    return _button(button)


def _button(name: str) -> Action:
    name = "enter" if name == "return" else name
    if name in _SYSTEM:
        return Action(ActionType.NAVIGATE, button="recent" if name in _RECENT else name)
    return Action(ActionType.KEY, button=name)


_RECENT = ("recents", "appswitch", "overview", "recentapps")


def _pressed(button: str) -> Callable[[Named], Action]:
    return lambda _: _button(button)


def _open(named: Named) -> Action | None:
    app = named.text(_APP_KEYS)
    return Action(ActionType.OPEN_APP, point=_pointed_place(named), app=app) if app else None


def _wait(named: Named) -> Action:
    seconds = as_number(named.first(("time", "seconds", "duration", "value"), 0))
    return Action(ActionType.WAIT, seconds=seconds)


_FAILED = frozenset({"failure", "fail", "failed", "infeasible", "impossible", "abort"})


def _finish(named: Named) -> Action:
    said = named.text(("status", "goal_status", "success"))
    if said.lower() in _FAILED or named.name in (
        "fail",
        "impossible",
        "infeasible",
        "reportinfeasible",
    ):
        return Action(ActionType.FINISH, status="infeasible")
    text = named.text(("text", "content", "message", "answer", "value", "return"), None)
    if not text and named.positional and said.lower() not in ("success", "complete", "completed"):
        text = str(named.positional[0])
    return Action(ActionType.FINISH, status="success", text=text)


def _asks(_: Named) -> Action:
    return Action(ActionType.FINISH, status="infeasible")


def _is_no_step(_: Named) -> None:
    return None


_READERS: dict[Callable[[Named], Action | None], str] = {
    _click: "click leftclick tap leftsingle singleclick clickat mouseclick touch singletap",
    _pointed(ActionType.DOUBLE_CLICK): "doubleclick doubletap leftdouble leftdoubleclick dblclick"
    " mousedblclick",
    _pointed(ActionType.TRIPLE_CLICK): "tripleclick",
    _pointed(ActionType.RIGHT_CLICK): "rightclick rightsingle",
    _pointed(ActionType.MIDDLE_CLICK): "middleclick",
    _pointed(ActionType.HOVER): "hover mousemove moveto move hoverat movemouse",
    _long_press: "longpress longpressat longclick longtap",
    _type: "type inputtext input write typewrite typetext typetextat typing"
    " keyboardtype keyboardinserttext entertext typename fill",
    _select: "select selectoption",
    _drag: "drag dragto leftclickdrag leftdrag draganddrop mousedraganddrop",
    _swipe: "swipe slide flick",
    _scroll: "scroll hscroll vscroll scrolldocument scrollat scrolldown scrollup scrollleft"
    " scrollright mousescroll",
    _key: "key press hotkey keypress keycombination keyboardpress pressenterkey systembutton"
    " presskey presskeys navigate",
    _open: "openapp open launch awake launchapp startapp",
    _wait: "wait sleep wait5seconds noop",
    _finish: "finish finished done terminate answer complete completed status fail impossible"
    " infeasible end submit reportinfeasible taskcomplete",
    _asks: "calluser takeover abort askuser interact info",
    # What an agent does on a screen, and no benchmark has as a step.
    _is_no_step: "mousedown leftmousedown mouseup leftmouseup holdkey",
    _pressed("back"): "back goback navigateback pressback navigationback",
    _pressed("home"): "home gohome navigatehome presshome navigationhome",
    _pressed("recent"): "recent pressrecent navigaterecent recentapps",
    _pressed("enter"): "enter pressenter keyboardenter",
}
READERS: Mapping[str, Callable[[Named], Action | None]] = MappingProxyType(
    {plain_name(name): reader for reader, names in _READERS.items() for name in names.split()}
)
"""From the name of an action, as `plain_name` writes it, to its reader."""

LOOKS = frozenset({"screenshot", "zoom", "cursorposition", "takescreenshot", "note", "callapi"})
"""What only looks: the action comes after it."""


_SUFFIX = re.compile(r"(?:desktop|element|absolute|abs|mobile)\Z")


def known_name(name: str) -> str:
    """Return an action's name without what says where or how it is done; empty if unknown.

    >>> known_name("click_desktop"), known_name("fly")
    ('click', '')
    """
    plain = plain_name(name)
    while plain not in READERS:
        shorter = _SUFFIX.sub("", plain)
        if shorter == plain:
            return ""
        plain = shorter
    return plain


def meant(named: Named) -> Action | None:
    """Return what a call means; None where it lacks what its action needs."""
    reader = READERS.get(known_name(named.name))
    return None if reader is None else reader(named)


def is_whole(action: Action) -> bool:
    """Whether an action that is nothing without a point has one."""
    return action.type not in POINTED or action.point is not None
