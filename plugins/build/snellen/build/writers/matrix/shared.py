"""Code shared by the makers of the matrix's items: reasons, levels, options, rows.

The level of an item follows from its question by one rule (`level_of`), so that levels mean the
same in every task:

    L1  the prompt names nothing that the picture shows, and needs at most one operation
    L2  the prompt names what to look for; what is found there is the answer
    L3  the result is compared, counted, calculated or changed, once
    L4  two or more operations, each on the result of the one before
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple

from snellen.build.items import Made, Refused
from snellen.build.snapshots import Snapshot
from snellen.tasks.benchmarks.matrix.format import DIMENSIONS

TASK = "matrix/items"

PAGE = "page"
"""The name of the picture of a whole page, without marks, in `Ask.images`."""

ITEMS = 2
"""The maximum number of items of one page and task, if the task has several askers."""

DIMENSION_OF = {task: dimension for dimension, tasks in DIMENSIONS.items() for task in tasks}
"""The dimension of each of the twelve tasks."""


class Reason(StrEnum):
    """The reasons why a page gives no item."""

    FEW_ELEMENTS = "too few elements that can be read and stand apart"
    FEW_ROLES = "fewer than three kinds of elements"
    FEW_HEADINGS = "fewer than two headings"
    NO_TEXT = "no text that stands alone"
    NO_LOOKUP = "no fact with exactly one answer"
    FEW_BUTTONS = "no button with a text that no other has"
    FEW_FIELDS = "fewer than two fields whose purpose is known"
    NO_HOPS = "no table for a condition, and no buttons of which some were recolored"
    NO_SUBMIT = "no button below its fields that stands out"


class Lettered(NamedTuple):
    """Options in the order of the question, and the letter of the correct one."""

    options: Sequence[str]
    letter: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, its reference, and the operations that it needs.

    Attributes:
        task: One of the twelve tasks of `DIMENSIONS`.
        kind: The kind of question, for grouping: `maximum`, `heading`...
        question: The question in words.
        metric: The metric that scores an answer.
        answer: The correct answer, in the metric's form.
        images: The pictures by name; the names end the files' names, and `PAGE` is the page's own.
        options: The options' texts.
        settings: The metric's settings.
        named: Whether the question names something that the picture shows.
        operations: The required operations, in order: `compare`, `difference`...
        hops: The number of hops, if it is not one, or two with operations.
        source: `chart` or `page`.
        record: Details for checks.
    """

    task: str
    kind: str
    question: str
    metric: str
    answer: Any
    images: Mapping[str, bytes]
    options: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    named: bool = True
    operations: Sequence[str] = ()
    hops: int = 0
    source: str = "chart"
    record: Mapping[str, Any] = field(default_factory=dict[str, Any])


def maker_of(task: str) -> str:
    """Return the name of the maker of one of the twelve tasks."""
    return f"{TASK}/{task}"


def refused(task: str, reason: Reason) -> Refused:
    """Return the refusal of an item of one of the twelve tasks."""
    return Refused(maker_of(task), reason.value)


def level_of(named: bool, operations: Sequence[str]) -> int:
    """Return the level of a question, 1 to 4.

    >>> [level_of(*one) for one in ((False, ()), (True, ()), (True, ("compare",)))]
    [1, 2, 3]
    >>> level_of(False, ("difference", "compare"))
    4
    """
    if len(operations) > 1:
        return 4
    if not named:
        return 1
    return 2 + len(operations)


def made(snapshot: Snapshot, number: int, ask: Ask) -> Made:
    """Return an item of a page.

    Args:
        snapshot: The page.
        number: The item's number among the page's items of its task, from 1.
        ask: The question.
    """
    name = f"{snapshot.id}/{ask.task}-{number}"
    paths = {
        # The plain page has one name for all its questions.
        key: f"images/{snapshot.id}/page.png" if key == PAGE else f"images/{name}-{key}.png"
        for key in ask.images
    }
    row = {
        "id": name,
        "dimension": DIMENSION_OF[ask.task],
        "level": level_of(ask.named, ask.operations),
        "task": ask.task,
        "question": ask.question,
        "images": list(paths.values()),
        "metric": ask.metric,
        "answer": ask.answer,
        "group": snapshot.captured.site,
        "tags": {
            "site": snapshot.captured.site,
            "page": snapshot.id,
            "source": ask.source,
            "kind": ask.kind,
        },
    }
    if ask.options:
        row["options"] = list(ask.options)
    if ask.settings:
        row["settings"] = dict(ask.settings)
    return Made(
        TASK,
        row,
        {paths[key]: png for key, png in ask.images.items()},
        {
            "task": ask.task,
            "level": f"L{row['level']}",
            "source": ask.source,
            "kind": ask.kind,
            "hops": str(ask.hops or 1 + bool(ask.operations)),
        },
        {"named": ask.named, "operations": list(ask.operations), **ask.record},
    )


def lettered(random: Random, right: str, others: Sequence[str]) -> Lettered:
    """Return options in a random order."""
    options = [right, *others]
    random.shuffle(options)
    return Lettered(options, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[options.index(right)])


def some_of(random: Random, right: str, every: Sequence[str], most: int = 5) -> Lettered:
    """Return up to `most` options in a random order, including the correct one."""
    others = [option for option in every if option != right]
    return lettered(random, right, random.sample(others, min(most - 1, len(others))))


def first_asked(snapshot: Snapshot, askers: Iterable[Callable[[], Ask | None]]) -> Sequence[Made]:
    """Return the items of the first askers with a question, at most `ITEMS`."""
    items: list[Made] = []
    for asker in askers:
        ask = asker() if len(items) < ITEMS else None
        if ask is not None:
            items.append(made(snapshot, len(items) + 1, ask))
    return items
