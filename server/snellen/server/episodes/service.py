"""Playing episodes: every input is counted, done once, and on disk before it is acknowledged.

A world runs in this process; what it is made of again is in the store. So a world may be given up
at any time (it was idle, the browser died, another server takes over) and is opened again from its
last snapshot, or by doing its inputs again. A world that fails is tried once more; if it fails
again, the episode is broken: a fault of the exam, and never an agent's failure.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from types import MappingProxyType

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError, MissingExtraError
from snellen.grading.models.actions import Point
from snellen.server.attempts.leases import item_row
from snellen.server.attempts.models import AnswerMeta, Caller, Lease, Receipt
from snellen.server.attempts.record import FAULT, record_of
from snellen.server.attempts.service import Service
from snellen.server.episodes import queries
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Door
from snellen.server.logs import fault, log
from snellen.server.screenshots.frames import Extent
from snellen.server.screenshots.service import image_tokens
from snellen.server.store.tables import (
    Attempt,
    EpisodeRow,
    EpisodeState,
    FrameRow,
    StepRow,
)
from snellen.tasks.environments.acting import Acted, ActError, Screen, read_act
from snellen.tasks.environments.base import (
    CallError,
    Environment,
    Episode,
    EpisodeError,
    Past,
    ToolEpisode,
    Toolset,
)
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.reasons import REASONS
from snellen.tasks.environments.table import toolset_of
from snellen.tasks.models import World

MOST_OPEN = 32
"""Worlds that are kept running; the one that was idle longest makes way."""
MOST_BUSY = 8
"""Worlds that do something at once: more would only slow each other down."""
BUSY_SECONDS = 20.0
"""How long a call waits for its turn before it is sent away."""
IDLE_SECONDS = 600.0
STEP_SECONDS = 60.0
MOST_TRIES = 2
LOOKS_PER_STEP = 3
_LONGEST_GIVEN = 4_000

Said = Mapping[str, JsonValue]
_NOTHING: Said = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot.

    Attributes:
        frame: It as PNG.
        size: Its width and height.
    """

    frame: bytes = field(repr=False)
    size: Extent

    @property
    def name(self) -> str:
        """What the screenshot is called among an item's images."""
        return "screen"

    @property
    def digest(self) -> str:
        """Its SHA-256."""
        return sha256(self.frame).hexdigest()


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent gets back.

    Attributes:
        step: How many steps were taken.
        left: How many are left.
        ended: Whether no further step is taken.
        note: What the screenshot does not show.
        shot: What the screen shows; None where the world is acted in by tools.
        answer: What the tool that was called answered.
    """

    step: int
    left: int
    ended: bool
    note: str
    shot: Shot | None = None
    answer: JsonValue = None


@dataclass(slots=True)
class _Live:
    """A world that runs, or a place for one.

    Attributes:
        lock: Held by whoever plays.
        episode: The world on its screen; None: it is to be opened.
        calls: The world by its tools; it holds nothing that must be given up.
        used: When it was played last, by the loop's clock.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    episode: Episode | None = None
    calls: ToolEpisode | None = None
    used: float = 0.0


class Episodes:
    """Plays the interactive items of an exam.

    Args:
        service: The exam's rules and its store.
        environment: Returns an environment by its name, the same one each time.
        toolset: Returns the tools of an environment by its name, for attempts with door tools.
    """

    def __init__(
        self,
        service: Service,
        environment: Callable[[str], Environment],
        toolset: Callable[[str], Toolset] = toolset_of,
    ) -> None:
        self._service = service
        self._environment = environment
        self._toolset = toolset
        self._live: dict[tuple[int, int], _Live] = {}
        self._busy = asyncio.Semaphore(MOST_BUSY)
        self._used: set[str] = set()

    # ---- what tools call ---------------------------------------------------------------------

    async def open(self, attempt: Attempt, lease: Lease) -> Turn:
        """Open an item's episode, or show it as it stands.

        Raises:
            ExamError: The environment failed, or there is no room now.
        """
        world = _world(lease)
        async with self._playing(attempt, lease) as live:
            row = await self._row(attempt.id, lease.item.place)
            if row is not None and row.state is EpisodeState.BROKEN and row.number < MOST_TRIES:
                await self._forget(live)
                return await self._begin(live, attempt, lease, world, row.number + 1)
            if row is None:
                return await self._begin(live, attempt, lease, world, 1)
            _check_playable(row)
            return await self._shown(row, world)

    async def act(self, attempt: Attempt, lease: Lease, given: Said) -> Turn:
        """Do what an agent asks for, and count it.

        Raises:
            ExamError: The item is no episode or not this client's, the episode is over, there is
                no room now, or the environment failed: none of these costs a step.
        """
        world = _world(lease)
        async with self._playing(attempt, lease) as live:
            row = await self._going(attempt, lease, world)
            done = _inputs(await self._steps(row))
            size = self._environment(world.environment).size
            screen = Screen(*size, attempt.space, _pointer(done))
            try:
                acted = read_act(given, screen)
            except ActError as error:
                return await self._unread(live, row, world, given, str(error))
            if acted.end:
                return await self._shown(row, world, acted.end)
            if not acted.inputs:
                return await self._looked(live, row, world)
            return await self._acted(live, row, world, done, given, acted)

    async def call(self, attempt: Attempt, lease: Lease, tool: str, given: Said) -> Turn:
        """Call a tool of an item's world, and count it.

        Raises:
            ExamError: As for `act`.
        """
        world = _world(lease)
        async with self._playing(attempt, lease) as live:
            row = await self._going(attempt, lease, world)
            snapshot = row.snapshot
            start = time.perf_counter_ns()

            def past() -> Past:
                return Past((), msgspec.json.decode(snapshot))

            played = await self._twice(
                live, row, lambda: self._call(live, world, past, tool, given)
            )
            row = replace(row, steps=row.steps + 1)
            taken = [_Taken(None, "; ".join(played.notes))]
            said: Said = {"tool": tool, "arguments": dict(given)}
            return await self._keep(live, row, world, taken, played, said, start)

    async def look(self, attempt: Attempt, caller: Caller, item: str) -> Turn:
        """Show an episode again, which is no step.

        Raises:
            ExamError: As for `act`, or it was looked at too often.
        """
        lease = await self.held(attempt, caller, item)
        world = _world(lease)
        if attempt.rules.door is Door.TOOLS:
            raise ExamError("there is no screen: this task is done by the application's tools")
        async with self._playing(attempt, lease) as live:
            row = await self._row(attempt.id, lease.item.place)
            if row is None:
                raise ExamError("the episode is not open: call get_item first", field="item")
            return await self._looked(live, row, world)

    async def end(
        self, attempt: Attempt, caller: Caller, item: str, answer: JsonValue, meta: AnswerMeta
    ) -> Receipt:
        """End an episode with what its agent says of it, and store its record.

        Raises:
            ExamError: The answer can't be read, or as for `act`.
        """
        said = read_end(answer)
        service = self._service
        place, world = await self._found(attempt, item)
        if world is None:
            raise ExamError(f"item {item} is no task to act in", field="item")
        key = (attempt.id, place)
        async with self._live.setdefault(key, _Live()).lock:
            row = await self._row(*key)
            if row is None:
                raise ExamError("the episode is not open: call get_item first", field="item")
            ended = row if row.closed is not None else replace(row, closed=service.now())
            record = record_of(ended, world.limit, said)
            receipt = await service.submit(attempt, caller, item, record, meta)
            if row.state is EpisodeState.OPEN:
                ended = replace(ended, state=EpisodeState.ENDED)
                await service.database.write(lambda c: queries.keep(c, ended, (), None))
        await self._drop(key)
        # The record says how it went, which nobody hears before the report.
        return replace(receipt, stored=said)

    async def has(self, attempt: Attempt, item: str) -> bool:
        """Whether an item is one to act in.

        Raises:
            ExamError: There is no such item.
        """
        return (await self._found(attempt, item))[1] is not None

    async def held(self, attempt: Attempt, caller: Caller, item: str) -> Lease:
        """Return an item that a client holds; see `Service.held`."""
        return await self._service.database.off_loop(
            lambda: self._service.held(attempt, caller, item)
        )

    # ---- life --------------------------------------------------------------------------------

    async def reap(self) -> None:
        """Give up worlds that were idle for long; they are opened again when they are played."""
        now = asyncio.get_running_loop().time()
        for key, live in list(self._live.items()):
            if not live.lock.locked() and now - live.used > IDLE_SECONDS:
                await self._drop(key)

    async def close(self) -> None:
        """Give up every world, and end what shows them."""
        for key in list(self._live):
            await self._drop(key)
        for name in self._used:
            await self._environment(name).close()

    # ---- inside ------------------------------------------------------------------------------

    @asynccontextmanager
    async def _playing(self, attempt: Attempt, lease: Lease) -> AsyncGenerator[_Live]:
        """Hold an episode, and one of the places of those that do something.

        Whatever goes wrong inside, the world is given up: the store alone knows how it stands.
        """
        key = (attempt.id, lease.item.place)
        live = self._live.setdefault(key, _Live())
        try:
            async with asyncio.timeout(BUSY_SECONDS):
                await live.lock.acquire()
        except TimeoutError:
            raise _busy() from None
        try:
            try:
                async with asyncio.timeout(BUSY_SECONDS):
                    await self._busy.acquire()
            except TimeoutError:
                raise _busy() from None
            try:
                await self._make_room(key)
                yield live
            except ExamError:
                raise
            except BaseException:
                await self._forget(live)
                raise
            finally:
                live.used = asyncio.get_running_loop().time()
                self._busy.release()
        finally:
            live.lock.release()

    async def _make_room(self, key: tuple[int, int]) -> None:
        running = [
            (live.used, other)
            for other, live in self._live.items()
            if other != key and live.episode is not None and not live.lock.locked()
        ]
        running.sort()
        for _, other in running[: max(0, len(running) - MOST_OPEN + 1)]:
            await self._drop(other)

    async def _drop(self, key: tuple[int, int]) -> None:
        live = self._live.pop(key, None)
        if live is not None:
            await self._forget(live)

    async def _forget(self, live: _Live) -> None:
        episode, live.episode, live.calls = live.episode, None, None
        if episode is not None:
            await episode.close()

    async def _begin(
        self, live: _Live, attempt: Attempt, lease: Lease, world: World, number: int
    ) -> Turn:
        row = EpisodeRow(
            attempt=attempt.id,
            place=lease.item.place,
            number=number,
            state=EpisodeState.OPEN,
            steps=0,
            looks=0,
            opened=self._service.now(),
            closed=None,
            over=False,
            snapshot="null",
            result="{}",
            image_tokens=0,
        )
        start = time.perf_counter_ns()
        by_tools = attempt.rules.door is Door.TOOLS
        begin = partial(self._call if by_tools else self._play, live, world, Past)
        played = await self._twice(live, row, begin)
        # The first view is step 0, which costs nothing.
        return await self._keep(live, row, world, [_Taken(None, "")], played, {}, start)

    async def _acted(
        self,
        live: _Live,
        row: EpisodeRow,
        world: World,
        done: Sequence[Input],
        given: Said,
        acted: Acted,
    ) -> Turn:
        wanted = acted.inputs[: world.limit - row.steps]
        start = time.perf_counter_ns()

        def past() -> Past:
            return Past(done, msgspec.json.decode(row.snapshot))

        played = await self._twice(live, row, lambda: self._play(live, world, past, wanted))
        taken = [_Taken(given, note) for given, note in zip(wanted, played.notes, strict=False)]
        notes = [acted.note]
        if len(wanted) < len(acted.inputs) and not played.over:
            notes.append(f"{len(acted.inputs) - len(wanted)} further inputs were left out")
        row = replace(row, steps=row.steps + len(taken), over=played.over)
        return await self._keep(live, row, world, taken, played, given, start, notes)

    async def _unread(
        self, live: _Live, row: EpisodeRow, world: World, given: Said, why: str
    ) -> Turn:
        start = time.perf_counter_ns()
        frame = await self._frame(row)
        played = _Played(frame, (why,), row.over, json.loads(row.snapshot), json.loads(row.result))
        row = replace(row, steps=row.steps + 1)
        return await self._keep(live, row, world, [_Taken(None, why)], played, given, start)

    async def _play(
        self,
        live: _Live,
        world: World,
        past: Callable[[], Past],
        inputs: Sequence[Input] = (),
    ) -> "_Played":
        if live.episode is None:
            self._used.add(world.environment)
            live.episode = await self._environment(world.environment).open(world.start, past())
        episode = live.episode
        notes: list[str] = []
        for given in inputs:
            try:
                notes.append(await episode.act(given))
            except InputError as error:
                notes.append(str(error))
            if episode.ended:
                break
        frame = await episode.view()
        return _Played(frame, notes, episode.ended, episode.snapshot, episode.result)

    async def _call(
        self,
        live: _Live,
        world: World,
        past: Callable[[], Past],
        tool: str = "",
        given: Said = _NOTHING,
    ) -> "_Played":
        """Open a world by its tools, unless it is open, and call one unless none is named."""
        if live.calls is None:
            live.calls = self._toolset(world.environment).open(world.start, past())
        notes: list[str] = []
        answer: JsonValue = None
        try:
            answer = live.calls.call(tool, given) if tool else None
        except CallError as error:
            notes.append(str(error))
        return _Played(None, notes, False, live.calls.snapshot, live.calls.result, answer)

    async def _twice(
        self, live: _Live, row: EpisodeRow, play: Callable[[], Awaitable["_Played"]]
    ) -> "_Played":
        """Play, and where the world fails once more with a world made anew.

        Raises:
            ExamError: It failed again: the episode is broken.
        """
        why = ""
        for _ in range(2):
            try:
                async with asyncio.timeout(STEP_SECONDS):
                    return await play()
            except (EpisodeError, TimeoutError, MissingExtraError, DataError) as error:
                why = str(error) or f"it took longer than {STEP_SECONDS:g} seconds"
                log().error("episode fault", attempt=row.attempt, place=row.place, **fault(error))
                await self._forget(live)
        broken = replace(
            row, state=EpisodeState.BROKEN, closed=self._service.now(), fault=why[:_LONGEST_GIVEN]
        )
        await self._service.database.write(lambda c: queries.keep(c, broken, (), None))
        raise ExamError(_broken(broken))

    async def _keep(
        self,
        live: _Live,
        row: EpisodeRow,
        world: World,
        taken: Sequence["_Taken"],
        played: "_Played",
        given: Said,
        start: int,
        notes: Sequence[str] = (),
    ) -> Turn:
        """Write what was done, and return what the agent sees."""
        now = self._service.now()
        shot = self._shot(world, played.frame)
        tokens = 0 if shot is None else image_tokens(shot.size)
        row = replace(
            row,
            snapshot=_json(played.snapshot),
            result=_json(played.result),
            image_tokens=row.image_tokens + tokens,
        )
        digest = None if shot is None else sha256(shot.frame).digest()
        microseconds = (time.perf_counter_ns() - start) // 1000
        first = row.steps - len(taken) + 1 if row.steps else 0
        said = json.dumps(dict(given))
        steps = [
            StepRow(
                attempt=row.attempt,
                place=row.place,
                episode=row.number,
                number=number,
                # A call that was done is kept whole: it is all that can be done again.
                given=said[: None if shot is None and not each.note else _LONGEST_GIVEN],
                input=None if each.input is None else msgspec.json.encode(each.input).decode(),
                note=each.note,
                at=now,
                microseconds=microseconds // len(taken),
                frame=digest,
            )
            for number, each in enumerate(taken, first)
        ]
        frame = None
        if shot is not None and digest is not None:
            frame = FrameRow(attempt=row.attempt, digest=digest, data=shot.frame)
        try:
            await self._service.database.write(lambda c: queries.keep(c, row, steps, frame))
        except BaseException:
            # The world is a step ahead of the store: it is made again of what the store has.
            await self._forget(live)
            raise
        note = "; ".join(filter(None, (*notes, *played.notes)))
        return _turn(row, world, note, shot, played.answer)

    def _shot(self, world: World, frame: bytes | None) -> Shot | None:
        if frame is None:
            return None
        return Shot(frame, Extent(*self._environment(world.environment).size))

    async def _shown(self, row: EpisodeRow, world: World, note: str = "") -> Turn:
        return _turn(row, world, note, self._shot(world, await self._frame(row)))

    async def _looked(self, live: _Live, row: EpisodeRow, world: World) -> Turn:
        most = LOOKS_PER_STEP * world.limit
        if row.looks >= most:
            raise ExamError(f"it was looked at {most} times between steps: act, or submit_answer")
        size = Extent(*self._environment(world.environment).size)
        row = replace(row, looks=row.looks + 1, image_tokens=row.image_tokens + image_tokens(size))
        # Where a page's time is the clock's, it shows something else by now.
        running = live.episode is not None and row.state is EpisodeState.OPEN
        frame = await live.episode.view() if running and live.episode else await self._frame(row)
        await self._service.database.write(lambda c: queries.keep(c, row, (), None))
        return _turn(row, world, "", self._shot(world, frame))

    async def _found(self, attempt: Attempt, item: str) -> tuple[int, World | None]:
        """Return where an item stands in its attempt, and its world."""
        database = self._service.database
        found = await database.off_loop(
            lambda: database.read(lambda c: item_row(c, attempt.id, item))
        )
        return found.place, self._service.exam.line(found.task, found.item).world

    async def _going(self, attempt: Attempt, lease: Lease, world: World) -> EpisodeRow:
        """Return an episode in which a step may be taken.

        Raises:
            ExamError: It is not open, or over.
        """
        row = await self._row(attempt.id, lease.item.place)
        if row is None:
            raise ExamError("the episode is not open: call get_item first", field="item")
        _check_playable(row)
        if row.over:
            raise ExamError("the page has ended the task: call submit_answer")
        if row.steps >= world.limit:
            raise ExamError(f"all {world.limit} steps are used: call submit_answer")
        return row

    async def _row(self, attempt: int, place: int) -> EpisodeRow | None:
        this = {"a": attempt, "p": place}
        database = self._service.database
        return await database.off_loop(
            lambda: database.read(lambda c: queries.EPISODE.first(c, this))
        )

    async def _steps(self, row: EpisodeRow) -> Sequence[StepRow]:
        this = {"a": row.attempt, "p": row.place, "e": row.number}
        database = self._service.database
        return await database.off_loop(lambda: database.read(lambda c: queries.STEPS.all(c, this)))

    async def _frame(self, row: EpisodeRow) -> bytes | None:
        last = (await self._steps(row))[-1]
        if last.frame is None:
            return None
        this = {"a": row.attempt, "d": last.frame}
        database = self._service.database
        found = await database.off_loop(lambda: database.read(lambda c: queries.FRAME.one(c, this)))
        return found.data


@dataclass(frozen=True, slots=True)
class _Taken:
    """A step: what was done, None where it could not be read, and what is said of it."""

    input: Input | None
    note: str


@dataclass(frozen=True, slots=True)
class _Played:
    """How a world stands after inputs: a note for each that was done."""

    frame: bytes | None = field(repr=False)
    notes: Sequence[str]
    over: bool
    snapshot: JsonValue = field(repr=False)
    result: Said = field(repr=False)
    answer: JsonValue = field(default=None, repr=False)


def read_end(answer: JsonValue) -> dict[str, JsonValue]:
    """Read how an agent ends an episode.

    `{"status": "done" | "infeasible", "answer": ..., "reason_code": ...}`, as JSON or its text; a
    plain text that is none is what the task asks for, of a task that is done.

    >>> read_end("17:30")
    {'status': 'done', 'answer': '17:30'}

    Raises:
        ExamError: The status is none of the two, or an infeasible task has no known reason.
    """
    given: JsonValue = answer
    if isinstance(answer, str):
        plain = answer.strip()
        if plain.lower() in _STATUSES:
            given = {"status": plain.lower()}
        elif plain.startswith("{"):
            try:
                given = json.loads(plain)
            except (ValueError, RecursionError) as error:
                raise ExamError(
                    f"the answer is no JSON ({error}); {_FORM}", field="answer"
                ) from None
    if not isinstance(given, dict):
        return {"status": "done", "answer": given}
    odd = sorted(given.keys() - {"status", "answer", "reason_code", "reason"})
    if odd:
        raise ExamError(f"there is no field {odd[0][:40]!r}; {_FORM}", field="answer")
    status = given.get("status", "done")
    if status not in _STATUSES:
        raise ExamError(f"the status is done or infeasible; {_FORM}", field="answer")
    ended: dict[str, JsonValue] = {"status": _STATUSES[str(status)]}
    if given.get("answer") is not None:
        ended["answer"] = given["answer"]
    if ended["status"] == "infeasible":
        reason = given.get("reason_code", given.get("reason"))
        if reason not in REASONS:
            raise ExamError(
                f"an infeasible task has a reason_code, one of {', '.join(REASONS)}",
                field="answer",
            )
        ended["reason"] = reason
    return ended


_STATUSES = {"done": "done", "infeasible": "infeasible", "fail": "infeasible"}
_FORM = 'it looks like {"status": "done", "answer": "..."} or {"status": "infeasible",\
 "reason_code": "not_available"}'


def _turn(
    row: EpisodeRow, world: World, note: str, shot: Shot | None, answer: JsonValue = None
) -> Turn:
    left = max(0, world.limit - row.steps)
    return Turn(row.steps, left, row.over or not left, note, shot, answer)


def _pointer(done: Sequence[Input]) -> Point:
    points = [point for given in done for point in given.path]
    return points[-1] if points else (0.0, 0.0)


def _inputs(taken: Sequence[StepRow]) -> list[Input]:
    return [msgspec.json.decode(step.input, type=Input) for step in taken if step.input]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _world(lease: Lease) -> World:
    world = lease.question.line.world
    if world is None:
        raise ExamError(
            f"item {lease.item.opaque} is no task to act in: answer it with submit_answer",
            field="item",
        )
    return world


def _check_playable(row: EpisodeRow) -> None:
    if row.state is EpisodeState.ENDED:
        raise ExamError("the episode has ended: go on with the next item")
    if row.state is EpisodeState.BROKEN:
        raise ExamError(_broken(row))


def _broken(row: EpisodeRow) -> str:
    again = "Call get_item with it to begin it anew, or" if row.number < MOST_TRIES else "To go on,"
    return f"{FAULT}. It counts as an error and never as a failure. {again} submit the answer done."


def _busy() -> ExamError:
    return ExamError("the server is busy with other episodes: call again in 5 seconds")
