"""Reading back a report that was saved as JSON."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from pydantic import ValidationError

from snellen.grading.errors import InputError
from snellen.grading.grade import CODES, Answers, Columns
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.grading.no_json import NO_JSON
from snellen.grading.score_table import ScoreTable
from snellen.sdk.reports import Report, attach


class _SavedScore(msgspec.Struct, frozen=True, gc=False):
    item_id: str
    attempt: int
    outcome: Outcome
    value: float
    metrics: dict[str, float]
    response: object = None
    model: str | None = None
    error: str | None = None
    note: str = ""
    crashed: bool = False


_TAGS = dict[str, list[str | None]]


def load_report(path: str | Path) -> Report:
    """Read back a report that `save` wrote as JSON, with its scores and tags.

    Raises:
        InputError: The file can't be read, is no saved report, or is damaged.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"can't read it: {error.strerror}", file=str(file)) from error
    report = parse_report(data, str(file))
    if report is None:
        raise InputError("it is no report that snellen saved as JSON", file=str(file))
    return report


def parse_report(data: bytes, file: str) -> Report | None:
    """Read a saved report's bytes; None when they are something else.

    Raises:
        InputError: It is a report, and damaged or of another version.
    """
    try:
        parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except NO_JSON:
        return None
    if not {"signature", "protocol", "scores"} <= parts.keys():
        return None
    raw_scores, raw_tags = parts.pop("scores"), parts.pop("tags", msgspec.Raw(b"{}"))
    try:
        report = Report.model_validate_json(msgspec.json.encode(parts))
        scores = msgspec.json.decode(raw_scores, type=list[_SavedScore] | None)
        tags = msgspec.json.decode(raw_tags, type=_TAGS)
    except (ValidationError, *NO_JSON) as error:
        raise InputError(f"the saved report is damaged: {error}", file=file) from error
    table = None if scores is None else _table(report, scores, file)
    for tag, column in tags.items():
        if table is not None and len(column) != len(table.ids):
            raise InputError(
                f"the saved report is damaged: {len(column)} values for {len(table.ids)} items",
                file=file,
                field=f"tags.{tag}",
            )
    return attach(report, table, None, tags)


def _table(report: Report, scores: Sequence[_SavedScore], file: str) -> ScoreTable:
    places: dict[str, int] = {}
    for score in scores:
        places.setdefault(score.item_id, len(places))
    attempts = tuple(sorted({score.attempt for score in scores})) or (0,)
    keys = tuple(report.estimates) or (report.primary,)
    cells = {(score.item_id, score.attempt) for score in scores}
    if len(cells) != len(scores) or len(scores) != report.items * report.attempts:
        raise InputError(
            f"the saved report is damaged: {report.items} items x {report.attempts} attempts,"
            f" but {len(cells)} different scores of {len(scores)}",
            file=file,
            field="scores",
        )
    try:
        values = np.array([[score.metrics[key] for key in keys] for score in scores])
    except KeyError as error:
        raise InputError(
            f"the saved report is damaged: a score lacks the metric {error}",
            file=file,
            field="scores",
        ) from error
    answers = Answers(
        items=np.array([places[score.item_id] for score in scores], dtype=np.int64),
        attempts=[score.attempt for score in scores],
        responses=[_response(score) for score in scores],
        errors=[score.error for score in scores],
        models=[score.model for score in scores],
    )
    columns = Columns(
        values=values,
        outcomes=np.array([CODES[score.outcome] for score in scores], dtype=np.uint8),
        crashed=np.array([score.crashed for score in scores], dtype=np.bool_),
        notes={row: score.note for row, score in enumerate(scores) if score.note},
    )
    return ScoreTable(keys, report.primary, list(places), attempts, [(answers, columns)])


def _response(score: _SavedScore) -> object:
    # A text over the limit is not saved; it must not turn into a missing response.
    cut = score.response is None and score.outcome is Outcome.UNPARSED
    return TOO_LONG if cut else score.response
