"""The leaderboard: scores, intervals and ranks of submissions.

Values are means over the same items; a missing answer counts 0. Ranks are simultaneous bounds
(`grading.stats.ranking`). Rows are sorted by value, then by time of arrival, then by id.
"""

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, JsonValue

from snellen.grading.models.base import Closed
from snellen.grading.models.reports import MeasureValue
from snellen.grading.stats.proportions import clopper_pearson
from snellen.grading.stats.ranking import Stratum, groups_by_head, rank_bounds
from snellen.grading.stats.summary import estimate
from snellen.server.challenge.models import TaskScore, iso
from snellen.server.challenge.rounding import shown_scores
from snellen.server.exam.file import Counts
from snellen.server.exam.phases import digits_of
from snellen.server.store.tables.endpoint import GradingRow, ScoreValues, Source, SubmissionRow

LEVEL = 0.95
MOST_CHOSEN = 2
"""The maximum number of submissions that a participant chooses in a phase."""


class BoardRow(Closed):
    """One row of the leaderboard.

    Attributes:
        best: The best possible rank, at the board's level; None: it is not ranked.
        worst: The worst possible rank.
        group: Rows of the same group do not differ significantly from the group's first row.
        submission: The submission's id.
        participant: The participant who submitted it.
        name: The submission's name.
        link: A URL with more information.
        source: Whether it was uploaded or is an attempt over MCP.
        at: The time of arrival.
        baseline: Whether it is a baseline, which is not ranked.
        value: The mean of its tasks' values; for one task, its value.
        low: The lower end of its 95 % interval; None: it has none.
        high: The upper end.
        tasks: Its score on each task.
        cost: Its cost, as far as known.
    """

    best: int | None
    worst: int | None
    group: int | None
    submission: str
    participant: str
    name: str
    link: str
    source: Source
    at: str
    baseline: bool
    value: float
    low: float | None
    high: float | None
    tasks: tuple[TaskScore, ...]
    cost: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])

    @property
    def measures(self) -> Mapping["MeasureName", float]:
        """The mean of each measure over the answers of all tasks that have it."""
        found: dict[MeasureName, list[MeasureValue]] = {}
        for task in self.tasks:
            for name, one in task.measures.items():
                found.setdefault(MeasureName(name, one.unit, one.better), []).append(one)
        return {
            name: sum(one.mean * one.answers for one in several)
            / sum(one.answers for one in several)
            for name, several in found.items()
        }


class MeasureName(NamedTuple):
    """A measure's name, its unit, and whether the `lower` or the `higher` one is better."""

    name: str
    unit: str
    better: Literal["lower", "higher"]

    def __str__(self) -> str:
        return f"{self.name} ({self.unit}, {self.better} is better)"


class Board(Closed):
    """A leaderboard.

    Attributes:
        exam: The exam's name.
        phase: The phase.
        task: Its single task; None: the mean of all tasks.
        tasks: The tasks that a row needs.
        part: `all` items, or the `public` ones during the phase.
        level: With this probability no true rank lies outside its row's bounds.
        grading: The number of the grading that it shows.
        graded: The time of that grading.
        regrading: Whether a newer grading is in progress.
        rows: The rows, the highest value first, with unranked baselines among them.
        incomplete: The number of submissions without a row because they lack some of the tasks.
    """

    exam: str
    phase: str
    task: str | None
    tasks: tuple[str, ...]
    part: str
    level: float
    grading: int
    graded: str
    regrading: bool
    rows: tuple[BoardRow, ...]
    incomplete: int

    @property
    def measures(self) -> Sequence[MeasureName]:
        """The measures of its rows; rows are never ranked by them."""
        return list(dict.fromkeys(name for row in self.rows for name in row.measures))


class BoardData(NamedTuple):
    """The data of a leaderboard, read in one transaction.

    Attributes:
        grading: The grading that is shown.
        regrading: Whether a newer one is in progress.
        submissions: The graded submissions, the oldest first.
        scores: Their scores on the tasks.
        public: The mean of a submission's scores on the public part, which chooses the best one of
            a participant also when all items are shown; empty if there is no such part.
    """

    grading: GradingRow
    regrading: bool
    submissions: Sequence[SubmissionRow]
    scores: Sequence[ScoreValues]
    public: Mapping[str, float] = MappingProxyType({})


class _Run(NamedTuple):
    row: SubmissionRow
    scores: Sequence[ScoreValues]
    shown: Sequence[TaskScore]
    value: float
    low: float | None
    high: float | None


def make_board(
    data: BoardData,
    exam: str,
    phase: str,
    tasks: Sequence[str],
    part: str,
    counts: Counts,
    *,
    exact: bool = True,
) -> Board:
    """Return a leaderboard.

    Args:
        data: Its data.
        exam: The exam's name.
        phase: The phase's name.
        tasks: The tasks that a row needs.
        part: The part of the items.
        counts: The submissions of a participant that are on it.
        exact: Whether values are exact, or as participants see them in an open phase.
    """
    by_submission: dict[str, dict[str, ScoreValues]] = {}
    for score in data.scores:
        by_submission.setdefault(score.submission, {})[score.task] = score
    shown = _shown(data, exact=exact)
    runs: list[_Run] = []
    incomplete = 0
    for row in data.submissions:
        own = by_submission.get(row.id, {})
        if row.removed is not None or own.keys().isdisjoint(tasks):
            continue
        if missing := set(tasks) - own.keys():
            incomplete += bool(missing)
            continue
        said = [shown[row.id, task] for task in tasks]
        value, low, high = mean_of(said, exact=exact)
        runs.append(_Run(row, [own[task] for task in tasks], said, value, low, high))
    chosen = sorted(
        _chosen(runs, counts, data.public), key=lambda run: (-run.value, run.row.at, run.row.id)
    )
    ranked = [run for run in chosen if not run.row.baseline]
    places = _places(ranked, len(tasks))
    return Board(
        exam=exam,
        phase=phase,
        task=tasks[0] if len(tasks) == 1 else None,
        tasks=tuple(tasks),
        part=part,
        level=LEVEL,
        grading=data.grading.id,
        graded=iso(data.grading.shown or data.grading.at),
        regrading=data.regrading,
        rows=tuple(_row(run, places.get(run.row.id)) for run in chosen),
        incomplete=incomplete,
    )


def _shown(data: BoardData, *, exact: bool) -> Mapping[tuple[str, str], TaskScore]:
    """Return what is shown of each score, by submission and task."""
    found = {(row.submission, row.task): TaskScore.of(row) for row in data.scores}
    if exact:
        return found
    several: dict[tuple[str, str], list[tuple[str, str]]] = {}
    tasks = dict.fromkeys(task for _, task in found)
    for row in data.submissions:
        for task in tasks:
            if (row.id, task) in found:
                several.setdefault((row.caller, task), []).append((row.id, task))
    for names in several.values():
        found |= zip(names, shown_scores([found[name] for name in names]), strict=True)
    return found


def _chosen(runs: Sequence[_Run], counts: Counts, public: Mapping[str, float]) -> Sequence[_Run]:
    """Return the runs on the board; baselines are always included."""
    if counts is Counts.ALL:
        return runs

    if counts is Counts.CHOSEN:
        runs = _candidates(runs)

    def choosing(run: _Run) -> float:
        # The chosen ones are few draws on the private part, so the better one may win on it.
        if run.row.chosen is not None and counts is Counts.CHOSEN:
            return run.value
        return public.get(run.row.id, run.value)

    found: dict[str, _Run] = {}
    for run in runs:
        before = found.get(run.row.caller)
        if run.row.baseline:
            found[run.row.id] = run
        elif before is None or counts is Counts.LAST or choosing(run) > choosing(before):
            found[run.row.caller] = run
    return list(found.values())


def _candidates(runs: Sequence[_Run]) -> Sequence[_Run]:
    """Return the runs that participants chose, and all runs of those who chose none."""
    chosen: dict[str, list[_Run]] = {}
    for run in runs:
        if run.row.chosen is not None and not run.row.baseline:
            chosen.setdefault(run.row.caller, []).append(run)
    kept = {
        run.row.id
        for several in chosen.values()
        for run in sorted(several, key=lambda run: (run.row.chosen, run.row.id))[:MOST_CHOSEN]
    }
    return [
        run
        for run in runs
        if run.row.baseline or run.row.caller not in chosen or run.row.id in kept
    ]


class _Place(NamedTuple):
    best: int
    worst: int
    group: int


def _places(runs: Sequence[_Run], tasks: int) -> Mapping[str, _Place]:
    """Return the rank of each run, by its submission."""
    if not runs:
        return {}
    strata: list[Stratum] = []
    for task in range(tasks):
        values = np.stack([values_of(run.scores[task]) for run in runs], axis=1)
        groups = groups_of(runs[0].scores[task])
        sums = np.zeros((int(groups.max()) + 1, len(runs)))
        np.add.at(sums, groups, values)
        strata.append(Stratum(sums, np.bincount(groups).astype(np.float64)))
    ranks = rank_bounds(strata, level=LEVEL)
    heads = groups_by_head(range(len(runs)), ranks.better)
    return {
        run.row.id: _Place(int(best), int(worst), group)
        for run, best, worst, group in zip(runs, ranks.best, ranks.worst, heads, strict=True)
    }


def values_of(score: ScoreValues) -> NDArray[np.float64]:
    """Return each item's value, in the pack's order."""
    return np.frombuffer(zlib.decompress(score.item_values), "<f8")


def groups_of(score: ScoreValues) -> NDArray[np.int32]:
    """Return the number of each item's independent group, in the same order."""
    return np.frombuffer(zlib.decompress(score.item_groups), "<i4")


def episodes_of(score: ScoreValues) -> NDArray[np.float64] | None:
    """Return the items' successes, costs and limits by attempt (attempts, 3, n)."""
    if score.item_episodes is None:
        return None
    return np.frombuffer(zlib.decompress(score.item_episodes), "<f8").reshape(-1, 3, score.items)


def only(score: ScoreValues, mask: NDArray[np.bool_], tag: str) -> ScoreValues:
    """Return a score over a subset of its items.

    Args:
        score: The score over all items.
        mask: The mask of the items (n,).
        tag: The subset's name, for the signature.
    """
    values, groups = values_of(score)[mask], groups_of(score)[mask]
    _, codes = np.unique(groups, return_inverse=True)
    found = estimate(values, codes)
    interval = found.interval
    return replace(
        score,
        value=found.value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        items=int(mask.sum()),
        outcomes="{}",
        metrics="{}",
        measures=None,
        signature=f"{score.signature}|tag:{tag}",
        item_values=zlib.compress(values.astype("<f8").tobytes()),
        item_groups=zlib.compress(codes.astype("<i4").tobytes()),
        item_episodes=None,
    )


def mean_of(
    scores: Sequence[TaskScore], *, exact: bool
) -> tuple[float, float | None, float | None]:
    """Return the mean of tasks' values and its 95 % interval, rounded if it is not exact.

    For one task they are the task's own. For the mean of several independent tasks, the squared
    distances of the tasks' ends from their values are summed: MOVER, Zou and Donner 2008,
    "Construction of confidence limits about effect measures", section 2.

    A task whose items depend on each other, such as all being of one screen, has no interval of its
    own: the variance of one draw is unknown. All k such tasks together are k independent values in
    0..1, whose mean has an exact interval (`clopper_pearson`), and count as one part with k tasks'
    weight.
    """
    value = float(np.mean([score.value for score in scores]))
    if len(scores) == 1:
        return value, scores[0].low, scores[0].high
    ends: list[tuple[float, float]] = []
    alone: list[float] = []
    for score in scores:
        if score.low is None or score.high is None:
            alone.append(score.value)
        else:
            ends.append((score.value - score.low, score.high - score.value))
    if alone:
        middle, count = math.fsum(alone) / len(alone), len(alone)
        found = clopper_pearson(middle * count, count, level=LEVEL)
        ends.append((count * (middle - found.low), count * (found.high - middle)))
    below, above = (math.hypot(*sides) / len(scores) for sides in zip(*ends, strict=True))
    # A task with many items can be at a bound where the sum of squares goes beyond it.
    low, high = max(0.0, value - below), min(1.0, value + above)
    if exact:
        return value, low, high
    digits = digits_of(low, high)
    return round(value, digits), round(low, digits), round(high, digits)


def _row(run: _Run, place: _Place | None) -> BoardRow:
    row = run.row
    return BoardRow(
        best=None if place is None else place.best,
        worst=None if place is None else place.worst,
        group=None if place is None else place.group,
        submission=row.id,
        participant=row.caller,
        name=row.name,
        link=row.link,
        source=row.source,
        at=iso(row.at),
        baseline=row.baseline,
        value=run.value,
        low=run.low,
        high=run.high,
        tasks=tuple(run.shown),
        cost=json.loads(row.cost),
    )
