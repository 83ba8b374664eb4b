"""MMBench-GUI's summaries of reports."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from snellen.grading.errors import InputError
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.mmbench_gui.automation import (
    READINGS,
    Automation,
    Missing,
    Reading,
    Run,
    automation,
    over_attempts,
)
from snellen.grading.protocols.mmbench_gui.online import Run as Episode
from snellen.grading.protocols.mmbench_gui.tables import (
    L2,
    L2_ADVANCED,
    L2_BASIC,
    automation_summary,
    grounding_result,
    losses_tables,
    understanding_summary,
)
from snellen.grading.protocols.mmbench_gui.understanding import Grounded, grounding, understanding
from snellen.grading.table import Summary, Table
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.cells import Cells, Options, cells_of


def level_1(report: ScoredReport, _: Options) -> Summary:
    """Summarize L1 by difficulty and platform, in the three ways."""
    cells = cells_of(report)
    tags = cells.tags("difficulty", "platform", "options")
    return cells.of_items(understanding_summary(understanding(cells.values, tags)))


def level_2(report: ScoredReport, _: Options) -> Summary:
    """Summarize one kind of L2's instructions."""
    cells = cells_of(report)
    kind = _grounded(cells)
    found = grounding(basic=kind) if report.task == L2_BASIC else grounding(advanced=kind)
    return cells.of_items(grounding_result(report.task, found))


def both_of_level_2(reports: Mapping[str, ScoredReport]) -> Summary:
    """Summarize L2, basic and advanced together."""
    basic, advanced = cells_of(reports[L2_BASIC]), cells_of(reports[L2_ADVANCED])
    summary = grounding_result(L2, grounding(_grounded(basic), _grounded(advanced)))
    return basic.of_items(summary) if basic.attempts == advanced.attempts else summary


def _grounded(cells: Cells) -> Grounded:
    unread = [said is None for said in cells.answers]
    return Grounded(cells.values, cells.tags("platform", "data_type"), unread)


# ---- L3 and L4 ---------------------------------------------------------------------------------


def online(report: ScoredReport, options: Options) -> Summary:
    """Summarize L3 or L4 by platform, in every reading of EQA; attempts are averaged."""
    cells = cells_of(report)
    own, limit = limits_of(cells, options)
    cut = options.limit is not None and (own is None or limit < own)
    runs = [_run(cells, slot, limit if cut else None) for slot in range(cells.attempts)]
    policies: tuple[Missing, ...] = ("skip",) if all(map(_all_ran, runs)) else ("skip", "zero")
    found = [
        over_attempts([automation(run, limit, missing=missing) for run in runs])
        for missing in ((options.missing,) if options.missing else policies)
    ]
    note = f"Episodes of more than {limit:g} steps have failed." if cut else ""
    return automation_summary(report.task, found, reading_of(report, options), note)


def reading_of(report: ScoredReport, options: Options) -> Reading:
    """Return which EQA a report is quoted by: what is asked for, else its protocol's."""
    own: Reading | None = next((one for one in READINGS if one == report.provenance.protocol), None)
    return options.reading or own or "exact"


def limits_of(cells: Cells, options: Options) -> tuple[float | None, float]:
    """Return the limit of steps of the tasks, where there is one, and the one to summarise by.

    Raises:
        InputError: There is none, or several, and none was asked for; or one was that is not above
            0, or more than the tasks allowed: nobody knows what the episodes would have done then.
    """
    steps = cells.report.tags.get("steps", ())
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


def from_level_to_level(
    found: Mapping[tuple[str, float], Summary], reading: Reading
) -> tuple[Table, ...]:
    """Say what is lost from L3 to L4 at one limit, and from one limit to another at one level.

    Where a platform was not run there is a table for each policy, and its note names the platform.

    Args:
        found: The summaries of L3 and L4 by level and limit.
        reading: Which EQA.
    """
    rates = {key: cast("Sequence[Automation]", summary.result) for key, summary in found.items()}
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
    return tuple(
        table
        for title, keys in groups
        if len(keys) > 1
        for table in losses_tables(title, {_line(key): rates[key] for key in keys}, reading)
    )


def _name(task: str) -> str:
    return task.rpartition("/")[2].upper()


def _line(key: tuple[str, float]) -> str:
    return f"{_name(key[0])}, {key[1]:g} steps"
