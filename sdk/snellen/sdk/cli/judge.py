"""The command that asks a judge about a saved report's responses."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.sdk.cli import models
from snellen.sdk.cli.messages import report_errors
from snellen.sdk.cli.options import PROBLEMS, Images, Json, Output, check, finish, item_ids
from snellen.sdk.models.settings import AskingOptions
from snellen.sdk.stored import reopen


@models.asks_a_model
def judge(
    report: Annotated[Path, typer.Argument(help="A report saved as JSON.")],
    judge: Annotated[
        str, typer.Option(help="The judge's API by its base URL: http://localhost:8000/v1.")
    ],
    name: Annotated[str, typer.Option(help="The judge's name there.")],
    rubric: Annotated[
        str, typer.Option(help="correct (0 or 1), graded (0 to 4), or a TOML file of your own.")
    ] = "correct",
    api: models.Api = "openai",
    labels: Annotated[
        Path | None,
        typer.Option(
            help="What people say: CSV, TSV or JSONL with item_id and label.", show_default=False
        ),
    ] = None,
    votes: Annotated[
        int, typer.Option(help="How often each response is judged; an odd number.", min=1)
    ] = 1,
    items: Annotated[
        Path | None,
        typer.Option(help="A file of item ids, one a line: judge only these.", show_default=False),
    ] = None,
    with_images: Annotated[
        bool, typer.Option("--with-images", help="Send the judge the screenshots, too.")
    ] = False,
    images: Images = None,
    data: Annotated[
        Path | None, typer.Option(help="Where its data is now, when it moved.", show_default=False)
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="A folder that keeps the verdicts; given again, asking goes on.",
            show_default=False,
        ),
    ] = None,
    header: models.Header = None,
    *,
    asking: AskingOptions,
    output: Output = None,
    json: Json = False,
) -> None:
    """Ask a model whether a saved report's responses are right; the score stays as it is.

    The judge is sent the questions, the references and the responses: with a remote one, the
    references leave this machine. The key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY. Exit
    status: 0 when every response has a verdict, 1 when some have none, 2 when nothing was judged.
    """
    from snellen.sdk.models.judge import judge as judge_report

    with report_errors():
        check(output)
        asking["run"] = run
        found = judge_report(
            reopen(report, data=data, images=images),
            judge=models.endpoint(judge, name, api, header),
            rubric=rubric,
            items=item_ids(items),
            votes=votes,
            labels=labels,
            with_images=with_images,
            **asking,
        )
        finish(found, output, json=json)
        last = list(found.auxiliary.values())[-1]
        if last.unjudged:
            raise typer.Exit(PROBLEMS)
