"""The command `doctor`."""

from rich.markup import escape
from rich.table import Table

from snellen.cli.terminal import Terminal
from snellen.sdk.doctor import checks


def doctor() -> None:
    """Report what is installed, what is missing, and how to install it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(("what", "there", "version or how to get it")):
        table.add_column(column, no_wrap=number == 0)
    for check in checks():
        mark = "[green]yes[/green]" if check.present else "[yellow]no[/yellow]"
        table.add_row(check.name, mark, escape(check.detail))
    Terminal().print(table)
