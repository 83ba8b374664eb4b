"""Standard output and error: characters that their encoding lacks, and writes that fail."""

import codecs
import errno
import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOWrapper

STOPPED = 2
_ESCAPE = "snellen-escape"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    # As in JSON, so that what --json prints stays JSON.
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(_ESCAPE, _escaped)


@contextmanager
def guarded_streams() -> Generator[None]:
    r"""Escape what an encoding can't write, such as `\u2713`, and report a failed write.

    Exits with status 2 if standard output can't be written, on a full disk for example.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ESCAPE)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        # An error of a file names it; a reader that closed its pipe wants no more.
        if error.filename is not None or error.errno == errno.EPIPE:
            raise
        # What is still held would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"error: the output can't be written: {error.strerror}\n")
        sys.exit(STOPPED)
