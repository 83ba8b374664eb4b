"""Streaming readers of submissions from files and objects, which report every fault.

`read` takes a path, a list, an iterator or a frame, and yields batches of columns. A bad record
does not affect others: it becomes a problem with its location, and reading continues. Only a source
that can't be trusted as a whole (a missing file, a truncated parquet file, no data) raises.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from pydantic import BaseModel

from snellen.grading.errors import SubmissionError, UnknownNameError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import Submission
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.columns import check_columns
from snellen.sdk.submissions.files import display, is_submission, require_file
from snellen.sdk.submissions.records import add_record
from snellen.sdk.submissions.trajectories import GradedTask
from snellen.sdk.values import kind_of

if TYPE_CHECKING:
    from snellen.sdk.submissions.known import Known

__all__ = ["Batch", "Frame", "GradedTask", "Source", "read"]


class Frame(Protocol):
    """A pandas or polars DataFrame, for the type checker."""

    @property
    def columns(self) -> object:
        """The names of the columns."""
        ...


Source: TypeAlias = (
    str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Iterable[Submission] | Frame
)
"""Where submissions are."""

_READERS = {
    ".jsonl": "jsonl.read_jsonl",
    ".ndjson": "jsonl.read_jsonl",
    ".jsonl.gz": "jsonl.read_jsonl",
    ".ndjson.gz": "jsonl.read_jsonl",
    ".json": "document.read_document",
    ".csv": "spreadsheet.read_csv",
    ".tsv": "spreadsheet.read_csv",
    ".parquet": "frames.read_parquet",
}
"""The reader of each ending: a module of this package, imported for its first file."""


def read(
    source: Source,
    *,
    columns: Mapping[str, str] | None = None,
    guess: bool = True,
    max_response_chars: int = 1_048_576,
    chunk: int = 16_384,
    recorded: GradedTask | None = None,
    known: "Callable[[], Known] | None" = None,
    answer: str | None = None,
    most_bad: int | None = None,
    task: str | None = None,
) -> Iterator[Batch]:
    """Read submissions, batch by batch.

    Args:
        source: One of

            - a path: `.jsonl` or `.ndjson` (also `.gz`): one submission a line; `.json`: an array
              of submissions, an object that has one as `submissions`, or a saved report; `.csv`,
              `.tsv` or `.parquet` with the columns item_id, response and, if wanted, attempt,
              model and error;
            - `-`: JSONL from standard input;
            - a list or any other iterable of dicts or Submissions, taken lazily;
            - a pandas or polars DataFrame, or anything else that exports an Arrow stream.
        columns: Names in the source, mapped to fields: `{"prediction": "response"}`.
        guess: Whether missing fields item_id and response may be recognized by a usual name
            (`snellen.sdk.submissions.columns.USUAL`). The header or the first record decides, and
            the first batch's `notices` report it. If two names fit, none is used.
        max_response_chars: A longer response is replaced by `TOO_LONG`. A text counts by its
            characters, any other JSON by those of its compact JSON.
        chunk: The maximum number of submissions of a batch.
        recorded: The graded task and split, if a record can be an episode of steps
            (`snellen.sdk.submissions.trajectories`), which becomes one submission per step.
        known: The graded items, if a path may name results that another script stored
            (`snellen.sdk.submissions.kinds`), whose rows are joined to them.
        answer: Which answer of such a row counts: `raw`, the model's text, or `parsed`, what the
            script read in it; None: the parsed one where there is one.
        most_bad: The number of bad rows, without a good one before, that end the reading with an
            error; None: all rows are read.
        task: The graded task: rows whose field `task` names another are left out.

    Yields:
        Batches in the order of the source. Absent, null and empty fields mean the same for attempt
        (0), error and model (None).

    Raises:
        SubmissionError: There is no such file, its format is unknown, it can't be trusted as a
            whole, or no submission could be read.
        MissingExtraError: Parquet without pyarrow.
        ValueError: A limit is out of range.

    Examples:
        >>> (batch,) = read([{"item_id": "test/0/0", "response": "7"}, {"item_id": 5}])
        >>> batch.item_ids, batch.responses
        (['test/0/0'], ['7'])
        >>> batch.problems[0].kind.value, batch.problems[0].line, batch.problems[0].field
        ('wrong type', 2, 'item_id')
    """
    if chunk < 1 or max_response_chars < 0:
        raise ValueError("chunk must be at least 1 and max_response_chars at least 0")
    check_columns(columns or {})
    if answer not in (None, "raw", "parsed"):
        raise UnknownNameError("answer of a stored result", str(answer), ("raw", "parsed"))
    limits = Limits(
        chunk, max_response_chars, columns or {}, guess, recorded, known, answer, most_bad, task
    )
    if isinstance(source, str | os.PathLike):
        return _read_path(os.fsdecode(source), limits)

    if isinstance(source, list | tuple):
        return _stored_rows(source, limits) or read_rows(source, limits)
    from snellen.sdk.submissions.frames import read_frame

    return read_frame(source, limits) or read_rows(source, limits)


def _read_path(path: str, limits: Limits) -> Iterator[Batch]:
    if path == "-":
        from snellen.sdk.submissions.jsonl import read_stdin

        return read_stdin(limits)
    stored = _stored(path, limits)
    if stored is not None:
        return stored
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    ending = "".join(suffixes[-2:] if suffixes[-1:] == [".gz"] else suffixes[-1:])
    require_file(path)
    if ending not in _READERS:
        raise SubmissionError(
            f"submissions can't be read from a file that ends in {ending!r};"
            f" known: {', '.join(_READERS)}",
            file=display(path),
        )
    module, _, name = _READERS[ending].partition(".")
    reader = getattr(import_module(f"{__name__}.{module}"), name)
    return reader(path, limits)


def _stored(path: str, limits: Limits) -> Iterator[Batch] | None:
    """Read what another script stored; None for submissions, which need no second look."""
    if limits.known is None or "item_id" in limits.columns.values():
        return None
    if is_submission(path):
        return None
    return import_module(f"{__name__}.results").read_results(path, limits)


def _stored_rows(rows: Sequence[object], limits: Limits) -> Iterator[Batch] | None:
    first = rows[0] if rows else None
    if limits.known is None or not isinstance(first, Mapping) or "item_id" in first:
        return None
    return import_module(f"{__name__}.results").read_listed(rows, limits)


def read_rows(source: object, limits: Limits) -> Iterator[Batch]:
    """Read an iterable, row by row.

    Raises:
        SubmissionError: It is not iterable, or is one submission and not several.
    """
    if isinstance(source, Mapping | BaseModel):
        raise SubmissionError(
            f"{kind_of(cast('object', source))} is not a list of submissions; put it into one"
        )
    if isinstance(source, bytes | bytearray | memoryview) or not isinstance(source, Iterable):
        raise SubmissionError(
            f"submissions can't be read from {kind_of(cast('object', source))}; give a path,"
            " a list of dicts or Submissions, or a frame"
        )
    return _read(cast("Iterable[object]", source), limits)


def _read(rows: Iterable[object], limits: Limits) -> Iterator[Batch]:
    collector = Collector(limits)
    for line, row in enumerate(rows, 1):
        if isinstance(row, Submission):
            add_record(collector, _record(row), line)
        elif isinstance(row, Mapping):
            add_record(collector, cast("Mapping[str, Any]", row), line)
        else:
            collector.fault(
                ProblemKind.WRONG_TYPE,
                f"a submission must be a dict or a Submission, not {kind_of(row)}; it was skipped",
                line,
            )
        if line % limits.chunk == 0:
            yield from collector.ready()
    yield from collector.rest()


def _record(submission: Submission) -> dict[str, Any]:
    """Return the fields; a response that was never set stays absent."""
    record: dict[str, Any] = {
        "item_id": submission.item_id,
        "attempt": submission.attempt,
        "model": submission.model,
        "error": submission.error,
    }
    if "response" in submission.model_fields_set:
        record["response"] = submission.response
    return record
