"""One tree of errors, so that a caller can catch as widely or as narrowly as it likes.

    SnellenError
    ├── InputError            what was given can't be used; says file, line, field and what to do
    │   ├── SubmissionError   a submission or a file of submissions
    │   │   └── UnreadableError  the same, with what is wrong with its lines (models.reports)
    │   ├── DataError         a benchmark's published data
    │   └── UnknownNameError  no task, protocol, metric or split of that name
    ├── MetricError           a metric is not defined on these values (an empty set, a zero limit)
    ├── MissingExtraError     an optional dependency is not installed; says how to get it
    ├── PluginError           an installed package that adds a benchmark can't be used; names it
    └── ExecutionError        candidate code could not be run at all (never: it ran and failed)

A wrong answer is none of these: it scores 0. A fault is never a score.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class SnellenError(Exception):
    """Any error that snellen raises on purpose."""


class InputError(SnellenError, ValueError):
    """What was given can't be used.

    Args:
        message: What is wrong and what to do about it.
        file: The file it was found in.
        line: The line, counted from 1.
        field: The field of the record.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.field = field
        super().__init__(f"{where(file, line, field)}{message}")


class SubmissionError(InputError):
    """A submission, or a file of submissions, can't be graded."""


class DataError(InputError):
    """A benchmark's published data can't be read."""


class UnknownNameError(InputError):
    """There is no task, protocol, metric or split of that name."""

    def __init__(self, kind: str, name: str, known: Iterable[str], advice: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        # A benchmark's name is no task's: what it has is listed.
        of = tuple(one for one in self.known if one.startswith(f"{name}/"))
        if of and not advice:
            self.known, advice = of, f"{name} has several"
        close = get_close_matches(name, self.known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        hint = f": {advice}." if advice else hint
        super().__init__(f"no {kind} {name!r}{hint} Known: {', '.join(self.known) or 'none'}.")


class InputWarning(UserWarning):
    """Parts of what was given could not be used; the rest was graded."""


class MetricError(SnellenError, ValueError):
    """A metric is not defined on these values."""


class MissingExtraError(SnellenError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        self.purpose = purpose
        self.extra = extra
        super().__init__(f"{purpose} needs an extra: pip install 'snellen[{extra}]'")


class MissingProgramError(InputError):
    """A program that is started is not on this machine; the message says how to get it."""


class PluginError(SnellenError):
    """An installed package that adds a benchmark can't be used."""


class ExecutionError(SnellenError, RuntimeError):
    """Candidate code could not be run at all: the machine lacks what isolation needs."""


def where(file: str | None, line: int | None, field: str | None) -> str:
    """Render a place as a prefix, `answers.jsonl, line 3, field 'response': `, or nothing."""
    parts = [file or ""] if file else []
    if line is not None:
        parts.append(f"line {line}")
    if field is not None:
        parts.append(f"field {field!r}")
    return f"{', '.join(parts)}: " if parts else ""
