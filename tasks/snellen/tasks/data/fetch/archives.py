"""Unpacking a zip archive into a folder, without trusting what it says."""

import lzma
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from snellen.tasks.data.fetch.faults import FetchError
from snellen.tasks.data.fetch.names import PART, is_own
from snellen.tasks.io.images import is_inside

_LITTER = ("__MACOSX", ".DS_Store")

_DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    UnicodeDecodeError,
)
"""What zipfile and its decompressors raise on what is damaged or of an unknown kind."""


def unpack(archive: Path, into: Path) -> int:
    """Unpack an archive's files into a folder, and return how many it holds.

    A file that is there with the size that the archive tells is left as it is, so an interrupted
    unpacking is taken up again. Each file is written whole or not at all.

    Raises:
        FetchError: It is damaged, or holds a file that would lie outside the folder, a link, an
            encrypted file, or more than there is room for. Nothing is written unless every name
            is sound.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = list(_members(opened, archive))
            lacking = [one for one in members if _size(into / one.filename) != one.file_size]
            needed, free = sum(one.file_size for one in lacking), shutil.disk_usage(into).free
            if needed > free:
                raise FetchError(
                    f"{archive} unpacks to {needed:,} bytes more, and {into} has room for {free:,}",
                    "Make room and run this again: what is there is kept.",
                )
            for member in lacking:
                _write(opened, member, into / member.filename)
    except (*_DAMAGED, OSError) as error:
        # bz2 tells of damaged bytes by an OSError without a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FetchError(
            f"{archive} can't be unpacked: {error}", "Take it away and run this again."
        ) from error
    return len(members)


def absent(archive: Path, into: Path) -> list[str]:
    """Return which of an archive's files are not in a folder as large as they came out of it.

    Raises:
        FetchError: It is none that `unpack` would unpack.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = list(_members(opened, archive))
    except _DAMAGED as error:
        raise FetchError(f"{archive} can't be read: {error}") from error
    return [one.filename for one in members if _size(into / one.filename) != one.file_size]


def _members(opened: zipfile.ZipFile, archive: Path) -> Iterator[zipfile.ZipInfo]:
    for member in opened.infolist():
        path = PurePosixPath(member.filename)
        if member.is_dir() or any(part in _LITTER for part in path.parts):
            continue
        if not is_inside(member.filename):
            raise _unsound(
                archive, member, "would lie outside the folder, or elsewhere on another system"
            )
        if is_own(member.filename):
            raise _unsound(archive, member, "is called like a file of snellen's own")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise _unsound(archive, member, "is a link")
        if member.flag_bits & 1:
            raise _unsound(archive, member, "is encrypted")
        yield member


def _unsound(archive: Path, member: zipfile.ZipInfo, what: str) -> FetchError:
    return FetchError(
        f"{archive} is not unpacked: {member.filename!r} in it {what}",
        "Unpack it by hand if you trust it.",
    )


def _write(opened: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + PART)
    try:
        with opened.open(member) as source, fresh.open("wb") as target:
            shutil.copyfileobj(source, target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    fresh.replace(path)


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
