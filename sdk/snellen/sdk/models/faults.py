"""Faults of requests to models."""

import re
from collections.abc import Mapping, Sequence

from snellen.grading.errors import SnellenError


class Fault(Exception):  # noqa: N818  # it becomes a submission's error
    """A request without an answer.

    Args:
        message: A description without keys or prompts.
        status: The HTTP status, if there was one.
        passing: Whether the same request can succeed later.
        throttled: Whether the server requests a lower rate.
        setup: Whether all requests are likely to fail: a wrong key, URL or model.
        retry_after: The wait that the server requests, in seconds.

    Attributes:
        kept: The text saved with the answers; None: the message.
        far: Whether the server requests a longer wait than allowed; set by the caller.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        passing: bool = False,
        throttled: bool = False,
        setup: bool = False,
        retry_after: float | None = None,
    ) -> None:
        self.message = message
        self.status = status
        self.passing = passing
        self.throttled = throttled
        self.setup = setup
        self.retry_after = retry_after
        self.kept: str | None = None
        self.far = False
        super().__init__(message)

    @property
    def kind(self) -> str:
        """A description without the message of a server or function, which can quote a prompt."""
        if self.status is not None:
            return f"HTTP {self.status}"
        if self.__cause__ is not None:
            return type(self.__cause__).__name__
        return re.split("[:;] ", self.message, maxsplit=1)[0]


class EvaluationStoppedError(SnellenError):
    """The run stopped before the last item; earlier answers are saved.

    Attributes:
        submissions: The earlier answers, if there is no run folder; they can be graded.
    """

    def __init__(self, message: str, submissions: Sequence[Mapping[str, object]] = ()) -> None:
        self.submissions = submissions
        super().__init__(message)


class EvaluationInterrupted(KeyboardInterrupt):  # not named an error, like its base
    """Ctrl-C interrupted the run; earlier answers are saved.

    Attributes:
        submissions: As for `EvaluationStoppedError`.
    """

    def __init__(self, message: str, submissions: Sequence[Mapping[str, object]] = ()) -> None:
        self.submissions = submissions
        super().__init__(message)
