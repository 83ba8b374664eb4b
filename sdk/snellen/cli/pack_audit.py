"""The command that audits a pack."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.messages import report_errors
from snellen.cli.options import PROBLEMS, check_folder
from snellen.cli.pack import Folder, Key
from snellen.grading.models.estimates import Estimate
from snellen.sdk.files import write_atomically
from snellen.tasks.pack import seal

if TYPE_CHECKING:
    from snellen.build.audit.audit import Witnesses
    from snellen.build.audit.builds import BuildFolder
    from snellen.tasks.audit.models import Audit, SolverScore
    from snellen.tasks.pack.read import Pack


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
    read: Annotated[
        bool,
        typer.Option(
            "--read",
            help="Also read the pictures by OCR and compare the references with it; slow.",
        ),
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            help="The build folder, EXAM.build: compare the items with its pages.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    key: Key = None,
) -> None:
    """Check each item against its sources, run solvers that must fail, and list faulty items.

    The output contains references: for each faulty item it says what was expected and what was
    found. The list, for snellen pack remove and --corrections, contains none. Exit status: 0 if no
    item is faulty, 1 if some are, 2 if nothing could be audited.
    """
    from snellen.build.audit.audit import Witnesses, audit_pack
    from snellen.build.audit.builds import open_build
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
        build = None if against is None else open_build(against)
        witnesses = _reading(pack, build) if read else Witnesses(build)
        with pack_output.bar("looking", None) as watch:
            found = audit_pack(pack, references, witnesses=witnesses, watch=watch)
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
        said = "; ".join(
            f"{name} {' '.join(text.split())}"
            for name, text in (("expected", one.expected), ("found", one.found))
            if text
        )
        words = f"{one.task} {one.item}: {one.fault.value}" + (f" ({said})" if said else "")
        pack_output.out.print(escape(words), soft_wrap=True)
    for note in found.notes:
        pack_output.err.print(f"[yellow]note[/yellow] {escape(note)}", soft_wrap=True)
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


def _reading(pack: "Pack", build: "BuildFolder | None") -> "Witnesses":
    # OCR is loaded for who asks for it alone.
    from snellen.build.audit.audit import Witnesses
    from snellen.demo.page_texts import page_texts, part_texts

    return Witnesses(build, texts=page_texts(pack), reader=part_texts(pack))
