"""One face for results: tables and sentences as text, and as HTML in a notebook."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snellen.grading.table import Table


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
