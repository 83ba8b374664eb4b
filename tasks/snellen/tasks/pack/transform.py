"""Copying items from packs to a new pack, byte for byte, with their references."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from snellen.grading.errors import InputError
from snellen.tasks.pack import MANIFEST
from snellen.tasks.pack.folders import new_folder, write_hashed
from snellen.tasks.pack.format import (
    IMAGES,
    ITEMS,
    REFERENCES,
    SEALED,
    Manifest,
)
from snellen.tasks.pack.read import Pack, plain_references
from snellen.tasks.pack.references import canary_of
from snellen.tasks.pack.write import manifest_bytes, pieces_of

Chosen = Mapping[str, AbstractSet[str]]
"""The ids of the selected items by task."""


@dataclass(frozen=True, slots=True)
class Line:
    """An item's line, and its pack."""

    pack: Pack
    index: int

    @property
    def data(self) -> bytes:
        """Its bytes, with the line end."""
        return self.pack.lines.raw(self.index) + b"\n"


def chosen_lines(pack: Pack, chosen: Chosen) -> list[Line]:
    """Return the lines of the selected items, in the pack's order."""
    heads = enumerate(pack.lines.heads)
    return [
        Line(pack, index) for index, head in heads if head.item.id in chosen.get(head.item.task, ())
    ]


def without(pack: Pack, left_out: Chosen) -> dict[str, set[str]]:
    """Return the items of a pack without some, and without the other items of their pairs.

    Raises:
        UnknownNameError: The pack does not have one of them.
    """
    kept: dict[str, set[str]] = {}
    for task, ids in left_out.items():
        pack.task(task)
        for item_id in sorted(ids):
            pack.pair(task, item_id)
    for task, indexes in pack.index.items():
        gone = left_out.get(task, frozenset[str]())
        pairs = {pack.pair(task, item_id) for item_id in gone} - {None}
        kept[task] = {
            item_id
            for item_id, index in indexes.items()
            if item_id not in gone and pack.lines.heads[index].pair not in pairs
        }
    return kept


def selected_manifest(pack: Pack, chosen: Chosen) -> Manifest:
    """Return a pack's manifest with the tasks of the selected items only.

    Raises:
        InputError: No item was selected.
    """
    tasks = tuple(
        task.model_copy(update={"items": count})
        for task in pack.manifest.tasks
        if (count := len(pack.index[task.task].keys() & chosen.get(task.task, frozenset())))
    )
    if not tasks:
        raise InputError("no item is left; a pack needs at least one", file=str(pack.folder))
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
    """Write a pack with some items of another; the references of all the data are kept.

    Scores do not change, since the basis of a fitted metric is the same.

    Args:
        pack: The pack.
        chosen: The items.
        folder: The folder to write; must not exist, or be empty.
        about: The new pack's manifest, based on `selected_manifest`.
        key: Decrypts sealed references, and seals them again.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: The folder is not empty or can't be written, or no item was selected.
        DataError: The references are sealed and the key is missing or wrong, or an image is missing
            or was changed.
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
        about: The manifest; fields that depend on the files are recomputed.
        references: The lines of the references; None for a pack without references.
        key: Seals them; None to leave them readable.
        watch: Called after each item with the number of items done.
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
        for image in line.pack.lines[line.index].images.values():
            if image.file not in done:
                target = room / IMAGES / image.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(line.pack.read_image(image))
                done[image.file] = image.bytes
        watch(number)
    return done


def reference_lines(pack: Pack, key: str | None) -> list[bytes] | None:
    """Return the lines of a pack's references without the head; None if it has none.

    Raises:
        DataError: They are sealed and the key is missing or wrong, or they were changed.
    """
    if pack.manifest.references is None:
        return None
    return plain_references(pack, key).splitlines(keepends=True)


def seal_key(pack: Pack, key: str | None) -> str | None:
    """Return the key that seals a copy's references, if the pack's own are sealed."""
    return key if pack.manifest.references == SEALED else None


def of_tasks(lines: Iterable[bytes] | None, tasks: AbstractSet[str]) -> list[bytes] | None:
    """Return the lines of the references of some tasks; None for None."""
    return None if lines is None else [line for line in lines if json.loads(line)["task"] in tasks]


def check_outside(folder: Path, packs: Iterable[Pack]) -> None:
    """Refuse to write into a pack.

    Raises:
        InputError: The folder is a pack, or inside one.
    """
    for pack in packs:
        if folder.resolve().is_relative_to(pack.folder.resolve()):
            raise InputError(
                "a pack is never changed in place: choose a new folder outside it", file=str(folder)
            )
