"""The commands that make packs out of packs: split, merge, sample, remove, preview."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.messages import report_errors
from snellen.cli.options import check_folder, tag_names
from snellen.cli.pack import Folder, Key, NewFolder, copy_without_references, readable
from snellen.grading.errors import InputError
from snellen.sdk.files import write_atomically
from snellen.tasks.pack import seal

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


def merge(
    folders: Annotated[list[Path], typer.Argument(help="The packs.")],
    output: NewFolder,
    name: Annotated[str, typer.Option(help="The pack's name: lowercase letters, digits, dashes.")],
    title: Annotated[str, typer.Option(help="A one-line description.")] = "",
    key: Key = None,
) -> None:
    """Merge several packs; equal items are included once."""
    from snellen.tasks.pack.merge import merge_packs
    from snellen.tasks.pack.read import open_pack

    with report_errors():
        packs = [open_pack(folder) for folder in folders]
        secret = seal.find_key(key, pack=folders[0])
        total = sum(len(pack.lines) for pack in packs)
        with pack_output.bar("merging", total) as watch:
            manifest = merge_packs(packs, output, name=name, title=title, key=secret, watch=watch)
        pack_output.made(manifest, output)


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


COMMANDS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "split": split,
        "merge": merge,
        "sample": sample,
        "remove": remove,
        "preview": preview,
    }
)
"""What `snellen pack` has beside the commands that make, seal and check a pack."""
