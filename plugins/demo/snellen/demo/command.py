"""The command that shows it all: `demo`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snellen.cli.messages import message, report_errors
from snellen.grading.errors import InputError
from snellen.tasks.samples import DEFAULT

if TYPE_CHECKING:
    from snellen.sdk.exam.taken import Step, TakenExam

_INTERRUPTED = 130


def demo(
    exam: Annotated[
        Path,
        typer.Argument(
            help="An included exam (`snellen benchmarks` lists them), or the folder of a pack.",
        ),
    ] = Path(DEFAULT),
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for report.json and report.html.")
    ] = Path("snellen-demo"),
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the report page if run on a terminal.")
    ] = True,
) -> None:
    """Let the baseline agent take an exam over MCP: OCR and rules, no language model.

    The report compares its score with the same agent without images (blind) and with chance.
    Nothing is downloaded, and no data leaves this machine.
    """
    from snellen.demo.run import DemoOptions, run_demo

    with report_errors():
        options = DemoOptions(exam)
        try:
            given = run_demo(options, _show_step)
        except KeyboardInterrupt:
            message("stopped; the results of OCR are kept, so that the next run is faster")
            raise typer.Exit(_INTERRUPTED) from None
        page = _save(given, output)
        _print(given)
        sys.stdout.write(f"{page}\n")
        if open_page and sys.stdout.isatty():
            import webbrowser

            webbrowser.open(page.resolve().as_uri())


def _save(given: "TakenExam", folder: Path) -> Path:
    from snellen.sdk.exam.page import page_of
    from snellen.sdk.files import write_atomically

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"can't create the folder: {error.strerror}", file=str(folder)) from error
    report = json.dumps(given.as_json(), indent=2, ensure_ascii=False).encode()
    write_atomically(folder / "report.json", [report, b"\n"])
    write_atomically(folder / "report.html", [page_of(given)])
    return folder / "report.html"


def _show_step(step: "Step", number: int, of: int) -> None:
    outcome = "no idea" if step.answer is None else "answered"
    line = f"{number} of {of}  {step.question.task}  {outcome}"
    if sys.stderr.isatty():
        line = f"\r\x1b[K{line}" + ("\n" if number == of else "")
    else:
        line += f"  {step.seconds:.1f} s\n"
    sys.stderr.write(line)
    sys.stderr.flush()


def _print(given: "TakenExam") -> None:
    from snellen.cli.tables import print_table
    from snellen.cli.take import cost_said
    from snellen.cli.terminal import Terminal
    from snellen.grading.table import figures
    from snellen.sdk.exam.page import (
        by_benchmark,
        interval,
        mean_of,
        percent,
        what_it_shows,
    )

    names = (
        *("benchmark", "tasks", "items", "answered", "score, %"),
        *("95 % interval", "blind", "chance"),
    )
    rows = [
        (
            name,
            str(len(tasks)),
            str(mean.items),
            str(mean.answered),
            percent(mean.value),
            interval(mean),
            percent(mean.blind),
            percent(mean.chance),
        )
        for name, mean, tasks in by_benchmark(given)
    ]
    out = Terminal()
    print_table(out, figures(names, rows))
    out.print(what_it_shows(mean_of(given.rows)))
    cost = cost_said(given.taken.report["cost"])
    count = len(given.taken.steps)
    sys.stdout.write(f"{count} items in {given.seconds:.0f} seconds; {cost}; each task:\n")
