"""Loads the list of a set's tasks, by which a run that lacks some is graded.

The list is OSWorld's `{domain: [ids]}` (`test_all.json`), ids or objects with an id as JSON, JSON
lines or CSV, an object by id, or plain text with an id a line.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from snellen.grading.errors import DataError
from snellen.grading.models.base import digest_of
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.protocols.golds import EpisodeGold
from snellen.tasks.benchmarks.outcomes.rules import RUN
from snellen.tasks.data.pins import read_bytes
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

TEST_ALL = "test_all.json"
PROMPTS = (Prompt("snellen-outcomes-1", "Do the task in its environment.", "\n\nTask: {question}"),)
_OF_A_RUN = (
    "the tasks are those that the run holds; with the set's list (--data LIST), what it lacks"
    " counts as 0"
)
_IDS = ("id", "task_id", "task_name", "task_template", "item_id", "task", "name")
_DOMAINS = ("domain", "env.benchmark", "application", "app", "apps", "sites", "site", "website")


def domain_of(fields: Mapping[str, Any], name: str) -> str | None:
    """Return what a task is grouped by: a stored domain, application or site, or its id's folder.

    >>> domain_of({"sites": ["shopping", "reddit"]}, "1"), domain_of({}, "chrome/bb5e")
    ('shopping + reddit', 'chrome')
    """
    stored = next((fields[key] for key in _DOMAINS if fields.get(key)), None)
    if isinstance(stored, list | tuple):
        stored = " + ".join(map(str, cast("Sequence[object]", stored)))
    return stored if isinstance(stored, str) else name.rpartition("/")[0] or None


def run_data(domains: Mapping[str, str | None], file: Path | None = None) -> TaskData:
    """Return the tasks of a list, or of a run if no list says them.

    Args:
        domains: Their ids to their domains.
        file: The list; None: they are those of a run.
    """
    ids = list(domains)
    found = DataPin(
        release="run" if file is None else "list",
        # Two lists of the same tasks are the same data.
        sha256=digest_of(sorted(ids)),
        count=len(ids),
        verdict=PinVerdict.UNKNOWN,
        note=_OF_A_RUN if file is None else "",
        path=None if file is None else str(file),
    )
    return TaskData(
        task=RUN,
        split="all",
        ids=ids,
        golds=Golds([EpisodeGold() for _ in ids]),
        pin=found,
        build_item=lambda index: _item(ids[index], PROMPTS[0]),
        tags={"domain": list(domains.values())} if any(domains.values()) else {},
    )


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a list of tasks.

    Args:
        task: `outcomes/run`.
        path: The list, or a folder with OSWorld's `test_all.json`.
        split: There is one, `all`.
        images: There are none.
        prompt: The prompt's name; None: the default.

    Raises:
        DataError: It holds no ids, or one twice, or there is no such split.
        UnknownNameError: There is no such prompt.
    """
    prompt_of(PROMPTS, prompt)
    file = Path(path) / TEST_ALL if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise DataError(f"there is no list of tasks, such as OSWorld's {TEST_ALL}", file=str(file))
    if split not in (None, "all"):
        raise DataError(f"there is no split {split!r} of {task}, only 'all'", file=str(file))
    domains: dict[str, str | None] = {}
    for row, part in enumerate(_listed(file), 1):
        fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
        # A bare number may be anything.
        stored = part if isinstance(part, str) else ""
        name = str(next((fields[key] for key in _IDS if fields.get(key) not in (None, "")), stored))
        if not name:
            names = ", ".join(_IDS)
            raise DataError(f"row {row} is no id and has none ({names})", file=str(file))
        if name in domains:
            raise DataError(f"the task {name!r} is there twice", file=str(file))
        domains[name] = domain_of(fields, name)
    if not domains:
        raise DataError(f"no task is listed: give ids, or objects with {_IDS[0]}", file=str(file))
    return run_data(domains, file)


def _listed(file: Path) -> Sequence[object]:
    """Return the rows of a file by its name's ending."""
    name = file.name.lower().removesuffix(".gz")
    try:
        text = read_bytes(file).decode("utf-8-sig")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if name.endswith(".csv"):
            return list(csv.DictReader(lines))
        if name.endswith((".jsonl", ".ndjson")):
            return [json.loads(line) for line in lines]
        if name.endswith(".json"):
            return _rows_of(json.loads(text))
        if name.endswith(".txt"):
            return lines
        raise ValueError("give .json, .jsonl, .csv or .txt")
    except (ValueError, RecursionError, csv.Error) as error:
        raise DataError(f"it is no list of tasks: {error}", file=str(file)) from None


def _rows_of(found: object) -> Sequence[object]:
    """Return the rows of a list: ids, or objects with an id."""
    if not isinstance(found, dict):
        return cast("Sequence[object]", found if isinstance(found, list) else [found])
    parts = cast("dict[str, Any]", found)
    if (inner := parts.get("tasks", parts.get("items"))) is not None:
        return _rows_of(inner)
    rows: list[object] = []
    for key, part in parts.items():
        if isinstance(part, list):
            # OSWorld's, by domain.
            rows += [{"id": f"{key}/{one}", "domain": key} for one in cast("list[object]", part)]
        elif part is None or isinstance(part, dict):
            rows.append({**cast("dict[str, Any]", part or {}), "id": key})
        else:
            rows.append(None)
    return rows


def _item(name: str, prompt: Prompt) -> Item:
    return Item(
        id=name,
        task=RUN,
        prompt=prompt.ask(name),
        answer_format=AnswerFormat(
            kind=AnswerKind.EPISODE, example='{"score": 1, "steps": 7, "cost": 0.02}'
        ),
        tags={"prompt": prompt.name},
    )
