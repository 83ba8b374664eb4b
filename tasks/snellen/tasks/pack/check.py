"""Checking packs: is everything there, unchanged, readable, and does the gold grade.

No message here shows a reference.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from snellen.grading.ceiling import attainable_maximum
from snellen.grading.errors import DataError, MetricError, MissingExtraError
from snellen.grading.models.base import Closed
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.tasks.pack.format import (
    IMAGES,
    ITEMS,
    MANIFEST,
    REFERENCES,
    SEALED,
    Manifest,
    PackImage,
    PackTask,
)
from snellen.tasks.pack.images import Decoder, size_of
from snellen.tasks.pack.read import (
    Pack,
    References,
    open_pack,
    open_references,
    read_manifest,
    read_whole,
    task_data,
)


class Custody(StrEnum):
    """How a pack's references are kept."""

    NONE = "none"
    """It has none."""
    READABLE = "readable"
    """Whoever has the pack can read them."""
    SEALED = "sealed"
    """They are encrypted, and no key was given to look at them."""
    OPENED = "sealed, opened with the key"
    """They are encrypted, and the key opened them."""


class PackFault(Closed):
    """One thing that is wrong with a pack, and what to do about it.

    Attributes:
        message: What is wrong.
        file: The file's path below the pack.
        line: The line, counted from 1.
        field: The field of the record.
    """

    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None


class TaskCheck(Closed):
    """What one task of a pack holds.

    Attributes:
        task: The task's id.
        items: How many items.
        protocol: What they are scored by.
        attainable: The primary metric where every reference is given as the answer; None where
            the references could not be looked at.
        below: The items that have a reference which misses the best value when it is given.
        note: Why the references were not tried, where they could have been.
    """

    task: str
    items: int
    protocol: str
    attainable: float | None = None
    below: tuple[str, ...] = ()
    note: str = ""


class PackCheck(Closed):
    """What a pack holds, and what is wrong with it.

    Attributes:
        name: What it is called.
        tasks: Its tasks.
        images: How many files of images its items show.
        image_bytes: Their bytes together.
        on_the_web: How many of its images are addresses.
        references: How its references are kept.
        faults: What is wrong.
    """

    name: str
    tasks: tuple[TaskCheck, ...]
    images: int
    image_bytes: int
    on_the_web: int
    references: Custody
    faults: tuple[PackFault, ...]

    @property
    def fine(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def check_pack(
    folder: Path, key: str | None = None, *, watch: Callable[[int], None] = lambda _: None
) -> PackCheck:
    """Look at everything in a pack.

    Args:
        folder: The pack.
        key: Opens its references, where they are sealed.
        watch: Called after each item with how many are done.

    Raises:
        DataError: It is no pack.
    """
    manifest = read_manifest(folder)
    found = _Findings(folder)
    tasks = tuple(_described(task) for task in manifest.tasks)
    custody = _CUSTODY[manifest.references]
    try:
        pack = open_pack(folder)
    except DataError as error:
        found.add(error)
        found.lost = True
    else:
        _check_items(pack, found, watch)
        custody, tasks = _check_references(pack, key, found)
        _check_count(manifest, found)
    _check_extra(manifest, found)
    return PackCheck(
        name=manifest.name,
        tasks=tasks,
        images=len(found.files),
        image_bytes=_bytes_of(found.files),
        on_the_web=found.on_the_web,
        references=custody,
        faults=tuple(found.faults),
    )


_CUSTODY: Mapping[str | None, Custody] = {
    None: Custody.NONE,
    REFERENCES: Custody.READABLE,
    SEALED: Custody.SEALED,
}


@dataclass(slots=True)
class _Findings:
    """What is found on the way.

    Attributes:
        root: The pack.
        faults: What is wrong.
        files: The files of images that items show, with their bytes.
        on_the_web: How many images are addresses.
        lost: Whether the items could not be read, so that nobody knows what images there are.
    """

    root: Path
    faults: list[PackFault] = field(default_factory=list[PackFault])
    files: dict[str, PackImage] = field(default_factory=dict[str, PackImage])
    on_the_web: int = 0
    lost: bool = False

    def say(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.faults.append(PackFault(message=message, file=file, line=line))

    def add(self, error: DataError) -> None:
        file = error.file
        if file is not None and Path(file).is_relative_to(self.root):
            file = Path(file).relative_to(self.root).as_posix()
        self.faults.append(
            PackFault(message=error.message, file=file, line=error.line, field=error.field)
        )


def _check_items(pack: Pack, found: _Findings, watch: Callable[[int], None]) -> None:
    sizes: dict[str, tuple[int, int]] = {}
    with Decoder() as decoder:
        for place in range(len(pack.lines)):
            watch(place + 1)
            try:
                line = pack.lines[place]
            except DataError as error:
                found.add(error)
                continue
            for shown in line.item.images:
                image = line.images[shown.name]
                if image.file is None:
                    found.on_the_web += 1
                    continue
                _check_image(pack, image, found, sizes, decoder)
                size = sizes.get(image.file, (0, 0))
                if size != (0, 0) and size != (shown.width, shown.height):
                    found.say(
                        f"image {shown.name!r} of {line.item.id} is said to be {shown.width} x"
                        f" {shown.height} pixels, and is {size[0]} x {size[1]}",
                        ITEMS,
                        place + 1,
                    )
        for damaged in decoder.rest():
            found.say(damaged.message, damaged.name)


def _check_image(
    pack: Pack,
    image: PackImage,
    found: _Findings,
    sizes: dict[str, tuple[int, int]],
    decoder: Decoder,
) -> None:
    file = image.file or ""
    known = found.files.setdefault(file, image)
    if known is not image:
        if known != image:
            found.say("items say different things of it", f"{IMAGES}/{file}")
        return
    try:
        data = pack.read_image(image)
    except DataError as error:
        found.add(error)
        return
    for damaged in decoder.add(f"{IMAGES}/{file}", data):
        found.say(damaged.message, damaged.name)
    if size := size_of(data):
        sizes[file] = size


def _check_count(manifest: Manifest, found: _Findings) -> None:
    images, size = len(found.files), _bytes_of(found.files)
    if (images, size) != (manifest.images, manifest.image_bytes):
        found.say(
            f"it says {manifest.images:,} images of {manifest.image_bytes:,} bytes, and the items"
            f" show {images:,} of {size:,}",
            MANIFEST,
        )
    folded: dict[str, str] = {}
    for file in found.files:
        if other := folded.get(file.lower()):
            found.say(f"on Windows and macOS it is the same file as {other}", f"{IMAGES}/{file}")
        folded[file.lower()] = file


def _bytes_of(files: Mapping[str, PackImage]) -> int:
    return sum(image.bytes or 0 for image in files.values())


def _check_extra(manifest: Manifest, found: _Findings) -> None:
    """Find what is there and belongs to nothing."""
    expected = {MANIFEST, *manifest.files, *(f"{IMAGES}/{file}" for file in found.files)}
    for folder, folders, files in os.walk(found.root):
        folders.sort()
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*files, *links]):
            file = Path(folder, name).relative_to(found.root).as_posix()
            if file in expected or (found.lost and file.startswith(f"{IMAGES}/")):
                continue
            if file == REFERENCES:
                found.say(
                    "the references are sealed, and this is there all the same: run snellen pack"
                    " seal again, or remove it"
                    if SEALED in manifest.files
                    else "the pack says that it has no references: remove it",
                    file,
                )
            else:
                found.say("it belongs to nothing in the pack: remove it", file)


def _check_references(
    pack: Pack, key: str | None, found: _Findings
) -> tuple[Custody, tuple[TaskCheck, ...]]:
    plain = tuple(_described(task) for task in pack.manifest.tasks)
    name = pack.manifest.references
    custody = _CUSTODY[name]
    if name is None:
        return custody, plain
    try:
        if custody is Custody.SEALED and key is None:
            read_whole(pack.folder, pack.manifest, name)
            return custody, plain
        references = open_references(pack, key)
    except DataError as error:
        found.add(error)
        return custody, plain
    tried = tuple(_tried(task, pack, references, found) for task in pack.manifest.tasks)
    return Custody.OPENED if custody is Custody.SEALED else custody, tried


def _described(task: PackTask) -> TaskCheck:
    return TaskCheck(task=task.task, items=task.items, protocol=task.protocol)


def _tried(task: PackTask, pack: Pack, references: References, found: _Findings) -> TaskCheck:
    """Give every reference as the answer to its own item."""
    about = _described(task)
    protocol = protocol_of(task.task, task.protocol)
    try:
        data = task_data(pack, references, task.task)
        places = [data.index[item_id] for item_id in pack.index[task.task]]
        reached = attainable_maximum(
            protocol,
            gold_shape(task.task).responses,
            [data.golds[place] for place in places],
            [data.contexts[place] for place in places],
        )
    except DataError:
        # A line of the items, which is named already.
        return about
    except MissingExtraError as error:
        return about.model_copy(update={"note": str(error)})
    except MetricError as error:
        found.say(f"{task.task} can't be graded: {error}", pack.manifest.references)
        return about
    below = tuple(data.ids[places[place]] for place in reached.below)
    value = reached.metrics[protocol.metric.primary]
    if value == 0:
        found.say(
            f"not one reference of {task.task} scores anything under {protocol.name}",
            pack.manifest.references,
        )
    return about.model_copy(update={"attainable": value, "below": below})
