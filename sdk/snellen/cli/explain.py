"""The command `explain`."""

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from snellen.cli import models, options, reports
from snellen.cli.messages import report_errors
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import DataError, InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snellen.grading.explain import Explanation
    from snellen.sdk.protocol_reports import ProtocolReports
    from snellen.tasks.models import TaskData

_out = Terminal()


def explain(
    task: options.Task,
    answers: Annotated[
        str | None,
        typer.Argument(
            help="A file of answers, as for grade; none with --recipe.", show_default=False
        ),
    ] = None,
    data: options.Data = None,
    references: options.References = None,
    protocols: Annotated[
        str | None,
        typer.Option(help="Two or more, separated by commas; by default all.", show_default=False),
    ] = None,
    split: options.Split = None,
    items: options.Items = None,
    columns: options.Map = None,
    run_code: options.RunCode = False,
    corrections: options.Corrections = None,
    metric: Annotated[
        str | None, typer.Option(help="The metric to compare; by default the primary ones.")
    ] = None,
    recipes: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--recipe",
            help="Instead of answers: the parts in which the requests of two recipes differ.",
            metavar="NAME NAME",
            autocompletion=models.recipe_names,
            show_default=False,
        ),
    ] = None,
    images: options.Images = None,
    show: options.Show = 5,
) -> None:
    """Grade one file of answers with several protocols and explain the differences.

    With --recipe, compare the requests of two recipes instead, item by item, without a model.
    """
    from snellen.sdk.inputs.selection import select
    from snellen.sdk.protocol_reports import explain as explain_answers
    from snellen.tasks.benchmarks.table import load_task

    with report_errors():
        if recipes:
            if answers or data is None:
                raise InputError("--recipe needs --data, and no answers")
            loaded = load_task(task, data, split=split, images=images)
            selection = select(None, loaded, items=options.item_ids(items))
            _requests(loaded, selection.ids, recipes, show)
            return
        if answers is None:
            raise InputError("give a file of answers, or two recipes: --recipe A B")
        rescored = explain_answers(
            answers,
            task=task,
            data=data,
            references=references,
            protocols=protocols.split(",") if protocols else None,
            split=split,
            items=options.item_ids(items),
            columns=options.columns_of(columns),
            executor=options.executor_of(run_code=run_code),
            corrections=corrections,
        )
        if len(rescored.reports) < 2:
            raise InputError("give at least two protocols to compare")
        _print(rescored, metric, show)
        first = next(iter(rescored.reports.values()))
        reports.warnings(rescored.notices)
        if first.input.problems:
            reports.problems(first)
            raise typer.Exit(options.PROBLEMS)


def _requests(data: "TaskData", ids: "Sequence[str]", recipes: tuple[str, str], show: int) -> None:
    """Print, item by item, the parts in which two recipes' requests differ, and how often."""
    from snellen.sdk.recipes.recipe import PARTS, differences

    counts: Counter[str] = Counter()
    shown = 0
    for item_id in ids:
        item = data.item(item_id)
        try:
            found = differences(item, data.image(item_id, item.images[0].name), *recipes)
        except DataError as error:
            counts[""] += 1
            if counts[""] == len(ids):
                raise
            _out.print(f"[yellow]{escape(item_id)}[/yellow]: {escape(str(error))}")
            continue
        counts.update(found.keys())
        shown += 1
        if shown > show:
            continue
        _out.print(f"[bold]{escape(item_id)}[/bold]: {', '.join(found) or 'the same request'}")
        for part, texts in found.items():
            one, other = map(escape, _apart(*texts))
            _out.print(f"  {part}\n    {one}\n    {other}", highlight=False)
    _out.print(f"{escape(' -> '.join(recipes))}: {len(ids)} items, {counts['']} without a request")
    for part in PARTS:
        _out.print(f"  {part}: differs on {counts[part]}")


def _apart(first: str, second: str) -> tuple[str, str]:
    """Return two texts from shortly before where they begin to differ."""
    pairs = enumerate(zip(first, second, strict=False))
    start = max(0, next((at for at, (one, other) in pairs if one != other), 20) - 20)
    return _short(first[start:]), _short(second[start:])


def _print(given: "ProtocolReports", key: str | None, show: int) -> None:
    """Print one number a protocol, then each difference shared out among the parts."""
    from snellen.grading.report.render import protocols_table

    table = protocols_table(given.reports)
    print_table(_out, table)
    keys = table.names[1:]
    if key is not None and key not in keys:
        raise UnknownNameError("metric of these protocols", key, keys)
    for first, second in combinations(given.reports, 2):
        lacking = [
            name for name in (first, second) if key and key not in given.reports[name].metrics
        ]
        if lacking:
            _out.print(f"\n{first} -> {second}: {' and '.join(lacking)} has no {key}")
            continue
        _explanation(given.explain(first, second, key))
        _partings(given, first, second, key, show)


def _explanation(given: "Explanation") -> None:
    _out.print(
        f"\n[bold]{escape(given.first)} -> {escape(given.second)}[/bold] ({escape(given.key)}):"
        f" {100 * given.first_value:.4f} -> {100 * given.second_value:.4f},"
        f" difference {100 * given.difference:+.4f}"
    )
    grid = Table.grid(padding=(0, 2))
    for share in given.shares:
        change = share.first if share.first == share.second else f"{share.first} -> {share.second}"
        grid.add_row("", share.part.value, f"{100 * share.share:+.4f}", escape(change))
    grid.add_row("", "residual", f"{100 * given.residual:+.1e}", "")
    _out.print(grid)
    if given.note:
        _out.print(f"  {escape(given.note)}")


def _partings(
    given: "ProtocolReports", first: str, second: str, key: str | None, most: int
) -> None:
    shown = 0
    total = 0
    for parting in given.partings(first, second, key):
        total += 1
        if shown < most:
            shown += 1
            _out.print(
                f"  {escape(parting.item_id)}: {parting.first:.4f} -> {parting.second:.4f}"
                f"  {escape(_short(parting.response))}"
            )
    if total > shown:
        _out.print(f"  they differ on {total} responses in total")


def _short(response: object) -> str:
    text = repr(response)
    return text if len(text) <= 60 else f"{text[:57]}..."
