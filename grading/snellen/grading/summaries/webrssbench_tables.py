"""WebRSSBench's tables, laid out: positions, UI grouping, safety, and what a perturbation does."""

from collections.abc import Iterable, Mapping, Sequence

from snellen.grading.summaries.before_after import Shift
from snellen.grading.summaries.tables import PartValue, Summary
from snellen.grading.summaries.webrssbench import GroupingScore, PositionScore, SafetyScore
from snellen.grading.table import Cell, Column, Kind, Table

_PAPER = "WebRSSBench"
ALL = "all"


def _count(name: str) -> Column:
    return Column(name, Kind.COUNT)


def position_summary(found: Mapping[str, PositionScore]) -> Summary:
    """Lay positions out; `found` has the difficulties and `all`."""
    task = "webrssbench/position"
    return Summary(
        task=task,
        result=found,
        tables=(
            Table(
                "Positions",
                (
                    Column("pages", Kind.TEXT),
                    Column("right pairs"),
                    Column("mean of the pages"),
                    Column("whole pages right"),
                    _count("number of pages"),
                    _count("number of pairs"),
                ),
                tuple(
                    (name, one.by_pair, one.by_page, one.exact_page, one.pages, one.pairs)
                    for name, one in found.items()
                ),
                f"{_PAPER} table 2 counts right pairs; the others are ours",
            ),
        ),
        values=tuple(
            PartValue(task, "accuracy", "" if name == ALL else name, one.by_pair, one.pages)
            for name, one in found.items()
        ),
    )


def grouping_summary(found: GroupingScore) -> Summary:
    """Lay UI grouping out by class."""
    task = "webrssbench/ui_grouping"
    items = sum(one.support for one in found.classes)
    rows: list[tuple[Cell, ...]] = [
        (str(one.region), one.recall, one.precision, one.f1, one.support, one.said, one.right)
        for one in found.classes
    ]
    rows.append(("accuracy", found.accuracy, None, None, items, items - found.unread, None))
    rows.append(("macro F1", None, None, found.macro_f1, None, None, None))
    return Summary(
        task=task,
        result=found,
        tables=(
            Table(
                "UI grouping by class",
                (
                    Column("class", Kind.TEXT),
                    Column("recall"),
                    Column("precision"),
                    Column("F1"),
                    _count("items"),
                    _count("said"),
                    _count("right"),
                ),
                tuple(rows),
                f"{_PAPER} table 2 has the accuracy; the classes and the macro F1 are ours",
                f"{found.unread:,} answers name no class; they count as wrong."
                if found.unread
                else "",
            ),
        ),
        values=(PartValue(task, "accuracy", "", found.accuracy, items),),
    )


def safety_summary(found: SafetyScore) -> Summary:
    """Lay safety out: recall, and what recall alone does not punish."""
    task = "webrssbench/safety"
    answered = found.negatives - found.silent
    lines: tuple[tuple[str, float | None, int | None, str], ...] = (
        ("recall", found.recall, found.positives, "pages with a dangerous button"),
        ("precision", found.precision, found.hits + found.wrong + found.false_alarms, "named"),
        ("F1", found.f1, None, ""),
        ("false alarms", found.false_alarm_rate, answered, "answered pages without one"),
    )
    positives = found.positives
    parts = (
        ("named rightly", found.hits),
        ("another button named", found.wrong),
        ("refused with sorry", found.refused),
        ("not answered", found.unanswered),
        ("no answer to a page without one", found.silent),
    )
    return Summary(
        task=task,
        result=found,
        tables=(
            Table(
                "Safety",
                (Column("metric", Kind.TEXT), Column("value"), _count("of"), Column("", Kind.TEXT)),
                tuple(lines),
                f"{_PAPER} table 2 has the recall; the rest is ours",
                ""
                if found.negatives
                else "No page lacks a dangerous button, so precision and false alarms are not"
                " known: whoever always names a button is not punished.",
            ),
            Table(
                "Pages with a dangerous button",
                (Column("answer", Kind.TEXT), _count("pages"), Column("share")),
                tuple(
                    (name, count, count / positives if positives else None) for name, count in parts
                ),
                "ours",
            ),
        ),
        values=()
        if found.recall is None
        else (PartValue(task, "recall", "", found.recall, positives),),
    )


def shift_summary(task: str, metric: str, found: Sequence[Shift]) -> Summary:
    """Lay out what a perturbation did, mode by mode and pooled."""
    tables = [_robustness_table(metric, found)]
    if any(one.flips is not None for one in found):
        tables.append(_flips_table(found))
    whole, pooled = found[-1], found[-1].robustness
    # Of free texts the paper compares how like they are, not whether they are equal.
    unchanged = pooled.unchanged if whole.likeness is None else whole.likeness
    values = [
        PartValue(task, metric, "before", pooled.before, pooled.n),
        PartValue(task, metric, "after", pooled.after, pooled.n),
        PartValue(task, "drop", "", pooled.drop, pooled.n),
    ]
    if unchanged is not None:
        values.append(PartValue(task, "unchanged", "", unchanged, pooled.n))
    return Summary(task, tuple(found), tuple(tables), tuple(values))


def _robustness_table(metric: str, found: Sequence[Shift]) -> Table:
    alike = any(one.likeness is not None for one in found)
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        held, interval = one.robustness, one.delta.interval
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        rows.append(
            (
                one.mode,
                held.before,
                held.after,
                held.delta,
                low,
                high,
                held.drop,
                held.r,
                held.r_clamped,
                held.sensitivity,
                held.unchanged,
                *((one.likeness,) if alike else ()),
                held.n,
            )
        )
    return Table(
        f"{metric} before and after",
        (
            Column("perturbation", Kind.TEXT),
            Column("before"),
            Column("after"),
            Column("\N{GREEK CAPITAL LETTER DELTA}", Kind.POINTS),
            Column("from", Kind.POINTS),
            Column("to", Kind.POINTS),
            Column("|\N{GREEK CAPITAL LETTER DELTA}|"),
            Column("R", Kind.INDEX),
            Column("R, not below 0", Kind.INDEX),
            Column("sensitivity"),
            Column("unchanged"),
            *((Column("likeness"),) if alike else ()),
            _count("pairs"),
        ),
        tuple(rows),
        f"{_PAPER} tables 2 and 4, figure 2; sensitivity (\N{GREEK CAPITAL LETTER DELTA} / before)"
        " is announced there and not defined: this is ours",
        "\N{GREEK CAPITAL LETTER DELTA} = before \N{MINUS SIGN} after with its 95 % interval."
        " Unchanged: the answers are equal but for case and edges; the paper does not say when a"
        " text is.",
    )


def _flips_table(found: Sequence[Shift]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        if one.flips is not None:
            flips = one.flips
            counts = (flips.both_right, flips.broke, flips.mended, flips.both_wrong)
            rows.append((one.mode, *counts, one.p, one.p_by_site))
    return Table(
        "Which answers broke",
        (
            Column("perturbation", Kind.TEXT),
            _count("right before and after"),
            _count("broke"),
            _count("mended"),
            _count("wrong before and after"),
            Column("p (McNemar)", Kind.P),
            Column("p by site", Kind.P),
        ),
        tuple(rows),
        "ours: an average hides answers that broke where as many were mended",
        "p: McNemar's mid-p over the pairs; by site: the same with whole sites flipped together,"
        " which is the one to quote where a site has several pages.",
    )


def parts_summary(task: str, metric: str, parts: Iterable[PartValue]) -> Summary:
    """Lay out a metric over parts of a task, as the paper prints form filling by difficulty."""
    values = tuple(parts)
    return Summary(
        task=task,
        result=values,
        tables=(
            Table(
                f"{metric} by difficulty",
                (Column("pages", Kind.TEXT), Column(metric), _count("items")),
                tuple((one.part or ALL, one.value, one.n) for one in values),
                f"{_PAPER} table 2",
            ),
        ),
        values=values,
    )
