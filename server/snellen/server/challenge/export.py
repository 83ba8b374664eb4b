"""The export of a leaderboard: its data, so that anyone can reproduce it."""

import json
import zlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar, cast

import msgspec
import numpy as np
from msgspec import Raw

from snellen.grading.errors import DataError, MetricError, UnknownNameError
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.models.base import NO_JSON
from snellen.grading.protocols.table import protocol_of
from snellen.grading.stats.summary import estimate
from snellen.server.challenge.board import BoardData, episodes_of, groups_of, make_board, values_of
from snellen.server.challenge.models import EventCard
from snellen.server.store.tables.endpoint import GradingRow, ScoreValues, SubmissionRow
from snellen.tasks.hosted import Board, Counts, Source

FORMAT = 1
_NEAR = 1e-9
R = TypeVar("R")
S = TypeVar("S", bound=msgspec.Struct)


class ExportedGrading(msgspec.Struct, forbid_unknown_fields=True):
    """The grading of the submissions."""

    id: int
    phase: str
    references: str
    protocols: dict[str, str]
    snellen: str
    at: int
    why: str
    shown: int | None


class ExportedSubmission(msgspec.Struct, forbid_unknown_fields=True):
    """A graded submission; removed ones are included."""

    id: str
    phase: str
    caller: str
    source: str
    attempt: int | None
    task: str | None
    name: str
    link: str
    form: str
    digest: str
    size: int
    at: int
    day: str
    cost: dict[str, Any]
    conditions: str
    baseline: bool
    removed: str | None
    chosen: int | None = None


class ExportedScore(msgspec.Struct, forbid_unknown_fields=True):
    """A submission's score on a task, item by item.

    Attributes:
        item_values: Each item's value in the pack's order.
        item_groups: The number of each item's independent group.
        item_episodes: The items' successes, costs and limits, attempt by attempt; None without EQA.
    """

    submission: str
    grading: int
    task: str
    part: str
    metric: str
    value: float
    low: float | None
    high: float | None
    items: int
    outcomes: dict[str, int]
    signature: str
    item_values: list[float]
    item_groups: list[int]
    metrics: dict[str, float] = {}
    measures: dict[str, Any] = {}
    item_episodes: list[list[list[float]]] | None = None


class Export(msgspec.Struct, forbid_unknown_fields=True):
    """An export.

    Attributes:
        format: The version of this layout.
        board: The leaderboard, as it was sent.
        counts: The submissions of a participant that are on it.
        grading: The grading of the submissions.
        regrading: Whether a newer grading was in progress.
        submissions: The graded submissions.
        scores: Their scores.
        events: Removals, restorations and rescorings, with times and reasons.
        public: The mean of a submission's scores on the public part of the items, which chooses.
    """

    format: int
    board: Raw
    counts: Counts
    grading: ExportedGrading
    regrading: bool
    submissions: list[ExportedSubmission]
    scores: list[ExportedScore]
    events: list[Any]
    public: dict[str, float] = {}


def export_json(
    board: bytes, data: BoardData, counts: Counts, events: Sequence[EventCard]
) -> bytes:
    """Write an export.

    Args:
        board: The leaderboard as JSON.
        data: Its data.
        counts: The submissions of a participant that are on it.
        events: The event log of the phase.
    """
    made = Export(
        format=FORMAT,
        board=Raw(board),
        counts=counts,
        grading=_like(
            ExportedGrading,
            data.grading,
            references=data.grading.references.hex(),
            protocols=json.loads(data.grading.protocols),
        ),
        regrading=data.regrading,
        submissions=[
            _like(ExportedSubmission, row, digest=row.digest.hex(), cost=json.loads(row.cost))
            for row in data.submissions
        ],
        # Each is encoded by itself: one call for millions of values would stop all other threads.
        scores=cast(
            list[ExportedScore], [Raw(msgspec.json.encode(_exported(row))) for row in data.scores]
        ),
        events=[event.model_dump(mode="json") for event in events],
        public=dict(data.public),
    )
    return msgspec.json.encode(made)


def _exported(row: ScoreValues) -> ExportedScore:
    episodes = episodes_of(row)
    return _like(
        ExportedScore,
        row,
        outcomes=json.loads(row.outcomes),
        metrics=json.loads(row.metrics),
        measures=json.loads(row.measures or "{}"),
        item_values=values_of(row).tolist(),
        item_groups=groups_of(row).tolist(),
        item_episodes=None if episodes is None else episodes.tolist(),
    )


def verify_export(body: bytes) -> tuple[Board, Sequence[str]]:
    """Reproduce the leaderboard of an export; return it, and the differences from the export.

    Each value, interval and EQA is computed again from its items, and the leaderboard, byte by
    byte, from the values.

    Raises:
        DataError: It is not an export of a leaderboard, or is of another version.
    """
    try:
        read = msgspec.json.decode(body, type=Export)
        board = Board.model_validate_json(bytes(read.board))
    except (*NO_JSON, ValueError) as error:
        raise DataError(f"it is not an export of a leaderboard: {error}") from None
    if read.format != FORMAT:
        raise DataError(f"it has the format {read.format}; this version reads {FORMAT}")
    protocols = read.grading.protocols
    found = [
        line
        for score in read.scores
        for line in (*_differences(score), *_eqa_apart(score, protocols.get(score.task)))
    ]
    again = make_board(_data(read), board.exam, board.phase, board.tasks, board.part, read.counts)
    if again.model_dump_json().encode() != bytes(read.board):
        found.extend(_rows_apart(board, again))
    return again, found


def _data(read: Export) -> BoardData:
    return BoardData(
        grading=_row(
            GradingRow,
            read.grading,
            references=bytes.fromhex(read.grading.references),
            protocols=json.dumps(read.grading.protocols),
        ),
        regrading=read.regrading,
        submissions=[
            _row(
                SubmissionRow,
                row,
                source=Source(row.source),
                digest=bytes.fromhex(row.digest),
                cost=json.dumps(row.cost),
            )
            for row in read.submissions
        ],
        scores=[
            _row(
                ScoreValues,
                row,
                outcomes=json.dumps(row.outcomes),
                metrics=json.dumps(row.metrics),
                measures=json.dumps(row.measures),
                item_values=zlib.compress(np.array(row.item_values, "<f8").tobytes()),
                item_groups=zlib.compress(np.array(row.item_groups, "<i4").tobytes()),
                item_episodes=None,
            )
            for row in read.scores
        ],
        public=read.public,
    )


def _differences(score: ExportedScore) -> list[str]:
    """Return the contradictions between a score and its items."""
    name = f"{score.submission}, {score.task}"
    if not len(score.item_values) == len(score.item_groups) == score.items > 0:
        return [f"{name}: it says {score.items} items and has {len(score.item_values)}"]
    made = estimate(score.item_values, score.item_groups)
    said = {"value": score.value, "low": score.low, "high": score.high}
    low, high = (made.interval.low, made.interval.high) if made.interval else (None, None)
    again: Mapping[str, float | None] = {"value": made.value, "low": low, "high": high}
    return [
        f"{name}: {key} is {value}, and its items make {again[key]}"
        for key, value in said.items()
        if not _near(value, again[key])
    ]


def _eqa_apart(score: ExportedScore, protocol: str | None) -> list[str]:
    """Return the contradictions between an EQA and its episodes."""
    if "eqa" not in score.metrics:
        return []
    name = f"{score.submission}, {score.task}"
    try:
        area = protocol_of(score.task, protocol and protocol.partition("@")[0]).metric.area
        if area is None:
            return []
        if not score.item_episodes:
            return [f"{name}: its EQA can't be made again: the export has no steps of its items"]
        attempts = [
            [Episode(*episode) for episode in zip(*columns, strict=True)]
            for columns in score.item_episodes
        ]
        made = fmean(map(area, attempts))
        values = [
            fmean(float(episode.success) for episode in episodes)
            for episodes in zip(*attempts, strict=True)
        ]
    except (MetricError, UnknownNameError, TypeError, ValueError) as error:
        return [f"{name}: its EQA can't be made again: {error}"]
    found: list[str] = []
    if len(values) != len(score.item_values) or not all(map(_near, values, score.item_values)):
        found.append(f"{name}: its episodes have other values than its items")
    if not _near(score.metrics["eqa"], made):
        found.append(f"{name}: eqa is {score.metrics['eqa']}, and its episodes make {made}")
    return found


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < _NEAR


def _rows_apart(board: Board, again: Board) -> list[str]:
    said = {row.submission: row for row in board.rows}
    made = {row.submission: row for row in again.rows}
    found = [
        f"row {name}: the export's scores make another one"
        if name in said and name in made
        else f"row {name}: {'it has no scores' if name in said else 'the leaderboard lacks it'}"
        for name in {**said, **made}
        if said.get(name) != made.get(name)
    ]
    return found or ["the leaderboard's rows are in another order, or its head differs"]


def _like(kind: type[S], row: object, **changed: object) -> S:
    """Return a struct with a row's fields of the same names, some of them in another form."""
    names = [name for name in kind.__struct_fields__ if name not in changed]
    given: dict[str, Any] = {name: getattr(row, name) for name in names} | changed
    return kind(**given)


def _row(kind: type[R], struct: msgspec.Struct, **changed: object) -> R:
    """Return a row with a struct's fields, some of them in the store's form."""
    given: dict[str, Any] = msgspec.structs.asdict(struct) | changed
    return kind(**given)
