"""Saying what a folder or a file is, whether it loads, and what is wrong with it.

What a loader refuses is a fault with the file, the row and the field in its message. What the pins
know of a release stands beside each split. Images are looked at once, in each task's main split, or
in all of its splits where there is none.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from fnmatch import fnmatchcase
from io import BytesIO, StringIO
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from snellen.grading import errors
from snellen.grading.protocols.base import NO_CONTEXT
from snellen.grading.protocols.golds import Target, unit_target
from snellen.tasks.benchmarks.table import TASKS, benchmarks, load_task, task_of
from snellen.tasks.data.check.images import ImageFault, ImageProblem, image_faults
from snellen.tasks.data.check.models import (
    DataCheck,
    DataFault,
    ImageNote,
    ImagesCheck,
    Origin,
    SplitCheck,
    benchmarks_of,
)
from snellen.tasks.data.fetch.manifest import changes, read_manifest
from snellen.tasks.data.fetch.names import MANIFEST, PART
from snellen.tasks.data.pins import GZIP, only_looking, read_bytes
from snellen.tasks.data.release import Signs
from snellen.tasks.io.files import DATA, format_of
from snellen.tasks.models import TaskData

__all__ = [
    "DataCheck",
    "DataFault",
    "ImageFault",
    "ImageNote",
    "ImageProblem",
    "ImagesCheck",
    "Origin",
    "SplitCheck",
    "check",
    "image_faults",
    "recognize",
]


_NO_SPLIT = "?"
"""The name of no split: a loader that is asked for it names those that there are."""


def check(
    path: str | Path,
    task: str | None = None,
    images: str | Path | None = None,
    *,
    look: bool = True,
    remember: bool = False,
    watch: Callable[[str], None] | None = None,
) -> DataCheck:
    """Say what a folder or file is, which releases it holds, and what is wrong with it.

    Args:
        path: A folder of published data, or one file of it.
        task: Check it as this task's data; None: as that of every task it seems to hold.
        images: A folder of screenshots, where the data holds none.
        look: Whether to look at every image, which takes up to a quarter of a second each.
        remember: Whether data that has as many items as a release becomes the copy that others are
            compared with, as it does when it is graded against; a look does not.
        watch: Called with what is looked at.

    Raises:
        InputError: There is nothing at the path, or it can't be read.
        UnknownNameError: There is no such task.
    """
    path = Path(path)
    if not path.exists():
        raise errors.InputError("there is no such file or folder", file=str(path))
    if task is not None:
        task_of(task)
    checker = _Checker(path, None if images is None else Path(images), look, watch)
    with nullcontext() if remember else only_looking():
        try:
            tasks = (task,) if task else recognize(path) or tuple(checker.loadable())
        except OSError as error:
            where = str(error.filename or path)
            raise errors.InputError(f"can't be read: {error.strerror}", file=where) from error
        for one in tasks:
            checker.check(one)
    return DataCheck(
        path=str(path),
        tasks=tasks,
        splits=tuple(checker.splits),
        faults=tuple(checker.faults),
        images=tuple(checker.images),
        origin=_origin(path),
        holds=() if tasks else _held(path),
        nearby={} if tasks else dict(_nearby(path)),
    )


class _Checker:
    """Gathers what the loaders say of one path."""

    def __init__(
        self,
        path: Path,
        images_from: Path | None,
        look: bool,
        watch: Callable[[str], None] | None,
    ) -> None:
        self.path = path
        self.images_from = images_from
        self.look = look
        self.watch = watch
        self.splits: list[SplitCheck] = []
        self.faults: list[DataFault] = []
        self.images: list[ImagesCheck] = []

    def loadable(self) -> Iterator[str]:
        """Yield the tasks that load, for data that has no sign: another package's benchmark."""
        for task in TASKS:
            try:
                load_task(task, self.path)
            except (errors.InputError, errors.MissingExtraError):
                continue
            yield task

    def check(self, task: str) -> None:
        """Load every split of a task, and look at the images of its main one."""
        self._say(f"{task}: loading")
        try:
            main = load_task(task, self.path, None, self.images_from)
        except errors.SnellenError as error:
            # Without a main split there may be others that load.
            names = self._names(task)
            if not (names and _asks_for_a_split(error)):
                self._fault(task, error)
            for split in names:
                self._check_split(task, split, look=self.look)
            return
        self._keep(main, main=True)
        for split in self._names(task):
            if split != main.split:
                self._check_split(task, split)
        if self.look:
            self._look(main)

    def _check_split(self, task: str, split: str, *, look: bool = False) -> None:
        self._say(f"{task}: loading {split}")
        try:
            data = load_task(task, self.path, split, self.images_from)
        except errors.SnellenError as error:
            self._fault(task, error)
            return
        self._keep(data, main=False)
        if look:
            self._look(data)

    def _names(self, task: str) -> Sequence[str]:
        try:
            load_task(task, self.path, _NO_SPLIT, self.images_from)
        except errors.UnknownNameError as error:
            return error.known
        except errors.SnellenError:
            # What is wrong is reported by the load that a user would do.
            return ()
        return ()

    def _keep(self, data: TaskData, *, main: bool) -> None:
        self.splits.append(
            SplitCheck(
                task=data.task,
                split=data.split,
                main=main,
                count=len(data),
                pin=data.pin,
                left_out=dict(data.left_out),
            )
        )

    def _look(self, data: TaskData) -> None:
        if data.load_image is not None:
            self._say(f"{data.task}: looking at the images of {len(data):,} items")
        try:
            found = tuple(
                ImageNote(
                    item=fault.item,
                    image=fault.image,
                    problem=fault.problem.value,
                    message=fault.message,
                    file=fault.file,
                    items=fault.items,
                )
                for fault in image_faults(data)
            )
            if data.load_image is None:
                # Its items show none.
                return
            there = True
        except errors.DataError:
            # Items that show images, and data that came without: no fault.
            found, there = (), False
        self.images.append(
            ImagesCheck(
                task=data.task,
                split=data.split,
                there=there,
                faults=found,
                unsized=_unsized(data),
            )
        )

    def _fault(self, task: str, error: errors.SnellenError) -> None:
        known = error if isinstance(error, errors.InputError) else None
        fault = DataFault(
            tasks=(task,),
            message=known.message if known else str(error),
            file=known.file if known else None,
            line=known.line if known else None,
            field=known.field if known else None,
        )
        for index, known in enumerate(self.faults):
            if known.model_copy(update={"tasks": fault.tasks}) == fault:
                tasks = tuple(dict.fromkeys((*known.tasks, task)))
                self.faults[index] = known.model_copy(update={"tasks": tasks})
                return
        self.faults.append(fault)

    def _say(self, what: str) -> None:
        if self.watch is not None:
            self.watch(what)


def _unsized(data: TaskData) -> int:
    contexts = data.contexts or [NO_CONTEXT] * len(data)
    return sum(
        isinstance(gold, Target) and unit_target(gold, context) is None
        for gold, context in zip(data.golds, contexts, strict=True)
    )


def _asks_for_a_split(error: errors.SnellenError) -> bool:
    return isinstance(error, errors.DataError) and error.message.startswith("give split=")


def _origin(path: Path) -> Origin | None:
    folder = path if path.is_dir() else path.parent
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    looked_at, parts = manifest, folder.rglob(f"*{PART}")
    if path.is_file():
        only = tuple(file for file in manifest.files if folder / file.path == path)
        looked_at, parts = replace(manifest, files=only), iter(())
    return Origin(
        repository=manifest.repository,
        revision=manifest.revision,
        files=len(manifest.files),
        changed=dict(changes(folder, looked_at)),
        unfinished=tuple(sorted(part.relative_to(folder).as_posix() for part in parts)),
    )


def _nearby(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    if path.is_dir():
        for folder in sorted(one for one in path.iterdir() if one.is_dir()):
            if tasks := recognize(folder):
                yield str(folder), benchmarks_of(tasks)


def _held(path: Path) -> tuple[str, ...]:
    if path.is_file():
        return (path.name,)
    return tuple(sorted(one.name for one in path.iterdir() if one.name != MANIFEST)[:5])


_FIRST_BYTES = 1 << 20
_FEW = 10
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def recognize(path: Path) -> tuple[str, ...]:
    """Return the ids of the tasks whose data a path seems to hold, benchmark by benchmark.

    Args:
        path: A file or a folder.

    Raises:
        OSError: It can't be read.
    """
    every = [benchmark.signs for benchmark in benchmarks()]
    if path.is_file():
        return tuple(_of_file(path, every))
    found = dict.fromkeys(task for signs in every for task in _of_folder(path, signs))
    if not found:
        # A folder of files under names of their own: the first one tells.
        for file in sorted(one for one in path.iterdir() if format_of(one) in DATA)[:_FEW]:
            found.update(dict.fromkeys(_of_file(file, every)))
    return tuple(found)


def _of_folder(path: Path, signs: Signs) -> Iterator[str]:
    found = [task for name, task in signs.names.items() if any(path.glob(name))]
    if signs.in_folder is not None:
        found += signs.in_folder(path)
    for pattern in signs.folders:
        files = sorted(path.glob(pattern))
        named = {file: tuple(_by_name(file, signs)) for file in files}
        found += [task for tasks in named.values() for task in tasks]
        # Of files under names of their own the first one tells.
        for file in islice((file for file in files if not named[file]), 1):
            found += _of_row(file, _first_row(file), signs)
    yield from _with_those_beside(found, signs)


def _of_file(path: Path, every: Iterable[Signs]) -> Iterable[str]:
    for signs in every:
        if found := _by_name(path, signs):
            return dict.fromkeys(_with_those_beside(found, signs))
    row = _first_row(path)
    return dict.fromkeys(
        task for signs in every for task in _with_those_beside(_of_row(path, row, signs), signs)
    )


def _by_name(path: Path, signs: Signs) -> Sequence[str]:
    name = path.name.removesuffix(GZIP)
    for pattern, task in signs.names.items():
        if fnmatchcase(name, pattern):
            return (task,)
    return () if signs.by_name is None else tuple(signs.by_name(path))


def _with_those_beside(found: Iterable[str], signs: Signs) -> Iterator[str]:
    for task in found:
        yield from signs.together if task in signs.together else (task,)


def _of_row(path: Path, row: Mapping[str, object], signs: Signs) -> Iterable[str]:
    if signs.by_row is not None and (found := tuple(signs.by_row(path, row))):
        return found
    return [
        one.task
        for one in signs.rows
        if one.fields <= row.keys()
        and not one.without & row.keys()
        and all(str(row[name]).startswith(begin) for name, begin in one.begins.items())
    ]


def _first_row(path: Path) -> Mapping[str, object]:
    """Return the first row of a file; of parquet its columns' types. Empty where none is read."""
    if format_of(path) == ".parquet":
        return _columns(path)
    try:
        with gzip.open(path) if path.suffix == GZIP else path.open("rb") as file:
            text = file.read(_FIRST_BYTES).decode("utf-8", errors="replace")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return {}
    if format_of(path) == ".csv":
        try:
            rows = list(islice(csv.reader(StringIO(text.lstrip(_BYTE_ORDER_MARK))), 2))
        except csv.Error:
            return {}
        return dict(zip(*rows, strict=False)) if len(rows) > 1 else {}
    try:
        row: object = JSONDecoder().raw_decode(text.lstrip(f"{_BYTE_ORDER_MARK} \t\r\n["))[0]
    except (JSONDecodeError, RecursionError):
        return {}
    return cast("dict[str, object]", row) if isinstance(row, dict) else {}


def _columns(path: Path) -> Mapping[str, object]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        # The loader says what is to be installed.
        return {}
    try:
        file = BytesIO(read_bytes(path)) if path.suffix == GZIP else path
        schema: Any = parquet.read_schema(file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave IO bare
    except (errors.DataError, OSError, ValueError):
        return {}
    return {str(name): str(kind) for name, kind in zip(schema.names, schema.types, strict=True)}
