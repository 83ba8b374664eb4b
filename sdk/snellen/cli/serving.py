"""The commands `mcp` and `token`, and the options of all that open the server.

Nothing heavy is imported at the top: a host that starts `snellen mcp` waits a second or two for its
tools.
"""

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from pydantic import ValidationError

from snellen.cli.places import default_store, episode_folder, episode_pack, pack_folders
from snellen.cli.plain import tell, write
from snellen.grading.errors import InputError, SnellenError
from snellen.server.exam.rules import Contexts, Counting, Door, Mode, Rules
from snellen.server.settings import Settings

if TYPE_CHECKING:
    from snellen.server.store.database import Database

STOPPED = 2
_FIRST = (
    "it is this store's first: a server that is running on it asks for tokens from its next start"
    " on, and until then anybody on its machine may take the exam"
)

tokens = typer.Typer(help="Create, list and revoke tokens for HTTP.", no_args_is_help=True)

Packs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Folders of packs, or one exam file (.toml); by default the included sample."
    ),
]
Env = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        help="Interactive tasks: desk, miniwob, miniwob-browsergym or tiddlywiki, "
        "generated at the first start and kept in your data folder; may be "
        "repeated.",
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
        "deferred: record answers without reading references."
    ),
]
Seed = Annotated[int, typer.Option(help="The seed of the order of items.")]
Sample = Annotated[
    int | None, typer.Option(help="Number of items per task; by default all.", show_default=False)
]
Attempts = Annotated[
    int | None,
    typer.Option(help="Maximum attempts per caller; by default unlimited.", show_default=False),
]
Minutes = Annotated[
    float | None,
    typer.Option(help="Time limit of an attempt, in minutes; by default none.", show_default=False),
]
Views = Annotated[
    int | None,
    typer.Option(
        help="Maximum views per item with get_screenshot; by default unlimited.",
        show_default=False,
    ),
]
Submissions = Annotated[int, typer.Option(help="Maximum answers per item.")]
Count = Annotated[Counting, typer.Option(help="The answer that counts.")]
InContexts = Annotated[
    Contexts | None,
    typer.Option(
        help="Items per context: fresh is one, continuous any number; by default the"
        " client declares it.",
        show_default=False,
    ),
]
Pairs = Annotated[
    bool, typer.Option("--pairs-together", help="Allow one client to see both halves of a pair.")
]
Lease = Annotated[float, typer.Option(help="Minutes that an item is leased to its client.")]
ViewSide = Annotated[int, typer.Option(help="The longest side of a view, in pixels.")]
KeepOptions = Annotated[
    bool, typer.Option("--keep-options", help="Do not shuffle lettered options.")
]

InDoor = Annotated[
    Door,
    typer.Option(
        help="The interface of interactive tasks: screen, with screenshots and act; "
        "tools, with the application's own tools, without a screen or a "
        "browser."
    ),
]


def settings_of(
    packs: Packs = None,
    env: Env = None,
    store: Store = None,
    key: Key = None,
    mode: InMode = Mode.EXAM,
    seed: Seed = 0,
    sample: Sample = None,
    attempts: Attempts = None,
    minutes: Minutes = None,
    views: Views = None,
    submissions: Submissions = 1,
    counting: Count = Counting.LAST,
    contexts: InContexts = None,
    pairs_together: Pairs = False,
    lease_minutes: Lease = 15.0,
    max_view_side: ViewSide = 1568,
    keep_options: KeepOptions = False,
    door: InDoor = Door.SCREEN,
) -> Settings:
    """Return what the options that every server takes say.

    Raises:
        InputError: They can't hold together, or a folder is no pack.
    """
    rules = {
        "mode": mode,
        "seed": seed,
        "sample": sample,
        "attempts": attempts,
        "minutes": minutes,
        "views": views,
        "submissions": submissions,
        "counting": counting,
        "contexts": contexts,
        "pairs_together": pairs_together,
        "lease_minutes": lease_minutes,
        "max_view_side": max_view_side,
        "shuffle_options": not keep_options,
        "door": door,
    }
    given = [*(packs or ()), *map(episode_folder, env or ())]
    if any(path.suffix == ".toml" for path in given):
        return _of_exam_file(given, store, key, rules)
    try:
        checked = Rules.model_validate(rules)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        option = "--" + "-".join(str(part) for part in found["loc"]).replace("_", "-")
        raise InputError(f"{option}: {found['msg']}" if found["loc"] else found["msg"]) from None
    return Settings(
        packs=pack_folders(packs) if packs or not env else (),
        store=store or default_store(),
        rules=checked,
        key=key,
        episodes=tuple(env or ()),
    )


def _of_exam_file(
    given: Sequence[Path], store: str | None, key: Path | None, rules: Mapping[str, object]
) -> Settings:
    from snellen.server.exam.file import read_exam_file

    if len(given) > 1:
        raise InputError("give either one exam file or packs; an exam file names its packs")
    standard = Rules().model_dump()
    changed = sorted(name for name, value in rules.items() if value != standard[name])
    if changed:
        raise InputError(
            f"the rules belong in the exam file: write {changed[0]} below [rules]",
            file=str(given[0]),
        )
    file = read_exam_file(given[0])
    folders = pack_folders([Path(folder) for folder in file.packs])
    return Settings(folders, store or file.store, file.rules, key, file)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `settings_of`, and its function the settings that they make.

    They stand in the place of its first parameter, so no command writes them down again. Each of
    its options can be given by an environment variable as well: `--port` by SNELLEN_PORT.
    """
    shared = signature(settings_of).parameters
    _, *own = signature(command).parameters.values()

    @wraps(command)
    def run(**given: object) -> None:
        with report_server_errors():
            chosen: dict[str, Any] = {name: given.pop(name) for name in shared}
            command(settings_of(**chosen), **given)

    taken = [_with_variable(parameter) for parameter in (*own, *shared.values())]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in taken}
    run.__signature__ = Signature(taken)  # pyright: ignore[reportAttributeAccessIssue]  # what typer reads
    return run


def _with_variable(parameter: Parameter) -> Parameter:
    """Let an option be given by the environment variable of its name."""
    hint, info = get_args(parameter.annotation)
    given = copy(info)
    given.envvar = info.envvar or f"SNELLEN_{parameter.name.upper()}"
    return parameter.replace(annotation=Annotated[hint, given])


@with_settings
def mcp(settings: Settings) -> None:
    """Serve an exam over MCP on standard input and output, for an agent on this machine."""
    from snellen.server.host import LazyHost, has_worlds, open_exam, world_tools
    from snellen.server.logs import log_libraries
    from snellen.server.stdio import serve_stdio

    log_libraries()
    interactive, tools = has_worlds(settings), world_tools(settings)
    opening = LazyHost(
        # Hosts wait for the list of tools, and not for tasks to be made.
        lambda: open_exam(with_episodes(settings)),
        interactive=interactive,
        tools=tools,
    )
    serve_stdio(opening)


@tokens.command()
def create(
    name: Annotated[
        str, typer.Argument(help="The name of the owner; attempts belong to this name.")
    ],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="take, submit, annotate, organize or admin; may be repeated; by default take."
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
    store: Store = None,
) -> None:
    """Create a token and print it; it is not stored and can't be shown again."""
    from snellen.server.http.auth import Tokens
    from snellen.server.store.tables.exams import Scope

    with report_server_errors(), open_database(store) as database:
        unknown = [word for word in scope or () if word not in list(Scope)]
        if unknown:
            raise InputError(f"unknown scope {unknown[0]!r}; choose from: {', '.join(Scope)}")
        scopes = [Scope(word) for word in scope or (Scope.TAKE,)]
        held = Tokens(database)
        first = not held.known
        sys.stdout.write(held.create(name, scopes, days, team) + "\n")
        tell("keep it now: it is not shown again")
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
        Tokens(database).revoke(name)
        tell(f"{name}'s token is revoked")


def with_episodes(settings: Settings) -> Settings:
    """Return settings whose packs of interactive tasks are there; what is not, is made.

    Raises:
        SnellenError: One can't be made.
    """
    made = tuple(episode_pack(what) for what in settings.episodes)
    return replace(settings, packs=(*settings.packs, *made), episodes=())


@contextmanager
def open_database(url: str | None) -> Generator["Database"]:
    """Open the store that is named, or the one in the user's data folder."""
    from snellen.server.store.schema import open_store

    database = open_store(url or default_store())
    try:
        yield database
    finally:
        database.close()


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
