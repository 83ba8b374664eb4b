"""The charts of the pages: what templates draw as inline SVG, and in words.

Positions along a chart are in percent of its width, so that its text keeps its size on a phone.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from snellen.tasks.hosted import Board, SubmissionStatus

MOST_ROWS = 20
"""The maximum number of a leaderboard's rows in its chart, the first ones."""

MOST_BASELINES = 3
"""The maximum number of baselines that are lines in it, the highest ones."""

_HEIGHT = 120
_LEAST_SPAN = 0.2
_EDGE = 4.0
_LEFT, _RIGHT = 16.0, 97.0


class Mark(NamedTuple):
    """A score in a chart of intervals."""

    name: str
    value: float  # the score
    low: float | None  # the lower end of its interval; None: it has none
    high: float | None  # the upper end
    lines: Sequence[float]  # the scores that are vertical lines in its row, its own among them
    line: bool = False  # whether it is one of these itself

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.name} {said(self.value, self.low, self.high)}"


def interval_chart(board: Board, chance: float | None) -> Sequence[Mark]:
    """Return the marks of a leaderboard: chance and baselines as lines, then the first rows."""
    baselines = [row for row in board.rows if row.baseline][:MOST_BASELINES]
    lines: list[float] = []
    found: list[Mark] = []
    if chance is not None:
        lines.append(chance)
        found.append(Mark("chance", chance, None, None, (chance,), line=True))
    for row in baselines:
        lines.append(row.value)
        name = f"baseline {row.name}"
        found.append(Mark(name, row.value, row.low, row.high, tuple(lines), line=True))
    ranked = [row for row in board.rows if not row.baseline][:MOST_ROWS]
    found += [Mark(row.name, row.value, row.low, row.high, tuple(lines)) for row in ranked]
    return found if ranked else ()


class Point(NamedTuple):
    """A submission in a chart of progress."""

    said: str  # the submission in words
    x: float  # its position, in percent of the width
    y: float  # the position of its score, in pixels from the top
    top: float | None  # that of its interval's upper end; None: it has no interval
    bottom: float | None  # that of its lower end


class Progress(NamedTuple):
    """A participant's scores in a phase, in the order of arrival.

    Attributes:
        phase: The phase.
        points: The submissions.
        ticks: The marked scores, with their positions from the top in pixels.
        height: The height in pixels.
        since: The arrival of the first.
        until: The arrival of the last.
    """

    phase: str
    points: Sequence[Point]
    ticks: Sequence[tuple[float, float]]
    height: int
    since: str
    until: str


def progress_chart(newest: Sequence[SubmissionStatus]) -> Progress | None:
    """Return the progress of a participant, or None with fewer than two scores.

    Args:
        newest: The participant's submissions of a phase as it sees them, the newest first.
    """
    means = [
        (row, (row.value, row.low, row.high))
        for row in reversed(newest)
        if row.value is not None and row.removed is None
    ]
    if len(means) < 2:
        return None
    ends = [end for _, mean in means for end in mean if end is not None]
    low, high = math.floor(10 * min(ends) + 1e-9) / 10, math.ceil(10 * max(ends) - 1e-9) / 10
    high = min(1.0, max(high, low + _LEAST_SPAN))
    low = min(low, high - _LEAST_SPAN)

    def down(value: float | None) -> float | None:
        if value is None:
            return None
        return _EDGE + (_HEIGHT - 2 * _EDGE) * (high - value) / (high - low)

    points = [
        Point(
            f"{row.name}, {row.at[:16].replace('T', ' ')} UTC: {said(*mean)}",
            _LEFT + (_RIGHT - _LEFT) * place / (len(means) - 1),
            down(mean[0]) or 0.0,
            down(mean[2]),
            down(mean[1]),
        )
        for place, (row, mean) in enumerate(means)
    ]
    ticks = [(value, down(value) or 0.0) for value in (high, (low + high) / 2, low)]
    first, last = means[0][0], means[-1][0]
    return Progress(first.phase, points, ticks, _HEIGHT, first.at, last.at)


def said(value: float, low: float | None, high: float | None) -> str:
    """Return a score with its interval in words."""
    ends = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * value:.1f} %{ends}"
