"""The tools of interactive items: `act` on their screen, or one tool for each application."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue, create_model

from snellen.server.errors import ExamError
from snellen.server.exam.rules import Door
from snellen.server.mcp.call import (
    Arguments,
    AttemptHandle,
    Call,
    ClientArgument,
    ClientName,
    Handle,
    ItemArgument,
    ItemId,
    plain_schema,
)
from snellen.server.mcp.tools import TOOLS, Content, ExamTool, StartPlaying, json_content
from snellen.server.mcp.views import show_screen, state_of, tree_of
from snellen.tasks.environments.acting import ACTIONS
from snellen.tasks.environments.base import WorldTool


def _shown(kind: str, description: str = "", **more: JsonValue) -> Any:  # noqa: ANN401  # a field
    """Return a field with a type in the schema. Its value is not checked here."""
    known: dict[str, JsonValue] = {"type": kind, **more}
    if description:
        known["description"] = description
    return Field(default=None, json_schema_extra=known)


def _point(description: str = "") -> Any:  # noqa: ANN401
    return _shown("array", description, items={"type": "number"})


class InWorld(Arguments):
    """The arguments of every call in an item's world; the others are read later."""

    model_config = ConfigDict(extra="allow")

    attempt: AttemptHandle
    item: ItemArgument
    client: ClientArgument = "main"

    def said(self) -> dict[str, Any]:
        """Return the other arguments, as received."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        for name in InWorld.model_fields:
            given.pop(name, None)
        said = {**given, **(self.model_extra or {})}
        return {name: value for name, value in said.items() if value is not None}


_NUMBERS: dict[str, JsonValue] = {"type": "array", "items": {"type": "number"}}


class Act(InWorld):
    """The arguments of `act`. Fields of other vocabularies are accepted and read later."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"required": ["attempt", "item", "action"]}
    )

    action: Any = _shown("string", enum=list(ACTIONS))
    coordinate: Any = _point("x, y")
    start_coordinate: Any = _point("Where a drag starts")
    path: Any = _shown("array", "Points of a drag", items=_NUMBERS)
    text: Any = _shown("string", "To type; or key names, ctrl+a")
    keys: Any = _shown("array", items={"type": "string"})
    button: Any = _shown("string", enum=["left", "right", "middle"])
    scroll_direction: Any = _shown("string", enum=["up", "down", "left", "right"])
    scroll_amount: Any = _shown("number", "Turns of the wheel")
    duration: Any = _shown("number", "Seconds to wait, at most 5")


async def act(call: Call, given: InWorld) -> Sequence[Content]:
    """Do an action on the screen of an item."""
    attempt, caller = await call.find(given.attempt), call.caller(given.client)
    lease = await call.episodes.held(attempt, caller, given.item.strip())
    call.about(lease)
    turn = await call.episodes.act(attempt, lease, given.said())
    if turn.shot is None:
        return [json_content(state_of(turn)), *tree_of(turn)]
    look = await show_screen(call, turn.shot)
    return [json_content({**state_of(turn), **look.words}), *look.images]


_ACTIONS = ("click", "double_click", "right_click", "mouse_move", "left_click_drag", "type", "key",
            "scroll", "wait")  # fmt: skip


class _Aimed(InWorld):
    """The arguments of `act` beside marks or refs; those of other vocabularies are read, too."""

    action: Any = _shown("string", enum=list(_ACTIONS))
    text: Any = _shown("string", "To type; or key names, ctrl+a")
    scroll_direction: Any = _shown("string", enum=["up", "down", "left", "right"])
    scroll_amount: Any = _shown("number", "Turns of the wheel")
    duration: Any = _shown("number", "Seconds to wait, at most 5")


class ActByMark(_Aimed):
    """The arguments of `act` where controls have marks."""

    mark: Any = _shown("integer", "Number of a control on the last screenshot")
    end_mark: Any = _shown("integer", "Where a drag ends")


class ActByRef(_Aimed):
    """The arguments of `act` where controls have refs."""

    ref: Any = _shown("string", "Ref of a control in the last tree, such as e12")
    end_ref: Any = _shown("string", "Where a drag ends")


_BY_ID = (
    "One action on a control of the page: a click, text, keys, a drag, a scroll, a wait. Each input"
    " is a step. Returns the next {}."
)
_AIMED: dict[Door, ExamTool[Any]] = {
    door: ExamTool(
        "act", "Act on the page", takes, act, idempotent=False, words=_BY_ID.format(where)
    )
    for door, takes, where in (
        (Door.MARKS, ActByMark, "screenshot with its marks"),
        (Door.TREE, ActByRef, "accessibility tree"),
    )
}

PLAYING_TOOLS: dict[str, ExamTool[Any]] = {
    **{
        name: replace(tool, takes=StartPlaying) if name == "start_attempt" else tool
        for name, tool in TOOLS.items()
        if name != "finish_attempt"
    },
    "act": ExamTool(
        "act",
        "Act on the screen",
        Act,
        act,
        idempotent=False,
        words="One input to the application that the item shows: a click, text, keys, a drag, a"
        " scroll, a wait. Each is a step. Returns the next screenshot.",
    ),
    "finish_attempt": TOOLS["finish_attempt"],
}
"""The tools of an exam whose interactive items are done on their screen."""


class InApplication(InWorld):
    """The arguments of every call of an application's tool; those of its action are read later."""

    action: Any

    def said(self) -> dict[str, Any]:
        """Return the arguments of the action, as received."""
        said = super().said()
        del said["action"]
        return said


def of_application(tools: Sequence[WorldTool]) -> type[InApplication]:
    """Return the arguments of an application's tool: an action, and what its actions take.

    What an action takes is not checked here: the world checks it, and a call with a wrong argument
    is a step. attempt, item and client have no descriptions, since other tools describe them.

    Raises:
        ExamError: An argument has the name of a server argument, or actions give different types
            to an argument.
    """
    app = tools[0].app
    shown: dict[str, dict[str, Any]] = {}
    for tool in tools:
        for name, known in _properties(tool).items():
            if name in InApplication.model_fields:
                raise ExamError(
                    f"the argument {name!r} of the tool {tool.name} has the name of one of the"
                    " server's"
                )
            shown[name] = _merged(shown[name], known) if name in shown else known
            if "type" not in shown[name]:
                raise ExamError(f"the tools of {app} give different types to {name!r}")
    fields: dict[str, Any] = {
        "attempt": (Handle, ...),
        "item": (ItemId, ...),
        "client": (ClientName, Field(default_factory=lambda: "main")),
        "action": (Literal[tuple(tool.name for tool in tools)], ...),
    }
    for name, known in shown.items():
        fields[name] = (Any, Field(default=None, json_schema_extra=known))
    return create_model(app, __base__=InApplication, __doc__=None, **fields)


_ARTICLES = frozenset({"a", "an", "the"})


def described(tool: WorldTool) -> str:
    """Return an action with its arguments, for its application's description.

    `folder=inbox` has a default, and `text?` may be left out. The tool's sentence follows if it
    says more than its name.
    """
    schema = tool.arguments.model_json_schema()
    words: list[str] = []
    for name, known in schema.get("properties", {}).items():
        if name in schema.get("required", ()):
            words.append(name)
        else:
            default = known.get("default")
            words.append(f"{name}={default}" if default else f"{name}?")
    call = f"{tool.name}({', '.join(words)})"
    sentence = tool.description.lower().rstrip(".").split()
    repeats = [word for word in sentence if word not in _ARTICLES] == tool.name.split("_")
    return call if repeats else f"{call}: {tool.description}"


def _properties(tool: WorldTool) -> dict[str, dict[str, Any]]:
    """Return the schemas of a tool's arguments, in words that every model's API accepts.

    Gemini's API refuses the format of dates, and empty values in a list of values. A default
    belongs to one action: a client that sends it with another one would be refused.
    """
    schema = tool.arguments.model_json_schema()
    required = schema.get("required", ())
    found: dict[str, dict[str, Any]] = {}
    for name, raw in schema.get("properties", {}).items():
        known = plain_schema(raw)
        known.pop("default", None)
        if known.pop("format", None) == "date":
            known["description"] = "YYYY-MM-DD"
        values = known.get("enum", ())
        if "" in values:
            del known["enum"]
            values = [value for value in values if value]
            if name in required:
                known["description"] = f"{', '.join(values)}, or empty"
            else:
                known["enum"] = values
        found[name] = known
    return found


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an argument that two actions take."""
    merged = {key: value for key, value in first.items() if second.get(key) == value}
    if "enum" in first and "enum" in second:
        merged["enum"] = list(dict.fromkeys([*first["enum"], *second["enum"]]))
    return merged


def application_tool(tools: Sequence[WorldTool]) -> ExamTool[Any]:
    """Return the tools of one application as one tool with an action for each.

    Raises:
        ExamError: Its arguments can't be those of one tool.
    """

    async def run(call: Call, given: InApplication) -> Sequence[Content]:
        call.tool = given.action  # as episodes record it
        attempt, caller = await call.find(given.attempt), call.caller(given.client)
        lease = await call.episodes.held(attempt, caller, given.item.strip())
        call.about(lease)
        turn = await call.episodes.call(attempt, lease, given.action, given.said())
        came = {"refused": turn.note} if turn.note else {"result": turn.answer}
        return [json_content({**state_of(replace(turn, note="")), **came})]

    reads = all(tool.reads for tool in tools)
    return ExamTool(
        tools[0].app,
        None,
        of_application(tools),
        run,
        reads_only=reads,
        idempotent=reads,
        words="\n".join(["Actions:", *map(described, tools)]),
    )


def calling_tools(worlds: Sequence[WorldTool]) -> dict[str, ExamTool[Any]]:
    """Return the tools of an exam whose interactive items are done by tools.

    Applications have one tool each, since hosts send all descriptions to the model at every turn.

    Raises:
        ExamError: Two applications have the same name, or an application or an argument of it has
            a name that the server uses.
    """
    last = "finish_attempt"
    apps: dict[str, list[WorldTool]] = {}
    for tool in worlds:
        same = apps.setdefault(tool.app, [])
        if tool.app in TOOLS or tool.name in {other.name for other in same}:
            raise ExamError(f"two packs have a tool {tool.app}: serve them apart")
        same.append(tool)
    return {
        **{name: tool for name, tool in TOOLS.items() if name != last},
        **{name: application_tool(tools) for name, tools in apps.items()},
        last: TOOLS[last],
    }


def tools_of(door: Door | None, worlds: Sequence[WorldTool]) -> dict[str, ExamTool[Any]]:
    """Return the tools of an exam.

    Args:
        door: The interface of its interactive items; None: it has none.
        worlds: The tools of their applications, where these are called.

    Raises:
        ExamError: As for `calling_tools`.
    """
    if door is Door.TOOLS:
        return calling_tools(worlds)
    if door is Door.SCREEN:
        return PLAYING_TOOLS
    if door is not None and door in _AIMED:
        last = "finish_attempt"
        tools = {name: tool for name, tool in TOOLS.items() if name != last}
        return {**tools, "act": _AIMED[door], last: TOOLS[last]}
    return TOOLS
