"""The commands on packs that exist: split, sample, remove, preview, audit."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.messages import report_errors
from snellen.cli.options import PROBLEMS, check_folder, tag_names
from snellen.cli.pack import Folder, Key, NewFolder, copy_without_references, group, readable
from snellen.grading.errors import InputError
from snellen.grading.models.estimates import Estimate
from snellen.sdk.files import write_atomically
from snellen.tasks.pack import seal

if TYPE_CHECKING:
    from snellen.tasks.item_audit.models import Audit, SolverScore


PARTS = "train=0.8,test=0.2"
Seed = Annotated[int, typer.Option(help="The seed of the choice.", min=0)]


def split(
    folder: Folder,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The new folder of the parts, or of the copy; must not exist."
        ),
    ],
    parts: Annotated[
        str, typer.Option(help="Names and shares, such as train=0.5,test=0.5.")
    ] = PARTS,
    by: Annotated[
        str, typer.Option(help="The tag whose values stay together; site: the task's groups.")
    ] = "site",
    seed: Seed = 0,
    own_references: Annotated[
        bool,
        typer.Option(
            "--own-references",
            help="Give each part only the references of its own items; this changes "
            "fitted metrics.",
        ),
    ] = False,
    without_references: Annotated[
        bool,
        typer.Option(
            "--without-references",
            help="Instead of parts: copy the whole pack without its references, for a server that "
            "only records answers; grade them with the original pack.",
        ),
    ] = False,
    key: Key = None,
) -> None:
    """Split a pack into parts that share no site, screenshot or pair."""
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.split import parts_of, split_pack

    with report_errors():
        if without_references:
            if own_references or parts != PARTS:
                raise InputError("--without-references excludes --parts and --own-references")
            copy_without_references(folder, output)
            return
        pack = open_pack(folder)
        secret = seal.find_key(key, pack=folder)
        with pack_output.bar("splitting", len(pack.lines)) as watch:
            found = split_pack(
                pack,
                parts_of(parts),
                output,
                by=by,
                seed=seed,
                key=secret,
                own_references=own_references,
                watch=watch,
            )
        for part, manifest in found.items():
            pack_output.made(manifest, output / part)


def sample(
    folder: Folder,
    output: NewFolder,
    n: Annotated[int, typer.Option("--n", help="Maximum number of items.", min=1)],
    by: Annotated[
        str, typer.Option(help="The tags of the strata, such as task,difficulty.")
    ] = "task",
    each: Annotated[
        bool, typer.Option("--each", help="--n is per stratum instead of in total.")
    ] = False,
    task: Annotated[
        list[str] | None,
        typer.Option(help="Only this task; may be repeated.", show_default=False),
    ] = None,
    seed: Seed = 0,
    key: Key = None,
) -> None:
    """Draw a stratified, proportional sample of a pack as a new pack; pairs stay together."""
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.sample import sample_pack

    with report_errors():
        pack = open_pack(folder)
        secret = seal.find_key(key, pack=folder)
        with pack_output.bar("copying", None if each else n) as watch:
            manifest = sample_pack(
                pack,
                n,
                output,
                by=tag_names(by),
                each=each,
                tasks=task or (),
                seed=seed,
                key=secret,
                watch=watch,
            )
        pack_output.made(manifest, output)


def remove(
    folder: Folder,
    removed: Annotated[
        list[Path],
        typer.Argument(help="Lists of items, as written by preview and audit."),
    ],
    output: NewFolder,
    key: Key = None,
) -> None:
    """Write a pack without some of its items; its manifest lists them with reasons.

    A pack is never changed in place.
    """
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.remove import read_removed
    from snellen.tasks.pack.remove import remove as remove_items

    with report_errors():
        pack = open_pack(folder)
        secret = seal.find_key(key, pack=folder)
        listed = [one for path in removed for one in read_removed(path, pack)]
        with pack_output.bar("copying", len(pack.lines)) as watch:
            manifest = remove_items(pack, listed, output, key=secret, watch=watch)
        pack_output.made(manifest, output)


def preview(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page, an .html file.")] = Path(
        "preview.html"
    ),
    without_references: Annotated[
        bool, typer.Option("--without-references", help="Omit the references.")
    ] = False,
    key: Key = None,
) -> None:
    """Write a page with every picture, prompt and reference of a pack, to select items to remove.

    The page works offline and remembers the selection; its list is for snellen pack remove.
    """
    from snellen.tasks.pack.preview_pages import preview_pages
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.transform import check_outside

    with report_errors():
        if output.suffix != ".html":
            raise InputError("a preview's name must end in .html", file=str(output))
        check_folder(output)
        pack = open_pack(folder)
        check_outside(output, [pack])
        references = None if without_references else readable(pack, key)
        with pack_output.bar("shrinking", len(pack.lines)) as watch:
            pages = list(preview_pages(pack, references, output.stem, watch=watch))
        for page in pages:
            write_atomically(output.with_name(page.name), [page.data])
        size = pack_output.megabytes(sum(len(page.data) for page in pages))
        shown = "with references" if references else "without references"
        pack_output.out.print(f"{escape(str(output))}: {len(pages)} pages, {size}, {shown}")


def audit(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the list of faulty items to this file.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    key: Key = None,
) -> None:
    """Check the items of a pack, run solvers that must fail, and list faulty items.

    The faults may tell references. The list, for snellen pack remove and --corrections, tells none.
    Exit status: 0 if no item is faulty, 1 if some are, 2 if nothing could be audited.
    """
    from snellen.tasks.item_audit.audit import audit_pack
    from snellen.tasks.pack.read import open_pack, open_references
    from snellen.tasks.pack.remove import removed_text
    from snellen.tasks.pack.transform import check_outside

    with report_errors():
        pack = open_pack(folder)
        if output is not None:
            check_folder(output)
            check_outside(output, [pack])
        secret = seal.find_key(key, pack=folder)
        references = open_references(pack, secret)
        with pack_output.bar("looking", None) as watch:
            found = audit_pack(pack, references, watch=watch)
        if output is not None:
            write_atomically(output, [removed_text(found.removed, "snellen pack audit").encode()])
        if json:
            sys.stdout.write(found.model_dump_json(indent=2) + "\n")
        else:
            _audited(found, output)
        if found.removed:
            raise typer.Exit(PROBLEMS)


def _audited(found: "Audit", output: Path | None) -> None:
    pack_output.out.print(f"[bold]{escape(found.name)}[/bold]: {found.items:,} items")
    for task in found.tasks:
        pack_output.out.print(f"[bold]{escape(task.task)}[/bold] ({task.items:,} items)")
        pack_output.table(["", *_solver(one)] for one in task.solvers)
        pack_output.table(["", f"{count:,}", fault.value] for fault, count in task.faults.items())
    pack_output.out.print("[bold]all tasks[/bold]")
    pack_output.table(["", *_solver(one)] for one in found.overall)
    for one in found.findings:
        words = f"{one.task} {one.item}: {one.fault.value}"
        pack_output.out.print(escape(words), soft_wrap=True)
    listed = "" if output is None else f"; listed in {escape(str(output))}"
    count = len(found.removed)
    pack_output.out.print(
        f"{count:,} of {found.items:,} items are at fault{listed}", soft_wrap=True
    )


def _solver(one: "SolverScore") -> list[str]:
    chance = "?" if one.chance is None else f"{100 * one.chance:.1f}"
    fault = f"{len(one.at_fault):,} of these at fault" if one.at_fault else ""
    return [
        one.solver.value,
        f"{one.items:,} items",
        f"{100 * one.score:.1f}",
        f"chance {chance}",
        _lift(one.lift),
        f"{one.solved:,} solved",
        fault,
    ]


def _lift(lift: Estimate | None) -> str:
    if lift is None:
        return ""
    known = lift.interval
    to = f" ({100 * known.low:+.1f} to {100 * known.high:+.1f})" if known else ""
    return f"lift {100 * lift.value:+.1f}{to}"


for _command in (split, sample, remove, preview, audit):
    group.command(_command.__name__)(_command)
