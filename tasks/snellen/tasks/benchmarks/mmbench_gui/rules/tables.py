"""MMBench-GUI's tables: L1, L2, L3 and L4, and what is lost in between."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from snellen.grading.errors import InputError
from snellen.grading.metrics.weighted_choice import (
    Accuracy,
    GroundingSummary,
    Instruction,
    LevelScore,
    PlatformAccuracy,
)
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.summaries import Cells, Joint, Options, Summaries
from snellen.grading.protocols.worlds.automation import (
    READINGS,
    Automation,
    Missing,
    Rate,
    Reading,
    Run,
    automation,
    losses,
    losses_table,
    over_attempts,
    reading_of,
)
from snellen.grading.table import Cell, Column, Kind, PartValue, Summary, Table
from snellen.tasks.benchmarks.mmbench_gui.rules.online import Run as Episode
from snellen.tasks.benchmarks.mmbench_gui.rules.understanding import (
    Grounded,
    Understanding,
    grounding,
    understanding,
)

L1, L2, L2_BASIC, L2_ADVANCED, L3, L4 = (
    "mmbench-gui/l1",
    "mmbench-gui/l2",
    "mmbench-gui/l2_basic",
    "mmbench-gui/l2_advanced",
    "mmbench-gui/l3",
    "mmbench-gui/l4",
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
    known = {name: index for index, name in enumerate(PLATFORMS)}
    return sorted(platforms, key=lambda name: (known.get(name, len(known)), name))


def summaries() -> Summaries:
    """Return how reports of its tasks are summarized."""
    return Summaries(
        {L1: level_1, L2_BASIC: level_2, L2_ADVANCED: level_2, L3: online, L4: online},
        (
            Joint((L2_BASIC, L2_ADVANCED), both_of_level_2, replaces=True),
            Joint((L3, L4), from_level_to_level, repeats=True),
        ),
    )


# ---- L1 ----------------------------------------------------------------------------------------


def level_1(cells: Cells, _: Options) -> Summary:
    """Summarize L1 by difficulty and platform, in the three ways."""
    tags = cells.tags("difficulty", "platform", "options")
    found = understanding(cells.values, tags)
    summary = Summary(
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
    return cells.of_items(summary)


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


def level_2(cells: Cells, _: Options) -> Summary:
    """Summarize one kind of L2's instructions."""
    kind, task = _grounded(cells), cells.report.task
    found = grounding(basic=kind) if task == L2_BASIC else grounding(advanced=kind)
    return cells.of_items(grounding_result(task, found))


def both_of_level_2(both: Sequence[Cells], _: Options) -> Summary:
    """Summarize L2, basic and advanced together."""
    by_task = {cells.report.task: cells for cells in both}
    basic, advanced = by_task[L2_BASIC], by_task[L2_ADVANCED]
    summary = grounding_result(L2, grounding(_grounded(basic), _grounded(advanced)))
    return basic.of_items(summary) if basic.attempts == advanced.attempts else summary


def _grounded(cells: Cells) -> Grounded:
    unread = [said is None for said in cells.answers]
    return Grounded(cells.values, cells.tags("platform", "data_type"), unread)


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


def online(cells: Cells, options: Options) -> Summary:
    """Summarize L3 or L4 by platform, in every reading of EQA; attempts are averaged."""
    own, limit = _limits(cells, options)
    note = f"Episodes of more than {limit:g} steps have failed." if _cuts(own, options) else ""
    runs, report = _automations(cells, options), cells.report
    return automation_summary(report.task, runs, reading_of(report, options), note)


def _automations(cells: Cells, options: Options) -> tuple[Automation, ...]:
    own, limit = _limits(cells, options)
    cut = limit if _cuts(own, options) else None
    runs = [_run(cells, slot, cut) for slot in range(cells.attempts)]
    policies: tuple[Missing, ...] = ("skip",) if all(map(_all_ran, runs)) else ("skip", "zero")
    return tuple(
        over_attempts([automation(run, limit, missing=missing) for run in runs])
        for missing in ((options.missing,) if options.missing else policies)
    )


def _limits(cells: Cells, options: Options) -> tuple[float | None, float]:
    """Return the limit of steps of the tasks, where there is one, and the one to summarise by.

    Raises:
        InputError: There is none, or several, and none was asked for; or one was that is not above
            0, or more than the tasks allowed: nobody knows what the episodes would have done then.
    """
    steps = cells.item_tags.get("steps", ())
    known = {float(one.split()[0]) for one in steps if one is not None}
    if not known:
        runs: Sequence[Episode | None] = cells.answers
        known = {run.limit for run in runs if run is not None and run.limit is not None}
    own = next(iter(known)) if len(known) == 1 else None
    limit = own if options.limit is None else options.limit
    if limit is not None and not limit > 0:
        raise InputError(f"limit= must be a number of steps greater than 0, not {limit:g}")
    if limit is not None and known and limit > max(known):
        raise InputError(
            f"the tasks of {cells.report.task} were limited to {max(known):g} steps: their results"
            f" within {limit:g} are unknown; give a smaller limit, or omit it"
        )
    if limit is None:
        several = f"several limits of steps ({', '.join(f'{one:g}' for one in sorted(known))})"
        raise InputError(
            f"the tasks of {cells.report.task} have {several if known else 'no limit of steps'}:"
            " give limit=15, or load the split '15 steps'"
        )
    return own, limit


def _cuts(own: float | None, options: Options) -> bool:
    return options.limit is not None and (own is None or options.limit < own)


def _run(cells: Cells, slot: int, cut: float | None) -> Run:
    """Return one attempt's episodes; with `cut`, those that took more steps have failed."""
    rows = slice(slot, None, cells.attempts)
    runs: Sequence[Episode | None] = cells.answers[rows]
    costs = [None if run is None or not run.cost else run.cost for run in runs]
    values = np.where([run is None for run in runs], 0.0, cells.values[rows])
    if cut is not None:
        values = np.where([cost is not None and cost > cut for cost in costs], 0.0, values)
    platforms: TagColumn = cells.tag("platform")[rows]
    return Run(values, costs, platforms, [run is not None for run in runs])


def _all_ran(run: Run) -> bool:
    there = run.answered or ()
    ran = {platform for platform, one in zip(run.platforms, there, strict=True) if one}
    return ran == set(run.platforms)


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
        f"{_name(task)} within {first.limit:g} steps",
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


def from_level_to_level(levels: Sequence[Cells], options: Options) -> Summary | None:
    """Say what is lost from L3 to L4 at one limit, and from one limit to another at one level.

    If a platform was not run there is a table for each policy, and its note names the platform.

    Raises:
        InputError: Two reports are of one level within one limit.
    """
    rates: dict[tuple[str, float], tuple[Automation, ...]] = {}
    for cells in levels:
        key = cells.report.task, _limits(cells, options)[1]
        if key in rates:
            raise InputError(f"two reports are of {key[0]} within {key[1]:g} steps: give one")
        rates[key] = _automations(cells, options)
    reading = reading_of(levels[0].report, options)
    groups = [
        (
            f"What is lost from L3 to L4 within {limit:g} steps",
            sorted(key for key in rates if key[1] == limit),
        )
        for limit in sorted({limit for _, limit in rates})
    ]
    groups += [
        (
            f"What is lost with fewer steps in {_name(level)}",
            sorted((key for key in rates if key[0] == level), reverse=True),
        )
        for level in sorted({level for level, _ in rates})
    ]
    tables = tuple(
        table
        for title, keys in groups
        if len(keys) > 1
        for table in losses_tables(title, {_line(key): rates[key] for key in keys}, reading)
    )
    return Summary("mmbench-gui", rates, tables, ()) if tables else None


def _name(task: str) -> str:
    return task.rpartition("/")[2].upper()


def _line(key: tuple[str, float]) -> str:
    return f"{_name(key[0])}, {key[1]:g} steps"


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
