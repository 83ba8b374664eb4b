"""CSV that a spreadsheet opens as what it says: the one place where tables are written as CSV."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

# What Excel, LibreOffice and Google Sheets take for the beginning of a formula, or skip before one.
_FORMULA = re.compile(r"[=+@\-\t\r]")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def csv_rows(rows: Iterable[Sequence[object]], line_end: str = "\r\n") -> Iterator[bytes]:
    r"""Yield each row as a line of CSV in UTF-8.

    A text that a spreadsheet would run as a formula gets an apostrophe before it, which makes it
    text; numbers, and texts that are numbers, stay as they are. None is an empty cell.

    Args:
        rows: The rows, the header among them.
        line_end: What a line ends with; a spreadsheet's own by default.

    Source: OWASP, CSV Injection.

    >>> list(csv_rows([["=1+1", -2.5, "-2.5", "-x", None]]))
    [b"'=1+1,-2.5,-2.5,'-x,\r\n"]
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=line_end)
    for row in rows:
        writer.writerow([_inert(cell) if isinstance(cell, str) else cell for cell in row])
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()


def _inert(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
