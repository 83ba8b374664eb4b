"""Writing packs: from loaded tasks to an exam on disk, and sealing its references.

Equal input gives equal files, byte for byte.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.grading.errors import DataError, InputError, MetricError, MissingExtraError
from snellen.grading.grade import Grader
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind, Image, Item
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.models import TaskData
from snellen.tasks.pack import MANIFEST, seal
from snellen.tasks.pack.folders import new_folder, remove, replace_hashed, write_hashed
from snellen.tasks.pack.format import (
    IMAGES,
    ITEMS,
    REFERENCES,
    SEALED,
    Built,
    Manifest,
    PackFile,
    PackImage,
    PackItem,
    PackTask,
    is_pack_name,
)
from snellen.tasks.pack.groups import PAIR
from snellen.tasks.pack.images import Decoder, ImageStore
from snellen.tasks.pack.read import Pack, plain_references
from snellen.tasks.pack.references import canary_of, header, lines_of, to_line

_PLACED = (AnswerKind.POINT, AnswerKind.BOX, AnswerKind.BOXED_TEXTS)


@dataclass(frozen=True)
class Part:
    """The content of a pack for one task.

    Attributes:
        data: The loaded task, with its images.
        items: The ids of the items, in the data's order; None for all.
        protocol: The protocol that scores it; None for the task's default.
        records: The records of how items were made, by item id; stored with the references.
    """

    data: TaskData
    items: Sequence[str] | None = None
    protocol: str | None = None
    records: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )
    indexes: Sequence[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        wanted = None if self.items is None else set(self.items)
        if wanted is not None and (unknown := sorted(wanted - self.data.index.keys())):
            raise InputError(f"{self.data.task} has no item {unknown[0]!r}")
        indexes = [
            index for index, item in enumerate(self.data.ids) if wanted is None or item in wanted
        ]
        object.__setattr__(self, "indexes", indexes)


def write_pack(
    parts: Sequence[Part],
    folder: Path,
    *,
    name: str,
    title: str = "",
    licence: str = "",
    key: str | None = None,
    images: bool = True,
    built: Built | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Write a pack, completely or not at all.

    Every image is decoded once, so that an exam shows only valid images.

    Args:
        parts: The tasks, each once.
        folder: The folder to write; must not exist, or be empty.
        name: The name of the pack, in letters, digits and dashes.
        title: A line for people.
        licence: The licence of the items and images.
        key: Seals the references; None to leave them readable, in a file of their own.
        images: Whether to copy the items' images; without them the items have none.
        built: The origin of the items, if they were built.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: The folder is not empty or can't be written, a task occurs twice, an id is
            unknown, or the protocol can't be applied to the references.
        DataError: An image is missing, not an image, damaged, or of another size than the item's
            coordinates refer to; or a reference can't be stored.
    """
    _check_parts(parts)
    tasks = tuple(_task(part) for part in parts)
    check_name(name)
    for part in parts:
        _check_gradable(part)
    with new_folder(folder) as room, Decoder() as decoder:
        store = ImageStore(room / IMAGES, decoder) if images else None
        lines = (_item_line(part, index, store) for part in parts for index in part.indexes)
        items = write_hashed(room / ITEMS, _watched(lines, watch))
        if store is not None:
            store.finish()
        kept: Mapping[str, int] = {} if store is None else store.files
        canary = canary_of(items.sha256)
        references = (line for part in parts for line in lines_of(part.data, part.records))
        written = write_hashed(
            room / (REFERENCES if key is None else SEALED),
            pieces_of(references, canary, key),
            private=key is None,
        )
        manifest = Manifest(
            name=name,
            title=title,
            tasks=tasks,
            files={ITEMS: items, (REFERENCES if key is None else SEALED): written},
            images=len(kept),
            image_bytes=sum(kept.values()),
            canary=canary,
            licence=licence,
            built=built,
        )
        write_hashed(room / MANIFEST, [manifest_bytes(manifest)])
    return manifest


def seal_pack(pack: Pack, key: str) -> Manifest:
    """Seal a pack's readable references with a key; the readable file is removed.

    Sealing again with the same key changes nothing. If it is interrupted, the pack is either
    unsealed or sealed, and sealing it again completes the work.

    Raises:
        InputError: The pack can't be written.
        DataError: There are no references, they were changed, or they are sealed with another key.
    """
    plain = plain_references(pack, key)
    manifest = pack.manifest
    if manifest.references != SEALED:
        sealed = replace_hashed(pack.folder / SEALED, pieces_of([plain], manifest.canary, key))
        manifest = _with_references(manifest, SEALED, sealed)
        replace_hashed(pack.folder / MANIFEST, [manifest_bytes(manifest)])
    remove(pack.folder / REFERENCES)
    return manifest


def strip_pack(
    pack: Pack, folder: Path, *, watch: Callable[[int], None] = lambda _: None
) -> Manifest:
    """Write a copy of a pack without references, for a server that only records.

    Args:
        pack: The pack.
        folder: The folder to write; must not exist, or be empty.
        watch: Called after each item with the number of items done.

    Raises:
        InputError: The folder is not empty or can't be written.
        DataError: An image is missing or was changed.
    """
    if Path(folder).resolve().is_relative_to(pack.folder.resolve()):
        raise InputError(
            "the copy must not be inside the pack; choose a folder outside it", file=str(folder)
        )
    manifest = _with_references(pack.manifest, None, None)
    with new_folder(folder) as room:
        done: set[str] = set()
        for number, line in enumerate(pack.lines, start=1):
            for name, image in line.images.items():
                if image.file not in done:
                    target = room / IMAGES / image.file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(pack.image(line, name))
                    done.add(image.file)
            watch(number)
        shutil.copyfile(pack.folder / ITEMS, room / ITEMS)
        write_hashed(room / MANIFEST, [manifest_bytes(manifest)])
    return manifest


def _with_references(manifest: Manifest, name: str | None, written: PackFile | None) -> Manifest:
    files = {ITEMS: manifest.files[ITEMS]}
    if name is not None and written is not None:
        files[name] = written
    return manifest.model_copy(update={"files": files})


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest's file."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True)
    return f"{text}\n".encode()


def pieces_of(lines: Iterable[bytes], canary: str, key: str | None) -> Iterator[bytes]:
    """Yield the bytes of a file of references: its head, then the lines, sealed with a key."""
    head = header(canary, key)
    yield head
    if key is None:
        yield from lines
    else:
        yield seal.seal(b"".join(lines), key, head)


def _watched(lines: Iterable[bytes], watch: Callable[[int], None]) -> Iterator[bytes]:
    for done, line in enumerate(lines, start=1):
        yield line
        watch(done)


def _check_parts(parts: Sequence[Part]) -> None:
    for part in parts:
        if part.data.shows_references:
            raise InputError(
                f"{part.data.task}: the prompt shows the references of earlier items, but agents"
                " may read the items in any order: load it with another prompt"
            )
    if not parts:
        raise InputError("a pack needs at least one task")
    seen: set[str] = set()
    for part in parts:
        if part.data.task in seen:
            raise InputError(f"{part.data.task} occurs twice; a pack has each task once")
        seen.add(part.data.task)
        if not part.indexes:
            raise InputError(f"no item of {part.data.task} was selected")


def _check_gradable(part: Part) -> None:
    """Refuse data that could not be graded after the exam."""
    data = part.data
    try:
        Grader.of(protocol_of(data.task, part.protocol), data.golds, data.contexts)
    except MissingExtraError:
        # Only the grading machine needs it.
        return
    except MetricError as error:
        raise InputError(f"{data.task} can't be graded: {error}") from None


def check_name(name: str) -> None:
    """Refuse names that are not valid for a pack.

    Raises:
        InputError: The name is not valid for a pack.
    """
    if not is_pack_name(name):
        raise InputError(
            f"{name!r} is not valid as a pack's name: use lower-case letters, digits and dashes, at"
            " most 64, and no name that Windows reserves for a device",
            field="name",
        )


def _task(part: Part) -> PackTask:
    data = part.data
    return PackTask(
        task=data.task,
        split=data.split,
        items=len(part.indexes),
        protocol=protocol_of(data.task, part.protocol).name,
        prompt=data.build_item(part.indexes[0]).tags.get("prompt", ""),
        environment=data.worlds[part.indexes[0]].environment if data.worlds else "",
    )


def _item_line(part: Part, index: int, store: ImageStore | None) -> bytes:
    data = part.data
    item = data.build_item(index)
    images: dict[str, PackImage] = {}
    shown: list[Image] = []
    for image in item.images:
        if store is not None:
            kept, sized = _stored(data, item, image, store)
            images[image.name] = kept
            shown.append(sized)
    line = PackItem(
        item=item.model_copy(update={"images": tuple(shown)}),
        images=images,
        context=data.contexts[index] if data.contexts else NO_CONTEXT,
        pair=data.tags[PAIR][index] if PAIR in data.tags else None,
        world=data.worlds[index] if data.worlds else None,
    )
    try:
        return to_line(line.model_dump(mode="json", exclude_defaults=True))
    except (UnicodeEncodeError, ValueError):
        raise DataError(
            f"{item.id} contains half a surrogate pair, which UTF-8 can't encode"
        ) from None


def _stored(data: TaskData, item: Item, image: Image, store: ImageStore) -> tuple[PackImage, Image]:
    label = f"image {image.name!r} of {item.id}"
    try:
        encoded = data.image(item.id, image.name)
    except DataError as error:
        raise DataError(f"{label}: {error.message}", file=error.file) from None
    kept = store.add(encoded, label)
    sized = image.model_copy(update={"width": kept.width, "height": kept.height})
    form = item.answer_format
    counted = form.kind in _PLACED and form.space is not Space.UNIT
    if counted and None not in (image.width, image.height) and sized != image:
        raise DataError(
            f"{label} is {kept.width} x {kept.height} pixels, but the data's coordinates refer to"
            f" {image.width} x {image.height}: use the original screenshots"
        )
    return kept.image, sized
