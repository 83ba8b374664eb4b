"""Opening files of submissions, and saying what is wrong with them."""

import codecs
import os
import re
from io import FileIO

from snellen.grading.errors import SubmissionError

BLOCK = 1 << 17
"""How many bytes are read at a time; larger blocks leave the processor's cache and are slower."""

LONGEST_MARK = 4
"""How many bytes the longest byte order mark has."""

_HEAD = 1 << 12

_FOREIGN = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def display(path: str) -> str:
    """Return a path as it can be shown and stored, whatever bytes its name has."""
    return path.encode("utf-8", "backslashreplace").decode()


def require_file(path: str) -> None:
    """Check that there is a file.

    Raises:
        SubmissionError: There is none, or it is a folder, or it can't be reached.
    """
    try:
        if os.path.isdir(path):
            raise SubmissionError("it is a folder; give the file in it", file=display(path))
        os.stat(path)
    except FileNotFoundError as error:
        raise SubmissionError(
            f"there is no such file (in {display(os.getcwd())})", file=display(path)
        ) from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def unreadable(path: str, error: Exception) -> SubmissionError:
    """Say that the system refused to read a file."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SubmissionError(f"it can't be read: {reason}", file=display(path))


def open_binary(path: str) -> FileIO:
    """Open a file for reading without a buffer.

    Raises:
        SubmissionError: It can't be opened.
    """
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise unreadable(path, error) from error


def size_of(file: FileIO) -> int | None:
    """Return the size of an open file, or None for a pipe."""
    size = os.fstat(file.fileno()).st_size
    return size or None


GZIP = b"\x1f\x8b"
"""What a gzip stream begins with."""


def without_mark(head: bytes, file: str) -> bytes:
    """Return the first bytes of a file without UTF-8's byte order mark.

    Raises:
        SubmissionError: The mark is another encoding's, or that of gzip.
    """
    if head.startswith(GZIP):
        raise SubmissionError(
            "it is compressed with gzip; unpack it (`gunzip -c FILE > NEW`). Only JSONL is read"
            " compressed",
            file=file,
        )
    for mark, encoding in _FOREIGN:
        if head.startswith(mark):
            raise SubmissionError(
                f"it is {encoding}, and must be UTF-8; convert it with"
                f" `iconv -f {encoding} -t UTF-8`, or save it as UTF-8",
                file=file,
            )
    return head.removeprefix(codecs.BOM_UTF8)


def is_submission(path: str) -> bool:
    """Whether a file begins with a submission, or can't be looked into."""
    if not os.path.isfile(path):
        pattern = any(mark in path for mark in "*?[") and not os.path.exists(path)
        return not os.path.isdir(path) and not pattern
    if path.lower().endswith(".parquet"):
        return True
    with open_binary(path) as raw:
        if not raw.seekable():
            return True
        try:
            head = raw.read(_HEAD)
        except OSError:
            return True
    if path.lower().endswith((".csv", ".tsv")):
        names = re.findall(rb"\w+", head.split(b"\n", 1)[0])
        return b"item_id" in names or b"response" in names
    first = head.split(b"}", 1)[0]
    return b'"item_id"' in first and b'"response"' in first
