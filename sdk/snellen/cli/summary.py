"""The tables of the benchmarks' papers, as `snellen report --tables` prints them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from rich.markup import escape

from snellen.cli.options import check_folder
from snellen.cli.tables import print_table
from snellen.cli.terminal import Terminal
from snellen.grading.table import Table, to_markdown, to_plain
from snellen.sdk.files import check_ending, write_atomically

if TYPE_CHECKING:
    from snellen.grading.protocols.summaries import Options
    from snellen.grading.table import Summary

_out = Terminal()


def print_tables(
    reports: Sequence[Path], options: "Options", output: Sequence[Path] | None, *, beside: bool
) -> None:
    """Print and save the tables of a paper, over the reports of one or more tasks."""
    from snellen.sdk.analysis.published import beside_tables
    from snellen.sdk.report import load_report
    from snellen.sdk.summaries import summarise

    for path in output or ():
        check_ending(path, WRITERS, "a summary")
        check_folder(path)
    given = [load_report(path) for path in reports]
    found = summarise(given, limit=options.limit, missing=options.missing, reading=options.reading)
    published = beside_tables(given, found, options) if beside else ()
    tables = (*(table for one in found for table in one.tables), *published)
    for number, table in enumerate(tables):
        if number:
            _out.print()
        _print(table)
    for path in output or ():
        _save(path, found, published)


def _print(given: Table) -> None:
    _out.print(f"[bold]{escape(given.title)}[/bold]")
    print_table(_out, given)
    for line in filter(None, (given.note, f"Source: {given.source}.")):
        _out.print(escape(line), style="dim")


def _save(path: Path, found: "Sequence[Summary]", published: Iterable[Table]) -> None:
    """Write summaries to a file, whole or not at all; its ending says how."""
    write = WRITERS[check_ending(path, WRITERS, "a summary")]
    write_atomically(path, write(found, tuple(published)))


def _json(found: "Sequence[Summary]", published: Sequence[Table]) -> Iterator[bytes]:
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


def _markdown(found: "Sequence[Summary]", published: Sequence[Table]) -> Iterator[bytes]:
    for table in (*(table for one in found for table in one.tables), *published):
        yield ("\n".join(to_markdown(table)) + "\n").encode()


WRITERS: "Mapping[str, Callable[[Sequence[Summary], Sequence[Table]], Iterator[bytes]]]" = (
    MappingProxyType({".json": _json, ".md": _markdown})
)
