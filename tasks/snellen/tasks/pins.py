"""Which published release a file is: known by its checksum, else remembered from first sight.

A checksum is on record only where somebody held the file. Of the other releases only the number
of questions is known; a file of that size is remembered in a small file of the user's
(`default_store`), so that a copy that changes, or differs on another day, is noticed. Who only
looks at data remembers nothing (`only_looking`).
"""

import hashlib
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import msgspec
from platformdirs import user_data_path

from snellen.grading.errors import DataError
from snellen.grading.models.reports import DataPin, PinVerdict
from snellen.grading.no_json import NO_JSON


@dataclass(frozen=True, slots=True)
class Release:
    """One published file, or the parts of one split.

    Attributes:
        name: The release, such as `v1.2`.
        role: The folder of the repository, or the name of the mirror.
        split: The split's name.
        count: The questions in it.
        sha256: The digest of its bytes; None where no copy has been held against it.
        source: Where it is published.
    """

    name: str
    role: str
    split: str
    count: int
    sha256: str | None
    source: str


_GITHUB = "github.com/google-research-datasets/screen_qa"
_MIRROR = "huggingface.co/datasets/rootsautomation"
_VISUALWEBBENCH = "huggingface.co/datasets/visualwebbench/VisualWebBench"
_MMBENCH_GUI = "huggingface.co/datasets/OpenGVLab/MMBench-GUI"
_SCREENSPOT_V2 = "huggingface.co/datasets/OS-Copilot/ScreenSpot-v2"
_SCREENSPOT_PRO = "huggingface.co/datasets/likaixin/ScreenSpot-Pro"


def _release(
    name: str, role: str, split: str, count: int, sha256: str | None, source: str = _GITHUB
) -> Release:
    return Release(name, role, split, count, sha256, f"{source}/{role}")


RELEASES: tuple[Release, ...] = (
    _release(
        "v1.2",
        "short_answers",
        "test",
        8_419,
        "dfe055f73e40beeb587b134ff0e79e03aec416f0426543226e4e9a39ea0d7037",
    ),
    _release(
        "v1.2",
        "short_answers",
        "validation",
        8_614,
        "4420ce951f6bad386e2549680f6c31025073501ef0f82a72afaefc43432da743",
    ),
    _release("v1.2", "short_answers", "train", 68_951, None),
    _release("v1.2", "answers_and_bboxes", "test", 8_419, None),
    _release("v1.2", "answers_and_bboxes", "validation", 8_614, None),
    _release("v1.2", "answers_and_bboxes", "train", 68_951, None),
    _release(
        "v1.2",
        "complex_qa",
        "data",
        11_781,
        "c40c881bff751681ea089138ab59ecbf417d5736b53ea6bc17a73fbbe3805c78",
    ),
    *(
        _release("v1", mirror, split, count, None, _MIRROR)
        for mirror in ("RICO-ScreenQA-Short", "RICO-ScreenQA")
        for split, count in (("test", 8_427), ("validation", 8_618), ("train", 68_980))
    ),
    # Named after the data set's revision.
    *(
        _release("9dace8a", config, "test", count, None, _VISUALWEBBENCH)
        for config, count in (
            ("web_caption", 134),
            ("heading_ocr", 46),
            ("webqa", 314),
            ("element_ocr", 245),
            ("element_ground", 413),
            ("action_prediction", 281),
            ("action_ground", 103),
        )
    ),
    *(
        _release("2025-06", role, "all", count, None, _MMBENCH_GUI)
        for role, count in (("L1_annotations", 3_582), ("L2_annotations", 3_594))
    ),
    *(
        _release("v2", "screenspot-v2", split, count, None, _SCREENSPOT_V2)
        for split, count in (("all", 1_272), ("mobile", 502), ("desktop", 334), ("web", 436))
    ),
    _release("2025-01", "screenspot-pro", "all", 1_581, None, _SCREENSPOT_PRO),
)
"""Every release that is known; the Hugging Face mirrors hold v1, before duplicates went."""

REVISIONS: Mapping[str, str] = MappingProxyType(
    {
        _GITHUB: "1dfdbccaf56948821b5fa8ffe5d186fe4751e46d",
        _VISUALWEBBENCH: "9dace8acebf210929bd47256d7ded44439377946",
        _MMBENCH_GUI: "e27757e3910e0d5995b811f916b509b4e34a4690",
        _SCREENSPOT_V2: "5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c",
        _SCREENSPOT_PRO: "210e78d3844251110bff86c95835ebd37a6930fa",
    }
)
"""The commit at which a repository is fetched; others are fetched as they are at first fetch."""


def default_store() -> Path:
    """Return where first sights are remembered: `$SNELLEN_HOME` or the user's data folder."""
    home = os.environ.get("SNELLEN_HOME")
    return (Path(home) if home else user_data_path("snellen", appauthor=False)) / "pins.json"


def digest_of_files(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of a file's bytes.

    Of several parts it is the SHA-256 of their digests (hexadecimal, one a line, in the order
    given): the parts' own digests are what the mirrors publish.

    Raises:
        DataError: A file can't be read.
    """
    digests: list[str] = []
    for path in paths:
        try:
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
        store: The file in which first sights are remembered; None: `default_store()`.
    """
    sha256 = data if isinstance(data, str) else hashlib.sha256(data).hexdigest()
    release, verdict, note = _judge(role, split, _Seeing(sha256, str(path)), count, store)
    return DataPin(
        release=release, sha256=sha256, count=count, verdict=verdict, note=note, path=str(path)
    )


def revision_of(repository: str, store: Path | None = None) -> str | None:
    """Return the commit at which a repository is fetched; None before the first fetch.

    Args:
        repository: Such as `huggingface.co/datasets/OpenGVLab/MMBench-GUI`.
        store: The file in which first fetches are remembered; None: `default_store()`.
    """
    known = REVISIONS.get(repository)
    if known is not None:
        return known
    try:
        return _read(store or default_store()).files.get(_revision_key(repository))
    except (OSError, *NO_JSON):
        # A store that can't be read remembers nothing; `pin` says what is wrong with it.
        return None


def remember_revision(repository: str, revision: str, store: Path | None = None) -> str:
    """Remember the commit of a first fetch, and say in a sentence what became of that."""
    store = store or default_store()
    if repository in REVISIONS:
        return f"the pinned revision of {repository} is {REVISIONS[repository]}"
    try:
        earlier = _recall_or_record(store, _revision_key(repository), _Seeing(revision))
    except (OSError, *NO_JSON) as error:
        return f"the revision could not be remembered in {store}: {error}"
    if earlier is None:
        return f"no revision of {repository} was on record; remembered in {store}"
    return f"the revision of the first fetch was {earlier.sha256}"


def _revision_key(repository: str) -> str:
    return f"revision/{repository}"


@dataclass(frozen=True, slots=True)
class _Seeing:
    """A digest (or a commit), and where its bytes were read; empty where nobody knows."""

    sha256: str
    path: str = ""


def _judge(
    role: str, split: str, seen: _Seeing, count: int, store: Path | None
) -> tuple[str, PinVerdict, str]:
    for release in RELEASES:
        if release.sha256 == seen.sha256:
            there = f"{release.role}/{release.split}"
            note = "" if there == f"{role}/{split}" else f"this is {there}, under another name"
            return release.name, PinVerdict.KNOWN, note
    of_role = [release for release in RELEASES if release.role == role]
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


def _remembered(release: Release, seen: _Seeing, store: Path) -> tuple[str, PinVerdict, str]:
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


class _Seen(msgspec.Struct):
    """The store: `version/role/split` to the digest first seen, and to where that was."""

    files: dict[str, str]
    paths: dict[str, str] = {}

    def get(self, key: str) -> _Seeing | None:
        if key not in self.files:
            return None
        return _Seeing(self.files[key], self.paths.get(key, ""))


def _recall_or_record(store: Path, key: str, seen: _Seeing) -> _Seeing | None:
    """Return what is recorded under a key, or record this, unless only looking, and return None."""
    # The store is only ever replaced whole, so reading it needs no lock and no right to write.
    earlier = _read(store).get(key)
    if earlier is not None or not _REMEMBERS.get():
        return earlier
    store.parent.mkdir(parents=True, exist_ok=True)
    with _alone(store.with_suffix(".lock")):
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


def _read(store: Path) -> _Seen:
    try:
        return msgspec.json.decode(store.read_bytes(), type=_Seen)
    except FileNotFoundError:
        return _Seen({})


@contextmanager
def _alone(lock: Path) -> Generator[None]:
    """Hold a lock that other processes and threads wait for; closing the file lets it go."""
    with lock.open("ab") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            yield
