"""Reading packs: the public part when a pack is opened, the references on request."""

import os
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from pathlib import Path
from threading import Lock
from typing import overload
from weakref import finalize

import msgspec
from pydantic import ValidationError

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.base import NO_JSON, digest_of
from snellen.grading.models.golds import Golds
from snellen.grading.models.items import Item
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.models import TaskData
from snellen.tasks.pack import MANIFEST, seal
from snellen.tasks.pack.folders import open_inside, read_inside
from snellen.tasks.pack.format import (
    FORMAT,
    IMAGES,
    ITEMS,
    REFERENCES,
    Manifest,
    PackFile,
    PackImage,
    PackItem,
    PackTask,
)
from snellen.tasks.pack.references import References, header, key_named, read_references

__all__ = [
    "ItemLines",
    "Pack",
    "References",
    "has_references",
    "is_pack",
    "open_pack",
    "open_references",
    "plain_references",
    "read_manifest",
    "read_whole",
    "task_data",
]


_CHANGED = "it does not match the manifest; fetch the pack again"

_NO_BYTES = msgspec.Raw()
_URL = b'"url"'


class _Name(msgspec.Struct, gc=False):
    id: str
    task: str


class _Head(msgspec.Struct, gc=False):
    """The part of a line that is kept in memory; the rest is read on access."""

    item: _Name
    pair: str | None = None
    context: msgspec.Raw = _NO_BYTES


class ItemLines(Sequence[PackItem]):
    """The lines of `items.jsonl`, each read from disk on access.

    A pack may have a hundred thousand items, and several processes may open it. Only the head of a
    line, its position, and a digest that reveals changes of the file are kept in memory.

    Raises:
        DataError: The file differs from the manifest, or a line is not an item.
    """

    def __init__(self, root: Path, known: PackFile) -> None:
        self._path = root / ITEMS
        self.heads: list[_Head] = []
        self._with_context: set[int] = set()
        self._ends, self._digests = array("Q", [0]), array("Q")
        self._tasks: dict[str, str] = {}
        whole, fault = sha256(), None
        with open_inside(root, ITEMS, known.bytes) as file:
            for line in file:
                whole.update(line)
                try:
                    if fault is None:
                        self._add(line)
                except DataError as error:
                    fault = error
            # The file stays open: if the pack is replaced, its readers keep the old one.
            self._handle = os.dup(file.fileno())
        finalize(self, os.close, self._handle)
        if whole.hexdigest() != known.sha256:
            raise DataError(_CHANGED, file=str(self._path))
        if fault is not None:
            raise fault

    def _add(self, line: bytes) -> None:
        number = len(self.heads) + 1
        try:
            head = _DECODER.decode(line)
        except NO_JSON as error:
            raise self._fault(f"it is not an item: {error}", number) from None
        if _URL in line:
            # Perhaps an image on the web, which must be reported before items are served.
            self._whole(line, number)
        if "\0" in head.item.id + (head.pair or ""):
            words = f"{head.item.id!r} or its pair contains U+0000, which databases can't store"
            raise self._fault(words, number, "item.id")
        if head.context is not _NO_BYTES:
            self._with_context.add(number - 1)
            head.context = _NO_BYTES
        head.item.task = self._tasks.setdefault(head.item.task, head.item.task)
        self.heads.append(head)
        self._ends.append(self._ends[-1] + len(line))
        self._digests.append(_short_digest(line))

    def _fault(self, message: str, number: int, field: str | None = None) -> DataError:
        return DataError(message, file=str(self._path), line=number, field=field)

    def __len__(self) -> int:
        return len(self.heads)

    def raw(self, index: int) -> bytes:
        """Return the bytes of a line, without its line end.

        Raises:
            DataError: The file was changed after it was opened.
        """
        start, end = self._ends[index], self._ends[index + 1]
        line = _read_at(self._handle, start, end - start)
        if _short_digest(line) != self._digests[index]:
            raise self._fault(_CHANGED, index + 1)
        return line.rstrip(b"\r\n")

    def context(self, index: int) -> Context:
        """Return the context of an item for the parser."""
        return self[index].context if index in self._with_context else NO_CONTEXT

    @overload
    def __getitem__(self, index: int) -> PackItem: ...
    @overload
    def __getitem__(self, index: slice) -> list[PackItem]: ...
    def __getitem__(self, index: int | slice) -> PackItem | list[PackItem]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        return self._whole(self.raw(index), index + 1)

    def _whole(self, line: bytes, number: int) -> PackItem:
        try:
            return PackItem.model_validate_json(line)
        except ValidationError as error:
            raise self._fault(_first(error), number) from None


_DECODER = msgspec.json.Decoder(_Head)
_READING = Lock()


def _read_at(handle: int, start: int, size: int) -> bytes:
    if sys.platform != "win32":
        return os.pread(handle, size, start)
    with _READING:
        os.lseek(handle, start, os.SEEK_SET)
        return os.read(handle, size)


def _short_digest(line: bytes) -> int:
    return int.from_bytes(blake2b(line, digest_size=8).digest())


@dataclass(frozen=True)
class Pack:
    """The public part of an exam on disk. It gives no access to references."""

    folder: Path  # the path of the folder
    manifest: Manifest  # the content of the pack
    lines: ItemLines = field(repr=False)  # its items, in order

    @property
    def name(self) -> str:
        """The name of the pack."""
        return self.manifest.name

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the items and how they are scored, without references."""
        tasks = [task.model_dump(mode="json") for task in self.manifest.tasks]
        return digest_of({"items": self.manifest.files[ITEMS].sha256, "tasks": tasks})

    @cached_property
    def index(self) -> Mapping[str, Mapping[str, int]]:
        """The line index of each item, from 0, by task and item id."""
        by_task: dict[str, dict[str, int]] = {task.task: {} for task in self.manifest.tasks}
        for index, head in enumerate(self.lines.heads):
            by_task[head.item.task][head.item.id] = index
        return by_task

    def task(self, task: str) -> PackTask:
        """Return a task of the manifest.

        Raises:
            UnknownNameError: The pack does not have it.
        """
        for spec in self.manifest.tasks:
            if spec.task == task:
                return spec
        raise UnknownNameError(
            f"task in the pack {self.name}", task, [spec.task for spec in self.manifest.tasks]
        )

    def line(self, task: str, item_id: str) -> PackItem:
        """Return an item's line.

        Raises:
            UnknownNameError: There is no such item.
            DataError: The line can't be read.
        """
        return self.lines[self._place(task, item_id)]

    def pair(self, task: str, item_id: str) -> str | None:
        """Return the shared name of an item's pair; None if it has none.

        Raises:
            UnknownNameError: There is no such item.
        """
        return self.lines.heads[self._place(task, item_id)].pair

    def where(self, line: PackItem, name: str) -> PackImage:
        """Return the file of an item's image.

        Raises:
            DataError: The item has no image with that name.
        """
        try:
            return line.images[name]
        except KeyError:
            names = ", ".join(line.images) or "none"
            raise DataError(f"item {line.item.id} has no image {name!r}; it has: {names}") from None

    def image(self, line: PackItem, name: str) -> bytes:
        """Return the bytes of an item's image.

        Raises:
            DataError: The image is missing, is reached through a link, or was changed.
        """
        return self.read_image(self.where(line, name))

    def read_image(self, image: PackImage) -> bytes:
        """Return the bytes of an image; see `image`."""
        data = read_inside(self.folder, f"{IMAGES}/{image.file}", image.bytes)
        if sha256(data).hexdigest() != image.sha256:
            raise DataError(
                "the image does not match its digest; fetch the pack again",
                file=str(self.folder / IMAGES / image.file),
            )
        return data

    def _place(self, task: str, item_id: str) -> int:
        indexes = self.index.get(task, {})
        if item_id not in indexes:
            raise UnknownNameError(f"item of {task} in {self.name}", item_id, [*indexes][:3])
        return indexes[item_id]


def is_pack(folder: str | Path) -> bool:
    """Whether a folder looks like a pack, of any version of the layout."""
    try:
        words = msgspec.json.decode((Path(folder) / MANIFEST).read_bytes(), type=dict[str, object])
    except (OSError, *NO_JSON):
        return False
    return str(words.get("format", "")).startswith(FORMAT.partition("@")[0])


def open_pack(folder: str | Path) -> Pack:
    """Open a pack; references are not read, and items are read on access.

    Raises:
        DataError: The folder is not a pack, its items were changed, or a line can't be read.
    """
    root = Path(folder)
    manifest = read_manifest(root)
    file = str(root / ITEMS)
    lines = ItemLines(root, manifest.files[ITEMS])
    seen: dict[str, set[str]] = {task.task: set() for task in manifest.tasks}
    for number, head in enumerate(lines.heads, start=1):
        name = head.item
        if name.task not in seen:
            message = f"it is of {name.task!r}, which is not in the manifest"
            raise DataError(message, file=file, line=number, field="item.task")
        if name.id in seen[name.task]:
            message = f"{name.id!r} occurs twice"
            raise DataError(message, file=file, line=number, field="item.id")
        seen[name.task].add(name.id)
    for task in manifest.tasks:
        count = len(seen[task.task])
        if count != task.items:
            message = f"the manifest lists {task.items} items of {task.task}, but there are {count}"
            raise DataError(message, file=file)
    return Pack(root, manifest, lines)


def has_references(pack: Pack) -> bool:
    """Whether the pack has references, sealed or not."""
    return pack.manifest.references is not None


def plain_references(pack: Pack, key: str | None = None) -> bytes:
    """Return the lines of the references without the head, decrypted with the key if sealed.

    Raises:
        DataError: There are no references, they were changed, or the key does not decrypt them.
    """
    name = pack.manifest.references
    if name is None:
        raise DataError(
            "this pack has no references: grade its exam where the references are",
            file=str(pack.folder),
        )
    file = str(pack.folder / name)
    data = read_whole(pack.folder, pack.manifest, name)
    head = data[: data.find(b"\n") + 1] or data
    body = data[len(head) :]
    del data
    if name == REFERENCES:
        key = None
    elif key is None:
        raise DataError(
            f"the references are sealed: set {seal.KEY_VARIABLE}, or give the key's file",
            file=file,
        )
    elif (named := key_named(head)) is not None and named != seal.key_id(key):
        raise DataError(
            f"the references are sealed with the key {named}; the key given is {seal.key_id(key)}",
            file=file,
        )
    if head != header(pack.manifest.canary, key):
        message = "the line does not match the manifest"
        raise DataError(message, file=file, line=1)
    return body if key is None else seal.unseal(body, key, head, file=file)


def open_references(pack: Pack, key: str | None = None) -> References:
    """Read a pack's references.

    Raises:
        DataError: There are no references, they were changed, the key does not decrypt them, one
            does not have its task's form, or an item has none.
    """
    file = str(pack.folder / (pack.manifest.references or REFERENCES))
    references = read_references(plain_references(pack, key), file)
    for task in pack.manifest.tasks:
        missing = pack.index[task.task].keys() - references.golds.get(task.task, {}).keys()
        if missing:
            raise DataError(f"{min(missing)} of {task.task} has no reference", file=file)
    return references


def task_data(pack: Pack, references: References, task: str) -> TaskData:
    """Return a task of a pack for `sdk.grade`.

    It has the references of all the source data, and `selected` names the pack's items. The scores
    are therefore those of grading the same items of the whole data.

    Raises:
        UnknownNameError: The pack does not have the task.
    """
    spec, source = pack.task(task), references.sources[task]
    indexes = pack.index[task]
    # Equal names share one object, so that a hundred thousand of them are not stored twice.
    own = {name: name for name in indexes}
    ids = [own.get(name, name) for name in references.golds[task]]
    del own
    golds = Golds(list(references.golds[task].values()))
    columns = references.tags[task]

    def line(index: int) -> PackItem:
        return pack.line(task, ids[index])

    def build_item(index: int) -> Item:
        return line(index).item

    def context(item_id: str) -> Context:
        return pack.lines.context(indexes[item_id]) if item_id in indexes else NO_CONTEXT

    return TaskData(
        task=task,
        split=spec.split,
        ids=ids,
        golds=golds,
        pin=source.pin.model_copy(update={"path": str(pack.folder)}),
        build_item=build_item,
        load_image=lambda index, name: pack.image(line(index), name),
        contexts=[context(item_id) for item_id in ids],
        raters=golds if source.by_rater else Golds(),
        tags={name: [column.get(item_id) for item_id in ids] for name, column in columns.items()},
        cluster=source.cluster,
        selected=None if len(indexes) == len(ids) else list(indexes),
    )


def read_manifest(root: Path) -> Manifest:
    """Read the manifest of a pack.

    Raises:
        DataError: The folder is not a pack, has another layout, or has unknown tasks.
    """
    path = root / MANIFEST
    if not path.exists():
        raise DataError(
            f"it is not a pack: it has no {MANIFEST}; snellen pack create makes packs",
            file=str(root),
        )
    data = read_inside(root, MANIFEST)
    try:
        words = msgspec.json.decode(data, type=dict[str, object])
    except NO_JSON as error:
        raise DataError(f"it is not a JSON object: {error}", file=str(path)) from None
    if words.get("format") != FORMAT:
        raise DataError(
            f"the pack has the format {words.get('format')!r}; this version reads {FORMAT!r}",
            file=str(path),
            field="format",
        )
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        raise DataError(f"it is not a pack's manifest: {_first(error)}", file=str(path)) from None
    for task in manifest.tasks:
        try:
            protocol_of(task.task, task.protocol)
        except UnknownNameError as error:
            raise DataError(str(error), file=str(path), field="tasks") from None
    return manifest


def read_whole(root: Path, manifest: Manifest, name: str) -> bytes:
    """Return the bytes of a file in the manifest.

    Raises:
        DataError: The file is missing, or was changed.
    """
    listed = manifest.files[name]
    data = read_inside(root, name, listed.bytes)
    if sha256(data).hexdigest() != listed.sha256:
        raise DataError(_CHANGED, file=str(root / name))
    return data


def _first(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    return f"{field}: {first['msg']}" if field else first["msg"]
