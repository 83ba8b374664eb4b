"""The commands before a run: draw a sample of the items, say how many a question needs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from snellen.cli.messages import report_errors
from snellen.cli.options import Data, Split, Tags, Task, check_folder, tag_names
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError
from snellen.grading.stats.plans import Costs, Plan, Planned, costs, planned
from snellen.grading.stats.precision import Expected
from snellen.grading.table import figures
from snellen.sdk.data.samples import Sample
from snellen.sdk.data.stratify import stratify

_out = Terminal()


def sample(
    task: Task,
    data: Data,
    by: Annotated[str, typer.Option(help="The tags of the strata: dimension,level.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The output file, JSON.")],
    n: Annotated[
        int | None,
        typer.Option(
            help="Number of items to draw from all strata except the core, in proportion.", min=1
        ),
    ] = None,
    each: Annotated[
        int | None, typer.Option(help="Instead of --n: number of items per stratum.", min=1)
    ] = None,
    core: Annotated[
        str | None,
        typer.Option(
            help="Values whose strata are included completely: perception,action or level=L1."
        ),
    ] = None,
    whole: Annotated[
        str | None,
        typer.Option(help="A tag whose values are drawn completely or not at all, such as site."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the draw.", min=0)] = 0,
    split: Split = None,
    tags: Tags = None,
) -> None:
    """Draw a stratified sample of a task's items and save it.

    Grade or evaluate with --items SAMPLE. The report then estimates the score on all items.
    """
    with report_errors():
        check_folder(output)
        if data is None:
            raise InputError("the data is missing: give --data, the benchmark's folder or file")
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
        _print_sample(found, output)


def plan(
    half_width: Annotated[
        float | None,
        typer.Option(help="The half-width of the interval of a score, in points.", min=0.01),
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="The difference between two models to detect, in points.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", help="Instead: the precision of this many items.", min=2)
    ] = None,
    score: Annotated[
        float, typer.Option(help="The expected score, in percent.", min=0.0, max=100.0)
    ] = 50.0,
    correlation: Annotated[
        float, typer.Option(help="The correlation of two models' item scores.", min=-1, max=1)
    ] = 0.5,
    cluster_size: Annotated[
        float, typer.Option(help="Items per page or site, including the item itself.", min=1)
    ] = 1.0,
    icc: Annotated[
        float,
        typer.Option(
            help="The intraclass correlation of items of one page or site, 0 to 1.", min=0, max=1
        ),
    ] = 0.0,
    models: Annotated[
        int, typer.Option(help="Number of models to compare, each with each.", min=1)
    ] = 2,
    population: Annotated[
        int | None, typer.Option(help="The size of a finite population of items.", min=2)
    ] = None,
    power: Annotated[
        float, typer.Option(help="The probability of detecting the difference.")
    ] = 0.8,
    level: Annotated[
        float, typer.Option(help="The confidence level of the interval and the test.")
    ] = 0.95,
    attempts: Annotated[int, typer.Option(help="Answers per item.", min=1)] = 1,
    tokens: Annotated[
        int | None, typer.Option(help="Tokens per answer, including prompt and image.", min=1)
    ] = None,
    price: Annotated[
        float | None, typer.Option(help="The price of a million tokens, in any currency.", min=0)
    ] = None,
) -> None:
    """Compute how many items an evaluation needs, and what they cost.

    Give one of --half-width, --difference and --n; the first two can be combined.
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
        _print_plan(asked, found, spent)


def _print_sample(found: Sample, path: Path) -> None:
    """Print what was drawn of each stratum, and where it is frozen."""
    rows: list[Sequence[str]] = []
    for stratum in found.design.strata:
        weight = f"{stratum.items / stratum.drawn:.2f}"
        rows.append((stratum.name, f"{stratum.items:,}", f"{stratum.drawn:,}", weight))
    names = (" x ".join(found.design.by), "items", "drawn", "each stands for")
    print_table(_out, figures(names, rows))
    _out.print(f"{len(found):,} of {found.design.items:,} items drawn: {found.allocation}")
    _out.print(f"{path} sha256:{found.sha256[:16]}", style="dim", soft_wrap=True, markup=False)


def _print_plan(asked: Plan, found: Planned, spent: Costs) -> None:
    """Print how many items a plan needs, what they show and what they cost."""
    rows: list[Sequence[str]] = []
    if asked.half_width is not None:
        wanted = f"score known to +-{100 * asked.half_width:g} points"
        rows.append((wanted, f"{found.for_half_width:,}"))
    if asked.difference is not None:
        wanted = f"difference of {abs(100 * asked.difference):g} points found"
        rows.append((wanted, f"{found.for_difference:,}"))
    if rows:
        print_table(_out, figures(("", "items"), rows))
    if not found.enough:
        _out.print("[yellow]There are fewer items than that; with all of them:[/yellow]")
    width = f"{100 * found.half_width:.2f}"
    _out.print(f"{found.items:,} items: each score is known to +-{width} points")
    if found.detectable is not None:
        pairs = f" ({asked.comparisons} pairs, corrected)" if asked.comparisons > 1 else ""
        _out.print(
            f"  and {100 * asked.power:g} % of differences of {100 * found.detectable:.2f} points"
            f" are found{pairs}"
        )
    cost = [f"{spent.answers:,} answers of {asked.models} model{'s' if asked.models > 1 else ''}"]
    if spent.tokens is not None:
        cost.append(f"{spent.tokens:,} tokens")
    if spent.price is not None:
        cost.append(f"{spent.price:,.2f} at that price")
    _out.print(", ".join(cost))
