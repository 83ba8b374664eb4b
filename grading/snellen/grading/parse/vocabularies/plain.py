"""Plain JSON: the action's own fields, in the space that it declares."""

import json
from collections.abc import Mapping
from typing import cast

import msgspec

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action, ActionType, direction_of
from snellen.grading.models.geometry import Space
from snellen.grading.parse.vocabularies.base import Vocabulary, as_number, as_point, point_of

_LONGEST = 100_000
_FIELDS = frozenset(Action.__struct_fields__) | {"action", "x", "y", "space", "thought"}
_TYPES = {kind.value: kind for kind in ActionType}
_SPACES = {space.value: space for space in Space}


def read_fields(fields: Mapping[str, object]) -> Action | None:
    """Read an action out of decoded JSON; None where it is none."""
    kind = _TYPES.get(str(fields.get("action", fields.get("type", ""))).lower())
    if kind is None:
        return None
    point = as_point(fields.get("point")) or point_of(fields.get("x"), fields.get("y"))
    texts = {name: fields.get(name, "") for name in ("text", "app", "button", "status")}
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    return Action(
        type=kind,
        point=point,
        end=as_point(fields.get("end")),
        direction=direction_of(fields.get("direction")),
        seconds=as_number(fields.get("seconds")),
        **cast("dict[str, str]", texts),
    )


def is_plain(fields: Mapping[str, object]) -> bool:
    """Whether decoded JSON is an action in plain JSON: by its fields, of which others have more."""
    return fields.keys() <= _FIELDS and read_fields(fields) is not None


def declared_space(fields: Mapping[str, object]) -> Space | None:
    """Return the space that plain JSON declares, pixels where it says none; None if unknown."""
    named = fields.get("space", Space.PIXELS)
    return _SPACES.get(named) if isinstance(named, str) else None


def json_object(text: str) -> Mapping[str, object] | None:
    """Return the JSON object that a text is, in a code fence or not; None where it is none."""
    if len(text) > _LONGEST:
        return None
    trimmed = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        value = json.loads(trimmed)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def _read(text: str) -> Action | None:
    fields = json_object(text)
    return None if fields is None else read_fields(fields)


def plain_fields(action: Action) -> dict[str, object]:
    """Return an action as plain JSON, that says its format."""
    fields = msgspec.to_builtins(action)
    return {"format": "plain", "action": fields.pop("type"), **fields}


def _write(action: Action) -> str:
    return json.dumps(plain_fields(action), ensure_ascii=False)


PLAIN = Vocabulary("plain", PIXELS, _read, _write, "snellen's own")
