"""Which published release a file is: known by its checksum, else remembered from first sight.

A checksum is on record only where somebody held the file. Of the other releases only the number
of questions is known; a file of that size is remembered in a small file of the user's
(`default_store`), so that a copy that changes, or differs on another day, is noticed. Who only
looks at data remembers nothing (`only_looking`).
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import msgspec
from platformdirs import user_data_path

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.tasks.data.release import Release

GZIP = ".gz"
"""How the name of a compressed file ends."""


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes, and of a compressed one (`.gz`) those of what it holds.

    Raises:
        DataError: It can't be read, or is not whole.
    """
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == GZIP else data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"is no whole gzip file: {error}; fetch it again"
        raise DataError(what, file=str(path)) from None
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(path)) from None


def default_store() -> Path:
    """Return where first sights are remembered: `$SNELLEN_HOME` or the user's data folder."""
    home = os.environ.get("SNELLEN_HOME")
    return (Path(home) if home else user_data_path("snellen", appauthor=False)) / "pins.json"


def digest_of_files(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of a file's bytes; of a compressed file (`.gz`), of what it holds.

    Of several parts it is the SHA-256 of their digests (hexadecimal, one a line, in the order
    given): the parts' own digests are what the mirrors publish.

    Raises:
        DataError: A file can't be read.
    """
    digests: list[str] = []
    for path in paths:
        try:
            if path.suffix == GZIP:
                digests.append(hashlib.sha256(read_bytes(path)).hexdigest())
                continue
            with path.open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", file=str(path)) from None
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


_REMEMBERS: ContextVar[bool] = ContextVar("snellen_pins_remember", default=True)


@contextmanager
def only_looking() -> Generator[None]:
    """Remember nothing of what is pinned meanwhile: first sights are still compared with."""
    token = _REMEMBERS.set(False)
    try:
        yield
    finally:
        _REMEMBERS.reset(token)


def pin(
    role: str,
    split: str,
    path: str | Path,
    data: bytes | str,
    count: int,
    releases: Sequence[Release] = (),
    store: Path | None = None,
) -> DataPin:
    """Say which release a file is.

    A known checksum settles it. Else, if a release has as many questions and no checksum on
    record, the file is compared with the first of that kind that was seen here, and becomes
    that first one if there was none, unless `only_looking`. Other files are not remembered.

    Args:
        role: The folder of the repository, or the mirror, that the file stands for.
        split: The split's name.
        path: Where it was read.
        data: Its bytes, or their SHA-256 in hexadecimal.
        count: The questions in it.
        releases: The releases that its benchmark knows of.
        store: The file in which first sights are remembered; None: `default_store()`.
    """
    sha256 = data if isinstance(data, str) else hashlib.sha256(data).hexdigest()
    release, verdict, note = _judge(
        role, split, _Sighting(sha256, str(path)), count, releases, store
    )
    return DataPin(
        release=release, sha256=sha256, count=count, verdict=verdict, note=note, path=str(path)
    )


def revision_of(repository: str, store: Path | None = None) -> str | None:
    """Return the commit of a repository's first fetch; None before it.

    Args:
        repository: Such as `huggingface.co/datasets/OpenGVLab/MMBench-GUI`.
        store: The file in which first fetches are remembered; None: `default_store()`.
    """
    try:
        return _read(store or default_store()).files.get(_revision_key(repository))
    except (OSError, *NO_JSON):
        # A store that can't be read remembers nothing; `pin` says what is wrong with it.
        return None


def remember_revision(repository: str, revision: str, store: Path | None = None) -> str:
    """Remember the commit of a first fetch, and say in a sentence what became of that."""
    store = store or default_store()
    try:
        earlier = _recall_or_record(store, _revision_key(repository), _Sighting(revision))
    except (OSError, *NO_JSON) as error:
        return f"the revision could not be remembered in {store}: {error}"
    if earlier is None:
        return f"no revision of {repository} was on record; remembered in {store}"
    return f"the revision of the first fetch was {earlier.sha256}"


def _revision_key(repository: str) -> str:
    return f"revision/{repository}"


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A digest (or a commit), and where its bytes were read; empty where nobody knows."""

    sha256: str
    path: str = ""


def _judge(
    role: str,
    split: str,
    seen: _Sighting,
    count: int,
    releases: Sequence[Release],
    store: Path | None,
) -> tuple[str, PinVerdict, str]:
    for release in releases:
        if release.sha256 == seen.sha256:
            there = f"{release.role}/{release.split}"
            note = "" if there == f"{role}/{split}" else f"this is {there}, under another name"
            return release.name, PinVerdict.KNOWN, note
    of_role = [release for release in releases if release.role == role]
    nearest = [release for release in of_role if release.split == split] or of_role
    release = next((release for release in nearest if release.count == count), None)
    if release is None or release.split != split:
        return "unknown", PinVerdict.UNKNOWN, _nearest_note(role, count, nearest)
    if release.sha256 is not None:
        return (
            "unknown",
            PinVerdict.DIFFERS,
            f"as many questions as {release.name}, but not its bytes: "
            f"expected sha256 {release.sha256[:12]}…",
        )
    return _remembered(release, seen, store or default_store())


def _nearest_note(role: str, count: int, nearest: Sequence[Release]) -> str:
    held = ", ".join(f"{each.name} {each.split} {each.count:,}" for each in nearest)
    counted = f"{count:,} question{'' if count == 1 else 's'}"
    if not held:
        return f"{counted}; no release of {role} is on record"
    return f"{counted}; the published {role} holds: {held}"


def _remembered(release: Release, seen: _Sighting, store: Path) -> tuple[str, PinVerdict, str]:
    name = f"{release.name}-by-count"
    by_count = f"as many questions as {release.name}, of which no checksum is on record"
    key = f"{release.name}/{release.role}/{release.split}"
    try:
        earlier = _recall_or_record(store, key, seen)
    except (OSError, *NO_JSON) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        note = f"{by_count}; could not be remembered in {store}: {reason}"
        return name, PinVerdict.FIRST_SEEN, note
    if earlier is None:
        kept = f"; remembered in {store}" if _REMEMBERS.get() else ""
        return name, PinVerdict.FIRST_SEEN, f"{by_count}{kept}"
    if earlier.sha256 == seen.sha256:
        return name, PinVerdict.SEEN_BEFORE, by_count
    return (
        "unknown",
        PinVerdict.DIFFERS,
        f"as many questions as {release.name}, but not the bytes first seen here"
        f"{f' (in {earlier.path})' if earlier.path else ''}: sha256 {earlier.sha256[:12]}…;"
        " no checksum of the release is on record, so either may be it; to forget the first,"
        f" remove {key!r} from {store}",
    )


class _Sightings(msgspec.Struct):
    """The store: `version/role/split` to the digest first seen, and to where that was."""

    files: dict[str, str]
    paths: dict[str, str] = {}

    def get(self, key: str) -> _Sighting | None:
        if key not in self.files:
            return None
        return _Sighting(self.files[key], self.paths.get(key, ""))


def _recall_or_record(store: Path, key: str, seen: _Sighting) -> _Sighting | None:
    """Return what is recorded under a key, or record this, unless only looking, and return None."""
    # The store is only ever replaced whole, so reading it needs no lock and no right to write.
    earlier = _read(store).get(key)
    if earlier is not None or not _REMEMBERS.get():
        return earlier
    from filelock import FileLock

    store.parent.mkdir(parents=True, exist_ok=True)
    # Other processes and threads wait.
    with FileLock(store.with_suffix(".lock")):
        known = _read(store)
        earlier = known.get(key)
        if earlier is None:
            known.files[key] = seen.sha256
            if seen.path:
                known.paths[key] = str(Path(seen.path).absolute())
            fresh = store.with_suffix(".new")
            fresh.write_bytes(msgspec.json.format(msgspec.json.encode(known, order="sorted")))
            os.replace(fresh, store)
        return earlier


def _read(store: Path) -> _Sightings:
    try:
        return msgspec.json.decode(store.read_bytes(), type=_Sightings)
    except FileNotFoundError:
        return _Sightings({})
