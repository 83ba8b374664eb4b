"""The bases of models: closed and frozen, or printable; the digest of a JSON value."""

import hashlib
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import msgspec
from pydantic import BaseModel, ConfigDict

from snellen.grading.errors import DataError

if TYPE_CHECKING:
    from snellen.grading.table import Table

NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises on bytes that are no JSON, JSON of another shape, or JSON nested too deep."""


class Closed(BaseModel):
    """A frozen model that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def digest_of(value: object) -> str:
    """Return the SHA-256 of a JSON value, 64 hexadecimal digits.

    The value is written as compact UTF-8 JSON with sorted keys, so key order and white space do
    not count.

    >>> digest_of({"b": 1, "a": ["x"]}) == digest_of({"a": ["x"], "b": 1})
    True

    Raises:
        DataError: It is no JSON value.
    """
    try:
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DataError(f"the references are not a JSON value: {error}") from None


class Printable:
    """A result that prints as tables and sentences."""

    def pieces(self) -> "Iterator[Table | str]":
        """Yield what is printed, in order: tables, and sentences between them."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(
            piece if isinstance(piece, str) else "\n".join(piece.text_lines())
            for piece in self.pieces()
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "\n".join(
            f"<div>{escape(piece)}</div>" if isinstance(piece, str) else _html(piece)
            for piece in self.pieces()
        )


def _html(table: "Table") -> str:
    # Text stands on the left, numbers on the right, as in text.
    sides = ["left" if table.is_text(index) else "right" for index in range(len(table.names))]

    def row(cells: tuple[str, ...], tag: str) -> str:
        made = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "".join(row(cells, "td") for cells in table.written())
    head = row(table.names, "th")
    return f"<table>{title}<thead>{head}</thead><tbody>{body}</tbody></table>"
