"""The commands, each imported when it is called: a table of names, and the group that reads it.

Plugins add commands by entry points of the group `snellen.commands`.
"""

import sys
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple

import typer
import typer.core

from snellen.cli.streams import guarded_streams


class Entry(NamedTuple):
    """A command or a group of commands.

    Attributes:
        home: Its module in this package, and its name there.
        help: The first sentence of its help.
    """

    home: str
    help: str


COMMANDS: Mapping[str, Entry] = {
    "benchmarks": Entry(
        "listing:benchmarks",
        "List the benchmarks and the included exams, or a task's protocols.",
    ),
    "grade": Entry("grade:grade", "Grade a file of answers."),
    "explain": Entry(
        "explain:explain",
        "Grade one file of answers with several protocols and explain the differences.",
    ),
    "evaluate": Entry(
        "runs:evaluate", "Query a model for every item of a task and grade its answers."
    ),
    "compare": Entry(
        "runs:compare", "Compare runs over the same items: whether they differ, and on which items."
    ),
    "report": Entry(
        "runs:report", "Print a saved report, break it down by tags, or write its page."
    ),
    "fetch": Entry("data:fetch", "Download a benchmark's published files and check them."),
    "export": Entry(
        "exports:export", "Export a pack or a saved report in the format of another project."
    ),
    "serve": Entry(
        "host:serve", "Serve exams over HTTP: MCP for agents, REST for prediction files."
    ),
    "worker": Entry(
        "host:worker", "Grade uploads of a hosted exam whose server uses the same store."
    ),
    "take": Entry(
        "take:take", "Take an exam with an agent command: a new process and context for each item."
    ),
    "submit": Entry("submit:submit", "Upload predictions to a hosted exam and print their score."),
    "verify": Entry(
        "host:verify", "Recompute a leaderboard from its export and compare every byte."
    ),
    "doctor": Entry(
        "doctor:doctor", "Report what is installed, what is missing, and how to install it."
    ),
    "pack": Entry(
        "pack_tools:group",
        "Create packs, exams as folders with separate references, and work with them.",
    ),
    "mcp": Entry(
        "serving:mcp",
        "Serve an exam over MCP on standard input and output, for an agent on this machine.",
    ),
    "token": Entry("serving:tokens", "Create, list and revoke tokens for HTTP."),
    "exam": Entry("host:exams", "Write exam files: hosted exams with phases and rules."),
    "attempts": Entry(
        "attempts:group",
        "List, close, export, grade and forget attempts, the runs of agents through an exam.",
    ),
    "store": Entry("store:group", "Back up and restore the store of an exam."),
}
"""Every command of the core by its name, in the order of the help."""

PLUGINS = "snellen.commands"


class _Loaded(Mapping[str, Any]):
    """The commands of the table; one is imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  # typer's commands have no public type
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


def _names() -> list[str]:
    from snellen.grading.protocols.plugins import registered

    return [*COMMANDS, *registered(PLUGINS)]


@cache
def _load(name: str) -> Any:  # noqa: ANN401
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name].home.partition(":")
        found = getattr(import_module(f"snellen.cli.{module}"), attribute)
    else:
        from snellen.grading.protocols.plugins import registered

        found = registered(PLUGINS)[name][0].load()
    if isinstance(found, typer.Typer):
        return typer.main.get_group(found)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(found)
    return typer.main.get_command(single)


class LazyGroup(typer.core.TyperGroup):
    """A group that imports a command to run it, but not to list it."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  # typer's own
        super().__init__(**settings)
        self.commands: Any = _Loaded()
        self._listing = False

    def main(self, *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401
        """Run the command that the arguments name."""
        with guarded_streams():
            return super().main(*arguments, **settings)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """Return the names of the commands."""
        return _names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401
        """Return a command; in a list, one that has its first sentence alone."""
        if self._listing and cmd_name in COMMANDS:
            return typer.core.TyperCommand(cmd_name, help=COMMANDS[cmd_name].help)
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Print the help, with the list of commands."""
        with self._list():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:  # noqa: ANN401
        """Complete a command's name."""
        with self._list():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _list(self) -> Generator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False


app = typer.Typer(
    name="snellen",
    cls=LazyGroup,
    help="Evaluate agents that use screens.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:  # an option's callback
    if asked:
        sys.stdout.write(f"snellen {version('snellen')}\n")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Evaluate agents that use screens."""
    from snellen.grading.errors import InputWarning

    # Commands print problems of the input beneath a report.
    warnings.simplefilter("ignore", InputWarning)
