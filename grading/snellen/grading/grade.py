"""Grading as columns: a stateless function from item indices and responses to values.

A `Grader` holds a protocol prepared for a task's golds. It is frozen, so threads can share it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.models.scores import TOO_LONG, Outcome, Response
from snellen.grading.parse.envelope import answer_in
from snellen.grading.parse.refusals import is_refusal
from snellen.grading.protocols import base
from snellen.grading.protocols.golds import sized

MAX_TEXT = 1_048_576
"""The longest text, in characters, that is graded; a longer one counts as unparsed."""

OUTCOMES: tuple[Outcome, ...] = tuple(Outcome)
CODES: dict[Outcome, int] = {outcome: code for code, outcome in enumerate(OUTCOMES)}

_ANSWERED = CODES[Outcome.ANSWERED]
_EMPTY = CODES[Outcome.EMPTY]
_REFUSED = CODES[Outcome.REFUSED]
_MISSING = CODES[Outcome.MISSING]
_UNPARSED = CODES[Outcome.UNPARSED]
_ERROR = CODES[Outcome.ERROR]
_NEVER_READ = frozenset({_UNPARSED, _MISSING, _ERROR})
_REASONS = {
    _UNPARSED: f"longer than {MAX_TEXT:,} characters",
    _REFUSED: "the API reports that the model refused, or that a filter stopped it",
}
"""Why a response is not read, by its outcome."""


class Answers(NamedTuple):
    """A batch of resolved answers.

    Attributes:
        items: The index of each answer's item.
        attempts: The attempt of each answer.
        responses: Text, JSON values or `TOO_LONG`; None is a missing response.
        errors: If a row's entry is not None, its response is an error; None: no row is an error.
        models: The model of each answer; None: unknown for all rows.
    """

    items: base.IntArray
    attempts: Sequence[int]
    responses: Sequence[object]
    errors: Sequence[str | None] | None = None
    models: Sequence[str | None] | None = None


class Columns(NamedTuple):
    """The scores of a batch, in the order of its rows.

    Attributes:
        values: rows x metric keys, in 0..1.
        outcomes: Codes into `OUTCOMES`.
        crashed: Whether the published code raises on the row.
        notes: The parser's guess, or the reason why it could not read the response, by row.
        answers: The parsed answers, None if unreadable; only for a protocol with corpus metrics.
        measures: Each measure of the metric, by its name: a number a row, NaN where it has none.
    """

    values: base.FloatArray
    outcomes: NDArray[np.uint8]
    crashed: base.BoolArray
    notes: dict[int, str]
    answers: Sequence[base.AnswerValue | None] | None = None
    measures: Mapping[str, base.FloatArray] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Grader:
    """A protocol prepared for the golds of a task.

    Attributes:
        protocol: The protocol.
        judge: Its metric, prepared for the golds.
        contexts: The items' contexts for the parser, or empty.
        golds: The golds, for the metric's measures.
        indexes: The index of the gold for each item index of a batch; None: the same index.
    """

    protocol: base.Protocol
    judge: base.Judge = field(repr=False)
    contexts: Sequence[base.Context] = field(repr=False)
    golds: Sequence[base.Gold] = field(repr=False)
    indexes: base.IntArray | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        protocol: base.Protocol,
        golds: Sequence[base.Gold],
        contexts: Sequence[base.Context] = (),
        indexes: base.IntArray | None = None,
    ) -> "Grader":
        """Prepare a protocol for all golds, with one context per gold or none.

        A target without an image size takes the size of its context.
        """
        if contexts:
            golds = [sized(gold, context) for gold, context in zip(golds, contexts, strict=True)]
        judge = protocol.metric.prepare(golds, protocol.normalizer)
        return cls(protocol, judge, contexts, golds, indexes)

    def batch(self, given: Answers) -> Columns:
        """Score a batch of answers.

        Returns:
            The columns; missing responses, errors and unreadable responses are 0.
        """
        parser, contexts = self.protocol.parser, self.contexts
        items = given.items if self.indexes is None else self.indexes[given.items]
        codes: list[int] = []
        notes: dict[int, str] = {}
        rows: list[int] = []
        raised: list[int] = []
        compared: dict[int, base.AnswerValue] = {}
        answers: list[base.AnswerValue] = []
        for row, whole in enumerate(given.responses):
            response = whole if type(whole) is str else answer_in(whole)
            code = _label(whole, response, None if given.errors is None else given.errors[row])
            codes.append(code)
            if code in _NEVER_READ or response is None:
                if code in _REASONS:
                    notes[row] = _REASONS[code]
                continue
            if parser.plain and type(response) is str:
                rows.append(row)
                answers.append(response)
                continue
            context = contexts[int(items[row])] if contexts else base.NO_CONTEXT
            parsed = parser.read(response, context)
            if parsed.note:
                notes[row] = parsed.note
            if parsed.outcome is None:
                rows.append(row)
                answers.append(parsed.answer)
            elif code == _ANSWERED:
                codes[row] = CODES[parsed.outcome]
            if parsed.crashed:
                raised.append(row)
            if parsed.compared is not None:
                compared[row] = parsed.compared
        values, crashed, failed = self._judge(items, rows, answers)
        if compared:
            crashed |= self._judge(items, list(compared), list(compared.values()))[1]
        for judged, reason in failed.items():
            codes[rows[judged]] = _ERROR
            notes[rows[judged]] = reason
        if raised:
            crashed[raised] = True
        kept: list[base.AnswerValue | None] | None = None
        if self.protocol.metric.corpus is not None:
            kept = [None] * len(codes)
            for row, answer in zip(rows, answers, strict=True):
                kept[row] = answer
        measures = {
            measure.name: self._measured(measure, items, rows, answers)
            for measure in self.protocol.metric.measures
        }
        return Columns(values, np.array(codes, dtype=np.uint8), crashed, notes, kept, measures)

    def _measured(
        self,
        measure: base.Measure,
        items: base.IntArray,
        rows: Sequence[int],
        answers: Sequence[base.AnswerValue],
    ) -> base.FloatArray:
        values = np.full(len(items), np.nan)
        golds = (self.golds[item] for item in items[rows].tolist())
        values[rows] = [
            np.nan if (value := measure.of(answer, gold)) is None else value
            for answer, gold in zip(answers, golds, strict=True)
        ]
        return values

    def _judge(
        self, items: base.IntArray, rows: Sequence[int], answers: Sequence[base.AnswerValue]
    ) -> tuple[base.FloatArray, base.BoolArray, Mapping[int, str]]:
        crashed = np.zeros(len(items), dtype=np.bool_)
        if len(rows) == len(items):
            judged = self.judge(items, answers)
            crashed = crashed if judged.crashed is None else judged.crashed
            return judged.values, crashed, judged.failed or {}
        values = np.zeros((len(items), len(self.protocol.metric.keys)), dtype=np.float64)
        failed: Mapping[int, str] = {}
        if rows:
            judged = self.judge(items[rows], answers)
            values[rows] = judged.values
            if judged.crashed is not None:
                crashed[rows] = judged.crashed
            failed = judged.failed or {}
        return values, crashed, failed


def read_response(
    protocol: base.Protocol,
    response: base.AnswerValue,
    context: base.Context = base.NO_CONTEXT,
) -> Response:
    """Return what a protocol's parser reads in a response, without a score."""
    said = answer_in(response)
    code = _label(response, said, None)
    if code in _NEVER_READ or said is None:
        return Response(raw=response, outcome=OUTCOMES[code], note=_REASONS.get(code, ""))
    parsed = protocol.parser.read(said, context)
    if parsed.outcome is not None and code == _ANSWERED:
        code = CODES[parsed.outcome]
    answer = None if parsed.outcome is not None else parsed.answer
    return Response(raw=response, answer=answer, outcome=OUTCOMES[code], note=parsed.note)


def _label(whole: object, response: object, error: str | None) -> int:
    """Return the outcome of a response before it is parsed; `whole` may be an API's object."""
    if error is not None:
        return _ERROR
    if response is None:
        return _MISSING if whole is None else _REFUSED
    if type(response) is str:
        if not response or response.isspace():
            return _EMPTY
        if len(response) > MAX_TEXT:
            return _UNPARSED
        return _REFUSED if is_refusal(response) else _ANSWERED
    if response is TOO_LONG:
        return _UNPARSED
    return _ANSWERED
