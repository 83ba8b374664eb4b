"""Files to write: the endings of reports, and atomic writing."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from snellen.grading.errors import InputError

PAGE = ".html"
"""The ending of a report's page."""

ENDINGS = (".json", ".csv", ".md", PAGE)
"""The endings under which a report can be saved."""


def check_ending(path: Path, known: Iterable[str], what: str) -> str:
    """Return a file's extension, in lower case, if it selects a format.

    Args:
        path: The file to write.
        known: The extensions of the formats.
        what: The name of the content in messages: `a report`.

    Raises:
        InputError: The extension is unknown.
    """
    ending, endings = path.suffix.lower(), tuple(known)
    if ending not in endings:
        shown = repr(path.suffix) if path.suffix else "a file without an ending"
        raise InputError(
            f"can't save {what} as {shown}; use one of {', '.join(endings)}", file=str(path)
        )
    return ending


def write_atomically(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a temporary file and rename it, so that readers never see an incomplete file.

    Raises:
        InputError: The folder does not exist or can't be written to.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError as error:
        raise InputError(f"can't write there: {error.strerror}", file=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
