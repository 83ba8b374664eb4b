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

if TYPE_CHECKING:
    from snellen.sdk.exam.runner import ExamResult

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
    """Print what an attempt's report says of its tasks and its cost."""
    for task in report["tasks"]:
        write(_line(task) + "\n")
    write(cost_said(report["cost"]) + "\n")


def cost_said(cost: dict[str, Any]) -> str:
    """Return what an attempt took as a line."""
    steps = f" {cost['steps']:,} steps," if cost.get("steps") else ""
    return (
        f"{cost['calls']} calls,{steps} {cost['image_bytes']:,} bytes of images,"
        f" about {cost['image_tokens']:,} tokens"
    )


def _line(task: dict[str, Any]) -> str:
    said = f"{task['task']}  {task['answered']} of {task['items']} answered"
    if task["value"] is None:
        return f"{said}  recorded, to be graded elsewhere"
    interval = task["interval"]
    span = f" [{interval['low']:.4f}, {interval['high']:.4f}]" if interval else ""
    return f"{said}  {task['metric']} {task['value']:.4f}{span}\n  {task['signature']}"
