"""The commands before a run: draw a sample of the items, say how many a question needs."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.grading.errors import InputError
from snellen.grading.stats.plans import Plan, costs, planned
from snellen.grading.stats.precision import Expected
from snellen.sdk.cli import show
from snellen.sdk.cli.messages import report_errors
from snellen.sdk.cli.options import Data, Split, Tags, Task, check_folder, tag_names
from snellen.sdk.data.samples import stratify


def sample(
    task: Task,
    data: Data,
    by: Annotated[str, typer.Option(help="The tags that make the strata: dimension,level.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The sample to freeze, as JSON.")],
    n: Annotated[
        int | None,
        typer.Option(
            help="How many items to draw of all strata that are not core, in proportion.", min=1
        ),
    ] = None,
    each: Annotated[
        int | None, typer.Option(help="Instead: how many of each of these strata.", min=1)
    ] = None,
    core: Annotated[
        str | None,
        typer.Option(help="Values whose strata keep all items: perception,action or level=L1."),
    ] = None,
    whole: Annotated[
        str | None, typer.Option(help="A tag whose values are drawn as one, such as site.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed draws the same items.", min=0)] = 0,
    split: Split = None,
    tags: Tags = None,
) -> None:
    """Draw a stratified sample of a task's items and freeze it in a file.

    Grade or evaluate with --items SAMPLE: the report then estimates what all items would score.
    """
    with report_errors():
        check_folder(output)
        if data is None:
            raise InputError("say what to draw from: --data, the benchmark's folder or file")
        found = stratify(
            data,
            task=task,
            by=tag_names(by),
            n=n,
            each=each,
            core=tag_names(core) if core else (),
            whole=whole,
            seed=seed,
            split=split,
            tags=tags,
        )
        found.save(output)
        show.sample(found, output)


def plan(
    half_width: Annotated[
        float | None, typer.Option(help="How close a score shall be known, +- points.", min=0.01)
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="The difference between two models to find, points.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", help="The other way round: what so many items show.", min=2)
    ] = None,
    score: Annotated[
        float, typer.Option(help="The score expected, percent.", min=0.0, max=100.0)
    ] = 50.0,
    correlation: Annotated[
        float, typer.Option(help="How far two models get the same items right.", min=-1, max=1)
    ] = 0.5,
    cluster_size: Annotated[
        float, typer.Option(help="Items that an item's page or site has, itself included.", min=1)
    ] = 1.0,
    icc: Annotated[
        float, typer.Option(help="How alike items of one page or site are, 0 to 1.", min=0, max=1)
    ] = 0.0,
    models: Annotated[
        int, typer.Option(help="Models that are all compared with one another.", min=1)
    ] = 2,
    population: Annotated[
        int | None, typer.Option(help="Items to draw from, where only these matter.", min=2)
    ] = None,
    power: Annotated[float, typer.Option(help="The chance of finding the difference.")] = 0.8,
    level: Annotated[float, typer.Option(help="Of the interval and the test.")] = 0.95,
    attempts: Annotated[int, typer.Option(help="Answers an item.", min=1)] = 1,
    tokens: Annotated[
        int | None, typer.Option(help="Tokens an answer, prompt and picture included.", min=1)
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="Of a million tokens, in any currency.", min=0)
    ] = None,
) -> None:
    """Say how many items a question needs, and what they cost.

    One of --half-width, --difference and --n; the first two may be asked for together.
    """
    with report_errors():
        asked = Plan(
            half_width=None if half_width is None else half_width / 100,
            difference=None if difference is None else difference / 100,
            items=n,
            expected=Expected(score / 100, cluster_size, icc, population),
            correlation=correlation,
            models=models,
            power=power,
            level=level,
        )
        found = planned(asked)
        spent = costs(found.items, models=models, attempts=attempts, tokens=tokens, price=price)
        show.plan(asked, found, spent)
