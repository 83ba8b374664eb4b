"""Run episodes: every input is counted, done once, and stored before it is acknowledged.

A world runs in this process; the data to open it again is in the store. So a world can be closed
at any time (it is idle, the browser dies, another server takes over). The next call opens it again
from its last snapshot, or by repeating its inputs. A failed action is repeated once in a new world;
if it fails again, the episode is broken: a fault of the exam, and never an agent's failure.
"""

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Literal, NamedTuple

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError, MissingExtraError
from snellen.grading.models.actions import Point
from snellen.server.attempts.leases import item_row
from snellen.server.attempts.models import AnswerMeta, Caller, Lease, Receipt
from snellen.server.attempts.record import FAULT, record_of
from snellen.server.attempts.service import Service
from snellen.server.episodes import queries
from snellen.server.episodes.running import JsonObject, Key, Live, Running, StepResult
from snellen.server.episodes.seeing import Observation, Seeing, seed_of
from snellen.server.errors import ExamError, NotFoundError
from snellen.server.exam.rules import AT_ADDRESS, ON_STAGE, Door
from snellen.server.logs import fault, log
from snellen.server.screenshots.frames import Extent
from snellen.server.screenshots.service import image_tokens, text_tokens
from snellen.server.store.tables.exams import Attempt, EpisodeRow, EpisodeState, FrameRow, StepRow
from snellen.tasks.environments.acting import Acted, Screen, read_act
from snellen.tasks.environments.aiming import aimed
from snellen.tasks.environments.arguments import ActError
from snellen.tasks.environments.base import (
    Environment,
    EpisodeError,
    History,
    Pages,
    Reply,
    Request,
    Toolset,
)
from snellen.tasks.environments.ending import read_end
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.table import pages_of, toolset_of
from snellen.tasks.models import World

NO_PAGE = "no task is open at this address: get_item returns the address of a task"
_WORDS: Mapping[Door, Literal["mark", "ref"]] = {Door.MARKS: "mark", Door.TREE: "ref"}
"""What the ids of controls are called, at the doors that have them."""
_INSTEAD = {
    Door.TREE: "get_item with this item shows the tree again",
    Door.TOOLS: "use the application's tools for this task",
    Door.URL: "open the task's url in your own browser",
    Door.WEBMCP: "open the task's url in your own browser",
}
STEP_SECONDS = 60.0
MOST_TRIES = 2
LOOKS_PER_STEP = 3
_LONGEST_GIVEN = 4_000


@dataclass(frozen=True, slots=True)
class Shot:
    """A screenshot."""

    frame: bytes = field(repr=False)  # the PNG file
    size: Extent  # its width and height

    @property
    def name(self) -> str:
        """The name of the screenshot among an item's images."""
        return "screen"

    @property
    def digest(self) -> str:
        """Its SHA-256."""
        return sha256(self.frame).hexdigest()


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of a call for the agent."""

    step: int  # the number of steps so far
    left: int  # the number of steps left
    ended: bool  # whether no further step is possible
    note: str  # what the screenshot does not show
    shot: Shot | None = None  # the screenshot; None if agents call tools
    answer: JsonValue = None  # the answer of the called tool
    tree: str = ""  # the accessibility tree; empty if agents see the screen or call tools
    page: str = ""  # the token of the address of its page; empty if it has none


class OtherBrowserError(ExamError):
    """Another browser shows the page of an episode."""

    def __init__(self) -> None:
        super().__init__("this task is open in another browser")


class Visit(NamedTuple):
    """What a browser gets at an episode's address."""

    reply: Reply
    cookie: str = ""  # the cookie that makes it the episode's browser; empty if it has it already


class Episodes:
    """Runs the interactive items of an exam.

    Args:
        service: The exam's rules and its store.
        environment: Returns an environment by its name, the same one each time.
        toolset: Returns the tools of an environment by its name, for attempts with door tools.
        pages: Returns the pages of an environment by its name and the door.
    """

    def __init__(
        self,
        service: Service,
        environment: Callable[[str], Environment],
        toolset: Callable[[str], Toolset] = toolset_of,
        pages: Callable[[str, str], Pages] = pages_of,
    ) -> None:
        self._service = service
        door = service.exam.rules.door
        self._running = Running(environment, toolset, lambda name: pages(name, door))

    # ---- what tools call ---------------------------------------------------------------------

    async def open(self, attempt: Attempt, lease: Lease) -> Turn:
        """Open an item's episode, or show its current state.

        An episode that another client has played is started again.

        Raises:
            ExamError: The environment failed, or the server is busy.
        """
        world = _world(lease)
        async with self._running.playing(_key(attempt, lease)) as live:
            row = await self._row(attempt.id, lease.item.place)
            if row is not None and row.state is EpisodeState.BROKEN and row.number < MOST_TRIES:
                await self._running.forget(live)
                return await self._begin(live, attempt, lease, world, row.number + 1)
            if row is None:
                return await self._begin(live, attempt, lease, world, 1)
            _check_playable(row)
            if lease.client != row.client:
                if row.steps:
                    await self._running.forget(live)
                    return await self._begin(live, attempt, lease, world, row.number + 1)
                row = replace(row, client=lease.client, opened=self._service.now(), looks=0)
                await self._service.database.write(lambda c: queries.keep(c, row, (), None))
            turn = replace(await self._shown(row, world), page=_token(attempt, row))
            if attempt.rules.door is not Door.TREE:
                return turn
            return replace(turn, tree=(await self._seen(live, attempt, row, world)).text)

    async def act(self, attempt: Attempt, lease: Lease, given: JsonObject) -> Turn:
        """Do an agent's action, and count it.

        Raises:
            ExamError: The item is not interactive or belongs to another client, the episode is
                over, the server is busy, or the environment failed. None of these costs a step.
        """
        world = _world(lease)
        async with self._running.playing(_key(attempt, lease)) as live:
            row = await self._open_episode(attempt, lease, world)
            row = replace(row, calls=row.calls + 1)
            done = _inputs(await self._steps(row))
            screen = Screen(*self._running.size(world), attempt.space, _pointer(done))
            word = _WORDS.get(attempt.rules.door)
            try:
                if word is None:
                    acted = read_act(given, screen)
                else:
                    seen = await self._seen(live, attempt, row, world)
                    acted = aimed(given, seen.elements, word)
            except ActError as error:
                return await self._bad_action(live, attempt, row, world, given, str(error))
            if acted.end or (not acted.inputs and attempt.rules.door is Door.TREE):
                turn = await self._shown(row, world, acted.end)
                return turn if live.seen is None else replace(turn, tree=live.seen.text)
            if not acted.inputs:
                return await self._view(live, row, world)
            return await self._acted(live, attempt, row, world, done, given, acted)

    async def call(self, attempt: Attempt, lease: Lease, tool: str, given: JsonObject) -> Turn:
        """Call a tool of an item's world, and count it.

        Raises:
            ExamError: As for `act`.
        """
        world = _world(lease)
        async with self._running.playing(_key(attempt, lease)) as live:
            row = await self._open_episode(attempt, lease, world)
            snapshot = row.snapshot
            start = time.perf_counter_ns()

            def history() -> History:
                return History((), msgspec.json.decode(snapshot))

            played = await self._retry_once(
                live, row, lambda: self._running.call(live, world, history, tool, given)
            )
            row = replace(row, steps=row.steps + 1, calls=row.calls + 1)
            taken = [_Step(None, "; ".join(played.notes))]
            said: JsonObject = {"tool": tool, "arguments": dict(given)}
            return await self._keep(live, row, world, taken, played, said, start)

    async def visit(
        self, token: str, cookie: str, request: Request, *, move: bool = False
    ) -> Visit:
        """Answer a request at an episode's address, and count it if it changes something.

        Args:
            token: The token of the address.
            cookie: The browser's cookie; the first browser has none.
            request: The request; its URL is the path below the address.
            move: Whether this browser takes the place of the one that has the episode.

        Raises:
            NotFoundError: No episode is open at this address; nothing says why.
            OtherBrowserError: Another browser has it.
            ExamError: No step is left, the server is busy, or the environment failed.
        """
        attempt, lease = await self._at_address(token)
        world = _world(lease)
        async with self._running.playing(_key(attempt, lease)) as live:
            row = await self._row(attempt.id, lease.item.place)
            if row is None or row.address != _digest(token) or row.state is not EpisodeState.OPEN:
                raise NotFoundError(NO_PAGE)
            known, cookie = row, _entered(row, cookie, move=move)
            if cookie:
                row = replace(row, browser=_digest(cookie), browsers=row.browsers + 1)
            self._check_time(row, attempt, world)
            start, snapshot = time.perf_counter_ns(), row.snapshot
            played = await self._retry_once(
                live,
                row,
                lambda: self._running.serve(
                    live, world, lambda: History((), msgspec.json.decode(snapshot)), request
                ),
            )
            assert played.page is not None
            if played.page.done is not None:
                row = replace(row, steps=row.steps + 1, calls=row.calls + 1)
                await self._keep(
                    live, row, world, [_Step(None, "")], played, played.page.done, start
                )
            elif row is not known:
                await self._service.database.write(lambda c: queries.keep(c, row, (), None))
            return Visit(played.page.reply, cookie)

    async def _at_address(self, token: str) -> tuple[Attempt, Lease]:
        """Return the attempt and the item of an address, with a new lease.

        Raises:
            NotFoundError: No episode is open at this address.
        """
        service, now = self._service, self._service.now()
        known = {"address": _digest(token)}
        found = await service.database.off_loop(
            lambda: service.database.read(lambda c: queries.AT_ADDRESS.first(c, known))
        )
        if found is None or found.leased_until is None or found.leased_until < now:
            raise NotFoundError(NO_PAGE)
        try:
            attempt = await service.database.off_loop(
                lambda: service.served(service.register.numbered(found.attempt))
            )
            caller = Caller(attempt.caller, found.client)
            # To write a new end of the lease with each click would be a write more.
            if found.leased_until - now > attempt.rules.lease_minutes * 30_000:
                return attempt, await service.database.off_loop(
                    lambda: service.held(attempt, caller, found.opaque)
                )
            return attempt, await service.renewed(attempt, caller, found.opaque)
        except ExamError as error:
            raise NotFoundError(NO_PAGE) from error

    async def look(self, attempt: Attempt, caller: Caller, item: str) -> Turn:
        """Show an episode again, which is not a step.

        Raises:
            ExamError: As for `act`, or there were too many screenshots.
        """
        lease = await self.held(attempt, caller, item)
        world = _world(lease)
        if attempt.rules.door in _INSTEAD:
            raise ExamError(f"there is no screen here: {_INSTEAD[attempt.rules.door]}")
        async with self._running.playing(_key(attempt, lease)) as live:
            row = _opened(await self._row(attempt.id, lease.item.place), lease.client)
            return await self._view(live, row, world)

    async def end(
        self, attempt: Attempt, caller: Caller, item: str, answer: JsonValue, meta: AnswerMeta
    ) -> Receipt:
        """End an episode with its agent's answer, and store its record.

        Raises:
            ExamError: The answer can't be read, or as for `act`.
        """
        try:
            said = read_end(answer)
        except InputError as error:
            raise ExamError(error.message, field=error.field) from None
        service = self._service
        place, world = await self._found(attempt, item)
        if world is None:
            raise ExamError(f"item {item} is not interactive", field="item")
        key = (attempt.id, place)
        async with self._running.lock(key):
            row = _opened(await self._row(*key), caller.client)
            ended = row if row.closed is not None else replace(row, closed=service.now())
            record = record_of(ended, world.limit, attempt.rules.door, said)
            receipt = await service.submit(attempt, caller, item, record, meta)
            if row.state is EpisodeState.OPEN:
                ended = replace(ended, state=EpisodeState.ENDED)
                await service.database.write(lambda c: queries.keep(c, ended, (), None))
        await self._running.drop(key)
        # The record shows the outcome, which the agent must not see before the report.
        return replace(receipt, stored=said)

    async def has(self, attempt: Attempt, item: str) -> bool:
        """Whether an item is interactive.

        Raises:
            ExamError: There is no such item.
        """
        return (await self._found(attempt, item))[1] is not None

    async def held(self, attempt: Attempt, caller: Caller, item: str) -> Lease:
        """Return an item that a client holds, with a new lease; see `Service.renewed`."""
        return await self._service.renewed(attempt, caller, item)

    # ---- life --------------------------------------------------------------------------------

    async def reap(self) -> None:
        """Close worlds that are idle for long; the next call opens them again."""
        await self._running.reap()

    async def close(self) -> None:
        """Close every world and the browser."""
        await self._running.close()

    # ---- inside ------------------------------------------------------------------------------

    async def _begin(
        self, live: Live, attempt: Attempt, lease: Lease, world: World, number: int
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
            client=lease.client,
        )
        page = _token(attempt, row)
        if page:
            row = replace(row, address=_digest(page))
        start = time.perf_counter_ns()
        if attempt.rules.door in ON_STAGE:
            begin = partial(self._running.play, live, world, History, _see_as(attempt, row))
        else:
            way = self._running.serve if page else self._running.call
            begin = partial(way, live, world, History)
        played = await self._retry_once(live, row, begin)
        # The first view is step 0, which costs nothing.
        turn = await self._keep(live, row, world, [_Step(None, "")], played, {}, start)
        return replace(turn, page=page)

    async def _acted(
        self,
        live: Live,
        attempt: Attempt,
        row: EpisodeRow,
        world: World,
        done: Sequence[Input],
        given: JsonObject,
        acted: Acted,
    ) -> Turn:
        wanted = acted.inputs[: world.limit - row.steps]
        start = time.perf_counter_ns()

        played = await self._play(live, attempt, row, world, done, wanted)
        taken = [_Step(given, note) for given, note in zip(wanted, played.notes, strict=False)]
        notes = [acted.note]
        if len(wanted) < len(acted.inputs) and not played.over:
            notes.append(f"{len(acted.inputs) - len(wanted)} further inputs were left out")
        row = replace(row, steps=row.steps + len(taken), over=played.over)
        return await self._keep(live, row, world, taken, played, given, start, notes)

    async def _seen(
        self, live: Live, attempt: Attempt, row: EpisodeRow, world: World
    ) -> Observation:
        """Return what the agent got last of the page, which is opened again if it is closed."""
        if live.seen is None:
            done = _inputs(await self._steps(row))
            played = await self._play(live, attempt, row, world, done)
            return played.seen
        return live.seen

    async def _play(
        self,
        live: Live,
        attempt: Attempt,
        row: EpisodeRow,
        world: World,
        done: Sequence[Input],
        inputs: Sequence[Input] = (),
    ) -> StepResult:
        def history() -> History:
            return History(done, msgspec.json.decode(row.snapshot))

        see_as = _see_as(attempt, row)
        return await self._retry_once(
            live, row, lambda: self._running.play(live, world, history, see_as, inputs)
        )

    async def _bad_action(
        self,
        live: Live,
        attempt: Attempt,
        row: EpisodeRow,
        world: World,
        given: JsonObject,
        why: str,
    ) -> Turn:
        start = time.perf_counter_ns()
        row = replace(row, steps=row.steps + 1)
        if attempt.rules.door is Door.SCREEN:
            seen = Observation(await self._frame(row))
        else:
            # Ids are of the step that they were shown after.
            live.seen = None
            seen = await self._seen(live, attempt, row, world)
        snapshot, result = json.loads(row.snapshot), json.loads(row.result)
        played = StepResult(seen, (why,), row.over, snapshot, result)
        return await self._keep(live, row, world, [_Step(None, why)], played, given, start)

    async def _retry_once(
        self, live: Live, row: EpisodeRow, play: Callable[[], Awaitable[StepResult]]
    ) -> StepResult:
        """Play; if the world fails, play once more in a new one.

        Raises:
            ExamError: It failed twice: the episode is broken.
        """
        why = ""
        for _ in range(2):
            try:
                async with asyncio.timeout(STEP_SECONDS):
                    return await play()
            except (EpisodeError, TimeoutError, MissingExtraError, DataError) as error:
                why = str(error) or f"the action took longer than {STEP_SECONDS:g} seconds"
                log().error("episode fault", attempt=row.attempt, place=row.place, **fault(error))
                await self._running.forget(live)
        broken = replace(
            row, state=EpisodeState.BROKEN, closed=self._service.now(), fault=why[:_LONGEST_GIVEN]
        )
        await self._service.database.write(lambda c: queries.keep(c, broken, (), None))
        raise ExamError(_broken(broken))

    async def _keep(
        self,
        live: Live,
        row: EpisodeRow,
        world: World,
        taken: Sequence["_Step"],
        played: StepResult,
        given: JsonObject,
        start: int,
        notes: Sequence[str] = (),
    ) -> Turn:
        """Store the steps, and return the result for the agent."""
        now = self._service.now()
        shot = self._shot(world, played.seen.frame)
        tokens = 0 if shot is None else image_tokens(shot.size)
        note = "; ".join(filter(None, (*notes, *played.notes)))
        answer = "" if played.answer is None else _json(played.answer)
        row = replace(
            row,
            snapshot=_json(played.snapshot),
            result=_json(played.result),
            image_tokens=row.image_tokens + tokens,
            text_tokens=row.text_tokens + text_tokens(note + answer + played.seen.text),
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
                # A successful tool call is kept whole: a replay needs all of it.
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
            # The world is a step ahead of the store: it is opened again from the store.
            await self._running.forget(live)
            raise
        return replace(_turn(row, world, note, shot, played.answer), tree=played.seen.text)

    def _shot(self, world: World, frame: bytes | None) -> Shot | None:
        if frame is None:
            return None
        return Shot(frame, self._running.size(world))

    async def _shown(self, row: EpisodeRow, world: World, note: str = "") -> Turn:
        return _turn(row, world, note, self._shot(world, await self._frame(row)))

    async def _view(self, live: Live, row: EpisodeRow, world: World) -> Turn:
        most = LOOKS_PER_STEP * world.limit
        if row.looks >= most:
            raise ExamError(
                f"the limit of {most} screenshots is reached: call act or submit_answer"
            )
        size = self._running.size(world)
        row = replace(
            row,
            looks=row.looks + 1,
            calls=row.calls + 1,
            image_tokens=row.image_tokens + image_tokens(size),
        )
        # In real time the page may have changed since the last step.
        running = live.episode is not None and row.state is EpisodeState.OPEN
        marks = live.seen is not None and live.seen.elements
        if running and live.episode and not marks:
            frame = await live.episode.view()
        else:
            frame = await self._frame(row)
        await self._service.database.write(lambda c: queries.keep(c, row, (), None))
        return _turn(row, world, "", self._shot(world, frame))

    async def _found(self, attempt: Attempt, item: str) -> tuple[int, World | None]:
        """Return an item's position in its attempt, and its world."""
        database = self._service.database
        found = await database.off_loop(
            lambda: database.read(lambda c: item_row(c, attempt.id, item))
        )
        return found.place, self._service.exam.line(found.task, found.item).world

    async def _open_episode(self, attempt: Attempt, lease: Lease, world: World) -> EpisodeRow:
        """Return an episode that a step is possible in.

        Raises:
            ExamError: It is not open, or over.
        """
        row = _opened(await self._row(attempt.id, lease.item.place), lease.client)
        _check_playable(row)
        self._check_time(row, attempt, world)
        return row

    def _check_time(self, row: EpisodeRow, attempt: Attempt, world: World) -> None:
        """Check that an episode's limits allow a step.

        Raises:
            ExamError: It is over.
        """
        minutes = attempt.rules.episode_minutes
        if row.over:
            raise ExamError("the page has ended the task: call submit_answer")
        if row.steps >= world.limit:
            raise ExamError(f"all {world.limit} steps are used: call submit_answer")
        if minutes is not None and self._service.now() > row.opened + minutes * 60_000:
            raise ExamError(f"the {minutes:g} minutes of this task are over: call submit_answer")

    async def _row(self, attempt: int, place: int) -> EpisodeRow | None:
        key = {"a": attempt, "p": place}
        database = self._service.database
        return await database.off_loop(
            lambda: database.read(lambda c: queries.EPISODE.first(c, key))
        )

    async def _steps(self, row: EpisodeRow) -> Sequence[StepRow]:
        key = {"a": row.attempt, "p": row.place, "e": row.number}
        database = self._service.database
        return await database.off_loop(lambda: database.read(lambda c: queries.STEPS.all(c, key)))

    async def _frame(self, row: EpisodeRow) -> bytes | None:
        last = (await self._steps(row))[-1]
        if last.frame is None:
            return None
        key = {"a": row.attempt, "d": last.frame}
        database = self._service.database
        found = await database.off_loop(lambda: database.read(lambda c: queries.FRAME.one(c, key)))
        return found.data


@dataclass(frozen=True, slots=True)
class _Step:
    """A step: its input, None if the action could not be read, and its note."""

    input: Input | None
    note: str


def _turn(
    row: EpisodeRow, world: World, note: str, shot: Shot | None, answer: JsonValue = None
) -> Turn:
    left = max(0, world.limit - row.steps)
    return Turn(row.steps, left, row.over or not left, note, shot, answer)


def _see_as(attempt: Attempt, row: EpisodeRow) -> Callable[[int], Seeing]:
    """Return what says how an agent sees the page some steps after a row's."""

    def see_as(more: int) -> Seeing:
        seed = seed_of(attempt.secret, row.place, row.number, row.steps + more)
        return Seeing(attempt.rules.door, seed)

    return see_as


def _token(attempt: Attempt, row: EpisodeRow) -> str:
    """Return the token of an episode's address, the same one each time; empty: it has none."""
    if attempt.rules.door not in AT_ADDRESS:
        return ""
    known = f"{row.place} {row.number}".encode()
    return hmac.new(attempt.secret, known, sha256).hexdigest()


def _entered(row: EpisodeRow, cookie: str, *, move: bool) -> str:
    """Return the cookie that a browser gets; empty: it has the episode already.

    Raises:
        OtherBrowserError: Another browser has it.
    """
    if row.browser is None or (move and row.browser != _digest(cookie)):
        return secrets.token_hex(32)
    if not hmac.compare_digest(row.browser, _digest(cookie)):
        raise OtherBrowserError
    return ""


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _pointer(done: Sequence[Input]) -> Point | None:
    points = [point for given in done for point in given.path]
    return points[-1] if points else None


def _inputs(taken: Sequence[StepRow]) -> list[Input]:
    return [msgspec.json.decode(step.input, type=Input) for step in taken if step.input]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _key(attempt: Attempt, lease: Lease) -> Key:
    return attempt.id, lease.item.place


def _world(lease: Lease) -> World:
    world = lease.question.line.world
    if world is None:
        raise ExamError(
            f"item {lease.item.opaque} is not interactive: answer it with submit_answer",
            field="item",
        )
    return world


def _opened(row: EpisodeRow | None, client: str) -> EpisodeRow:
    """Return an episode that a client has opened.

    Raises:
        ExamError: It is not open, or another client plays it.
    """
    if row is None or row.client != client:
        raise ExamError("the episode is not open: call get_item first", field="item")
    return row


def _check_playable(row: EpisodeRow) -> None:
    if row.state is EpisodeState.ENDED:
        raise ExamError("the episode has ended: call get_item for the next item")
    if row.state is EpisodeState.BROKEN:
        raise ExamError(_broken(row))


def _broken(row: EpisodeRow) -> str:
    again = (
        "Call get_item with this item to start it again, or"
        if row.number < MOST_TRIES
        else "To go on,"
    )
    return f"{FAULT}. It counts as an error and never as a failure. {again} submit the answer done."
