"""Reports and summaries compared with published results."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from snellen.grading.errors import SnellenError, UnknownNameError
from snellen.grading.models.reports import PinVerdict
from snellen.grading.protocols.summaries import DEFAULT, SHOWN, Options, metric_values
from snellen.grading.table import Cell, Column, Kind, Summary, Table
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries import summary_of
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.benchmarks.visualwebbench.rules.average import (
    BENCHMARK,
    SEVEN,
    as_published_note,
)
from snellen.tasks.published.beside import Beside, BesideGroup, set_beside
from snellen.tasks.published.tables import PublishedRow, published_averages, published_rows

Source = Literal["published"]


class Summarised(NamedTuple):
    """A report's summary, or the reason why it has none."""

    summary: Summary | None
    lacking: str = ""


def summarised(report: ScoredReport, options: Options = DEFAULT) -> Summarised:
    """Return a report's summary, or the reason why it has none."""
    try:
        return Summarised(summary_of(report, options))
    except SnellenError as error:
        return Summarised(None, str(error))


def beside(
    report: ScoredReport, source: Source = "published", found: Summarised | None = None
) -> Beside:
    """Compare a report with published results; see `Report.beside`.

    Args:
        report: The report.
        source: `published`, the only one.
        found: Its summary, if it was already computed.
    """
    if source != "published":
        raise UnknownNameError("source of results to stand beside", source, ("published",))
    rows = published_rows(report.task) if report.task in TASKS else ()
    values = metric_values(report)
    notes = list(_notes(report))
    if rows:
        own = found or summarised(report)
        # A summary's numbers come last and take precedence: its EQA has the requested variant.
        values += () if own.summary is None else own.summary.values
        notes += [f"the numbers of parts are not known: {own.lacking}"] if own.lacking else []
    return set_beside(
        values,
        rows,
        protocol=f"{report.provenance.protocol}@{report.provenance.protocol_version}",
        notes=notes,
    )


def averages_beside(summary: Summary, protocol: str, notes: Sequence[str] = ()) -> Beside:
    """Compare the average of a summary of several tasks with the published averages.

    Args:
        summary: From `summarise`.
        protocol: The protocol of its reports, such as `official@1`.
        notes: The reasons why its number is not comparable.
    """
    rows = published_averages(summary.task)
    return set_beside(summary.values, rows, protocol=protocol, notes=notes)


def beside_tables(
    reports: Sequence[ScoredReport], found: Sequence[Summary], options: Options = DEFAULT
) -> tuple[Table, ...]:
    """Return tables of reports, and of the averages of their summaries, with published results.

    Args:
        reports: The reports.
        found: Their summaries from `summarise`.
        options: The options of the summaries.
    """
    tables: list[Table] = []
    for one in found:
        own = [report for report in reports if report.task.startswith(one.task)]
        names = sorted(
            {f"{report.provenance.protocol}@{report.provenance.protocol_version}" for report in own}
        )
        printed = as_published_note({r.task: r for r in own if r.task in SEVEN})
        notes = [printed] if printed and one.task == BENCHMARK else []
        averages = averages_beside(one, " and ".join(names), notes)
        tables += _table_of(averages, f"{one.task}, average")
    for report in reports:
        tables += _table_of(beside(report, found=summarised(report, options)), report.task)
    return tuple(tables)


def _table_of(found: Beside, title: str) -> list[Table]:
    table = beside_table(found)
    return [] if table is None else [replace(table, title=f"{title}, beside published results")]


def _notes(report: ScoredReport) -> Iterator[str]:
    if report.provenance.attempts > 1:
        yield f"a mean over {report.provenance.attempts} attempts; papers print one"
    if report.provenance.subset:
        yield f"over {report.provenance.items:,} selected items; papers print whole splits"
    if report.input.incomplete:
        yield "some answers are missing or failed; they count 0"
    if report.provenance.data.verdict is PinVerdict.DIFFERS:
        yield "the data is not the published release"
    whole = report.metrics[report.numbers.primary]
    if whole.as_published is not None and abs(whole.as_published - whole.value) >= SHOWN:
        yield (
            f"of these answers the published code would print {100 * whole.as_published:.1f}, not"
            f" {100 * whole.value:.1f}: it leaves some out"
        )
    if report.provenance.data.release == "references":
        yield "graded against references of your own, not against the published data"


def beside_table(found: Beside) -> Table | None:
    """Return a table of a run's position, one line per metric and part; None without a number."""
    groups = found.compared
    if not groups:
        return None
    sentences = [*found.notes, *(note for group in groups for note in group.notes)]
    if not all(group.same_items for group in groups):
        sentences.insert(
            0, "the paper's numbers are over other items than this run's: see the counts"
        )
    notes = dict.fromkeys(f"{_sentence(note)}." for note in sentences)
    sources = dict.fromkeys(row.source for group in groups for row in group.rows)
    return Table(
        "This run among printed numbers",
        (
            Column("part", Kind.TEXT),
            Column("metric", Kind.TEXT),
            Column("this run"),
            Column("items", Kind.COUNT),
            Column("printed over", Kind.COUNT),
            Column("rank", Kind.TEXT),
            Column("next above", Kind.TEXT),
            Column("next below", Kind.TEXT),
            Column("best", Kind.TEXT),
        ),
        tuple(_line(group) for group in groups),
        "; ".join(sources),
        " ".join(notes),
    )


def _line(group: BesideGroup) -> tuple[Cell, ...]:
    where = group.standing
    rank = "" if where is None else f"{group.rank} of {where.of + 1}"
    return (
        group.part or "all",
        group.metric,
        group.value,
        group.n,
        group.rows[0].n,
        rank,
        _cited(None if where is None else where.above),
        _cited(None if where is None else where.below),
        _cited(group.rows[0]),
    )


def _cited(row: PublishedRow | None) -> str:
    return "" if row is None else f"{row.model} {100 * row.value:.1f}"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]


def rows_table(found: Beside) -> Table:
    """Return a table of all published numbers of the parts in which a run has a number."""
    return Table(
        "Every printed number",
        (
            Column("model", Kind.TEXT),
            Column("part", Kind.TEXT),
            Column("metric", Kind.TEXT),
            Column("value"),
            Column("items", Kind.COUNT),
            Column("compares with", Kind.TEXT),
            Column("source", Kind.TEXT),
        ),
        tuple(
            (
                row.model,
                row.part or "all",
                row.metric,
                row.value,
                row.n,
                ", ".join(row.protocols),
                row.source,
            )
            for group in found.compared
            for row in group.rows
        ),
        "as named",
    )
