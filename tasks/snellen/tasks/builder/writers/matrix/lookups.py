"""Questions about what a page says as data: one fact, an extreme, a difference.

What is asked for has exactly one answer, by the rules of `visualwebbench_webqa`.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random
from typing import NamedTuple

from snellen.tasks.builder.questions.facts import (
    Fact,
    Table,
    amount_of,
    facts_of,
)
from snellen.tasks.builder.questions.templates import Questions, questions_of
from snellen.tasks.builder.screen.elements import Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.base import Made, Refused
from snellen.tasks.builder.writers.matrix.shared import PAGE, Ask, Reason, made, refused
from snellen.tasks.builder.writers.visualwebbench.shared import (
    folded,
    is_readable,
    language_of,
    rounded,
)
from snellen.tasks.builder.writers.visualwebbench.webqa import Asked, answerable, forms_of

_COMPARED = frozenset({"highest", "lowest", "dearest", "cheapest"})
_LONGEST = 60


class _Difference(NamedTuple):
    """Two numbers of one column, the larger one first, and what rows and column are called."""

    column: str
    larger: str
    smaller: str
    value: float
    elements: tuple[int | None, int | None]


def make_lookups(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for a fact of the page, and for how far two numbers of a table are apart."""
    screen = snapshot.screen
    questions = questions_of(language_of(screen))
    facts = facts_of(snapshot.captured.facts)
    asks: list[Ask] = []
    if questions is not None:
        asked = answerable(screen, facts, questions)
        if asked:
            asks.append(_fact(snapshot, _by_kind(asked, random), questions))
        differences = _differences(screen, facts, questions)
        if differences:
            asks.append(_apart(snapshot, random.choice(differences)))
    for number, ask in enumerate(asks, start=1):
        yield made(snapshot, number, ask)
    if not asks:
        yield refused("vqa", Reason.NO_LOOKUP)


def _by_kind(asked: Sequence[Asked], random: Random) -> Asked:
    kind = random.choice(sorted({one.kind for one in asked}))
    return random.choice([one for one in asked if one.kind == kind])


def _fact(snapshot: Snapshot, asked: Asked, questions: Questions) -> Ask:
    screen = snapshot.screen
    element = None if asked.element is None else screen.elements[asked.element]
    return Ask(
        "vqa",
        asked.kind,
        asked.question,
        "exact_match",
        forms_of(screen, asked, questions),
        {PAGE: snapshot.image()},
        operations=("compare",) if asked.kind in _COMPARED else (),
        source="page",
        record={
            "element": asked.element,
            "box": None if element is None else rounded(element.box),
        },
    )


def _apart(snapshot: Snapshot, found: _Difference) -> Ask:
    return Ask(
        "vqa",
        "difference",
        f"By how much is “{found.column}” larger for “{found.larger}” than for “{found.smaller}”?",
        "numeric",
        found.value,
        {PAGE: snapshot.image()},
        operations=("look up twice", "difference"),
        source="page",
        record={"elements": list(found.elements)},
    )


def _differences(screen: Screen, facts: Sequence[Fact], questions: Questions) -> list[_Difference]:
    """Return the differences that can be asked for; pages with two tables have none.

    The same names could stand in both.
    """
    tables = [fact for fact in facts if isinstance(fact, Table)]
    if len(tables) != 1:
        return []
    (table,) = tables
    names = [row[0] for row in table.rows]
    if len({folded(name) for name in names}) < len(names):
        return []
    if any(not any(map(str.isalpha, name)) or len(name) > _LONGEST for name in names):
        return []
    headers = [folded(header) for header in table.headers]
    return [
        found
        for column, header in enumerate(headers)
        if column and header and headers.count(header) == 1
        for found in _in_column(screen, table, column, questions)
    ]


def _in_column(
    screen: Screen, table: Table, column: int, questions: Questions
) -> Iterator[_Difference]:
    amounts = [amount_of(row[column], questions) for row in table.rows]
    units = {amount.unit for amount in amounts if amount is not None}
    if len(units) != 1:
        return
    for one, other in permutations(range(len(amounts)), 2):
        first, second = amounts[one], amounts[other]
        elements = (table.cells[one][column], table.cells[other][column])
        seen = all(each is not None and is_readable(screen.elements[each]) for each in elements)
        if first is not None and second is not None and first.value > second.value and seen:
            yield _Difference(
                table.headers[column],
                table.rows[one][0],
                table.rows[other][0],
                float(first.value - second.value),
                elements,
            )
