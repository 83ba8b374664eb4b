"""The scores of a participant's submissions as stored, in the form in which they are rounded."""

import json
from collections.abc import Iterable, Sequence

from snellen.server.exam.rounding import Numbers, Run
from snellen.server.store.queries import OwnNumbers
from snellen.server.store.tables.endpoint import ScoreNumbers


def name_of(submission: str, attempt: int | None) -> str:
    """Return the name by which the boundaries of a submission's scores are drawn.

    That of an attempt is known before its answers are a submission.
    """
    return submission if attempt is None else f"attempt {attempt}"


def numbers_of(row: ScoreNumbers) -> Numbers:
    """Return the numbers of a stored score."""
    return Numbers(row.value, row.low, row.high, row.items, json.loads(row.metrics))


def runs_of(rows: Iterable[OwnNumbers]) -> Sequence[Run]:
    """Return a participant's submissions, in the order of their rows."""
    found: dict[str, dict[str, Numbers]] = {}
    for row in rows:
        name = name_of(row.submission, row.attempt)
        found.setdefault(name, {})[row.task] = numbers_of(row)
    return [Run(name, scores) for name, scores in found.items()]
