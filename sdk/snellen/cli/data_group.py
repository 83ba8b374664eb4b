"""The group `data`."""

import typer

from snellen.cli import plan, runs

group = typer.Typer(
    help="Create references by vote, and samples of a task's items.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
group.command("consensus")(runs.consensus)
group.command("sample")(plan.sample)
