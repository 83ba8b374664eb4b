"""The commands about packs: make an exam, seal its references, check it, leave the gold out."""

import secrets
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.markup import escape

from snellen.grading.errors import InputError, where
from snellen.grading.models.reports import PinVerdict
from snellen.sdk.cli import pack_output
from snellen.sdk.cli.listing import task_names
from snellen.sdk.cli.messages import report_errors
from snellen.sdk.cli.options import PROBLEMS, item_ids
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack import seal
from snellen.tasks.pack.check import Custody, PackCheck, TaskCheck
from snellen.tasks.pack.check import check_pack as look_at
from snellen.tasks.pack.format import SEALED, Manifest
from snellen.tasks.pack.read import open_pack
from snellen.tasks.pack.sample import draw_task
from snellen.tasks.pack.write import Part, seal_pack, strip_pack, write_pack

_FEW = 5
_Given = TypeVar("_Given")

group = typer.Typer(
    help="Make an exam of a benchmark's items, and keep its references apart.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[Path, typer.Argument(help="The pack.")]
NewFolder = Annotated[
    Path, typer.Option("--output", "-o", help="The new pack's folder; must not exist.")
]
Key = Annotated[
    Path | None,
    typer.Option(
        help=f"The file of the key; what {seal.KEY_VARIABLE} says when left out.",
        show_default=False,
    ),
]
NewKey = Annotated[
    bool, typer.Option("--new-key", help="Make a key, and write it to the file of --key.")
]


@group.command("create")
def create(
    task: Annotated[
        list[str],
        typer.Option(
            help="Such as screenqa/short; may be repeated.",
            autocompletion=task_names,
            show_default=False,
        ),
    ],
    data: Annotated[
        list[Path],
        typer.Option(
            help="The published folder or file: once for all tasks, or once each, in order.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str, typer.Option(help="What the pack is called: small letters, digits, dashes.")
    ],
    output: NewFolder,
    images: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder of screenshots, where the data holds none; as for --data.",
            show_default=False,
        ),
    ] = None,
    no_images: Annotated[
        bool, typer.Option("--no-images", help="Leave the images out: a baseline.")
    ] = False,
    split: Annotated[
        list[str] | None,
        typer.Option(help="Which split of the data; as for --data.", show_default=False),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            help="A prompt of the task by name, its first when left out; as for --data.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="How to score, the task's first when left out; as for --data.",
            show_default=False,
        ),
    ] = None,
    items: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of item ids, one a line: only these; as for --data.",
            show_default=False,
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Draw so many items of each task, at most.", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw; another one draws others.")] = 0,
    title: Annotated[str, typer.Option(help="A line for people.")] = "",
    licence: Annotated[str, typer.Option(help="Whose the items and images are.")] = "",
    key: Key = None,
    new_key: NewKey = False,
) -> None:
    """Make a pack of one task or several: items and images for all to see, references apart.

    With a key the references are sealed. Exit status: 0 when the pack is there, 2 when nothing
    was written.
    """
    with report_errors():
        _check_choices(items, n, images, no_images=no_images)
        many = len(task)
        data_of, images_of = _each("--data", data, many), _each("--images", images, many)
        split_of, prompt_of = _each("--split", split, many), _each("--prompt", prompt, many)
        protocol_of = _each("--protocol", protocol, many)
        loaded = [
            load_task(one, folder or "", split=part, images=shown, prompt=asked)
            for one, folder, part, shown, asked in zip(
                task, data_of, split_of, images_of, prompt_of, strict=True
            )
        ]
        chosen = _chosen(loaded, items, n, seed)
        parts = [
            Part(one, wanted, scored)
            for one, wanted, scored in zip(loaded, chosen, protocol_of, strict=True)
        ]
        count = sum(len(part.places) for part in parts)
        with (
            given_key(key, output, new=new_key) as secret,
            pack_output.bar("packing", count) as watch,
        ):
            manifest = write_pack(
                parts,
                output,
                name=name,
                title=title,
                licence=licence,
                key=secret,
                images=not no_images,
                watch=watch,
            )
        for one in loaded:
            if one.pin.verdict is PinVerdict.DIFFERS:
                pack_output.err.print(
                    f"[yellow]note[/yellow] {escape(one.task)}: {escape(one.pin.note)}"
                )
        pack_output.packed(manifest, output)
        _custody_told(manifest, secret)


@group.command("episodes")
def episodes(
    what: Annotated[
        str,
        typer.Argument(
            help="desk, miniwob, miniwob-browsergym (its 625 episodes), or tiddlywiki, whose npm"
            " package has to be installed."
        ),
    ],
    output: NewFolder,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            help="How many; one of each template or page when left out.",
            min=1,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The same seed makes the same tasks, and their references; drawn anew and kept"
            " nowhere when left out.",
            min=0,
            show_default=False,
        ),
    ] = None,
    key: Key = None,
    new_key: NewKey = False,
) -> None:
    """Make a pack of interactive tasks, each in a world of its own.

    Exit status: 0 when the pack is there, 2 when nothing was written.
    """
    from snellen.tasks.environments.packs import make_episode_pack

    with report_errors():
        drawn = secrets.randbits(48) if seed is None else seed
        with given_key(key, output, new=new_key) as secret:
            manifest = make_episode_pack(what, output, seed=drawn, count=n, key=secret)
        pack_output.packed(manifest, output)
        _custody_told(manifest, secret)


@group.command("seal")
def seal_references(folder: Folder, key: Key = None, new_key: NewKey = False) -> None:
    """Encrypt a pack's references, and remove the readable file.

    The same references and the same key make the same bytes. Sealing again changes nothing, and
    ends what was interrupted.
    """
    with report_errors():
        pack = open_pack(folder)
        if new_key and pack.manifest.references == SEALED:
            raise InputError("it is sealed already; a new key would not open it")
        with given_key(key, folder, new=new_key) as secret:
            if secret is None:
                raise InputError(
                    "say which key: --key FILE (with --new-key to make one), or"
                    f" {seal.KEY_VARIABLE}"
                )
            _custody_told(seal_pack(pack, secret), secret)


@group.command("check")
def check(
    folder: Folder,
    key: Key = None,
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Say what a pack holds, and what is missing, changed, damaged or too much.

    Where the references can be read, each is given as the answer to its own item. No reference
    is ever printed. Exit status: 0 when nothing is wrong, 1 when something is, 2 when it is no
    pack.
    """
    with report_errors():
        secret = seal.find_key(key, pack=folder)
        with pack_output.bar("checking", None) as watch:
            found = look_at(folder, secret, watch=watch)
        if json:
            sys.stdout.write(found.model_dump_json(indent=2) + "\n")
        else:
            _checked(found)
        if not found.fine:
            raise typer.Exit(PROBLEMS)


@group.command("strip")
def strip(folder: Folder, output: NewFolder) -> None:
    """Copy a pack without its references, for a server that only records answers.

    Answers to the copy are graded against the pack.
    """
    with report_errors():
        pack = open_pack(folder)
        with pack_output.bar("copying", len(pack.lines)) as watch:
            manifest = strip_pack(pack, output, watch=watch)
        pack_output.packed(manifest, output)
        _custody_told(manifest, None)


# ---- what is given -----------------------------------------------------------------------------


def _check_choices(
    items: list[Path] | None, n: int | None, images: list[Path] | None, *, no_images: bool
) -> None:
    if items and n is not None:
        raise InputError("--items and --n exclude one another")
    if images and no_images:
        raise InputError("--images and --no-images exclude one another")


def _each(option: str, given: Sequence[_Given] | None, many: int) -> Sequence[_Given | None]:
    """Share what was given once, or once a task, out among the tasks."""
    if not given:
        return [None] * many
    if len(given) == 1:
        return [given[0]] * many
    if len(given) != many:
        raise InputError(
            f"{option} was given {len(given)} times and --task {many} times: give it once, or once"
            " a task, in the same order"
        )
    return given


def _chosen(
    loaded: Sequence[TaskData], items: list[Path] | None, n: int | None, seed: int
) -> Sequence[Sequence[str] | None]:
    if n is not None:
        return [draw_task(data, n, seed) for data in loaded]
    if items is None:
        return [None] * len(loaded)
    files = _each("--items", items, len(loaded))
    asked = [list(item_ids(file) or []) for file in files]
    if len(items) > 1:
        return asked
    # One list for several tasks: each takes what it has, and every id must be of one of them.
    known = set[str]().union(*(data.index for data in loaded))
    if unknown := [item for item in asked[0] if item not in known]:
        tasks = ", ".join(data.task for data in loaded)
        raise InputError(f"{tasks} has no item {unknown[0]!r}", file=str(items[0]))
    return [[item for item in asked[0] if item in data.index] for data in loaded]


@contextmanager
def given_key(path: Path | None, pack: Path, *, new: bool) -> Generator[str | None]:
    """Find the key, or make it; a new one goes again where nothing came to be sealed with it."""
    if not new:
        yield seal.find_key(path, pack=pack)
        return
    if path is None:
        raise InputError("--new-key needs --key FILE, the file to write the key to")
    key = seal.write_key(path, pack=pack)
    try:
        yield key
    except BaseException:
        if not (pack / SEALED).exists():
            path.unlink(missing_ok=True)
        raise


# ---- what is printed ---------------------------------------------------------------------------


def _custody_told(manifest: Manifest, key: str | None) -> None:
    name = manifest.references
    if name is None:
        pack_output.out.print("no references: answers are recorded, and graded where they are")
    elif key is None:
        pack_output.out.print(
            f"the references can be read in {name}: snellen pack seal before this goes elsewhere"
        )
    else:
        pack_output.out.print(f"the references are sealed with the key {seal.key_id(key)}")


def _checked(found: PackCheck) -> None:
    web = f", {found.on_the_web:,} on the web" if found.on_the_web else ""
    size = pack_output.megabytes(found.image_bytes)
    pack_output.out.print(
        f"[bold]{escape(found.name)}[/bold]: {found.images:,} images, {size}{web}"
    )
    pack_output.table(
        ["", task.task, f"{task.items:,} items", task.protocol, _reached(task)]
        for task in found.tasks
    )
    hint = "; give the key to try them" if found.references is Custody.SEALED else ""
    pack_output.out.print(f"references: {found.references.value}{hint}")
    for fault in found.faults:
        prefix = where(fault.file, fault.line, fault.field)
        pack_output.err.print(f"[red]fault[/red] {escape(prefix + fault.message)}", soft_wrap=True)
    if found.fine:
        pack_output.out.print("nothing is wrong")


def _reached(task: TaskCheck) -> str:
    parts = [] if task.attainable is None else [f"attainable {100 * task.attainable:.2f}"]
    if task.below:
        more = ", ..." if len(task.below) > _FEW else ""
        parts.append(f"{len(task.below):,} below the best: {', '.join(task.below[:_FEW])}{more}")
    elif task.note:
        parts.append(task.note)
    return "; ".join(parts)
