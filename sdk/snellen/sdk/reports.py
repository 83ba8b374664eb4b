"""A report that keeps its scores: it can be saved, read by tags and compared."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import PrivateAttr

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models import reports
from snellen.grading.models.estimates import Breakdown, Interval
from snellen.grading.report.render import RENDERERS
from snellen.sdk.files import write_atomically
from snellen.sdk.tagging import ITEM

if TYPE_CHECKING:
    from snellen.grading.audit import CoordinateAudit
    from snellen.grading.models.tags import TagColumn
    from snellen.grading.protocols.base import FloatArray, IntArray
    from snellen.grading.score_table import ScoreTable
    from snellen.grading.stats.bootstrap import Method
    from snellen.grading.tables.matrix import Grid
    from snellen.grading.tables.mmbench_gui_online import Missing, Reading
    from snellen.grading.tables.summary import Summary
    from snellen.sdk.comparison import Comparison
    from snellen.sdk.intake import Intake
    from snellen.sdk.thumbnails import ThumbnailBudget
    from snellen.tasks.published.beside import Beside

PAGE = ".html"
"""The ending of a report's page."""


class Report(reports.Report):
    """What `sdk.grade` returns: the numbers, the scores behind them, and how to read both."""

    _table: "ScoreTable | None" = PrivateAttr(default=None)
    _intake: "Intake | None" = PrivateAttr(default=None)
    _tags: "Mapping[str, TagColumn]" = PrivateAttr(default_factory=dict)

    @property
    def scores(self) -> "ScoreTable":
        """One score an item and attempt, in the order of the items; made when asked for.

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
        """Who answered: the model that snellen asked, or the one that all submissions name."""
        if self.run is not None:
            return self.run.model
        batches = () if self._table is None else self._table.answers()
        named = {model for answers in batches for model in answers.models or (None,)}
        return named.pop() if len(named) == 1 else None

    @property
    def tags(self) -> "Mapping[str, TagColumn]":
        """What the items can be grouped by: a column a tag, in the items' order."""
        return self._tags

    def item_values(self, metric: str | None = None) -> "FloatArray":
        """Return each item's mean over its attempts, in the items' order.

        Args:
            metric: The metric's key; the primary one when None.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such metric, or it is no mean over items.
        """
        key = metric or self.primary
        table = self.scores
        if key not in table.keys:
            raise UnknownNameError(
                f"metric with a value for each item of {self.task}", key, table.keys
            )
        column = table.columns().values[:, table.keys.index(key)]
        return column.reshape(len(table.ids), len(table.attempts)).mean(axis=1)

    def clusters(self, tag: str | None = None) -> "IntArray | None":
        """Number the independent groups that the items form; None where each is its own.

        Args:
            tag: The tag whose values are the groups; `clustered_by` when None.
        """
        from snellen.grading.breakdown import cluster_codes

        name = tag or self.clustered_by
        return None if name == ITEM else cluster_codes(self._column(name))

    def by(self, tag: str, *more: str, metric: str | None = None, least: int = 10) -> Breakdown:
        """Break a metric down by a tag, or by several tags crossed.

        Where the items are a stratified sample, each counts as often as it stands for.

        Args:
            tag: One of `tags`.
            more: Further tags to cross it with.
            metric: The metric's key; the primary one when None.
            least: Cells with fewer items are blanked: their count is given, no number.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such tag or metric.
        """
        from snellen.grading.breakdown import break_down

        names = (tag, *more)
        return break_down(
            self.item_values(metric),
            {name: self._column(name) for name in names},
            metric=metric or self.primary,
            clusters=self.clusters(),
            weights=self._weights(),
            least=least,
        )

    def grid(
        self,
        rows: str = "dimension",
        columns: str = "level",
        metric: str | None = None,
        *,
        least: int = 10,
    ) -> "Grid":
        """Cross two tags: a metric by cell, row and column, each with its interval.

        Where the items are a stratified sample, each counts as often as it stands for.

        Args:
            rows: One of `tags`.
            columns: Another.
            metric: The metric's key; the primary one when None.
            least: Cells with fewer items are blanked, as are those of too few independent groups.

        Raises:
            InputError: The report kept no scores.
            UnknownNameError: There is no such tag or metric.
            MetricError: The two tags are one, or no item has both.
        """
        from snellen.grading.tables.matrix import GridItems, make_grid

        tags = {name: self._column(name) for name in (rows, columns)}
        items = GridItems(
            values=self.item_values(metric),
            clusters=self.clusters(),
            weights=self._weights(),
            clustered_by=self.clustered_by,
        )
        return make_grid(items, tags, metric=metric or self.primary, least=least)

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

        `estimates` has the interval to quote; this one assumes less and takes longer. Of a
        stratified sample whose items stand for different numbers of items `population` has the
        only one.

        Args:
            metric: The metric's key; the primary one when None.
            method: `percentile`, `bca` (corrected for bias and skew) or `t`.
            draws: How many resamples.
            seed: The same seed gives the same interval.
            level: The confidence level.

        Raises:
            InputError: The report kept no scores, or its items are a stratified sample and stand
                for different numbers of items.
            UnknownNameError: There is no such metric.
            MetricError: There are fewer than two independent groups.
        """
        from snellen.grading.stats.bootstrap import bootstrap_mean

        weights = self._weights()
        if weights is not None and weights.max() > weights.min():
            raise InputError(
                "the items are a stratified sample and stand for different numbers of items, which"
                " the bootstrap does not weigh; population[metric].interval does"
            )
        return bootstrap_mean(
            self.item_values(metric),
            self.clusters(),
            draws=draws,
            seed=seed,
            level=level,
            method=method,
        )

    def compare(
        self, other: "Report", *, metric: str | None = None, level: float = 0.95, seed: int = 0
    ) -> "Comparison":
        """Say whether another run over the same items differs from this one.

        Args:
            other: The run to compare with this one; its gains and losses are over this one.
            metric: The metric's key; the primary one when None.
            level: Of the intervals and the verdict.
            seed: Of the bootstrap.

        Raises:
            InputError: The reports are of different tasks, share no item, or kept no scores.
        """
        from snellen.sdk.comparison import compare

        return compare([self, other], metric=metric, level=level, seed=seed)[0]

    def summary(
        self,
        *,
        limit: float | None = None,
        missing: "Missing | None" = None,
        reading: "Reading | None" = None,
    ) -> "Summary":
        """Return what the benchmark's paper prints of this task, as tables and as numbers.

        Args:
            limit: For L3 and L4 of MMBench-GUI: the limit of steps, where the data does not say
                one; a smaller one makes failures of the episodes that took more.
            missing: For L3 and L4: whether a platform of which no task was run is left out of the
                average (`skip`) or counts 0 (`zero`); None shows both.
            reading: For L3 and L4: which EQA is set beside published ones; None: the protocol's.

        Raises:
            InputError: The report lacks what the summary is made of: its scores, or a tag that
                the published data gives.
            MetricError: The numbers make no summary: an item lacks its other half.
        """
        from snellen.sdk.summaries.one import summary_of
        from snellen.sdk.summaries.options import Options

        return summary_of(self, Options(limit, missing, reading))

    def beside(
        self,
        source: Literal["published"] = "published",
        *,
        limit: float | None = None,
        missing: "Missing | None" = None,
        reading: "Reading | None" = None,
    ) -> "Beside":
        """Set this run's numbers beside what papers print of its task, part by part.

        Each printed number says which of snellen's protocols it compares with; `notes` say what
        keeps this run from being compared: another protocol, other items, several attempts.

        Args:
            source: What to stand beside.
            limit: As for `summary`.
            missing: As for `summary`.
            reading: As for `summary`.

        Raises:
            UnknownNameError: There is no such source.
        """
        from snellen.sdk.published import beside, summarised
        from snellen.sdk.summaries.options import Options

        return beside(self, source, summarised(self, Options(limit, missing, reading)))

    def audit(self, *, view: float | None = None) -> "CoordinateAudit | None":
        """Score the answers as if their coordinates counted something else.

        `warnings` has the audit's warning, of a sample where there are many answers; this is all
        of it, over all answers.

        Args:
            view: The longest side, in pixels, that the screenshots were scaled down to before the
                model saw them; None: the common ones and that of UI-TARS and Qwen2-VL are tried.

        Returns:
            What they score in each space; None where no answer holds numbers.

        Raises:
            MetricError: The task asks for no coordinates.
            InputError: The report kept no scores, or was read back without its data; or `view` is
                no number above 0.
        """
        from snellen.sdk.auditing import audit_of

        return audit_of(self, view)

    def save(
        self,
        path: str | Path,
        *,
        with_references: bool = False,
        thumbnails: "bool | ThumbnailBudget" = True,
    ) -> Path:
        """Write the report to a file, whole or not at all.

        Args:
            path: Where to; the ending says how: `.json` (with scores; can be read back and
                graded again), `.csv` (the scores), `.md` (the numbers, to read) or `.html` (a
                page that needs nothing else; it holds the responses).
            with_references: For a page: show the references beside the responses.
            thumbnails: For a page: show the screenshots, where the data was loaded with them; a
                budget says how much room they take.

        Returns:
            The path written.

        Raises:
            InputError: The ending is none of these, CSV was asked for without scores, or
                references anywhere but on a page.
            MissingExtraError: What draws the page is not installed.
        """
        target = Path(path)
        ending = check_ending(target)
        if ending == ".csv" and self._table is None:
            raise InputError("CSV holds the scores; grade with keep_scores=True", file=str(target))
        if with_references and ending != PAGE:
            raise InputError(f"only a page ({PAGE}) shows references", file=str(target))
        if ending == PAGE:
            from snellen.sdk.pages import page_html

            pieces = page_html(self, with_references=with_references, thumbnails=thumbnails)
        else:
            pieces = RENDERERS[ending](self, self._table, self._tags)
        if ending == ".md":
            from snellen.sdk.grids import more_markdown

            pieces = chain(pieces, more_markdown(self))
        write_atomically(target, pieces)
        return target

    def _weights(self) -> "FloatArray | None":
        """Return how many items each stands for; None where they are no sample."""
        from snellen.grading.breakdown import strata_of

        return None if self.sample is None else strata_of(self.sample, self._tags).weights

    def _column(self, tag: str) -> "TagColumn":
        try:
            return self._tags[tag]
        except KeyError:
            raise UnknownNameError("tag of these items", tag, self._tags) from None


def check_ending(path: Path) -> str:
    """Return a file's ending, in lower case, if a report can be saved under it.

    Raises:
        InputError: It can't.
    """
    ending = path.suffix.lower()
    if ending != PAGE and ending not in RENDERERS:
        shown = repr(path.suffix) if path.suffix else "a file without an ending"
        known = ", ".join([*RENDERERS, PAGE])
        raise InputError(f"can't save a report as {shown}; use one of {known}", file=str(path))
    return ending


def attach(
    report: Report,
    table: "ScoreTable | None",
    intake: "Intake | None",
    tags: "Mapping[str, TagColumn]",
) -> Report:
    """Give a report its scores, what they were graded against, and the items' tags."""
    # Kept for grading again and for pages; private, because it leads to the references.
    report._table = table  # pyright: ignore[reportPrivateUsage]  # the one place that fills them
    report._intake = intake  # pyright: ignore[reportPrivateUsage]
    report._tags = tags  # pyright: ignore[reportPrivateUsage]
    return report


def intake_of(report: Report) -> "Intake | None":
    """Return what a report was graded against; None for one that was read back without data."""
    return report._intake  # pyright: ignore[reportPrivateUsage]  # the one place that reads it
