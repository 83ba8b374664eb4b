"""The running episodes of this process; any of them can be closed and reopened."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.server.episodes.seeing import Observation, Seeing, see
from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent
from snellen.tasks.environments.base import (
    Answered,
    CallError,
    Environment,
    Episode,
    History,
    PageEpisode,
    Pages,
    Request,
    ToolEpisode,
    Toolset,
)
from snellen.tasks.environments.inputs import Input
from snellen.tasks.models import World

MOST_OPEN = 32
"""The maximum number of open worlds; the one that is idle longest is closed first."""
MOST_BUSY = 8
"""The maximum number of worlds that work at the same time; more only slow each other down."""
BUSY_SECONDS = 20.0
"""How long a call waits for its turn before it is refused."""
IDLE_SECONDS = 600.0

Key = tuple[int, int]
"""An attempt, and the position of an item in it."""
JsonObject = Mapping[str, JsonValue]
_NOTHING: JsonObject = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StepResult:
    """A world's state after inputs."""

    seen: Observation  # nothing if the agent calls tools, or has the page itself
    notes: Sequence[str]  # a note for each input that was done
    over: bool  # whether the page has ended the task
    snapshot: JsonValue = field(repr=False)  # the data to open the world again in this state
    result: JsonObject = field(repr=False)  # the data that the grader needs
    answer: JsonValue = field(default=None, repr=False)  # the answer of the called tool
    page: Answered | None = field(default=None, repr=False)  # what the page's browser gets


@dataclass(slots=True)
class Live:
    """A slot for a running world."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # held during a call
    episode: Episode | None = None  # the world with its screen; None if it is not open
    calls: ToolEpisode | None = None  # the world with its tools; it holds no resources
    page: PageEpisode | None = None  # the world with its page; it holds no resources
    seen: Observation | None = None  # what the agent got last of the page; None if it is not open
    used: float = 0.0  # the time of the last call, by the loop's clock


class Running:
    """All running worlds.

    Args:
        environment: Returns an environment by its name, the same one each time.
        toolset: Returns the tools of an environment by its name.
        pages: Returns the pages of an environment by its name.
    """

    def __init__(
        self,
        environment: Callable[[str], Environment],
        toolset: Callable[[str], Toolset],
        pages: Callable[[str], Pages],
    ) -> None:
        self._environment = environment
        self._toolset = toolset
        self._pages = pages
        self._live: dict[Key, Live] = {}
        self._busy = asyncio.Semaphore(MOST_BUSY)
        self._used: set[str] = set()

    def size(self, world: World) -> Extent:
        """Return the width and height of a world's screen."""
        return Extent(*self._environment(world.environment).size)

    def lock(self, key: Key) -> asyncio.Lock:
        """Return the lock of an episode, which is held during a call."""
        return self._live.setdefault(key, Live()).lock

    @asynccontextmanager
    async def playing(self, key: Key) -> AsyncGenerator[Live]:
        """Hold an episode's lock and one of the slots for worlds that work.

        After any fault the world is closed: only the store has its state then.

        Raises:
            ExamError: The server is busy.
        """
        live = self._live.setdefault(key, Live())
        async with _held(live.lock), _held(self._busy):
            try:
                await self._make_room(key)
                yield live
            except ExamError:
                raise
            except BaseException:
                await self.forget(live)
                raise
            finally:
                live.used = asyncio.get_running_loop().time()

    async def play(
        self,
        live: Live,
        world: World,
        history: Callable[[], History],
        see_as: Callable[[int], Seeing],
        inputs: Sequence[Input] = (),
    ) -> StepResult:
        """Open a world if it is not open, and do inputs until the page ends the task.

        Args:
            live: Its slot.
            world: The world.
            history: Returns its history, to open it.
            see_as: Returns how its agent sees the page after a number of further inputs.
            inputs: The inputs.
        """
        if live.episode is None:
            self._used.add(world.environment)
            live.episode = await self._environment(world.environment).open(world.start, history())
        episode = live.episode
        notes: list[str] = []
        for given in inputs:
            try:
                notes.append(await episode.act(given))
            except InputError as error:
                notes.append(str(error))
            if episode.ended:
                break
        live.seen = await see(episode, see_as(len(notes)))
        return StepResult(live.seen, notes, episode.ended, episode.snapshot, episode.result)

    async def call(
        self,
        live: Live,
        world: World,
        history: Callable[[], History],
        tool: str = "",
        given: JsonObject = _NOTHING,
    ) -> StepResult:
        """Open a world for tools if it is not open, and call a tool if one is named."""
        if live.calls is None:
            live.calls = self._toolset(world.environment).open(world.start, history())
        notes: list[str] = []
        answer: JsonValue = None
        try:
            answer = live.calls.call(tool, given) if tool else None
        except CallError as error:
            notes.append(str(error))
        return StepResult(
            Observation(), notes, False, live.calls.snapshot, live.calls.result, answer
        )

    async def serve(
        self,
        live: Live,
        world: World,
        history: Callable[[], History],
        request: Request | None = None,
    ) -> StepResult:
        """Open a world for its page if it is not open, and answer a request if there is one."""
        if live.page is None:
            live.page = self._pages(world.environment).open(world.start, history())
        page = None if request is None else live.page.answer(request)
        return StepResult(Observation(), [], False, live.page.snapshot, live.page.result, page=page)

    async def forget(self, live: Live) -> None:
        """Close a world; the next call opens it again."""
        episode, live.episode, live.seen = live.episode, None, None
        live.calls = live.page = None
        if episode is not None:
            await episode.close()

    async def drop(self, key: Key) -> None:
        """Close a world and free its slot."""
        live = self._live.pop(key, None)
        if live is not None:
            await self.forget(live)

    async def reap(self) -> None:
        """Close worlds that are idle for long."""
        now = asyncio.get_running_loop().time()
        for key, live in list(self._live.items()):
            if not live.lock.locked() and now - live.used > IDLE_SECONDS:
                await self.drop(key)

    async def close(self) -> None:
        """Close every world and the browser."""
        for key in list(self._live):
            await self.drop(key)
        for name in self._used:
            await self._environment(name).close()

    async def _make_room(self, key: Key) -> None:
        running = [
            (live.used, other)
            for other, live in self._live.items()
            if other != key and live.episode is not None and not live.lock.locked()
        ]
        running.sort()
        for _, other in running[: max(0, len(running) - MOST_OPEN + 1)]:
            await self.drop(other)


@asynccontextmanager
async def _held(lock: asyncio.Lock | asyncio.Semaphore) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(BUSY_SECONDS):
            await lock.acquire()
    except TimeoutError:
        raise ExamError("the server is busy with other episodes: call again in 5 seconds") from None
    try:
        yield
    finally:
        lock.release()
