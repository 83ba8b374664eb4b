"""Out of a file, a folder or a pattern of stored results: its rows, wherever they stand.

Rows stand in JSON lines (also in a file named .json), in an array, in the one list of objects of an
object, in a sheet of a workbook, in an archive of samples; any of them compressed with gzip.
"""

import csv
import glob
import gzip
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, cast
from xml.etree import ElementTree

import msgspec

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import NO_JSON
from snellen.sdk.submissions.columns import ANSWERS, IDS, Fields, answer_of
from snellen.sdk.submissions.files import GZIP, display, require_file, unreadable, without_mark
from snellen.sdk.submissions.kinds import kind_of_row
from snellen.sdk.submissions.lines import parse_leniently
from snellen.sdk.submissions.outcomes import REWARDS, STEPS, is_outcome, number_of
from snellen.sdk.submissions.trajectories import LISTS, is_trajectory
from snellen.sdk.values import NotJsonError

_LISTS = (
    *("details", "results", "predictions", "samples", "task_results", "episodes", "tasks"),
    *("records", "answers", "responses", "outputs", "rows", "items", "data"),
)
_SHEET = "xl/worksheets/sheet1.xml"
_SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_COLUMN = re.compile(r"[A-Z]+")
_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
UNREADABLE = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error, ElementTree.ParseError),
    *(KeyError, IndexError, csv.Error, NotImplementedError, *NO_JSON),
)
"""What reading a damaged file raises, or one of a compression that `zipfile` does not know."""
_STEPS, STEPS_JSON = "traj.jsonl", "traj.json"
"""The logs of OSWorld and of MobileWorld."""
_EPISODES = ("result.txt", "summary_info.json", "result.json", "eval_result.json")
_LOGS = {
    **{_STEPS: "result.txt", STEPS_JSON: "result.txt"},
    **{"exp_args.pkl": "summary_info.json", "trial.log": "result.json"},
}
"""What an episode writes first, to where its verdict is stored at its end."""
_SCORED = re.compile(r"\s*score:\s*(\S+)")
_DATED = re.compile(r"^[\d-]+_[\d-]+_")
_BACKUP = re.compile(r"_backup_\d{8}_\d{6}$")
"""How MobileWorld renames the folder of an earlier try."""
FOLDER_NAME = "its folder"
"""The field of an episode's row that holds the name of its folder."""
_LARGEST = 1 << 30
_HEAD = 1 << 20


class Row(NamedTuple):
    """One row, its file and its line, or its place among the rows from 1."""

    fields: Mapping[str, Any]
    file: str
    line: int


def paths_of(source: str) -> list[str]:
    """Return the files that a path names: itself, all in a folder, or those that fit a pattern.

    Raises:
        SubmissionError: There is no such file.
    """
    if os.path.isdir(source):
        found = sorted(str(path) for path in Path(source).rglob("*") if _is_result(path))
    elif any(mark in source for mark in "*?[") and not os.path.exists(source):
        found = sorted(path for path in glob.glob(source, recursive=True) if os.path.isfile(path))
    else:
        require_file(source)
        return [source]
    if not found:
        raise SubmissionError("no file of results is there", file=display(source))
    return found


def episodes_in(folder: str, *, unfinished: bool = False) -> Iterator[Row]:
    """Yield the episodes in a folder that has one a folder, named by its path from there.

    Read are a score, `score: S` or `{completed, steps_used}` in `result.txt` (OSWorld and its
    relatives, whose steps are counted in `traj.jsonl`), AgentLab's `summary_info.json`, whose
    folder's name is `DATE_AGENT_on_TASK_SEED`, Harbor's `result.json`, which names its task, and
    WebArena-Verified's `eval_result.json`.

    Args:
        folder: The folder.
        unfinished: Whether episodes that have a log and no result are errors, and not left out.
    """
    root = Path(folder)
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        result = _LOGS.get(path.name, path.name)
        lost = unfinished and result != path.name and not path.with_name(result).exists()
        if not path.is_file() or _BACKUP.search(path.parent.name):
            continue
        if not lost and path.name not in _EPISODES:
            continue
        name = path.parent.relative_to(root).as_posix()
        name = root.resolve().name if name == "." else name
        fields = {"error": f"no verdict: there is no {result}"} if lost else _result_in(path)
        if path.name == "result.json" and "trial_name" not in fields:
            continue
        if lost and result == "result.json":
            # A trial of Harbor's is called TASK__CODE.
            fields["task_name"] = path.parent.name.rpartition("__")[0] or path.parent.name
        named: dict[str, Any] = {} if "task_name" in fields else {FOLDER_NAME: name}
        if result == "summary_info.json" and "_on_" in name:
            agent, _, named[FOLDER_NAME] = name.rpartition("_on_")
            named["agent_name"] = _DATED.sub("", agent.rpartition("/")[2])
        steps = _steps_in(path.parent)
        if steps is not None and not any(name in fields for name in STEPS):
            named["steps"] = steps
        yield Row({**fields, **named}, display(str(path)), 1)


def _result_in(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        scored = _SCORED.match(text)
        text = scored[1] if scored else text
        number = number_of(text)
        value = json.loads(text) if number is None else number
    except (OSError, ValueError, RecursionError) as error:
        value = {"error": f"unreadable result: {error}"}
    return cast("dict[str, Any]", value if isinstance(value, dict) else {"score": value})


def _steps_in(folder: Path) -> int | None:
    """Return how many steps the log of OSWorld or MobileWorld has; None: no log.

    Several lines of OSWorld's may be one step.
    """
    if (path := folder / _STEPS).is_file():
        rows = [row.fields for row in _of_lines(path.read_bytes(), "")]
        return len({row.get("step_num", at) for at, row in enumerate(rows) if "Error" not in row})
    try:
        logs = cast("dict[str, Any]", json.loads((folder / STEPS_JSON).read_bytes()))
        return sum(len(log["traj"]) for log in logs.values() if "traj" in log) or None
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return None


def _is_result(path: Path) -> bool:
    endings = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".eval", ".xlsx", ".tsv")
    return path.is_file() and path.name.lower().endswith(endings)


def rows_of(path: str) -> list[Row]:
    """Read the rows of one file.

    Raises:
        SubmissionError: It can't be read, or several lists in it could be the rows.
    """
    file = display(path)
    lowered = path.lower()
    try:
        if lowered.endswith(".xlsx"):
            return _numbered(_of_workbook(path), file, 2)
        if lowered.endswith(".eval"):
            return _numbered(_of_archive(path), file)
        if lowered.endswith(_TABLES):
            return _numbered(list(_of_table(path)), file, 2)
        with open(path, "rb") as raw:
            data = raw.read()
        if data.startswith(GZIP):
            data = _unpacked(path)
    except UNREADABLE as error:
        raise unreadable(path, error) from error
    data = without_mark(data, file)
    if not data.strip():
        raise SubmissionError("it is empty: it has no submissions", file=file)
    try:
        whole = msgspec.json.decode(data)
    except NO_JSON:
        return _leniently(data, file)
    return _numbered(_listed(whole, file), file)


def _leniently(data: bytes, file: str) -> list[Row]:
    """Read lines, or a document with what strict JSON can't have, such as NaN."""
    rows = _of_lines(data, file)
    if rows and rows[0].fields:
        return rows
    try:
        whole = parse_leniently(data.decode("utf-8", "replace"))
    except NotJsonError as fault:
        raise SubmissionError(
            f"it is {fault}, and no JSON lines either; write or copy it again", file=file
        ) from fault
    return _numbered(_listed(whole, file), file)


def _unpacked(path: str) -> bytes:
    with gzip.open(path) as packed:
        data = packed.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise SubmissionError(f"it holds more than {_LARGEST:,} bytes", file=display(path))
    return data


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    size = archive.getinfo(name).file_size
    if size > _LARGEST:
        raise SubmissionError(f"{name} in it has {size:,} bytes, more than {_LARGEST:,}")
    return archive.read(name)


def _numbered(rows: Sequence[object], file: str, start: int = 1) -> list[Row]:
    return [
        Row(cast("Mapping[str, Any]", row), file, line)
        for line, row in enumerate(rows, start)
        if isinstance(row, dict)
    ]


def _of_lines(data: bytes, file: str) -> list[Row]:
    found: list[Row] = []
    for line, text in enumerate(data.splitlines(), 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            # The reader of the rows says that it is none, with its line.
            row = {}
        found.append(Row(row if isinstance(row, dict) else {}, file, line))
    return found


def _listed(value: object, file: str) -> Sequence[object]:
    """Return the rows in a document."""
    if isinstance(value, list):
        return cast("Sequence[object]", value)
    if not isinstance(value, dict):
        return ()
    fields = cast("Mapping[str, object]", value)
    if {"submissions", "scores"} & fields.keys():
        return [fields]
    lists = {name: rows for name, rows in fields.items() if _is_rows(rows)}
    named = [name for name in _LISTS if name in lists]
    # A row may list its retries or steps, and a container may have an id and a score.
    firsts = [lists[name][0] for name in (named if is_row(fields) else lists)]
    if is_row(fields, scored=True) and not any(is_row(first, scored=True) for first in firsts):
        return [fields]
    if not lists:
        inner = [cast("Fields", part) for part in fields.values() if isinstance(part, dict)]
        deeper = [rows for part in inner for rows in part.values() if _is_rows(rows)]
        if len(deeper) == 1:
            return cast("Sequence[object]", deeper[0])
        by_id = [_by_id(part) for part in inner]
        if any(by_id):
            return next(filter(None, by_id))
        if len(inner) == len(fields) > 1 and not deeper:
            return [{"id": name, **part} for name, part in zip(fields, inner, strict=True)]
        return _by_id(fields) or [fields]
    if len(lists) == 1 or named:
        return lists[(named or list(lists))[0]]
    first = [rows[0].keys() for rows in lists.values()]
    if all(names == first[0] for names in first):
        return [row for rows in lists.values() for row in rows]
    raise SubmissionError(
        f"several lists in it could be the results: {', '.join(map(ascii, lists))}; keep one",
        file=file,
    )


def _by_id(fields: Mapping[str, object]) -> Sequence[object]:
    """Return an object's rows by their id; empty if a part of it is none."""
    parts = [cast("Fields", part) for part in fields.values() if isinstance(part, dict)]
    named = [{_id_in(part): name, **part} for name, part in zip(fields, parts, strict=False)]
    whole = len(named) == len(fields)
    return named if whole and all(is_row(row, scored=True) for row in named) else ()


def _id_in(part: Fields) -> str:
    if not part.keys().isdisjoint(LISTS):
        return "episode_id"
    return "id" if answer_of(part, ANSWERS)[0] else "task_id"


def is_row(fields: Fields, *, scored: bool = False) -> bool:
    """Whether an object names an item and holds an answer to it, in some usual way.

    Args:
        fields: Those of the object.
        scored: Whether a score stands for an answer, as in a row of an episode.
    """
    if kind_of_row(fields) is not None or is_trajectory(fields, fields.get("image")):
        return True
    if any(name in fields for name in IDS) and answer_of(fields, ANSWERS)[0]:
        return True
    named = any(name in fields for name in IDS) and any(name in fields for name in REWARDS)
    return scored and (named or is_outcome(fields, "page"))


def _is_rows(value: object) -> TypeGuard[list[dict[str, Any]]]:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(row, dict) for row in cast("list[object]", value))


def _of_table(path: str) -> Iterator[Mapping[str, str]]:
    """Read a table with commas or tabs, compressed or not."""
    with open(path, "rb") as raw:
        packed = raw.read(2) == GZIP
    opened = gzip.open if packed else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as text:
        mark = "\t" if ".tsv" in path.lower() else ","
        for row in csv.DictReader(text, delimiter=mark):
            yield {name: cell for name, cell in row.items() if isinstance(cell, str) and cell}


def log_archive(path: str) -> zipfile.ZipFile:
    """Open a log of Inspect AI; errors are those of `zipfile`."""
    with suppress(ImportError):
        # Logs are compressed with Zstandard; Inspect brings it along for Pythons without it.
        import zipfile_zstd  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport, reportMissingTypeStubs]  # it registers itself
    return zipfile.ZipFile(path)


def _of_archive(path: str) -> list[object]:
    """Read the samples of an Inspect log."""
    with log_archive(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
        return [_whole(_member(archive, name)) for name in names]


def _whole(data: bytes) -> object:
    """Decode JSON; a sample without a score has NaN there."""
    try:
        return msgspec.json.decode(data)
    except NO_JSON:
        return parse_leniently(data.decode("utf-8", "replace"))


def _of_workbook(path: str) -> list[object]:
    """Read the first sheet of a workbook, whose first row names the columns."""
    with zipfile.ZipFile(path) as archive:
        shared: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            tree = _parsed(archive, "xl/sharedStrings.xml")
            shared = [
                "".join(text.text or "" for text in entry.iter(f"{_SPREADSHEET}t"))
                for entry in tree.iter(f"{_SPREADSHEET}si")
            ]
        cells = [_cells(row, shared) for row in _parsed(archive, _SHEET).iter(f"{_SPREADSHEET}row")]
    if not cells:
        return []
    header = cells[0]
    return [
        {str(header[column]): value for column, value in row.items() if column in header}
        for row in cells[1:]
    ]


def _parsed(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    data = _member(archive, name)
    if b"<!DOCTYPE" in data[:1000] or b"<!ENTITY" in data:
        raise KeyError(f"{name} declares entities")
    return ElementTree.fromstring(data)


def _cells(row: ElementTree.Element, shared: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for cell in row.iter(f"{_SPREADSHEET}c"):
        column = _COLUMN.match(cell.get("r", ""))
        value = cell.find(f"{_SPREADSHEET}v")
        kind = cell.get("t")
        if column is None:
            continue
        if kind == "inlineStr":
            found[column[0]] = "".join(text.text or "" for text in cell.iter(f"{_SPREADSHEET}t"))
        elif value is not None and value.text:
            text = value.text
            found[column[0]] = shared[int(text)] if kind == "s" else _number(text, kind)
    return found


def _number(text: str, kind: str | None) -> object:
    if kind in ("str", "b", "e"):
        return text
    number = float(text)
    return int(number) if number.is_integer() else number


def first_row(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the first row of a file of JSON lines or of an array, without reading all of it."""
    if path.lower().endswith(_TABLES):
        try:
            yield from islice(_of_table(path), 1)
        except (OSError, EOFError, ValueError, csv.Error):
            return
        return
    try:
        row, _ = json.JSONDecoder().raw_decode(_head(path).lstrip("[ \t\r\n"))
    except (ValueError, RecursionError):
        return
    if isinstance(row, dict):
        yield cast("Mapping[str, Any]", row)


def is_object(path: str) -> bool:
    """Whether a document begins as an object does, or as JSON lines do."""
    return _head(path).startswith("{")


def _head(path: str) -> str:
    try:
        with open(path, "rb") as raw:
            head = raw.read(2)
            raw.seek(0)
            opened = gzip.GzipFile(fileobj=raw) if head == GZIP else raw
            return opened.read(_HEAD).decode("utf-8-sig", "replace").lstrip()
    except (OSError, EOFError):
        return ""
