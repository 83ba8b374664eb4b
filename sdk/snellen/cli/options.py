"""What several commands share: their options, and how each ends."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from snellen.cli.listing import task_names
from snellen.grading.errors import InputError, UnknownNameError
from snellen.sdk.files import ENDINGS, PAGE, check_ending

if TYPE_CHECKING:
    from snellen.grading.metrics.code import CodeExecutor
    from snellen.sdk.inputs.samples import Sample

PROBLEMS = 1


def protocol_names(context: typer.Context, incomplete: str) -> list[str]:
    """Complete a protocol of the task given before it."""
    from snellen.grading.protocols.table import PROTOCOLS

    known = PROTOCOLS.get(str(context.params.get("task")), ())
    return [protocol.id for protocol in known if protocol.id.startswith(incomplete)]


Answers = Annotated[
    str,
    typer.Argument(
        help="A file of answers: JSONL, JSON, CSV or parquet; - reads JSONL from standard input."
    ),
]
Task = Annotated[
    str,
    typer.Option(
        help="The task, such as screenqa/short.", autocompletion=task_names, show_default=False
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="The benchmark's published folder or file, or an included exam's name.",
        show_default=False,
    ),
]
References = Annotated[
    Path | None,
    typer.Option(
        help="Instead of --data: a JSON object from item ids to references.", show_default=False
    ),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        help="The protocol, the rules from an answer to a score; by default the task's first one.",
        autocompletion=protocol_names,
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(help="The split of the data; by default test, if it exists.", show_default=False),
]
Items = Annotated[
    Path | None,
    typer.Option(
        help="Grade only these items: a file of item ids, one per line, or a sample that"
        " `sdk.stratify` drew.",
        show_default=False,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="The name of a field in the answers: prediction=response; may be repeated.",
        metavar="COLUMN=FIELD",
        show_default=False,
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="For text similarity: char-ngram, or a package or folder with a sentence model.",
        show_default=False,
    ),
]
RunCode = Annotated[
    bool,
    typer.Option(
        "--run-code",
        help="Run the programs in answers, each isolated as far as this machine can.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="The format of the answers that declare none, such as qwen3-vl: actions and points.",
        show_default=False,
    ),
]
Space = Annotated[
    str | None,
    typer.Option(
        "--space",
        help="The unit of their coordinates: unit, pixels, thousand or view; auto: the space"
        " that the coordinate audit finds, if this space alone explains the answers.",
        show_default=False,
    ),
]
Answer = Annotated[
    str | None,
    typer.Option(
        "--answer",
        help="For another script's results: raw, the model's text; parsed, the script's answer.",
        metavar="raw|parsed",
        show_default=False,
    ),
]
View = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="W,H",
        help="The size in pixels of the image that the model saw, for --space view.",
        show_default=False,
    ),
]
Corrections = Annotated[
    str | None,
    typer.Option(
        "--corrections",
        help="Corrections of the references: a name, such as known-1, or a file.",
        metavar="NAME|FILE",
        show_default=False,
    ),
]
Images = Annotated[
    Path | None,
    typer.Option(help="A folder of screenshots, if the data has none.", show_default=False),
]
WithReferences = Annotated[
    bool, typer.Option("--with-references", help="For an HTML page: include the references.")
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        help="Save the report: .json, .csv, .md or .html; may be repeated.",
        show_default=False,
    ),
]
Least = Annotated[
    int, typer.Option(help="With --by: show no number in cells with fewer items.", min=1)
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON, without scores.")]
Tags = Annotated[
    Path | None,
    typer.Option(
        help="Additional tags for the items: CSV, TSV or JSONL, joined by item_id or"
        " an existing tag.",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="The tag whose values are independent groups, for intervals; item: no groups.",
        show_default=False,
    ),
]
Show = Annotated[
    int, typer.Option(help="Maximum number of examples to print, for each table.", min=0)
]
By = Annotated[
    list[str] | None,
    typer.Option(
        help="Print the primary metric by this tag (a,b crosses two); may be repeated.",
        show_default=False,
    ),
]


def tag_names(asked: str) -> list[str]:
    """Split what --by names into tags."""
    return [name.strip() for name in asked.split(",")]


def check_tags(by: list[str] | None, tags: Mapping[str, object]) -> None:
    """Refuse before any work a tag that the items do not have."""
    for asked in by or ():
        for name in tag_names(asked):
            if name not in tags:
                raise UnknownNameError("tag of these items", name, tags)


def check(output: list[Path] | None, *, with_references: bool = False) -> None:
    """Refuse before any work what could not be saved after it."""
    if with_references and not any(path.suffix.lower() == PAGE for path in output or ()):
        raise InputError(f"--with-references needs a page: add -o NAME{PAGE}")
    for path in output or ():
        page = check_ending(path, ENDINGS, "a report") == PAGE
        if page and with_references:
            from snellen.grading.report.html import ready

            ready()
        check_folder(path)


def check_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there."""
    if not path.absolute().parent.is_dir():
        raise InputError("the folder to save it in does not exist", file=str(path))


def settings_of(given: list[str] | None, known: Mapping[str, Any]) -> dict[str, Any]:
    """Read what --set names: the value of each setting, as its type in `known`; none is None.

    Raises:
        InputError: One is no KEY=VALUE, has an unknown key, or its value has another type.
    """
    from pydantic import TypeAdapter, ValidationError

    found: dict[str, Any] = {}
    for pair in given or ():
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"--set takes KEY=VALUE, not {pair!r}; KEY: {', '.join(known)}")
        if name not in known:
            raise UnknownNameError("setting of --set", name, known)
        adapter = TypeAdapter(known[name])
        try:
            if text.lower() == "none":
                found[name] = adapter.validate_python(None)
            elif text[:1] in ("{", "["):
                found[name] = adapter.validate_json(text)
            else:
                found[name] = adapter.validate_strings(text)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise InputError(f"--set {name}={text}: {reason}") from None
    return found


def columns_of(given: list[str] | None) -> dict[str, str] | None:
    """Split what --map names into columns and fields.

    Raises:
        InputError: One is no COLUMN=FIELD.
    """
    pairs = [one.rpartition("=") for one in given or ()]
    for name, _, field in pairs:
        if not (name and field):
            raise InputError(
                f"--map takes COLUMN=FIELD, such as prediction=response, not {name or field!r}"
            )
    return {name: field for name, _, field in pairs} or None


def executor_of(*, run_code: bool) -> "CodeExecutor | None":
    """Return what runs programs, where the user allowed it."""
    if not run_code:
        return None
    from snellen.tasks.sandbox import SandboxExecutor

    return SandboxExecutor(allow=True)


def item_ids(path: Path | None) -> "list[str] | Sample | None":
    """Read a file of item ids, one a line, or a sample."""
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
        if text.lstrip().startswith("{"):
            from snellen.sdk.inputs.samples import load_sample

            return load_sample(path)
        lines = text.splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"can't read the item ids: {reason}", file=str(path)) from error
    return [line.strip() for line in lines if line.strip()]


def asked_ids(
    ids: Sequence[str], items: Path | None, sample_id: str | None, limit: str | None
) -> "list[str] | Sample | None":
    """Return the items that are asked for, as Inspect AI's options name them; None: all.

    Args:
        ids: The items of the data, in order.
        items: As for `item_ids`.
        sample_id: Ids, with commas between them.
        limit: How many of them, or the first and the last, counted from 1: `10`, `11-20`.

    Raises:
        InputError: Both items and sample_id are given, or the limit is none.
    """
    if items is not None and sample_id is not None:
        raise InputError("--items and --sample-id exclude one another")
    found = item_ids(items) if sample_id is None else [one.strip() for one in sample_id.split(",")]
    if limit is None:
        return found
    first, dash, last = limit.partition("-")
    try:
        start, end = (int(first), int(last)) if dash else (1, int(first))
    except ValueError:
        start, end = 0, 0
    if not 0 < start <= end:
        raise InputError(f"--limit is a number or a range such as 11-20, not {limit!r}")
    if found is not None and not isinstance(found, list):
        raise InputError("a sample allows no --limit: it is what is asked for")
    return list(ids if found is None else found)[start - 1 : end]


def view_of(text: str | None) -> tuple[float, float] | None:
    """Read `W,H`; None for nothing.

    Raises:
        InputError: It is no size.
    """
    if text is None:
        return None
    try:
        width, height = map(float, text.lower().replace("x", ",").split(","))
    except ValueError:
        raise InputError(f"--view is W,H in pixels, such as 1280,720, not {text!r}") from None
    return width, height
