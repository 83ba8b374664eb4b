"""Checking packs: files are complete, unchanged and readable, and the references can be graded.

No message shows a reference.
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
from snellen.tasks.pack import MANIFEST, read
from snellen.tasks.pack.format import (
    IMAGES,
    ITEMS,
    REFERENCES,
    SEALED,
    Manifest,
    PackImage,
    PackTask,
)
from snellen.tasks.pack.images import Decoder, size_of


class Custody(StrEnum):
    """The protection of a pack's references."""

    NONE = "none"
    """The pack has no references."""
    READABLE = "readable"
    """Everyone who has the pack can read them."""
    SEALED = "sealed"
    """They are encrypted, and no key was given."""
    OPENED = "sealed, opened with the key"
    """They are encrypted, and the key decrypted them."""


class PackFault(Closed):
    """One fault of a pack, and how to fix it.

    Attributes:
        message: The fault and its fix.
        file: The file's path, relative to the pack.
        line: The line, counted from 1.
        field: The field of the record.
    """

    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None


class TaskCheck(Closed):
    """The content of one task of a pack.

    Attributes:
        task: The task's id.
        items: The number of items.
        protocol: The protocol that scores them.
        attainable: The primary metric if every reference is given as the answer; None if the
            references could not be read.
        below: The items with a reference that does not reach the best value as an answer.
        note: The reason why the references were not tried, if any.
    """

    task: str
    items: int
    protocol: str
    attainable: float | None = None
    below: tuple[str, ...] = ()
    note: str = ""


class PackCheck(Closed):
    """The content of a pack, and its faults.

    Attributes:
        name: The name of the pack.
        tasks: Its tasks.
        images: The number of image files of its items.
        image_bytes: The total number of their bytes.
        references: The protection of its references.
        faults: The faults.
    """

    name: str
    tasks: tuple[TaskCheck, ...]
    images: int
    image_bytes: int
    references: Custody
    faults: tuple[PackFault, ...]

    @property
    def fine(self) -> bool:
        """Whether there are no faults."""
        return not self.faults


def check_pack(
    folder: Path, key: str | None = None, *, watch: Callable[[int], None] = lambda _: None
) -> PackCheck:
    """Check everything in a pack.

    Args:
        folder: The pack.
        key: Decrypts its references, if they are sealed.
        watch: Called after each item with the number of items done.

    Raises:
        DataError: The folder is not a pack.
    """
    manifest = read.read_manifest(folder)
    findings = _Findings(folder)
    tasks = tuple(_described(task) for task in manifest.tasks)
    custody = _CUSTODY[manifest.references]
    try:
        pack = read.open_pack(folder)
    except DataError as error:
        findings.add(error)
        findings.lost = True
    else:
        _check_items(pack, findings, watch)
        custody, tasks = _check_references(pack, key, findings)
        _check_count(manifest, findings)
    _check_extra(manifest, findings)
    return PackCheck(
        name=manifest.name,
        tasks=tasks,
        images=len(findings.files),
        image_bytes=_bytes_of(findings.files),
        references=custody,
        faults=tuple(findings.faults),
    )


_CUSTODY: Mapping[str | None, Custody] = {
    None: Custody.NONE,
    REFERENCES: Custody.READABLE,
    SEALED: Custody.SEALED,
}


@dataclass(slots=True)
class _Findings:
    """The results collected so far.

    Attributes:
        root: The pack.
        faults: The faults.
        files: The image files of items, with their sizes in bytes.
        lost: Whether the items could not be read, so that the list of images is unknown.
    """

    root: Path
    faults: list[PackFault] = field(default_factory=list[PackFault])
    files: dict[str, PackImage] = field(default_factory=dict[str, PackImage])
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


def _check_items(pack: read.Pack, found: _Findings, watch: Callable[[int], None]) -> None:
    sizes: dict[str, tuple[int, int]] = {}
    with Decoder() as decoder:
        for index in range(len(pack.lines)):
            watch(index + 1)
            try:
                line = pack.lines[index]
            except DataError as error:
                found.add(error)
                continue
            for shown in line.item.images:
                image = line.images[shown.name]
                _check_image(pack, image, found, sizes, decoder)
                size = sizes.get(image.file, (0, 0))
                if size != (0, 0) and size != (shown.width, shown.height):
                    found.say(
                        f"image {shown.name!r} of {line.item.id} is listed as {shown.width} x"
                        f" {shown.height} pixels but has {size[0]} x {size[1]}",
                        ITEMS,
                        index + 1,
                    )
        for damaged in decoder.rest():
            found.say(damaged.message, damaged.name)


def _check_image(
    pack: read.Pack,
    image: PackImage,
    found: _Findings,
    sizes: dict[str, tuple[int, int]],
    decoder: Decoder,
) -> None:
    file = image.file
    first = found.files.setdefault(file, image)
    if first is not image:
        if first != image:
            found.say("items list different digests or sizes for it", f"{IMAGES}/{file}")
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
            f"it lists {manifest.images:,} images of {manifest.image_bytes:,} bytes, but the items"
            f" have {images:,} of {size:,}",
            MANIFEST,
        )
    folded: dict[str, str] = {}
    for file in found.files:
        if other := folded.get(file.lower()):
            found.say(f"on Windows and macOS it is the same file as {other}", f"{IMAGES}/{file}")
        folded[file.lower()] = file


def _bytes_of(files: Mapping[str, PackImage]) -> int:
    return sum(image.bytes for image in files.values())


def _check_extra(manifest: Manifest, found: _Findings) -> None:
    """Report files that do not belong to the pack."""
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
                    "the references are sealed, but this readable file exists: run snellen pack"
                    " seal again, or remove it"
                    if SEALED in manifest.files
                    else "the manifest lists no references: remove it",
                    file,
                )
            else:
                found.say("it does not belong to the pack: remove it", file)


def _check_references(
    pack: read.Pack, key: str | None, found: _Findings
) -> tuple[Custody, tuple[TaskCheck, ...]]:
    plain = tuple(_described(task) for task in pack.manifest.tasks)
    name = pack.manifest.references
    custody = _CUSTODY[name]
    if name is None:
        return custody, plain
    try:
        if custody is Custody.SEALED and key is None:
            read.read_whole(pack.folder, pack.manifest, name)
            return custody, plain
        references = read.open_references(pack, key)
    except DataError as error:
        found.add(error)
        return custody, plain
    tried = tuple(_tried(task, pack, references, found) for task in pack.manifest.tasks)
    return Custody.OPENED if custody is Custody.SEALED else custody, tried


def _described(task: PackTask) -> TaskCheck:
    return TaskCheck(task=task.task, items=task.items, protocol=task.protocol)


def _tried(
    task: PackTask, pack: read.Pack, references: read.References, found: _Findings
) -> TaskCheck:
    """Grade every reference as the answer to its own item."""
    about = _described(task)
    protocol = protocol_of(task.task, task.protocol)
    try:
        data = read.task_data(pack, references, task.task)
        indexes = [data.index[item_id] for item_id in pack.index[task.task]]
        reached = attainable_maximum(
            protocol,
            gold_shape(task.task).responses,
            [data.golds[index] for index in indexes],
            [data.contexts[index] for index in indexes],
        )
    except DataError:
        # The error is in a line of the items, which is reported already.
        return about
    except MissingExtraError as error:
        return about.model_copy(update={"note": str(error)})
    except MetricError as error:
        found.say(f"{task.task} can't be graded: {error}", pack.manifest.references)
        return about
    below = tuple(data.ids[indexes[index]] for index in reached.below)
    value = reached.metrics[protocol.metric.primary]
    if value == 0:
        found.say(
            f"every reference of {task.task} scores 0 under {protocol.name}",
            pack.manifest.references,
        )
    return about.model_copy(update={"attainable": value, "below": below})
