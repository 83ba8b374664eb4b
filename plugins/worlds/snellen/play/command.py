"""The command `play`."""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated

import typer

from snellen.cli.plain import tell, write
from snellen.cli.serving import report_server_errors
from snellen.grading.errors import InputError
from snellen.tasks.environments.table import need_extra
from snellen.tasks.samples.generated import generated_exam, generated_names

_PACK, _STORE = "pack", "attempt.sqlite"


def play(
    exam: Annotated[
        str,
        typer.Argument(help="An exam to generate, such as desk, or the folder of a pack."),
    ] = "desk",
    n: Annotated[
        int | None,
        typer.Option("--n", min=1, help="Number of tasks to generate; by default one of each."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for pack, answers and reports.")
    ] = Path("snellen-play"),
) -> None:
    """Do interactive tasks yourself in your browser; the report is that of an agent (door url).

    It is the human score to compare agents with. A stopped play goes on with the same folder.
    """
    with report_server_errors():
        need_extra()
        from snellen.play.session import run_play
        from snellen.server.exam.rules import Door, Rules
        from snellen.server.host import lazy_host, open_exam
        from snellen.server.settings import Settings

        pack = output / _PACK
        if exam not in generated_names():
            pack = Path(exam)
            if n is not None:
                raise InputError("--n generates tasks: name an exam such as desk")
        elif not pack.is_dir():
            generated_exam(exam).make(pack, seed=secrets.randbits(48), count=n)
        output.mkdir(parents=True, exist_ok=True)
        settings = Settings((pack,), output / _STORE, Rules(door=Door.URL))
        host = lazy_host(settings, lambda: open_exam(settings))
        try:
            pages = asyncio.run(run_play(host, output, tell))
        except KeyboardInterrupt:
            tell(f"stopped; the same command goes on with {output}")
            raise typer.Exit(130) from None
        for page in pages:
            write(f"{page}\n")
