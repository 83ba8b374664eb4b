"""One browser and one thread for all environments of a process, and the episodes in them."""

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.table import gold_shape
from snellen.grading.score_table import score_one
from snellen.tasks.environments.acting import Screen, read_act
from snellen.tasks.environments.base import (
    NO_HISTORY,
    Environment,
    Episode,
    EpisodeError,
    History,
    ToolEpisode,
)
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.table import environment_of, toolset_of
from snellen.worlds.training.actions import END, call_of, end_of
from snellen.worlds.training.tasks import TrainingTask, partial_credit

T = TypeVar("T")

STEP_SECONDS = 60.0
MOST_BUSY = 8
"""How many worlds work at the same time; more only slow each other down."""


class Thread:
    """The thread of a process's environments, with its event loop and its browser.

    All environments of a process share it; it ends with the last of them.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._environments: dict[str, Environment] = {}
        self._busy: asyncio.Semaphore | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread, and wait for it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    @property
    def busy(self) -> asyncio.Semaphore:
        """Held by a world that works."""
        if self._busy is None:
            self._busy = asyncio.Semaphore(MOST_BUSY)
        return self._busy

    def environment(self, name: str) -> Environment:
        """Return an environment, with a browser that starts at its first page."""
        if name not in self._environments:
            self._environments[name] = environment_of(name, Browser())
        return self._environments[name]

    def close(self) -> None:
        """Close the browsers, and end the thread."""
        for environment in self._environments.values():
            self.run(environment.close())
        self._environments.clear()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Shared:
    """The thread of this process and how many use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: Thread | None = None
        self._users = 0

    def take(self) -> Thread:
        """Return the thread for one more user."""
        with self._lock:
            if self._thread is None or self._thread.process != os.getpid():
                # After a fork there is only this thread.
                self._thread, self._users = Thread(), 0
            self._users += 1
            return self._thread

    def leave(self, thread: Thread) -> None:
        """Close the thread after its last user."""
        with self._lock:
            if thread is not self._thread or thread.process != os.getpid():
                return
            self._users -= 1
            if self._users > 0:
                return
            self._thread = None
        thread.close()

    def end(self) -> None:
        """Close the thread, whoever uses it."""
        thread, self._thread = self._thread, None
        if thread is not None and thread.process == os.getpid():
            thread.close()


SHARED = _Shared()
atexit.register(SHARED.end)


class Turn(NamedTuple):
    """The state after an action."""

    frame: bytes | None  # the screenshot, as PNG; None with tools
    note: str = ""  # what it does not show
    result: JsonValue = None  # the answer of the tool that was called
    terminated: bool = False  # whether the agent or the page ended the episode
    truncated: bool = False  # whether all steps are used
    reward: float = 0.0  # the reward; 0 before the end
    record: Mapping[str, JsonValue] | None = None  # what is judged; None before the end
    fault: str = ""  # why the world broke; empty: it did not


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for all episodes of an environment.

    Attributes:
        protocol: Judges the records; by task id.
        tools: Whether agents call tools instead of using a screen.
        partial: Whether the reward is partial credit.
        raises: Whether an action outside the space raises; else it costs a step.
    """

    protocol: Mapping[str, Protocol]
    tools: bool = False
    partial: bool = False
    raises: bool = True


@dataclass(slots=True)
class Play:
    """One episode of a task."""

    task: TrainingTask
    rules: Rules
    inputs: list[Input] = field(default_factory=list[Input])  # all inputs so far
    steps: int = 0  # how many steps were used
    over: bool = False  # whether no further step is possible
    _screen: Screen = field(default_factory=lambda: Screen(1, 1))
    _episode: Episode | None = None
    _calls: ToolEpisode | None = None

    async def open(self, thread: Thread, history: History = NO_HISTORY) -> Turn:
        """Open the world.

        Raises:
            EpisodeError: It can't be opened.
        """
        name = self.task.choice.environment
        if self.rules.tools:
            self._calls = toolset_of(name).open(self.task.world, history)
            return Turn(None)
        environment = thread.environment(name)
        self._screen = Screen(*environment.size)
        async with _working(thread):
            self._episode = await environment.open(self.task.world, history)
            return Turn(await self._episode.view())

    @property
    def goal(self) -> str:
        """The goal in words."""
        return self.task.goal or str(getattr(self._episode, "goal", ""))

    async def step(self, thread: Thread, action: object) -> Turn:
        """Do an action; one that can't be read costs a step.

        Raises:
            EpisodeError: The world broke.
        """
        try:
            said = end_of(action)
            if said is not None:
                return await self._ended(said, "submitted", terminated=True)
            return await (self._call(action) if self.rules.tools else self._act(thread, action))
        except InputError as error:
            self.steps += 1
            return await self._after(await self._view(), str(error))

    def snapshot(self) -> JsonValue:
        """Return what the world is opened again from."""
        world = self._calls or self._episode
        return None if world is None else world.snapshot

    async def close(self) -> None:
        """Close the world; a second call does nothing."""
        episode, self._episode, self._calls = self._episode, None, None
        if episode is not None:
            await episode.close()

    async def _act(self, thread: Thread, action: object) -> Turn:
        acted = read_act(action, replace(self._screen, pointer=_pointer(self.inputs)))
        if acted.end:
            raise InputError(END)
        notes, episode = [acted.note], self._world()
        async with _working(thread):
            for each in acted.inputs[: self.task.limit - self.steps]:
                notes.append(await episode.act(each))
                self.inputs.append(each)
                self.steps += 1
                if episode.ended:
                    break
            frame = await episode.view()
        return await self._after(frame, "; ".join(filter(None, notes)))

    async def _call(self, action: object) -> Turn:
        call = call_of(action)
        if self._calls is None:
            raise EpisodeError("the world is closed")
        result = self._calls.call(call.tool, call.arguments)
        self.steps += 1
        return await self._after(None, "", result)

    async def _after(self, frame: bytes | None, note: str, result: JsonValue = None) -> Turn:
        if self._episode is not None and self._episode.ended:
            turn = await self._ended({}, "page", terminated=True, frame=frame)
        elif self.steps >= self.task.limit:
            turn = await self._ended({}, "limit", terminated=False, frame=frame)
        else:
            return Turn(frame, note, result)
        return turn._replace(note=note, result=result)

    async def _ended(
        self,
        said: Mapping[str, JsonValue],
        end: str,
        *,
        terminated: bool,
        frame: bytes | None = None,
    ) -> Turn:
        world = self._calls or self._world()
        record = {**said, **world.result}
        record |= {"cost": self.steps, "limit": self.task.limit, "end": end}
        if self.rules.tools:
            record["door"] = "tools"
        self.over = True
        gold, task = self.task.gold, self.task.id
        context = gold_shape(task).context(gold)
        score = score_one(self.rules.protocol[task], record, gold, context)
        credit = partial_credit(self.task, record, score) if self.rules.partial else score.value
        if frame is None:
            frame = await self._view()
        return Turn(frame, "", None, terminated, not terminated, credit, record)

    async def _view(self) -> bytes | None:
        return None if self._episode is None else await self._episode.view()

    def _world(self) -> Episode:
        if self._episode is None:
            raise EpisodeError("the world is closed")
        return self._episode


@asynccontextmanager
async def _working(thread: Thread) -> AsyncGenerator[None]:
    """Wait for a turn, and end what takes too long."""
    try:
        async with thread.busy, asyncio.timeout(STEP_SECONDS):
            yield
    except TimeoutError:
        raise EpisodeError(f"the world hung for {STEP_SECONDS:g} s") from None


def _pointer(done: Sequence[Input]) -> Point | None:
    points = [point for given in done for point in given.path]
    return points[-1] if points else None
