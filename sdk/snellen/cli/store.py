"""The commands about a store as a whole: `backup` and `restore`."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.cli.places import default_store
from snellen.cli.plain import tell, write
from snellen.cli.serving import Store, report_server_errors

group = typer.Typer(
    help="Back up and restore the store of an exam.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@group.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The copy; an existing file is replaced.")],
    store: Store = None,
) -> None:
    """Copy a SQLite store to a file, consistently, while servers may run.

    Every page of the store and of the copy is checked, and the revision is printed. Give a backup
    as --store to check it. Copy a PostgreSQL database with `pg_dump`.
    """
    from snellen.server.store.copies import back_up, check

    with report_server_errors():
        back_up(store or default_store(), file)
        write(f"revision {check(file)}, no damage\n")
        tell(f"wrote {file}; it is as secret as the store")


@group.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file from `snellen store backup`.")],
    store: Store = None,
) -> None:
    """Restore a SQLite store from a backup; an existing store is never replaced.

    A backup of another version of snellen is refused, like its store when a server starts.
    """
    from snellen.server.store.copies import restore as restore_store

    with report_server_errors():
        restore_store(file, store or default_store())
        tell(f"restored {store or default_store()}")
