"""Summaries over several tasks: averages, and losses from level to level."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.grading.metrics.eqa import Missing, Reading
from snellen.grading.protocols.mmbench_gui.tables import L2_ADVANCED, L2_BASIC
from snellen.grading.protocols.visualwebbench.average import SEVEN, average_of_seven, seven_summary
from snellen.grading.table import PartValue, Summary
from snellen.sdk.saved import read_report
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries import episodes, grids
from snellen.sdk.summaries.cells import Options, cells_of, of_sample
from snellen.sdk.summaries.mmbench_gui import (
    both_of_level_2,
    from_level_to_level,
    limits_of,
    reading_of,
)
from snellen.sdk.summaries.one import summary_of

SHOWN = 5e-4
"""What is printed with one decimal place in percent differs from here on."""

_ONLINE = ("mmbench-gui/l3", "mmbench-gui/l4")
_L2 = (L2_BASIC, L2_ADVANCED)
_DESK = ("desk/l3", "desk/l4")


def summarise(
    reports: Iterable[ScoredReport | str | Path],
    *,
    limit: float | None = None,
    missing: Missing | None = None,
    reading: Reading | None = None,
) -> tuple[Summary, ...]:
    """Summarize the reports of one model, over several tasks if the papers do.

    VisualWebBench's seven tasks give its average. Basic and advanced instructions give L2, with the
    mean of the two and all answers pooled. L3 and L4, with one step limit or several, give the
    table of losses, and so do the two tasks of the desk. With a report of the matrix, interactive
    tasks count in its cells of action. Any other report gets its own summary.

    Args:
        reports: Reports, or files saved as JSON, of different tasks; L3 and L4 may occur once per
            limit.
        limit: As for `Report.summary`.
        missing: As for `Report.summary`.
        reading: As for `Report.summary`.

    Raises:
        InputError: There are no reports, two are of the same task, they are of several models, a
            file is not a report, or a report lacks data for its summary.
    """
    options = Options(limit, missing, reading)
    given = [one if isinstance(one, ScoredReport) else read_report(one) for one in reports]
    models = sorted({one.model for one in given if one.model is not None})
    if not given or len(models) > 1:
        detail = f"they are of several models ({', '.join(models)})" if models else "there are none"
        raise InputError(f"give the reports of one model: {detail}")
    by_task = _by_task(one for one in given if one.task not in _ONLINE)
    seven = {task: one for task, one in by_task.items() if task in SEVEN}
    both = {task: one for task, one in by_task.items() if task in _L2}
    desk = [by_task[task] for task in _DESK if task in by_task]
    acted = grids.acted(by_task) if grids.MATRIX in by_task else ()
    joined = {**(seven if len(seven) > 1 else {}), **(both if len(both) > 1 else {})}
    return (
        *([of_sample(_seven(seven), seven.values())] if len(seven) > 1 else []),
        *([of_sample(both_of_level_2(both), both.values())] if len(both) > 1 else []),
        *(summary_of(one, options) for task, one in by_task.items() if task not in joined),
        *_online([one for one in given if one.task in _ONLINE], options),
        *([episodes.from_level_to_level(*desk)] if len(desk) == len(_DESK) else []),
        *([grids.with_episodes(by_task[grids.MATRIX], acted)] if acted else []),
    )


def _by_task(reports: Iterable[ScoredReport]) -> Mapping[str, ScoredReport]:
    found: dict[str, ScoredReport] = {}
    for report in reports:
        if report.task in found:
            raise InputError(f"two reports are of {report.task}: give one")
        found[report.task] = report
    return found


def _seven(reports: Mapping[str, ScoredReport]) -> Summary:
    # WebQA alone has a protocol `paper`, which goes with the official ones of the other tasks.
    rules = {
        "official" if one.provenance.protocol == "paper" else one.provenance.protocol
        for one in reports.values()
    }
    note = f"The protocols differ: {', '.join(sorted(rules))}." if len(rules) > 1 else ""
    printed = as_published_note(reports)
    note = " ".join(filter(None, (note, f"{printed}." if printed else "")))
    return seven_summary(
        {
            task: PartValue(task, one.numbers.primary, "", one.value, one.provenance.items)
            for task, one in reports.items()
        },
        note,
    )


def as_published_note(reports: Mapping[str, ScoredReport]) -> str:
    """Say what the published code would print of the seven tasks where that is another average.

    Args:
        reports: A report for each task of the seven that was run, by its id.

    Returns:
        A sentence without its full stop; empty where the code would print the same.
    """
    values = {task: one.value for task, one in reports.items()}
    printed = {task: one.metrics[one.numbers.primary].as_published for task, one in reports.items()}
    there = {task: value for task, value in printed.items() if value is not None}
    stopped = [task for task in printed if task not in there]
    other = [task for task in there if abs(there[task] - values[task]) >= SHOWN]
    if stopped:
        names = " and ".join(map(_short, stopped))
        return f"The published code would print no average: an answer ends its run of {names}"
    if not other:
        return ""
    names = ", ".join(
        f"{100 * there[task]:.2f} for {_short(task)}, not {100 * values[task]:.2f}"
        for task in other
    )
    detail = f"Of these answers the published code would print {names}: it leaves some out"
    if set(reports) != set(SEVEN):
        return detail
    return (
        f"{detail}. The average of what it would print is {100 * average_of_seven(there):.2f}, not"
        f" {100 * average_of_seven(values):.2f}"
    )


def _short(task: str) -> str:
    return task.rpartition("/")[2]


def _online(reports: Sequence[ScoredReport], options: Options) -> Sequence[Summary]:
    found: dict[tuple[str, float], Summary] = {}
    for report in reports:
        key = report.task, limits_of(cells_of(report), options)[1]
        if key in found:
            raise InputError(f"two reports are of {report.task} within {key[1]:g} steps: give one")
        found[key] = summary_of(report, options)
    tables = from_level_to_level(found, reading_of(reports[0], options)) if len(found) > 1 else ()
    if not tables:
        return list(found.values())
    results = {key: one.result for key, one in found.items()}
    return [*found.values(), Summary("mmbench-gui", results, tables, ())]
