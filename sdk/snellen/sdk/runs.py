"""Runs as reports: saved reports, folders with stored verdicts, and logs of Inspect AI."""

import json
from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Any, cast

from snellen.grading.errors import InputError
from snellen.sdk.local import OUTCOMES, grade
from snellen.sdk.report import Report
from snellen.sdk.saved import parse_report, read_report
from snellen.sdk.scored import ScoredReport
from snellen.sdk.submissions.containers import UNREADABLE, log_archive, rows_of
from snellen.sdk.submissions.kinds import error_of
from snellen.sdk.submissions.runs import run_of

ENDING = ".eval"
_ABOUT = ("header.json", "_journal/start.json")
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's scorers write; the values are those of its `value_to_float`."""


def report_of(path: Path) -> ScoredReport:
    """Return the report of a run: a saved report, a log, or what stored verdicts make.

    Raises:
        InputError: It is none of these.
    """
    if path.suffix == ENDING:
        return logged(path)
    saved = parse_report(path.read_bytes(), str(path)) if path.is_file() else None
    run = run_of(path, sure=False, listed=False) if saved is None else None
    return saved or (read_report(path) if run is None else grade(run, data=run.data))


def logged(path: Path) -> Report:
    """Return the report of a log.

    A log of a task of snellen's (`inspect eval snellen/...`) is graded as that task, if its data is
    where the log says. Of any other log the score of its first scorer is the verdict on a sample,
    in `outcomes/run`.

    Raises:
        InputError: It is no log, or holds no sample.
    """
    about = _about(path)
    arguments: Mapping[str, Any] = about.get("task_args") or {}
    metadata: Mapping[str, Any] = about.get("metadata") or {}
    task, data = str(metadata.get("signature", "")).partition("|")[0], arguments.get("data")
    if task and data and Path(data).exists():
        split, protocol = arguments.get("split"), arguments.get("protocol")
        return grade(str(path), task=task, data=data, split=split, protocol=protocol)
    samples = [_sample(row.fields) for row in rows_of(str(path))]
    if not samples:
        raise InputError("it has no samples", file=str(path))
    return grade(samples, task=OUTCOMES)


def _about(path: Path) -> Mapping[str, Any]:
    try:
        with log_archive(str(path)) as archive:
            name = next(name for name in _ABOUT if name in archive.namelist())
            return cast("dict[str, Any]", json.loads(archive.read(name))["eval"])
    except (*UNREADABLE, StopIteration) as error:
        what = f"it is no log that Inspect AI wrote: {error or 'it has no header'}"
        raise InputError(what, file=str(path)) from None


def _sample(row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"task_id": str(row.get("id"))}
    if fault := error_of(row.get("error")):
        return {**found, "error": str(fault)}
    value = next(_values(row), None)
    if value is None:
        return {**found, "error": "no verdict: no scorer gave a value"}
    return {**found, "score": value}


def _values(row: Mapping[str, Any]) -> Iterator[float]:
    scores = cast("dict[str, dict[str, Any]]", row.get("scores") or {})
    for score in scores.values():
        value: Any = score.get("value")
        several = cast("dict[str, Any]", value) if isinstance(value, dict) else {"": value}
        for each in several.values():
            number: Any = _LETTERS.get(each) if isinstance(each, str) else each
            if isinstance(number, int | float) and not isnan(number):
                yield float(number)
