"""What a perturbation gives: an edit of the live page, and what it promises about the result.

A change maker edits the page that it is handed and says what it did. The capture then takes a new
image, measures the page again, checks what was promised, takes the edit back (every edit of the
DOM is recorded as it happens) and checks that the page without it looks as before, to the pixel.
A change that breaks a promise is dropped, and the reason is counted.

In the page, an element of the screen carries its id: `document.querySelector(MARKED % 7)` is the
element whose id is 7. What an edit inserts needs no mark. An edit must be one of the DOM:
attributes, text and nodes; what a script sets as a property alone (a field's `value`, a checkbox's
`checked`) is not seen and not taken back: set the attribute, too.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from snellen.tasks.builder.screen.elements import After, Screen

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
"""A promise: None when it is kept, else the reason, one of few."""


class Attempted(NamedTuple):
    """An edit that was made.

    Attributes:
        elements: The ids of the elements that it meant to change.
        record: The parameters: shares, colors, contrasts, operators, texts.
        kept: The ids of the elements whose place, size and text must stay.
        tolerance: How many pixels an edge of theirs may move.
        checks: What else is promised.
    """

    elements: Sequence[int]
    record: Mapping[str, Any] = {}
    kept: Sequence[int] = ()
    tolerance: float = 2.0
    checks: Sequence[Check] = ()


class Declined(NamedTuple):
    """Why a page can't carry the change, nothing having been edited; one of few reasons."""

    reason: str


Make: TypeAlias = Callable[["Page", Screen, Random], Attempted | Declined]


class ChangeMaker(NamedTuple):
    """One kind of change.

    Attributes:
        task: The task it is for.
        mode: Which kind; with the task, unique among the makers of a build.
        make: Edits the live page.
    """

    task: str
    mode: str
    make: Make

    @property
    def name(self) -> str:
        """The task and the mode: what its choices are drawn for, and its image is named by."""
        return f"{self.task}/{self.mode}"


def broken(attempted: Attempted, before: Screen, after: After) -> str | None:
    """Return the first promise that a change broke, or None.

    Args:
        attempted: What was done and promised.
        before: The page at rest.
        after: The page with it.
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
