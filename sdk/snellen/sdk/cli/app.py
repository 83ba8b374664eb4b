"""The commands: each reads its arguments, calls the SDK and prints."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from snellen.grading.errors import InputError, SnellenError
from snellen.grading.protocols.table import PROTOCOLS, protocols_of
from snellen.sdk.cli import show
from snellen.sdk.comparison import explain as explain_answers
from snellen.sdk.doctor import checks
from snellen.sdk.local import grade as grade_answers
from snellen.sdk.reports import Report, renderer
from snellen.sdk.stored import regrade as regrade_answers
from snellen.tasks.benchmarks.table import TASKS

PROBLEMS = 1
STOPPED = 2

app = typer.Typer(
    name="snellen",
    help="The eye test for agents that use screens.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _task_names(incomplete: str) -> list[str]:
    return [task for task in PROTOCOLS if task.startswith(incomplete)]


def _protocol_names(context: typer.Context, incomplete: str) -> list[str]:
    known = PROTOCOLS.get(str(context.params.get("task")), ())
    return [protocol.id for protocol in known if protocol.id.startswith(incomplete)]


Answers = Annotated[
    str, typer.Argument(help="JSONL, JSON, CSV or parquet; - reads JSONL from standard input.")
]
Task = Annotated[
    str,
    typer.Option(help="Such as screenqa/short.", autocompletion=_task_names, show_default=False),
]
Data = Annotated[
    Path | None,
    typer.Option(help="The benchmark's published folder or file.", show_default=False),
]
References = Annotated[
    Path | None,
    typer.Option(
        help="Instead of data: a JSON object, item ids to references.", show_default=False
    ),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        help="How to score; the task's first protocol when left out.",
        autocompletion=_protocol_names,
        show_default=False,
    ),
]
Split = Annotated[
    str | None, typer.Option(help="Which split of the data; test when there.", show_default=False)
]
Items = Annotated[
    Path | None,
    typer.Option(help="A file of item ids, one a line: grade only these.", show_default=False),
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        help="Save the report: .json, .csv or .md; may be repeated.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON, without scores.")]


def _version(asked: bool) -> None:  # an option's callback
    if asked:
        sys.stdout.write(f"snellen {version('snellen')}\n")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """The eye test for agents that use screens."""


@app.command()
def benchmarks() -> None:
    """List the benchmarks, their tasks and what each is scored by."""
    show.benchmarks(TASKS.values())


@app.command()
def protocols(
    task: Annotated[
        str | None, typer.Argument(help="All tasks when left out.", autocompletion=_task_names)
    ] = None,
) -> None:
    """List how a task can be scored: source, parts, and what is special about each protocol."""
    with _errors_told():
        chosen = {task: protocols_of(task)} if task is not None else PROTOCOLS
        show.protocols(chosen)


@app.command()
def grade(
    answers: Answers,
    task: Task,
    data: Data = None,
    references: References = None,
    protocol: Protocol = None,
    split: Split = None,
    items: Items = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="For similarity: char-ngram, or a package or folder with a sentence model.",
            show_default=False,
        ),
    ] = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade a file of answers.

    Exit status: 0 when every line was good, 1 when some were not (the rest is graded), 2 when
    nothing could be graded.
    """
    with _errors_told():
        _check(output)
        report = grade_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocol=protocol,
            split=split,
            items=_ids(items),
            embedder=embedder,
        )
        _finish(report, output, json=json)


@app.command()
def regrade(
    report: Annotated[str, typer.Argument(help="A report saved as JSON, or a file of answers.")],
    protocol: Protocol = None,
    task: Annotated[str | None, typer.Option(help="When the file does not say it.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="When it moved, or the file does not say.")
    ] = None,
    references: References = None,
    split: Split = None,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade stored answers again, under another protocol, asking no model."""
    with _errors_told():
        _check(output)
        again = regrade_answers(
            report, protocol=protocol, task=task, data=data, references=references, split=split
        )
        _finish(again, output, json=json)


@app.command()
def explain(
    answers: Answers,
    task: Task,
    data: Data = None,
    references: References = None,
    protocols: Annotated[
        str | None,
        typer.Option(
            help="Two or more, separated by commas; all when left out.", show_default=False
        ),
    ] = None,
    split: Split = None,
    items: Items = None,
    metric: Annotated[
        str | None, typer.Option(help="The metric to compare; the primary ones when left out.")
    ] = None,
    partings: Annotated[
        int, typer.Option(help="How many items on which they part to show a pair.", min=0)
    ] = 5,
) -> None:
    """Score one file of answers under several protocols and share out their differences."""
    with _errors_told():
        comparison = explain_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocols=protocols.split(",") if protocols else None,
            split=split,
            items=_ids(items),
        )
        if len(comparison.reports) < 2:
            raise InputError("name at least two protocols to explain a difference between")
        show.comparison(comparison, metric, partings)
        first = next(iter(comparison.reports.values()))
        if first.problems:
            show.problems(first)
            raise typer.Exit(PROBLEMS)


@app.command()
def doctor() -> None:
    """Say what is installed, what is missing, and how to get it."""
    show.doctor(checks())


def main() -> None:
    """Run the command line."""
    app()


def _finish(report: Report, output: list[Path] | None, *, json: bool) -> None:
    if json:
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    else:
        show.report(report)
    show.problems(report)
    for path in output or ():
        report.save(path)
    if report.problems:
        raise typer.Exit(PROBLEMS)


def _check(output: list[Path] | None) -> None:
    """Refuse before any work what could not be saved after it."""
    for path in output or ():
        renderer(path)
        if not path.absolute().parent.is_dir():
            raise InputError("there is no such folder to save it in", file=str(path))


def _ids(path: Path | None) -> list[str] | None:
    if path is None:
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"can't read the item ids: {reason}", file=str(path)) from error
    return [line.strip() for line in lines if line.strip()]


@contextmanager
def _errors_told() -> Generator[None]:
    try:
        yield
    except SnellenError as error:
        show.error(error)
        raise typer.Exit(STOPPED) from None
