"""The items of a page as one JSON text, column by column, safe inside a `<script>` element.

The script reads only data: every `<`, `>` and `&` is escaped, so that no answer can end the element
or open a comment or a tag. A column's texts are cut at one stated length, so that the total stays
within a budget for any answers.
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from snellen.grading.models.scores import Outcome
from snellen.grading.report.page import ItemList, ItemRow

TEXT_BUDGET = 1_500_000
"""How many characters the questions, answers and references of a page may have together."""

LONGEST_TEXT = 2_000
"""No text of an item is shown beyond this many characters."""

SHORTEST_CUT = 80
"""Texts are never cut shorter than this, whatever the budget."""

_FILTERABLE = 40
_LONGEST_NOTE = 500
_SCREENED = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\N{LINE SEPARATOR}": "\\u2028",
        "\N{PARAGRAPH SEPARATOR}": "\\u2029",
    }
)
_OUTCOMES = tuple(Outcome)


class Cut(NamedTuple):
    """A column of shortened texts, and the original lengths of the shortened ones by row."""

    texts: list[str | None]
    lengths: dict[int, int]


def items_json(items: ItemList, failures: Sequence[str]) -> Iterator[str]:
    """Yield the items as one JSON object, piece by piece.

    Args:
        items: The items; their order is kept.
        failures: The names of the failure tags that the rows' indices refer to.

    Raises:
        ValueError: A metric's value is not a finite number.
    """
    rows = items.rows
    prefix = question_prefix([row.question for row in rows])
    longest = cut_length(
        [
            len(text)
            for row in rows
            for text in (row.question[len(prefix) :], row.answer, row.parsed, row.reference)
            if text
        ]
    )
    yield '{"count":' + str(len(rows))
    yield from _field("longest", longest)
    yield from _field("prefix", prefix)
    yield from _field("metrics", items.metrics)
    yield from _field("withReferences", items.with_references)
    yield from _field("failureNames", failures)
    yield from _field("outcomeNames", [outcome.value for outcome in _OUTCOMES])
    yield from _field("ids", [row.item_id for row in rows])
    if any(row.attempt for row in rows):
        yield from _field("attempts", [row.attempt for row in rows])
    yield from _field("outcomes", [_OUTCOMES.index(row.outcome) for row in rows])
    for number in range(len(items.metrics)):
        yield "," if number else ',"values":['
        yield _screened([_short(row.values[number]) for row in rows])
    yield "]" if items.metrics else ',"values":[]'
    yield from _texts("questions", rows, lambda row: row.question[len(prefix) :], longest)
    yield from _texts("answers", rows, lambda row: row.answer, longest)
    yield from _texts("parsed", rows, lambda row: row.parsed, longest)
    if items.with_references:
        yield from _texts("references", rows, lambda row: row.reference, longest)
    yield from _few("notes", rows, lambda row: row.note[:_LONGEST_NOTE])
    yield from _few("errors", rows, lambda row: (row.error or "")[:_LONGEST_NOTE])
    yield from _few("crashed", rows, lambda row: row.crashed)
    yield from _few("failures", rows, lambda row: row.failures)
    yield ',"tags":['
    for number, name in enumerate(items.tags):
        yield "," if number else ""
        yield _screened(_coded(name, [row.tags[number] for row in rows]))
    yield "]"
    yield from _few("image", rows, lambda row: None if row.image is None else [row.image])
    yield ',"images":['
    for number, image in enumerate(items.images):
        yield "," if number else ""
        encoded = base64.b64encode(image.data).decode("ascii")
        yield _screened(f"data:{image.media};base64,{encoded}")
    yield "]}"


def cut_length(lengths: Sequence[int], budget: int = TEXT_BUDGET) -> int:
    """Return the length at which texts are cut so that their total stays within a budget.

    Args:
        lengths: The length of each text, in characters.
        budget: The maximum number of characters in total.

    Returns:
        The largest such length, between `SHORTEST_CUT` and `LONGEST_TEXT`.

    >>> cut_length([100, 200, 5000], budget=10_000)
    2000
    >>> cut_length([100, 300, 5000], budget=700)
    300
    """
    left = budget
    ordered = sorted(lengths)
    for index, length in enumerate(ordered):
        share = left // (len(ordered) - index)
        if length > share:
            return max(SHORTEST_CUT, min(LONGEST_TEXT, share))
        left -= length
    return LONGEST_TEXT


def question_prefix(questions: Sequence[str]) -> str:
    r"""Return the common prefix of all questions, up to the end of a line, heading or sentence.

    The page shows it once.

    >>> question_prefix(["Look.\nQuestion: who?", "Look.\nQuestion: what?"])
    'Look.\nQuestion: '
    >>> question_prefix(["Do it. You may take 5 steps.", "Do it. You may take 9 steps."])
    'Do it. '
    """
    if len(questions) < 2:
        return ""
    # The common prefix of the alphabetically first and last texts is common to all.
    first, last = min(questions), max(questions)
    if first == last:
        return first
    pairs = zip(first, last, strict=False)
    same = next((index for index, (a, b) in enumerate(pairs) if a != b), len(first))
    shared = first[:same]
    ends = [shared.rfind(end) + len(end) for end in ("\n", ": ", ". ") if end in shared]
    return shared[: max(ends, default=0)]


def _texts(
    name: str,
    rows: Sequence[ItemRow],
    read: Callable[[ItemRow], str | None],
    longest: int,
) -> Iterator[str]:
    cut = _cut([read(row) for row in rows], longest)
    if any(cut.texts):
        yield from _field(name, cut.texts)
    if cut.lengths:
        yield from _field(f"{name}Cut", cut.lengths)


def _cut(texts: list[str | None], longest: int) -> Cut:
    lengths = {
        row: len(text) for row, text in enumerate(texts) if text is not None and len(text) > longest
    }
    for row in lengths:
        texts[row] = (texts[row] or "")[:longest]
    return Cut(texts, lengths)


def _few(name: str, rows: Sequence[ItemRow], read: Callable[[ItemRow], object]) -> Iterator[str]:
    """Yield a column that most rows lack as an object from row to value."""
    found = {index: value for index, row in enumerate(rows) if (value := read(row))}
    if found:
        yield from _field(name, found)


def _coded(name: str, column: Sequence[str | None]) -> dict[str, object]:
    """Write a tag's column as its distinct values and one code per row; -1: no value."""
    codes: dict[str, int] = {}
    coded = [-1 if value is None else codes.setdefault(value, len(codes)) for value in column]
    return {
        "name": name,
        "values": list(codes),
        "codes": coded,
        "filter": 1 < len(codes) <= _FILTERABLE,
    }


def _field(name: str, value: object) -> Iterator[str]:
    yield f',"{name}":'
    yield _screened(value)


def _short(value: float) -> float | int:
    rounded = round(float(value), 4)
    return int(rounded) if rounded.is_integer() else rounded


def _screened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_SCREENED)
