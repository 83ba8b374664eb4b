"""Build the page of a report: `build_page` collects the page's data."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import NamedTuple

import numpy as np

from snellen.grading.explain import explain as explain_pair
from snellen.grading.metrics.efficiency import success_rate
from snellen.grading.metrics.eqa import eqa_exact, recall_curve
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.scores import Outcome
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import Metric, Normalizer, Parser, Protocol
from snellen.grading.protocols.table import protocol_of, protocols_of
from snellen.grading.report.html import is_ready, plain_html, ready, render_html
from snellen.grading.report.page import (
    CalibrationKind,
    CalibrationRow,
    Change,
    Curve,
    CurvePoint,
    Difference,
    ItemList,
    Page,
    PartShare,
    ProtocolValue,
)
from snellen.grading.report.render import to_markdown
from snellen.grading.report.svg import start_engine
from snellen.grading.stats.paired import paired_difference
from snellen.grading.table import Table
from snellen.grading.tally import Tally
from snellen.sdk.analysis.breakdowns import breakdowns, more_markdown, own_grid
from snellen.sdk.analysis.published import beside, beside_table, rows_table, summarised
from snellen.sdk.inputs.selection import Selection
from snellen.sdk.page.items import Batches, Failures, RowSource, find_failures, item_list
from snellen.sdk.page.thumbnails import ThumbnailBudget
from snellen.sdk.scored import ScoredReport, episodes_of, intake_of
from snellen.sdk.summaries import summaries_of
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.published.tables import published_rows


class PaperTables(NamedTuple):
    """The tables of a page that come from the benchmark's paper.

    Attributes:
        summaries: The paper's tables of the task, beyond the mean of each metric.
        published: The run beside the published numbers, then all published numbers.
        lacking: The reason for missing summaries; empty if none is missing.
    """

    summaries: tuple[Table, ...] = ()
    published: tuple[Table, ...] = ()
    lacking: str = ""


def paper_tables(report: ScoredReport) -> PaperTables:
    """Return the tables of a page; the page notes the reason for a missing one."""
    own = summarised(report)
    found = beside(report, found=own)
    table = beside_table(found)
    published = () if table is None else (table, rows_table(found))
    if report.task not in summaries_of(report.task).by_task:
        return PaperTables(published=published)
    tables = () if own.summary is None else own.summary.tables
    return PaperTables(tables, published, own.lacking)


MOST_ITEMS = 20_000
"""The maximum number of items on a page; those with the lowest values are listed."""

MOST_EXPLAINED = 3
"""The maximum number of explained differences between protocols; the largest are explained."""

EXPLAINED_ANSWERS = 10_000
"""A limit for explanations, which grade all answers several times: the number of items times the
number of explained differences. The largest difference is always explained."""

_SAME = 5e-5
_STATE, _BEFORE, _AFTER = "state", "before", "after"


class _Basis:
    """A report with the data to grade its answers again; each rule is applied only once."""

    def __init__(self, report: ScoredReport, selection: Selection, protocol: Protocol) -> None:
        self.report = report
        self.selection = selection
        self.protocol = protocol
        self._graded: dict[tuple[Parser, Normalizer, Metric], Batches] = {}

    def batches(self, protocol: Protocol) -> Batches:
        """Return the stored answers with their grades by a protocol of the task."""
        rule = (protocol.parser, protocol.normalizer, protocol.metric)
        if rule not in self._graded:
            grader = self.selection.grader(protocol)
            self._graded[rule] = [
                (answers, grader.batch(answers)) for answers in self.report.scores.answers()
            ]
        return self._graded[rule]


class _Alternative(NamedTuple):
    """Another protocol, and its value for the stored answers."""

    protocol: Protocol
    value: ProtocolValue


class _ItemChoice(NamedTuple):
    """The choice of the listed items and their columns."""

    with_references: bool
    thumbnails: bool | ThumbnailBudget
    most: int


def page_html(
    report: ScoredReport,
    *,
    with_references: bool = False,
    thumbnails: bool | ThumbnailBudget = True,
    explain: bool = True,
    changes: Sequence[Change] = (),
    most_items: int = MOST_ITEMS,
    site: tuple[tuple[str, str], ...] = (),
) -> Iterator[bytes]:
    """Build a report's page and return it as HTML, in pieces; arguments as for `build_page`.

    Without the packages of the extra `html` it is a plain page of the numbers, unless there are
    changes to show. `site` has the addresses and names of the pages that it leads back to, if a
    server shows it.

    Raises:
        MissingExtraError: A library for drawing or for the template is not installed.
    """
    if not is_ready() and not changes:
        pieces = chain(to_markdown(report), more_markdown(report))
        return plain_html(report.task, b"".join(pieces).decode(), site)
    ready()
    with ThreadPoolExecutor(1) as pool:
        # The drawing engine starts slowly, without holding Python's lock, so it starts in parallel.
        started = pool.submit(start_engine)
        page = build_page(
            report,
            with_references=with_references,
            thumbnails=thumbnails,
            explain=explain,
            changes=changes,
            most_items=most_items,
        )
        started.result()
    return render_html(replace(page, site=site))


def build_page(
    report: ScoredReport,
    *,
    with_references: bool = False,
    thumbnails: bool | ThumbnailBudget = True,
    explain: bool = True,
    changes: Sequence[Change] = (),
    most_items: int = MOST_ITEMS,
) -> Page:
    """Collect the data of a report's page.

    The page of a report without scores has no breakdowns and no items. The page of a report that
    was read from a file lacks everything that needs the data: questions, failures, differences and
    references.

    Args:
        report: The report.
        with_references: Show the references beside the answers.
        thumbnails: Show the items' images, if the data has them; a budget limits their size.
        explain: Grade the answers by the task's other protocols and explain the differences.
        changes: Pairs of values before and after; the tag `state` adds one.
        most_items: The maximum number of items; those with the lowest values are listed.
    """
    basis = _basis(report)
    failures = Failures()
    if basis is not None:
        batches = basis.batches(basis.protocol)
        failures = find_failures(report, basis.protocol, basis.selection, batches)
    alternatives = _alternatives(basis) if explain and basis is not None else ()
    by_tag = breakdowns(report)
    paper = paper_tables(report)
    return Page(
        # Without the references: a page must not contain a reference that it does not show.
        report=ScoredReport.of(
            report, report.scores if report.has_scores else None, None, report.tags
        ),
        title=TASKS[report.task].title if report.task in TASKS else "",
        breakdowns=by_tag.shown,
        heat_map=own_grid(report),
        not_broken_down=by_tag.left_out,
        alternatives=tuple(other.value for other in alternatives),
        differences=() if basis is None else tuple(_differences(basis, alternatives)),
        calibration=_calibration(report),
        changes=(*_own_change(report), *changes),
        curves=() if basis is None else tuple(_curves(basis)),
        failures=failures.counts,
        failed=failures.failed,
        summaries=paper.summaries,
        printed=summaries_of(report.task).printed,
        no_summary=paper.lacking,
        published=paper.published,
        item_list=_items(
            basis,
            report,
            failures,
            _ItemChoice(with_references, thumbnails, most_items),
        ),
    )


def _basis(report: ScoredReport) -> _Basis | None:
    intake = intake_of(report)
    if not report.has_scores or intake is None:
        return None
    protocol = protocol_of(report.task, report.provenance.protocol)
    made_with = report.provenance
    if protocol.metric.embedder != made_with.embedder or made_with.code_run:
        # Grading again with another embedder, or without running the answers' programs, would give
        # other numbers.
        return None
    return _Basis(report, intake.selection, protocol)


def _alternatives(basis: _Basis) -> tuple[_Alternative, ...]:
    """Grade the stored answers by every other protocol that uses the same embedder, or none."""
    known = ("", basis.protocol.metric.embedder)
    return tuple(
        _graded(basis, other)
        for other in protocols_of(basis.report.task)
        if other.id != basis.protocol.id and other.metric.embedder in known
    )


def _graded(basis: _Basis, protocol: Protocol) -> _Alternative:
    tally = Tally(protocol, basis.selection.golds, basis.report.provenance.pass_mark)
    for answers, columns in basis.batches(protocol):
        tally.add(answers, columns)
    attempts = basis.report.provenance.attempts
    metrics = tally.metrics(attempts)
    found, eqa = metrics[protocol.metric.primary], metrics.get("eqa")
    own = metrics.get(protocol.metric.printed)
    unparsed = tally.outcomes(attempts)[Outcome.UNPARSED]
    primary = protocol.metric.primary
    value = ProtocolValue(
        protocol.name,
        primary,
        found.value,
        unparsed,
        found.as_published,
        None if eqa is None else eqa.value,
        None if own is None else own.as_published,
    )
    return _Alternative(protocol, value)


def _differences(basis: _Basis, alternatives: Sequence[_Alternative]) -> Iterator[Difference]:
    """Yield explanations of the largest differences between protocols, the largest first."""
    printed = basis.report.metrics[basis.report.numbers.primary].as_published
    if printed is None:
        return
    gaps = [
        (abs(other.value.printed - printed), other)
        for other in alternatives
        if other.value.printed is not None
    ]
    apart = sorted(gaps, key=lambda pair: -pair[0])
    most = max(1, min(MOST_EXPLAINED, EXPLAINED_ANSWERS // basis.report.provenance.items))
    for gap, other in apart[:most]:
        if gap < _SAME:
            return
        why = explain_pair(
            basis.protocol,
            other.protocol,
            golds=basis.selection.golds,
            contexts=basis.selection.contexts,
            answers=list(basis.report.scores.answers()),
            attempts=basis.report.provenance.attempts,
        )
        yield Difference(
            first=why.first,
            second=why.second,
            metric=why.key,
            first_value=why.first_value,
            second_value=why.second_value,
            shares=tuple(
                PartShare(share.part.value, share.share, share.first, share.second)
                for share in why.shares
            ),
            note=why.note,
        )


def _calibration(report: ScoredReport) -> tuple[CalibrationRow, ...]:
    """Return the run's value with values for comparison; nothing if there are none."""
    others: list[CalibrationRow] = []
    if report.numbers.chance is not None:
        row = CalibrationRow(
            "chance",
            report.numbers.chance.value,
            CalibrationKind.CHANCE,
            report.numbers.chance.guess,
        )
        others.append(row)
    if report.numbers.primary in report.numbers.ceiling:
        value, source = (
            report.numbers.ceiling[report.numbers.primary],
            "each rater against the others",
        )
        others.append(CalibrationRow("raters", value, CalibrationKind.RATERS, source))
    others += [
        CalibrationRow(row.model, row.value, CalibrationKind.PUBLISHED, row.source)
        for row in (published_rows(report.task) if report.task in TASKS else ())
        if row.metric == report.numbers.primary and not row.part
    ]
    if not others:
        return ()
    estimate = report.numbers.estimates.get(report.numbers.primary)
    interval = None if estimate is None else estimate.interval
    here = CalibrationRow("this run", report.value, CalibrationKind.RUN, "", interval)
    return (here, *others)


def _own_change(report: ScoredReport) -> Iterator[Change]:
    """Yield the values before and after, if the items have the tag `state`."""
    column = report.tags.get(_STATE)
    if column is None or not report.has_scores or not {_BEFORE, _AFTER} <= set(column):
        return
    cells = {cell.name: cell.estimate for cell in report.by(_STATE, least=1).cells}
    before, after = cells[_BEFORE], cells[_AFTER]
    if before is not None and after is not None:
        yield Change(report.task, before, after, _paired(report, column))


def _paired(report: ScoredReport, states: TagColumn) -> Estimate | None:
    """Estimate after - before over the clusters with both states; None if fewer than two have."""
    clusters = report.clusters()
    if clusters is None:
        return None
    values: dict[int, dict[str, list[float]]] = {}
    rows = zip(clusters.tolist(), states, report.item_values().tolist(), strict=True)
    for cluster, state, value in rows:
        if state is not None:
            values.setdefault(cluster, {}).setdefault(state, []).append(value)
    both = [found for found in values.values() if {_BEFORE, _AFTER} <= found.keys()]
    if len(both) < 2:
        return None
    return paired_difference(
        *(np.array([fmean(found[state]) for found in both]) for state in (_BEFORE, _AFTER))
    )


def _curves(basis: _Basis) -> Iterator[Curve]:
    """Yield each attempt's recall by budget, if the protocol's EQA is the area under that curve."""
    report, table = basis.report, basis.report.scores
    for attempt, episodes in episodes_of(report):
        areas = {"exact EQA": eqa_exact(episodes, over_limit="clip")}
        if len(table.attempts) == 1 and "eqa" in report.metrics:
            areas["eqa"] = report.metrics["eqa"].value
        knots = recall_curve(episodes, over_limit="clip")
        yield Curve(
            points=tuple(CurvePoint(knot.budget, knot.recall) for knot in knots),
            areas=areas,
            success_rate=success_rate(episodes),
            episodes=len(episodes),
            attempt=attempt if len(table.attempts) > 1 else None,
        )


def _items(
    basis: _Basis | None, report: ScoredReport, failures: Failures, choice: _ItemChoice
) -> ItemList:
    if not report.has_scores:
        return ItemList()
    intake, thumbnails = intake_of(report), choice.thumbnails
    budget = ThumbnailBudget() if thumbnails is True else thumbnails or None
    source = RowSource(
        report=report,
        selection=None if intake is None else intake.selection,
        protocol=None if basis is None else basis.protocol,
        failures=failures,
        with_references=choice.with_references,
    )
    return item_list(source, most=choice.most, budget=budget)
