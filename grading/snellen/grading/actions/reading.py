"""Read the action that a model wrote: ours, for every format and every benchmark alike.

What is read is what a careful person would understand. Prose that names a verb is no action, a
denied call is none, a call inside a typed text is none; of several calls the first that acts is
the step.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

import msgspec

from snellen.grading.actions.formats import FORMATS, Format
from snellen.grading.actions.meaning import (
    LOOKS,
    READERS,
    Named,
    is_whole,
    known_name,
    meant,
    point_in,
)
from snellen.grading.calls import Call, TooManyError, plain_name, scan
from snellen.grading.coordinates import CoordinateSpace
from snellen.grading.models.actions import POINTED, Action, ActionType, Point, direction_of
from snellen.grading.parse.envelope import ToolUse, arguments_of, opened
from snellen.grading.parse.final_answers import CUT_OFF, unwrapped, without_reasoning
from snellen.grading.parse.responses import as_json_text
from snellen.grading.parse.vocabularies.base import as_number
from snellen.grading.standing import is_answered, without_asides

Fields = Mapping[str, object]


class ReadAction(NamedTuple):
    """An action that was read."""

    action: Action  # the action, its points in `space`
    format: str  # the name of the format that it is written in
    space: CoordinateSpace  # what its coordinates count
    note: str = ""  # what else a reader should know; empty for nothing


class NoActionError(Exception):
    """A response holds no action; the text says what was looked for."""


MORE = "its first action is the step; there are more"
NO_ACTION = "no action of any known format in it (docs/formats.md lists them)"
_TOO_MANY = "too many candidate calls"
_TOO_DEEP = "nested too deep"
_NO_POINT = "it names no point to act at"
ONLY_LOOKS = "it only looks at the screen"

TOOLS = frozenset({"mobileuse", "computeruse", "computer", "browseruse", "phoneuse", "android"})
_GEMINI_ONLY = frozenset(
    {"clickat", "hoverat", "typetextat", "scrolldocument", "scrollat", "keycombination"}
    | {"wait5seconds", "draganddrop", "longpressat"}
)
NAME_KEYS = (
    "action", "action_type", "type", "name", "tool", "tool_name", "function", "ACTION",
)  # fmt: skip
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "input", "kwargs")
_KNOWN = frozenset(READERS) | LOOKS | TOOLS | {"do"}

_AGENTCPM = ("POINT", "TYPE", "PRESS", "STATUS", "OPEN_APP", "duration")
_AGENTCPM_ENDS = {"finish", "satisfied", "impossible", "interrupt", "need_feedback"}
_SEECLICK = {4: "click", 2: "select", 3: "type"}
_AGENTCPM_LONG = 200

# ---- where the answer stands -------------------------------------------------------------------

_INSIDE = re.compile(r"<(answer|action|actions)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[a-z]{0,12}[ \t]*+\n(.*?)(?:```|\Z)", re.DOTALL)
_CUE = re.compile(
    r"^[ \t#*_]*+(?:actions?|grounded operation|code|(?:final )?answer)"
    r"[*_]*+[ \t]*+[:\uff1a][*_]*+",
    re.IGNORECASE | re.MULTILINE,
)
_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3001: ",", 0x2212: "-"}

# ---- lines -------------------------------------------------------------------------------------

_LINE = re.compile(
    r"(?P<name>[A-Z][A-Z_]{2,20})"
    r"(?:(?P<odyssey>[ \t]*+:)(?P<after>[^\n]*+)|[ \t]++(?P<rest>\[[^\n]*|<point>[^\n]*)|\.?)"
)
_AT = re.compile(
    r"[\W_]{0,3}(?P<name>[A-Za-z]{3,12}(?: [a-z]{3,6})?)(?: (?:at|on))? ?"
    r"[(\[](?P<x>\d{1,5}(?:\.\d{1,9})?), ?(?P<y>\d{1,5}(?:\.\d{1,9})?)[)\]][.`*]{0,3}"
)
_STEP_FIELDS = re.compile(r"(?:^|\t)action:[ \t]*([A-Za-z_]+)[ \t]*(?=\t|$)", re.MULTILINE)
_ADB = re.compile(
    r"^\W{0,3}adb (?:-s \S{1,40} )?shell input (?P<name>tap|swipe|text|keyevent)"
    r" (?P<rest>[^\n`]{1,2000})",
    re.MULTILINE,
)
_KEY_CODES = {"3": "home", "4": "back", "66": "enter", "187": "recent", "APP_SWITCH": "recent"}
_STEP_NAMES = {"longpress": "longpress", "awake": "open", "slide": "swipe"}


def read_action(response: object, declared: Format | None = None) -> ReadAction:
    """Read the action in a response.

    Args:
        response: Text, or what an API returned: an object or its JSON text.
        declared: The format that it is in; None: the one whose marks it has.

    Raises:
        NoActionError: There is none; the message says why.
    """
    return _step(calls_in(response), declared)


def calls_in(response: object) -> "list[MarkedCall]":
    """Return the calls of a response, in order, with those that are not read.

    Args:
        response: As for `read_action`.

    Raises:
        NoActionError: There is none; the message says why.
    """
    try:
        calls = _in_response(response)
    except RecursionError:
        raise NoActionError(_TOO_DEEP) from None
    if not calls:
        raise NoActionError(NO_ACTION)
    return calls


def _in_response(response: object) -> "list[MarkedCall]":
    found = opened(response)
    if found is None:
        return _in_text(response) if isinstance(response, str) else _in_value(response)
    calls = [each for use in found.calls for each in _of_tool(use)]
    return calls or _in_text(found.text)


_PLAIN = frozenset(Action.__struct_fields__) | {"action", "x", "y", "space", "view", "thought"}


def is_plain(response: object) -> bool:
    """Whether an object is an action in plain JSON: by its fields, of which others have more."""
    return isinstance(response, dict) and cast("Fields", response).keys() <= _PLAIN


def is_action(fields: Fields) -> bool:
    """Whether an object is an action itself, and not a record that holds the text of one."""
    name = fields.get("action")
    return isinstance(name, str) and plain_name(name) in READERS and bool(list(_of_object(fields)))


class MarkedCall(NamedTuple):
    """A call of a response.

    Attributes:
        named: Its name and arguments.
        format: The format whose marks it has; empty for a call that is not read: its name is
            unknown, or its arguments are no literals.
    """

    named: Named
    format: str


def _in_value(value: object) -> list[MarkedCall]:
    if isinstance(value, list):
        return [each for part in cast("list[object]", value) for each in _in_value(part)]
    if isinstance(value, dict):
        return list(_of_object(cast("Fields", value)))
    text = as_json_text(value)
    return [] if text is None else _in_text(text)


def _in_text(text: str) -> list[MarkedCall]:
    said = without_reasoning(text)
    if said is None:
        raise NoActionError(CUT_OFF)
    failure, unread = "", list[MarkedCall]()
    # Signs of full width count where nothing is found without; a typed text keeps them.
    texts = (said,) if said.isascii() else (said, said.translate(_WIDTHS))
    for part in (part for text in texts for part in _parts(text)):
        try:
            calls = list(_of_text(part))
        except TooManyError:
            failure = _TOO_MANY
            continue
        if any(call.format for call in calls):
            return calls
        unread = unread or calls
        calls = list(_of_lines(part))
        if calls:
            return calls
    if failure or not unread:
        raise NoActionError(failure or NO_ACTION)
    return unread


def _parts(text: str) -> Iterator[str]:
    """Yield where the action may stand, the likeliest first, the whole text last."""
    inside = [found[2] for found in _INSIDE.finditer(text)]
    yield from inside[-1:]
    cues = [found.end() for found in _CUE.finditer(text)]
    if cues:
        yield text[cues[-1] :]
    if "```" in text:
        for fence in FENCE.finditer(text):
            yield fence[1]
    yield text


def _of_text(text: str) -> Iterator[MarkedCall]:
    text = without_asides(text)
    for call in scan(text, _KNOWN, unread=True, open_ended=True):
        if call.form != "tag" and not is_answered(text, call.start, call.end):
            continue
        if call.form == "unread":
            yield MarkedCall(Named(call.name), "")
        elif call.form == "object":
            yield from _of_object(call.given)
        elif call.form == "tag":
            use = ToolUse(call.name, call.given, _api_of_tag(call, text))
            yield from _of_tool(use)
        else:
            yield from _of_call(call)


def _api_of_tag(call: Call, text: str) -> str:
    if text.startswith("<invoke", call.start):
        return "claude"
    return "seed" if "seed:" in text else "qwen"


def _of_call(call: Call) -> Iterator[MarkedCall]:
    name = plain_name(call.name)
    if name == "do":
        inner = plain_name(str(call.given.get("action", "")))
        yield MarkedCall(Named(inner, call.given), "autoglm")
        return
    if name in TOOLS:
        yield from _of_tool(ToolUse(call.name, call.given, "chat"))
        return
    yield MarkedCall(Named(name, call.given, call.positional), _format_of_call(call))


def _format_of_call(call: Call) -> str:
    own = call.name.rpartition(".")[2]
    if plain_name(own) in _GEMINI_ONLY:
        return "gemini"
    box = call.given.get("start_box")
    if box is not None:
        return "glm-4.5v" if "[" in str(box) else "ui-tars"
    if own.isupper() and isinstance(call.given.get("box"), list):
        boxed = cast("list[object]", call.given["box"])
        return "cogagent" if boxed and isinstance(boxed[0], list) else "ui-venus"
    if isinstance(call.given.get("point"), str) or isinstance(call.given.get("start_point"), str):
        return "ui-tars-2"
    if own[:1].isupper() and not own.isupper():
        return "ui-venus"
    if call.name.startswith("page."):
        return "openai"
    if "." in call.name:
        return "opencua"
    return "internvl" if call.given else "screensuite"


def _of_tool(use: ToolUse) -> Iterator[MarkedCall]:
    name = plain_name(use.name)
    given = use.arguments
    inner = given.get("action", given.get("type")) if name in TOOLS or name not in READERS else None
    form = {"claude": "claude", "openai": "openai", "gemini": "gemini", "seed": "seed"}.get(use.api)
    if isinstance(inner, dict):
        yield from _of_object(cast("Fields", inner))
        return
    if isinstance(inner, str):
        name = plain_name(inner)
    if form is None:
        if plain_name(use.name) in ("mobileuse", "computeruse"):
            form = "qwen"
        else:
            form = "gemini" if name in _GEMINI_ONLY else "qwen" if use.api == "qwen" else "openai"
    # A swipe of `mobile_use` and all else of a tool: the names are the table's.
    yield MarkedCall(Named(name, given), form)


def _of_object(fields: Fields) -> Iterator[MarkedCall]:
    for several in (fields.get("actions"), fields.get("action")):
        if isinstance(several, list) and several:
            for each in cast("list[object]", several):
                if isinstance(each, dict):
                    yield from _of_object(cast("Fields", each))
            return
    if len(fields) == 1:
        # {"click": {"x": .., "y": ..}}
        ((key, inside),) = fields.items()
        if key not in _ARGUMENT_KEYS and plain_name(key) in READERS and isinstance(inside, dict):
            yield MarkedCall(Named(plain_name(key), cast("Fields", inside)), "plain")
            return
    said = opened(dict(fields))
    if said is not None and said.calls:
        for use in said.calls:
            yield from _of_tool(use)
        return
    if isinstance(fields.get("ACTION"), str) and "ARGS" in fields:
        yield _of_coat(str(fields["ACTION"]), fields["ARGS"])
        return
    named = next((fields[key] for key in NAME_KEYS if fields.get(key) is not None), None)
    given = next((fields[key] for key in _ARGUMENT_KEYS if fields.get(key) is not None), None)
    if isinstance(named, dict):
        yield from _of_inner(cast("Fields", named))
    elif (
        isinstance(named, str)
        and isinstance(given, dict | str)
        and not isinstance(fields.get("x"), int | float)
    ):
        arguments = arguments_of(cast("object", given))
        if arguments or given in ("", "{}", {}):
            api = "gemini" if "args" in fields else "chat"
            yield from _of_tool(ToolUse(named, arguments, api))
    elif isinstance(named, str) and "(" in named:
        yield from _of_text(named)
    elif isinstance(named, int) and named in _SEECLICK and "click_point" in fields:
        yield MarkedCall(Named(_SEECLICK[named], fields), "seeclick")
    elif isinstance(named, str) and not _is_label(fields, named):
        name = plain_name(named)
        if known_name(named) or name in LOOKS:
            yield MarkedCall(Named(name, fields), _format_of_object(name, fields))
        elif named in (fields.get("action"), fields.get("action_type")):
            yield MarkedCall(Named(named, fields), "")
    elif named is None and isinstance(given, dict):
        yield from _of_object(cast("Fields", given))
    elif any(key in fields for key in _AGENTCPM):
        compact = _compact(fields)
        if compact is not None:
            yield MarkedCall(compact, "agentcpm")


_ELSEWHERE = (ActionType.FINISH, ActionType.NAVIGATE, ActionType.KEY, ActionType.OPEN_APP)
_PLACES = frozenset(
    {"x", "point", "point_2d", "coordinate", "coordinates", "box", "bbox", "bbox_2d"}
)


def _is_label(fields: Fields, named: str) -> bool:
    """Whether a name that acts is what an element with a place is called, such as "Submit"."""
    if fields.get("name") != named and fields.get("type") != named:
        return False
    act = meant(Named(plain_name(named), fields)) if known_name(named) else None
    return act is not None and act.type in _ELSEWHERE and not _PLACES.isdisjoint(fields)


def _of_coat(name: str, arguments: object) -> MarkedCall:
    given = cast("Fields", arguments if isinstance(arguments, dict) else {})
    plain = plain_name(name)
    if plain == "stop":
        return MarkedCall(Named("finish", {"status": given.get("task_status", "success")}), "coat")
    return MarkedCall(Named(plain, given, finger=True), "coat")


def _of_inner(inner: Fields) -> Iterator[MarkedCall]:
    """Read an action that is the field of an object: Holo's, or a chat's `function`."""
    if "arguments" in inner or "args" in inner:
        yield from _of_object(inner)
        return
    for found in _of_object(inner):
        holo = found.format == "plain" and "action" in inner
        yield found._replace(format="holo") if holo else found


def _format_of_object(name: str, fields: Fields) -> str:
    if name in ("clickelement", "clickabsolute", "writeelementabs", "writeelement"):
        return "holo"
    if "box_2d" in fields:
        return "glm-4.1v"
    if "grounding" in fields:
        return "uground" if "action_type" in fields else "uground-web"
    if "input_text" in fields and "point" in fields:
        return "gui-r1"
    if "position" in fields and "value" in fields:
        return "showui"
    if "start_point" in fields or "scroll_distance" in fields:
        return "mimo-vl"
    if "action_type" in fields:
        return "androidworld"
    if "action" not in fields and "type" in fields:
        return "openai"
    return "plain"


def _compact(fields: Fields) -> Named | None:
    """Read AgentCPM-GUI's compact object."""
    duration = fields.get("duration")
    if "POINT" in fields:
        point = {"point": fields["POINT"]}
        way = fields.get("to")
        if way is not None:
            key = "direction" if isinstance(way, str) else "end"
            return Named("swipe", {**point, key: way})
        long = isinstance(duration, int | float) and duration > _AGENTCPM_LONG
        return Named("longpress" if long else "click", point)
    if isinstance(fields.get("TYPE"), str):
        return Named("type", {"text": fields["TYPE"]})
    if isinstance(fields.get("PRESS"), str):
        return Named("press", {"key": fields["PRESS"]})
    if isinstance(fields.get("OPEN_APP"), str):
        return Named("open", {"app": fields["OPEN_APP"]})
    status = fields.get("STATUS")
    if isinstance(status, str) and status in _AGENTCPM_ENDS:
        done = status in ("finish", "satisfied")
        return Named("finish", {"status": "success" if done else "infeasible"})
    waited = as_number(duration)
    return None if waited is None else Named("wait", {"seconds": waited / 1000})


def _of_lines(text: str) -> Iterator[MarkedCall]:
    """Read the formats that are lines: OS-Atlas, GUI-Odyssey, Step-GUI, adb."""
    if adb := _ADB.search(text):
        yield _of_adb(adb)
        return
    tabs = list(_STEP_FIELDS.finditer(text))
    if tabs:
        tabbed = tabs[-1]
        line = text[text.rfind("\n", 0, tabbed.end()) + 1 :].partition("\n")[0]
        pairs = [field.partition(":") for field in line.split("\t")]
        name = plain_name(tabbed[1])
        given = {key.strip(): value.strip() for key, _, value in pairs}
        yield MarkedCall(Named(_STEP_NAMES.get(name, name), given), "step-gui")
        return
    # A line that is the whole of what is said, or of its last paragraph.
    said = unwrapped(text)
    for line in said.splitlines()[:1] if said.count("\n") < 4 else ():
        found = _LINE.fullmatch(line.strip())
        if found is not None:
            yield from _of_line(found)
    # A verb and a place, and not a word more.
    if found := _AT.fullmatch(said):
        point = [float(found["x"]), float(found["y"])]
        named = Named(plain_name(found["name"]), {"point": point})
        act = meant(named)
        if act is not None and act.type in POINTED:
            yield MarkedCall(named, "plain")


def _of_adb(found: re.Match[str]) -> MarkedCall:
    """Read a command of adb's `input`, in pixels of the screen."""
    name, rest = found["name"], found["rest"].strip()
    numbers = rest.split()
    if name == "text":
        return MarkedCall(
            Named("type", {"text": rest.strip("\"'").replace("%s", " ")}), "androidworld"
        )
    if name == "keyevent":
        key = rest.upper().removeprefix("KEYCODE_")
        return MarkedCall(Named("press", {"key": _KEY_CODES.get(key, key)}), "androidworld")
    given: dict[str, object] = {"point": " ".join(numbers[:2])}
    if name == "swipe":
        given["end"] = " ".join(numbers[2:4])
    return MarkedCall(Named("tap" if name == "tap" else "swipe", given), "androidworld")


def _of_line(found: re.Match[str]) -> Iterator[MarkedCall]:
    name = plain_name(found["name"])
    if name not in READERS:
        return
    odyssey = found["odyssey"] is not None
    inside = (found["after"] if odyssey else found["rest"] or "").strip()
    if not odyssey and inside.startswith("[") and inside.endswith("]"):
        inside = inside[1:-1]
    given: dict[str, object] = {}
    if inside:
        point = point_in(inside)
        if name in ("scroll", "swipe"):
            way = direction_of(inside)
            if way is None:
                return
            given["direction"] = way.opposite.value if odyssey else way.value
        elif point is not None and name not in ("type", "openapp"):
            given["point"] = list(point)
        else:
            given["text"] = inside
    elif name in ("type", "openapp") and not odyssey:
        return
    yield MarkedCall(Named(name, given), "gui-odyssey" if odyssey else "os-atlas")


def _step(calls: Sequence[MarkedCall], declared: Format | None) -> ReadAction:
    """Return the first call that acts; a move of the mouse only says where the next one is."""
    read: list[tuple[Action, str]] = []
    pointer: Point | None = None
    lacking = NO_ACTION
    for named, form in calls:
        if not form:
            continue
        chosen = declared or FORMATS[form]
        named = replace(named, y_first=chosen.y_first and form not in ("openai",))
        if named.name in LOOKS:
            lacking = ONLY_LOOKS
            continue
        action = meant(named)
        if action is None:
            continue
        if action.point is None and pointer is not None and action.type is not ActionType.TYPE:
            action = msgspec.structs.replace(action, point=pointer)
        if action.type is ActionType.HOVER:
            pointer = action.point
        if is_whole(action):
            read.append((action, form))
        else:
            lacking = _NO_POINT
    acts = [each for each in read if each[0].type is not ActionType.HOVER]
    acts = acts or read
    if not acts:
        raise NoActionError(lacking)
    action, form = acts[0]
    chosen = declared or FORMATS[form]
    if chosen.factors != (1.0, 1.0):
        action = _scaled(action, chosen.factors)
    return ReadAction(
        action,
        chosen.name,
        chosen.counts(action.point, action.end),
        MORE if len(acts) > 1 else "",
    )


def _scaled(action: Action, factors: Point) -> Action:
    def scaled(point: Point | None) -> Point | None:
        return point and (point[0] * factors[0], point[1] * factors[1])

    return msgspec.structs.replace(action, point=scaled(action.point), end=scaled(action.end))
