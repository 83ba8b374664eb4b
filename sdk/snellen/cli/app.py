"""The commands: each reads its arguments, calls the SDK and prints."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from snellen.cli import (
    annotation,
    attempts,
    build,
    demo,
    exports,
    host,
    listing,
    pack,
    pack_audit,
    pack_tools,
    plan,
    replay,
    runs,
    serving,
    show,
    store,
    submit,
    take,
)
from snellen.cli import data as data_commands
from snellen.cli.judge import judge
from snellen.cli.messages import report_errors
from snellen.cli.options import (
    PROBLEMS,
    Answers,
    By,
    Cluster,
    Data,
    Embedder,
    Film,
    Grid,
    Items,
    Json,
    Least,
    Map,
    Output,
    Protocol,
    References,
    RunCode,
    Split,
    Tags,
    Task,
    WithReferences,
    check,
    columns_of,
    executor_of,
    finish,
    item_ids,
)
from snellen.cli.summary import summary
from snellen.grading.breakdown import LEAST
from snellen.grading.errors import InputError
from snellen.sdk.doctor import checks
from snellen.sdk.local import grade as grade_answers
from snellen.sdk.protocol_reports import explain as explain_answers
from snellen.sdk.stored import regrade as regrade_answers

app = typer.Typer(
    name="snellen",
    help="Evaluate agents that use screens.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    """Evaluate agents that use screens."""


app.command()(listing.benchmarks)
app.command()(listing.protocols)


@app.command()
def grade(
    answers: Answers,
    task: Task,
    data: Data = None,
    references: References = None,
    protocol: Protocol = None,
    split: Split = None,
    items: Items = None,
    columns: Map = None,
    embedder: Embedder = None,
    run_code: RunCode = False,
    with_references: WithReferences = False,
    film: Film = None,
    tags: Tags = None,
    cluster: Cluster = None,
    by: By = None,
    grid: Grid = None,
    least: Least = LEAST,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade a file of answers.

    Exit status: 0 if all lines are valid, 1 if some are not (the rest is graded), 2 if nothing
    could be graded.
    """
    with report_errors():
        check(output, with_references=with_references, film=film)
        report = grade_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocol=protocol,
            split=split,
            items=item_ids(items),
            columns=columns_of(columns),
            embedder=embedder,
            executor=executor_of(run_code=run_code),
            tags=tags,
            cluster=cluster,
        )
        finish(
            report,
            output,
            json=json,
            by=by,
            grid=grid,
            least=least,
            with_references=with_references,
            film=film,
        )


@app.command()
def regrade(
    report: Annotated[str, typer.Argument(help="A report saved as JSON, or a file of answers.")],
    protocol: Protocol = None,
    task: Annotated[
        str | None, typer.Option(help="The task, if the file does not state it.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data, if it moved or the file does not state it.")
    ] = None,
    references: References = None,
    split: Split = None,
    columns: Map = None,
    embedder: Embedder = None,
    run_code: RunCode = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """Grade stored answers again, with another protocol, without querying a model."""
    with report_errors():
        check(output)
        again = regrade_answers(
            report,
            protocol=protocol,
            task=task,
            data=data,
            references=references,
            split=split,
            columns=columns_of(columns),
            embedder=embedder,
            executor=executor_of(run_code=run_code),
        )
        finish(again, output, json=json)


@app.command()
def explain(
    answers: Answers,
    task: Task,
    data: Data = None,
    references: References = None,
    protocols: Annotated[
        str | None,
        typer.Option(help="Two or more, separated by commas; by default all.", show_default=False),
    ] = None,
    split: Split = None,
    items: Items = None,
    columns: Map = None,
    run_code: RunCode = False,
    metric: Annotated[
        str | None, typer.Option(help="The metric to compare; by default the primary ones.")
    ] = None,
    partings: Annotated[
        int, typer.Option(help="Items with different scores to show per pair.", min=0)
    ] = 5,
) -> None:
    """Grade one file of answers with several protocols and explain the differences."""
    with report_errors():
        rescored = explain_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocols=protocols.split(",") if protocols else None,
            split=split,
            items=item_ids(items),
            columns=columns_of(columns),
            executor=executor_of(run_code=run_code),
        )
        if len(rescored.reports) < 2:
            raise InputError("give at least two protocols to compare")
        show.protocol_reports(rescored, metric, partings)
        first = next(iter(rescored.reports.values()))
        show.warnings(rescored.notices)
        if first.input.problems:
            show.problems(first)
            raise typer.Exit(PROBLEMS)


app.command()(runs.evaluate)
app.command()(runs.compare)
app.command()(runs.report)
app.command()(runs.consensus)
app.command()(plan.sample)
app.command()(plan.plan)
app.command()(data_commands.fetch)
app.add_typer(data_commands.group, name="data")
app.command()(judge)
app.command()(summary)
for _name, _command in pack_tools.COMMANDS.items():
    pack.group.command(_name)(_command)
pack.group.command("audit")(pack_audit.audit)
app.add_typer(pack.group, name="pack")
app.command()(exports.export)
app.add_typer(serving.app)
app.command()(host.serve)
app.command()(host.worker)
app.add_typer(host.exams, name="exam", no_args_is_help=True)
app.add_typer(host.leaderboards, name="leaderboard", no_args_is_help=True)
app.command()(take.take)
app.command()(submit.submit)
app.command()(demo.demo)
app.command()(build.build)
app.add_typer(attempts.group, name="attempts")
app.command()(replay.replay)
app.add_typer(annotation.group, name="annotation")
app.add_typer(store.group, name="store")


@app.command()
def doctor() -> None:
    """Report what is installed, what is missing, and how to install it."""
    show.doctor(checks())
