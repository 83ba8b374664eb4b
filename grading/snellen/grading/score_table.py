"""Scores kept as columns; a score object is made only when somebody asks for it."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from math import isnan
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from snellen.grading.grade import CODES, OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import TOO_LONG, Outcome, Score
from snellen.grading.protocols import base


class ScoreColumns(NamedTuple):
    """One row an item and attempt, item by item: what `ScoreTable.columns` returns.

    `items` are indices into the table's ids; `values` is rows x `keys`; `outcomes` are codes
    into `snellen.grading.grade.OUTCOMES`.
    """

    items: base.IntArray
    attempts: base.IntArray
    keys: tuple[str, ...]
    values: base.FloatArray
    outcomes: NDArray[np.uint8]
    crashed: base.BoolArray


class ScoreTable(Sequence[Score]):
    """Every item's score in every attempt, in the order of the items; absent ones are missing.

    Args:
        keys: The metrics' keys, as the columns of the batches' values.
        primary: The one of them that a score's `value` is.
        ids: The selected item ids, in order.
        attempts: Every attempt number that occurred, in order.
        batches: The answers and their columns; no item and attempt comes twice.
    """

    def __init__(
        self,
        keys: tuple[str, ...],
        primary: str,
        ids: Sequence[str],
        attempts: Sequence[int],
        batches: Sequence[tuple[Answers, Columns]],
    ) -> None:
        self.keys = keys
        self.primary = primary
        self.ids = ids
        self.attempts = tuple(attempts)
        self._batches = batches
        sizes = [len(columns.outcomes) for _, columns in batches]
        self._starts = [0, *accumulate(sizes)][:-1]
        self._order = np.full(len(ids) * len(self.attempts), -1, dtype=np.int64)
        slots = {attempt: slot for slot, attempt in enumerate(self.attempts)}
        for start, size, (answers, _) in zip(self._starts, sizes, batches, strict=True):
            slot = np.fromiter(map(slots.__getitem__, answers.attempts), np.int64, size)
            cells = answers.items * len(self.attempts) + slot
            self._order[cells] = np.arange(start, start + size)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that any score may have."""
        return tuple(dict.fromkeys(name for _, c in self._batches for name in c.measures))

    @cached_property
    def indexes(self) -> dict[str, int]:
        """Each item id's index."""
        return {item_id: index for index, item_id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Score: ...

    @overload
    def __getitem__(self, index: slice) -> list[Score]: ...

    def __getitem__(self, index: int | slice) -> Score | list[Score]:
        if isinstance(index, slice):
            return [self._score(cell) for cell in range(*index.indices(len(self)))]
        cell = index + len(self) if index < 0 else index
        if not 0 <= cell < len(self):
            raise IndexError(f"score {index} of {len(self)}")
        return self._score(cell)

    def __iter__(self) -> Iterator[Score]:
        return (self._score(cell) for cell in range(len(self)))

    def of(self, item_id: str) -> list[Score]:
        """Return an item's scores, one an attempt.

        Raises:
            KeyError: The item was not selected.
        """
        index = self.indexes[item_id]
        return self[index * len(self.attempts) : (index + 1) * len(self.attempts)]

    def columns(self) -> ScoreColumns:
        """Return the numbers as arrays, in the same order as the scores."""
        order = self._order
        width = len(self.keys)
        values = np.zeros((len(order), width), dtype=np.float64)
        outcomes = np.full(len(order), CODES[Outcome.MISSING], dtype=np.uint8)
        crashed = np.zeros(len(order), dtype=np.bool_)
        if self._batches:
            present = order >= 0
            rows = order[present]
            values[present] = np.concatenate([c.values for _, c in self._batches])[rows]
            outcomes[present] = np.concatenate([c.outcomes for _, c in self._batches])[rows]
            crashed[present] = np.concatenate([c.crashed for _, c in self._batches])[rows]
        return ScoreColumns(
            items=np.repeat(np.arange(len(self.ids)), len(self.attempts)),
            attempts=np.tile(np.array(self.attempts, dtype=np.int64), len(self.ids)),
            keys=self.keys,
            values=values,
            outcomes=outcomes,
            crashed=crashed,
        )

    def answers(self) -> Iterator[Answers]:
        """Yield the stored answers again, batch by batch, as they came."""
        return (answers for answers, _ in self._batches)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each score's fields as a dict, in order: what a file needs, with no object made."""
        return (self._row(cell) for cell in range(len(self)))

    def _score(self, cell: int) -> Score:
        return Score(**self._row(cell))

    def _row(self, cell: int) -> dict[str, Any]:
        index, slot = divmod(cell, len(self.attempts))
        row = int(self._order[cell])
        fields: dict[str, Any] = {"item_id": self.ids[index], "attempt": self.attempts[slot]}
        if row < 0:
            metrics = dict.fromkeys(self.keys, 0.0)
            return {**fields, "outcome": Outcome.MISSING, "value": 0.0, "metrics": metrics}
        batch = bisect_right(self._starts, row) - 1
        answers, columns = self._batches[batch]
        scored = _scored(self.keys, self.primary, columns, row - self._starts[batch], answers)
        return {**fields, **scored}


def _scored(
    keys: tuple[str, ...], primary: str, columns: Columns, row: int, answers: Answers
) -> dict[str, Any]:
    metrics = dict(zip(keys, columns.values[row].tolist(), strict=True))
    response = answers.responses[row]
    return {
        "outcome": OUTCOMES[int(columns.outcomes[row])],
        "value": metrics[primary],
        "metrics": metrics,
        "measures": {
            name: float(column[row])
            for name, column in columns.measures.items()
            if not isnan(column[row])
        },
        "response": None if response is TOO_LONG else response,
        "model": answers.models[row] if answers.models is not None else None,
        "error": answers.errors[row] if answers.errors is not None else None,
        "note": columns.notes.get(row, ""),
        "crashed": bool(columns.crashed[row]),
    }


def score_one(
    protocol: base.Protocol,
    response: object,
    gold: base.Gold,
    context: base.Context = base.NO_CONTEXT,
) -> Score:
    """Score one response to one item."""
    answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    columns = Grader.of(protocol, [gold], [context]).batch(answers)
    metric = protocol.metric
    score = Score(**_scored(metric.keys, metric.primary, columns, 0, answers))
    if metric.corpus is None or columns.answers is None or columns.answers[0] is None:
        return score
    whole = metric.corpus([gold], columns.answers)
    return score.model_copy(update={"metrics": {**score.metrics, **whole}})


def score_unread(protocol: base.Protocol, note: str) -> Score:
    """Score a response that is no JSON value: nothing can be read in it."""
    return Score(
        outcome=Outcome.UNPARSED,
        value=0.0,
        metrics=dict.fromkeys(protocol.metric.keys, 0.0),
        note=note,
    )
