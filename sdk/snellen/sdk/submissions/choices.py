"""SeeAct's choices: the elements of a page are offered in batches, and a step has one answer."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from snellen.sdk.submissions.containers import Row

_NONE = re.compile(r"please select ([A-Z])\. None of the other options")
_CHOSEN = re.compile(r"ELEMENT:[ \t]*+([A-Z])\b")
_OPERATION = re.compile(r"ACTION:[ \t]*+([A-Z]+)")
_VALUE = re.compile(r"VALUE:[ \t]*+([^\n]*)")


def is_choice(row: Mapping[str, Any]) -> bool:
    """Whether a row is one batch of choices."""
    return "multichoice_id" in row and isinstance(row.get("gpt_output"), list)


def answers_of(rows: Sequence[Row]) -> list[Row]:
    """Return one answer a step: the first batch's that chooses an element, else the last one's.

    A step is a file, whose folder is named ANNOTATION_ACTION. The answer is written as Mind2Web's
    readers take it: the letter, then `Action:` and, unless it is "None", `Value:`.
    """
    steps: dict[str, list[Row]] = {}
    for row in rows:
        steps.setdefault(row.file, []).append(row)
    return [_answer(file, batches) for file, batches in steps.items()]


def _answer(file: str, batches: Sequence[Row]) -> Row:
    chosen = next((row for row in batches if _letter(row) not in ("", _none(row))), batches[-1])
    name = PurePosixPath(file.replace("\\", "/")).parent.name
    text = _said(chosen)
    found = [pattern.findall(text)[-1:] for pattern in (_OPERATION, _VALUE)]
    operation, value = ("".join(one).strip() for one in found)
    letter = _letter(chosen)
    said = "" if value.lower() in ("", "none") else f"\nValue: {value}"
    response = f"{letter}.\nAction: {operation}{said}" if letter else text
    return Row({"item_id": name.replace("_", "/", 1), "response": response}, file, chosen.line)


def _said(row: Row) -> str:
    outputs = cast("list[object]", row.fields["gpt_output"])
    return str(outputs[-1]) if outputs else ""


def _letter(row: Row) -> str:
    return "".join(_CHOSEN.findall(_said(row))[-1:])


def _none(row: Row) -> str:
    """Return the letter of none of the elements; empty if the prompt is not kept."""
    prompts = row.fields.get("prompt")
    texts = cast("list[object]", prompts) if isinstance(prompts, list) else [prompts]
    return "".join(_NONE.findall(" ".join(map(str, texts)))[-1:])
