"""Render a report and its scores as JSON, CSV or Markdown, piece by piece."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from snellen.grading.csv_text import csv_rows
from snellen.grading.errors import UnknownNameError, where
from snellen.grading.markdown import code_text, plain_text, prose_text
from snellen.grading.models.estimates import Breakdown
from snellen.grading.models.reports import Report
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.table import protocol_of
from snellen.grading.report.figures import counted
from snellen.grading.score_table import ScoreTable
from snellen.grading.table import Table, figures, interval_text

FORMAT = "snellen-report/2"
"""What a saved report calls its form."""

Tags = Mapping[str, TagColumn]


def to_json(report: Report, scores: ScoreTable | None, tags: Tags) -> Iterator[bytes]:
    """Yield the report as one JSON object whose last field, `scores`, has one score per line.

    The scores contain the answers and their scores, but no references. `scores` is null if they
    were not kept. `tags` has one column per tag, in the items' order.
    """
    head = msgspec.json.encode({"format": FORMAT, "signature": report.signature})
    groups = report.model_dump_json().encode()
    yield head[:-1] + b",\n" + groups[1:-1] + b',\n"tags": '
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
    """Yield one row per score, with a header; a response that is not text is written as JSON.

    The columns of measures are empty where a score has none. The items' tags are the last columns.
    """
    yield from csv_rows(_rows(scores, tags))


def _rows(scores: ScoreTable | None, tags: Tags) -> Iterator[Sequence[object]]:
    keys, measures = ((), ()) if scores is None else (scores.keys, scores.measures)
    numbers = [*keys, *measures]
    yield ["item_id", "attempt", "model", "outcome", *numbers, "response", "error", "note", *tags]
    attempts = 1 if scores is None else len(scores.attempts)
    for number, row in enumerate(() if scores is None else scores.rows()):
        yield [
            row["item_id"],
            row["attempt"],
            row.get("model"),
            row["outcome"].value,
            *(row["metrics"][key] for key in keys),
            *(row.get("measures", {}).get(name) for name in measures),
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
    made_from = report.provenance
    numbers = report.numbers
    protocol = f"{made_from.protocol}@{made_from.protocol_version}"
    yield f"# {plain_text(f'{report.task}, protocol {protocol}')}\n"
    yield f"{code_text(report.signature)}\n"
    if report.input.incomplete:
        yield "**Incomplete:** some items have no response; they count as 0 in `value`.\n"
    if (said := as_published(report)) is not None:
        yield f"{prose_text(said)}\n"
    yield from (f"**Warning:** {prose_text(warning)}\n" for warning in report.input.warnings)
    yield from metrics_table(report).markdown_lines()
    if numbers.estimates:
        yield f"\nIntervals: {plain_text(grouping(report))}."
    if numbers.chance is not None and report.lift is not None:
        yield f"\nChance: {100 * numbers.chance.value:.2f} ({plain_text(numbers.chance.guess)});"
        yield f"lift over chance {100 * report.lift:+.2f} points."
    yield from (f"\n{plain_text(said)}." for said in measured(report))
    if numbers.ceiling:
        rated = f"{numbers.ceiling_items} items with several raters"
        yield f"\nRaters: each against the others, {rated}."
    if numbers.pass_at:
        yield f"\n{made_from.attempts} attempts an item:\n"
        yield from passes_table(report).markdown_lines()
    yield f"\n{made_from.items} items, {made_from.attempts} attempt(s) each. Outcomes:\n"
    outcomes = [(outcome.value, f"{count}") for outcome, count in report.input.outcomes.items()]
    yield from figures(("outcome", "count"), outcomes).markdown_lines()
    yield f"\nData: {plain_text(made_from.data.release)} ({made_from.data.verdict.value})."
    if made_from.data.note:
        yield prose_text(made_from.data.note)
    if report.input.problems:
        yield "\nProblems in the input:\n"
        yield from (
            f"- {kind.value}: {count}" for kind, count in report.input.problem_counts.items()
        )
    yield ""


def metrics_table(report: Report, *, primary_first: bool = False) -> Table:
    """Return all metrics, with the primary one highlighted: value, interval, other readings."""
    numbers = report.numbers
    raters = ["raters"] if numbers.ceiling else []
    rows: list[Sequence[str]] = []
    keys = list(numbers.metrics)
    printed = printed_metric(report)
    if primary_first:
        keys.sort(key=lambda key: key != numbers.primary)
    for key in keys:
        metric = numbers.metrics[key]
        written = own_scale if key == printed else percent
        published = own_scale(numbers.metrics[printed].as_published) if printed else ""
        estimate = numbers.estimates.get(key)
        rows.append(
            (
                key,
                written(metric.value),
                interval_text(estimate and estimate.interval),
                written(metric.value_answered),
                published if printed and key == numbers.primary else written(metric.as_published),
                *(percent(numbers.ceiling.get(key)) for _ in raters),
            )
        )
    names = ("metric", "value", "95 % interval", "answered", "as published", *raters)
    return replace(figures(names, rows), bold=(keys.index(numbers.primary),))


def printed_metric(report: Report) -> str:
    """Return the metric that the published code prints on a scale of its own; empty for none."""
    try:
        printed = protocol_of(report.task, report.provenance.protocol).metric.printed
    except UnknownNameError:
        return ""
    return printed if printed in report.numbers.metrics else ""


def own_scale(number: float | None) -> str:
    """Write a number that is no share; a dash if there is none."""
    return "-" if number is None else f"{number:.4f}"


def passes_table(report: Report) -> Table:
    """Return pass@k, the probability that one of k attempts passes, and pass^k, that all pass."""
    numbers = report.numbers
    rows = (
        (f"{k}", percent(at), percent(numbers.pass_hat[k])) for k, at in numbers.pass_at.items()
    )
    return figures(("k", "pass@k", "pass^k"), rows, texts=())


def protocols_table(reports: Mapping[str, Report]) -> Table:
    """Return the published number of each metric, by protocol; a dash if a protocol has none."""
    keys = list(dict.fromkeys(key for one in reports.values() for key in one.metrics))
    rows = (
        (
            name,
            *(
                percent(one.metrics[key].as_published if key in one.metrics else None)
                for key in keys
            ),
        )
        for name, one in reports.items()
    )
    return figures(("protocol", *keys), rows)


def breakdown_table(given: Breakdown) -> Table:
    """Return a metric by the values of a tag."""
    rows = (
        (
            cell.name,
            "" if cell.estimate is None else percent(cell.estimate.value),
            interval_text(cell.estimate and cell.estimate.interval),
            f"{cell.items}",
        )
        for cell in given.cells
    )
    return figures((given.tag, given.metric, "95 % interval", "items"), rows)


def coverage(given: Breakdown) -> str:
    """Return how many items a breakdown covers, and how many cells are blank."""
    blanked = sum(1 for cell in given.cells if cell.estimate is None)
    blank = f"; {blanked} with fewer than {given.least} items left blank" if blanked else ""
    return f"{given.covered} of {given.items} items have the tag{blank}"


def problem_lines(report: Report) -> Iterator[str]:
    """Yield what was wrong with the input: how much in all, then the first of each kind."""
    given = report.input
    if not given.problems:
        return
    total = sum(given.problem_counts.values())
    yield f"{counted(total, 'problem')} in the input; the rest was graded:"
    for problem in given.problems:
        yield f"  {where(problem.file, problem.line, problem.field)}{problem.message}"
    if total > len(given.problems):
        counts = ", ".join(f"{count} {kind.value}" for kind, count in given.problem_counts.items())
        yield f"  in all: {counts}"


class Sentence(NamedTuple):
    """A sentence beneath a report's table, and whether a reader must not miss it."""

    text: str
    urgent: bool = False


def sentences(report: Report) -> Iterator[Sentence]:
    """Yield what is said beneath the table of a report's numbers, the signature last."""
    numbers, given = report.numbers, report.input
    if numbers.chance is not None and report.lift is not None:
        chance, lift = 100 * numbers.chance.value, 100 * report.lift
        yield Sentence(f"chance {chance:.2f} ({numbers.chance.guess}), lift {lift:+.2f}")
    if numbers.estimates:
        yield Sentence(f"intervals: {grouping(report)}")
    yield from map(Sentence, measured(report))
    counts = ", ".join(f"{count} {name.value}" for name, count in given.outcomes.items() if count)
    attempts = report.provenance.attempts
    times = f" x {attempts} attempts" if attempts > 1 else ""
    yield Sentence(f"{report.provenance.items} items{times}: {counts}")
    if numbers.pass_at:
        pairs = ((k, numbers.pass_at[k], numbers.pass_hat[k]) for k in numbers.pass_at)
        values = ", ".join(f"k={k} {100 * one:.2f} / {100 * both:.2f}" for k, one, both in pairs)
        yield Sentence(f"pass@k / pass^k: {values}")
    if given.incomplete:
        yield Sentence("Incomplete: missing responses and errors count as 0 in value.", urgent=True)
    if given.crashed:
        yield Sentence(f"The published code raises on {given.crashed} response(s).", urgent=True)
    if given.not_selected:
        yield Sentence(f"{given.not_selected} submission(s) to items that were not selected")
    if given.tag_coverage:
        yield Sentence(f"Tags {given.tag_coverage}")
    first = set(first_lines(report))
    yield from (Sentence(said, urgent=True) for said in given.warnings if said not in first)
    if report.provenance.data.note:
        yield Sentence(f"Data: {report.provenance.data.note}", urgent=True)
    yield Sentence(report.signature)


def as_published(report: Report) -> str | None:
    """Return what published code makes of the same answers, in a sentence; None where unknown."""
    other = report.numbers.as_published
    if other is None:
        return None
    here = f"{report.numbers.primary} {percent(report.value)}"
    if other.value is None:
        found = "the published run stops"
    else:
        found = f"as published {percent(other.value)}"
        if other.metric != report.numbers.primary:
            found += f" ({other.metric})"
    if not other.otherwise:
        return f"{here}; {found}, by {other.protocol}"
    count = counted(other.otherwise, "answer")
    verb = "differs" if other.otherwise == 1 else "differ"
    return f"{here}; {found}: {other.protocol} reads {other.reads}, and {count} {verb}"


def first_lines(report: Report) -> Iterator[str]:
    """Yield what a report says first: the number as published, and other units of coordinates."""
    if (said := as_published(report)) is not None:
        yield said
    yield from (notice.message for notice in report.input.notices if notice.code == "space")


def report_pieces(report: Report) -> Iterator[Table | str]:
    """Yield a report as the command line prints it: its numbers, problems, and sentences."""
    yield from first_lines(report)
    yield metrics_table(report)
    yield from problem_lines(report)
    if report.numbers.population:
        from snellen.grading.report.population import sample_sentence

        yield sample_sentence(report)
    yield from (said.text for said in sentences(report))


def percent(number: float | None) -> str:
    """Write a number in percent; a dash if there is none."""
    return "-" if number is None else f"{100 * number:.2f}"


def measured(report: Report) -> Iterator[str]:
    """Yield what each measure of a report's answers is, in a sentence."""
    for name, one in report.numbers.measures.items():
        # Costs may be fractions of a cent.
        form = ",.1f" if one.mean == 0 or one.mean >= 1 else ",.3g"
        yield (
            f"{name}: mean {one.mean:{form}} {one.unit}, median {one.median:{form}} {one.unit}"
            f" ({one.better} is better, no part of the score); {one.over}: {one.answers:,}"
        )


def grouping(report: Report) -> str:
    """Return the units that a report's intervals treat as independent."""
    numbers = report.numbers
    one = next(iter(numbers.estimates.values()))
    if numbers.clustered_by == "item":
        return f"{one.items:,} independent items"
    return f"{one.items:,} items in {one.clusters:,} independent groups by {numbers.clustered_by}"
