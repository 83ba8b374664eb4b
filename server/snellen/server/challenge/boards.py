"""Cached leaderboards, made again only after a change; submissions compared item by item."""

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import product
from threading import Lock
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from sqlalchemy import Connection

from snellen.grading.models.base import Closed
from snellen.grading.stats.means import mean_estimate
from snellen.server.challenge import queries
from snellen.server.challenge.board import BoardData, Hiding, groups_of, make_board, only, values_of
from snellen.server.challenge.export import export_json
from snellen.server.challenge.models import EventCard
from snellen.server.challenge.queries import Turn
from snellen.server.challenge.service import Challenge
from snellen.server.errors import ExamError, ForbiddenError, NotFoundError
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import ALL, PUBLIC, Visibility
from snellen.server.exam.rounding import digits_of
from snellen.server.exam.rules import Contexts
from snellen.server.exam.spec import ExamSpec
from snellen.server.store.tables.endpoint import ScoreRow
from snellen.tasks.hosted import Board, BoardPage, Source, Who
from snellen.tasks.io.rows import collector_paused

MOST_VALUES = 12
"""The maximum number of a tag's values; with more, the items per value are too few."""

MOST_ROWS = 5_000
"""The maximum number of rows of a page of a leaderboard."""

HELD_SCORES, HELD_MILLISECONDS = 500, 5_000
"""A leaderboard made of more scores than this is made again only after this time."""

_KEPT = 64
_KEPT_SCORES = 25_000
_KEPT_PAGES = 2
T = TypeVar("T")


class BoardJson(NamedTuple):
    """A page of a leaderboard as compact JSON in UTF-8, with its digest in quotation marks."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class CachedBoard:
    """A leaderboard that was made."""

    board: Board  # the leaderboard
    turn: Turn  # the version of its data
    at: int  # the time when its data was read
    scores: int  # the number of scores of which it was made
    _pages: OrderedDict[tuple[int, int], BoardJson] = field(
        default_factory=OrderedDict[tuple[int, int], BoardJson], repr=False
    )

    def kept_page(self, first: int, limit: int) -> BoardJson | None:
        """Return a page that was made before; None: it was not."""
        return self._pages.get((first, limit))

    def page(self, first: int, limit: int) -> BoardJson:
        """Return a page as JSON."""
        kept = self.kept_page(first, limit)
        if kept is None:
            total, last = len(self.board.rows), first + limit
            said = {name: getattr(self.board, name) for name in Board.model_fields}
            said |= {"rows": (), "total": total, "next": str(last) if last < total else None}
            head, tail = BoardPage(**said).model_dump_json().encode().split(b'"rows":[]')
            # Row by row: one call for thousands of rows would stop all other threads meanwhile.
            rows = b",".join(row.model_dump_json().encode() for row in self.board.rows[first:last])
            body = b'%b"rows":[%b]%b' % (head, rows, tail)
            kept = BoardJson(body, f'"{sha256(body).hexdigest()[:32]}"')
            self._pages[first, limit] = kept
            while len(self._pages) > _KEPT_PAGES:
                self._pages.popitem(last=False)
        return kept


class _Chance(msgspec.Struct):
    value: float


class _Numbers(msgspec.Struct):
    chance: _Chance | None = None


class _Report(msgspec.Struct):
    numbers: _Numbers


class _View(NamedTuple):
    """A leaderboard as a caller sees it."""

    phase: Phase
    task: str | None
    tag: str | None
    source: Source | None
    visible: Visibility

    @property
    def key(self) -> tuple[object, ...]:
        return (self.phase.name, *self[1:])


class Boards:
    """The leaderboards of a challenge.

    Args:
        challenge: The challenge.
    """

    def __init__(self, challenge: Challenge) -> None:
        self._challenge = challenge
        self._kept: OrderedDict[tuple[object, ...], CachedBoard] = OrderedDict()
        self._chances: dict[tuple[int, str], float | None] = {}
        # One at a time: a board of thousands of rows takes a second and 200 MB.
        self._making = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="snellen-boards")

    def board(
        self,
        phase: Phase,
        task: str | None = None,
        tag: str | None = None,
        source: Source | None = None,
        *,
        organizer: bool = False,
    ) -> CachedBoard:
        """Return a phase's leaderboard; it may take seconds to make, so not on an event loop.

        Args:
            phase: The phase.
            task: Its single task; None: the mean of all tasks.
            tag: A tag as `name=value`: only of its items; None: of all items.
            source: Only uploads, or only attempts over MCP; None: both.
            organizer: Whether the caller is an organizer, who always sees all items.

        Raises:
            ForbiddenError: The leaderboard is not visible.
            NotFoundError: There is no such task or tag.
        """
        return self._newest(self._view(phase, task, tag, source, organizer=organizer))

    async def board_off_loop(
        self,
        phase: Phase,
        task: str | None = None,
        tag: str | None = None,
        source: Source | None = None,
        *,
        organizer: bool = False,
    ) -> CachedBoard:
        """Return a phase's leaderboard without blocking the event loop; raises as `board`."""
        view = self._view(phase, task, tag, source, organizer=organizer)
        kept = await self._challenge.database.off_loop(lambda: self._unchanged(view))
        return kept or await self.off_loop(lambda: self._newest(view))

    async def off_loop(self, work: Callable[[], T]) -> T:
        """Run work on the thread of the leaderboards, one after another, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def page(self, kept: CachedBoard, first: int, limit: int) -> BoardJson:
        """Return a page of a leaderboard as JSON, without blocking the event loop."""
        page = kept.kept_page(first, limit)
        return page or await self.off_loop(lambda: kept.page(first, limit))

    def _view(
        self,
        phase: Phase,
        task: str | None,
        tag: str | None,
        source: Source | None,
        *,
        organizer: bool,
    ) -> _View:
        challenge = self._challenge
        if not organizer and phase.scores is not Who.PUBLIC:
            raise ForbiddenError(f"the leaderboard of phase {phase.name} is hidden")
        if task is not None and task not in challenge.exam.offers:
            known = ", ".join(challenge.exam.offers)
            raise NotFoundError(f"there is no task {task!r}; there are: {known}", field="task")
        if tag is not None:
            self._check_tag(tag, self.tags(phase, organizer=organizer))
        visible = challenge.visibility(phase, organizer=organizer)
        return _View(phase, task, tag, source, visible)

    def _turn(self, phase: Phase) -> Turn:
        key = {"f": self._challenge.phases.key(phase)}
        return self._challenge.database.read(lambda c: queries.TURN.one(c, key))

    def _unchanged(self, view: _View) -> CachedBoard | None:
        """Return a leaderboard that need not be made; None: it must be."""
        kept = self._kept.get(view.key)
        if kept is None:
            return None
        age = self._challenge.now() - kept.at
        held = kept.scores > HELD_SCORES and 0 <= age < HELD_MILLISECONDS
        return kept if held or kept.turn == self._turn(view.phase) else None

    def _newest(self, view: _View) -> CachedBoard:
        with self._making:
            # Another caller may have waited for the same one.
            kept = self._unchanged(view)
            if kept is None:
                # The collector would stop every thread several times, and find nothing.
                with collector_paused():
                    kept = self._make(view)
            self._kept[view.key] = kept
            self._kept.move_to_end(view.key)
            while len(self._kept) > 1 and (
                len(self._kept) > _KEPT
                or sum(each.scores for each in self._kept.values()) > _KEPT_SCORES
            ):
                self._kept.popitem(last=False)
        return kept

    def _make(self, view: _View) -> CachedBoard:
        challenge, (phase, task, tag, source, visible) = self._challenge, view
        if task is not None and len(challenge.exam.offers) > 1 and not visible.exact:
            self._check_alone(phase, task, visible.part)
        at, turn = challenge.now(), self._turn(phase)
        data = challenge.database.read(lambda c: self._data(c, phase, visible.part))
        count = len(data.scores)
        if source is not None:
            # Ranks, and a participant's best one, are of these alone.
            kept = [row for row in data.submissions if row.source is source]
            data = data._replace(submissions=kept)
        tasks = [task] if task is not None else list(challenge.exam.offers)
        if tag is not None:
            data, tasks = self._tagged(data, tasks, tag)
        if not visible.measures:
            data = data._replace(
                scores=[
                    row if row.measures is None else replace(row, measures=None)
                    for row in data.scores
                ]
            )
        hiding = None
        if not visible.exact:
            hiding = Hiding(list(challenge.exam.offers), challenge.references)
        board = make_board(
            data, challenge.file.name, phase.name, tasks, visible.part, phase.counts, hiding
        )
        return CachedBoard(board, turn, at, count)

    def _check_alone(self, phase: Phase, task: str, part: str) -> None:
        """Check that the scores of a task alone tell nothing about its single items.

        Raises:
            ForbiddenError: It has too few items.
        """
        key = {"f": self._challenge.phases.key(phase), "t": task, "p": part}
        items = self._challenge.database.read(lambda c: queries.ITEMS.first(c, key))
        if items is not None and not digits_of(items.count):
            raise ForbiddenError(
                f"{task} has only {items.count} items: until the final scores are shown, it counts"
                " in the mean of all tasks alone",
                field="task",
            )

    def chance(self, phase: Phase, board: Board, *, organizer: bool = False) -> float | None:
        """Return what blind guessing scores on a leaderboard: the mean over its tasks.

        None: it is not known of a task, or values are over a part of the items.
        """
        known = [self._chance_of(board.grading, task) for task in board.tasks]
        levels = [level for level in known if level is not None]
        if board.part != ALL or len(levels) < len(known):
            return None
        value = sum(levels) / len(levels)
        exact = self._challenge.visibility(phase, organizer=organizer).exact
        return value if exact else round(value, 2)

    def _chance_of(self, grading: int, task: str) -> float | None:
        key = grading, task
        if key not in self._chances:
            parameters = {"g": grading, "t": task}
            saved = self._challenge.database.read(lambda c: queries.REPORT.first(c, parameters))
            if saved is None:
                return None
            read = msgspec.json.decode(zlib.decompress(saved.report), type=_Report)
            self._chances[key] = None if read.numbers.chance is None else read.numbers.chance.value
        return self._chances[key]

    def tags(self, phase: Phase, *, organizer: bool = False) -> Mapping[str, Sequence[str]]:
        """Return the tags for which a phase has leaderboards now, with their values."""
        return self._tags if self._challenge.visibility(phase, organizer=organizer).tags else {}

    @cached_property
    def _tags(self) -> Mapping[str, Sequence[str]]:
        """The tags of the items that have few values, but more than one."""
        exam = self._challenge.exam
        found: dict[str, set[str]] = {}
        for task in exam.offers:
            for item in exam.asked(task):
                for name, value in exam.line(task, item).item.tags.items():
                    found.setdefault(name, set()).add(value)
        return {
            name: sorted(values)
            for name, values in sorted(found.items())
            if 2 <= len(values) <= MOST_VALUES
        }

    @staticmethod
    def _check_tag(tag: str, shown: Mapping[str, Sequence[str]]) -> None:
        name, _, value = tag.partition("=")
        if value not in shown.get(name, ()):
            known = ", ".join(shown) or "none until the phase is over"
            raise NotFoundError(f"there is no tag {tag[:64]!r}; there are: {known}", field="tag")

    def _tagged(
        self, data: BoardData, tasks: Sequence[str], tag: str
    ) -> tuple[BoardData, list[str]]:
        """Return the data of a leaderboard of a tag's items, and its tasks."""
        exam = self._challenge.exam
        name, _, value = tag.partition("=")
        masks: dict[tuple[str, int], NDArray[np.bool_]] = {}
        # The items of attempts may be fewer, and an attempt's mask has the length of its items.
        for task, contexts in product(tasks, reversed(Contexts)):
            items = exam.asked(task, contexts)
            found = [exam.line(task, item).item.tags.get(name) == value for item in items]
            masks[task, len(items)] = np.array(found, dtype=np.bool_)
        kept = [task for task in tasks if masks[task, len(exam.asked(task))].any()]
        scores = [
            only(row, mask, tag)
            for row in data.scores
            if row.task in kept and (mask := masks[row.task, row.items]).any()
        ]
        return data._replace(scores=scores), kept

    def _data(self, connection: Connection, phase: Phase, part: str) -> BoardData:
        key = {"f": self._challenge.phases.key(phase)}
        grading = queries.SHOWN.first(connection, key)
        if grading is None:
            raise NotFoundError(f"phase {phase.name} has no leaderboard yet")
        newest = queries.NEWEST.one(connection, key)
        of_grading = {"g": grading.id, "p": part}
        public: dict[str, list[float]] = {}
        if phase.public_share is not None:
            for score in queries.BOARD_VALUES.all(connection, {"g": grading.id, "p": PUBLIC}):
                public.setdefault(score.submission, []).append(score.value)
        return BoardData(
            grading=grading,
            regrading=newest.id != grading.id,
            submissions=queries.BOARD.all(connection, of_grading),
            scores=queries.BOARD_SCORES.all(connection, of_grading),
            public={name: sum(values) / len(values) for name, values in public.items()},
        )

    def export(self, phase: Phase, *, organizer: bool = False) -> bytes:
        """Return the data behind a phase's leaderboard, as JSON.

        It shows the correct items of each submission, so only organizers get it before the end of
        the phase, unless reports are public.

        Raises:
            ForbiddenError: It is not visible yet.
        """
        challenge = self._challenge
        if not challenge.visibility(phase, organizer=organizer).export:
            raise ForbiddenError(
                f"the export of phase {phase.name} is public when the final scores of all phases"
                " over the same items are"
            )
        # Who may see every item's value may see exact means.
        board = self.board(phase, organizer=organizer).board
        key = {"f": challenge.phases.key(phase)}
        data, events = challenge.database.read(
            lambda c: (self._data(c, phase, ALL), queries.EVENTS.all(c, key))
        )
        cards = [EventCard.model_validate(row, from_attributes=True) for row in events]
        return export_json(board.model_dump_json().encode(), data, phase.counts, cards)


MOST_ITEMS = 200


class ItemPair(Closed):
    """An item that two submissions score differently: its id and both values."""

    item: str
    one: float
    other: float


class RunComparison(Closed):
    """The difference between two submissions on a task.

    Attributes:
        task: The task's id.
        one: The first submission's id.
        other: The second one's.
        value_one: The first one's score.
        value_other: The second one's score.
        difference: The first's value minus the second's, the mean over items.
        low: The lower end of its 95 % interval, by pairs and independent groups; None: it has none.
        high: The upper end.
        better: The number of items on which the first scores higher.
        worse: The number of items on which it scores lower.
        same: The number of items with equal scores.
        items: The items with the largest differences, the largest first.
    """

    task: str
    one: str
    other: str
    value_one: float
    value_other: float
    difference: float
    low: float | None
    high: float | None
    better: int
    worse: int
    same: int
    items: tuple[ItemPair, ...] = Field(default=())


def compare_submissions(
    challenge: Challenge,
    ids: tuple[str, str],
    task: str | None,
    caller: str | None,
    *,
    organizer: bool = False,
) -> RunComparison:
    """Compare two submissions whose reports the caller may see.

    Args:
        challenge: The challenge.
        ids: The submissions.
        task: The task; None: the only one that they answer.
        caller: The caller; None: unknown.
        organizer: Whether the caller is an organizer.

    Raises:
        ExamError: One does not exist, is not visible or not graded, or they are of different items.
    """
    rows = [challenge.submissions.graded(each, task, caller, organizer=organizer) for each in ids]
    one, other = rows
    if one.task != other.task:
        raise ExamError(
            f"one submission is of {one.task}, the other of {other.task}: give the task"
        )
    left, right = values_of(one), values_of(other)
    if len(left) != len(right):
        raise ExamError("the submissions were graded on different items")
    found = mean_estimate(left - right, groups_of(one))
    return RunComparison(
        task=one.task,
        one=ids[0],
        other=ids[1],
        value_one=one.value,
        value_other=other.value,
        difference=found.value,
        low=None if found.interval is None else found.interval.low,
        high=None if found.interval is None else found.interval.high,
        better=int((left > right).sum()),
        worse=int((left < right).sum()),
        same=int((left == right).sum()),
        items=tuple(_apart(_items_of(challenge.exam, one), rows)),
    )


def _items_of(exam: ExamSpec, score: ScoreRow) -> Sequence[str]:
    """Return the ids of a score's items: an attempt may have fewer than the exam."""
    items = exam.asked(score.task)
    return items if len(items) == score.items else exam.asked(score.task, Contexts.CONTINUOUS)


def _apart(names: Sequence[str], rows: Sequence[ScoreRow]) -> list[ItemPair]:
    left, right = (values_of(row) for row in rows)
    order = np.argsort(-np.abs(left - right), kind="stable")[:MOST_ITEMS]
    return [
        ItemPair(item=names[place], one=float(left[place]), other=float(right[place]))
        for place in map(int, order)
        if left[place] != right[place]
    ]
