"""What the benchmarks' loaders have in common."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from snellen.grading.errors import UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.reports import DataPin
from snellen.tasks.data.pins import pin
from snellen.tasks.data.release import Release
from snellen.tasks.io.rows import Split

_Task = TypeVar("_Task")


def task_in(tasks: Mapping[str, _Task], task: str, benchmark: str) -> _Task:
    """Return a benchmark's task by its id.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return tasks[task]
    except KeyError:
        raise UnknownNameError(f"{benchmark} task", task, tasks) from None


def pin_of(split: Split, releases: Sequence[Release] = ()) -> DataPin:
    """Say which release a split is, with what was decided on reading it."""
    found = pin(split.role, split.split, split.path, split.sha256, len(split.ids), releases)
    notes = "; ".join(note for note in (found.note, split.note) if note)
    return found.model_copy(update={"note": notes})


def space_hint(space: Space, width: int | None, height: int | None) -> str:
    """Say in a prompt what coordinates count, and how large the image is where that is known."""
    if space is Space.UNIT:
        return "Coordinates are fractions of the image's width and height, from 0 to 1."
    size = f", which is {width} x {height}" if width and height else ""
    return f"Coordinates are pixels of the original screenshot{size}."
