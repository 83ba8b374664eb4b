"""The tables of a report's page: what its paper prints, and the run beside published results."""

from typing import NamedTuple

from snellen.grading.summaries.tables import SummaryTable
from snellen.sdk.published import beside, beside_table, rows_table, summarised
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.one import SUMMARIES


class PaperTables(NamedTuple):
    """What a page shows of a paper.

    Attributes:
        summaries: What it prints of the task, beyond a mean of each metric.
        published: The run beside its numbers, then every number.
        lacking: Why there are no summaries, where there should be some.
    """

    summaries: tuple[SummaryTable, ...] = ()
    published: tuple[SummaryTable, ...] = ()
    lacking: str = ""


def paper_tables(report: ScoredReport) -> PaperTables:
    """Gather the tables of a page; what stops one of them is told on it."""
    own = summarised(report)
    found = beside(report, found=own)
    table = beside_table(found)
    published = () if table is None else (table, rows_table(found))
    if report.task not in SUMMARIES:
        return PaperTables(published=published)
    tables = () if own.summary is None else own.summary.tables
    return PaperTables(tables, published, own.lacking)
