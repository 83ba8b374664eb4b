"""Copying items from packs to a new one, byte for byte, with the references that go with them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.tasks.pack.folders import new_folder, write_hashed
from snellen.tasks.pack.format import (
    IMAGES,
    ITEMS,
    MANIFEST,
    REFERENCES,
    SEALED,
    Manifest,
)
from snellen.tasks.pack.read import Pack, plain_references
from snellen.tasks.pack.references import canary_of
from snellen.tasks.pack.write import manifest_bytes, pieces_of

Chosen = Mapping[str, AbstractSet[str]]
"""Task to the ids of the items that were chosen."""


@dataclass(frozen=True, slots=True)
class Line:
    """An item's line, and the pack that it stands in."""

    pack: Pack
    place: int

    @property
    def data(self) -> bytes:
        """Its bytes, with its end."""
        return self.pack.lines.raw(self.place) + b"\n"


def chosen_lines(pack: Pack, chosen: Chosen) -> list[Line]:
    """Return the lines of the chosen items, in the pack's order."""
    heads = enumerate(pack.lines.heads)
    return [
        Line(pack, place) for place, head in heads if head.item.id in chosen.get(head.item.task, ())
    ]


def without(pack: Pack, left_out: Chosen) -> dict[str, set[str]]:
    """Return the items of a pack but some, and without the other halves of their pairs.

    Raises:
        UnknownNameError: The pack does not hold one of them.
    """
    kept: dict[str, set[str]] = {}
    for task, ids in left_out.items():
        pack.task(task)
        for item_id in sorted(ids):
            pack.pair(task, item_id)
    for task, places in pack.index.items():
        gone = left_out.get(task, frozenset[str]())
        pairs = {pack.pair(task, item_id) for item_id in gone} - {None}
        kept[task] = {
            item_id
            for item_id, place in places.items()
            if item_id not in gone and pack.lines.heads[place].pair not in pairs
        }
    return kept


def selected_manifest(pack: Pack, chosen: Chosen) -> Manifest:
    """Return what a pack says of itself, with its tasks as they are with the chosen items only.

    Raises:
        InputError: Not one item was chosen.
    """
    tasks = tuple(
        task.model_copy(update={"items": count})
        for task in pack.manifest.tasks
        if (count := len(pack.index[task.task].keys() & chosen.get(task.task, frozenset())))
    )
    if not tasks:
        raise InputError("not one item is left; a pack needs one", file=str(pack.folder))
    return pack.manifest.model_copy(update={"tasks": tasks})


def write_selection(
    pack: Pack,
    chosen: Chosen,
    folder: Path,
    *,
    about: Manifest | None = None,
    key: str | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack of some items of another; its references stay those of all the data.

    So no score moves: what a metric is fitted on is the same as before.

    Args:
        pack: The pack.
        chosen: The items.
        folder: Where to; must not exist, or be empty.
        about: What the new pack says of itself, beginning with its tasks (`selected_manifest`).
        key: Opens the references where they are sealed, and seals them again.
        watch: Called after each item with how many are done.

    Raises:
        InputError: The folder holds something or can't be written, or nothing was chosen.
        DataError: The references are sealed and the key is missing or another one; or an image
            is missing or was changed.
    """
    check_outside(folder, [pack])
    says = about or selected_manifest(pack, chosen)
    tasks = {task.task for task in says.tasks}
    references = of_tasks(reference_lines(pack, key), tasks)
    with new_folder(folder) as room:
        return fill(
            room, chosen_lines(pack, chosen), says, references, seal_key(pack, key), watch=watch
        )


def fill(
    room: Path,
    lines: Sequence[Line],
    about: Manifest,
    references: Iterable[bytes] | None,
    key: str | None,
    *,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack into an empty folder.

    Args:
        room: The folder.
        lines: The items' lines, in their order.
        about: What the pack says of itself; what depends on its files is worked out anew.
        references: The lines of the references; None: it has none.
        key: Seals them; None leaves them readable.
        watch: Called after each item with how many are done.
    """
    images = _copy_images(room, lines, watch)
    items = write_hashed(room / ITEMS, (line.data for line in lines))
    files = {ITEMS: items}
    canary = canary_of(items.sha256)
    if references is not None:
        name = REFERENCES if key is None else SEALED
        pieces = pieces_of(references, canary, key)
        files[name] = write_hashed(room / name, pieces, private=key is None)
    manifest = about.model_copy(
        update={
            "files": files,
            "images": len(images),
            "image_bytes": sum(images.values()),
            "canary": canary,
        }
    )
    write_hashed(room / MANIFEST, [manifest_bytes(manifest)])
    return manifest


def _copy_images(
    room: Path, lines: Sequence[Line], watch: Callable[[int], None]
) -> Mapping[str, int]:
    done: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        for image in line.pack.lines[line.place].images.values():
            if image.file is not None and image.file not in done:
                target = room / IMAGES / image.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(line.pack.read_image(image))
                done[image.file] = image.bytes or 0
        watch(number)
    return done


def reference_lines(pack: Pack, key: str | None) -> list[bytes] | None:
    """Return the lines of a pack's references, below the head; None where it has none.

    Raises:
        DataError: They are sealed and the key is missing or another one, or they were changed.
    """
    if pack.manifest.references is None:
        return None
    return plain_references(pack, key).splitlines(keepends=True)


def seal_key(pack: Pack, key: str | None) -> str | None:
    """Return what seals a copy's references: the key, where the pack's own are sealed."""
    return key if pack.manifest.references == SEALED else None


def of_tasks(lines: Iterable[bytes] | None, tasks: AbstractSet[str]) -> list[bytes] | None:
    """Return the lines of references of some tasks; None of none."""
    return None if lines is None else [line for line in lines if json.loads(line)["task"] in tasks]


def check_outside(folder: Path, packs: Iterable[Pack]) -> None:
    """Refuse to write into a pack.

    Raises:
        InputError: The folder is a pack, or in one.
    """
    for pack in packs:
        if folder.resolve().is_relative_to(pack.folder.resolve()):
            raise InputError(
                "a pack is never changed in place: name a new folder outside it", file=str(folder)
            )
