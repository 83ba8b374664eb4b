"""Summaries as files: JSON with numbers as they are, or Markdown to read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from snellen.grading.table import Table, to_markdown, to_plain
from snellen.grading.tables.summary import Summary
from snellen.sdk.files import check_ending, write_atomically


def save_summaries(
    path: str | Path, found: Sequence[Summary], published: Iterable[Table] = ()
) -> Path:
    """Write summaries to a file, whole or not at all.

    Args:
        path: Where to; the ending says how: `.json` or `.md`.
        found: The summaries.
        published: Tables that set them beside published results.

    Raises:
        InputError: The ending is neither.
    """
    target = Path(path)
    write = WRITERS[check_ending(target, WRITERS, "a summary")]
    write_atomically(target, write(found, tuple(published)))
    return target


def _json(found: Sequence[Summary], published: Sequence[Table]) -> Iterator[bytes]:
    document = {
        "summaries": [
            {
                "task": one.task,
                "tables": [to_plain(table) for table in one.tables],
                "values": [value._asdict() for value in one.values],
            }
            for one in found
        ],
        "published": [to_plain(table) for table in published],
    }
    yield msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _markdown(found: Sequence[Summary], published: Sequence[Table]) -> Iterator[bytes]:
    for table in (*(table for one in found for table in one.tables), *published):
        yield ("\n".join(to_markdown(table)) + "\n").encode()


WRITERS: Mapping[str, Callable[[Sequence[Summary], Sequence[Table]], Iterator[bytes]]] = (
    MappingProxyType({".json": _json, ".md": _markdown})
)
