"""The command `plan`: the items that an evaluation needs, and what they cost."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from snellen.cli.messages import report_errors
from snellen.cli.options import settings_of
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import figures

if TYPE_CHECKING:
    from snellen.grading.stats.plans import Costs, Plan, Planned

_out = Terminal()
_OF_SAMPLE: Mapping[str, Any] = {"cluster_size": float, "icc": float, "population": int | None}
_BETWEEN = Annotated[float, Field(gt=0, lt=1)]
_OF_TESTS: Mapping[str, Any] = {
    "correlation": Annotated[float, Field(ge=-1, le=1)],
    "power": _BETWEEN,
    "level": _BETWEEN,
}


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
    models: Annotated[
        int, typer.Option(help="Number of models to compare, each with each.", min=1)
    ] = 2,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="An assumption; may be repeated. cluster_size: items per page or site (1); icc: "
            "their intraclass correlation (0); correlation of two models' item scores (0.5); "
            "population: the number of items that exist; power: the probability of detecting the "
            "difference (0.8); level: the confidence level of the interval and the test (0.95).",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = None,
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
    from snellen.grading.stats.plans import Plan, costs, planned
    from snellen.grading.stats.precision import Expected

    with report_errors():
        assumed = settings_of(settings, {**_OF_SAMPLE, **_OF_TESTS})
        sample = {name: assumed[name] for name in assumed.keys() & _OF_SAMPLE.keys()}
        tests = {name: assumed[name] for name in assumed.keys() & _OF_TESTS.keys()}
        asked = Plan(
            half_width=None if half_width is None else half_width / 100,
            difference=None if difference is None else difference / 100,
            items=n,
            expected=Expected(score / 100, **sample),
            models=models,
            **tests,
        )
        found = planned(asked)
        spent = costs(found.items, models=models, attempts=attempts, tokens=tokens, price=price)
        _print_plan(asked, found, spent)


def _print_plan(asked: "Plan", found: "Planned", spent: "Costs") -> None:
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
