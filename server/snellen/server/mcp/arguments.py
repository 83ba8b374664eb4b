"""The arguments of each tool: closed models, which refuse a misspelled argument."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    create_model,
    model_validator,
)

from snellen.grading.models.base import Closed
from snellen.server.errors import ExamError
from snellen.tasks.environments.acting import ACTIONS
from snellen.tasks.environments.base import WorldTool

MAX_NAME = 64


def _unquoted(value: object) -> object:
    """Parse a list that a client sent as text."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # refused by the type check
    return value


def _looked_up(value: object) -> object:
    """Replace lone surrogates, which can't be encoded; the value is then not found."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


_LookedUp = Annotated[str, BeforeValidator(_looked_up)]
_Handle = Annotated[_LookedUp, Field(max_length=200)]
_Attempt = Annotated[_Handle, Field(description="Handle from start_attempt")]
_ItemId = Annotated[_LookedUp, Field(max_length=MAX_NAME)]
_Item = Annotated[_ItemId, Field(description="Item id")]
_ClientName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
_Client = Annotated[
    _ClientName,
    Field(description="Your name for this context; another context takes another name"),
]
_Tasks = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=100)]
_Space = Literal["pixels", "view", "unit", "thousand"]


class Arguments(Closed):
    """The arguments of a tool; null for one that has a default is the default.

    Clients in strict mode send null for every argument that they leave out.
    """

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = cls.model_fields
        return {
            name: value
            for name, value in cast("Mapping[str, object]", given).items()
            if value is not None or name not in fields or fields[name].is_required()
        }


class ListBenchmarks(Arguments):
    """The arguments of `list_benchmarks`: none."""


class StartAttempt(Arguments):
    """The arguments of `start_attempt`."""

    tasks: Annotated[
        _Tasks | None,
        BeforeValidator(_unquoted),
        Field(description="Tasks or benchmarks; all that is offered if left out"),
    ] = None
    contexts: Annotated[
        Literal["fresh", "continuous"] | None,
        Field(description="fresh: each context sees one item; continuous: any number"),
    ] = None
    model: Annotated[str | None, Field(max_length=200, description="Who answers")] = None


class StartPlaying(StartAttempt):
    """The arguments of `start_attempt` in an exam with interactive items."""

    space: Annotated[
        Literal["pixels", "unit", "thousand"],
        Field(description="Unit of act's coordinates: screenshot pixels, 0..1 or 0..1000"),
    ] = "pixels"


class ListItems(Arguments):
    """The arguments of `list_items`."""

    attempt: _Attempt
    status: Literal["open", "answered"] | None = None
    cursor: Annotated[
        str | None, Field(pattern=r"^\d{1,9}$", description="next_cursor of the page before")
    ] = None
    client: Annotated[
        str | None, Field(min_length=1, max_length=MAX_NAME, description="Only this client's")
    ] = None


class GetItem(Arguments):
    """The arguments of `get_item`."""

    attempt: _Attempt
    item: Annotated[
        _LookedUp | None,
        Field(max_length=MAX_NAME, description="Item id; the next open one if left out"),
    ] = None
    client: _Client = "main"


class GetScreenshot(Arguments):
    """The arguments of `get_screenshot`."""

    attempt: _Attempt
    item: _Item
    image: Annotated[
        str | None, Field(max_length=200, description="Image name; the first if left out")
    ] = None
    region: Annotated[
        tuple[float, float, float, float] | None,
        BeforeValidator(_unquoted),
        Field(description="left, top, right, bottom"),
    ] = None
    space: Annotated[
        Literal["pixels", "unit", "thousand"],
        Field(description="What region counts: pixels of the image, 0..1 or 0..1000"),
    ] = "pixels"
    tile: Annotated[int | None, Field(ge=1, description="A full-size part, from 1")] = None
    zoom: Annotated[float | None, Field(gt=0, description="View pixels an image pixel")] = None
    max_side: Annotated[int | None, Field(ge=1, description="Longest side, in pixels")] = None
    format: Literal["auto", "png", "webp", "jpeg"] = "auto"
    client: _Client = "main"


class SubmitAnswer(Arguments):
    """The arguments of `submit_answer`."""

    attempt: _Attempt
    item: _Item
    answer: Annotated[
        JsonValue,
        Field(
            description="In the item's answer format",
            json_schema_extra={
                "anyOf": [
                    {"type": "string"},
                    {"type": "number"},
                    {"type": "object"},
                    {
                        "type": "array",
                        "items": {
                            "anyOf": [{"type": "string"}, {"type": "number"}, {"type": "object"}]
                        },
                    },
                ]
            },
        ),
    ]
    space: Annotated[_Space | None, Field(description="What the answer's coordinates count")] = None
    view: Annotated[str | None, Field(max_length=200, description="view id, for space view")] = None
    next: Annotated[bool, Field(description="Also return the next item")] = False
    client: _Client = "main"


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

    attempt: _Attempt
    item: _Item
    client: _Client = "main"

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
        "attempt": (_Handle, ...),
        "item": (_ItemId, ...),
        "client": (_ClientName, Field(default_factory=lambda: "main")),
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
        known = _plain(raw)
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


class FinishAttempt(Arguments):
    """The arguments of `finish_attempt`."""

    attempt: _Attempt


_UNREAD = {"title", "$ref", "anyOf", "maxLength", "minLength", "pattern", "prefixItems"}


def schema(model: type[Closed]) -> dict[str, Any]:
    """Return an argument class's JSON schema without titles, nulls and null defaults.

    Language models do not need these.
    """
    raw = model.model_json_schema()
    properties = cast("dict[str, dict[str, Any]]", raw.get("properties", {}))
    plain: dict[str, Any] = {
        "type": "object",
        "properties": {name: _plain(known) for name, known in properties.items()},
    }
    if required := raw.get("required"):
        plain["required"] = required
    return {**plain, "additionalProperties": False}


def _plain(known: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        key: value
        for key, value in known.items()
        if key not in _UNREAD and not (key == "default" and value is None)
    }
    if "prefixItems" in known:
        kept["items"] = dict(known["prefixItems"][0])
    choices = [choice for choice in known.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**_plain(choices[0]), **kept}
    if choices:
        kept["anyOf"] = choices
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = _plain(kept["items"])
    return kept


def said(error: ValidationError, tool: str, model: type[Closed]) -> str:
    """Return the message for wrong arguments, with the tool's arguments but no values."""
    known = list(model.model_fields)
    wrong: list[str] = []
    for found in error.errors(include_url=False, include_input=False, include_context=False):
        path = ".".join(str(part) for part in found["loc"])[:80]
        if found["type"] == "extra_forbidden":
            close = get_close_matches(path, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            wrong.append(f"there is no argument {path!r}{hint}")
        elif found["type"] == "missing" and len(found["loc"]) == 1:
            wrong.append(f"the argument {path!r} is missing")
        else:
            wrong.append(f"{path}: {found['msg']}")
    taken = f"{tool} takes {', '.join(known)}" if known else f"{tool} takes no arguments"
    return f"{'; '.join(dict.fromkeys(wrong))}. {taken}."
