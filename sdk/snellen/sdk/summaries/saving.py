"""Summaries as files: JSON with numbers as they are, or Markdown to read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from snellen.grading.errors import InputError
from snellen.grading.tables.summary import Summary, SummaryTable, to_markdown, to_plain
from snellen.sdk.files import write_atomically


def save_summaries(
    path: str | Path, found: Sequence[Summary], published: Iterable[SummaryTable] = ()
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
    write = _WRITERS[check_summary_ending(target)]
    write_atomically(target, write(found, tuple(published)))
    return target


def check_summary_ending(path: Path) -> str:
    """Return a file's ending, in lower case, if summaries can be saved under it.

    Raises:
        InputError: They can't.
    """
    ending = path.suffix.lower()
    if ending not in _WRITERS:
        shown = repr(path.suffix) if path.suffix else "a file without an ending"
        raise InputError(
            f"can't save a summary as {shown}; use one of {', '.join(_WRITERS)}", file=str(path)
        )
    return ending


def _json(found: Sequence[Summary], published: Sequence[SummaryTable]) -> Iterator[bytes]:
    told = {
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
    yield msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


def _markdown(found: Sequence[Summary], published: Sequence[SummaryTable]) -> Iterator[bytes]:
    for table in (*(table for one in found for table in one.tables), *published):
        yield ("\n".join(to_markdown(table)) + "\n").encode()


_WRITERS: Mapping[str, Callable[[Sequence[Summary], Sequence[SummaryTable]], Iterator[bytes]]] = (
    MappingProxyType({".json": _json, ".md": _markdown})
)
