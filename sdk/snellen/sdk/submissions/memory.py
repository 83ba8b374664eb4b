"""Submissions in memory: any iterable of dicts or Submissions, taken as it comes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import Submission
from snellen.sdk.submissions.batch import Batch, Collector, Limits
from snellen.sdk.submissions.records import add_record
from snellen.sdk.values import kind_of


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
