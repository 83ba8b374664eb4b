"""What every command says on standard error: what could not be done, and what was left out."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Protocol
from warnings import catch_warnings, simplefilter, warn_explicit

import typer
from rich.markup import escape

from snellen.cli.streams import STOPPED
from snellen.cli.terminal import Terminal
from snellen.grading.errors import SnellenError, where
from snellen.grading.models.reports import UnreadableError
from snellen.grading.protocols.plugins import PluginWarning

_err = Terminal(stderr=True)


def message(text: str) -> None:
    """Print a line on standard error."""
    _err.print(text, markup=False, soft_wrap=True)


def left_out(why: str) -> None:
    """Print why a package's benchmark is not in the list above."""
    _err.print(f"[red]left out:[/red] {escape(why)}", soft_wrap=True)


def error_told(given: SnellenError) -> None:
    """Print why nothing could be done."""
    _err.print(f"[red]error:[/red] {escape(str(given))}", soft_wrap=True)
    if isinstance(given, UnreadableError):
        list_problems(given.problems.first, given.problems.count)


class LineProblem(Protocol):
    """What is wrong with a line of a file, as a report or a server says it."""

    @property
    def message(self) -> str:
        """What is wrong."""
        ...

    @property
    def line(self) -> int | None:
        """The line; None: no line of its own."""
        ...

    @property
    def field(self) -> str | None:
        """The field; None: the whole line."""
        ...


def list_problems(first: Iterable[LineProblem], count: int) -> None:
    """Print the first problems of a file on standard error, and the number of the others."""
    shown = [f"{where(None, each.line, each.field)}{each.message}" for each in first]
    for line in shown:
        message(f"  {line}")
    if count > len(shown):
        message(f"  and {count - len(shown):,} more")


@contextmanager
def report_errors() -> Generator[None]:
    """Turn an error into its message and the status that says nothing could be done."""
    try:
        yield
    except SnellenError as error:
        error_told(error)
        raise typer.Exit(STOPPED) from None


@contextmanager
def left_out_told() -> Generator[None]:
    """Say after a list which installed packages were left out of it, and why."""
    with catch_warnings(record=True) as caught:
        simplefilter("always", PluginWarning)
        yield
    for one in caught:
        if issubclass(one.category, PluginWarning):
            left_out(str(one.message))
        else:
            warn_explicit(one.message, one.category, one.filename, one.lineno)
