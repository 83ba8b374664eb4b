"""Grading as columns: a stateless function from item indices and responses to values.

A `Grader` holds a protocol prepared for a task's golds; it is frozen, so several threads may
call it at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.models.scores import Outcome
from snellen.grading.parse.refusals import is_refusal
from snellen.grading.protocols.base import (
    NO_CONTEXT,
    AnswerValue,
    BoolArray,
    Context,
    FloatArray,
    Gold,
    IntArray,
    Judge,
    Protocol,
)

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


class Answers(NamedTuple):
    """A batch of resolved answers.

    Attributes:
        items: The index of each answer's item.
        attempts: Which attempt each is.
        responses: Text or JSON values; None is a missing response.
        errors: Where not None, the response is an error, whatever it holds; None: no row is.
        models: Who said it; None: no row says.
    """

    items: IntArray
    attempts: Sequence[int]
    responses: Sequence[object]
    errors: Sequence[str | None] | None = None
    models: Sequence[str | None] | None = None


class Columns(NamedTuple):
    """The scores of a batch, row by row in the order given.

    Attributes:
        values: rows x metric keys, in 0..1.
        outcomes: Codes into `OUTCOMES`.
        crashed: Where the published code raises.
        notes: What the parser guessed or why it read nothing, by row.
        answers: What was read, None where nothing was; only for a protocol with corpus metrics.
    """

    values: FloatArray
    outcomes: NDArray[np.uint8]
    crashed: BoolArray
    notes: dict[int, str]
    answers: Sequence[AnswerValue | None] | None = None


@dataclass(frozen=True, slots=True)
class Grader:
    """A protocol made ready for the golds of a task."""

    protocol: Protocol
    judge: Judge
    contexts: Sequence[Context]

    @classmethod
    def of(
        cls, protocol: Protocol, golds: Sequence[Gold], contexts: Sequence[Context] = ()
    ) -> "Grader":
        """Prepare a protocol once for all golds; contexts go with them one to one, or are empty."""
        return cls(protocol, protocol.metric.prepare(golds, protocol.normaliser), contexts)

    def batch(self, given: Answers) -> Columns:
        """Score a batch of answers.

        Returns:
            The columns; missing responses, errors and what nothing could be read from are 0.
        """
        items, responses, errors = given.items, given.responses, given.errors
        outcomes = np.full(len(responses), _ANSWERED, dtype=np.uint8)
        notes: dict[int, str] = {}
        rows: list[int] = []
        answers: list[AnswerValue] = []
        plain = self.protocol.parser.plain
        for row, response in enumerate(responses):
            if errors is not None and errors[row] is not None:
                outcomes[row] = _ERROR
                continue
            if response is None:
                outcomes[row] = _MISSING
                continue
            if type(response) is str:
                if not response or response.isspace():
                    outcomes[row] = _EMPTY
                elif is_refusal(response):
                    outcomes[row] = _REFUSED
                elif len(response) > MAX_TEXT:
                    outcomes[row] = _UNPARSED
                    notes[row] = f"{len(response)} characters are more than {MAX_TEXT}"
                    continue
                if plain:
                    rows.append(row)
                    answers.append(response)
                    continue
            context = self.contexts[int(items[row])] if self.contexts else NO_CONTEXT
            parsed = self.protocol.parser.read(response, context)
            if parsed.note:
                notes[row] = parsed.note
            if parsed.outcome is None:
                rows.append(row)
                answers.append(parsed.answer)
            elif outcomes[row] == _ANSWERED:
                outcomes[row] = CODES[parsed.outcome]
        values = np.zeros((len(responses), len(self.protocol.metric.keys)), dtype=np.float64)
        crashed = np.zeros(len(responses), dtype=np.bool_)
        if rows:
            whole = len(rows) == len(responses)
            judged = self.judge(items if whole else items[rows], answers)
            if whole:
                values = judged.values
            else:
                values[rows] = judged.values
            if judged.crashed is not None:
                crashed[rows] = judged.crashed
        kept: list[AnswerValue | None] | None = None
        if self.protocol.metric.corpus is not None:
            kept = [None] * len(responses)
            for row, answer in zip(rows, answers, strict=True):
                kept[row] = answer
        return Columns(values, outcomes, crashed, notes, kept)
