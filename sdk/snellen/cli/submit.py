"""The command that uploads predictions to a hosted exam: `submit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snellen.cli.messages import list_problems, message, report_errors
from snellen.cli.options import PROBLEMS, check
from snellen.cli.plain import tell, write
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.stats.over_tasks import NAME as TOTAL
from snellen.grading.table import figures

if TYPE_CHECKING:
    from snellen.tasks.hosted import SubmissionStatus, TaskScore

_COLUMNS = ("task", "metric", "score", "95 % interval", "items")
_out = Terminal()


def submit(
    answers: Annotated[Path, typer.Argument(help="The file of predictions.")],
    to: Annotated[str, typer.Option(help="The server's address: https://exam.example.org.")],
    exam: Annotated[
        str | None,
        typer.Option(help="The exam; optional if the server has only one.", show_default=False),
    ] = None,
    phase: Annotated[
        str | None,
        typer.Option(help="The phase; by default the open one.", show_default=False),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="The task of the whole file; by default each line states its task.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="The name on the leaderboard.")] = "",
    link: Annotated[str, typer.Option(help="A link with more information.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait until it is graded.")] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Save the report, if the phase shows reports: .json, .html, .md or .csv.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Upload predictions to a hosted exam and print their score.

    The token is read from SNELLEN_TOKEN.

    Exit status: 0 if the file is graded (or, with --no-wait, accepted), 1 if it can't be graded,
    2 if it was not accepted.
    """
    from snellen.sdk.hosted.client import Client

    with report_errors(), Client(to, exam=exam) as client:
        check(None if output is None else [output])
        tell(client.quota(phase).words)
        sent = client.submit(answers, phase=phase, task=task, name=name, link=link)
        accepted = f"{sent.id} was accepted, phase {sent.status.phase}"
        write(f"{sent.status.note or accepted}\n")
        if not wait:
            return
        status = sent.done(progress=True)
        if status.state != "graded":
            write(f"{sent.id} {status.state}: {status.error}\n")
            list_problems(status.problems, status.problem_count)
            raise typer.Exit(PROBLEMS)
        if status.scores or status.value is not None:
            rows = [
                (score.task, score.metric, *_value(score), str(score.items))
                for score in status.scores
            ]
            # The only task of an exam is its total.
            if status.value is not None and [status.value] != [
                each.value for each in status.scores
            ]:
                rows.append((TOTAL, "", *_value(status), ""))
            print_table(_out, figures(_COLUMNS, rows, texts=range(2)))
        else:
            write(f"it is graded; {status.note or 'scores are not shown in this phase'}\n")
        if status.note and status.scores:
            message(status.note)
        if status.problem_count:
            message(f"{status.problem_count:,} problem(s) in the file; the rest was graded:")
            list_problems(status.problems, status.problem_count)
        if output is not None:
            sent.wait(task=task).save(output)
            write(f"wrote {output}\n")


def _value(score: "TaskScore | SubmissionStatus") -> tuple[str, str]:
    """Return a value and its interval as texts."""
    ends = "" if score.low is None else f"{score.low:.4f} to {score.high:.4f}"
    return f"{score.value:.4f}", ends
