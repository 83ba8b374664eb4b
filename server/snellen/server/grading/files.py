"""Grading the files of a challenge's submissions, in a worker's process."""

import gzip
import json
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from io import BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from snellen.grading.errors import SubmissionError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import (
    MOST_PROBLEMS,
    Problem,
    ProblemKind,
    Problems,
    UnreadableError,
)
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import ALL, PRIVATE, PUBLIC
from snellen.server.exam.rules import Contexts
from snellen.server.exam.spec import Exam
from snellen.server.grading.answers import clusters_of, part_numbers, public_mask
from snellen.server.grading.exam import read_exam, references_digest
from snellen.server.grading.rows import MOST_BAD, bounded, check_rows, most_rows, opened
from snellen.server.settings import Settings
from snellen.server.store.tables.endpoint import ScoreRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from snellen.sdk.report import Report

MOST_UNPACKED = 10
"""How many times the largest upload an unpacked file may be."""

_LINES = (".jsonl", ".jsonl.gz")
_PIECE = 1 << 20


class _Line(msgspec.Struct):
    task: str | None = None


_DECODER = msgspec.json.Decoder(_Line)


class FileToGrade(NamedTuple):
    """The input of a grader: a file of predictions, and the rules of its grading."""

    path: Path
    submission: str  # the submission's id
    grading: int  # the grading's number
    task: str | None  # the task that it answers; None: its lines name it
    phase: Phase
    conditions: str  # the conditions of the answers, as a part of the signature; empty: unknown
    recorded: bool = False  # whether the server recorded the answers in an attempt


class Graded(NamedTuple):
    """What a file scores, task by task, and what is wrong with its lines."""

    scores: Sequence[ScoreRow] = ()
    problems: Problems = Problems()


class TaskFile(NamedTuple):
    """The part of a file that answers one task.

    Attributes:
        path: The part, as a file.
        lines: The number of each of its lines in the whole file; None: it is the whole file.
    """

    path: Path
    lines: "array[int] | None" = None

    def placed(self, problems: Problems) -> Problems:
        """Return problems with the lines of the whole file."""
        lines = self.lines
        if lines is None:
            return problems
        first = [
            each if each.line is None else each.model_copy(update={"line": lines[each.line - 1]})
            for each in problems.first
        ]
        return Problems(count=problems.count, first=tuple(first))

    def placed_error(self, error: SubmissionError) -> SubmissionError:
        """Return an error with the line of the whole file."""
        line = error.line
        if self.lines is not None and line is not None:
            line = self.lines[line - 1]
        found = SubmissionError(error.message, file=error.file, line=line, field=error.field)
        if isinstance(error, UnreadableError):
            return UnreadableError(self.placed(error.problems), found)
        return found


class FileGrader:
    """Grades the files of an exam's submissions.

    Args:
        exam: The exam, with its references.
        secret: The secret that decides which items are public.
        most: The maximum size of an unpacked file, in bytes.
    """

    def __init__(self, exam: Exam, secret: bytes, most: int) -> None:
        self._most = most
        self._exam = exam
        self._secret = secret

    def __call__(self, given: FileToGrade) -> Graded:
        """Return what a file scores.

        Raises:
            SubmissionError: It can't be graded.
        """
        check_unpacked(given.path, self._most)
        tasks = list(self._exam.offers)
        check_rows(given.path, most_rows(self._exam, [given.task] if given.task else tasks))
        if given.task is not None or len(tasks) == 1:
            files = {given.task or tasks[0]: TaskFile(given.path)}
        else:
            files = split_by_task(given.path, tasks)
        parts = [self._graded(given, task, part) for task, part in files.items()]
        problems = [problem for part in parts for problem in part.problems.first]
        count = sum(part.problems.count for part in parts)
        return Graded([row for part in parts for row in part.scores], Problems.of(problems, count))

    def _graded(self, given: FileToGrade, task: str, part: TaskFile) -> Graded:
        exam = self._exam
        if task in exam.acted and not given.recorded:
            raise SubmissionError(exam.acted_in(task), field="task")
        named = given.phase.protocols.get(task) or exam.packs_by_task[task].task(task).protocol
        # An upload answers all items, and an attempt those that its contexts could see.
        conditions = given.conditions.split("|")
        continuous = given.recorded and f"contexts:{Contexts.CONTINUOUS}" in conditions
        contexts = Contexts.CONTINUOUS if continuous else Contexts.FRESH
        try:
            report = self._report(str(part.path), task, named.partition("@")[0], contexts)
        except SubmissionError as error:
            raise part.placed_error(error) from error
        problems = Problems.of(report.input.problems, sum(report.input.problem_counts.values()))
        values = report.item_values()
        made_from = report.provenance
        if "door:" in given.conditions:
            # The attempt's conditions say it, too.
            made_from = made_from.model_copy(update={"door": ""})
        signature = "|".join(filter(None, (made_from.signature, given.conditions)))
        parts = {ALL: np.ones(len(values), np.bool_)}
        if given.phase.public_share is not None:
            shown = public_mask(report, self._secret, given.phase)
            parts |= {PUBLIC: shown, PRIVATE: ~shown}
        scores = [
            _row(given, report, values[mask], name, mask, f"{signature}{_of(name)}")
            for name, mask in parts.items()
            if mask.any()
        ]
        return Graded(scores, part.placed(problems))

    def _report(self, path: str, task: str, named: str, contexts: Contexts) -> "Report":
        """Grade a file as `sdk.grade` does, up to a number of rows."""
        # A server names this class, and its workers' processes grade.
        from snellen.sdk.inputs.intake import Intake
        from snellen.sdk.inputs.selection import select
        from snellen.sdk.local import grade_answers
        from snellen.sdk.scoring import choose

        data, items = self._exam.data(task), self._exam.asked(task, contexts)
        selection = select(None, data, items=None if len(items) == len(data) else items)
        protocol = choose(selection.task, named, None)
        intake = Intake(selection, protocol)
        batches = intake.batches(path, most_bad=MOST_BAD)
        rows = bounded(batches, intake, most_rows(self._exam, [task]))
        return grade_answers(rows, intake, protocol, beside=False)


def open_grader(settings: Settings) -> FileGrader:
    """Open an exam and return the grader of its submissions."""
    most = MOST_UNPACKED * settings.exam_file.longest_upload
    return FileGrader(read_exam(settings), references_digest(settings), most)


def check_unpacked(path: Path, most: int) -> None:
    """Check the size of an unpacked file, by reading it up to the limit; other files are as sent.

    Raises:
        SubmissionError: It is larger, or damaged.
    """
    left = most
    try:
        with opened(path) as unpacked:
            if not isinstance(unpacked, gzip.GzipFile):
                return
            while left >= 0 and (piece := unpacked.read1(_PIECE)):
                left -= len(piece)
    except (EOFError, OSError, zlib.error) as error:
        raise SubmissionError(f"it is no whole gzip file: {error}") from None
    if left < 0:
        raise SubmissionError(
            f"it unpacks to more than {most:,} bytes, {MOST_UNPACKED} times the largest upload;"
            " leave out what is not graded"
        )


def split_by_task(path: Path, tasks: Sequence[str]) -> Mapping[str, TaskFile]:
    """Part a file of lines that each say their task; return a file for each task that occurs.

    Raises:
        UnreadableError: A line says none, or one that the exam does not have.
        SubmissionError: The file is none of lines.
    """
    ending = "".join(path.suffixes)
    if ending not in _LINES:
        raise SubmissionError(
            f"this exam has {len(tasks)} tasks: say which one the file answers, or upload JSON"
            ' lines that each have "task"',
            field="task",
        )
    found: dict[str, TaskFile] = {}
    opened: dict[str, BufferedWriter] = {}
    problems: list[Problem] = []
    count = 0
    with ExitStack() as stack:
        lines = stack.enter_context((gzip.open if ending.endswith(".gz") else open)(path, "rb"))
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            task = _task_of(line, number, tasks)
            if isinstance(task, Problem):
                count += 1
                if count <= MOST_PROBLEMS:
                    problems.append(task)
                if count == MOST_BAD and not found:
                    break
                continue
            if task not in opened:
                part = path.with_name(f"task-{len(found)}.jsonl")
                found[task] = TaskFile(part, array("I"))
                opened[task] = stack.enter_context(part.open("wb"))
            opened[task].write(line if line.endswith(b"\n") else line + b"\n")
            numbers = found[task].lines
            assert numbers is not None
            numbers.append(number)
    if problems:
        first = problems[0]
        error = SubmissionError(first.message, line=first.line, field=first.field)
        raise UnreadableError(Problems.of(problems, count), error)
    if not found:
        raise SubmissionError("it has no submissions")
    return found


def _task_of(line: bytes, number: int, tasks: Sequence[str]) -> str | Problem:
    """Return the task that a line names, or why it names none of the exam's."""
    try:
        task = _DECODER.decode(line).task
    except NO_JSON as error:
        return Problem(kind=ProblemKind.MALFORMED, message=f"it is not JSON: {error}", line=number)
    if task is not None and task in tasks:
        return task
    return Problem(
        kind=ProblemKind.WRONG_TYPE,
        message=f"this exam has no task {task!r}; its tasks: {', '.join(tasks)}"
        if task
        else f'each line needs a "task", one of: {", ".join(tasks)}',
        line=number,
        field="task",
    )


def _row(
    given: FileToGrade,
    report: "Report",
    own: "NDArray[np.float64]",
    part: str,
    mask: "NDArray[np.bool_]",
    signature: str,
) -> ScoreRow:
    from snellen.grading.report.render import RENDERERS

    numbers = part_numbers(report, part, mask)
    groups = np.unique(clusters_of(report)[mask], return_inverse=True)[1]
    kept, metrics, measures, episodes = None, "{}", None, None
    if part == ALL:
        metrics = json.dumps({key: metric.value for key, metric in report.metrics.items()})
        found = {name: each.model_dump() for name, each in report.numbers.measures.items()}
        measures = json.dumps(found) if found else None
        episodes = _episodes(report)
        kept = _compressed(RENDERERS[".json"](report, report.scores, report.tags))
    return ScoreRow(
        submission=given.submission,
        grading=given.grading,
        task=report.task,
        part=part,
        metric=report.numbers.primary,
        value=numbers.value or 0.0,
        low=numbers.interval.low if numbers.interval else None,
        high=numbers.interval.high if numbers.interval else None,
        items=len(numbers.items),
        outcomes=json.dumps(numbers.outcomes),
        metrics=metrics,
        measures=measures,
        signature=signature,
        item_values=zlib.compress(own.astype("<f8").tobytes()),
        item_groups=zlib.compress(groups.astype("<i4").tobytes()),
        item_episodes=episodes,
        report=kept,
    )


def _episodes(report: "Report") -> bytes | None:
    from snellen.sdk.scored import episodes_of

    found = [
        [[getattr(each, name) for each in played] for name in ("success", "cost", "limit")]
        for _, played in episodes_of(report)
    ]
    return zlib.compress(np.array(found, "<f8").tobytes()) if found else None


def _compressed(pieces: Iterable[bytes]) -> bytes:
    # Piece by piece: a report of a hundred thousand answers is never there as a whole.
    packing = zlib.compressobj()
    return b"".join(filter(None, [*map(packing.compress, pieces), packing.flush()]))


def _of(part: str) -> str:
    return "" if part == ALL else f"|part:{part}"
