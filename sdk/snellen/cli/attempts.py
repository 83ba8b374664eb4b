"""The commands about a store's attempts: list, close, reissue, export, grade, forget."""

import asyncio
import json as json_format
import os
import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snellen.cli import serving
from snellen.cli.options import check_folder
from snellen.cli.places import pack_folders, store_here
from snellen.cli.plain import tell, write
from snellen.cli.tables import print_table
from snellen.cli.take import cost_said, tell_report
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError
from snellen.grading.table import figures
from snellen.sdk.files import write_atomically

if TYPE_CHECKING:
    from snellen.server.attempts.models import TaskAnswers
    from snellen.server.attempts.register import Details, Entry, Register
    from snellen.server.attempts.service import Service
    from snellen.server.store.database import Database
    from snellen.server.store.tables.exams import Attempt
    from snellen.tasks.pack.read import Pack

_COLUMNS = (
    *("no.", "caller", "model", "mode", "exam", "tasks", "opened", "state"),
    *("answered", "score"),
)
_DRAIN_SECONDS = 1.0
_out = Terminal()

group = typer.Typer(
    help="List, close, export, grade and forget attempts, the runs of agents through an exam.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Number = Annotated[int, typer.Argument(help="The attempt's number from `list`.", min=1)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@group.command("list")
def list_attempts(
    number: Annotated[
        int | None,
        typer.Argument(
            help="Instead of all: this attempt, with its rules, progress, cost and report.",
            min=1,
            show_default=False,
        ),
    ] = None,
    store: serving.Store = None,
    json: AsJson = False,
) -> None:
    """List all attempts, the oldest first, or show one."""
    from snellen.server.attempts.register import details, entry

    with serving.report_server_errors(), _register(store) as register:
        if number is not None:
            found = details(register, register.numbered(number))
            if json:
                _print_json(found.model_dump(mode="json"))
            else:
                _show(found)
            return
        entries = [entry(attempt) for attempt in register.all_attempts()]
        if json:
            _print_json([one.model_dump(mode="json") for one in entries])
        elif entries:
            print_table(_out, figures(_COLUMNS, map(_row, entries), texts=range(8)))
        else:
            tell("there is no attempt yet")


@group.command("export")
def export(
    number: Number,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The output folder; created if needed.")
    ],
    packs: serving.Packs = None,
    store: serving.Store = None,
    key: serving.Key = None,
) -> None:
    """Write the answers of a closed attempt, one file per task, and print the grading commands.

    Use the packs of the attempt, or copies of them without references.
    """
    from snellen.server.attempts.register import Register

    with serving.report_server_errors(), _database(store) as database:
        attempt = Register(database).numbered(number)
        best = attempt.rules.counting == "best" and attempt.rules.submissions > 1
        service = _served(database, attempt, packs, key, references=best)
        exported = service.export(attempt)
        files = _files(output, exported, service)
        _write(output, files)
        _tell_how(output, exported, service, files, key)


@group.command("grade")
def grade(
    number: Number,
    packs: serving.Packs = None,
    store: serving.Store = None,
    key: serving.Key = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Save the report as JSON.", show_default=False),
    ] = None,
) -> None:
    """Grade a closed attempt where the references are: a deferred one, or one without a report.

    The report is only for you: it is not stored, and the agent does not see it.
    """
    from snellen.server.attempts.register import Register

    with serving.report_server_errors(), _database(store) as database:
        if output is not None:
            check_folder(output)
        attempt = Register(database).numbered(number)
        service = _served(database, attempt, packs, key, references=True)
        report = service.grade(attempt).model_dump(mode="json")
        if output is not None:
            text = json_format.dumps(report, indent=2, ensure_ascii=False) + "\n"
            write_atomically(output, [text.encode()])
        tell_report(report)


@group.command("report")
def report(
    number: Number,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: an HTML file.")],
    packs: serving.Packs = None,
    store: serving.Store = None,
    key: serving.Key = None,
) -> None:
    """Write the page of a closed attempt: its total, its tasks, and every item with its answer.

    Its answers are graded where the references are. The agent does not see the page, which shows
    scores. It needs the extra `html`.
    """
    from snellen.cli.attempt_page import attempt_page
    from snellen.server.attempts.register import Register

    with serving.report_server_errors(), _database(store) as database:
        check_folder(output)
        attempt = Register(database).numbered(number)
        service = _served(database, attempt, packs, key, references=True)
        write_atomically(output, [attempt_page(service, attempt)])
        write(f"wrote {output}\n")


@group.command("close")
def close(
    number: Annotated[
        int | None,
        typer.Argument(help="The attempt's number from `list`.", min=1, show_default=False),
    ] = None,
    idle: Annotated[
        float | None,
        typer.Option(
            help="Instead of a number: close attempts past their deadline as expired, and those "
            "without activity for this many minutes as abandoned.",
            min=1,
            show_default=False,
        ),
    ] = None,
    without_report: Annotated[
        bool,
        typer.Option("--without-report", help="Close it as abandoned; the agent gets no report."),
    ] = False,
    store: serving.Store = None,
) -> None:
    """Close an attempt as finished: no more answers are accepted, and it can be graded.

    With --idle, close all old attempts.
    """
    with serving.report_server_errors(), _register(store) as register:
        if number is not None and idle is None:
            attempt = register.numbered(number)
            ended = register.abandon if without_report else register.close
            _tell_closed(attempt, asyncio.run(ended(attempt)))
        elif number is None and idle is not None and not without_report:
            swept = asyncio.run(register.sweep(idle))
            write(f"{swept.expired} expired, {swept.abandoned} abandoned\n")
        else:
            raise InputError("give either the number of an attempt, or --idle MINUTES alone")


@group.command("reissue")
def reissue(number: Number, store: serving.Store = None) -> None:
    """Print a new handle for a caller that lost its handle; the old one becomes invalid.

    It is printed once, and works only with the token of the attempt's caller.
    """
    from snellen.server.logs import lines_to_stderr

    with serving.report_server_errors(), _register(store) as register:
        attempt = register.numbered(number)
        sys.stdout.write(asyncio.run(register.reissue(attempt)) + "\n")
        tell(f"save it now, for {attempt.caller}: it is not shown again")
        lines_to_stderr().drain(_DRAIN_SECONDS)


@group.command("forget")
def forget(
    name: Annotated[str, typer.Argument(help="The participant: the owner of a token, or a team.")],
    exam: Annotated[
        Path | None,
        typer.Argument(
            help="The exam file, which says where files are and what stays on the leaderboard.",
            show_default=False,
        ),
    ] = None,
    store: serving.Store = None,
) -> None:
    """Delete a participant's data: uploads, attempts, tokens, and the name in the record.

    The leaderboard keeps rows without a name, or drops them if the exam file has `forgotten =
    "dropped"`. A server may run. Backups keep the data.
    """
    from snellen.server.challenge.erasure import erase
    from snellen.server.exam.file import Forgotten, read_exam_file
    from snellen.server.store.files import Files

    with serving.report_server_errors():
        file = None if exam is None else read_exam_file(exam)
        files = Files(file.files) if file is not None and file.files else None
        rule = Forgotten.ANONYMOUS if file is None else file.forgotten
        with _database(store or (None if file is None else file.store)) as database:
            erased = erase(database, name, serving.shell_caller(), rule, files)
        if not erased.changed:
            write(f"the store has nothing of {name!r}\n")
        else:
            write(
                f"deleted: {erased.submissions} submissions, {erased.attempts} attempts; without a"
                f" name on the leaderboard: {erased.anonymous}\n"
            )
        if file is not None and name in {*file.teams, *file.team_of}:
            tell(f"the exam file still names {name}: remove it from [teams]")


# ---- what is opened ----------------------------------------------------------------------------


@contextmanager
def _database(store: str | None) -> Generator["Database"]:
    place = store or store_here()
    if "://" not in place and not Path(place).is_file():
        # To open it would make it, and an empty list would hide the slip.
        raise InputError(
            "there is no such store; give --store, the store of the exam's server", file=place
        )
    with serving.open_database(place) as database:
        yield database


@contextmanager
def open_attempt(
    number: int, packs: list[Path] | None, store: str | None
) -> Generator["tuple[Service, Attempt]"]:
    """Open a closed attempt with what it was taken from; no reference is read.

    Raises:
        SnellenError: There is none, it is open, or the packs are others.
    """
    from snellen.server.attempts.register import Register
    from snellen.server.store.tables.exams import State

    with _database(store) as database:
        attempt = Register(database).numbered(number)
        if attempt.state is State.OPEN:
            raise InputError(f"attempt {number} is open: close or finish it first")
        yield _served(database, attempt, packs, None, references=False), attempt


@contextmanager
def _register(store: str | None) -> Generator["Register"]:
    from snellen.server.attempts.register import Register

    with _database(store) as database:
        yield Register(database)


def _served(
    database: "Database",
    attempt: "Attempt",
    packs: list[Path] | None,
    key: Path | None,
    *,
    references: bool,
) -> "Service":
    """Open what an attempt was taken from, to read its answers, which is an event in the store.

    Args:
        database: The store.
        attempt: The attempt.
        packs: The packs that it was taken from; None: the included ones.
        key: The key file of sealed references.
        references: Whether the references are needed.
    """
    from snellen.server.attempts.register import Clock
    from snellen.server.attempts.service import Service
    from snellen.server.challenge.queries import add_event
    from snellen.server.exam.rules import Mode
    from snellen.server.grading.exam import read_exam
    from snellen.server.settings import Settings
    from snellen.server.store.tables.endpoint import EventRow
    from snellen.server.store.tables.exams import State
    from snellen.tasks.samples import included_names

    mode = Mode.EXAM if references else Mode.DEFERRED
    rules = attempt.rules.model_copy(update={"mode": mode})
    names = attempt.exam.rpartition("@")[0].split("+")
    included = [Path(name) for name in names] if set(included_names()) >= set(names) else None
    folders = _in_order(pack_folders(packs or included), attempt)
    service = Service(read_exam(Settings(folders, database.name, rules, key)), database)
    if attempt.state is State.OPEN:
        return service
    event = EventRow(
        id=0,
        phase="",
        submission=None,
        at=Clock().now(),
        caller=serving.shell_caller(),
        what="answers read",
        why=f"attempt {attempt.id}",
    )
    database.submit(lambda connection: add_event(connection, event)).result()
    return service


def _in_order(folders: Sequence[Path], attempt: "Attempt") -> tuple[Path, ...]:
    """Put packs in the order in which the attempt's exam names them."""
    from snellen.tasks.pack.read import read_manifest

    names = attempt.exam.rpartition("@")[0].split("+")

    def place(folder: Path) -> int:
        name = read_manifest(folder).name
        return names.index(name) if name in names else len(names)

    return tuple(sorted(folders, key=place))


# ---- what is written ---------------------------------------------------------------------------


def _files(output: Path, exported: Sequence["TaskAnswers"], service: "Service") -> dict[Path, str]:
    """Return the files of an export: answers, and the items asked where these are not all."""
    files: dict[Path, str] = {}
    for part in exported:
        files[_answers(output, part)] = part.lines()
        if len(part.items) < len(_pack(service, part).index[part.task]):
            files[_items(output, part)] = "".join(f"{item}\n" for item in part.items)
    return files


def _write(output: Path, files: dict[Path, str]) -> None:
    there = [path for path in files if path.exists()]
    if there:
        raise InputError("it exists already; choose another folder", file=str(there[0]))
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"can't create the folder: {error.strerror}", file=str(output)) from error
    for path, text in files.items():
        write_atomically(path, [text.encode()])


def _answers(output: Path, part: "TaskAnswers") -> Path:
    return output / f"{part.task.replace('/', '-')}.jsonl"


def _items(output: Path, part: "TaskAnswers") -> Path:
    return output / f"{part.task.replace('/', '-')}.items.txt"


def _pack(service: "Service", part: "TaskAnswers") -> "Pack":
    return service.exam.packs_by_task[part.task]


# ---- what is printed ---------------------------------------------------------------------------


def _tell_how(
    output: Path,
    exported: Sequence["TaskAnswers"],
    service: "Service",
    files: dict[Path, str],
    key: Path | None,
) -> None:
    """Print the command that grades each file."""
    from snellen.tasks.pack.format import SEALED
    from snellen.tasks.pack.read import has_references
    from snellen.tasks.pack.seal import KEY_VARIABLE

    for part in exported:
        pack, items = _pack(service, part), _items(output, part)
        words = ["snellen", "grade", str(_answers(output, part)), "--task", part.task]
        words += ["--data", str(pack.folder), "--protocol", part.protocol]
        words += ["--items", str(items)] if items in files else []
        opened = f"{KEY_VARIABLE}={shlex.quote(f'@{key}')} " if key is not None else ""
        write(f"{opened}{shlex.join(words)}\n")
        if not has_references(pack):
            tell(f"{pack.folder} has no references: give --data the pack that it is a copy of")
        elif pack.manifest.references == SEALED and key is None and KEY_VARIABLE not in os.environ:
            tell(f"the references are sealed: {KEY_VARIABLE}=@FILE names the file of the key")


def _tell_closed(before: "Attempt", after: "Attempt") -> None:
    already = " already" if before.closed is not None else ""
    write(f"attempt {after.id} is {after.state}{already}\n")


def _print_json(found: object) -> None:
    sys.stdout.write(json_format.dumps(found, indent=2, ensure_ascii=False) + "\n")


def _row(one: "Entry") -> tuple[str, ...]:
    value = "-" if one.value is None else f"{one.value:.4f}"
    answered = f"{one.answered}/{one.total}"
    tasks = one.tasks[0] if len(one.tasks) == 1 else f"{len(one.tasks)} tasks"
    opened = _moment(one.opened)
    model = one.model or "-"
    names = (str(one.number), one.caller, model, one.mode.value, one.exam, tasks)
    return (*names, opened, one.state.value, answered, value)


def _show(found: "Details") -> None:
    model = "" if found.model is None else f" with {found.model}"
    lines = [
        f"attempt {found.number} of {found.caller}{model}: {found.state},"
        f" {found.answered} of {found.total} answered",
        f"exam {found.exam}: {', '.join(found.tasks)}",
        f"opened {_moment(found.opened)}"
        + "".join(
            f", {name} {_moment(moment)}"
            for name, moment in (("deadline", found.deadline), ("closed", found.closed))
            if moment is not None
        ),
        "rules: " + ", ".join(_rules(found)),
    ]
    write("\n".join(lines) + "\n")
    if found.report is None:
        write(cost_said(found.cost.model_dump()) + "\n")
        write("no report\n")
    else:
        tell_report(found.report.model_dump(mode="json"))


def _rules(found: "Details") -> list[str]:
    rules = {**found.rules.model_dump(mode="json"), "contexts": found.contexts.value}
    return [
        f"{name.replace('_', ' ')} {json_format.dumps(value) if isinstance(value, bool) else value}"
        for name, value in rules.items()
        if value is not None
    ]


def _moment(iso: str) -> str:
    return iso.replace("+00:00", "Z")
