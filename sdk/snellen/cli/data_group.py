"""The group `data`: references by vote, and samples of a task's items."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snellen.cli.listing import task_names
from snellen.cli.messages import report_errors
from snellen.cli.options import (
    Data,
    Embedder,
    Map,
    Split,
    Tags,
    Task,
    check_folder,
    columns_of,
    tag_names,
)
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError, where
from snellen.grading.table import figures

if TYPE_CHECKING:
    from snellen.sdk.data.consensus import Consensus
    from snellen.sdk.data.samples import Sample

_FEW = 5
_out = Terminal()
_err = Terminal(stderr=True)

group = typer.Typer(
    help="Create references by vote, and samples of a task's items.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@group.command("consensus")
def consensus(
    task: Annotated[
        str, typer.Argument(help="The task, such as webrssbench/color.", autocompletion=task_names)
    ],
    answers: Annotated[
        list[Path], typer.Argument(help="Three or more files of answers, one per model.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The output file of references.")],
    minimum_support: Annotated[
        int, typer.Option(help="Minimum number of votes for a reference.", min=1)
    ] = 3,
    embedder: Embedder = None,
    columns: Map = None,
) -> None:
    """Create references by vote from several models' answers.

    The voters have the names of the files without extension. The output has every vote, the
    unresolved items with reasons, and a digest. Use it with --references.
    """
    from snellen.sdk.data.consensus import make_consensus

    with report_errors():
        check_folder(output)
        voters = {path.stem: path for path in answers}
        if len(voters) < len(answers):
            raise InputError(
                "two answer files have the same name; rename one: the name is that of a voter"
            )
        found = make_consensus(
            voters,
            task=task,
            minimum_support=minimum_support,
            embedder=embedder,
            columns=columns_of(columns),
        )
        found.save(output)
        _print_consensus(found, output)


@group.command("sample")
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
    from snellen.sdk.data.stratify import stratify

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


def _print_consensus(found: "Consensus", path: Path) -> None:
    """Print what votes decided, what they did not, and where it is frozen."""
    _out.print(f"{len(found.references)} references, {len(found.unresolved)} unresolved")
    for item_id, reason in list(found.unresolved.items())[:_FEW]:
        _out.print(f"  {item_id}: {reason}", markup=False)
    if len(found.unresolved) > _FEW:
        _out.print(f"  and {len(found.unresolved) - _FEW} more, in the file")
    _out.print(f"{path} sha256:{found.sha256[:16]}", style="dim", soft_wrap=True, markup=False)
    for problem in found.problems[:_FEW]:
        place = where(problem.file, problem.line, problem.field)
        _err.print(f"  {place}{problem.message}", markup=False, soft_wrap=True)


def _print_sample(found: "Sample", path: Path) -> None:
    """Print what was drawn of each stratum, and where it is frozen."""
    rows: list[Sequence[str]] = []
    for stratum in found.design.strata:
        weight = f"{stratum.items / stratum.drawn:.2f}"
        rows.append((stratum.name, f"{stratum.items:,}", f"{stratum.drawn:,}", weight))
    names = (" x ".join(found.design.by), "items", "drawn", "each stands for")
    print_table(_out, figures(names, rows))
    _out.print(f"{len(found):,} of {found.design.items:,} items drawn: {found.allocation}")
    _out.print(f"{path} sha256:{found.sha256[:16]}", style="dim", soft_wrap=True, markup=False)
