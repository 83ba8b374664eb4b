"""The command that writes a pack or a saved report in the format of another project."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.messages import report_errors
from snellen.cli.options import References, check_folder, settings_of
from snellen.cli.pack import Key
from snellen.grading.errors import InputError
from snellen.tasks.pack import seal

Format = Literal[
    "chats",
    "harbor",
    "verifiers",
    "nemo-gym",
    "openenv",
    "inspect",
    "eval_results",
    "every_eval_ever",
]
_OF_PACKS = ("chats", "harbor", "verifiers", "nemo-gym")
_FACTS: Mapping[str, Any] = {
    "organization": str,
    "dataset_task": str,
    "source": str,
    "date": datetime,
    "wheel": Path,
}


def export(
    source: Annotated[
        Path,
        typer.Argument(help="A pack, or a report saved as JSON; for openenv: desk or miniwob."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The output file; a new folder for harbor, verifiers, nemo-gym, openenv and "
            "with --parts.",
        ),
    ],
    to: Annotated[
        Format | None,
        typer.Option(
            help="For a pack: chats (default), harbor, or verifiers and nemo-gym for training; for "
            "an application: openenv; for a report: the other formats.",
            show_default=False,
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(help="chats: names and shares: train=0.9,validation=0.1.", show_default=False),
    ] = None,
    key: Key = None,
    model: Annotated[
        str | None, typer.Option(help="The model's name, ORG/NAME.", show_default=False)
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="The data set's id on the Hub, ORG/NAME.", show_default=False)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A fact that the source does not have; may be repeated. organization: who ran "
            "the evaluation, harbor: the task's owner; dataset_task (eval_results): the task's id "
            "in eval.yaml; relationship (every_eval_ever): first_party, third_party, "
            "collaborative or other; source: the URL of the answers; date: of the run, in UTC; "
            "wheel (harbor): a wheel of snellen for the verifier.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The location of a report's data, if it moved.", show_default=False),
    ] = None,
    references: References = None,
    with_references: Annotated[
        bool,
        typer.Option(
            "--with-references", help="inspect, harbor, verifiers, nemo-gym: include references."
        ),
    ] = False,
) -> None:
    """Export a pack or a saved report in the format of another project.

    A pack becomes chats for fine-tuning, with the reference as the answer, a Harbor task, or an
    environment of verifiers or NeMo Gym; an interactive application one of OpenEnv.
    Do not evaluate a model on its training data: split the pack first, or use --parts.
    """
    from snellen.sdk.exports import TARGETS, export_report
    from snellen.sdk.exports.options import ExportOptions, Relationship
    from snellen.sdk.stored import reopen

    with report_errors():
        facts = settings_of(settings, {**_FACTS, "relationship": Relationship})
        wheel = facts.pop("wheel", None)
        if to == "openenv":
            _openenv(str(source), output)
            return
        if source.is_dir():
            _check_format(to, _OF_PACKS, "a pack")
            if to in ("verifiers", "nemo-gym"):
                _loop(source, output, to, with_references=with_references)
            elif to == "harbor":
                owner = facts.get("organization") or "snellen"
                _harbor(source, output, owner, wheel, with_references=with_references)
            else:
                _chats(source, output, parts, key)
            return
        _check_format(to or "", TARGETS, "a report")
        check_folder(output)
        options = ExportOptions(
            model=model, dataset=dataset, with_references=with_references, **facts
        )
        found = reopen(source, data=data, references=references)
        written = export_report(found, str(to), output, options)
        pack_output.out.print(str(written), markup=False, soft_wrap=True)


def _check_format(to: str | None, known: tuple[str, ...], what: str) -> None:
    if to is not None and to not in known:
        raise InputError(f"{what} can be exported to one of {', '.join(known)}", field="--to")


def _harbor(
    source: Path, output: Path, organization: str, wheel: Path | None, *, with_references: bool
) -> None:
    from snellen.tasks.export.harbor import export_harbor
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.transform import check_outside

    pack = open_pack(source)
    check_outside(output, [pack])
    with pack_output.bar("exporting", len(pack.lines)) as watch:
        made = export_harbor(
            pack,
            output,
            organization=organization,
            with_references=with_references,
            wheel=wheel,
            watch=watch,
        )
    kept = "sealed" if made.sealed else "readable"
    pack_output.out.print(
        f"[bold]{escape(made.name)}[/bold]: {made.items:,} items, {made.images:,} images, its"
        f" references {kept}"
    )


def _loop(
    source: Path, output: Path, to: Literal["verifiers", "nemo-gym"], *, with_references: bool
) -> None:
    from snellen.tasks.export.loops import export_nemo_gym, export_verifiers
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.transform import check_outside

    pack = open_pack(source)
    check_outside(output, [pack])
    export = export_verifiers if to == "verifiers" else export_nemo_gym
    with pack_output.bar("exporting", len(pack.lines)) as watch:
        shown = export(pack, output, with_references=with_references, watch=watch)
    pack_output.out.print(f"{shown.items:,} items, {shown.images:,} images")


def _openenv(source: str, output: Path) -> None:
    from snellen.tasks.export.loops import export_openenv

    export_openenv(source, output)
    pack_output.out.print(str(output), markup=False, soft_wrap=True)


def _chats(source: Path, output: Path, parts: str | None, key: Path | None) -> None:
    from snellen.tasks.export.chats import export_chats
    from snellen.tasks.pack.read import open_pack, open_references
    from snellen.tasks.pack.split import parts_of
    from snellen.tasks.pack.transform import check_outside

    pack = open_pack(source)
    check_outside(output, [pack])
    if parts is None and output.exists():
        raise InputError("the file exists already; choose another name", file=str(output))
    references = open_references(pack, seal.find_key(key, pack=source))
    with pack_output.bar("exporting", len(pack.lines)) as watch:
        export = export_chats(
            pack,
            references,
            output,
            parts=None if parts is None else parts_of(parts),
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
