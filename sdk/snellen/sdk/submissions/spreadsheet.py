"""CSV: a header, then one submission a row."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import NamedTuple, TextIO

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.sdk.submissions import files
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.tabular import add_table, wanted_columns

_WHOLE = re.compile(r"\s*([0-9]{1,10})(?:\.0*)?\s*")
_AMOUNT = re.compile(r"\s*-?[0-9]{1,15}(?:\.[0-9]{0,15})?\s*")
_AMOUNTS = frozenset(("success", "steps", "limit"))
_TRUTHS = MappingProxyType({"true": 1.0, "false": 0.0})
_ROWS = 4096


class _Row(NamedTuple):
    """The cells of a row, and the line on which it starts."""

    line: int
    cells: list[str]


def read_csv(path: str, limits: Limits) -> Iterator[Batch]:
    """Read a CSV file in UTF-8, with double quotes and with commas, semicolons or tabs.

    The header says which: semicolons or tabs are taken where it has no comma. A response stays
    text, whatever shape the task wants; an empty error or model is none.
    """
    file = files.display(path)
    # The module's own limit is 128 KiB for the whole process; it is only ever raised here.
    csv.field_size_limit(max(csv.field_size_limit(), limits.largest))
    with files.open_binary(path) as raw, io.BufferedReader(raw) as buffered:
        collector = Collector(limits, file, files.size_of(raw))
        try:
            files.without_mark(buffered.peek(files.LONGEST_MARK)[: files.LONGEST_MARK], file)
        except OSError as error:
            raise files.unreadable(file, error) from error
        # Bytes that are not UTF-8 become lone surrogates, which the check of records refuses.
        text = io.TextIOWrapper(buffered, "utf-8-sig", errors="surrogateescape", newline="")
        lines = _lines(text, file, limits.largest)
        first = next(lines, "")
        rows = _rows(chain([first], lines), file, collector, delimiter_of(first))
        header = [name.strip() for name in next(rows, _Row(1, [])).cells]
        if not header:
            raise SubmissionError("it is empty: it has no submissions", file=file)
        names = wanted_columns(collector, header)
        while block := list(islice(rows, _ROWS)):
            _add(collector, header, names, block)
            collector.bytes_read = raw.tell()
            yield from collector.ready()
        yield from collector.rest()


def delimiter_of(header: str) -> str:
    """Return the character that separates the cells, by the first line of a file."""
    if "," in header:
        return ","
    return next((mark for mark in "\t;" if mark in header), ",")


def _rows(lines: Iterator[str], file: str, collector: Collector, delimiter: str) -> Iterator[_Row]:
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except OSError as error:
            raise files.unreadable(file, error) from error
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                raise SubmissionError(
                    "a quoted cell that starts here does not end: the file is truncated, or a"
                    " quote in a cell is not doubled; write or copy it again",
                    file=file,
                    line=line,
                ) from error
            collector.fault(ProblemKind.MALFORMED, f"{error}; the row was skipped", line)
            continue
        if len(cells) > 1 or any(map(str.strip, cells)):
            yield _Row(line, cells)


def _lines(text: TextIO, file: str, largest: int) -> Iterator[str]:
    while line := text.readline(largest):
        if len(line) == largest:
            raise SubmissionError(f"a line in it has {largest:,} characters or more", file=file)
        yield line


def _add(
    collector: Collector, header: Sequence[str], names: Mapping[str, str], rows: Sequence[_Row]
) -> None:
    fitting = [row for row in rows if len(row.cells) == len(header)]
    columns: dict[str, list[object]] = {}
    for field, name in names.items():
        index = header.index(name)
        columns[field] = [row.cells[index] for row in fitting]
    if "attempt" in columns:
        columns["attempt"] = [_number(str(cell)) for cell in columns["attempt"]]
    for name in _AMOUNTS.intersection(columns):
        columns[name] = [_amount(str(cell)) for cell in columns[name]]
    # Good rows come first, because many bad ones without a good one can end the reading.
    add_table(collector, columns, [row.line for row in fitting])
    for row in rows:
        if len(row.cells) != len(header):
            collector.fault(
                ProblemKind.MALFORMED,
                f"the row has {len(row.cells)} cells, the header {len(header)}; put a cell that"
                " has commas or line breaks in double quotes; the row was skipped",
                row.line,
            )


def _amount(cell: str) -> float | str:
    """Return a number of an episode, true as 1 and false as 0, and what is none as it is."""
    truth = _TRUTHS.get(cell.strip().lower())
    if truth is not None:
        return truth
    return float(cell) if _AMOUNT.fullmatch(cell) else cell.strip()


def _number(cell: str) -> int | str | None:
    """Return an attempt's number, None for an empty cell, and what is no number as it is."""
    found = _WHOLE.fullmatch(cell)
    if found:
        return int(found[1])
    return cell if cell.strip() else None
