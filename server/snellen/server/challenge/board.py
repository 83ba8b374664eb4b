"""The leaderboard: scores, intervals and ranks of submissions.

Values are means over the same items; a missing answer counts 0. Ranks are simultaneous bounds
(`grading.stats.ranking`). Rows are sorted by value, then by time of arrival, then by id.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.stats.over_tasks import LEVEL
from snellen.grading.stats.ranking import Stratum, groups_by_head, rank_bounds
from snellen.grading.stats.summary import estimate
from snellen.server.attempts.shown import name_of, numbers_of
from snellen.server.challenge.models import iso, score_of
from snellen.server.challenge.rounding import with_numbers
from snellen.server.exam import rounding
from snellen.server.store.tables.endpoint import GradingRow, ScoreValues, SubmissionRow
from snellen.tasks.hosted import Board, BoardRow, Counts, TaskScore

MOST_CHOSEN = 2
"""The maximum number of submissions that a participant chooses in a phase."""


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
    mean: rounding.Numbers


class Hiding(NamedTuple):
    """What participants must not learn from a leaderboard of an open phase."""

    tasks: Sequence[str]  # all tasks of the exam
    secret: bytes  # the key by which the boundaries of rounding are drawn


def make_board(
    data: BoardData,
    exam: str,
    phase: str,
    tasks: Sequence[str],
    part: str,
    counts: Counts,
    hiding: Hiding | None = None,
) -> Board:
    """Return a leaderboard.

    Args:
        data: Its data.
        exam: The exam's name.
        phase: The phase's name.
        tasks: The tasks that a row needs.
        part: The part of the items.
        counts: The submissions of a participant that are on it.
        hiding: How values are hidden, as participants see them in an open phase; None: they are
            exact.
    """
    by_submission: dict[str, dict[str, ScoreValues]] = {}
    for score in data.scores:
        by_submission.setdefault(score.submission, {})[score.task] = score
    shown = None if hiding is None else _shown(data, by_submission, hiding)
    runs: list[_Run] = []
    incomplete = 0
    for row in data.submissions:
        own = by_submission.get(row.id, {})
        if row.removed is not None or own.keys().isdisjoint(tasks):
            continue
        if set(tasks) - own.keys():
            incomplete += 1
            continue
        scores = [own[task] for task in tasks]
        runs.append(_exact_run(row, scores) if shown is None else _shown_run(row, scores, shown))
    chosen = sorted(
        _chosen(runs, counts, data.public if shown is None else {}),
        key=lambda run: (-run.mean.value, run.row.at, run.row.id),
    )
    ranked = [run for run in chosen if not run.row.baseline]
    # Attempts of continuous contexts have one item of each pair, and uploads have both.
    alike = len({tuple(score.items for score in run.scores) for run in ranked}) <= 1
    exact = shown is None and alike
    places = _places(ranked, len(tasks)) if exact else _shown_places(ranked)
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


def _exact_run(row: SubmissionRow, scores: Sequence[ScoreValues]) -> _Run:
    mean = rounding.mean_of([numbers_of(score) for score in scores])
    return _Run(row, scores, [score_of(score) for score in scores], mean)


def _shown_run(
    row: SubmissionRow, scores: Sequence[ScoreValues], shown: Mapping[str, rounding.ShownRun]
) -> _Run:
    own = shown[row.id]
    tasks = [
        with_numbers(score_of(score), own.scores[score.task])
        for score in scores
        if score.task in own.scores
    ]
    mean = own.scores.get(scores[0].task) if len(scores) == 1 else own.mean
    assert mean is not None
    return _Run(row, scores, tasks, mean)


def _shown(
    data: BoardData, scores: Mapping[str, Mapping[str, ScoreValues]], hiding: Hiding
) -> Mapping[str, rounding.ShownRun]:
    """Return what is shown of each submission's scores."""
    of_caller: dict[str, list[SubmissionRow]] = {}
    for row in data.submissions:
        of_caller.setdefault(row.caller, []).append(row)
    found: dict[str, rounding.ShownRun] = {}
    for rows in of_caller.values():
        runs = [
            rounding.Run(
                name_of(row.id, row.attempt),
                {task: numbers_of(score) for task, score in scores.get(row.id, {}).items()},
            )
            for row in rows
        ]
        found |= zip([row.id for row in rows], rounding.shown_runs(runs, *hiding), strict=True)
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
            return run.mean.value
        return public.get(run.row.id, run.mean.value)

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
        groups = groups_of(runs[0].scores[task])
        sums = [np.bincount(groups, values_of(run.scores[task])) for run in runs]
        sizes = np.bincount(groups)
        strata.append(Stratum(np.stack(sums, axis=1).astype(np.float64), sizes.astype(np.float64)))
    return _places_by(rank_bounds(strata, level=LEVEL).better, runs)


def _places_by(better: NDArray[np.bool_], runs: Sequence[_Run]) -> Mapping[str, _Place]:
    best, worst = 1 + better.sum(0), len(runs) - better.sum(1)
    heads = groups_by_head(range(len(runs)), better)
    return {
        run.row.id: _Place(*map(int, place))
        for run, *place in zip(runs, best, worst, heads, strict=True)
    }


def _shown_places(runs: Sequence[_Run]) -> Mapping[str, _Place]:
    """Return the rank of each run by what is shown of it, the highest value first.

    Ranks by the items' values would tell what the rounding hides. Two runs differ if their values
    do by more than rounding and by more than the intervals explain, as if they were of different
    items, in all pairs at once (Bonferroni): these bounds are wider than those after the end.
    """
    if not runs:
        return {}
    means = [run.mean for run in runs]
    pairs = max(1, len(runs) * (len(runs) - 1) // 2)
    wider = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / pairs) / NormalDist().inv_cdf(
        LEVEL / 2 + 0.5
    )
    values = np.array([mean.value for mean in means])
    # Without an interval nothing is known of a value but that it is in 0..1.
    sides = [
        (mean.value, 1 - mean.value)
        if mean.low is None or mean.high is None
        else (mean.value - mean.low, mean.high - mean.value)
        for mean in means
    ]
    steps = 10.0 ** -np.array([max(1, rounding.digits_of(mean.items)) for mean in means])
    below, above = (
        np.square((np.array(side) + steps) * wider) for side in zip(*sides, strict=True)
    )
    better = np.zeros((len(runs), len(runs)), np.bool_)
    for index, value in enumerate(values):
        # Only a later run can be worse.
        better[index, index:] = np.square(value - values[index:]) > below[index] + above[index:]
    return _places_by(better, runs)


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
        value=run.mean.value,
        low=run.mean.low,
        high=run.mean.high,
        tasks=tuple(run.shown),
        cost=json.loads(row.cost),
    )
