"""The tasks that the lines of a file name, as an exam's file of answers does."""

import gzip
from pathlib import Path

import msgspec

from snellen.grading.models.base import NO_JSON
from snellen.sdk.submissions.files import GZIP, unreadable


class _Line(msgspec.Struct):
    task: str | None = None


_decode = msgspec.json.Decoder(_Line).decode
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def tasks_named(path: str) -> list[str]:
    """Return the tasks that a file's lines name, in their order; none for other files.

    Raises:
        SubmissionError: The file can't be read.
    """
    if not path.lower().endswith(_LINES) or not Path(path).is_file():
        return []
    found: dict[str, None] = {}
    try:
        with open(path, "rb") as raw:
            packed = raw.read(len(GZIP)) == GZIP
        with (gzip.open if packed else open)(path, "rb") as lines:
            for line in lines:
                try:
                    task = _decode(line).task
                except NO_JSON:
                    # The reader of the answers says what is wrong with it.
                    continue
                if task is not None and "/" in task and " " not in task:
                    found[task] = None
    except (OSError, EOFError) as error:
        raise unreadable(path, error) from error
    return list(found)
