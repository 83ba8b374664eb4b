"""The commands about annotations: references that people check or make."""

import json as json_module
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from snellen.annotate.models import RaterReport
from snellen.cli import pack_output
from snellen.cli.options import Show, check_folder, item_ids
from snellen.cli.pack import NewFolder
from snellen.cli.places import default_store
from snellen.cli.plain import tell, write
from snellen.cli.serving import Key, Store, report_server_errors
from snellen.grading.errors import InputError
from snellen.grading.models.estimates import Estimate
from snellen.sdk.files import write_atomically

if TYPE_CHECKING:
    from snellen.annotate.rated import RatedTask
    from snellen.annotate.service import Annotations
    from snellen.server.store.tables.annotations import AnnotationRow
    from snellen.tasks.pack.read import Pack

group = typer.Typer(
    help="Let people check or create references: create, report, import, and write the new pack.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, typer.Argument(help="The annotation.")]
Source = Annotated[Path, typer.Argument(help="The pack's folder, or the exam file.")]
InTask = Annotated[
    str | None, typer.Option(help="Only this task; by default all.", show_default=False)
]


class _Opened(NamedTuple):
    """The annotations of a store, and the packs that they may be of."""

    annotations: "Annotations"
    packs: "Sequence[Pack]"

    def pack_of(self, row: "AnnotationRow") -> "Pack":
        """Return the pack of an annotation."""
        return self.annotations.packs[row.pack]

    def with_task(self, task: str | None) -> "Pack":
        """Return the pack that holds a task, or the only one."""
        if task is None and len(self.packs) > 1:
            tasks = [each for pack in self.packs for each in pack.index]
            raise InputError(f"the exam has several packs: give --task, one of {', '.join(tasks)}")
        return next((pack for pack in self.packs if task in pack.index), self.packs[0])


@contextmanager
def _opened(source: Path, store: str | None) -> Generator[_Opened]:
    from snellen.annotate.service import Annotations
    from snellen.server.exam.file import read_exam_file
    from snellen.server.store.schema import open_store
    from snellen.tasks.pack.read import open_pack

    with report_server_errors():
        folders, kept = [source], store
        if source.suffix == ".toml":
            file = read_exam_file(source)
            folders, kept = [Path(folder) for folder in file.packs], store or file.store
        packs = [open_pack(folder) for folder in folders]
        database = open_store(kept or default_store())
        try:
            yield _Opened(Annotations(packs, database), packs)
        finally:
            database.close()


@group.command()
def create(
    name: Annotated[str, typer.Argument(help="The name: lowercase letters, digits, dashes.")],
    source: Source,
    task: InTask = None,
    mode: Annotated[
        str,
        typer.Option(
            help="check: compare answers with the references; make: create references "
            "from the answers. Raters see the same pages."
        ),
    ] = "check",
    raters: Annotated[int, typer.Option(help="Raters per item.", min=1)] = 2,
    items: Annotated[
        Path | None,
        typer.Option(
            help="A file of item ids, one per line; by default all items.", show_default=False
        ),
    ] = None,
    elements: Annotated[
        Path | None,
        typer.Option(
            help="The boxes to choose from: a file of JSON lines, or a build folder.",
            show_default=False,
        ),
    ] = None,
    note: Annotated[str, typer.Option(help="A note for the raters.")] = "",
    add: Annotated[
        bool,
        typer.Option(
            "--add",
            help="Instead: add a rater to each item of this annotation on which raters disagree "
            "with the reference or each other.",
        ),
    ] = False,
    key: Key = None,
    store: Store = None,
) -> None:
    """Create an annotation of a pack's items; raters answer them at /annotate of the server."""
    from snellen.annotate.boxes import Boxes, read_elements
    from snellen.annotate.service import AnnotationPlan
    from snellen.server.store.tables.annotations import AnnotationMode

    with _opened(source, store) as opened:
        if add:
            if (task, mode, raters, items, elements, note) != (None, "check", 2, None, None, ""):
                raise InputError("--add accepts only --key and --store: the annotation exists")
            _extend(opened, name, key)
            return
        if mode not in list(AnnotationMode):
            raise InputError(f"unknown mode {mode!r}; choose one of: {', '.join(AnnotationMode)}")
        pack = opened.with_task(task)
        tasks = tuple(pack.index) if task is None else (pack.task(task).task,)
        boxes: Boxes = {} if elements is None else read_elements(elements, pack, tasks)
        chosen_items = item_ids(items)
        ids = None if chosen_items is None else list(chosen_items)
        plan = AnnotationPlan(name, pack, tasks, ids, AnnotationMode(mode), raters, note, boxes)
        count = opened.annotations.create(plan)
        chosen = f", {len(boxes)} with elements to choose from" if boxes else ""
        tell(f"{name}: {count} items of {pack.name} for {raters} raters each{chosen}")


@group.command()
def report(
    name: Annotated[
        str,
        typer.Argument(
            help="The annotation; SOURCE alone lists all annotations with their progress."
        ),
    ],
    source: Annotated[
        Path | None,
        typer.Argument(help="The pack's folder, or the exam file.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Instead: write all raters' answers to this file, one per line, in the format of "
            "`snellen.annotate.rate`.",
            show_default=False,
        ),
    ] = None,
    show: Show = 20,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, a list of tasks.")] = False,
    key: Key = None,
    store: Store = None,
) -> None:
    """Report human scores, agreement, and references that are probably wrong.

    No reference and no answer is printed. Answers may be correct: keep the file of --output as
    private as the references.
    """
    if source is None:
        with _opened(Path(name), store) as opened:
            if json or output is not None:
                raise InputError("--json and --output need the name of an annotation")
            _print_progress(opened)
        return
    with _opened(source, store) as opened:
        if output is not None:
            answers = opened.annotations.answers(name)
            _write_private(output, [answer.model_dump_json() + "\n" for answer in answers])
            tell(f"wrote {len(answers)} answers to {output}")
            return
        rated = _rated(opened, name, key)
        if json:
            said = [each.report.model_dump(mode="json") for each in rated]
            write(json_module.dumps(said, indent=2) + "\n")
            return
        for each in rated:
            write(_text(each.report, show))


@group.command()
def close(
    name: Name,
    source: Source,
    again: Annotated[bool, typer.Option("--open", help="Reopen it.")] = False,
    store: Store = None,
) -> None:
    """Close an annotation: no more answers or corrections are accepted."""
    with _opened(source, store) as opened:
        opened.annotations.close(name, closed=not again)
        tell(f"{name} is {'open' if again else 'closed'}")


@group.command("import")
def import_answers(
    name: Name,
    source: Source,
    file: Annotated[
        Path,
        typer.Argument(help="Potato's output folder, or Label Studio's JSON export."),
    ],
    program: Annotated[str, typer.Option("--from", help="The program: potato or label-studio.")],
    task: InTask = None,
    field: Annotated[
        str | None,
        typer.Option(
            help="The schema or control with the answer; optional if there is only one.",
            show_default=False,
        ),
    ] = None,
    id_key: Annotated[
        str, typer.Option(help="The field of the item's id in Label Studio's data.")
    ] = "item_id",
    store: Store = None,
) -> None:
    """Import raters' answers from Potato 2 or Label Studio, all or none.

    A rater with the name of a token's owner counts as the same rater.
    """
    from snellen.annotate.imports import (
        LABEL_STUDIO,
        POTATO,
        SOURCES,
        read_label_studio,
        read_potato,
    )

    with _opened(source, store) as opened:
        row = opened.annotations.named(name)
        pack = opened.pack_of(row)
        tasks = {place.task for place in opened.annotations.places(name)}
        if task is None and len(tasks) > 1:
            raise InputError(
                f"the annotation has several tasks: give --task, one of {sorted(tasks)}"
            )
        chosen = task or next(iter(tasks))
        match program:
            case _ if program == POTATO:
                read = read_potato(file, pack, chosen, field)
            case _ if program == LABEL_STUDIO:
                read = read_label_studio(file, pack, chosen, field, id_key)
            case _:
                raise InputError(
                    f"unknown program {program!r}; choose one of: {', '.join(SOURCES)}"
                )
        count = opened.annotations.take_over(name, read)
        names = len({answer.rater for answer in read})
        tell(f"{name}: {len(read)} answers of {names} raters, {count} of them new or corrected")


@group.command("pack")
def make_pack(
    name: Name,
    source: Source,
    output: NewFolder,
    raters: Annotated[
        int, typer.Option(help="Number of raters who must agree on a reference.", min=1)
    ] = 2,
    probability: Annotated[
        float,
        typer.Option(
            help="Minimum probability that a reference is wrong, to replace it.",
            min=0,
            max=1,
        ),
    ] = 0.5,
    key: Key = None,
    store: Store = None,
) -> None:
    """Write a new pack with references that raters confirmed, and their corrections.

    The corrections are OUTPUT-corrections.jsonl, for --corrections; they contain references. Items
    and images do not change; sealed references are sealed again.
    """
    from snellen.annotate.confirm import confirmed, write_confirmed
    from snellen.server.store.tables.annotations import AnnotationMode
    from snellen.tasks.corrections.overlay import corrections_text
    from snellen.tasks.pack import seal

    with _opened(source, store) as opened:
        row = opened.annotations.named(name)
        pack = opened.pack_of(row)
        rated = _rated(opened, name, key)
        given = opened.annotations.answers(name)
        found = [
            one
            for each in rated
            for one in confirmed(each.data, each.report, given, raters=raters, least=probability)
        ]
        made = row.mode is AnnotationMode.MAKE
        tasks = sorted({place.task for place in opened.annotations.places(name)}) if made else ()
        listed = output.with_name(f"{output.name}-corrections.jsonl")
        check_folder(listed)
        secret = seal.find_key(key, pack=pack.folder)
        with pack_output.bar("copying", len(pack.lines)) as watch:
            manifest, changed = write_confirmed(
                pack, found, output, made=tasks, key=secret, watch=watch
            )
        _write_private(listed, [corrections_text(changed)])
        pack_output.made(manifest, output)
        tell(f"{len(changed)} references are new; {listed} has them, and is as secret as they are")


def _print_progress(opened: _Opened) -> None:
    for row in opened.annotations.listed():
        count = len(opened.annotations.places(row.name))
        left = opened.annotations.unfinished(row.name)
        state = "open" if row.closed is None else f"closed {_day(row.closed)}"
        write(f"{row.name}  {row.mode}  {count} items, {left} wait for raters  {state}\n")


def _extend(opened: _Opened, name: str, key: Path | None) -> None:
    rated = _rated(opened, name, key)
    places = [(each.data.task, item.item_id) for each in rated for item in each.report.disputed]
    count = opened.annotations.extend(name, places)
    tell(f"{name}: one more rater is asked for {count} of {len(places)} disputed items")


def _rated(opened: _Opened, name: str, key: Path | None) -> "Sequence[RatedTask]":
    from snellen.annotate.rated import rated_tasks
    from snellen.tasks.pack import seal

    row = opened.annotations.named(name)
    pack = opened.pack_of(row)
    rated = rated_tasks(
        pack, seal.find_key(key, pack=pack.folder), row.mode, opened.annotations.answers(name)
    )
    if not rated:
        raise InputError(f"the annotation {name} has no answers yet")
    return rated


def _text(report: RaterReport, most: int) -> str:
    lines = [
        f"{report.task}, {report.protocol}: {report.items} items, {report.answers} answers,"
        f" {report.skipped} skipped"
    ]
    if report.unjudged:
        lines.append(f"  {report.unjudged} answers could not be graded, and are left out")
    lines.append(f"  human ceiling     {_estimate(report.ceiling)}  {report.metric}")
    lines.append(f"  raters agree      {_estimate(report.agreement)}  {report.metric}")
    if report.right is not None:
        lines.append(f"  references right  {100 * report.right:.1f} % by the model")
    for card in report.raters:
        sure = "" if card.accuracy is None else f", accuracy {card.accuracy:.2f}"
        lines.append(
            f"  {card.rater}: {card.answers} answers, {card.skipped} skipped,"
            f" {_estimate(card.ceiling)}{sure}"
        )
    suspects = report.suspects()
    lines.append(
        f"  {len(suspects)} references are probably wrong, {len(report.disputed)} items disputed"
    )
    lines += [
        f"    {item.wrong:.3f}  {item.item_id}: {sum(map(len, item.others))} against it, at most"
        f" {max(map(len, item.others), default=0)} for one answer, {len(item.agree)} for it"
        for item in suspects[:most]
    ]
    return "".join(f"{line}\n" for line in lines)


def _estimate(found: Estimate | None) -> str:
    if found is None:
        return "not known"
    shown = f"{100 * found.value:.1f} %"
    if found.interval is None:
        return shown
    return f"{shown} ({100 * found.interval.low:.1f} to {100 * found.interval.high:.1f})"


def _write_private(path: Path, lines: Sequence[str]) -> None:
    # Before the first byte is in it: what is moved over it keeps its own rights.
    before = os.umask(0o077)
    try:
        write_atomically(path, [line.encode() for line in lines])
    finally:
        os.umask(before)


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")
