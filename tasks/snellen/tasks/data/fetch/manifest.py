"""`snellen-fetch.json`: what was fetched into a folder, from where, and its digests.

It tells no time and names no machine, so that the same fetch writes the same file.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.tasks.data.fetch.archives import absent
from snellen.tasks.data.fetch.names import FRESH, MANIFEST

_PIECE = 1 << 20
_SHOWN = 3


class FetchedFile(msgspec.Struct, frozen=True):
    """One file of a repository.

    Attributes:
        path: Where it is, in the repository and below the folder.
        size: Its bytes.
        sha256: The digest of these.
        unpacked: For an archive, how many files came out of it; None where it was not unpacked.
    """

    path: str
    size: int
    sha256: str
    unpacked: int | None = None


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds.

    Attributes:
        benchmark: The benchmark's id.
        repository: Where it came from, such as `huggingface.co/datasets/owner/name`.
        revision: The commit.
        files: What was fetched and verified, by path.
    """

    format: Literal["snellen-fetch/1"] = "snellen-fetch/1"
    benchmark: str
    repository: str
    revision: str
    files: tuple[FetchedFile, ...] = ()

    def by_path(self) -> dict[str, FetchedFile]:
        """Return the files by their paths."""
        return {file.path: file for file in self.files}


def read_manifest(folder: Path) -> Manifest | None:
    """Read a folder's manifest; None where there is none.

    Raises:
        DataError: It can't be read.
    """
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except (OSError, *NO_JSON) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise DataError(
            f"can't be read: {reason}; take it away, and the next fetch writes it anew",
            file=str(path),
        ) from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's manifest whole or not at all."""
    fresh = folder / FRESH
    with fresh.open("wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / MANIFEST)


class Digests(NamedTuple):
    """What a file's bytes come to."""

    size: int
    sha256: str
    git_blob: str


def digests_of(path: Path) -> Digests:
    """Return a file's size, its SHA-256, and the name that git gives to these bytes."""
    sha256 = hashlib.sha256()
    size = path.stat().st_size
    git_blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            sha256.update(piece)
            git_blob.update(piece)
    return Digests(size, sha256.hexdigest(), git_blob.hexdigest())


def changes(folder: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the files that are not as they were fetched, each with what is wrong."""
    for file in manifest.files:
        path = folder / file.path
        try:
            size = path.stat().st_size
            if size != file.size:
                yield file.path, f"holds {size:,} bytes, and {file.size:,} were fetched"
            elif digests_of(path).sha256 != file.sha256:
                yield file.path, "holds as many bytes as were fetched, but others"
            elif file.unpacked is not None and (lost := absent(path, path.parent)):
                yield file.path, _lost(lost, file.unpacked)
        except FileNotFoundError:
            yield file.path, "was fetched and is gone"
        except OSError as error:
            yield file.path, f"can't be read: {error.strerror}"


def _lost(names: Sequence[str], unpacked: int) -> str:
    shown = ", ".join(names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (
        f"was unpacked, and {len(names):,} of its {unpacked:,} files are gone or of another size"
        f" ({shown}{more}); fetch it again to unpack them"
    )
