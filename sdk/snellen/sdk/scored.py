"""A report with its scores, its items and references, and the items' tags."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from pydantic import PrivateAttr

from snellen.grading.breakdown import break_down, cluster_codes, strata_of
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.grade import Answers
from snellen.grading.models import estimates, reports
from snellen.grading.models.estimates import Interval
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import FloatArray, IntArray
from snellen.grading.score_table import ScoreTable
from snellen.grading.table import Printable, Table
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.tags import ITEM

if TYPE_CHECKING:
    from snellen.grading.metrics.efficiency import Episode
    from snellen.grading.protocols.grid import Grid, GridItems
    from snellen.grading.stats.bootstrap import Method


class Breakdown(Printable, estimates.Breakdown):
    """A metric by the values of a tag, which prints as a table."""

    def pieces(self) -> Iterator[Table | str]:
        """Yield the table of the cells, and how many items they cover."""
        from snellen.grading.report.render import breakdown_table, coverage

        yield breakdown_table(self)
        yield coverage(self)


class ScoredReport(reports.Report):
    """A report whose numbers can be read by item, by tag and by group.

    `Report` adds methods that compare, draw and save it. Their functions take this class.
    """

    _table: ScoreTable | None = PrivateAttr(default=None)
    _intake: Intake | None = PrivateAttr(default=None)
    _tags: Mapping[str, TagColumn] = PrivateAttr(default_factory=dict[str, TagColumn])

    @classmethod
    def of(
        cls,
        report: reports.Report,
        table: ScoreTable | None,
        intake: Intake | None,
        tags: Mapping[str, TagColumn],
    ) -> Self:
        """Return a report with its scores, its items and references, and the items' tags."""
        made = cls(
            numbers=report.numbers,
            provenance=report.provenance,
            input=report.input,
        )
        # Kept for regrading and for pages; private, because it leads to the references.
        made._table = table
        made._intake = intake
        made._tags = tags
        return made

    @property
    def scores(self) -> ScoreTable:
        """One score per item and attempt, in the order of the items; created on access.

        Raises:
            InputError: The report was made with keep_scores=False.
        """
        if self._table is None:
            raise InputError("the scores were not kept: grade with keep_scores=True")
        return self._table

    @property
    def has_scores(self) -> bool:
        """Whether the scores were kept."""
        return self._table is not None

    @property
    def model(self) -> str | None:
        """The model: the one that snellen ran, or the one that all submissions name."""
        if self.provenance.run is not None:
            return self.provenance.run.model
        batches = () if self._table is None else self._table.answers()
        named = {model for answers in batches for model in _named(answers)}
        return named.pop() if len(named) == 1 else None

    @property
    def tags(self) -> Mapping[str, TagColumn]:
        """The items' tags: one column per tag, in the items' order."""
        return self._tags

    def item_values(self, metric: str | None = None) -> FloatArray:
        """Return each item's mean over its attempts, in the items' order.

        Args:
            metric: The metric's key; the primary one when None.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such metric, or it is not a mean over items.
        """
        key = metric or self.numbers.primary
        table = self.scores
        if key not in table.keys:
            raise UnknownNameError(
                f"metric with a value for each item of {self.task}", key, table.keys
            )
        column = table.columns().values[:, table.keys.index(key)]
        return column.reshape(len(table.ids), len(table.attempts)).mean(axis=1)

    def item_measures(self, measure: str) -> FloatArray:
        """Return each item's mean of a measure over its attempts that state it, else NaN.

        Raises:
            InputError: The report kept no scores.
        """
        table = self.scores
        stated = np.array([score.measures.get(measure, np.nan) for score in table])
        by_item = stated.reshape(len(table.ids), len(table.attempts))
        counts = np.isfinite(by_item).sum(axis=1)
        return np.where(counts, np.nansum(by_item, axis=1) / np.maximum(counts, 1), np.nan)

    def clusters(self, tag: str | None = None) -> IntArray | None:
        """Number the independent groups of the items; None if each item is its own group.

        Args:
            tag: The tag whose values are the groups; `numbers.clustered_by` when None.
        """
        name = tag or self.numbers.clustered_by
        return None if name == ITEM else cluster_codes(self._column(name))

    def by(self, tag: str, *more: str, metric: str | None = None, least: int = 1) -> Breakdown:
        """Break a metric down by a tag, or by several tags crossed.

        Items of a stratified sample are weighted by the number of items that they represent.

        Args:
            tag: One of `tags`.
            more: Further tags to cross it with.
            metric: The metric's key; the primary one when None.
            least: Cells with fewer items are blanked: they have a count, but no number.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such tag or metric.
        """
        names = (tag, *more)
        found = break_down(
            self.item_values(metric),
            {name: self._column(name) for name in names},
            metric=metric or self.numbers.primary,
            clusters=self.clusters(),
            weights=self._weights(),
            least=least,
        )
        return Breakdown.model_validate(found.model_dump())

    def grid(
        self,
        rows: str = "dimension",
        columns: str = "level",
        metric: str | None = None,
        *,
        least: int = 10,
    ) -> "Grid":
        """Cross two tags: a metric by cell, row and column, each with its interval.

        Items of a stratified sample are weighted by the number of items that they represent.

        Args:
            rows: One of `tags`.
            columns: Another one.
            metric: The metric's key; the primary one when None.
            least: Cells with fewer items are blanked, and so are those with too few groups.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such tag or metric.
            MetricError: The two tags are the same, or no item has both.
        """
        from snellen.grading.protocols.grid import make_grid

        tags = {name: self._column(name) for name in (rows, columns)}
        items = self.grid_items(metric)
        return make_grid(items, tags, metric=metric or self.numbers.primary, least=least)

    def grid_items(self, metric: str | None = None) -> "GridItems":
        """Return the data of a grid: the items' values, independent groups and weights.

        Args:
            metric: The metric's key; the primary one when None.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such metric.
        """
        from snellen.grading.protocols.grid import GridItems

        return GridItems(
            values=self.item_values(metric),
            clusters=self.clusters(),
            weights=self._weights(),
            clustered_by=self.numbers.clustered_by,
        )

    def bootstrap(
        self,
        metric: str | None = None,
        *,
        method: "Method" = "percentile",
        draws: int = 10_000,
        seed: int = 0,
        level: float = 0.95,
    ) -> Interval:
        """Return a metric's bootstrap interval, drawn by the report's independent groups.

        `numbers.estimates` has the interval to quote; the bootstrap assumes less and takes longer.
        For a stratified sample with different weights, `numbers.population` has the only interval.

        Args:
            metric: The metric's key; the primary one when None.
            method: `percentile`, `bca` (corrected for bias and skew) or `t`.
            draws: The number of resamples.
            seed: The same seed gives the same interval.
            level: The confidence level.

        Raises:
            InputError: The report kept no scores, or its items are a stratified sample with
                different weights.
            UnknownNameError: There is no such metric.
            MetricError: There are fewer than two independent groups.
        """
        weights = self._weights()
        if weights is not None and weights.max() > weights.min():
            raise InputError(
                "the items are a stratified sample and stand for different numbers of items, which"
                " the bootstrap ignores; use numbers.population[metric].interval"
            )
        from snellen.grading.stats.bootstrap import bootstrap_mean

        return bootstrap_mean(
            self.item_values(metric),
            self.clusters(),
            draws=draws,
            seed=seed,
            level=level,
            method=method,
        )

    def _weights(self) -> FloatArray | None:
        """Return the number of items that each item represents; None if they are not a sample."""
        sample = self.provenance.sample
        return None if sample is None else strata_of(sample, self._tags).weights

    def _column(self, tag: str) -> TagColumn:
        try:
            return self._tags[tag]
        except KeyError:
            raise UnknownNameError("tag of these items", tag, self._tags) from None


def _named(answers: Answers) -> Iterator[str | None]:
    """Yield the model of each answer; None for missing answers of a loaded report."""
    count = len(answers.responses)
    models, errors = answers.models or [None] * count, answers.errors or [None] * count
    for model, response, error in zip(models, answers.responses, errors, strict=True):
        if model is not None or response is not None or error is not None:
            yield model


def episodes_of(report: ScoredReport) -> Iterator[tuple[int, "Sequence[Episode]"]]:
    """Yield each attempt and its episodes, item by item, if EQA is an area under their recall."""
    from snellen.grading.grade import read_response
    from snellen.grading.protocols.table import protocol_of

    intake, protocol = intake_of(report), protocol_of(report.task, report.provenance.protocol)
    if protocol.metric.episodes is None or intake is None:
        return
    table = report.scores
    for slot, attempt in enumerate(table.attempts):
        responses = [table[cell].response for cell in range(slot, len(table), len(table.attempts))]
        runs = [read_response(protocol, response).answer for response in responses]
        if episodes := protocol.metric.episodes(intake.selection.golds, runs):
            yield attempt, episodes


def intake_of(report: ScoredReport) -> Intake | None:
    """Return the intake of a report; None if it was loaded without data."""
    return report._intake  # pyright: ignore[reportPrivateUsage]  # the one place that reads it
