"""Files of a pack: read without leaving the folder, written to disk completely or not at all."""

import os
import secrets
import shutil
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from snellen.grading.errors import DataError, InputError
from snellen.tasks.pack.format import PackFile

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    # Opening a pipe must not wait for a writer.
    | getattr(os, "O_NONBLOCK", 0)
)


def read_inside(root: Path, name: str, size: int | None = None) -> bytes:
    """Return the bytes of a file of a pack; see `open_inside`."""
    with open_inside(root, name, size) as file:
        return file.read()


@contextmanager
def open_inside(root: Path, name: str, size: int | None = None) -> Generator[BinaryIO]:
    """Open a file of a pack.

    Args:
        root: The pack.
        name: The file's path in the pack, with forward slashes.
        size: The expected number of bytes; a file of another size is not read.

    Raises:
        DataError: The file is missing, is reached through a link, is not a regular file, has
            another size, or can't be read.
    """
    path = root / name
    try:
        resolved = os.path.realpath(path)
        if resolved != os.path.join(os.path.realpath(root), *name.split("/")):
            raise DataError(
                "its path contains a link; a pack may only have regular files: copy the file there",
                file=str(path),
            )
        with open(os.open(path, _FLAGS), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise DataError(
                    "it is not a regular file; a pack may only have regular files", file=str(path)
                )
            if size is not None and about.st_size != size:
                raise DataError(
                    f"it has {about.st_size:,} bytes instead of {size:,}; fetch the pack again",
                    file=str(path),
                )
            yield file
    except FileNotFoundError:
        raise DataError("it is missing; fetch the pack again", file=str(path)) from None
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", file=str(path)) from None


@contextmanager
def new_folder(folder: Path) -> Generator[Path]:
    """Yield an empty folder that is renamed to the given one at the end, or removed on an error.

    Its content is flushed to disk before it is renamed.

    Raises:
        InputError: The folder is not empty, or can't be written.
    """
    target = Path(os.path.realpath(folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(
            "it exists and is not an empty folder; choose a new folder", file=str(folder)
        )
    room = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        room.mkdir()
        yield room
        _settle(room)
        if os.name == "nt" and target.exists():
            target.rmdir()
        room.rename(target)
        flush_folder(target.parent)
    except OSError as error:
        shutil.rmtree(room, ignore_errors=True)
        raise InputError(f"can't be written: {error.strerror}", file=str(folder)) from error
    except BaseException:
        shutil.rmtree(room, ignore_errors=True)
        raise


def write_hashed(path: Path, pieces: Iterable[bytes], *, private: bool = False) -> PackFile:
    """Write a new file piece by piece and return its digest and size.

    Args:
        path: The path of the file.
        pieces: Its bytes.
        private: Whether only the owner may read it.
    """
    digest, size = sha256(), 0
    handle = os.open(
        path,
        os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0),
        0o600 if private else 0o666,
    )
    with open(handle, "wb") as file:
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return PackFile(sha256=digest.hexdigest(), bytes=size)


def replace_hashed(path: Path, pieces: Iterable[bytes]) -> PackFile:
    """Replace a file atomically, so that no reader sees a part of it.

    Raises:
        InputError: The file can't be written.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        written = write_hashed(fresh, pieces)
        _flush(fresh)
        fresh.replace(path)
        flush_folder(path.parent)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"can't be written: {error.strerror}", file=str(path)) from error
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return written


def remove(path: Path) -> None:
    """Remove a file, and flush the removal to disk.

    Raises:
        InputError: The file can't be removed.
    """
    try:
        path.unlink(missing_ok=True)
        flush_folder(path.parent)
    except OSError as error:
        raise InputError(f"can't be removed: {error.strerror}", file=str(path)) from error


def _settle(room: Path) -> None:
    """Flush all files of a folder and its entries to disk."""
    for folder, _, files in os.walk(room, topdown=False):
        for name in files:
            _flush(Path(folder, name))
        flush_folder(Path(folder))


def _flush(path: Path) -> None:
    # Windows flushes only files that are open for writing.
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def flush_folder(path: Path) -> None:
    """Flush the entries of a folder to disk."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
