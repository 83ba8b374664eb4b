"""Batch: some submissions as columns; and the collector that fills batches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import Problem, ProblemKind
from snellen.sdk.submissions.columns import Named, named
from snellen.sdk.submissions.trajectories import Recorded


class Limits(NamedTuple):
    """How much is read at a time, how long one response may be, and what fields are called.

    Attributes:
        chunk: How many submissions a batch has at most.
        max_response_chars: How long a response may be.
        columns: Names in the source, to the fields that they are.
        guess: Whether usual names are taken for fields that are not there.
        recorded: What is graded, where records of episodes of steps are read; None: they are not.
    """

    chunk: int
    max_response_chars: int
    columns: Mapping[str, str] = MappingProxyType({})
    guess: bool = True
    recorded: Recorded | None = None

    @property
    def largest(self) -> int:
        """How long one line or cell may be before it is not even read, so that memory is bounded.

        A character takes up to twelve bytes in JSON, as an escaped surrogate pair.
        """
        return min(max(1 << 26, 12 * self.max_response_chars), (1 << 31) - 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some submissions, as columns of one length, and what was wrong around them.

    Attributes:
        item_ids: Which item each answers.
        responses: Text, a JSON value, `TOO_LONG`, or None when there is none.
        attempts: The attempt of each, from 0; None when all are 0.
        errors: What broke instead of an answer; None when nothing did.
        models: Which model answered; None when no submission says.
        lines: Where each is in the source: the line of JSONL or CSV, otherwise the row, from 1.
        problems: What was wrong with the input that was read for this batch.
        file: The file, as shown to a person; None for what is in memory.
        bytes_read: How much of the file was read so far; for parquet in proportion to its rows.
        bytes_total: The size of the file; None when it has none.
        notices: What was taken for what, a sentence each; not wrong, but to be known.
    """

    item_ids: list[str]
    responses: list[object]
    attempts: list[int] | None
    errors: list[str | None] | None
    models: list[str | None] | None
    lines: Sequence[int]
    problems: list[Problem]
    file: str | None = None
    bytes_read: int | None = None
    bytes_total: int | None = None
    notices: Sequence[str] = ()


class Collector:
    """Gathers rows and problems, and gives them out as batches of at most `limits.chunk`.

    The columns are open to whoever extends all of them by the same length.
    """

    def __init__(
        self, limits: Limits, file: str | None = None, bytes_total: int | None = None
    ) -> None:
        self.limits = limits
        self.file = file
        self.bytes_total = bytes_total
        self.bytes_read: int | None = None
        self.item_ids: list[str] = []
        self.responses: list[object] = []
        self.attempts: list[int] = []
        self.errors: list[str | None] = []
        self.models: list[str | None] = []
        self.lines: list[int] = []
        self.problems: list[Problem] = []
        self.notices: list[str] = []
        self.names: Named | None = None
        self._kept = 0
        self._faults = 0
        self._first_fault: Problem | None = None

    def add(
        self,
        item_id: str,
        response: object,
        attempt: int,
        error: str | None,
        model: str | None,
        line: int,
    ) -> None:
        """Add one row."""
        self.item_ids.append(item_id)
        self.responses.append(response)
        self.attempts.append(attempt)
        self.errors.append(error)
        self.models.append(model)
        self.lines.append(line)

    def fault(
        self, kind: ProblemKind, message: str, line: int | None, field: str | None = None
    ) -> None:
        """Add a problem."""
        problem = Problem(kind=kind, message=message, file=self.file, line=line, field=field)
        self.problems.append(problem)
        self._faults += 1
        self._first_fault = self._first_fault or problem

    def name(self, names: Sequence[str]) -> Named:
        """Decide, once a source, what it calls the fields; see `named`."""
        if self.names is None:
            self.names = named(names, self.limits.columns, guess=self.limits.guess)
            if self.names.notice:
                self.notices.append(self.names.notice)
        return self.names

    def ready(self) -> Iterator[Batch]:
        """Yield the batches that are full, of rows or of problems."""
        while max(len(self.item_ids), len(self.problems)) >= self.limits.chunk:
            yield self._take()

    def rest(self) -> Iterator[Batch]:
        """Yield everything that is left, at the end of the source.

        Raises:
            SubmissionError: The source held no submission that could be read.
        """
        while self.item_ids or self.problems:
            yield self._take()
        if self._kept:
            return
        first = self._first_fault
        if first is None:
            raise SubmissionError("there are no submissions in it", file=self.file)
        count = f"the first of {self._faults} problems: " if self._faults > 1 else ""
        advice = "" if self.names is None else self.names.lacking.get("item_id", "")
        advice = advice and f" ({advice})"
        raise SubmissionError(
            f"no submission could be read; {count}{first.message}{advice}",
            file=self.file,
            line=first.line,
            field=first.field,
        )

    def _take(self) -> Batch:
        end = self.limits.chunk
        attempts, errors, models = self.attempts[:end], self.errors[:end], self.models[:end]
        batch = Batch(
            item_ids=self.item_ids[:end],
            responses=self.responses[:end],
            attempts=attempts if any(attempts) else None,
            errors=errors if any(errors) else None,
            models=models if any(models) else None,
            lines=_compact(self.lines[:end]),
            problems=self.problems,
            file=self.file,
            bytes_read=self.bytes_read,
            bytes_total=self.bytes_total,
            notices=tuple(self.notices),
        )
        self._kept += len(batch.item_ids)
        self.problems, self.notices = [], []
        for column in (
            self.item_ids,
            self.responses,
            self.attempts,
            self.errors,
            self.models,
            self.lines,
        ):
            del column[:end]
        return batch


def _compact(lines: list[int]) -> Sequence[int]:
    """Return a range where the lines, which only ever rise, leave no gap."""
    if lines and lines[-1] - lines[0] == len(lines) - 1:
        return range(lines[0], lines[-1] + 1)
    return lines
