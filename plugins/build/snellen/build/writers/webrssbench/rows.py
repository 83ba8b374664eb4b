"""Code shared by all makers of WebRSSBench's items: rows, names of images, and refusals."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from snellen.build.items import Made, Refused
from snellen.build.questions.text import language_of
from snellen.build.screen.elements import Element, Screen
from snellen.build.snapshots import Change, Snapshot
from snellen.tasks.benchmarks.webrssbench.rows import BENCHMARK

NO_CHANGE = "no perturbation of it was kept"

HEIGHTS = (1200, 2200)
"""In pixels: pages taller than the first are medium, than the second hard; the width is fixed.

The paper calls screenshots easy, medium and hard by their size without giving sizes.
"""


class Ask(NamedTuple):
    """The question of a row, with the fields that all rows have."""

    task: str  # the task's id
    snapshot: Snapshot  # the page
    reference: object = None  # in the task's published form; None if it is derived from the row
    element: str | None = None  # distinguishes several questions about one page
    difficulty: str | None = None  # easy, medium or hard


def refused(task: str, reason: str) -> Refused:
    """Return the refusal of an item of a task, whose name lacks the benchmark."""
    return Refused(f"{BENCHMARK}/{task}", reason)


def row_of(ask: Ask, pictures: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row in the manifest's form.

    Args:
        ask: The question.
        pictures: The fields that name images.
    """
    captured = ask.snapshot.captured
    row: dict[str, Any] = {
        "task": ask.task.removeprefix(f"{BENCHMARK}/"),
        "page": ask.snapshot.id,
        "site": captured.site,
        **pictures,
    }
    optional = {"element": ask.element, "difficulty": ask.difficulty, "reference": ask.reference}
    return row | {name: value for name, value in optional.items() if value is not None}


def made(
    ask: Ask,
    pictures: Mapping[str, Any],
    images: Mapping[str, bytes],
    tags: Mapping[str, str] | None = None,
    record: Mapping[str, Any] | None = None,
) -> Made:
    """Return an item."""
    shared = {"language": language_of(ask.snapshot.screen) or "unsaid"}
    return Made(ask.task, row_of(ask, pictures), images, shared | dict(tags or {}), record or {})


def image_name(snapshot: Snapshot, name: str) -> str:
    """Return the path of an image in the benchmark's folder; images with one path are equal."""
    return f"images/{snapshot.id}/{name}.png"


def sized(name: str, png: bytes) -> dict[str, Any]:
    """Return the entry of an image in a row, with its size in pixels."""
    width, height = size_of(png)
    return {"path": name, "width": width, "height": height}


def size_of(png: bytes) -> tuple[int, int]:
    """Return an image's width and height in pixels."""
    from PIL import Image

    with Image.open(BytesIO(png)) as image:
        return image.size


def level_of(screen: Screen) -> str:
    """Return a page's difficulty by its height; see `HEIGHTS`."""
    easy, medium = HEIGHTS
    return "easy" if screen.height <= easy else "medium" if screen.height <= medium else "hard"


def changes_of(snapshot: Snapshot, task: str) -> Sequence[Change]:
    """Return a page's perturbations for a task, whose name lacks the benchmark."""
    return [change for change in snapshot.captured.changes if change.task == f"{BENCHMARK}/{task}"]


def dropped(snapshot: Snapshot, task: str) -> Refused:
    """Return the refusal if no perturbation of a page for a task was kept."""
    full = f"{BENCHMARK}/{task}"
    reasons = [entry.reason for entry in snapshot.captured.dropped if entry.task == full]
    return Refused(full, reasons[0] if reasons else NO_CHANGE)


def marked_record(element: Element) -> dict[str, Any]:
    """Return the record of the element that an item is about."""
    return {"element": element.id, "box": list(element.box), "role": element.role}
