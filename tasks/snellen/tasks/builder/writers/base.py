"""What a maker of items gives: rows in the benchmark's published layout, or why there is none.

A maker sees one frozen page and draws what it must choose from a source of its own. What it makes
is a row of the benchmark's data as our loader reads it, so that prompts, forms of answers, scoring
and the spaces of coordinates are those of the published benchmark.
"""

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, NamedTuple, TypeAlias

from snellen.tasks.builder.snapshots import Snapshot


class Made(NamedTuple):
    """One item.

    Attributes:
        task: The task's id.
        row: What the published layout says of it, reference included; it names images by the
            keys of `images`.
        images: The PNG of each image, by a name that is unique in the task.
        tags: What it can be grouped by, by those who read a report: difficulty, language, how it
            was made.
        record: What was done, for whoever checks it: the element, the box in pixels, operators.
    """

    task: str
    row: Mapping[str, Any]
    images: Mapping[str, bytes]
    tags: Mapping[str, str] = {}
    record: Mapping[str, Any] = {}


class Refused(NamedTuple):
    """Why a page carries no item of a task; the reason is one of few, so that it can be counted."""

    task: str
    reason: str


Maker: TypeAlias = Callable[[Snapshot, Random], Iterable[Made | Refused]]
"""Makes the items of one task from one page."""
