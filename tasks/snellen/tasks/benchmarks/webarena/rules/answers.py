"""What an agent answered, and the log of its browser beside it.

A response is the answer as the agent gave it, or `{agent_response, network, environments}`:
`network` holds a HAR's `log.entries`, and `environments` where the sites were.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from snellen.grading.parse.envelope import opened
from snellen.grading.protocols.base import Context, Parsed, Parser, Warned, unparsed
from snellen.tasks.benchmarks.webarena.rules.values import is_pattern

STATUSES = (
    *("SUCCESS", "ACTION_NOT_ALLOWED_ERROR", "PERMISSION_DENIED_ERROR", "NOT_FOUND_ERROR"),
    *("DATA_VALIDATION_ERROR", "UNKNOWN_ERROR"),
)
"""The published words of `status`."""

_FENCED = re.compile(r"```(?:json)?\s*\n?(.*?)\n?```", re.DOTALL)
DATA = "retrieved_data"
_DEEPEST = 50

UNKNOWN_STATUS = Warned(
    "its status is no published one",
    f"{{n}} answers have a status that is none of {', '.join(STATUSES)}: they are wrong.",
)
PATTERN = Warned(
    "it holds a regular expression",
    "{n} answers hold a regular expression (^...$), which published code compares with the"
    " reference as one: ^.*$ is right everywhere. `robust` takes it for plain text.",
)


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """An answer, decoded if it is JSON, the log beside it (None: no log), and the sites."""

    response: Any
    network: Sequence[Any] | None
    environments: Mapping[str, Any]


def read(response: object, _: Context) -> Parsed:
    """Read an answer, and the log beside it."""
    whole = _decoded(response) if isinstance(response, str) else response
    fields = cast("Mapping[str, Any]", whole if isinstance(whole, dict) else {})
    if not {"agent_response", "network"} & fields.keys():
        fields = {"agent_response": response}
    said = fields.get("agent_response")
    network: object = fields.get("network")
    environments: object = fields.get("environments") or {}
    if network is not None and not isinstance(network, list):
        return unparsed("network is no list of requests: give the entries of the HAR")
    if not isinstance(environments, dict):
        return unparsed("environments is no object")
    message = opened(said)
    if message is not None and not message.calls:
        said = message.text
    said = _decoded(said) if isinstance(said, str) else said
    if _is_deep(said):
        return unparsed(f"the answer is nested more than {_DEEPEST} deep")
    return Parsed(
        WebAnswer(
            said,
            cast("Sequence[Any] | None", network),
            cast("Mapping[str, Any]", environments),
        )
    )


def _is_deep(value: object) -> bool:
    """Whether a value is nested deeper than rules that call themselves can follow."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("Mapping[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _decoded(text: str) -> object:
    """Return the JSON object in a text, also between fences; the text itself if it is none."""
    fenced = _FENCED.search(text)
    try:
        found = json.loads(fenced[1].strip() if fenced else text)
    except (ValueError, RecursionError):
        return text
    return cast("object", found) if isinstance(found, dict) else text


def _read_object(response: object, context: Context) -> Parsed:
    parsed = read(response, context)
    if parsed.answer is None:
        return parsed
    said = parsed.answer.response
    if not isinstance(said, dict) or not said:
        return unparsed("the answer is no JSON object {task_type, status, retrieved_data}")
    fields = cast("Mapping[str, Any]", said)
    notes: list[str] = []
    status = fields.get("status")
    if isinstance(status, str) and status.strip() and status.strip().upper() not in STATUSES:
        notes.append(f"{UNKNOWN_STATUS.note} ({status!a})")
    if _has_pattern(fields):
        notes.append(PATTERN.note)
    return parsed._replace(note="; ".join(notes))


def _has_pattern(value: object) -> bool:
    return is_pattern(value) or any(map(_has_pattern, _inside(value)))


def as_text(answer: WebAnswer) -> str:
    """Return the text of an answer: of WebArena-Verified's JSON its data, or N/A."""
    said = answer.response
    if not isinstance(said, dict):
        return said if isinstance(said, str) else "" if said is None else json.dumps(said)
    fields = cast("Mapping[str, Any]", said)
    if "status" not in fields:
        return json.dumps(said)
    if str(fields["status"]).strip().upper() != STATUSES[0]:
        return "N/A"
    data = fields.get(DATA)
    several = cast("list[Any]", data) if isinstance(data, list) else [data]
    return ", ".join(_spoken(each) for each in several if each is not None)


def _spoken(value: object) -> str:
    if isinstance(value, dict):
        parts = cast("Mapping[str, object]", value).items()
        return ", ".join(f"{name}: {_spoken(each)}" for name, each in parts)
    return "yes" if value is True else "no" if value is False else str(value)


OBJECT = Parser("the JSON in the answer", _read_object, warned=(UNKNOWN_STATUS, PATTERN))
TEXT = Parser("the answer as text; of JSON its data, joined by commas", read)
