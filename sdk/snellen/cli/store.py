"""The commands about a store as a whole: `backup`, `restore`, `check` and `migrate`."""

from pathlib import Path
from typing import Annotated

import typer

from snellen.cli.places import default_store
from snellen.cli.plain import tell, write
from snellen.cli.serving import Store, report_server_errors

group = typer.Typer(
    help="Back up, restore, check and migrate the store of an exam.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@group.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The copy; an existing file is replaced.")],
    store: Store = None,
) -> None:
    """Copy a SQLite store to a file, consistently, while servers may run.

    Copy a PostgreSQL database with `pg_dump`.
    """
    from snellen.server.store.copies import back_up

    with report_server_errors():
        back_up(store or default_store(), file)
        tell(f"wrote {file}; it is as secret as the store")


@group.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file from `snellen store backup`.")],
    store: Store = None,
) -> None:
    """Restore a SQLite store from a backup; an existing store is never replaced.

    A backup of an older version of snellen is migrated.
    """
    from snellen.server.store.copies import restore as restore_store

    with report_server_errors():
        restore_store(file, store or default_store())
        tell(f"restored {store or default_store()}")


@group.command()
def check(store: Store = None) -> None:
    """Check every page of a SQLite store or a backup, and print its revision."""
    from snellen.server.store.copies import check as check_store

    with report_server_errors():
        write(f"revision {check_store(store or default_store())}, no damage\n")


@group.command()
def migrate(store: Store = None) -> None:
    """Migrate a store to this version, all or nothing; every server does this at its start.

    With several servers: stop them, back up, migrate, start them.
    """
    from snellen.server.store.copies import migrate as migrate_store

    with report_server_errors():
        before, now = migrate_store(store or default_store())
        if before == now:
            write(f"revision {now}: nothing to do\n")
        else:
            write(f"revision {now}, before {before or 'empty'}\n")
