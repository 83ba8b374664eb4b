"""Conversion of submissions to answers that can be graded: known items, each once."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, cast

import numpy as np

from snellen.grading.errors import InputError, SubmissionError, UnknownNameError
from snellen.grading.grade import Answers
from snellen.grading.models.reports import (
    MOST_PROBLEMS,
    Input,
    Problem,
    ProblemKind,
    Problems,
    UnreadableError,
)
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.grading.parse.envelope import answer_in
from snellen.grading.protocols.base import NO_CONTEXT, IntArray, Protocol
from snellen.grading.protocols.golds import STEP
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.sdk.inputs.selection import Selection
from snellen.sdk.submissions import Batch, GradedTask, read

if TYPE_CHECKING:
    from snellen.grading.actions.declaring import ReadAs
    from snellen.sdk.inputs.answers import Given

_UNANSWERED, _ANSWERED = 1, 2
"""The states of an item; from `_ANSWERED` on, the number of the model that answered is added."""
_MOST_MODELS = 200
_MOST_CELLS = 100_000_000


class Intake:
    """Reads submissions, resolves their items, and records their faults.

    The first answer to an item in an attempt counts; a later one is a duplicate. An error or a
    missing response counts only if no answer follows, as in the log of a run that tries again. All
    problems are counted; the first of each kind are kept in full.

    Args:
        selection: The items.
        protocol: The protocol that grades; None: the task's first one.
        read_as: What the caller says of the format of every answer.
        answer: Which answer of a stored result counts, `raw` or `parsed`; None: the usual one.
        model: The model whose answers count, of a file with those of several; None: all.
    """

    def __init__(
        self,
        selection: Selection,
        protocol: Protocol | None = None,
        read_as: "ReadAs | None" = None,
        answer: str | None = None,
        model: str | None = None,
    ) -> None:
        self.selection = selection
        self.verdicts: dict[tuple[int, int], bool] = {}
        self._answer = answer
        self._model = model
        # The models that the file names, and how many of its rows are of others than the wanted.
        self._models: dict[str | None, int] = {}
        self._others = 0
        self._read_as = read_as
        self.problems: list[Problem] = []
        self.problem_counts: dict[ProblemKind, int] = {}
        self.not_selected = 0
        self.notices: list[str] = []
        self._taken: dict[int, bytearray] = {}
        # JSON that the protocol can't read is a fault of the input, not an answer.
        self._parser = (protocol or protocol_of(selection.task)).parser
        # Errors and missing responses, which an answer that follows replaces.
        self._unanswered: dict[tuple[int, int], tuple[object, str | None, str | None]] = {}
        self._retried = 0
        self._read = self._numbers = 0
        self._strange: list[str] = []
        self._steps: dict[tuple[str, int], str] | None = None

    @classmethod
    def reopened(cls, selection: Selection, given: Input, attempts: Iterable[int]) -> "Intake":
        """Return the intake of a saved report, with its items loaded again."""
        found = cls(selection)
        found.problems = list(given.problems)
        found.problem_counts = dict(given.problem_counts)
        found.not_selected = given.not_selected
        found._taken = {attempt: bytearray(len(selection.ids)) for attempt in attempts}
        return found

    def of(self, selection: Selection) -> "Intake":
        """Return the same intake with other tags for its items."""
        other = copy(self)
        other.selection = selection
        return other

    def corrected(self, selection: Selection, indexes: IntArray) -> "Intake":
        """Return the same intake for items with corrected references.

        Args:
            selection: The items.
            indexes: The index in it of each of this intake's items; -1: excluded.
        """
        other = self.of(selection)
        other.not_selected += sum(
            1
            for taken in self._taken.values()
            for index, state in enumerate(taken)
            if state and indexes[index] < 0
        )
        # The file's verdicts are on the references as published.
        other.verdicts = {}
        return other

    @property
    def attempts(self) -> tuple[int, ...]:
        """The attempt numbers that occurred, in order; one attempt when none did."""
        return tuple(sorted(self._taken)) or (0,)

    def batches(
        self,
        submissions: "Given",
        columns: Mapping[str, str] | None = None,
        most_bad: int | None = None,
    ) -> Iterator[tuple[Answers, Batch]]:
        """Read submissions and yield the answers to selected items with their source batches.

        Args:
            submissions: The source.
            columns: Other names of fields in the source, mapped to our names.
            most_bad: The number of bad rows, without a good one before, that end the reading.

        Raises:
            SubmissionError: Nothing could be read, or no submission is for an item of the task.
        """
        if not isinstance(submissions, str | os.PathLike):
            from snellen.sdk.inputs.answers import with_ids
            from snellen.sdk.submissions.runs import StoredRun

            if isinstance(submissions, StoredRun):
                return self.resolve(submissions.batches(self.selection.known()))
            submissions = with_ids(submissions, self.selection)
        recorded = None
        if gold_shape(self.selection.task) is STEP:
            recorded = GradedTask(self.selection.task, self.selection.split, self._step)
        return self.resolve(
            read(
                submissions,
                columns=columns,
                recorded=recorded,
                known=self.selection.known,
                answer=self._answer,
                most_bad=most_bad,
                task=self.selection.task,
            )
        )

    def _step(self, episode: str, step: int) -> str:
        """Return the item of a step of an episode, according to its reference, or a guess.

        The id can differ from episode and step: Mind2Web's ids name the action by a code.
        """
        if self._steps is None:
            whole = self.selection.whole or self.selection
            self._steps = {
                (gold.episode, gold.step): item_id
                for item_id, gold in zip(whole.ids, whole.golds, strict=True)
            }
        return self._steps.get((episode, step), f"{episode}/{step}")

    def resolve(self, batches: Iterable[Batch]) -> Iterator[tuple[Answers, Batch]]:
        """Yield the answers to selected items, batch by batch; see `batches`."""
        file: str | None = None
        try:
            for batch in batches:
                file = batch.file
                for problem in batch.problems:
                    self._report(problem)
                self.notices += batch.notices
                yield self._resolve(batch), batch
        except SubmissionError as error:
            raise self._unreadable(error) from error
        if self._unanswered:
            yield self._left(), Batch([], [], None, None, None, (), [], file)
        if self._retried:
            self.notices.append(
                f"{self._retried:,} items have an error or nothing first, and an answer later in"
                " the file: the answer counts"
            )
        if self._numbers:
            self.notices.append(f"{self._numbers:,} answers are numbers, and were read as texts")
        if self._others:
            self.notices.append(f"{self._others:,} answers are of other models, and were left out")
        if self._others and not self._taken:
            names = [str(name) for name in self._models]
            raise UnknownNameError("model of these answers", str(self._model), names)
        if not self._taken and not self.not_selected:
            raise self._unreadable(
                SubmissionError(self._nothing_known(), file=file, field="item_id")
            )

    def _unreadable(self, error: SubmissionError) -> SubmissionError:
        """Return the error with the problems of the lines, if they have any."""
        if not self.problems:
            return error
        count = sum(self.problem_counts.values())
        return UnreadableError(Problems.of(self.problems, count), error)

    def _resolve(self, batch: Batch) -> Answers:
        known, split = self.selection.index, self.selection.split
        indexes: list[int] = []
        rows: list[int] = []
        attempts: list[int] = []
        given = batch.attempts
        taken: bytearray | None = None
        last = -1
        for row, item_id in enumerate(batch.item_ids):
            index = known.get(item_id)
            if index is None and split is not None:
                # The split's name is the first part of every id.
                index = known.get(f"{split}/{item_id}")
            if index is None:
                self._unknown(batch, row)
                continue
            name = None if batch.models is None else batch.models[row]
            code = self._models.setdefault(name, min(len(self._models), _MOST_MODELS))
            if self._model is not None and name != self._model:
                self._others += 1
                continue
            attempt = 0 if given is None else given[row]
            if attempt != last or taken is None:
                taken = self._taken.get(attempt) or self._open(attempt, batch, row)
                last = attempt
            if taken[index] >= _ANSWERED:
                nameless = _ANSWERED + self._models.get(None, code)
                if name is not None and taken[index] not in (_ANSWERED + code, nameless):
                    raise self._several_models(batch, row)
                self._duplicate(batch, row, attempt)
                continue
            if batch.verdicts is not None and batch.verdicts[row] is not None:
                self.verdicts[index, attempt] = bool(batch.verdicts[row])
            if self._is_unanswered(batch, row, index, attempt):
                taken[index] = _UNANSWERED
                continue
            if taken[index] == _UNANSWERED:
                del self._unanswered[attempt, index]
                self._retried += 1
            taken[index] = _ANSWERED + code
            if type(batch.responses[row]) is not str:
                self._shape(batch, row, index)
            indexes.append(index)
            rows.append(row)
            attempts.append(attempt)
        self._read += len(batch.item_ids)
        whole = len(rows) == len(batch.item_ids)
        responses = batch.responses if whole else [batch.responses[row] for row in rows]
        if self._read_as is not None:
            responses = list(map(self._read_as.wrap, responses))
        return Answers(
            items=np.array(indexes, dtype=np.int64),
            attempts=attempts,
            responses=responses,
            errors=_pick(batch.errors, rows, whole=whole),
            models=_pick(batch.models, rows, whole=whole),
        )

    def _several_models(self, batch: Batch, row: int) -> SubmissionError:
        names = ", ".join("none" if name is None else ascii(name) for name in self._models)
        return SubmissionError(
            f"answers of several models to the same items ({names}): grade the models apart, with"
            " --model NAME, in Python with model='NAME'",
            file=batch.file,
            line=batch.lines[row],
            field="model",
        )

    def _is_unanswered(self, batch: Batch, row: int, index: int, attempt: int) -> bool:
        """Whether a row holds no answer; it is kept, should none follow."""
        error = None if batch.errors is None else batch.errors[row]
        response = batch.responses[row]
        if error is None and response is not None:
            return False
        model = None if batch.models is None else batch.models[row]
        self._unanswered[attempt, index] = response, error, model
        return True

    def _left(self) -> Answers:
        """Return the errors and missing responses that no answer replaced."""
        left = self._unanswered
        errors = [error for _, error, _ in left.values()]
        models = [model for _, _, model in left.values()]
        return Answers(
            items=np.array([index for _, index in left], dtype=np.int64),
            attempts=[attempt for attempt, _ in left],
            responses=[response for response, _, _ in left.values()],
            errors=errors if any(error is not None for error in errors) else None,
            models=models if any(model is not None for model in models) else None,
        )

    def _shape(self, batch: Batch, row: int, index: int) -> None:
        response = answer_in(batch.responses[row])
        if response is None or response is TOO_LONG or isinstance(response, str):
            return
        if _says_its_format(response):
            return
        contexts = self.selection.contexts
        parsed = self._parser.read(response, contexts[index] if contexts else NO_CONTEXT)
        if parsed.outcome is Outcome.UNPARSED:
            if (text := _number(response)) and self._reads(text, index):
                batch.responses[row] = text
                self._numbers += 1
                return
            message = f"{parsed.note}; it counts as unparsed"
            self._tell(ProblemKind.WRONG_TYPE, message, batch, row, "response")

    def _reads(self, text: str, index: int) -> bool:
        contexts = self.selection.contexts
        parsed = self._parser.read(text, contexts[index] if contexts else NO_CONTEXT)
        return parsed.outcome is not Outcome.UNPARSED

    def _open(self, attempt: int, batch: Batch, row: int) -> bytearray:
        items = len(self.selection.ids)
        if items * (len(self._taken) + 1) > _MOST_CELLS:
            raise SubmissionError(
                f"{len(self._taken) + 1:,} different attempts at {items:,} items are more than can"
                " be graded together; an attempt numbers the tries at one item, from 0",
                file=batch.file,
                line=batch.lines[row],
                field="attempt",
            )
        self._taken[attempt] = bytearray(items)
        return self._taken[attempt]

    def _unknown(self, batch: Batch, row: int) -> None:
        item_id = batch.item_ids[row]
        if self.selection.whole is not None and self.selection.exists(item_id):
            self.not_selected += 1
            return
        if len(self._strange) < 3:
            self._strange.append(item_id)
        message = f"{self.selection.task} has no item {item_id!r}; the line was left out"
        self._tell(ProblemKind.UNKNOWN_ITEM, message, batch, row, "item_id")

    def _duplicate(self, batch: Batch, row: int, attempt: int) -> None:
        message = (
            f"item {batch.item_ids[row]!r} has a response in attempt {attempt} already;"
            " the first counts (number the attempts if both should)"
        )
        self._tell(ProblemKind.DUPLICATE, message, batch, row, "item_id")

    def _tell(self, kind: ProblemKind, message: str, batch: Batch, row: int, field: str) -> None:
        count = self.problem_counts.get(kind, 0)
        if count >= MOST_PROBLEMS:
            # A million lines can have one, and a problem that is not kept costs as much as grading.
            self.problem_counts[kind] = count + 1
            return
        line = batch.lines[row]
        self._report(Problem(kind=kind, message=message, file=batch.file, line=line, field=field))

    def _report(self, problem: Problem) -> None:
        count = self.problem_counts.get(problem.kind, 0)
        self.problem_counts[problem.kind] = count + 1
        if count < MOST_PROBLEMS:
            self.problems.append(problem)

    def _nothing_known(self) -> str:
        if not self._read:
            shown = "; ".join(problem.message for problem in self.problems[:3])
            return f"no submission could be read{': ' if shown else ''}{shown}"
        task, split = self.selection.task, self.selection.split
        where = f"{task} ({split})" if split else task
        hint = ""
        prefixes = {item_id.partition("/")[0] for item_id in self._strange}
        if split and len(prefixes) == 1 and prefixes != {split}:
            hint = f" If they are of another split, say split={prefixes.pop()!r}."
        return (
            f"none of the {self._read} item ids is one of {where}'s: they look like"
            f" {', '.join(map(repr, self._strange))}, the task's like {self.selection.ids[0]!r}."
            f" Is it the right task?{hint}"
        )


def _number(response: object) -> str:
    """Return a number as text, as it is written without a fraction of 0; empty for all else."""
    if isinstance(response, bool) or not isinstance(response, int | float):
        return ""
    whole = isinstance(response, float) and response.is_integer()
    return str(int(response) if whole else response)


def _says_its_format(response: object) -> bool:
    """Whether it is a model's text together with its format, which counts as an answer."""
    if not isinstance(response, Mapping) or "response" not in response:
        return False
    # Loaded late: most answers are texts.
    from snellen.grading.actions.declaring import declared

    try:
        said = declared(cast("Mapping[str, object]", response))
    except InputError:
        return False
    return said.format is not None and isinstance(said.response, str)


def _pick(
    column: Sequence[str | None] | None, rows: Sequence[int], *, whole: bool
) -> Sequence[str | None] | None:
    if column is None or whole:
        return column
    return [column[row] for row in rows]
