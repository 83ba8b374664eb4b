"""By what WebRSSBench's files are recognized: the manifest, and what the scripts write."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import msgspec

from snellen.grading.models.base import NO_JSON
from snellen.tasks.benchmarks.webrssbench.load import TASKS
from snellen.tasks.benchmarks.webrssbench.manifest import FILES

_ENTRIES = 20_000
_START = 200


def in_folder(path: Path) -> Iterator[str]:
    """Yield the tasks of a folder's manifest, else those whose scripts' files are below it."""
    for name in FILES:
        if (path / name).is_file():
            yield from _named_in(path / name)
            return
    names = {entry.name for entry in islice(path.rglob("*"), _ENTRIES)}
    if "random_crops_info.json" in names:
        yield "webrssbench/position"
    if "analysis_result.json" in names:
        yield "webrssbench/text"
    if "disturbed.png" in names:
        # Pages of both tasks look alike; a file of references says which they are.
        both = ("color", "layout")
        annotated = [task for task in both if f"{task}.references.json" in names]
        yield from (f"webrssbench/{task}" for task in annotated or both)


def by_name(path: Path) -> list[str]:
    """Return the tasks of a manifest under its own name."""
    return _named_in(path) if path.name in FILES else []


def by_row(path: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks of a manifest under any name: by its format, or by a row of it.

    Of a long or broken one no row is read; its start has the format all the same.
    """
    known = "format" in row or {"task", "page"} <= row.keys() or (not row and _begins_so(path))
    return _named_in(path) if known else []


def _begins_so(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"webrssbench/' in file.read(_START)


def _named_in(path: Path) -> list[str]:
    """Return the tasks that a manifest's rows name; all of them if it is broken."""
    every = list(TASKS)
    try:
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            rows = [msgspec.json.decode(line, type=_Named) for line in data.splitlines() if line]
        else:
            rows = msgspec.json.decode(data, type=_Manifest).rows
    except NO_JSON:
        return every
    named = {f"webrssbench/{row.task}" for row in rows}
    return [task for task in every if task in named] or every


class _Named(msgspec.Struct):
    task: str = ""


class _Manifest(msgspec.Struct):
    rows: list[_Named]
