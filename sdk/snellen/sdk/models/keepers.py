"""Storage of answers as they arrive: in memory, or in a run folder that can be resumed.

In a run folder, `answers.jsonl` has one submission per line, in the order of arrival; `run.json`
has the settings. Each line is written at once, so a killed process loses no answer. Lines are
flushed to the disk in groups, so a power failure loses at most the last second. When a run is
resumed, an incomplete last line is cut off, and errors are removed and retried; `costs.json` keeps
their cost.
"""

import hashlib
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.runs import Usage
from snellen.sdk.files import write_atomically

ANSWERS = "answers.jsonl"
SETTINGS = "run.json"
COSTS = "costs.json"
_LOCK = ".lock"
_LAYOUT = 1

Record = dict[str, JsonValue]
"""One submission, as it is written."""


class Cost(msgspec.Struct, frozen=True):
    """The cost fields of a submission's meta."""

    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    tries: int = 0
    cached: bool = False


class Bill(msgspec.Struct):
    """The total cost of several answers; the fields are those of `Usage`."""

    requests: int = 0
    retries: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def add(self, cost: Cost) -> None:
        """Add the cost of one answer; one from the cache costs nothing."""
        if cost.cached:
            self.cached += 1
            return
        self.requests += cost.tries
        self.retries += max(0, cost.tries - 1)
        self.input_tokens += cost.input_tokens
        self.output_tokens += cost.output_tokens
        self.seconds += cost.seconds

    def add_bill(self, other: "Bill") -> None:
        """Add the cost of other answers."""
        for name in Usage.model_fields:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def usage(self) -> Usage:
        """Return the usage for a report."""
        return Usage(**{name: getattr(self, name) for name in Usage.model_fields})


class Keeper(Protocol):
    """Storage of answers.

    Attributes:
        bill: The cost of the saved answers.
    """

    bill: Bill

    def has(self, item_id: str, attempt: int) -> bool:
        """Whether there was an answer before this run; an error does not count."""
        ...

    def add(self, record: Record, cost: Cost) -> None:
        """Save one record."""
        ...

    def sync(self) -> None:
        """Flush to the disk, so that a power failure loses nothing; callable from any thread."""
        ...


@dataclass(slots=True)
class Memory:
    """Answers of a run without a folder, in memory."""

    records: list[Record] = field(default_factory=list[Record])
    bill: Bill = field(default_factory=Bill)

    def has(self, item_id: str, attempt: int) -> bool:
        """Return False: there are no earlier answers."""
        return False

    def add(self, record: Record, cost: Cost) -> None:
        """Save one record."""
        self.records.append(record)
        self.bill.add(cost)

    def sync(self) -> None:
        """Do nothing."""


class _Line(msgspec.Struct):
    item_id: str
    attempt: int = 0
    error: str | None = None
    meta: Cost = Cost()


class _Settings(msgspec.Struct):
    layout: int
    snellen: str
    settings: dict[str, Any]


class _RemovedBill(Bill):
    """The cost of lines that were removed from the answers.

    Attributes:
        taken_from: The SHA-256 of the answers from which the last lines were removed. So lines are
            counted once, even if a process is killed between the writes of the two files.
    """

    taken_from: str = ""


class RunFolder:
    """An open run folder; see `open_run`."""

    def __init__(self, answers: Path) -> None:
        self._path = answers
        self._before: set[tuple[str, int]] = set()
        self.bill = Bill()
        self._dirty = False
        self._repair()
        self._file = os.open(answers, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def has(self, item_id: str, attempt: int) -> bool:
        """Whether there was an answer before this run; an error does not count."""
        return (item_id, attempt) in self._before

    def add(self, record: Record, cost: Cost) -> None:
        """Write one line.

        Raises:
            InputError: It can't be written, for example because the disk is full.
        """
        line = memoryview(msgspec.json.encode(record) + b"\n")
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            raise InputError(
                f"can't write: {error.strerror}; what was written is kept", file=str(self._path)
            ) from None
        self._dirty = True
        self.bill.add(cost)

    def sync(self) -> None:
        """Flush the written lines to the disk.

        Raises:
            InputError: The disk failed.
        """
        if not self._dirty:
            return
        self._dirty = False
        try:
            os.fsync(self._file)
        except OSError as error:
            raise InputError(
                f"can't be written to the disk: {error.strerror}", file=str(self._path)
            ) from None

    def close(self) -> None:
        """Flush and close the file."""
        try:
            self.sync()
        finally:
            os.close(self._file)

    def _repair(self) -> None:
        """Read the earlier answers, and remove the lines of items to retry."""
        if not self._path.exists():
            return
        good = 0
        for line, text in _answers(self._path):
            self._before.add((line.item_id, line.attempt))
            self.bill.add(line.meta)
            good += len(text)
        costs = self._path.with_name(COSTS)
        removed = _removed(costs)
        if good != self._path.stat().st_size:
            _count_removed(self._path, removed)
            write_atomically(costs, [msgspec.json.encode(removed), b"\n"])
            write_atomically(self._path, (text for _, text in _answers(self._path)))
        self.bill.add_bill(removed)


def _removed(path: Path) -> _RemovedBill:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_RemovedBill)
    except FileNotFoundError:
        return _RemovedBill()
    except (OSError, *NO_JSON) as error:
        raise InputError(
            f"can't be read: {error}; delete it to resume; the cost of removed answers is then not"
            " counted",
            file=str(path),
        ) from None


def _count_removed(answers: Path, removed: _RemovedBill) -> None:
    """Add the cost of removed lines, unless it is already counted."""
    with answers.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest == removed.taken_from:
        return
    for line, _ in _lines(answers, standing=False):
        # The duration of an error does not count as an answer's.
        removed.add(line.meta if line.error is None else Cost(tries=line.meta.tries))
    removed.taken_from = digest


def _answers(path: Path) -> Iterator[tuple[_Line, bytes]]:
    return _lines(path, standing=True)


def _lines(path: Path, *, standing: bool) -> Iterator[tuple[_Line, bytes]]:
    """Yield the valid lines: complete, not an error, the first of their item and attempt.

    Args:
        path: The answers.
        standing: False yields the other lines, if they can be read.
    """
    seen: set[tuple[str, int]] = set()
    with path.open("rb") as file:
        for text in file:
            line = _read(text)
            if line is None:
                continue
            key = (line.item_id, line.attempt)
            stands = not line.error and key not in seen
            if stands:
                seen.add(key)
            if stands == standing:
                yield line, text


def _read(text: bytes) -> _Line | None:
    if not text.endswith(b"\n"):
        return None
    try:
        return msgspec.json.decode(text, type=_Line)
    except NO_JSON:
        return None


@contextmanager
def open_run(folder: Path, settings: Mapping[str, JsonValue]) -> Generator[RunFolder]:
    """Open a new or existing run folder, with an exclusive lock.

    Args:
        folder: The folder; it is created if it does not exist.
        settings: All settings that the answers depend on.

    Raises:
        InputError: Another process holds it, it has other settings, or it can't be written.
    """
    import filelock

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"can't be created: {error.strerror}", file=str(folder)) from None
    lock = filelock.FileLock(folder / _LOCK, blocking=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise InputError("another process uses this run folder", file=str(folder)) from None
    except OSError as error:
        raise InputError(f"can't be locked: {error.strerror}", file=str(folder)) from None
    try:
        _settle(folder, settings)
        run = RunFolder(folder / ANSWERS)
        try:
            yield run
        finally:
            run.close()
    finally:
        lock.release()


def _settle(folder: Path, settings: Mapping[str, JsonValue]) -> None:
    """Write the settings of a new run; raise InputError if an existing run has others."""
    path = folder / SETTINGS
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settings))
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Settings)
    except FileNotFoundError:
        if (folder / ANSWERS).exists():
            raise InputError(
                f"holds {ANSWERS} but no {SETTINGS}, so it can't be resumed; give a new folder",
                file=str(folder),
            ) from None
        found = _Settings(_LAYOUT, version("snellen"), plain)
        write_atomically(path, [msgspec.json.format(msgspec.json.encode(found)), b"\n"])
        return
    except (OSError, *NO_JSON) as error:
        raise InputError(f"can't be read: {error}; give a new folder", file=str(path)) from None
    if stored.layout != _LAYOUT:
        raise InputError(
            "it was written by another version of snellen; give a new folder", file=str(path)
        )
    differing = list(_differences(stored.settings, plain))
    if differing:
        raise InputError(
            "the run was started with other settings; give a new folder, or the same settings"
            f" again: {'; '.join(differing)}",
            file=str(path),
        )


def _differences(
    stored: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    for name in sorted(stored.keys() | wanted.keys()):
        then: object = stored.get(name)
        now: object = wanted.get(name)
        if isinstance(then, dict) and isinstance(now, dict):
            inner = cast("dict[str, Any]", then), cast("dict[str, Any]", now)
            yield from _differences(*inner, f"{name}.")
        elif then != now:
            was, is_ = _shown(cast("object", then)), _shown(cast("object", now))
            yield f"{prefix}{name} was {was}, is {is_}"


def _shown(value: object) -> str:
    return "not set" if value is None else msgspec.json.encode(value).decode()
