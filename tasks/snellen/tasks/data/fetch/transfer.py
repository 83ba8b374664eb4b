"""Bringing files into a folder: what is lacking is downloaded, checked, and unpacked."""

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Event, Lock
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from snellen.tasks.data.fetch.archives import unpack
from snellen.tasks.data.fetch.download import Remote, Stopped, download, open_client
from snellen.tasks.data.fetch.faults import FetchError
from snellen.tasks.data.fetch.manifest import (
    Digests,
    FetchedFile,
    Manifest,
    digests_of,
    write_manifest,
)
from snellen.tasks.data.fetch.names import PART

if TYPE_CHECKING:
    import httpx2

_AT_ONCE = 4


class Progress(NamedTuple):
    """How far a fetch is."""

    doing: str  # what it does now: `checking`, `downloading` or `unpacking`
    done: int  # the bytes that are there
    total: int | None  # the bytes of all files; None while that is not known
    files: int  # how many files are there and checked
    of: int  # how many there are to be


@dataclass(slots=True)
class Transfer:
    """One fetch into a folder.

    Attributes:
        folder: Where the files go.
        manifest: What the folder was known to hold before.
        wanted: The files that are to be there after it.
        watch: Called with how far it is.
        records: What is there and checked, by path; with what was there before and is not wanted.
        new: The paths of what was downloaded.
    """

    folder: Path
    manifest: Manifest
    wanted: Sequence[Remote]
    watch: Callable[[Progress], None] | None
    records: dict[str, FetchedFile] = field(init=False)
    new: set[str] = field(init=False, default_factory=set[str])
    _checked: int = field(init=False, default=0)
    _bytes: int = field(init=False, default=0)
    _total: int | None = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)
    _stop: Event = field(init=False, default_factory=Event)

    def __post_init__(self) -> None:
        self.records = self.manifest.by_path()
        known = [remote.size for remote in self.wanted if remote.size is not None]
        self._total = sum(known) if len(known) == len(self.wanted) else None

    def run(self) -> None:
        """Bring what is lacking.

        Raises:
            FetchError: Bytes are not those that were published, there is no room, or an archive
                can't be unpacked.
            Refused: A server answered otherwise than with a file.
            Unreachable: A server can't be reached.
            OSError: A file can't be written.
        """
        self._write()
        self._tell("checking")
        lacking = [remote for remote in self.wanted if not self._is_there(remote)]
        if lacking:
            self._check_room(lacking)
            self._download(lacking)
        self._unpack()
        self._write()

    def _is_there(self, remote: Remote) -> bool:
        path = self.folder / remote.path
        recorded = self.records.get(remote.path)
        if not path.is_file() or not (remote.sha256 or remote.git_blob or recorded):
            return False
        found = digests_of(path)
        if misfit(remote, found) or (recorded and recorded.sha256 != found.sha256):
            return False
        self._keep(remote, found)
        self._bytes += found.size
        self._tell("checking")
        return True

    def _check_room(self, lacking: Sequence[Remote]) -> None:
        needed = sum(max(0, (one.size or 0) - _size(self._part(one))) for one in lacking)
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise FetchError(
                f"{needed:,} bytes are to come, and {self.folder} has room for {free:,}",
                "Make room, or give another folder with --to.",
            )

    def _download(self, lacking: Sequence[Remote]) -> None:
        with open_client() as client, ThreadPoolExecutor(_AT_ONCE) as pool:
            running = [pool.submit(self._bring, client, remote) for remote in lacking]
            try:
                wait(running, return_when=FIRST_EXCEPTION)
            finally:
                # After Ctrl-C, too: parts are kept, and nothing more is asked for.
                if not all(one.done() for one in running):
                    self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        _raise_first(running)

    def _bring(self, client: "httpx2.Client", remote: Remote) -> None:
        part = self._part(remote)
        download(client, remote, part, self._came, self._stop)
        found = digests_of(part)
        if what := misfit(remote, found):
            part.unlink()
            raise FetchError(
                f"{remote.url} is not what was published: {what}",
                "It was thrown away. Run this again; if it happens twice, what stands there was"
                " changed, or something on the way changes it.",
            )
        part.replace(self.folder / remote.path)
        with self._lock:
            self.new.add(remote.path)
            self._keep(remote, found)
            self._tell("downloading")
            if remote.sha256 is None and remote.git_blob is None:
                # Only this record says, after an interrupt, that the file came whole.
                self._write()

    def _unpack(self) -> None:
        for remote in self.wanted:
            if PurePosixPath(remote.path).suffix == ".zip":
                self._tell("unpacking")
                archive = self.folder / remote.path
                count = unpack(archive, archive.parent)
                self.records[remote.path] = replace(self.records[remote.path], unpacked=count)

    def _part(self, remote: Remote) -> Path:
        path = self.folder / remote.path
        return path.with_name(path.name + PART)

    def _keep(self, remote: Remote, found: Digests) -> None:
        self.records[remote.path] = FetchedFile(remote.path, found.size, found.sha256)
        self._checked += 1

    def _write(self) -> None:
        files = tuple(self.records[path] for path in sorted(self.records))
        write_manifest(self.folder, replace(self.manifest, files=files))

    def _came(self, count: int) -> None:
        with self._lock:
            self._bytes += count
            self._tell("downloading")

    def _tell(self, doing: str) -> None:
        if self.watch is not None:
            done, of = self._bytes, len(self.wanted)
            self.watch(Progress(doing, done, self._total, self._checked, of))


def misfit(remote: Remote, found: Digests) -> str:
    """Say how bytes differ from the published ones, or nothing."""
    if remote.size is not None and found.size != remote.size:
        return f"it holds {found.size:,} bytes instead of {remote.size:,}"
    if remote.sha256 is not None and found.sha256 != remote.sha256:
        return f"its sha256 is {found.sha256}, expected {remote.sha256}"
    if remote.git_blob is not None and found.git_blob != remote.git_blob:
        return f"git calls it {found.git_blob}, expected {remote.git_blob}"
    return ""


def _raise_first(running: Sequence[Future[None]]) -> None:
    errors = [one.exception() for one in running if not one.cancelled()]
    failed = [error for error in errors if error is not None and not isinstance(error, Stopped)]
    if failed:
        raise failed[0]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
