"""The errors of the server; each message says what is wrong and what to do.

InputError (snellen.grading.errors)
└── ExamError                  the exam can't serve the call; the message is for the caller
    ├── NoSuchAttemptError     no attempt of this handle, or another caller's
    ├── NotFoundError          no such submission, phase or item, or another participant's
    ├── UnauthorizedError      the caller is unknown
    ├── ForbiddenError         not for this caller, or not now
    ├── QuotaError             no upload is left
    ├── RateError              too many calls
    ├── TooLargeError          more bytes than the limit
    ├── FormError              a file of an unsupported format
    └── StoreError             the store failed: full, locked by another program, damaged
"""

from snellen.grading.errors import InputError


class ExamError(InputError):
    """A call that the exam can't serve; the message is for the caller to read."""


class UnreadableAnswerError(ExamError):
    """The parser of an item's task can't read an answer, so it may be written again."""


class NoSuchAttemptError(ExamError):
    """There is no attempt of this handle, or it is another caller's: the message is the same."""

    def __init__(
        self, message: str = "no attempt of yours has this handle; start_attempt returns one"
    ) -> None:
        super().__init__(message)


class StoreError(ExamError):
    """The store failed, and the call had no effect; the cause is in the organizer's log.

    Attributes:
        again: Whether the same call may succeed later without a repair.
    """

    def __init__(self, message: str, *, file: str | None = None, again: bool = True) -> None:
        self.again = again
        super().__init__(message, file=file)


class NotFoundError(ExamError):
    """There is no such thing, or it is not the caller's: the message is the same."""


class UnauthorizedError(ExamError):
    """A token is missing, unknown, revoked or expired."""


class ForbiddenError(ExamError):
    """The caller may not do this, or not now."""


class QuotaError(ExamError):
    """The caller has used up its uploads."""


class RateError(ExamError):
    """The caller calls too often."""


class TooLargeError(ExamError):
    """The request is larger than the limit."""


class MalformedError(ExamError):
    """The request itself is not valid."""


class FormError(ExamError):
    """The file has an unsupported format."""
