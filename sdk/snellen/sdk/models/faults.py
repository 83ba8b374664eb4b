"""What can go wrong while a model is asked."""

import re
from collections.abc import Mapping, Sequence

from snellen.grading.errors import SnellenError


class Fault(Exception):  # noqa: N818  # it becomes a submission's error
    """There is no answer to one request.

    Args:
        message: What happened, without keys or prompts.
        status: The HTTP status, where there was one.
        passing: Whether the same request may succeed later.
        throttled: Whether the server asks for fewer requests.
        setup: Whether every other request is likely to fail alike: a wrong key, URL or model.
        retry_after: Seconds that the server asks to wait.

    Attributes:
        kept: What is kept of it with the answers; None: the message.
        far: Whether the server asks for a longer wait than there is patience for; set by who asks.
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
        """What happened, without the words of a server or a function: these may quote a prompt."""
        if self.status is not None:
            return f"HTTP {self.status}"
        if self.__cause__ is not None:
            return type(self.__cause__).__name__
        return re.split("[:;] ", self.message, maxsplit=1)[0]


class EvaluationStoppedError(SnellenError):
    """Asking stopped before every item was asked; what came until then is kept.

    Attributes:
        submissions: What came, if there is no run folder to keep it: it can be graded.
    """

    def __init__(self, message: str, submissions: Sequence[Mapping[str, object]] = ()) -> None:
        self.submissions = submissions
        super().__init__(message)


class EvaluationInterrupted(KeyboardInterrupt):  # it is no error
    """Somebody pressed Ctrl-C; what came until then is kept.

    Attributes:
        submissions: As for `EvaluationStoppedError`.
    """

    def __init__(self, message: str, submissions: Sequence[Mapping[str, object]] = ()) -> None:
        self.submissions = submissions
        super().__init__(message)
