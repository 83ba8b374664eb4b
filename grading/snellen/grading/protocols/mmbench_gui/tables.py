"""MMBench-GUI's tables, laid out: L1, L2, L3 and L4, and what is lost in between."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from snellen.grading.metrics.weighted_choice import (
    Accuracy,
    GroundingSummary,
    Instruction,
    LevelScore,
    PlatformAccuracy,
)
from snellen.grading.protocols.mmbench_gui.automation import (
    READINGS,
    Automation,
    Loss,
    Missing,
    Rate,
    Reading,
    losses,
)
from snellen.grading.protocols.mmbench_gui.understanding import Understanding
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table

L1, L2, L2_BASIC, L2_ADVANCED = (
    "mmbench-gui/l1",
    "mmbench-gui/l2",
    "mmbench-gui/l2_basic",
    "mmbench-gui/l2_advanced",
)
PLATFORMS = ("windows", "macos", "linux", "ios", "android", "web")
"""The platforms as the published tables order them."""

_PAPER = "MMBench-GUI"
_WAYS: tuple[tuple[str, str, Callable[[Understanding], LevelScore], str], ...] = (
    (
        "weighted and normalized",
        f"{_PAPER} section 3 and its tables of L1; weights as its code divides them",
        lambda one: one.normalized,
        "",
    ),
    (
        "plain accuracy",
        "the published code's default",
        lambda one: one.plain,
        "",
    ),
    (
        "weighted, not normalized",
        f"{_PAPER} Eq. 3 and 4",
        lambda one: one.eq3,
        "Its ceiling is below 100: it is what answering all questions rightly scores.",
    ),
)


def in_order(platforms: Iterable[str]) -> list[str]:
    """Return platforms as the published tables order them, then others by name."""
    known = {name: place for place, name in enumerate(PLATFORMS)}
    return sorted(platforms, key=lambda name: (known.get(name, len(known)), name))


# ---- L1 ----------------------------------------------------------------------------------------


def understanding_summary(found: Mapping[str, Understanding]) -> Summary:
    """Lay L1 out in the three ways: difficulties by platforms."""
    return Summary(
        task=L1,
        result=found,
        tables=tuple(
            _level_table(f"L1, {name}", {d: way(one) for d, one in found.items()}, source, note)
            for name, source, way, note in _WAYS
        ),
        values=(
            *_level_values("weighted_accuracy", {d: one.normalized for d, one in found.items()}),
            *_level_values("accuracy", {d: one.plain for d, one in found.items()}),
        ),
    )


def _level_table(title: str, levels: Mapping[str, LevelScore], source: str, note: str) -> Table:
    platforms = in_order({name for one in levels.values() for name in one.by_platform})
    ceiling = any(one.level.ceiling < 1 for one in levels.values())
    rows: list[tuple[Cell, ...]] = []
    for difficulty, one in levels.items():
        scores = [one.by_platform.get(name) for name in platforms]
        row: list[Cell] = [difficulty, *(None if s is None else s.score for s in scores)]
        row += [one.level.score, *([one.level.ceiling] if ceiling else []), one.level.n]
        rows.append(tuple(row))
    columns = [Column("difficulty", Kind.TEXT), *map(Column, platforms), Column("all")]
    columns += [Column("ceiling")] if ceiling else []
    return Table(title, (*columns, Column("questions", Kind.COUNT)), tuple(rows), source, note)


def _level_values(metric: str, levels: Mapping[str, LevelScore]) -> Iterable[PartValue]:
    for difficulty, one in levels.items():
        yield PartValue(L1, metric, difficulty, one.level.score, one.level.n)
        for platform, score in one.by_platform.items():
            yield PartValue(L1, metric, f"{difficulty} x {platform}", score.score, score.n)


# ---- L2 ----------------------------------------------------------------------------------------

_TASKS: Mapping[Instruction, str] = {"basic": L2_BASIC, "advanced": L2_ADVANCED}


def grounding_result(task: str, found: GroundingSummary) -> Summary:
    """Lay L2 out: kinds of instruction and of element by platforms, then the averages."""
    platforms = in_order({name for kind in found.by_platform.values() for name in kind})
    rows = [
        (f"{kind}, {name}", *_element_row(by_platform, platforms, element))
        for kind, by_platform in found.by_platform.items()
        for name, element in _ELEMENTS
    ]
    tables = [
        Table(
            "L2 by platform",
            (
                Column("instructions", Kind.TEXT),
                *map(Column, platforms),
                Column("all"),
                Column("items", Kind.COUNT),
                Column("unread", Kind.COUNT),
            ),
            tuple(rows),
            f"{_PAPER} section 3, its table of L2",
            "Unread: no point was found in the answer, which counts as a miss.",
        )
    ]
    values = [
        PartValue(_TASKS[kind], "accuracy", platform, one.total.score, one.total.n)
        for kind, by_platform in found.by_platform.items()
        for platform, one in by_platform.items()
    ]
    wholes = ((L2_BASIC, found.basic), (L2_ADVANCED, found.advanced))
    values += [
        PartValue(name, "accuracy", "", whole.score, whole.n)
        for name, whole in wholes
        if whole is not None
    ]
    if found.average is not None:
        tables.append(_average_table(found))
        values.append(PartValue(L2, "average", "", found.average, found.pooled.n))
    return Summary(task, found, tuple(tables), tuple(values))


_ELEMENTS: tuple[tuple[str, Callable[[PlatformAccuracy], Accuracy | None]], ...] = (
    ("icon", lambda one: one.icon),
    ("text", lambda one: one.text),
    ("both", lambda one: one.total),
)


def _element_row(
    by_platform: Mapping[str, PlatformAccuracy],
    platforms: Sequence[str],
    element: Callable[[PlatformAccuracy], Accuracy | None],
) -> tuple[Cell, ...]:
    cells = [element(by_platform[name]) if name in by_platform else None for name in platforms]
    there = [cell for cell in cells if cell is not None]
    n = sum(cell.n for cell in there)
    return (
        *(None if cell is None else cell.score for cell in cells),
        sum(cell.hits for cell in there) / n if n else None,
        n,
        sum(cell.errors for cell in there),
    )


def _average_table(found: GroundingSummary) -> Table:
    lines = (
        ("basic", found.basic),
        ("advanced", found.advanced),
        ("all answers pooled", found.pooled),
        ("icon", found.icon),
        ("text", found.text),
    )
    rows: list[tuple[Cell, ...]] = [
        ("mean of basic and advanced", found.average, found.pooled.n),
        *((name, one.score, one.n) for name, one in lines if one is not None),
    ]
    return Table(
        "L2 averages",
        (Column("over", Kind.TEXT), Column("accuracy"), Column("items", Kind.COUNT)),
        tuple(rows),
        f"the mean of two as the published code prints it; pooled as {_PAPER}'s caption says",
    )


# ---- L3 and L4 ---------------------------------------------------------------------------------

_POOLING = (
    "An average's EQA is the mean of the platforms' own, as published tables have it; the metric"
    " eqa of a report takes all their tasks in one row, in the data's order, and is another number."
)

_POLICY: Mapping[Missing, str] = {"skip": "left out", "zero": "counted 0"}


def automation_summary(
    task: str, runs: Sequence[Automation], reading: Reading, note: str = ""
) -> Summary:
    """Lay L3 or L4 out: platforms by SR and every reading of EQA.

    Args:
        task: `mmbench-gui/l3` or `mmbench-gui/l4`.
        runs: One a policy for platforms that were not run, averaged over attempts.
        reading: Which EQA is set beside published ones.
        note: What a reader must know.
    """
    first = runs[0]
    part = f"{first.limit:g} steps"
    rates = {f"{part} x {name}": rate for name, rate in first.by_platform.items()}
    # With several policies no one of them is the run's average.
    rates |= {part: first.average} if len(runs) == 1 else {}
    return Summary(
        task=task,
        result=tuple(runs),
        tables=(_automation_table(task, runs, note),),
        values=tuple(
            PartValue(task, metric, name, value, rate.n)
            for name, rate in rates.items()
            if rate is not None
            for metric, value in (("sr", rate.sr), ("eqa", rate.eqa[reading]))
        ),
    )


def _automation_table(task: str, runs: Sequence[Automation], note: str) -> Table:
    first = runs[0]
    rows = [(name, *_rate_cells(first.by_platform[name])) for name in in_order(first.by_platform)]
    for run in runs:
        policy = f", {_policy(run)}" if run.not_run else ""
        rows.append((f"average{policy}", *_rate_cells(run.average)))
        rows += [
            (f"attempt {number}{policy}", *_rate_cells(rate))
            for number, rate in enumerate(run.attempts, 1)
        ]
    return Table(
        f"{task.rpartition('/')[2].upper()} within {first.limit:g} steps",
        (
            Column("platform", Kind.TEXT),
            Column("SR"),
            *(Column(f"EQA, {reading}") for reading in READINGS),
            Column("tasks", Kind.COUNT),
        ),
        tuple(rows),
        f"{_PAPER} section 3, Eq. 7 to 12; averages are weighted by the numbers of tasks",
        " ".join(filter(None, (note, _POOLING if len(first.by_platform) > 1 else ""))),
    )


def _policy(run: Automation) -> str:
    return f"{' and '.join(in_order(run.not_run))} {_POLICY[run.missing]}"


def _rate_cells(rate: Rate | None) -> tuple[Cell, ...]:
    if rate is None:
        return (None,) * (len(READINGS) + 2)
    return (rate.sr, *(rate.eqa[reading] for reading in READINGS), rate.n)


def losses_tables(
    title: str, lines: Mapping[str, Sequence[Automation]], reading: Reading
) -> Iterable[Table]:
    """Lay out what is lost from line to line, in one table for each policy.

    Args:
        title: What the lines are of.
        lines: By the lines' names, in order: one a policy for platforms that were not run. A line
            whose platforms were all run is the same under either.
        reading: Which EQA.
    """
    found = {one.missing for runs in lines.values() for one in runs if one.not_run}
    policies: Sequence[Missing | None] = [policy for policy in _POLICY if policy in found]
    for policy in policies or (None,):
        chosen = {
            name: next((one for one in runs if one.missing == policy), runs[0])
            for name, runs in lines.items()
        }
        lacking = [(name, one) for name, one in chosen.items() if one.not_run]
        yield losses_table(
            title if policy is None else f"{title}, platforms that were not run {_POLICY[policy]}",
            losses({name: one.average for name, one in chosen.items()}, reading=reading),
            reading,
            f"{'; '.join(f'{name}: {_policy(one)}' for name, one in lacking)}." if lacking else "",
        )


def losses_table(title: str, lines: Sequence[Loss], reading: Reading, note: str = "") -> Table:
    """Lay out what is lost from line to line.

    Args:
        title: What the lines are of.
        lines: In order.
        reading: Which EQA they are by.
        note: What a reader must know.
    """
    return Table(
        title,
        (
            Column("run", Kind.TEXT),
            Column("SR"),
            Column(f"EQA, {reading}"),
            Column("SR lost", Kind.POINTS),
            Column("EQA lost", Kind.POINTS),
            Column("EQA/SR"),
            Column("SR \N{MINUS SIGN} EQA", Kind.POINTS),
        ),
        tuple(
            (one.name, one.sr, one.eqa, one.sr_lost, one.eqa_lost, one.ratio, one.gap)
            for one in lines
        ),
        f"{_PAPER} Table 9",
        note,
    )
