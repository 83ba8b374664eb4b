"""MMBench-GUI's tables of L3 and L4: success and EQA by platform, and what is lost in between.

Source: MMBench-GUI (Wang et al., 2025) section 3; the arithmetic of EQA is in
`snellen.grading.metrics.eqa`. Values are 0..1; the published tables print them times 100.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from snellen.grading.errors import MetricError
from snellen.grading.metrics import efficiency
from snellen.grading.metrics.eqa import Missing, Reading, eqa, eqa_budget, eqa_exact, eqa_linear
from snellen.grading.metrics.eqa_orders import eqa_expected
from snellen.grading.models.reports import Report
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.summaries import Options
from snellen.grading.table import Column, Kind, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values: TypeAlias = "Sequence[float] | NDArray[np.float64]"

READINGS: Mapping[
    Reading, Callable[[Sequence[efficiency.Episode], efficiency.Amount | None], float]
] = MappingProxyType(
    {
        "paper": eqa,
        "exact": eqa_exact,
        "half_open": partial(eqa, grid="half_open"),
        "linear": eqa_linear,
        "budget": eqa_budget,
        "expected": eqa_expected,
    }
)
"""EQA's readings: Eq. 10's closed grid; Eq. 12's integral, which fits the published tables best;
101 points that leave out the end; ScaleCUA's interpolation; each task's own budget; and the mean
over all orders of the tasks."""


class Run(NamedTuple):
    """The episodes of one run, one a task, in the order in which EQA takes them.

    Attributes:
        successes: 0..1 each; 0 if there is no episode.
        costs: The steps of each; None where it is not known, which is charged the whole limit.
        platforms: Each task's platform.
        answered: Whether there is an episode; None: there is one for every task.
    """

    successes: Values
    costs: Sequence[float | None]
    platforms: TagColumn
    answered: Sequence[bool] | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """Success rate and EQA, in every reading, over some tasks."""

    sr: float  # the mean success
    eqa: Mapping[Reading, float]  # the area, by reading
    n: int  # the number of tasks


@dataclass(frozen=True, slots=True)
class Automation:
    """L3 or L4 under one limit of steps.

    Attributes:
        limit: The limit.
        by_platform: Every platform that has tasks; None where none of its tasks was run.
        average: The platforms' numbers weighted by their numbers of tasks. EQA enters as the
            finished number of each platform, not as that of all tasks in one row.
        missing: What was done with platforms that were not run.
        not_run: These platforms; of several attempts, those that one of them did not run.
        attempts: Each attempt's own average, where there are several.
    """

    limit: float
    by_platform: Mapping[str, Rate | None]
    average: Rate
    missing: Missing
    not_run: frozenset[str] = frozenset()
    attempts: tuple[Rate, ...] = ()


def automation(
    run: Run, limit: float, *, missing: Missing, counts: Mapping[str, int] | None = None
) -> Automation:
    """Score L3 or L4 under one limit of steps.

    A task without an episode, on a platform that was run, failed and used up its limit. An
    episode over the limit is charged the limit; to fail such ones cut the run first
    (`snellen.grading.metrics.efficiency.truncated`).

    Args:
        run: The episodes.
        limit: The most steps that a task was allowed.
        missing: What a platform of which no task was run counts as; there is no default,
            because the published tables do both.
        counts: The number of tasks of every platform, for platforms that the run does not list;
            those it lists are counted where they have no entry.

    Raises:
        MetricError: There are no tasks, columns differ in length, no platform was run, a number
            is out of range, or a count contradicts the tasks at hand.
    """
    groups = _by_platform(run, limit)
    tasks = {name: len(episodes) for name, episodes in groups.items()}
    for name, count in (counts or {}).items():
        if count != tasks.get(name, count):
            raise MetricError(f"{tasks[name]} tasks are for {name}, and counts says {count}")
        tasks[name] = count
    ran = {name for name, episodes in groups.items() if any(map(_was_run, episodes))}
    if not ran:
        raise MetricError("the score of a run without episodes is not defined")
    rates = {
        name: _rate([_episode(one, limit) for one in groups[name]], limit) if name in ran else None
        for name in sorted(tasks)
    }
    average = partial(efficiency.platform_mean, counts=tasks, missing=missing)
    areas: dict[Reading, float] = {
        reading: average({name: rate.eqa[reading] for name, rate in rates.items() if rate})
        for reading in READINGS
    }
    return Automation(
        limit=limit,
        by_platform=rates,
        average=Rate(
            sr=average({name: rate.sr for name, rate in rates.items() if rate}),
            eqa=areas,
            n=sum(tasks.values() if missing == "zero" else (tasks[name] for name in ran)),
        ),
        missing=missing,
        not_run=frozenset(tasks) - ran,
    )


def over_attempts(found: Sequence[Automation]) -> Automation:
    """Average several attempts at the same tasks: each number is the mean of theirs.

    EQA, too, is the mean of the finished numbers: no attempt's episodes are ordered among those of
    another. A platform's numbers are the means over the attempts that ran it.

    Args:
        found: Each attempt under one limit, with one policy for platforms that were not run.

    Raises:
        MetricError: There are none, or they differ in their limit, policy or platforms.
    """
    if len({(one.limit, one.missing, tuple(one.by_platform)) for one in found}) != 1:
        raise MetricError("attempts are averaged under one limit and policy, on the same platforms")
    if len(found) == 1:
        return found[0]
    rates: dict[str, Rate | None] = {}
    for name in found[0].by_platform:
        ran = [rate for one in found if (rate := one.by_platform[name])]
        rates[name] = _mean(ran) if ran else None
    average = _mean([one.average for one in found])
    tasks = sum(rate.n for rate in rates.values() if rate)
    return Automation(
        limit=found[0].limit,
        by_platform=rates,
        average=average if found[0].missing == "zero" else replace(average, n=tasks),
        missing=found[0].missing,
        not_run=frozenset(name for one in found for name in one.not_run),
        attempts=tuple(one.average for one in found),
    )


def _mean(rates: Sequence[Rate]) -> Rate:
    areas: dict[Reading, float] = {
        reading: fmean(rate.eqa[reading] for rate in rates) for reading in READINGS
    }
    return Rate(fmean(rate.sr for rate in rates), areas, rates[0].n)


class _Attempt(NamedTuple):
    success: float
    cost: float | None
    answered: bool


def _by_platform(run: Run, limit: float) -> dict[str, list[_Attempt]]:
    answered = run.answered if run.answered is not None else [True] * len(run.successes)
    lengths = {len(run.successes), len(run.costs), len(run.platforms), len(answered)}
    if len(lengths) != 1:
        raise MetricError(f"the columns of a run differ in length: {sorted(lengths)}")
    if not limit > 0:
        raise MetricError(f"limit must be more than 0, not {limit}")
    groups: dict[str, list[_Attempt]] = {}
    for success, cost, platform, there in zip(
        run.successes, run.costs, run.platforms, answered, strict=True
    ):
        if platform is None:
            raise MetricError("a task has no platform")
        if success and not there:
            raise MetricError(f"a task without an episode has the success {success}")
        groups.setdefault(platform, []).append(_Attempt(success, cost, there))
    return groups


def _was_run(attempt: _Attempt) -> bool:
    return attempt.answered


def _episode(attempt: _Attempt, limit: float) -> efficiency.Episode:
    cost = limit if attempt.cost is None or not attempt.answered else attempt.cost
    return efficiency.Episode(float(attempt.success), min(cost, limit))


def _rate(episodes: Sequence[efficiency.Episode], limit: float) -> Rate:
    areas: dict[Reading, float] = {
        reading: area(episodes, limit) for reading, area in READINGS.items()
    }
    return Rate(efficiency.success_rate(episodes), areas, len(episodes))


# ---- from level to level -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loss:
    """One line of the table of what is lost (MMBench-GUI Table 9).

    Attributes:
        name: What the line is of, such as `L4, 15 steps`.
        sr: Its success rate.
        eqa: Its EQA.
        sr_lost: How much lower the success rate is than in the line before (Delta SR); below 0
            it is higher. None in the first line.
        eqa_lost: The same of EQA (Delta EQA).
        ratio: EQA/SR, the part of the success rate that is left once steps count; None where
            nothing succeeded.
        gap: SR-EQA, what the steps cost.
    """

    name: str
    sr: float
    eqa: float
    sr_lost: float | None
    eqa_lost: float | None
    ratio: float | None
    gap: float


def losses(rates: Mapping[str, Rate], *, reading: Reading = "exact") -> tuple[Loss, ...]:
    """Say what is lost from each line to the next: from L3 to L4, or from one limit to another.

    Args:
        rates: Averages or platforms by name, in the order in which they are compared.
        reading: Which EQA.

    Raises:
        MetricError: There are no rates, or no such reading.

    >>> l3, l4 = Rate(0.5, {"exact": 0.4}, 4), Rate(0.25, {"exact": 0.125}, 4)
    >>> losses({"L3": l3, "L4": l4})[1]
    Loss(name='L4', sr=0.25, eqa=0.125, sr_lost=0.25, eqa_lost=0.275, ratio=0.5, gap=0.125)
    """
    if not rates:
        raise MetricError("there is nothing to compare")
    if any(reading not in rate.eqa for rate in rates.values()):
        raise MetricError(f"there is no reading {reading!r} of EQA in every rate")
    pairs = [(None, next(iter(rates.values()))), *pairwise(rates.values())]
    return tuple(
        Loss(
            name=name,
            sr=rate.sr,
            eqa=rate.eqa[reading],
            sr_lost=None if before is None else before.sr - rate.sr,
            eqa_lost=None if before is None else before.eqa[reading] - rate.eqa[reading],
            ratio=efficiency.efficiency_ratio(eqa=rate.eqa[reading], sr=rate.sr),
            gap=efficiency.efficiency_gap(eqa=rate.eqa[reading], sr=rate.sr),
        )
        for name, (before, rate) in zip(rates, pairs, strict=True)
    )


def reading_of(report: Report, options: Options) -> Reading:
    """Return which EQA a report is quoted by: what is asked for, else its protocol's."""
    own: Reading | None = next((one for one in READINGS if one == report.provenance.protocol), None)
    return options.reading or own or "exact"


def losses_table(title: str, lines: Sequence[Loss], reading: Reading, note: str = "") -> Table:
    """Lay out what is lost from line to line.

    Args:
        title: What the lines are of.
        lines: In order.
        reading: Which EQA they are by.
        note: What a reader must know.
    """
    return Table(
        title,
        (
            Column("run", Kind.TEXT),
            Column("SR"),
            Column(f"EQA, {reading}"),
            Column("SR lost", Kind.POINTS),
            Column("EQA lost", Kind.POINTS),
            Column("EQA/SR"),
            Column("SR \N{MINUS SIGN} EQA", Kind.POINTS),
        ),
        tuple(
            (one.name, one.sr, one.eqa, one.sr_lost, one.eqa_lost, one.ratio, one.gap)
            for one in lines
        ),
        "MMBench-GUI Table 9",
        note,
    )
