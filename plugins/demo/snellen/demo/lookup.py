"""Lookup of the value of a label on a screen, also in a table."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.demo.ocr.pictures import Box, Line
from snellen.demo.phrases import agreement, content, hits, quoted, without_end

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
    """Return the cell with the name of the row that a question asks for; None: it asks for none.

    Such a question quotes the head of the column with the rows' names and the head of another
    column: which “Name” has the highest value under “Amount”, which “Name” has “$5” under “Amount”.

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
    """Return the lines of a column below its head, up to the first gap."""
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
    """Return the heads of two columns of a table, which are in the same row."""
    firsts = [line for line in lines if agreement(line.text, name) >= _SAME]
    seconds = [line for line in lines if agreement(line.text, value) >= _SAME]
    for first in firsts:
        for second in seconds:
            if first is not second and first.box.beside(second.box) > 0.5:
                return first, second
    return None


_MONEY = (
    r"(?:[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥₹元円]|EUR|USD|GBP|euros?|dollars?)"
    r"(?:\s?/\s?\w+)?)"
)
_TIME = r"\d{1,2}(?::\d{2}|[.]\d{2}(?= ?(?:Uhr|h)))(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?[ap]\.?m\.?"
_DATE = (
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}年\d{1,2}月\d{1,2}日"
    r"|\d{1,2}\.? (?:de )?[^\W\d_]{3,10}\.?,?(?: (?:de )?\d{4})?"
    r"|[A-Z][a-z]{2,8} \d{1,2}(?:, \d{4})?"
)
_PATTERNS: dict[str, re.Pattern[str]] = {
    "money": re.compile(_MONEY),
    "time": re.compile(
        rf"(?:{_TIME})(?:\s?(?:-|\u2013|\u2014|to|bis|a|à)\s?(?:{_TIME}))?", re.IGNORECASE
    ),
    "date": re.compile(_DATE),
    "percent": re.compile(r"\d[\d.,]*\s?%"),
    "email": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    "phone": re.compile(r"\+?\(?\d[\d\s().-]{5,}\d"),
    "number": re.compile(r"\d[\d.,]*"),
}
_ASKED: tuple[tuple[str, str], ...] = (
    ("email", r"e-?mail|correo|邮箱"),
    ("phone", r"\b(?:phone|telephone|call|teléfono|telefon\w*|fax)\b|电话"),
    ("percent", r"percent|interest rate|\brate\b|zins|\b%"),
    (
        "money",
        r"\b(?:price|cost|costs|fee|fees|pay|charge|balance|salary|rent|cheap\w*|expensive|total"
        r"|amount|precio|cuesta|preis|kostet|kosten|prix|coûte|tarif|preço|custa)\b|价格|多少钱|费用",
    ),
    (
        "time",
        r"\b(?:what time|hours|opens?|closes?|closing|opening|horario|öffnet|schließt|uhr"
        r"|öffnungszeiten|horaires?)\b|几点|营业",
    ),
    ("date", r"\b(?:when|what date|which day|date|fecha|wann|datum|quand|cuándo)\b|日期"),
    ("number", r"\b(?:how many|how much|number of|cuánt[oa]s|wie viele|combien|quant[oa]s)\b|多少"),
)
_RANK = 1.6


class FieldMatch(NamedTuple):
    """A found value, with its box, its label and its score."""

    text: str
    box: Box
    label: str
    score: float


def kind_asked(question: str) -> str:
    """Return the kind of value that a question asks for, or an empty text.

    >>> kind_asked("What is the price of the tent?"), kind_asked("Who wrote it?")
    ('money', '')
    """
    for kind, pattern in _ASKED:
        if re.search(pattern, question, re.IGNORECASE):
            return kind
    return ""


def value_in(text: str, kind: str) -> str:
    """Return the first value of a kind in a text, or an empty text.

    >>> value_in("Only $1,299.00 today", "money"), value_in("Open 9:00 - 17:30", "time")
    ('$1,299.00', '9:00 - 17:30')
    """
    pattern = _PATTERNS.get(kind)
    found = None if pattern is None else pattern.search(text)
    return found[0].strip(" .,") if found else ""


def look_up(question: str, lines: Sequence[Line]) -> FieldMatch | None:
    """Return the value that answers a question, or None if there is no match.

    The best of: the cell of a table in the row and the column that the question names; the text
    after, right of or below the label that it names; a value of the requested kind in a line with
    its words.

    Args:
        question: The question.
        lines: The lines of a page.
    """
    wanted = content(question)
    if not wanted:
        return None
    weights = _weights(wanted, lines)
    marked = [(line, hits(wanted, line.text)) for line in lines]
    marked = [(line, found) for line, found in marked if found]
    kind = kind_asked(question)
    tried = [
        *_cells(marked, lines, weights, kind),
        *_beside(marked, lines, weights, kind),
        *_within(marked, weights, kind, question),
    ]
    return max(tried, key=lambda one: one.score, default=None)


def _weights(wanted: Sequence[str], lines: Sequence[Line]) -> Mapping[str, float]:
    """Return the weights of words, whose sum is 1; a word in fewer lines has a higher weight."""
    seen = Counter(word for line in lines for word in hits(wanted, line.text))
    raw = {word: 1 / (1 + seen[word]) if seen[word] else 0.35 for word in wanted}
    total = sum(raw.values())
    return {word: weight / total for word, weight in raw.items()}


def _weight(found: set[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in found)


def _typed(text: str, kind: str) -> float:
    if not kind:
        return 0.1 if len(text) <= 60 else 0.0
    return 0.35 if value_in(text, kind) else -0.15


def _cells(
    marked: Sequence[tuple[Line, set[str]]],
    lines: Sequence[Line],
    weights: Mapping[str, float],
    kind: str,
) -> Iterator[FieldMatch]:
    for row, in_row in marked:
        for head, in_head in marked:
            fresh = in_head - in_row
            if not fresh or not in_row - in_head or head.box.bottom > row.box.top + 2:
                continue
            for cell in lines:
                if (
                    cell is not row
                    and cell.box.left > row.box.right - 2
                    and cell.box.beside(row.box) > 0.5
                    and cell.box.above(head.box) > 0.5
                ):
                    score = _weight(in_row | in_head, weights) + 0.15 + _typed(cell.text, kind)
                    yield FieldMatch(
                        without_end(cell.text), cell.box, f"{row.text} / {head.text}", score
                    )


def _beside(
    marked: Sequence[tuple[Line, set[str]]],
    lines: Sequence[Line],
    weights: Mapping[str, float],
    kind: str,
) -> Iterator[FieldMatch]:
    for label, found in marked:
        worth = _weight(found, weights)
        # A label has few words that the question does not have.
        own = content(label.text)
        worth *= 0.5 + 0.5 * min(len(found) / max(len(own), 1), 1.0)
        before, colon, after = label.text.partition(":")
        if colon and len(after.strip()) > 1 and hits(found, before):
            score = worth + 0.2 + _typed(after, kind)
            yield FieldMatch(without_end(after), label.box, before, score)
        for near, closeness in _neighbours(label, lines):
            score = worth + closeness + _typed(near.text, kind)
            yield FieldMatch(without_end(near.text), near.box, without_end(label.text), score)


def _neighbours(label: Line, lines: Sequence[Line]) -> Iterator[tuple[Line, float]]:
    """Yield the lines right of, below and above a label, each with its closeness.

    A line above counts if it is larger than the label.
    """
    size = max(label.box.height, 1.0)
    right = [
        line
        for line in lines
        if line.box.left >= label.box.right - 2 and line.box.beside(label.box) > 0.5
    ]
    if right:
        nearest = min(right, key=lambda line: line.box.left)
        gap = (nearest.box.left - label.box.right) / size
        yield nearest, max(0.15 - 0.01 * gap, 0.0)
    below = [
        line
        for line in lines
        if line.box.top >= label.box.bottom - 0.4 * size
        and line.box.above(label.box) > 0.5
        and abs(line.box.left - label.box.left) < 2 * size
    ]
    if below:
        nearest = min(below, key=lambda line: line.box.top)
        gap = (nearest.box.top - label.box.bottom) / size
        if gap < _RANK:
            yield nearest, max(0.1 - 0.05 * gap, 0.0)
    above = [
        line
        for line in lines
        if 0 <= label.box.top - line.box.bottom + 0.4 * size < size
        and line.box.above(label.box) > 0.5
        and line.box.height > 1.2 * size
    ]
    if above:
        yield max(above, key=lambda line: line.box.bottom), 0.02


def _within(
    marked: Sequence[tuple[Line, set[str]]], weights: Mapping[str, float], kind: str, question: str
) -> Iterator[FieldMatch]:
    for line, found in marked:
        value = value_in(line.text, kind)
        if value and value not in question:
            score = _weight(found, weights) + 0.25
            yield FieldMatch(value, line.box, line.text, score)
