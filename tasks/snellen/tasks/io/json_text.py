"""JSON and JSON Lines: decoded to a type, with errors that name file, line and field."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, get_origin

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.tasks.data.pins import read_bytes
from snellen.tasks.io.rows import FETCH_AGAIN, decoded, row_error, words_of

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class JsonText:
    """The bytes of a file of JSON, or of one of its lines."""

    data: bytes = field(repr=False)  # the bytes
    file: str
    line: int | None = None  # the line, counted from 1; None for a whole file

    @property
    def sha256(self) -> str:
        """The digest of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def lines(self) -> Iterator["JsonText"]:
        """The lines that are not blank."""
        lines = self.data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        return (
            JsonText(line, self.file, number)
            for number, line in enumerate(lines, 1)
            if line.strip()
        )

    def rows(self, type_: type[_T]) -> _T:
        """Return the rows of a file, or the row of a line.

        A file of rows may be JSON Lines, as `datasets` writes them, whatever its name.

        Raises:
            DataError: It is no JSON, or a row is not of its type.
        """
        try:
            return decoded(self._listed if get_origin(type_) is list else self._text, type_)
        except msgspec.ValidationError as error:
            fault = row_error(error, self.file, type_)
            raise self.error(fault.message, fault.field) from None
        except NO_JSON as error:
            try:
                self.data.decode()
            except UnicodeDecodeError as fault:
                raise self.error(f"is not UTF-8 ({fault.reason}); {FETCH_AGAIN}") from None
            what = "file" if self.line is None else "line"
            raise self.error(f"is no whole JSON {what}: {error}; {FETCH_AGAIN}") from None

    def decode(self, type_: type[_T], expected: str) -> _T:
        """Return what is not in rows; `expected` says what it should have been.

        Raises:
            DataError: It is something else.
        """
        try:
            return decoded(self._text, type_)
        except msgspec.ValidationError as error:
            raise self.error(f"{expected}: {words_of(error, type_)}") from None
        except NO_JSON as error:
            raise self.error(f"{expected}: {error}") from None

    def error(self, message: str, field: str | None = None) -> DataError:
        """Return an error that is about this file or line."""
        return DataError(message, file=self.file, line=self.line, field=field)

    @property
    def _listed(self) -> bytes:
        text = self._text.strip()
        if not text.startswith(b"{"):
            return self._text
        lines = [line for each in text.split(b"\n") if (line := each.strip())]
        # A single object is more likely to be another file than one row of them.
        if len(lines) > 1 and all(line[:1] + line[-1:] == b"{}" for line in lines):
            return b"[" + b",".join(lines) + b"]"
        return self._text

    @property
    def _text(self) -> bytes:
        return self.data.removeprefix(_BYTE_ORDER_MARK)


def read_json(path: Path) -> JsonText:
    """Read a file whole; it may be compressed (`.gz`).

    Raises:
        DataError: It can't be read.
    """
    return JsonText(read_bytes(path), str(path))
