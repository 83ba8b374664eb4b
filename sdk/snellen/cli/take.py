"""The command that takes an exam: `take`."""

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from snellen.cli.messages import STOPPED, message, report_errors
from snellen.cli.options import PROBLEMS, check_folder
from snellen.cli.plain import write
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import figures

if TYPE_CHECKING:
    from snellen.sdk.exam.runner import ExamResult

_COLUMNS = ("task", "answered", "score", "95 % interval", "chance")
_INTERRUPTED = 130


def take(
    agent: Annotated[
        str,
        typer.Option(
            help="The agent's shell command: run once per item, with the prompt on standard input.",
            show_default=False,
        ),
    ],
    serve: Annotated[
        list[str] | None,
        typer.Argument(
            help="After --: an included exam, or packs and options, for a local `snellen serve`; "
            "by default the exam sample.",
            show_default=False,
        ),
    ] = None,
    contexts: Annotated[int, typer.Option(help="Agents to run at a time.", min=1)] = 1,
    attempt: Annotated[
        str | None,
        typer.Option(help="Resume this attempt instead of starting a new one.", show_default=False),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="A task or benchmark; may be repeated; by default all.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model's name, for the report.", show_default=False)
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="An exam on a running server: http://HOST:8765/mcp."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Time limit of one run, in seconds.", min=0.001)
    ] = 600.0,
    retries: Annotated[int, typer.Option(help="Retries of an item after a fault.", min=0)] = 2,
    logs: Annotated[
        Path | None,
        typer.Option(help="A folder for the agents' output.", show_default=False),
    ] = None,
    finish: Annotated[
        bool,
        typer.Option("--finish", help="Close the attempt even if the agent failed on items."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Save the result as JSON.", show_default=False),
    ] = None,
) -> None:
    """Take an exam with an agent command: a new process and context for each item.

    A token for --url is read from SNELLEN_TOKEN.

    Exit status: 0 if every item was answered, 1 if some are open because the agent failed
    (use the same command with --attempt to resume), 2 if no item could be taken.
    """
    from snellen.sdk.exam.runner import ExamRequest, RunLimits
    from snellen.sdk.exam.runner import take as take_exam
    from snellen.sdk.files import write_atomically

    with report_errors():
        if output is not None:
            check_folder(output)
        token = os.environ.get("SNELLEN_TOKEN")
        request = ExamRequest(attempt, tuple(task or ()), model, url, token, tuple(serve or ()))
        limits = RunLimits(contexts, retries, timeout)
        run = take_exam(agent, request, limits, message, logs=logs, finish=finish)
        try:
            result = asyncio.run(run)
        except KeyboardInterrupt:
            message("stopped; the attempt is open; resume it with --attempt")
            raise typer.Exit(_INTERRUPTED) from None
        if output is not None:
            write_atomically(output, [json.dumps(result.as_json(), indent=2).encode(), b"\n"])
        _print(result)
        if result.stopped and not result.contexts:
            raise typer.Exit(STOPPED)
        if result.open:
            raise typer.Exit(PROBLEMS)


def _print(result: "ExamResult") -> None:
    failed = sum(result.faults.values())
    kinds = ", ".join(f"{count} {fault}" for fault, count in result.faults.most_common())
    faults = f"; {failed} failed: {kinds}" if failed else ""
    write(f"{result.contexts} items answered in {result.runs} runs{faults}\n")
    if result.last_words:
        message(f"the last run that failed ended with:\n{result.last_words}")
    if result.stopped:
        message("no new context was started, because several failed one after another")
    if result.report is None:
        write(
            f"{result.open} items are open; they have no score, and the attempt is not closed."
            f" Resume it with --attempt {result.attempt}, or close it with --finish\n"
        )
    else:
        tell_report(result.report)


def tell_report(report: dict[str, Any]) -> None:
    """Print an attempt's report: a table of its tasks, the total, and its cost."""
    tasks = report["tasks"]
    rows = [_row(task) for task in tasks]
    if (total := report.get("total")) is not None and len(tasks) > 1:
        counts = {name: sum(task[name] for task in tasks) for name in ("items", "answered")}
        rows.append(_row({"task": total["name"], **counts, **total}))
    print_table(Terminal(), figures(_COLUMNS, rows))
    if total is None:
        write("no scores: they are not shown, or the answers are graded elsewhere\n")
    elif total["baseline"] is not None:
        write(f"the baseline agent on the same items: {total['baseline']:.4f}\n")
    if report.get("signature"):
        write(report["signature"] + "\n")
    write(cost_said(report["cost"]) + "\n")


def _row(task: dict[str, Any]) -> tuple[str, ...]:
    interval, value, chance = task["interval"], task["value"], task["chance"]
    return (
        task["task"],
        f"{task['answered']}/{task['items']}",
        "-" if value is None else f"{value:.4f}",
        f"{interval['low']:.4f} to {interval['high']:.4f}" if interval else "",
        "-" if chance is None else f"{chance:.4f}",
    )


def cost_said(cost: dict[str, Any]) -> str:
    """Return what an attempt took as a line."""
    steps = f" {cost['steps']:,} steps," if cost.get("steps") else ""
    return (
        f"{cost['calls']} calls,{steps} {cost['image_bytes']:,} bytes of images,"
        f" about {cost['image_tokens']:,} tokens"
    )
