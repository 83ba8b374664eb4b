"""What the makers of the matrix's items share: reasons, levels, options, rows.

The level of an item follows from what it takes, by one rule (`level_of`), so that levels mean the
same in every task:

    L1  the prompt names nothing that the picture shows, and at most one thing is worked out
    L2  the prompt names what to look for; what is found there is the answer
    L3  what is found is compared, counted, calculated or changed, once
    L4  twice or more, each time with what came of it before
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple

from snellen.tasks.benchmarks.matrix.format import DIMENSIONS
from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.snapshots import Snapshot

TASK = "matrix/items"

PAGE = "page"
"""What the picture of a whole page, without marks, is called in `Ask.images`."""

ITEMS = 2
"""The most items of one page and task of those that are asked for in several ways."""

_DIMENSION = {task: dimension for dimension, tasks in DIMENSIONS.items() for task in tasks}


class Reason(StrEnum):
    """Why a page carries no item."""

    FEW_ELEMENTS = "too few elements that can be read and stand apart"
    FEW_ROLES = "fewer than three kinds of elements"
    FEW_HEADINGS = "fewer than two headings"
    NO_TEXT = "no text that stands alone"
    NO_LOOKUP = "no fact with exactly one answer"
    FEW_BUTTONS = "no button with a text that no other has"
    FEW_FIELDS = "fewer than two fields whose purpose is known"
    NO_SUBMIT = "no button below its fields that stands out"


class Lettered(NamedTuple):
    """Options in the order asked, and the right one's letter."""

    options: Sequence[str]
    letter: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, its reference, and what it takes.

    Attributes:
        task: One of the twelve of `DIMENSIONS`.
        kind: What is asked, to group by: `maximum`, `heading`...
        question: In words.
        metric: By which an answer is scored.
        answer: What is right, as the metric takes it.
        images: The pictures by their names, which end the files' names; `PAGE` is the page's own.
        options: The options' texts.
        settings: The metric's.
        named: Whether the question names something that the picture shows.
        operations: What has to be worked out, in order: `compare`, `difference`...
        source: `chart` or `page`.
        record: What was done.
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
    source: str = "chart"
    record: Mapping[str, Any] = field(default_factory=dict[str, Any])


def maker_of(task: str) -> str:
    """Return the name of the maker of one of the twelve tasks."""
    return f"{TASK}/{task}"


def refused(task: str, reason: Reason) -> Refused:
    """Say why a page carries no item of one of the twelve tasks."""
    return Refused(maker_of(task), reason.value)


def level_of(named: bool, operations: Sequence[str]) -> int:
    """Return the level of what takes so much.

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
        number: Which of the page's items of its task it is, from 1.
        ask: What is asked.
    """
    name = f"{snapshot.id}/{ask.task}-{number}"
    paths = {
        # The page as it is has one name for all that is asked about it.
        key: f"images/{snapshot.id}/page.png" if key == PAGE else f"images/{name}-{key}.png"
        for key in ask.images
    }
    row = {
        "id": name,
        "dimension": _DIMENSION[ask.task],
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
        {"task": ask.task, "level": f"L{row['level']}", "source": ask.source, "kind": ask.kind},
        {"named": ask.named, "operations": list(ask.operations), **ask.record},
    )


def lettered(random: Random, right: str, others: Sequence[str]) -> Lettered:
    """Return options in a random order."""
    options = [right, *others]
    random.shuffle(options)
    return Lettered(options, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[options.index(right)])


def some_of(random: Random, right: str, every: Sequence[str], most: int = 5) -> Lettered:
    """Return at most so many of what could be right, the right one among them, at random."""
    others = [one for one in every if one != right]
    return lettered(random, right, random.sample(others, min(most - 1, len(others))))


def first_asked(snapshot: Snapshot, askers: Iterable[Callable[[], Ask | None]]) -> Sequence[Made]:
    """Return the items of the first askers that find something to ask, at most `ITEMS`."""
    found: list[Made] = []
    for asker in askers:
        ask = asker() if len(found) < ITEMS else None
        if ask is not None:
            found.append(made(snapshot, len(found) + 1, ask))
    return found
