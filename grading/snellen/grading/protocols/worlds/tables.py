"""Tables of episodes: success and EQA by what the tasks are, and what the episodes took.

EQA is MMBench-GUI's (Wang et al., 2025, section 3, Eq. 7 to 12), over limits that may differ from
task to task; the arithmetic is in `snellen.grading.metrics.eqa`. Values are 0..1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from snellen.grading.errors import MetricError
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.models.reports import Report
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import AnswerValue
from snellen.grading.protocols.summaries import (
    DEFAULT,
    Cells,
    Joint,
    Options,
    Summaries,
    metric_values,
)
from snellen.grading.protocols.worlds.automation import (
    READINGS,
    Rate,
    Reading,
    losses,
    losses_table,
    reading_of,
)
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table

FEASIBLE = "feasible"
"""The tag that says `no` of a task that can't be done."""

_SOURCE = "ours; EQA as MMBench-GUI Eq. 7 to 12"


class Record(NamedTuple):
    """What is known of an episode of one task, in one attempt."""

    success: float  # 0..1
    limit: float | None  # how many steps it might take; None: nobody says
    there: bool = False  # whether there is an episode
    steps: float | None = None  # how many it took
    seconds: float | None = None  # how long it was open, the agent's thinking included
    image_tokens: float | None = None  # what its screenshots cost a model, estimated


@dataclass(frozen=True, slots=True)
class Part:
    """The tasks that have one value of a tag, or all of them.

    Attributes:
        name: The value.
        tasks: How many there are.
        value: Their mean success.
        eqa: The area under their recall, by reading; empty where a limit is not known.
        steps: The mean of the steps that their episodes took; None: no episode says.
    """

    name: str
    tasks: int
    value: float
    eqa: Mapping[Reading, float]
    steps: float | None

    @property
    def rate(self) -> Rate:
        """It as a line of the table of what is lost from level to level."""
        return Rate(self.value, self.eqa, self.tasks)


@dataclass(frozen=True, slots=True)
class Spent:
    """What some episodes took."""

    name: str
    episodes: int
    steps: "Amounts"  # what they took in steps
    seconds: "Amounts"  # what they took in seconds
    image_tokens: "Amounts"  # what their screenshots cost


class Amounts(NamedTuple):
    """What episodes took of one thing."""

    total: float  # the sum over those that say
    known: int  # how many say

    @property
    def mean(self) -> float | None:
        """The mean over those that say; None: none does."""
        return self.total / self.known if self.known else None


@dataclass(frozen=True, slots=True)
class Episodes:
    """The episodes of a task.

    Attributes:
        wholes: All tasks; where some can't be done, those that can and those that can't before it.
        by: The tasks that can be done by each tag.
        spent: What all episodes took, those that succeeded and those that failed.
        reading: Which EQA they are quoted by; None: none of those that there are.
    """

    wholes: Sequence[Part]
    by: Mapping[str, Sequence[Part]]
    spent: Sequence[Spent]
    reading: Reading | None


def episodes_of(
    attempts: Sequence[Sequence[Record]],
    tags: Mapping[str, TagColumn],
    by: Sequence[str],
    reading: Reading | None,
) -> Episodes:
    """Add episodes up.

    A task without an episode failed and used up its limit. Tasks that can't be done are set apart:
    an agent that says so of every task succeeds at them.

    Args:
        attempts: Each attempt's records, one a task, in the data's order.
        tags: Each task's tags.
        by: The tags to break down by; those that the tasks lack are left out.
        reading: Which EQA to quote; None: none.

    Raises:
        MetricError: There is no attempt or no task, or columns differ in length.
    """
    lengths = {len(each) for each in attempts} | {len(column) for column in tags.values()}
    if len(lengths) != 1 or 0 in lengths or not attempts:
        raise MetricError(f"the episodes and tags of tasks differ in length: {sorted(lengths)}")
    every = range(lengths.pop())
    feasible = [index for index in every if tags.get(FEASIBLE, ["yes"] * len(every))[index] != "no"]
    wholes = [_part("all", attempts, every)]
    if 0 < len(feasible) < len(every):
        rest = sorted(set(every) - set(feasible))
        wholes = [
            _part("can be done", attempts, feasible),
            _part("can't be done", attempts, rest),
            *wholes,
        ]
    return Episodes(
        wholes=wholes,
        by={
            tag: [
                _part(name, attempts, [index for index in feasible if tags[tag][index] == name])
                for name in dict.fromkeys(tags[tag][index] for index in feasible)
                if name is not None
            ]
            for tag in by
            if tag in tags and tag != FEASIBLE
        },
        spent=_all_spent([record for attempt in attempts for record in attempt if record.there]),
        reading=reading,
    )


def _part(name: str, attempts: Sequence[Sequence[Record]], indexes: Sequence[int]) -> Part:
    chosen = [[attempt[index] for index in indexes] for attempt in attempts]
    steps = [one.steps for run in chosen for one in run if one.there and one.steps is not None]
    areas: dict[Reading, float] = {}
    if all(one.limit is not None for run in chosen for one in run):
        # As elsewhere, EQA is the mean of the attempts' own.
        played = [[_episode(one) for one in run] for run in chosen]
        areas = {
            reading: fmean(area(run, None) for run in played) for reading, area in READINGS.items()
        }
    value = math.fsum(one.success for run in chosen for one in run) / (len(indexes) * len(chosen))
    return Part(name, len(indexes), value, areas, fmean(steps) if steps else None)


def _episode(record: Record) -> Episode:
    limit = record.limit or 1.0
    charged = limit if record.steps is None or not record.there else max(record.steps, 1.0)
    return Episode(record.success, min(charged, limit), limit)


def _all_spent(records: Sequence[Record]) -> list[Spent]:
    succeeded = [record for record in records if record.success == 1]
    failed = [record for record in records if record.success != 1]
    lines = (("all", records), ("succeeded", succeeded), ("failed", failed))
    return [_spent(name, some) for name, some in lines if some]


def _spent(name: str, records: Sequence[Record]) -> Spent:
    return Spent(
        name,
        len(records),
        _amounts([record.steps for record in records]),
        _amounts([record.seconds for record in records]),
        _amounts([record.image_tokens for record in records]),
    )


def _amounts(given: Sequence[float | None]) -> Amounts:
    known = [amount for amount in given if amount is not None]
    return Amounts(math.fsum(known), len(known))


# ---- laid out ----------------------------------------------------------------------------------


def episodes_tables(task: str, metric: str, found: Episodes) -> tuple[Table, ...]:
    """Lay episodes out: the readings of EQA, what the episodes took, each tag.

    Args:
        task: The task's id.
        metric: The key of the success.
        found: The episodes.
    """
    return (
        *([_wholes_table(task, metric, found)] if found.reading else []),
        *([_spent_table(task, found)] if found.spent else []),
        *(_part_table(task, metric, tag, found) for tag in found.by),
    )


def _wholes_table(task: str, metric: str, found: Episodes) -> Table:
    return Table(
        f"{task}, success and EQA",
        (
            Column("tasks that", Kind.TEXT),
            Column(metric),
            *(Column(f"EQA, {reading}") for reading in READINGS),
            Column("tasks", Kind.COUNT),
        ),
        tuple(
            (one.name, one.value, *(one.eqa.get(reading) for reading in READINGS), one.tasks)
            for one in found.wholes
        ),
        _SOURCE,
    )


def _spent_table(task: str, found: Episodes) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            f"mean of {'all episodes' if one.name == 'all' else f'those that {one.name}'}",
            *(amounts.mean for amounts in (one.steps, one.seconds, one.image_tokens)),
            one.episodes,
        )
        for one in found.spent
    ]
    whole = found.spent[0]
    kinds = {"steps": whole.steps, "seconds": whole.seconds, "image tokens": whole.image_tokens}
    totals = (amounts.total if amounts.known else None for amounts in kinds.values())
    rows.append(("total", *totals, whole.episodes))
    silent = [
        f"{whole.episodes - amounts.known:,} of the episodes do not say their {name}."
        for name, amounts in kinds.items()
        if amounts.known < whole.episodes
    ]
    return Table(
        f"{task}, what the episodes took",
        (
            Column("", Kind.TEXT),
            Column("steps", Kind.INDEX),
            Column("seconds", Kind.INDEX),
            Column("image tokens", Kind.COUNT),
            Column("episodes", Kind.COUNT),
        ),
        tuple(rows),
        "ours",
        " ".join(
            (
                "Seconds pass from the opening of a world to its end, the agent's thinking"
                " included.",
                *silent,
            )
        ),
    )


def _part_table(task: str, metric: str, tag: str, found: Episodes) -> Table:
    reading, parts = found.reading, found.by[tag]
    apart = len(found.wholes) > 1
    return Table(
        f"{task}, {metric} by {tag}",
        (
            Column(tag, Kind.TEXT),
            Column(metric),
            *([Column(f"EQA, {reading}")] if reading else []),
            Column("steps", Kind.INDEX),
            Column("tasks", Kind.COUNT),
        ),
        tuple(
            (
                one.name,
                one.value,
                *([one.eqa.get(reading)] if reading else []),
                one.steps,
                one.tasks,
            )
            for one in parts
        ),
        _SOURCE if reading else "ours",
        "Only tasks that can be done." if apart else "",
    )


# ---- Reports -------------------------------------------------------------------------------------

_EQA = "eqa"


def summaries() -> Summaries:
    """Return how reports of tasks that are acted in here are summarized."""
    return Summaries(
        {
            "desk/l3": played,
            "desk/l4": played,
            "miniwob/episode": played_on_pages,
        },
        (Joint(("desk/l3", "desk/l4"), from_level_to_level),),
        printed=False,
    )


def played(cells: Cells, _: Options) -> Summary:
    """Summarize episodes whose tasks have limits of their own; attempts are averaged."""
    return _summary(cells, reading_of(cells.report, DEFAULT))


def played_on_pages(cells: Cells, _: Options) -> Summary:
    """Summarize episodes of MiniWoB++: whether one counts, and so its EQA, is the protocol's."""
    return _summary(cells, None)


def from_level_to_level(levels: Sequence[Cells], _: Options) -> Summary:
    """Say what is lost from tasks in one application to tasks across several."""
    lower, upper = sorted((cells.report for cells in levels), key=lambda report: report.task)
    reading = reading_of(lower, DEFAULT)
    rates = {
        name: Rate(report.value, {reading: report.metrics[_EQA].value}, report.provenance.items)
        for name, report in (("L3", lower), ("L4", upper))
    }
    found = losses(rates, reading=reading)
    same = reading_of(upper, DEFAULT) == reading
    benchmark = lower.task.partition("/")[0]
    note = "" if same else "The protocols differ, and so does what their EQA is."
    table = losses_table(f"{benchmark}, what is lost from L3 to L4", found, reading, note)
    return Summary(benchmark, found, (table,), ())


def _summary(cells: Cells, reading: Reading | None) -> Summary:
    report = cells.report
    found = episodes_of(_attempts(cells), cells.item_tags, cells.by, reading)
    return Summary(
        task=report.task,
        result=found,
        tables=episodes_tables(report.task, report.numbers.primary, found),
        values=(*metric_values(report), *_values(report, found)),
    )


def _values(report: Report, found: Episodes) -> list[PartValue]:
    parts = [*found.wholes[:-1], *(part for parts in found.by.values() for part in parts)]
    values: list[PartValue] = []
    for part in parts:
        key = report.numbers.primary
        values.append(PartValue(report.task, key, part.name, part.value, part.tasks))
        area = None if found.reading is None else part.eqa.get(found.reading)
        if area is not None:
            values.append(PartValue(report.task, _EQA, part.name, area, part.tasks))
    return values


def _attempts(cells: Cells) -> list[list[Record]]:
    """Return each attempt's records, item by item."""
    limits = cells.tag_if_there("steps") or [None] * len(cells.values)
    rows = [
        _record(value, answer, None if limit is None else float(limit.split()[0]))
        for value, answer, limit in zip(cells.values.tolist(), cells.answers, limits, strict=True)
    ]
    return [rows[slot :: cells.attempts] for slot in range(cells.attempts)]


def _record(success: float, answer: AnswerValue | None, limit: float | None) -> Record:
    if answer is None:
        return Record(success, limit)
    return Record(
        success=success,
        limit=limit or answer.limit,
        there=True,
        steps=answer.cost,
        seconds=answer.seconds,
        image_tokens=answer.image_tokens,
    )
