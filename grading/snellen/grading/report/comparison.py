"""Render comparisons of runs as JSON, CSV or Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from snellen.grading.csv_text import csv_rows
from snellen.grading.markdown import plain_text
from snellen.grading.models.comparisons import ComparedCost, Comparison, ItemChange
from snellen.grading.table import Table, figures, interval_text

Changes = Sequence[Sequence[ItemChange]]
"""For each comparison, the items on which its runs differ, the greatest difference first."""

_SHOWN = 10


def comparisons_to_json(found: Sequence[Comparison], changes: Changes) -> Iterator[bytes]:
    """Yield a JSON list of the comparisons, each with its `changes`."""
    yield b"["
    for number, (one, items) in enumerate(zip(found, changes, strict=True)):
        yield (b",\n" if number else b"\n") + one.model_dump_json()[:-1].encode() + b',"changes":'
        yield msgspec.json.encode([item.model_dump() for item in items]) + b"}"
    yield b"\n]\n"


def comparisons_to_csv(found: Sequence[Comparison], changes: Changes) -> Iterator[bytes]:
    """Yield one row per item on which two runs differ, with a header."""
    yield from csv_rows(
        [
            ("first", "second", "metric", "item_id", "first_value", "second_value"),
            *(
                (one.first, one.second, one.metric, item.item_id, item.first, item.second)
                for one, items in zip(found, changes, strict=True)
                for item in items
            ),
        ]
    )


def comparisons_to_markdown(found: Sequence[Comparison], changes: Changes) -> Iterator[bytes]:
    """Yield a page of Markdown: one section per pair, with its greatest gains and losses."""
    for one, items in zip(found, changes, strict=True):
        yield "\n".join([*_section(one), *_items(one, items), ""]).encode()


ComparisonRenderer = Callable[[Sequence[Comparison], Changes], Iterator[bytes]]

COMPARISON_RENDERERS: Mapping[str, ComparisonRenderer] = MappingProxyType(
    {".json": comparisons_to_json, ".csv": comparisons_to_csv, ".md": comparisons_to_markdown}
)


def sentence(one: Comparison) -> str:
    """Return the result of a comparison as a sentence, in percentage points of the metric.

    If several comparisons were corrected together, the verdict can be `undecided` although the
    interval, which is for one comparison, excludes 0. The sentence then says so.
    """
    found = one.difference
    gap = f"{100 * found.value:+.2f} points"
    if found.interval is not None:
        span = interval_text(found.interval, "+.2f")
        gap += f" ({100 * found.interval.level:g} % interval {span}"
        gap += ", for this comparison alone)" if is_corrected(one) else ")"
    verdict = {
        "better": f"{one.second} is better than {one.first}",
        "worse": f"{one.second} is worse than {one.first}",
        "undecided": f"no difference between {one.first} and {one.second} is shown",
    }[one.verdict.value]
    return f"{verdict}: {gap}"


def runs_table(one: Comparison) -> Table:
    """Return the scores of the two runs, in percent."""
    runs = ((one.first, one.first_value), (one.second, one.second_value))
    return figures(("run", one.metric), ((name, f"{100 * value:.2f}") for name, value in runs))


def pieces_of(one: Comparison) -> Iterator[Table | str]:
    """Yield a comparison as it is printed: its result, scores and tests, and what to know."""
    yield sentence(one)
    yield runs_table(one)
    yield tests_table(one)
    yield from cells_tables(one)
    if one.costs:
        yield costs_table(one)
    yield from remarks(one)


def tests_table(one: Comparison) -> Table:
    """Return each test's p-value, raw and corrected."""
    return figures(
        ("test", "p", "corrected"),
        ((test.name, f"{test.p:.4g}", f"{test.adjusted:.4g}") for test in one.tests),
    )


def cells_tables(one: Comparison) -> Iterator[Table]:
    """Yield one table per tag: the scores of the two runs by its values, in percent."""
    for tag in dict.fromkeys(cell.tag for cell in one.cells):
        yield figures(
            (tag, "items", one.first, one.second, "difference", "gained", "lost"),
            (
                (
                    cell.name,
                    f"{cell.items:,}",
                    f"{100 * cell.first:.2f}",
                    f"{100 * cell.second:.2f}",
                    f"{100 * (cell.second - cell.first):+.2f}",
                    f"{cell.wins:,}",
                    f"{cell.losses:,}",
                )
                for cell in one.cells
                if cell.tag == tag
            ),
        )


def costs_table(one: Comparison) -> Table:
    """Return the measures of the two runs, item by item, in their units."""
    return figures(
        ("cost an item", "items", one.first, one.second, "difference", "interval"),
        (
            (
                _named(cost),
                f"{cost.items:,}",
                f"{cost.first:,.1f}",
                f"{cost.second:,.1f}",
                f"{cost.difference.value:+,.1f}",
                _span(cost),
            )
            for cost in one.costs
        ),
    )


def _named(cost: ComparedCost) -> str:
    name = cost.measure.replace("_", " ")
    return name if cost.unit in name else f"{name}, {cost.unit}"


def _span(cost: ComparedCost) -> str:
    interval = cost.difference.interval
    return "" if interval is None else f"{interval.low:+,.1f} to {interval.high:+,.1f}"


def is_corrected(one: Comparison) -> bool:
    """Whether a comparison's p-values were corrected together with others."""
    return any(test.adjusted != test.p for test in one.tests)


def remarks(one: Comparison) -> Iterator[str]:
    """Yield the caveats of a comparison, one per line."""
    groups = f" in {one.clusters:,} independent groups" if one.clusters < one.items else ""
    by = f" by {one.clustered_by}" if groups and one.clustered_by else ""
    yield (
        f"{one.items:,} items{groups}{by}: {one.wins:,} gained, {one.losses:,} lost,"
        f" {one.ties:,} equal"
    )
    left_out = [
        f"{count:,} only in {name}"
        for count, name in ((one.only_first, one.first), (one.only_second, one.second))
        if count
    ]
    if left_out:
        yield f"left out: {', '.join(left_out)}"
    if one.bootstrap is not None:
        span = interval_text(one.bootstrap, "+.2f")
        yield f"bootstrap interval of the difference: {span} points"
    if one.detectable is not None:
        yield f"smallest difference found with 80 % power: {100 * one.detectable:.2f} points"
    if one.note:
        yield f"note: {one.note}"


def _section(one: Comparison) -> Iterator[str]:
    yield f"## {plain_text(f'{one.first} and {one.second}, {one.metric}')}\n"
    yield f"{plain_text(sentence(one))}.\n"
    yield from runs_table(one).markdown_lines()
    yield ""
    yield from tests_table(one).markdown_lines()
    yield ""
    for table in cells_tables(one):
        yield from table.markdown_lines()
        yield ""
    yield from (f"- {plain_text(remark)}" for remark in remarks(one))
    if one.made_with:
        yield f"- made with {plain_text(one.made_with)}"


def _items(one: Comparison, items: Sequence[ItemChange]) -> Iterator[str]:
    gains = [item for item in items if item.second > item.first][:_SHOWN]
    losses = [item for item in items if item.second < item.first][:_SHOWN]
    for title, some in (("gains", gains), ("losses", losses)):
        if not some:
            continue
        yield f"\nGreatest {title}:\n"
        rows = [
            (item.item_id, f"{100 * item.first:.2f}", f"{100 * item.second:.2f}") for item in some
        ]
        yield from figures(("item", one.first, one.second), rows).markdown_lines()
