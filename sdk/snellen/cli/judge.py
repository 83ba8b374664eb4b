"""The command that asks a judge about a saved report's responses."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.cli import models
from snellen.cli.options import PROBLEMS, Images, Output, check, item_ids
from snellen.cli.reports import finish


def judge(
    report: Annotated[Path, typer.Argument(help="A report saved as JSON.")],
    endpoint: models.Url,
    model: models.Name,
    rubric: Annotated[
        str, typer.Option(help="correct (0 or 1), graded (0 to 4), or your own TOML file.")
    ] = "correct",
    api: models.Api = "openai",
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Human labels: CSV, TSV or JSONL with item_id and label.", show_default=False
        ),
    ] = None,
    votes: Annotated[int, typer.Option(help="Verdicts per response; an odd number.", min=1)] = 1,
    items: Annotated[
        Path | None,
        typer.Option(
            help="Judge only these items: a file of item ids, one per line.", show_default=False
        ),
    ] = None,
    with_images: Annotated[
        bool, typer.Option("--with-images", help="Also send the screenshots to the judge.")
    ] = False,
    images: Images = None,
    data: Annotated[
        Path | None, typer.Option(help="The location of its data, if it moved.", show_default=False)
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the verdicts; use it again to resume.",
            show_default=False,
        ),
    ] = None,
    settings: models.Settings = None,
    output: Output = None,
) -> None:
    """Let a model judge the responses of a saved report, without changing the score.

    The judge receives questions, references and responses: with a remote judge, the references
    leave this machine. The key is read from OPENAI_API_KEY or ANTHROPIC_API_KEY. Exit
    status: 0 if every response has a verdict, 1 if some have none, 2 if nothing was judged.
    """
    from snellen.sdk.models.judge import judge as judge_report
    from snellen.sdk.stored import reopen

    with models.report_stops():
        check(output)
        target, asking = models.asking(endpoint, model, api, settings)
        asking["run"] = run
        found = judge_report(
            reopen(report, data=data, images=images),
            judge=target,
            rubric=rubric,
            items=item_ids(items),
            votes=votes,
            labels=labels,
            with_images=with_images,
            **asking,
        )
        finish(found, output)
        last = list(found.auxiliary.values())[-1]
        if last.unjudged:
            raise typer.Exit(PROBLEMS)
