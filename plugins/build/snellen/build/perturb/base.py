"""The parts of a perturbation: an edit of the live page, and conditions on the result.

A change maker edits the page and reports the edit. The capture then takes a new image, measures the
page again and checks the conditions. It undoes the edit (every edit of the DOM is recorded) and
checks that the page looks as before, to the pixel. A change that violates a condition is dropped,
and the reason is counted.

In the page, an element of the screen has its id as a mark: `document.querySelector(MARKED % 7)` is
the element with the id 7. Inserted elements need no mark. An edit must change the DOM: attributes,
text and nodes. A change of a property alone (a field's `value`, a checkbox's `checked`) is neither
recorded nor undone, so set the attribute as well.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from snellen.build.screen.elements import After, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Page

NOTHING_CHANGED = "no pixel changed"
CONTROL_DIFFERS = "the page without it is not as before"
KEPT_MOVED = "what must stay moved"
KEPT_TEXT = "what must stay has another text"
KEPT_GONE = "what must stay is gone"
TOO_TALL = "the page became too tall"
NEVER_AT_REST = "with it the page is never at rest"
FAILED = "the edit failed"


Check: TypeAlias = Callable[[After], str | None]
"""A condition: returns None if it holds, else the reason, one of few."""


class Attempted(NamedTuple):
    """A completed edit.

    Attributes:
        elements: The ids of the elements to change.
        record: The parameters: shares, colors, contrasts, operators, texts.
        kept: The ids of the elements whose position, size and text must not change.
        tolerance: The maximum distance in pixels that an edge of them may move.
        checks: Further conditions.
    """

    elements: Sequence[int]
    record: Mapping[str, Any] = {}
    kept: Sequence[int] = ()
    tolerance: float = 2.0
    checks: Sequence[Check] = ()


class Declined(NamedTuple):
    """The reason why a page can't carry the change, one of few; the page was not edited."""

    reason: str


Make: TypeAlias = Callable[["Page", Screen, Random], Attempted | Declined]


class ChangeMaker(NamedTuple):
    """One kind of change."""

    task: str
    mode: str  # its kind; with the task, unique among the makers of a build
    make: Make  # edits the live page

    @property
    def name(self) -> str:
        """The task and the mode: the seed of its choices and the name of its image."""
        return f"{self.task}/{self.mode}"


def broken(attempted: Attempted, before: Screen, after: After) -> str | None:
    """Return the reason for the first violated condition, or None.

    Args:
        attempted: The edit and its conditions.
        before: The page at rest.
        after: The page with the change.
    """
    for number in attempted.kept:
        was, now = before.elements[number], after.elements.get(number)
        if now is None:
            return KEPT_GONE
        if any(abs(a - b) > attempted.tolerance for a, b in zip(was.box, now.box, strict=True)):
            return KEPT_MOVED
        if was.text != now.text:
            return KEPT_TEXT
    return next((reason for check in attempted.checks if (reason := check(after))), None)
