"""The commands about packs: make an exam, seal its references, check it, leave the gold out."""

import re
import secrets
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.markup import escape

from snellen.cli import pack_output
from snellen.cli.listing import task_names
from snellen.cli.messages import report_errors
from snellen.cli.options import PROBLEMS, item_ids
from snellen.grading.errors import InputError, SnellenError, where
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.pack import seal

if TYPE_CHECKING:
    from snellen.tasks.models import TaskData
    from snellen.tasks.pack.check import PackCheck, TaskCheck
    from snellen.tasks.pack.format import Manifest
    from snellen.tasks.pack.read import Pack, References
    from snellen.tasks.pack.stats import PackStat

_FEW = 5
_Given = TypeVar("_Given")

group = typer.Typer(
    help="Create packs, exams as folders with separate references, and work with them.",
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
        help=f"The key file; by default {seal.KEY_VARIABLE}.",
        show_default=False,
    ),
]
SealingKey = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="The key file, to seal the references; it is created if it does not exist. By default "
        f"{seal.KEY_VARIABLE}.",
        show_default=False,
    ),
]


@group.command("create")
def create(
    task: Annotated[
        list[str],
        typer.Option(
            help="A task, such as screenqa/short; may be repeated.",
            autocompletion=task_names,
            show_default=False,
        ),
    ],
    data: Annotated[
        list[Path],
        typer.Option(
            help="The published folder or file: one for all tasks, or one per task in "
            "the same order.",
            show_default=False,
        ),
    ],
    name: Annotated[str, typer.Option(help="The pack's name: lowercase letters, digits, dashes.")],
    output: NewFolder,
    images: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder of screenshots, if the data has none; repeat as for --data.",
            show_default=False,
        ),
    ] = None,
    no_images: Annotated[
        bool, typer.Option("--no-images", help="Omit the images, for a baseline.")
    ] = False,
    split: Annotated[
        list[str] | None,
        typer.Option(help="The split of the data; repeat as for --data.", show_default=False),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(
            help="The name of a prompt of the task; by default its first; repeat as for --data.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="The protocol; by default the task's first one; repeat as for --data.",
            show_default=False,
        ),
    ] = None,
    items: Annotated[
        list[Path] | None,
        typer.Option(
            help="Only these items: a file of item ids, one per line; repeat as for --data.",
            show_default=False,
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Maximum number of items to draw from each task.", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the draw.")] = 0,
    title: Annotated[str, typer.Option(help="A one-line description.")] = "",
    licence: Annotated[
        str, typer.Option(help="The license or owner of the items and images.")
    ] = "",
    key: SealingKey = None,
) -> None:
    """Create a pack of one or more tasks: public items and images, and separate references.

    With a key, the references are sealed. Exit status: 0 if the pack was written, 2 if nothing
    was written.
    """
    from snellen.tasks.benchmarks.table import load_task
    from snellen.tasks.pack.write import Part, write_pack

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
        count = sum(len(part.indexes) for part in parts)
        with (
            sealing_key(key, output) as secret,
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
        typer.Argument(help="desk, miniwob, or miniwob-browsergym (its 625 episodes)."),
    ],
    output: NewFolder,
    n: Annotated[
        str | None,
        typer.Option(
            "--n",
            help="Number of tasks; by default one of each template or page. 20x3: 20 tasks of "
            "desk, each in 3 looks, which the report compares; x3: all of them.",
            metavar="N[xLOOKS]",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The seed of the tasks and their references; by default random and not stored.",
            min=0,
            show_default=False,
        ),
    ] = None,
    key: SealingKey = None,
) -> None:
    """Create a pack of interactive tasks, each with its own initial state.

    Exit status: 0 if the pack was written, 2 if nothing was written.
    """
    from snellen.tasks.samples.generated import generated_exam

    with report_errors():
        count, looks = _counts(n)
        drawn = secrets.randbits(48) if seed is None else seed
        with sealing_key(key, output) as secret:
            manifest = generated_exam(what).make(
                output, seed=drawn, count=count, key=secret, looks=looks
            )
        pack_output.packed(manifest, output)
        _custody_told(manifest, secret)


def _counts(given: str | None) -> tuple[int | None, int]:
    """Read `--n`: how many tasks, and in how many looks each of them comes."""
    count, _, looks = (given or "").partition("x")
    if given is not None and not (
        re.fullmatch(r"[1-9]\d*|(?:[1-9]\d*)?x[1-9]\d?", given, re.ASCII)
    ):
        raise InputError(f"--n is a number such as 20, or 20x3 for 3 looks, not {given!r}")
    return int(count) if count else None, int(looks or 0)


@group.command("seal")
def seal_references(folder: Folder, key: SealingKey = None) -> None:
    """Encrypt a pack's references and remove the readable file.

    The same references and key give the same bytes. Sealing again changes nothing, or finishes an
    interrupted run.
    """
    from snellen.tasks.pack.format import SEALED
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.write import seal_pack

    with report_errors():
        pack = open_pack(folder)
        if key is not None and not key.exists() and pack.manifest.references == SEALED:
            raise InputError(
                "there is no such file; the pack is sealed already, and a new key can't decrypt it",
                file=str(key),
            )
        with sealing_key(key, folder) as secret:
            if secret is None:
                raise InputError(f"the key is missing: give --key FILE, or {seal.KEY_VARIABLE}")
            _custody_told(seal_pack(pack, secret), secret)


@group.command("check")
def check(
    folder: Folder,
    key: Key = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Check a pack for missing, changed, damaged or unexpected files, and print its statistics.

    These are its items, images, sites, tags and prompts. If the references can be read, each is
    graded as the answer to its own item, and their kinds and tags are counted. No reference is
    printed. Exit status: 0 if there are no faults, 1 if there are faults, 2 if it is not a
    pack.
    """
    from snellen.tasks.pack.check import check_pack as look_at

    with report_errors():
        secret = seal.find_key(key, pack=folder)
        with pack_output.bar("checking", None) as watch:
            found = look_at(folder, secret, watch=watch)
        numbers = _numbers(folder, key)
        if json:
            stat = None if numbers is None else numbers.model_dump(mode="json")
            whole = {**found.model_dump(mode="json"), "stat": stat}
            sys.stdout.write(dumps(whole, indent=2, ensure_ascii=False) + "\n")
        else:
            _checked(found, numbers)
        if not found.fine:
            raise typer.Exit(PROBLEMS)


def copy_without_references(folder: Path, output: Path) -> None:
    """Copy a pack without its references, and print what the copy holds."""
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.write import strip_pack

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
    loaded: "Sequence[TaskData]", items: list[Path] | None, n: int | None, seed: int
) -> Sequence[Sequence[str] | None]:
    from snellen.tasks.pack.sample import draw_task

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
def sealing_key(path: Path | None, pack: Path) -> Generator[str | None]:
    """Find the key, or create it; a new one is removed again if nothing was sealed with it."""
    from snellen.tasks.pack.format import SEALED

    if path is None or path.exists():
        yield seal.find_key(path, pack=pack)
        return
    key = seal.write_key(path, pack=pack)
    pack_output.err.print(f"created the key {escape(str(path))}", soft_wrap=True)
    try:
        yield key
    except BaseException:
        if not (pack / SEALED).exists():
            path.unlink(missing_ok=True)
        raise


# ---- what is printed ---------------------------------------------------------------------------


def _custody_told(manifest: "Manifest", key: str | None) -> None:
    name = manifest.references
    if name is None:
        pack_output.out.print(
            "no references: answers are recorded, and graded where the references are"
        )
    elif key is None:
        pack_output.out.print(
            f"the references are readable in {name}: run snellen pack seal before you share it"
        )
    else:
        pack_output.out.print(f"the references are sealed with the key {seal.key_id(key)}")


def _numbers(folder: Path, key: Path | None) -> "PackStat | None":
    """Return the statistics of a pack; None if a fault keeps it from being read."""
    from snellen.tasks.pack.read import open_pack
    from snellen.tasks.pack.stats import pack_stat

    try:
        pack = open_pack(folder)
        return pack_stat(pack, readable(pack, key))
    except SnellenError:
        return None


def readable(pack: "Pack", key: Path | None) -> "References | None":
    """Open a pack's references where that can be done; None where there are none, or no key."""
    from snellen.tasks.pack.format import SEALED
    from snellen.tasks.pack.read import open_references

    secret = seal.find_key(key, pack=pack.folder)
    if pack.manifest.references is None or (pack.manifest.references == SEALED and not secret):
        return None
    return open_references(pack, secret)


def _checked(found: "PackCheck", numbers: "PackStat | None") -> None:
    from snellen.tasks.pack.check import Custody

    if numbers is None:
        size = pack_output.megabytes(found.image_bytes)
        pack_output.out.print(f"[bold]{escape(found.name)}[/bold]: {found.images:,} images, {size}")
    else:
        pack_output.stat(numbers)
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


def _reached(task: "TaskCheck") -> str:
    parts = [] if task.attainable is None else [f"attainable {100 * task.attainable:.2f}"]
    if task.below:
        more = ", ..." if len(task.below) > _FEW else ""
        parts.append(f"{len(task.below):,} below the best: {', '.join(task.below[:_FEW])}{more}")
    elif task.note:
        parts.append(task.note)
    return "; ".join(parts)
