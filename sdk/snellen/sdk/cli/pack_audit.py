"""The commands that need a pack's references: audit, and export for fine-tuning."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from snellen.grading.errors import InputError
from snellen.grading.models.estimates import Estimate
from snellen.sdk.cli import pack_output
from snellen.sdk.cli.messages import report_errors
from snellen.sdk.cli.options import PROBLEMS, check_folder
from snellen.sdk.cli.pack import Folder, Key
from snellen.sdk.files import write_atomically
from snellen.tasks.audit.audit import audit_pack
from snellen.tasks.audit.models import Audit, SolverScore
from snellen.tasks.audit.solvers import Texts
from snellen.tasks.export.chats import export_chats
from snellen.tasks.pack import sealing
from snellen.tasks.pack.copying import check_outside
from snellen.tasks.pack.grouping import SITE
from snellen.tasks.pack.reading import Pack, open_pack, open_references
from snellen.tasks.pack.removal import remove as remove_items
from snellen.tasks.pack.removal import removed_text
from snellen.tasks.pack.splitting import parts_of


def audit(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The list of the items at fault.")
    ] = Path("removed.txt"),
    remove: Annotated[
        Path | None,
        typer.Option(help="Write the pack without them to this new folder.", show_default=False),
    ] = None,
    read: Annotated[
        bool, typer.Option("--read", help="Try the page's text alone, too, by OCR: takes a while.")
    ] = False,
    seed: Annotated[int, typer.Option(help="What lots are drawn from.", min=0)] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
    key: Key = None,
) -> None:
    """Try solvers that must fail, without eyes, and list the items that are at fault.

    The list is for snellen pack remove; it shows no reference. Exit status: 0 when no item is at
    fault, 1 when some are, 2 when nothing could be audited.
    """
    with report_errors():
        check_folder(output)
        pack = open_pack(folder)
        check_outside(output, [pack])
        secret = sealing.find_key(key, pack=folder)
        references = open_references(pack, secret)
        texts = _reader(pack) if read else None
        with pack_output.bar("looking", None) as watch:
            found = audit_pack(pack, references, seed=seed, texts=texts, watch=watch)
        write_atomically(output, [removed_text(found.removed).encode()])
        if json:
            sys.stdout.write(found.model_dump_json(indent=2) + "\n")
        else:
            _audited(found, output)
        if remove is not None and found.removed:
            pack_output.made(remove_items(pack, found.removed, remove, key=secret), remove)
        if found.removed:
            raise typer.Exit(PROBLEMS)


def export(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A .jsonl file, or with --parts a folder.")
    ],
    parts: Annotated[
        str | None,
        typer.Option(help="Names and shares: train=0.9,validation=0.1.", show_default=False),
    ] = None,
    by: Annotated[
        str, typer.Option(help="The tag whose values no two parts share; site: the task's groups.")
    ] = SITE,
    seed: Annotated[int, typer.Option(help="The same seed makes the same split.", min=0)] = 0,
    key: Key = None,
) -> None:
    """Write a pack as chats for fine-tuning: pictures and prompt, and the reference as the answer.

    What is trained on is no exam any more: split first, or with --parts.
    """
    with report_errors():
        pack = open_pack(folder)
        check_outside(output, [pack])
        if parts is None and output.exists():
            raise InputError("there is such a file already", file=str(output))
        references = open_references(pack, sealing.find_key(key, pack=folder))
        with pack_output.bar("exporting", len(pack.lines)) as watch:
            export = export_chats(
                pack,
                references,
                output,
                parts=None if parts is None else parts_of(parts),
                by=by,
                seed=seed,
                watch=watch,
            )
        for part, counts in export.chats.items():
            pack_output.out.print(
                f"[bold]{escape(part)}[/bold]: {sum(counts.values()):,} chats of"
                f" {export.items[part]:,} items"
            )
            pack_output.table(["", task, f"{count:,} chats"] for task, count in counts.items())
        for reason, count in export.left_out.items():
            pack_output.out.print(f"{count:,} items left out: {escape(reason)}")
        pack_output.out.print(f"{export.images:,} images")


def _audited(found: Audit, output: Path) -> None:
    pack_output.out.print(f"[bold]{escape(found.name)}[/bold]: {found.items:,} items")
    for task in found.tasks:
        pack_output.out.print(f"[bold]{escape(task.task)}[/bold] ({task.items:,} items)")
        pack_output.table(["", *_solver(one)] for one in task.solvers)
        pack_output.table(["", f"{count:,}", fault.value] for fault, count in task.faults.items())
    pack_output.out.print("[bold]all tasks[/bold]")
    pack_output.table(["", *_solver(one)] for one in found.overall)
    count = len(found.removed)
    pack_output.out.print(
        f"{count:,} of {found.items:,} items are at fault; listed in {escape(str(output))}"
    )


def _solver(one: SolverScore) -> list[str]:
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


def _reader(pack: Pack) -> Texts:
    # OCR is loaded for who asks for it alone.
    from snellen.sdk.page_texts import page_texts

    return page_texts(pack)
