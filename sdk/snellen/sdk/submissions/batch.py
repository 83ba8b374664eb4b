"""Batch: some submissions as columns; and the collector that fills batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import Problem, ProblemKind, Problems, UnreadableError
from snellen.grading.protocols.names import OWN
from snellen.sdk.submissions.columns import ColumnNames, named
from snellen.sdk.submissions.trajectories import GradedTask

if TYPE_CHECKING:
    from snellen.sdk.submissions.known import Known


class Limits(NamedTuple):
    """The limits of a batch and of a response, and the names of fields.

    Attributes:
        chunk: The maximum number of submissions of a batch.
        max_response_chars: The maximum length of a response.
        columns: Names in the source, mapped to fields.
        guess: Whether usual names stand for missing fields.
        task: The graded task: a row that names another is left out; None: unknown.
        recorded: The graded task, if records of episodes of steps are read; None: they are not.
        known: The items that stored results are joined to; None: such results are not read.
        answer: Which answer of a stored result counts, `raw` or `parsed`; None: the usual one.
        most_bad: The number of bad rows, without a good one before, that end the reading; None: all
            are read.
    """

    chunk: int
    max_response_chars: int
    columns: Mapping[str, str] = MappingProxyType({})
    guess: bool = True
    recorded: GradedTask | None = None
    known: "Callable[[], Known] | None" = None
    answer: str | None = None
    most_bad: int | None = None
    task: str | None = None

    @property
    def largest(self) -> int:
        """The maximum length of a line or cell; longer ones are skipped to bound the memory.

        A character can take twelve bytes in JSON, as an escaped surrogate pair.
        """
        return min(max(1 << 26, 12 * self.max_response_chars), (1 << 31) - 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of submissions, as columns of equal length, with the problems of its input.

    Attributes:
        item_ids: The item of each submission.
        responses: Text, a JSON value, `TOO_LONG`, or None without a response.
        attempts: The attempt of each, from 0; None if all are 0.
        errors: The error of each; None if there are no errors.
        models: The model of each; None if no submission names one.
        lines: The line in JSONL or CSV, otherwise the row, from 1.
        problems: The faults of the input of this batch.
        file: The file, for messages; None for data in memory.
        bytes_read: The bytes read so far; for parquet in proportion to its rows.
        bytes_total: The size of the file; None if unknown.
        notices: Notices on guessed names, one sentence each; these are not faults.
        verdicts: What the source itself thought of each answer; None if it says nothing.
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
    verdicts: Sequence[bool | None] | None = None


class Collector:
    """Collects rows and problems, and yields them as batches of at most `limits.chunk`.

    Callers may extend the columns, all by the same length.
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
        self.verdicts: list[bool | None] = []
        self.names: ColumnNames | None = None
        self.without_response = ""
        self.elsewhere = 0
        self._kept = 0
        self._answered = False
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

    def is_elsewhere(self, task: object) -> bool:
        """Whether a row names another task than the graded one; such are counted.

        A text that is no task's id, such as the goal of an episode, names none.
        """
        if not isinstance(task, str) or self.limits.task in (None, task):
            return False
        benchmark, slash, name = task.partition("/")
        other = benchmark in OWN and bool(slash) and " " not in name
        self.elsewhere += other
        return other

    def judge(self, start: int, verdict: bool | None) -> None:
        """Add the source's own verdict on the rows from an index on; those before have none."""
        rows = len(self.item_ids)
        self.verdicts += [None] * (start - len(self.verdicts)) + [verdict] * (rows - start)

    def fault(
        self, kind: ProblemKind, message: str, line: int | None, field: str | None = None
    ) -> None:
        """Add a problem.

        Raises:
            UnreadableError: There are too many without a good row, by the limits.
        """
        problem = Problem(kind=kind, message=message, file=self.file, line=line, field=field)
        self.problems.append(problem)
        self._faults += 1
        self._first_fault = self._first_fault or problem
        if self._faults == self.limits.most_bad and not self._kept and not self.item_ids:
            first = self._first_fault
            error = SubmissionError(
                f"the first {self._faults} rows can't be read, so reading ended there; the first"
                f" problem: {first.message}",
                file=self.file,
                line=first.line,
                field=first.field,
            )
            raise UnreadableError(Problems.of(self.problems, self._faults), error)

    def name(self, names: Sequence[str]) -> ColumnNames:
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
            SubmissionError: The source held no submission that could be read, or no field of it
                holds answers.
        """
        if self.elsewhere:
            what = f"{self.elsewhere:,} rows are of other tasks than {self.limits.task}"
            self.notices.append(f"{what}, and were left out")
        while self.item_ids or self.problems or (self._kept and self.notices):
            yield self._take()
        if self._kept and self.without_response and not self._answered:
            raise SubmissionError(
                f"no row has a response; {self.without_response}",
                file=self.file,
                field="response",
            )
        if self._kept:
            return
        first = self._first_fault
        if first is None:
            of = f" to {self.limits.task}, only to other tasks" if self.elsewhere else ""
            raise SubmissionError(f"it has no submissions{of}", file=self.file)
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
        if self.verdicts:
            self.judge(len(self.item_ids), None)
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
            verdicts=self.verdicts[:end] or None,
        )
        self._kept += len(batch.item_ids)
        if not self._answered:
            some = any(response is not None for response in batch.responses)
            self._answered = some or batch.errors is not None
        self.problems, self.notices = [], []
        for column in (
            self.item_ids,
            self.responses,
            self.attempts,
            self.errors,
            self.models,
            self.lines,
            self.verdicts,
        ):
            del column[:end]
        return batch


def _compact(lines: list[int]) -> Sequence[int]:
    """Return a range where the lines, which only ever rise, leave no gap."""
    if lines and lines[-1] - lines[0] == len(lines) - 1:
        return range(lines[0], lines[-1] + 1)
    return lines
