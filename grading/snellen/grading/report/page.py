"""Page: the content of a report's page, as plain data.

Shares and metric values lie in 0..1. The page omits a section whose field is empty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from snellen.grading.metrics.robustness import robustness_index
from snellen.grading.models.estimates import Breakdown, Estimate, Interval
from snellen.grading.models.reports import Report
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.grid import Grid
from snellen.grading.table import Table


class ProtocolValue(NamedTuple):
    """The value of the same answers under another protocol of the task.

    Attributes:
        name: The protocol's id.
        metric: Its primary metric.
        value: That metric over all items.
        unparsed: The number of answers that it could not read.
        printed: The number that the published code would print; None: it crashes on an answer.
        eqa: The EQA of its episodes; None without one.
        own_scale: The number that the published code prints, if it is on a scale of its own.
    """

    name: str
    metric: str
    value: float
    unparsed: int
    printed: float | None = None
    eqa: float | None = None
    own_scale: float | None = None


class PartShare(NamedTuple):
    """The share of one part of a protocol in a difference, and the part's name on both sides."""

    part: str
    share: float
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two protocols on the same answers, as published."""

    first: str  # the first protocol
    second: str  # the second protocol
    metric: str  # the metric, or both separated by a slash
    first_value: float  # the value under the first protocol
    second_value: float  # the value under the second protocol
    shares: tuple[PartShare, ...]  # one share per part; they add up to the difference
    note: str = ""  # a note for the reader


class CalibrationKind(StrEnum):
    """The kind of a mark on the calibration line."""

    RUN = "this run"
    CHANCE = "chance"
    RATERS = "raters"
    PUBLISHED = "published"


class CalibrationRow(NamedTuple):
    """One mark on the calibration line: its label, its value and its source."""

    label: str
    value: float
    kind: CalibrationKind
    source: str = ""
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A metric before and after a change of the pages."""

    label: str  # the change, or the task
    before: Estimate  # the metric on the original pages
    after: Estimate  # the metric on the changed pages
    difference: Estimate | None = None  # after - before, paired by page; None if unknown

    @property
    def gap(self) -> float:
        """The gain, after - before; negative if the change lowered the metric."""
        return self.after.value - self.before.value

    @property
    def resilience(self) -> float:
        """R = (20 - |gap in points|) * 5; 100 means no change (WebRSSBench Fig. 2)."""
        return robustness_index(self.gap)


class CurvePoint(NamedTuple):
    """A point where the recall curve starts, jumps or ends; the curve is flat to its right."""

    budget: float
    recall: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of the tasks solved against the share of the budget spent (MMBench-GUI Eq. 7-12).

    Attributes:
        points: The points in order, from budget 0 to 1.
        areas: The areas under it by the name of the metric, such as `eqa`.
        success_rate: The recall at its end.
        episodes: The number of tasks.
        attempt: The attempt, if there are several.
    """

    points: tuple[CurvePoint, ...]
    areas: Mapping[str, float]
    success_rate: float
    episodes: int
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class FailureCount:
    """The number of answers with one failure tag, its meaning, and its advice."""

    tag: str
    count: int
    sentence: str
    advice: str


class ItemRow(NamedTuple):
    """One item in one attempt.

    Attributes:
        item_id: The item's id.
        attempt: The attempt's number.
        outcome: The outcome.
        values: One value per metric, in the order of `ItemList.metrics`.
        question: The question; empty if unknown.
        answer: The response as text, or as JSON if it is not text; None without a response.
        parsed: The parsed answer, if it differs from the response.
        reference: The reference; None unless the page shows references.
        note: The parser's guess, or the reason why it could not read the response.
        error: The reason why there is no answer.
        crashed: Whether the published code raises on it.
        failures: The failure tags, as indices into the page's `failures`.
        tags: One value per tag, in the order of `ItemList.tags`.
        image: The thumbnail, as an index into `ItemList.images`; None if there is none.
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


class Thumbnail(NamedTuple):
    """A small encoded image; `media` is its media type, such as `image/webp`."""

    data: bytes
    media: str


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items, in any order: the page sorts them."""

    rows: Sequence[ItemRow] = ()  # one row per item and attempt
    metrics: tuple[str, ...] = ()  # the keys of the rows' values; the rows are sorted by the first
    tags: tuple[str, ...] = ()  # the names of the rows' tags
    images: Sequence[Thumbnail] = ()  # thumbnails; several rows may share one
    left_out: int = 0  # the number of rows without an image because the budget was used up
    unreadable: int = 0  # the number of rows without an image because it could not be read
    with_references: bool = False  # whether the rows contain references


@dataclass(frozen=True, slots=True)
class Page:
    """The content of the page of one report.

    Attributes:
        report: The report.
        title: A one-line description of the task.
        breakdowns: The primary metric by tag.
        heat_map: The primary metric by two crossed tags.
        not_broken_down: Tags with fewer than two values to show, or too many.
        alternatives: The task's other protocols on the same answers.
        differences: The reasons for the differences between the protocols.
        calibration: The number among other numbers.
        changes: The metric before and after changes of the pages.
        curves: Recall against budget, one curve per attempt.
        failures: The failure tags of the answers.
        failed: The number of item-attempts below the best score.
        summaries: The tables of the benchmark's paper for the task, or the task's own tables.
        printed: Whether a paper prints such tables.
        no_summary: The reason why there are none although the task defines some.
        published: The run next to published numbers, then all published numbers.
        item_list: The items.
        site: The pages that it leads back to, as addresses and names; empty: it stands alone.
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
    site: tuple[tuple[str, str], ...] = ()
