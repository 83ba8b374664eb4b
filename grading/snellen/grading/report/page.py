"""Page: everything that a report's page shows, as plain data that can be made by hand.

Shares and metric values lie in 0..1; a section whose field is empty is left out of the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from snellen.grading.metrics.robustness import robustness_index
from snellen.grading.models.estimates import Breakdown, Estimate, Interval
from snellen.grading.models.reports import Report
from snellen.grading.models.scores import Outcome
from snellen.grading.table import Table
from snellen.grading.tables.matrix import Grid


class ProtocolValue(NamedTuple):
    """What another protocol of the task makes of the same answers, with nothing asked again.

    Attributes:
        name: The protocol's id.
        metric: Its primary metric.
        value: That metric over all items.
        unparsed: How many answers it could not read.
        printed: What the published code would print; None: one of the answers ends its run.
    """

    name: str
    metric: str
    value: float
    unparsed: int
    printed: float | None = None


class PartShare(NamedTuple):
    """What one part of a protocol adds to a difference, and what the part is on either side."""

    part: str
    share: float
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Why two protocols give the same answers different numbers, as published.

    Attributes:
        first: The protocol that the difference starts from.
        second: The protocol that it leads to.
        metric: The metric, or both separated by a slash.
        first_value: The first's number.
        second_value: The second's.
        shares: One a part; they add up to the difference.
        note: What a reader must know.
    """

    first: str
    second: str
    metric: str
    first_value: float
    second_value: float
    shares: tuple[PartShare, ...]
    note: str = ""


class CalibrationKind(StrEnum):
    """What a mark on the calibration line stands for."""

    RUN = "this run"
    CHANCE = "chance"
    RATERS = "raters"
    PUBLISHED = "published"


class CalibrationRow(NamedTuple):
    """One mark on the calibration line: whose value it is, and where it was printed."""

    label: str
    value: float
    kind: CalibrationKind
    source: str = ""
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A metric before and after something was changed in the pages.

    Attributes:
        label: What was changed, or the task.
        before: On the pages as they were.
        after: On the changed ones.
        difference: after - before, paired by page; None where it is not known.
    """

    label: str
    before: Estimate
    after: Estimate
    difference: Estimate | None = None

    @property
    def gap(self) -> float:
        """How far the metric rose, after - before; negative where the change did harm."""
        return self.after.value - self.before.value

    @property
    def resilience(self) -> float:
        """R = (20 - |gap in points|) * 5, 100 where nothing changed (WebRSSBench Fig. 2)."""
        return robustness_index(self.gap)


class CurvePoint(NamedTuple):
    """Where the recall curve starts, jumps or ends; it is flat to the right of each point."""

    budget: float
    recall: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of the tasks solved against the share of the budget spent (MMBench-GUI Eq. 7-12).

    Attributes:
        points: In order, from budget 0 to 1.
        areas: Areas under it by the name of the metric, such as `eqa`.
        success_rate: Where it ends.
        episodes: How many tasks.
        attempt: Which attempt, where there are several.
    """

    points: tuple[CurvePoint, ...]
    areas: Mapping[str, float]
    success_rate: float
    episodes: int
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How many answers one rule tags, what that means, and what to do next."""

    tag: str
    count: int
    sentence: str
    advice: str


class ItemRow(NamedTuple):
    """One item in one attempt.

    Attributes:
        item_id: The item's id.
        attempt: The attempt's number.
        outcome: What became of it.
        values: One value a metric, in the order of `ItemList.metrics`.
        question: What was asked; empty where it is not known.
        answer: The response as text, or as JSON where it is none; None where there is none.
        parsed: What was read in it, where that differs from the answer.
        reference: What is right; None unless the page was asked to show it.
        note: What the parser had to guess, or why it read nothing.
        error: Why there is no answer.
        crashed: Whether the published code raises on it.
        failures: The failure tags, as indices into the page's `failures`.
        tags: One value a tag, in the order of `ItemList.tags`.
        image: The thumbnail, as an index into `ItemList.images`; None where there is none.
        film: Where its filmstrip is, as a relative link; empty where there is none.
    """

    item_id: str
    attempt: int
    outcome: Outcome
    values: tuple[float, ...]
    question: str = ""
    answer: str | None = None
    parsed: str | None = None
    reference: str | None = None
    note: str = ""
    error: str | None = None
    crashed: bool = False
    failures: tuple[int, ...] = ()
    tags: tuple[str | None, ...] = ()
    image: int | None = None
    film: str = ""


class Thumbnail(NamedTuple):
    """A small picture, encoded; `media` is its type, such as `image/webp`."""

    data: bytes
    media: str


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items, in any order: the page sorts them.

    Attributes:
        rows: One an item and attempt.
        metrics: The keys of the rows' values; the first is the one that is sorted by.
        tags: The names of the rows' tags.
        images: Thumbnails; several rows may share one.
        left_out: How many rows have no picture because the budget was spent.
        unreadable: How many have none because it could not be read.
        with_references: Whether the rows hold references.
    """

    rows: Sequence[ItemRow] = ()
    metrics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    images: Sequence[Thumbnail] = ()
    left_out: int = 0
    unreadable: int = 0
    with_references: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """All that the page of one report shows.

    Attributes:
        report: Its report.
        title: What the task asks, in a line.
        breakdowns: The primary metric by tag.
        heat_map: The primary metric by two tags crossed.
        not_broken_down: Tags that would show fewer than two values, or too many.
        alternatives: The task's other protocols on the same answers.
        differences: Why they give other numbers.
        calibration: The number among others.
        changes: Before and after.
        curves: Recall against budget, one an attempt.
        failures: Why answers fell short, by rule.
        failed: How many item-attempts fell short of the best score.
        summaries: What the benchmark's paper prints of the task, or tables of its own.
        printed: Whether it is a paper that prints such tables.
        no_summary: Why there are none, where the task has some.
        published: The run beside printed numbers, then every printed number.
        item_list: The items.
    """

    report: Report
    title: str = ""
    breakdowns: tuple[Breakdown, ...] = ()
    heat_map: Grid | None = None
    not_broken_down: tuple[str, ...] = ()
    alternatives: tuple[ProtocolValue, ...] = ()
    differences: tuple[Difference, ...] = ()
    calibration: tuple[CalibrationRow, ...] = ()
    changes: tuple[Change, ...] = ()
    curves: tuple[Curve, ...] = ()
    failures: tuple[FailureCount, ...] = ()
    failed: int = 0
    summaries: tuple[Table, ...] = ()
    printed: bool = True
    no_summary: str = ""
    published: tuple[Table, ...] = ()
    item_list: ItemList = ItemList()
