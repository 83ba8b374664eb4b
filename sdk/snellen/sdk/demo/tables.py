"""Tables: which row has a value, or the highest or lowest one, under a head that is quoted."""

import re
from collections.abc import Sequence

from snellen.sdk.demo.wording import agreement, quoted
from snellen.sdk.ocr.pictures import Line

_HIGHEST = re.compile(
    r"\b(?:highest|largest|greatest|most|maximum|höchsten?|größten?|meisten|más (?:alto|alta|caro)"
    r"|mayor|plus (?:élevée?|haute?|chère?)|maior|mais alto)\b|最高|最大|最多",
    re.IGNORECASE,
)
_LOWEST = re.compile(
    r"\b(?:lowest|smallest|least|fewest|cheapest|minimum|niedrigsten?|kleinsten?|wenigsten"
    r"|más (?:bajo|baja|barato)|menor|moins (?:élevée?|chère?)"
    r"|plus (?:basse?|petite?)|mais baixo)\b"
    r"|最低|最小|最少",
    re.IGNORECASE,
)
_SAME = 0.8
_GAP = 3.5


def row_asked(question: str, lines: Sequence[Line]) -> Line | None:
    """Return the cell that names the row which a question asks for; None: it asks for none.

    Such a question quotes the head of the column that names rows and of another column: which
    “Name” has the highest value under “Amount”, which “Name” has “$5” under “Amount”.

    Args:
        question: The question.
        lines: The lines of a page.
    """
    terms = quoted(question)
    if len(terms) < 2:
        return None
    heads = _heads(terms[0], terms[-1], lines)
    if heads is None:
        return None
    names, values = heads
    column = cells_under(values, lines)
    cell: Line | None = None
    if len(terms) > 2:
        cell = max(column, key=lambda one: agreement(one.text, terms[1]), default=None)
        if cell is not None and agreement(cell.text, terms[1]) < _SAME:
            cell = None
    elif _HIGHEST.search(question) or _LOWEST.search(question):
        numbers = [(number_in(one.text), one) for one in column]
        known = [(number, one) for number, one in numbers if number is not None]
        pick = max if _HIGHEST.search(question) else min
        cell = pick(known, key=lambda pair: pair[0])[1] if known else None
    if cell is None:
        return None
    beside = [one for one in cells_under(names, lines) if one.box.beside(cell.box) > 0.5]
    return beside[0] if beside else None


def cells_under(head: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a column below its head, as far as they follow one another."""
    found: list[Line] = []
    last = head
    for line in sorted(lines, key=lambda one: one.box.top):
        if line.box.top < head.box.bottom - 4 or line.box.above(head.box) < 0.3:
            continue
        if line.box.top - last.box.bottom > _GAP * max(head.box.height, line.box.height):
            break
        found.append(line)
        last = line
    return found


def number_in(text: str) -> float | None:
    """Return the first number in a text.

    >>> number_in("$1,299.50"), number_in("1.299,50 €"), number_in("12 %"), number_in("none")
    (1299.5, 1299.5, 12.0, None)
    """
    found = re.search(r"-?\d[\d.,]*", text)
    if found is None:
        return None
    digits = found[0].rstrip(".,")
    decimal = re.search(r"[.,](\d{1,2})$", digits)
    whole = digits[: decimal.start()] if decimal else digits
    plain = re.sub(r"[.,]", "", whole)
    return float(f"{plain}.{decimal[1]}" if decimal else plain)


def _heads(name: str, value: str, lines: Sequence[Line]) -> tuple[Line, Line] | None:
    """Return the heads of two columns of one table, which stand in one row."""
    firsts = [line for line in lines if agreement(line.text, name) >= _SAME]
    seconds = [line for line in lines if agreement(line.text, value) >= _SAME]
    for first in firsts:
        for second in seconds:
            if first is not second and first.box.beside(second.box) > 0.5:
                return first, second
    return None
