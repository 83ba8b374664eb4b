"""The reasons why a page was not captured."""

from typing import Literal

from snellen.grading.errors import InputError

Reason = Literal[
    "no such file",
    "not a page",
    "never loads",
    "keeps the browser busy",
    "navigates away",
    "too tall",
    "nothing to see",
    "crashes",
    "no font",
    "never at rest",
    "shown elsewhere",
    "failed",
]


class PageError(InputError):
    """A page can't be captured; other pages are not affected.

    Args:
        reason: One of few, so that it can be counted.
        message: The cause, for people.
        file: The page.
    """

    def __init__(self, reason: Reason, message: str, *, file: str | None = None) -> None:
        self.reason: Reason = reason
        super().__init__(message, file=file)
