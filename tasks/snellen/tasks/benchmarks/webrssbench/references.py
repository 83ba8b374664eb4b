"""References from a file beside the data: `color.references.json` for webrssbench/color.

It holds item ids, or what comes before the state of a pair, each with its reference:

    {"test/shop/before": "Buy now", "news": "Read on"}

A consensus of models that `snellen.sdk.data.consensus` froze is such a file too: its references
are under the key `references`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.webrssbench.rows import BENCHMARK, Question
from snellen.tasks.io.json_text import read_json

CONSENSUS = "snellen-consensus/1"
"""What a frozen consensus has as its `format`."""


class _Frozen(msgspec.Struct, frozen=True):
    format: Literal["snellen-consensus/1"]
    task: str
    references: dict[str, object]
    unresolved: dict[str, str] = {}
    items: dict[str, list[str]] = {}


@dataclass(frozen=True, slots=True)
class _Known:
    """What a file says: references, why others have none, and what else they are known by."""

    references: Mapping[str, object]
    unresolved: Mapping[str, str]
    aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Joined:
    """Questions with the references of a file.

    Attributes:
        questions: All of them; those that the file names have its reference now.
        matched: How many have.
        stray: The keys of the file that are for none of them.
    """

    questions: Sequence[Question]
    matched: int
    stray: Sequence[str]


def references_file(name: str, folder: Path) -> Path | None:
    """Return the file of a task's references in a folder; None where there is none."""
    path = folder / f"{name}.references.json"
    return path if path.is_file() else None


def join(name: str, questions: Sequence[Question], path: Path) -> Joined:
    """Give questions the references of a file, over those that they have.

    A key is an item id, or what all questions of a page have in common: `test/shop`, or `shop`. An
    item id goes before these.

    Raises:
        DataError: The file can't be read, is of another task, or is about none of the questions.
    """
    known = _read(name, path)
    used: set[str] = set()
    joined: list[Question] = []
    matched = 0
    for question in questions:
        names = (question.item_id, f"{question.split}/{question.base}", question.base)
        keys = [known.aliases.get(key, key) for key in names]
        used.update(keys)
        key = next((key for key in keys if known.references.get(key) is not None), None)
        if key is not None and not question.incomplete:
            matched += 1
            value = known.references[key]
            question = replace(question, value=value, source=path.name, unresolved="")
        elif question.value is None and not question.incomplete:
            reason = next((known.unresolved[key] for key in keys if key in known.unresolved), "")
            question = replace(question, unresolved=reason or question.unresolved)
        joined.append(question)
    stray = [key for key in known.references if key not in used]
    if known.references and len(stray) == len(known.references):
        raise DataError(
            f"is about none of the questions: its keys look like {stray[0]!r}, the questions' ids"
            f" like {questions[0].item_id!r}",
            file=str(path),
        )
    return Joined(joined, matched, stray)


def _read(name: str, path: Path) -> _Known:
    text = read_json(path)
    expected = "expected one JSON object, item ids to references"
    if CONSENSUS.encode() not in text.data:
        return _Known(text.decode(dict[str, object], expected), {}, {})
    frozen = text.decode(_Frozen, expected)
    if frozen.task != f"{BENCHMARK}/{name}":
        raise text.error(f"is a consensus on {frozen.task}, not on {BENCHMARK}/{name}", "task")
    # A pair's halves share a reference, also with a half that nobody was asked about.
    aliases = {pair: ids[0] for pair, ids in frozen.items.items() if ids}
    return _Known(frozen.references, frozen.unresolved, aliases)
