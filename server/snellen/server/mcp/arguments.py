"""Arguments of tools: closed models, which refuse a misspelled argument."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, cast

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    model_validator,
)

from snellen.grading.models.base import Closed

MAX_NAME = 64


def unquoted(value: object) -> object:
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


LookedUp = Annotated[str, BeforeValidator(_looked_up)]
Handle = Annotated[LookedUp, Field(max_length=200)]
AttemptHandle = Annotated[Handle, Field(description="Handle from start_attempt")]
ItemId = Annotated[LookedUp, Field(max_length=MAX_NAME)]
ItemArgument = Annotated[ItemId, Field(description="Item id")]
ClientName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
ClientArgument = Annotated[
    ClientName,
    Field(description="Your name for this context; another context takes another name"),
]
Tasks = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=100)]


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


_UNREAD = {"title", "$ref", "anyOf", "maxLength", "minLength", "pattern", "prefixItems"}


def schema(model: type[Closed]) -> dict[str, Any]:
    """Return an argument class's JSON schema without titles, nulls and null defaults.

    Language models do not need these.
    """
    raw = model.model_json_schema()
    properties = cast("dict[str, dict[str, Any]]", raw.get("properties", {}))
    plain: dict[str, Any] = {
        "type": "object",
        "properties": {name: plain_schema(known) for name, known in properties.items()},
    }
    if required := raw.get("required"):
        plain["required"] = required
    return {**plain, "additionalProperties": False}


def plain_schema(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return an argument's schema without what `schema` leaves out."""
    kept = {
        key: value
        for key, value in known.items()
        if key not in _UNREAD and not (key == "default" and value is None)
    }
    if "prefixItems" in known:
        kept["items"] = dict(known["prefixItems"][0])
    choices = [choice for choice in known.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**plain_schema(choices[0]), **kept}
    if choices:
        kept["anyOf"] = choices
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = plain_schema(kept["items"])
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
