"""The number of rows of a file, counted before it is parsed, and their limit.

A row costs a hundred times more to grade than to count, so a small compressed file of many rows
could hold a worker for minutes.
"""

import codecs
import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

import msgspec

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import NO_JSON
from snellen.server.exam.spec import Exam

if TYPE_CHECKING:
    from snellen.grading.grade import Answers
    from snellen.sdk.inputs.intake import Intake
    from snellen.sdk.submissions.batch import Batch

ROWS_A_TRY = 10
"""The maximum number of a file's rows for each attempt at an item of its tasks."""

ALWAYS_ROWS = 10_000
"""The number of rows that a file of any exam may have: a few items can have many attempts."""

MOST_BAD = 20
"""The number of a file's rows that can't be read, without one that can, that end the reading."""

GZIP = b"\x1f\x8b"
_PIECE = 1 << 20
_LONGEST_CELL = 1 << 26

_Json: TypeAlias = list[msgspec.Raw] | dict[str, msgspec.Raw]

_lists = msgspec.json.Decoder(_Json)


def most_rows(exam: Exam, tasks: Iterable[str]) -> int:
    """Return the maximum number of rows of a file that may answer some tasks."""
    items = sum(len(exam.asked(task)) for task in tasks)
    return max(ALWAYS_ROWS, items * (exam.rules.attempts or 1) * ROWS_A_TRY)


def check_rows(path: Path, most: int) -> None:
    """Check the number of rows of a file before it is parsed; a damaged file has none.

    Raises:
        SubmissionError: It has more than `most` rows.
    """
    if path.suffix == ".parquet":
        count = _of_parquet(path)
    elif path.suffix == ".csv":
        count = _of_table(path, most)
    else:
        count = _of_json(path, most)
    if count > most:
        raise _too_many(f"{count:,}", most)


def bounded(
    batches: "Iterable[tuple[Answers, Batch]]", intake: "Intake", most: int
) -> "Iterator[Answers]":
    """Yield the answers of a file, up to a number of rows and of attempts at items.

    A line can stand for many rows, such as a recorded episode with its steps.

    Raises:
        SubmissionError: It has more than `most` rows, or its attempts at all items are more.
    """
    rows, items = 0, len(intake.selection.ids)
    for answers, batch in batches:
        rows += len(batch.item_ids) + len(batch.problems)
        if rows > most:
            raise _too_many(f"{rows:,} or more", most)
        attempts = len(intake.attempts)
        if attempts * items > most:
            raise SubmissionError(
                f"it has {attempts:,} or more attempts at {items:,} items, {attempts * items:,} in"
                f" all, and at most {most:,} are graded; an attempt numbers the tries at one item,"
                " from 0",
                field="attempt",
            )
        yield answers


def opened(path: Path) -> IO[bytes]:
    """Open a file, unpacked if it begins as gzip does: readers go by that, not by its name."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP)) == GZIP
    return cast("IO[bytes]", gzip.open(path) if packed else path.open("rb"))


def _too_many(count: str, most: int) -> SubmissionError:
    return SubmissionError(
        f"it has {count} rows, and at most {most:,} are read: {ROWS_A_TRY} for each attempt at an"
        f" item, or {ALWAYS_ROWS:,}; leave out the rows that are not graded"
    )


def _of_parquet(path: Path) -> int:
    """Return the number of rows that a parquet file's metadata says."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return 0  # the reader says what to install
    try:
        with pq.ParquetFile(path) as file:
            said = file.metadata
            groups = range(said.num_row_groups)
            return max(said.num_rows, sum(said.row_group(number).num_rows for number in groups))
    except (OSError, pa.ArrowException):
        return 0  # the reader says how it is damaged


def _of_table(path: Path, most: int) -> int:
    """Return the number of rows of a CSV file below its header, or of lines if they are few."""
    # A server names what counts rows, and its workers' processes count.
    from snellen.sdk.submissions.spreadsheet import delimiter_of

    lines = _lines(path).lines
    if lines <= most:
        return lines
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    with opened(path) as raw, io.TextIOWrapper(raw, "utf-8", "replace", newline="") as text:
        first = text.readline()
        rows = csv.reader(text, delimiter=delimiter_of(first))
        count = 0
        while True:
            try:
                if next(rows, None) is None:
                    return count
            except csv.Error:
                pass
            count += 1


class _Counts(msgspec.Struct):
    """The number of lines of a file, and of braces that open."""

    lines: int = 0
    braces: int = 0


def _lines(path: Path) -> _Counts:
    found = _Counts()
    last = b"\n"
    with opened(path) as file:
        while piece := file.read(_PIECE):
            ends = piece.count(b"\r") - piece.count(b"\r\n")
            found.lines += piece.count(b"\n") + ends
            found.braces += piece.count(b"{")
            last = piece[-1:]
    found.lines += last not in b"\r\n"
    return found


def _of_json(path: Path, most: int) -> int:
    """Return the number of lines of a file of JSON lines, or of the elements of a document.

    What has neither more lines nor more objects than allowed is not looked into.
    """
    counts = _lines(path)
    if max(counts.lines, counts.braces) <= most:
        return counts.lines
    with opened(path) as file:
        data = file.read().removeprefix(codecs.BOM_UTF8)
    try:
        return _elements(_lists.decode(data))
    except NO_JSON:
        pass
    try:
        _lists.decode(data.lstrip().partition(b"\n")[0])
    except NO_JSON:
        # A document with what strict JSON can't have, such as NaN.
        return counts.lines if ".jsonl" in path.suffixes else counts.braces
    return counts.lines


def _elements(whole: _Json) -> int:
    """Return the number of rows that a document can stand for: those of all lists near its top."""
    if not isinstance(whole, dict):
        return len(whole)
    inside: list[_Json] = [_lists.decode(part) for part in whole.values() if _begins(part, b"[{")]
    lists = [len(part) for part in inside if not isinstance(part, dict)]
    deeper = [
        len(_lists.decode(each))
        for part in inside
        if isinstance(part, dict)
        for each in part.values()
        if _begins(each, b"[")
    ]
    return max(len(whole), sum(lists) + sum(deeper))


def _begins(part: msgspec.Raw, marks: bytes) -> bool:
    return bytes(memoryview(part)[:1]) in marks
