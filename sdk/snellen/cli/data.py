"""The command `fetch`: download a benchmark's published files, or say what a folder is."""

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from snellen.cli.listing import task_names
from snellen.cli.messages import error_told, report_errors
from snellen.cli.options import PROBLEMS
from snellen.cli.terminal import Terminal
from snellen.grading.errors import InputError, where
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.benchmarks.table import own_places, place_of

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from snellen.tasks.data.check import DataCheck, ImagesCheck, SplitCheck
    from snellen.tasks.data.fetch import Fetched, Progress

_FEW = 5
_out = Terminal()
_err = Terminal(stderr=True)


def _benchmark_names(incomplete: str) -> list[str]:
    return [name for name in own_places() if name.startswith(incomplete)]


def fetch(
    benchmark: Annotated[
        str,
        typer.Argument(
            help=f"{', '.join(own_places())}; with --check, a folder of published data, or one "
            "file of it.",
            autocompletion=_benchmark_names,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", "-o", help="The output folder; by default one with the name of the benchmark."
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="Fetch only the files for this task; may be repeated. With --check: check it as "
            "this task's data; by default as all data that it seems to contain.",
            autocompletion=task_names,
            show_default=False,
        ),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(
            help="A commit, or on Hugging Face a branch or tag; by default the pinned commit."
        ),
    ] = None,
    no_images: Annotated[
        bool,
        typer.Option(
            "--no-images",
            help="Skip files that contain only images. With --check: do not check the images.",
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Download nothing: report what a folder contains, its release, differences and "
            "faults.",
        ),
    ] = False,
    images: Annotated[
        Path | None,
        typer.Option(
            help="With --check: a folder of screenshots, if the data has none.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="With --check: print the result as JSON.")
    ] = False,
) -> None:
    """Download a benchmark's published files and check them.

    Existing files are not downloaded again, and an interrupted download resumes.

    Exit status: 0 if all files were downloaded, 1 if some were not (run it again to resume), 2 if
    nothing could be requested. With --check: 0 if everything loads without faults, 1 if there are
    faults, 2 if the path does not exist.
    """
    from snellen.tasks.data.check import check as check_data
    from snellen.tasks.data.fetch import FetchError
    from snellen.tasks.data.fetch import fetch as fetch_files

    with report_errors():
        if check:
            if to is not None or revision is not None:
                raise InputError("--check excludes --to and --revision")
            _check(Path(benchmark), task or (), images, no_images=no_images, json=json)
            return
        if images is not None or json:
            raise InputError("--images and --json need --check")
        try:
            with _bar(f"fetching {benchmark}") as watch:
                fetched = fetch_files(
                    benchmark,
                    to,
                    tasks=task or (),
                    revision=revision,
                    images=not no_images,
                    watch=watch,
                )
        except FetchError as error:
            error_told(error)
            raise typer.Exit(PROBLEMS) from None
        _fetched(fetched)
        _checked(check_data(fetched.folder, look=False, remember=True))


def _check(
    path: Path, tasks: Sequence[str], images: Path | None, *, no_images: bool, json: bool
) -> None:
    from snellen.tasks.data.check import check as check_data

    if len(tasks) > 1:
        raise InputError("--check takes one --task")
    with _status() as watch:
        task = tasks[0] if tasks else None
        found = check_data(path, task, images, look=not no_images, watch=watch)
    if json:
        sys.stdout.write(found.model_dump_json(indent=2) + "\n")
    else:
        _checked(found)
    if not found.fine:
        raise typer.Exit(PROBLEMS)


# ---- what fetch prints -------------------------------------------------------------------------


def _fetched(given: "Fetched") -> None:
    place = place_of(given.benchmark)
    came = f"{len(given.new)} of them downloaded now" if given.new else "nothing was lacking"
    _line(
        f"[bold]{given.benchmark}[/bold]: {len(given.files)} files, {_bytes(given.size)} in"
        f" {escape(str(given.folder))}; {came}"
    )
    _line(f"  from {place.page} at {given.revision}")
    _line(f"  licence: {place.licence}")
    for note in given.notes:
        _line(f"  {escape(note)}")


def _bytes(size: int) -> str:
    """Return a size as people read it.

    >>> _bytes(999), _bytes(1_289_176), _bytes(3_200_000_000)
    ('999 B', '1.3 MB', '3.2 GB')
    """
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if size >= 1000**power:
            return f"{size / 1000**power:.1f} {unit}"
    return f"{size} B"


@contextmanager
def _bar(title: str) -> "Generator[Callable[[Progress], None] | None]":
    """Show how far a fetch is, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=_err, transient=True) as bar:
        line = bar.add_task(title, total=None)
        yield lambda now: _shown(bar, line, now)


def _shown(bar: "Bar", line: "TaskID", now: "Progress") -> None:
    what = f"{now.doing}, {now.files} of {now.of} files"
    bar.update(line, description=what, completed=now.done, total=now.total)


# ---- what check prints -------------------------------------------------------------------------


def _checked(found: "DataCheck") -> None:
    if not found.tasks:
        _nothing(found)
        return
    _line(f"[bold]{', '.join(found.benchmarks)}[/bold] in {escape(found.path)}")
    if found.origin:
        origin = found.origin
        _line(
            f"  fetched from {escape(origin.repository)} at {escape(origin.revision)},"
            f" {origin.files} files"
        )
    if found.splits:
        _splits(found.splits)
    _notes(found.splits)
    _images(found.images)
    _wrong(found)


def _nothing(found: "DataCheck") -> None:
    _line(f"{escape(found.path)} is no data that snellen knows")
    if found.holds:
        _line(f"  it holds {escape(', '.join(found.holds))}")
    for folder, benchmarks in found.nearby.items():
        _line(f"  {escape(folder)} is {', '.join(benchmarks)}: give that folder")
    _line("  --task NAME tries one task's loader, which says what it misses")


def _splits(splits: "Sequence[SplitCheck]") -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task", no_wrap=True)
    table.add_column("split", no_wrap=True)
    table.add_column("items", justify="right")
    table.add_column("release")
    table.add_column("verdict")
    for one in splits:
        style = "red" if one.pin.verdict is PinVerdict.DIFFERS else ""
        verdict = escape(one.pin.verdict.value)
        table.add_row(
            escape(one.task),
            escape(one.split),
            f"{one.count:,}",
            one.pin.release,
            verdict,
            style=style,
        )
    _out.print(table)


def _notes(splits: "Sequence[SplitCheck]") -> None:
    """Print what is noted of the splits, once of those that a task has in one file."""
    notes: dict[tuple[str, str], list[str]] = {}
    for one in splits:
        if one.pin.note and one.pin.verdict is not PinVerdict.DIFFERS:
            notes.setdefault((one.task, one.pin.note), []).append(one.split)
    for (task, note), names in notes.items():
        _line(f"  {escape(task)} {escape(', '.join(names))}: {escape(note)}")
    for one in splits:
        for line in _few(f"{name}: {why}" for name, why in one.left_out.items()):
            _line(f"  {escape(one.task)} {escape(one.split)} leaves out {escape(line)}")


def _images(checks: "Sequence[ImagesCheck]") -> None:
    without = [one.task for one in checks if not one.there and not one.unsized]
    if without:
        _line(f"  no images came with {', '.join(without)}; grading needs none")
    for one in checks:
        if not one.there and one.unsized:
            _line(
                f"  no images came with {one.task}, and nothing else says how large they are:"
                " answers in pixels can be graded, others can't"
            )
        if one.there and not one.faults:
            _line(
                f"  {escape(one.task)} {escape(one.split)}: every image is there and can be shown"
            )


def _wrong(found: "DataCheck") -> None:
    lines = [
        f"{where(fault.file, fault.line, fault.field)}{fault.message} ({', '.join(fault.tasks)})"
        for fault in found.faults
    ]
    lines += [f"{one.task} {one.split}: {one.pin.note}" for one in found.differs]
    if found.origin:
        lines += _few(f"{path} {what}" for path, what in found.origin.changed.items())
        lines += _few(
            f"{path} is a part: the fetch was interrupted, run it again"
            for path in found.origin.unfinished
        )
    for one in found.images:
        lines += _few(
            f"{one.task}, {fault.item}, image {fault.image!r}: {fault.problem}; {fault.message}"
            f" ({fault.file})"
            for fault in one.faults
        )
    for line in lines:
        _err.print(f"  {line}", markup=False, soft_wrap=True, style="red")
    if found.fine:
        known = all(one.pin.verdict is not PinVerdict.UNKNOWN for one in found.splits)
        _line("  nothing is wrong with it" if known else "  it loads; it is no known release")


def _few(lines: Iterable[str]) -> list[str]:
    given = list(lines)
    more = [f"and {len(given) - _FEW:,} more; --json lists all"] if len(given) > _FEW else []
    return given[:_FEW] + more


@contextmanager
def _status() -> Generator[Callable[[str], None] | None]:
    """Show what is looked at, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with _err.status("") as status:
        yield status.update


def _line(text: str) -> None:
    _out.print(text, soft_wrap=True)
