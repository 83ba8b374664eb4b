"""Plain JSON: the action's own fields, in the space that it declares."""

import json
from collections.abc import Mapping
from typing import cast

import msgspec

from snellen.grading.coordinates import PIXELS
from snellen.grading.models.actions import Action
from snellen.grading.parse.vocabularies.base import Vocabulary

_LONGEST = 100_000


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


def plain_fields(action: Action) -> dict[str, object]:
    """Return an action as plain JSON, that says its format."""
    fields = msgspec.to_builtins(action)
    return {"format": "plain", "action": fields.pop("type"), **fields}


def _write(action: Action) -> str:
    return json.dumps(plain_fields(action), ensure_ascii=False)


PLAIN = Vocabulary("plain", PIXELS, None, _write, "snellen's own")
