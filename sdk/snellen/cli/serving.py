"""The commands `mcp` and `token`, and the options of all that open the server.

Nothing heavy is imported at the top: a host that starts `snellen mcp` waits a second or two for its
tools.
"""

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer
from pydantic import ValidationError

from snellen.cli.places import default_store, episode_folder, episode_pack, pack_folders, store_here
from snellen.cli.plain import tell, write
from snellen.grading.errors import InputError, SnellenError
from snellen.server.exam.rules import AT_ADDRESS, Door, Format, Mode, Rules
from snellen.server.settings import Settings
from snellen.tasks.samples import included_names, is_generated

if TYPE_CHECKING:
    from snellen.server.store.database import Database

STOPPED = 2
_FIRST = (
    "it is the first token of this store: a running server requires tokens only after its next"
    " start; until then, anybody on its machine can take the exam"
)

tokens = typer.Typer(help="Create, list and revoke tokens for HTTP.", no_args_is_help=True)

Packs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Folders of packs or names of included exams (`snellen benchmarks` lists them), or "
        "an exam file (.toml; several for `serve`); by default the exam sample.",
        envvar="SNELLEN_PACKS",
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        help="Interactive tasks: desk, desk-easy, desk-long, miniwob or miniwob-browsergym, "
        "generated at the first start and kept in your data folder; may be repeated.",
        envvar="SNELLEN_ENV",
        show_default=False,
    ),
]
Store = Annotated[
    str | None,
    typer.Option(
        help="The store of attempts and tokens: a SQLite file or a database URL; by "
        "default a file in your data folder.",
        envvar="SNELLEN_STORE",
        show_default=False,
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        help="The key file for sealed references; by default SNELLEN_PACK_KEY.",
        envvar="SNELLEN_KEY",
        show_default=False,
    ),
]
InMode = Annotated[
    Mode,
    typer.Option(
        help="exam: no scores until the end; practice: each score immediately; "
        "deferred: record answers without reading references.",
        envvar="SNELLEN_MODE",
    ),
]
Seed = Annotated[int, typer.Option(help="The seed of the order of items.", envvar="SNELLEN_SEED")]
Sample = Annotated[
    int | None,
    typer.Option(
        help="Number of items per task; by default all.",
        envvar="SNELLEN_SAMPLE",
        show_default=False,
    ),
]
InDoor = Annotated[
    Door,
    typer.Option(
        help="The interface of interactive tasks: screen, with screenshots and act; "
        "marks, with numbers on the controls; tree, with the accessibility tree as text; "
        "tools, with the application's own tools, without a screen or a browser; "
        "url, on a page that the agent opens in its own browser; webmcp, with the tools of that "
        "page.",
        envvar="SNELLEN_DOOR",
    ),
]
InFormat = Annotated[
    Format,
    typer.Option(
        help="The encoding of screenshots; png for models that can't read WebP, as in llama.cpp. "
        "auto chooses by image and client.",
        envvar="SNELLEN_FORMAT",
    ),
]


def settings_of(
    packs: Sequence[Path] | None,
    env: Sequence[str] | None,
    store: str | None,
    key: Path | None,
    **rules: object,
) -> Settings:
    """Return what the options of a server say; rules that are not given are the defaults.

    Raises:
        InputError: They can't hold together, or a folder is no pack.
    """
    given = [*(packs or ()), *map(episode_folder, env or ())]
    if any(path.suffix == ".toml" for path in given):
        return _of_exam_file(given, store, key, rules)
    generated = (*filter(is_generated, map(str, packs or ())), *(env or ()))
    folders = [pack for pack in packs or () if not is_generated(str(pack))]
    try:
        checked = Rules.model_validate(rules)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        option = "--" + "-".join(str(part) for part in found["loc"])
        raise InputError(f"{option}: {found['msg']}" if found["loc"] else found["msg"]) from None
    return Settings(
        packs=pack_folders(folders) if folders or not generated else (),
        store=store or default_store(),
        rules=checked,
        key=key,
        episodes=generated,
    )


def settings_of_each(
    packs: Sequence[Path] | None,
    env: Sequence[str] | None,
    store: str | None,
    key: Path | None,
    **rules: object,
) -> Sequence[Settings]:
    """Return the settings of each exam file, or of one exam without one.

    Raises:
        InputError: As `settings_of`; or a store is given for several.
    """
    files = packs or ()
    if env or len(files) < 2 or any(file.suffix != ".toml" for file in files):
        return [settings_of(packs, env, store, key, **rules)]
    if store is not None:
        raise InputError(
            "--store (SNELLEN_STORE) is the store of one exam: write store = in each exam file"
        )
    return [settings_of([file], None, None, key, **rules) for file in files]


def _of_exam_file(
    given: Sequence[Path], store: str | None, key: Path | None, rules: Mapping[str, object]
) -> Settings:
    from snellen.server.exam.file import read_exam_file

    if len(given) > 1:
        raise InputError(
            "give one exam file, or packs, and several exam files only to `serve`; an exam file"
            " names its packs"
        )
    standard = Rules().model_dump()
    changed = sorted(name for name, value in rules.items() if value != standard[name])
    if changed:
        raise InputError(
            f"the rules belong in the exam file: write {changed[0]} below [rules]",
            file=str(given[0]),
        )
    file = read_exam_file(given[0])
    # A folder's path is absolute; a bare name is that of an exam to generate.
    generated = tuple(pack for pack in file.packs if pack in included_names())
    folders = [Path(pack) for pack in file.packs if pack not in generated]
    try:
        packs = pack_folders(folders) if folders else ()
    except InputError as error:
        raise InputError(str(error), file=str(given[0]), field="packs") from error
    return Settings(packs, store or file.store, file.rules, key, file, generated)


def mcp(
    packs: Packs = None,
    env: Env = None,
    store: Store = None,
    key: Key = None,
    mode: InMode = Mode.EXAM,
    seed: Seed = 0,
    sample: Sample = None,
    door: InDoor = Door.SCREEN,
    format: InFormat = Format.AUTO,  # noqa: A002  # the option's name
) -> None:
    """Serve an exam over MCP on standard input and output, for an agent on this machine."""
    from snellen.server.host import lazy_host, open_exam
    from snellen.server.logs import log_libraries
    from snellen.server.stdio import serve_stdio

    log_libraries()
    with report_server_errors():
        settings = settings_of(
            packs, env, store, key, mode=mode, seed=seed, sample=sample, door=door, format=format
        )
        # Hosts wait for the list of tools, and not for tasks to be made.
        host = lazy_host(settings, lambda: open_exam(with_episodes(settings)))
        if host.door not in AT_ADDRESS:
            serve_stdio(host)
            return
        from snellen.server.http.playing import own_pages

        serve_stdio(host, own_pages(host))


@tokens.command()
def create(
    name: Annotated[
        str, typer.Argument(help="The name of the owner; attempts belong to this name.")
    ],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="take, submit, annotate, organize or admin; may be repeated; by default take and "
            "submit. For a token that exists: a scope to add to it."
        ),
    ] = None,
    days: Annotated[
        float | None,
        typer.Option(help="Days until it expires; by default never.", show_default=False),
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(
            help="The team, which shares uploads, attempts and leaderboard rows.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            help="Write the token to this new file, which only you can read; do not print it.",
            show_default=False,
        ),
    ] = None,
    exam: Annotated[
        Path | None,
        typer.Option(
            help="The exam file, whose store is used; by default exam.toml in this folder.",
            show_default=False,
        ),
    ] = None,
    store: Store = None,
) -> None:
    """Create a token and print it; it is not stored and can't be shown again.

    With --scope and the name of a token, the token gets these scopes as well.
    """
    from snellen.server.http.auth import Tokens
    from snellen.server.store.tables.exams import Scope

    with report_server_errors(), open_database(store or store_here(exam)) as database:
        unknown = [word for word in scope or () if word not in list(Scope)]
        if unknown:
            raise InputError(f"unknown scope {unknown[0]!r}; choose from: {', '.join(Scope)}")
        scopes = [Scope(word) for word in scope or (Scope.TAKE, Scope.SUBMIT)]
        held, by = Tokens(database), shell_caller()
        if scope and held.widen(name, scopes, by=by):
            tell(f"{name}'s token has the scope {' and '.join(scopes)} now; it is the same token")
            return
        first = not held.known
        if to is None:
            sys.stdout.write(held.create(name, scopes, days, team, by=by) + "\n")
            tell("save it now: it is not shown again")
        else:
            with _new_secret(to) as file:
                file.write(held.create(name, scopes, days, team, by=by) + "\n")
            write(f"the token is in {to}\n")
        if first:
            tell(_FIRST)


@tokens.command("list")
def list_tokens(store: Store = None) -> None:
    """List the tokens: name, team, scopes, creation and revocation; never the tokens themselves."""
    from snellen.server.http.auth import Tokens

    with report_server_errors(), open_database(store) as database:
        for token in Tokens(database).listed():
            state = "" if token.revoked is None else f"  revoked {_day(token.revoked)}"
            scopes = ",".join(sorted(token.scopes))
            until = "" if token.expires is None else f"  until {_day(token.expires)}"
            whose = token.name if token.team is None else f"{token.name} of {token.team}"
            write(f"{whose}  {scopes}  made {_day(token.created)}{until}{state}\n")


@tokens.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The name of the token's owner.")], store: Store = None
) -> None:
    """Revoke a token; the server refuses all later calls with it."""
    from snellen.server.http.auth import Tokens

    with report_server_errors(), open_database(store) as database:
        Tokens(database).revoke(name, by=shell_caller())
        tell(f"{name}'s token is revoked")


def with_episodes(settings: Settings) -> Settings:
    """Return settings whose packs of interactive tasks are there; what is not, is made.

    Raises:
        SnellenError: One can't be made.
    """
    made = tuple(episode_pack(what) for what in settings.episodes)
    return replace(settings, packs=(*settings.packs, *made), episodes=())


def shell_caller() -> str:
    """Return the caller of a command in a shell, for a store's record; no token has such a name."""
    try:
        return f"shell:{getuser()}"
    except (OSError, KeyError):  # the system has no name for the user
        return "shell:unknown"


@contextmanager
def open_database(url: str | None) -> Generator["Database"]:
    """Open the store that is named, or that of `exam.toml` here, or of the user's data folder."""
    from snellen.server.store.schema import open_store

    database = open_store(url or store_here())
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _new_secret(path: Path) -> Generator[TextIO]:
    """Create a file that only its owner can read; without it again if the context fails.

    Raises:
        InputError: It exists already, or can't be created.
    """
    try:
        # The mode is the file's from the start: nobody else can open it before it is changed.
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        reason = "it exists already: choose another name"
        raise InputError(reason, file=str(path)) from None
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(path)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def report_server_errors() -> Generator[None]:
    """Turn an error into its message and the status that says nothing could be done."""
    try:
        yield
    except SnellenError as error:
        tell(f"error: {error}")
        raise typer.Exit(STOPPED) from None


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
