"""Render a report and its scores as JSON, CSV or Markdown, piece by piece."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from snellen.grading.csv_text import csv_rows
from snellen.grading.markdown import code_text, plain_text, prose_text, table_lines
from snellen.grading.models.auxiliary import Auxiliary
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.reports import MetricValue, Report
from snellen.grading.models.tags import TagColumn
from snellen.grading.report import auxiliary
from snellen.grading.score_table import ScoreTable

Tags = Mapping[str, TagColumn]


def to_json(report: Report, scores: ScoreTable | None, tags: Tags) -> Iterator[bytes]:
    """Yield the report as one JSON object whose last field, `scores`, has one score a line.

    The scores hold what was answered and how it was scored, but no reference. `scores` is null
    when they were not kept. `tags` has a column a tag, in the items' order.
    """
    head = report.model_dump_json()
    yield head[:-1].encode() + b',\n"tags": '
    yield msgspec.json.encode(dict(tags) if scores is not None else {})
    yield b',\n"scores": '
    if scores is None:
        yield b"null}\n"
        return
    yield b"["
    for number, row in enumerate(scores.rows()):
        yield b",\n" if number else b"\n"
        said = {key: value for key, value in row.items() if key in _ALWAYS or value}
        yield msgspec.json.encode(said)
    yield b"\n]}\n"


def to_csv(report: Report, scores: ScoreTable | None, tags: Tags) -> Iterator[bytes]:
    """Yield one row a score, with a header; a response that is not text is written as JSON.

    The items' tags are the last columns.
    """
    yield from csv_rows(_rows(scores, tags))


def _rows(scores: ScoreTable | None, tags: Tags) -> Iterator[Sequence[object]]:
    keys: tuple[str, ...] = () if scores is None else scores.keys
    yield ["item_id", "attempt", "model", "outcome", *keys, "response", "error", "note", *tags]
    attempts = 1 if scores is None else len(scores.attempts)
    for number, row in enumerate(() if scores is None else scores.rows()):
        yield [
            row["item_id"],
            row["attempt"],
            row.get("model"),
            row["outcome"].value,
            *(row["metrics"][key] for key in keys),
            _cell(row.get("response")),
            row.get("error"),
            row.get("note"),
            *(column[number // attempts] for column in tags.values()),
        ]


def to_markdown(
    report: Report, scores: ScoreTable | None = None, tags: Tags | None = None
) -> Iterator[bytes]:
    """Yield the report as a page of Markdown: numbers, outcomes, data and problems."""
    yield "\n".join(_markdown(report)).encode()


Renderer = Callable[[Report, ScoreTable | None, Tags], Iterator[bytes]]

_ALWAYS = frozenset({"item_id", "attempt", "outcome", "value", "metrics", "response"})

RENDERERS: Mapping[str, Renderer] = MappingProxyType(
    {".json": to_json, ".csv": to_csv, ".md": to_markdown}
)


def _cell(response: object) -> str:
    if response is None or isinstance(response, str):
        return response or ""
    return msgspec.json.encode(response).decode()


def _markdown(report: Report) -> Iterable[str]:
    protocol = f"{report.protocol}@{report.protocol_version}"
    yield f"# {plain_text(f'{report.task}, protocol {protocol}')}\n"
    yield f"{code_text(report.signature)}\n"
    if report.incomplete:
        yield "**Incomplete:** some items have no response; they count as 0 in `value`.\n"
    yield from (f"**Warning:** {prose_text(warning)}\n" for warning in report.warnings)
    yield from table_lines(
        ("metric", "value", "95 % interval", "of the answered", "as published"),
        _metric_rows(report),
    )
    if report.estimates:
        yield f"\nIntervals: {plain_text(grouping(report))}."
    if report.chance is not None and report.lift is not None:
        yield f"\nChance: {100 * report.chance.value:.2f} ({plain_text(report.chance.guess)});"
        yield f"lift over chance {100 * report.lift:+.2f} points."
    if report.ceiling:
        yield f"\nRaters against one another ({report.ceiling_items} items with several raters):\n"
        ceiling = [(key, f"{100 * value:.2f}") for key, value in report.ceiling.items()]
        yield from table_lines(("metric", "value"), ceiling)
    if report.pass_at:
        yield f"\n{report.attempts} attempts an item:\n"
        passes = [
            (f"{k}", f"{100 * chance:.2f}", f"{100 * report.pass_hat[k]:.2f}")
            for k, chance in report.pass_at.items()
        ]
        yield from table_lines(("k", "pass@k", "pass^k"), passes, texts=())
    yield f"\n{report.items} items, {report.attempts} attempt(s) each. Outcomes:\n"
    outcomes = [(outcome.value, f"{count}") for outcome, count in report.outcomes.items()]
    yield from table_lines(("outcome", "count"), outcomes)
    yield f"\nData: {plain_text(report.data.release)} ({report.data.verdict.value})."
    if report.data.note:
        yield prose_text(report.data.note)
    if report.problems:
        yield "\nProblems in the input:\n"
        yield from (f"- {kind.value}: {count}" for kind, count in report.problem_counts.items())
    if report.auxiliary:
        yield from _auxiliary(report.auxiliary)
    yield ""


def _metric_rows(report: Report) -> Iterator[Sequence[str]]:
    for key, metric in report.metrics.items():
        value, *others = metric_cells(metric)
        yield key, value, interval_cell(report.estimates.get(key)), *others


def _auxiliary(given: Mapping[str, Auxiliary]) -> Iterable[str]:
    yield f"\n## {auxiliary.HEADING}\n"
    yield from table_lines(auxiliary.VERDICT_COLUMNS, auxiliary.verdict_rows(given))
    for name, one in given.items():
        yield f"\n{code_text(one.signature)}\n"
        if one.agreements:
            yield f"Which responses are right, by {plain_text(name)} and by others:\n"
            yield from table_lines(auxiliary.AGREEMENT_COLUMNS, auxiliary.agreement_rows(one))
            yield ""
        yield from (f"- {plain_text(remark)}" for remark in auxiliary.remarks(one))


def metric_cells(metric: MetricValue) -> list[str]:
    """Write a metric's three numbers in per cent, with a dash where there is none."""
    return [
        "-" if number is None else f"{100 * number:.2f}"
        for number in (metric.value, metric.value_answered, metric.as_published)
    ]


def interval_cell(estimate: Estimate | None) -> str:
    """Write an interval in per cent, with a dash where there is none."""
    if estimate is None or estimate.interval is None:
        return "-"
    return f"{100 * estimate.interval.low:.2f} to {100 * estimate.interval.high:.2f}"


def grouping(report: Report) -> str:
    """Say what a report's intervals take as independent."""
    one = next(iter(report.estimates.values()))
    if report.clustered_by == "item":
        return f"{one.items:,} independent items"
    return f"{one.items:,} items in {one.clusters:,} independent groups by {report.clustered_by}"
