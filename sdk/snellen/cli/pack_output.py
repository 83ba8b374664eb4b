"""What the commands that make packs out of packs print, and the progress that they show."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.markup import escape
from rich.table import Table

from snellen.cli.terminal import Terminal

if TYPE_CHECKING:
    from snellen.tasks.pack.format import Manifest
    from snellen.tasks.pack.stats import PackStat, Spread, TaskStat

out = Terminal()
err = Terminal(stderr=True)
_MOST_TAGS = 8

Bar: TypeAlias = Callable[[int], None]
"""Shows how many are done."""


def packed(manifest: "Manifest", folder: Path) -> None:
    """Say what a new pack holds."""
    size = megabytes(manifest.image_bytes)
    place = escape(str(folder))
    out.print(
        f"[bold]{escape(manifest.name)}[/bold] in {place}: {manifest.images:,} images, {size}",
        soft_wrap=True,
    )
    table(["", task.task, f"{task.items:,} items", task.protocol] for task in manifest.tasks)


def made(manifest: "Manifest", folder: Path) -> None:
    """Say what a new pack holds, and how its references are kept."""
    packed(manifest, folder)
    kept = manifest.references
    out.print(f"references: {'none' if kept is None else f'in {kept}'}")


def stat(found: "PackStat") -> None:
    """Print a pack in numbers."""
    size = megabytes(found.image_bytes)
    out.print(
        f"[bold]{escape(found.name)}[/bold]: {found.items:,} items, {found.images:,} images, {size}"
        f", references {'none' if found.references is None else f'in {found.references}'}"
    )
    for task in found.tasks:
        _task(task)
    if (built := found.built) is not None:
        seed = "" if built.seed is None else f", seed {built.seed}"
        out.print(
            f"built by {escape(built.builder or 'unknown')}{escape(seed)}: {built.pages:,} pages of"
            f" {built.sites:,} sites, {len(built.unstable):,} unstable, {len(built.struck):,}"
            " items removed"
        )


def _task(task: "TaskStat") -> None:
    out.print(f"[bold]{escape(task.task)}[/bold] ({escape(task.split)}, {escape(task.protocol)})")
    sites = "unknown" if task.sites is None else f"{task.sites:,} by {task.cluster}"
    sized = f"{_spread(task.widths)} x {_spread(task.heights)} pixels" if task.widths else ""
    options = ", ".join(f"{number} of {count:,}" for number, count in task.options.items())
    rows = [
        ["items", f"{task.items:,}" + (f", {task.pairs:,} pairs" if task.pairs else "")],
        ["images", f"{task.images:,}, {megabytes(task.image_bytes)} {sized}"],
        ["independent groups", sites],
        ["answers", _counts(task.answers) + (f"; options: {options}" if options else "")],
        ["prompt", f"{task.prompt}: {_spread(task.prompt_characters)} characters"],
    ]
    if task.references:
        rows.append(["references", _counts(task.references)])
    for name, tag in task.tags.items():
        text = _counts(tag.counts) if tag.counts else f"{tag.values:,} values"
        rows.append([f"tag {name}", text])
    table(["", *row] for row in rows)


def _counts(counts: dict[str, int]) -> str:
    shown = [f"{name} {count:,}" for name, count in list(counts.items())[:_MOST_TAGS]]
    more = [f"{len(counts) - _MOST_TAGS} more"] if len(counts) > _MOST_TAGS else []
    return ", ".join([*shown, *more])


def _spread(numbers: "Spread | None") -> str:
    if numbers is None:
        return "?"
    if numbers.least == numbers.most:
        return f"{numbers.least:g}"
    return f"{numbers.least:g}..{numbers.most:g} (median {numbers.median:g})"


def table(rows: "Sequence[Sequence[str]] | Generator[Sequence[str]]") -> None:
    """Print rows of texts in columns, the last one wrapped; what looks like markup is text."""
    cells = [list(map(str, row)) for row in rows]
    if not out.is_terminal:
        # A pipe or a file is as wide as what is written to it.
        _print_whole(cells)
        return
    grid = Table.grid(padding=(0, 2))
    for row in cells:
        while len(grid.columns) < len(row) - 1:
            grid.add_column(no_wrap=True)
        grid.add_row(*map(escape, row))
    out.print(grid)


def _print_whole(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(cell_len, column)) for column in zip_longest(*rows, fillvalue="")]
    for row in rows:
        padded = [set_cell_size(cell, width) for cell, width in zip(row, widths, strict=False)]
        out.print(escape("  ".join(padded).rstrip()), soft_wrap=True)


def megabytes(size: int) -> str:
    """Return a number of bytes as megabytes."""
    return f"{size / 1e6:,.1f} MB"


@contextmanager
def bar(what: str, total: int | None) -> Generator[Bar]:
    """Show on a terminal how many items are done, and how long the rest takes."""
    if not (sys.stderr.isatty() and err.is_interactive):
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as shown:
        line = shown.add_task(what, total=total)
        yield lambda done: shown.update(line, completed=done)
