"""Tables for a terminal of any width: no number is cut, and no name."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

import rich.table
from rich.console import Console
from rich.markup import escape

from snellen.grading.table import Column, Kind, Table

_GAPS = (2, 1)
"""Blanks between two columns: what is a little too wide moves together if its names are words."""

_MOST_LINES = 2
"""A column's name is folded once before a table is split, and so are the rows' names."""

_SHORT = 24
"""Texts up to so many letters are folded only after that; longer ones as the rows' names are."""


class _Shape(NamedTuple):
    """How wide a column may be: as written, folded a little, and folded wherever a blank is."""

    natural: int
    folded: int
    least: int


def print_table(console: Console, table: Table) -> None:
    """Print a table as wide as a console at most.

    What does not fit is folded between words; a column of which all rows say the same is printed
    beneath, once; at last the table goes on in another one, with the rows' names again.

    Args:
        console: Where to.
        table: Its first columns that are texts name the rows; no cell is read as markup.
    """
    heads, given = table.columns, table.written()
    shapes = [
        _shape(head, [row[place] for row in given], names=not place)
        for place, head in enumerate(heads)
    ]
    places = list(range(len(heads)))
    equal: list[int] = []
    if _gap(heads, shapes, places, console.width) is None:
        equal = _said_once(heads, given)
        places = [place for place in places if place not in equal]
    gap = _gap(heads, shapes, places, console.width)
    groups = [places] if gap else _groups(heads, shapes, places, console.width)
    for number, chosen in enumerate(groups):
        if number:
            console.print()
        widths = _widths(heads, shapes, chosen, console.width, gap or _GAPS[0])
        console.print(_laid_out(heads, given, widths, table.bold, gap or _GAPS[0]))
    for place in equal:
        console.print(f"{heads[place].name}: {given[0][place]}", markup=False)


def _is_text(head: Column) -> bool:
    """Whether a column holds texts, which stand at the left and may be folded."""
    return head.kind is Kind.TEXT


def _shape(head: Column, cells: Sequence[str], *, names: bool) -> _Shape:
    texts = (head.name, *cells) if _is_text(head) else (head.name,)
    widest = _widest(cells)
    natural = max(len(head.name), widest)
    least = max(
        _widest(word for text in texts for word in text.split()), 0 if _is_text(head) else widest
    )
    folded = next(
        width
        for width in range(least, natural + 1)
        if width == natural or all(len(_fold(text, width)) <= _most(text) for text in texts)
    )
    kept = _is_text(head) and not names and natural <= _SHORT
    return _Shape(natural, natural if kept else folded, least)


def _most(text: str) -> int:
    return max(_MOST_LINES, text.count("\n") + 1)


def _widest(texts: Iterable[str]) -> int:
    return max((len(line) for text in texts for line in text.splitlines()), default=0)


def _fold(text: str, width: int) -> list[str]:
    return [
        part
        for line in text.splitlines()
        for part in wrap(line, max(1, width), break_long_words=False, break_on_hyphens=False)
        or [""]
    ] or [""]


def _gap(
    heads: Sequence[Column], shapes: Sequence[_Shape], places: Sequence[int], width: int
) -> int | None:
    """Return how far apart the columns of one table stand; None where it does not fit."""
    # With one blank between columns nobody sees where a name of two words ends.
    gaps = _GAPS[:1] if any(" " in heads[place].name for place in places) else _GAPS
    total = sum(shapes[place].folded for place in places)
    return next((gap for gap in gaps if total + gap * (len(places) - 1) <= width), None)


def _said_once(heads: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns of texts, but the first, of which all of several rows say the same."""
    if len(rows) < 2:
        return []
    return [
        place
        for place, head in enumerate(heads)
        if place and _is_text(head) and rows[0][place] and len({row[place] for row in rows}) == 1
    ]


def _groups(
    heads: Sequence[Column], shapes: Sequence[_Shape], places: Sequence[int], width: int
) -> Iterator[list[int]]:
    """Yield the columns of each table: those that name the rows, and as many others as fit."""
    names = list(places[:1])
    if len(places) > 2 and _is_text(heads[places[1]]) and not _is_text(heads[places[2]]):
        names = list(places[:2])
    group = names
    for place in places[len(names) :]:
        total = sum(shapes[one].folded + _GAPS[0] for one in group) + shapes[place].folded
        if group is not names and total > width:
            yield group
            group = names
        group = [*group, place]
    yield group


def _widths(
    heads: Sequence[Column], shapes: Sequence[_Shape], places: Sequence[int], width: int, gap: int
) -> dict[int, int]:
    """Return how wide each column is: folded where it must be, the names of numbers first."""
    found = {place: shapes[place].natural for place in places}
    steps: list[Callable[[int], int]] = [
        lambda place: shapes[place].natural if _is_text(heads[place]) else shapes[place].folded,
        lambda place: shapes[place].folded,
        lambda place: shapes[place].least,
    ]
    room = width - gap * (len(places) - 1)
    for least in steps:
        while sum(found.values()) > room:
            wide = [place for place in places if found[place] > least(place)]
            if not wide:
                break
            found[max(wide, key=lambda place: found[place])] -= 1
    return found


def _laid_out(
    heads: Sequence[Column],
    rows: Sequence[Sequence[str]],
    widths: dict[int, int],
    bold: Collection[int],
    gap: int,
) -> rich.table.Table:
    table = rich.table.Table(
        box=None, pad_edge=False, padding=(0, gap, 0, 0), show_edge=False, header_style="bold"
    )
    for place, width in widths.items():
        head = heads[place]
        name = "\n".join(_fold(head.name, width))
        # What is wider than the whole terminal is broken: nothing is ever left out.
        table.add_column(
            escape(name),
            justify="left" if _is_text(head) or not place else "right",
            overflow="fold",
        )
    for number, row in enumerate(rows):
        cells = [escape("\n".join(_fold(row[place], width))) for place, width in widths.items()]
        table.add_row(*cells, style="bold" if number in bold else "")
    return table
