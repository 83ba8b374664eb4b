"""The commands that host a challenge: `serve`, `worker`, `exam` and `verify`."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from snellen.cli import serving
from snellen.cli.places import pack_folders
from snellen.cli.plain import tell, write
from snellen.grading.errors import InputError, MissingExtraError
from snellen.sdk.files import write_atomically
from snellen.server.exam.rules import Mode
from snellen.server.settings import Address, Settings
from snellen.tasks.samples import DEFAULT, is_generated

exams = typer.Typer(
    help="Write exam files: hosted exams with phases and rules.", no_args_is_help=True
)


def serve(
    packs: serving.Packs = None,
    env: serving.Env = None,
    store: serving.Store = None,
    key: serving.Key = None,
    sample: serving.Sample = None,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on; other addresses than this machine's own need tokens.",
            envvar="SNELLEN_HOST",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(help="The port; 0: any free port.", min=0, max=65535, envvar="SNELLEN_PORT"),
    ] = 8765,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name that clients use, if behind a proxy; may be repeated.",
            envvar="SNELLEN_NAME",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            help="Workers that grade uploads in this server; 0: use `snellen worker`.",
            min=0,
            envvar="SNELLEN_WORKERS",
        ),
    ] = 1,
) -> None:
    """Serve exams over HTTP: MCP for agents, REST for prediction files.

    Give packs, or exam files from `snellen exam init`. Several exam files are served below
    /NAME/, and / lists them. Agents and participants need a token from `snellen token create`.
    Without any token, the server listens only on this machine's own address.
    """
    with serving.report_server_errors():
        every = serving.settings_of_each(packs, env, store, key, sample=sample)
        _serve(every, Address(host, port, tuple(name or ())), workers)


def _serve(every: Sequence[Settings], where: Address, workers: int) -> None:
    if find_spec("fastapi") is None:
        raise MissingExtraError("serving an exam over HTTP", "serve")
    from snellen.server.http.app import serve as serve_web
    from snellen.server.http.exams import open_exams
    from snellen.server.logs import log_libraries
    from snellen.server.store.tables.exams import Scope

    log_libraries()
    # Whoever starts it hears at once of what can't be opened.
    with open_exams(every, workers, serving.with_episodes) as exams:
        for exam in exams:
            if exam.settings.file is not None and not exam.tokens.known:
                tell("this is the first start: the admin's token follows; it is shown only once")
                whose = "" if len(exams) == 1 else f"{exam.name} "
                token = exam.tokens.create("admin", [Scope.ADMIN], by=serving.shell_caller())
                sys.stdout.write(f"{whose}{token}\n")
                sys.stdout.flush()
        serve_web(exams, where, tell)


def worker(
    packs: serving.Packs = None,
    env: serving.Env = None,
    store: serving.Store = None,
    key: serving.Key = None,
    count: Annotated[
        int, typer.Option(help="Files to grade at a time.", min=1, envvar="SNELLEN_COUNT")
    ] = 1,
) -> None:
    """Grade uploads of a hosted exam whose server uses the same store.

    Give the same exam file or packs as to the server. The rules are those of the exam file.
    """
    with serving.report_server_errors():
        _work(serving.settings_of(packs, env, store, key), count)


def _work(settings: Settings, count: int) -> None:
    from snellen.server.challenge.workers import run_workers
    from snellen.server.host import open_challenge, open_exam
    from snellen.server.logs import log_libraries

    if settings.rules.mode is Mode.DEFERRED:
        raise InputError("a deferred exam has no references here; grade it where they are")
    log_libraries()
    settings = serving.with_episodes(settings)
    opened = open_exam(settings)

    async def run() -> None:
        challenge = open_challenge(settings, opened)
        challenge.check_gradings()
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with run_workers(challenge, opened.service, settings, count):
            tell(f"grading submissions to {challenge.file.name}")
            await stop.wait()

    try:
        asyncio.run(run())
    finally:
        opened.close()


@exams.command("init")
def init_exam(
    pack: Annotated[
        Path | None,
        typer.Argument(help="The pack's folder, or an included exam; by default sample."),
    ] = None,
    output: Annotated[Path, typer.Option(help="The exam file.")] = Path("exam.toml"),
) -> None:
    """Write an exam file for a pack, with every setting and its meaning."""
    from snellen.server.exam.file import exam_file_for
    from snellen.tasks.pack.read import read_manifest

    with serving.report_server_errors():
        if output.exists():
            raise InputError("it exists already: choose another name", file=str(output))
        exam = pack or Path(DEFAULT)
        title = exam.name
        if not is_generated(str(exam)):
            (folder,) = pack_folders([exam])
            title = read_manifest(folder).name
        text = exam_file_for(exam, title, output, datetime.now(UTC))
        write_atomically(output, [text.encode()])
        tell(f"wrote {output}; `snellen serve {output}` hosts it")


def verify(
    file: Annotated[Path, typer.Argument(help="An export of a leaderboard.")],
) -> None:
    """Recompute a leaderboard from its export and compare every byte.

    Exit status: 0 if everything agrees, 1 if something differs, 2 if the file can't be read.
    """
    from snellen.server.challenge.export import verify_export

    with serving.report_server_errors():
        try:
            body = file.read_bytes()
        except OSError as error:
            raise InputError(f"can't be read: {error.strerror}", file=str(file)) from error
        board, differences = verify_export(body)
        for line in differences:
            tell(line)
        if differences:
            raise typer.Exit(1)
        write(
            f"{board.exam}, phase {board.phase}: {len(board.rows)} rows; scores, intervals, EQA and"
            " ranks were made again from the export, other metrics and measures are the server's\n"
        )
