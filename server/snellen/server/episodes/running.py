"""Worlds that run in this process: held by one at a time, and given up at any time."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.server.errors import ExamError
from snellen.server.screenshots.frames import Extent
from snellen.tasks.environments.base import (
    CallError,
    Environment,
    Episode,
    Past,
    ToolEpisode,
    Toolset,
)
from snellen.tasks.environments.inputs import Input
from snellen.tasks.models import World

MOST_OPEN = 32
"""Worlds that are kept running; the one that was idle longest makes way."""
MOST_BUSY = 8
"""Worlds that do something at once: more would only slow each other down."""
BUSY_SECONDS = 20.0
"""How long a call waits for its turn before it is sent away."""
IDLE_SECONDS = 600.0

Key = tuple[int, int]
"""An attempt, and the place of an item in it."""
Said = Mapping[str, JsonValue]
_NOTHING: Said = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Played:
    """How a world stands after inputs.

    Attributes:
        frame: What its screen shows, as PNG; None where it is acted in by tools.
        notes: What is said of each input that was done.
        over: Whether the page has ended the task.
        snapshot: What it can be made of again.
        result: What it says of how it went.
        answer: What the tool that was called answered.
    """

    frame: bytes | None = field(repr=False)
    notes: Sequence[str]
    over: bool
    snapshot: JsonValue = field(repr=False)
    result: Said = field(repr=False)
    answer: JsonValue = field(default=None, repr=False)


@dataclass(slots=True)
class Live:
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


class Running:
    """The worlds that run.

    Args:
        environment: Returns an environment by its name, the same one each time.
        toolset: Returns the tools of an environment by its name.
    """

    def __init__(
        self, environment: Callable[[str], Environment], toolset: Callable[[str], Toolset]
    ) -> None:
        self._environment = environment
        self._toolset = toolset
        self._live: dict[Key, Live] = {}
        self._busy = asyncio.Semaphore(MOST_BUSY)
        self._used: set[str] = set()

    def size(self, world: World) -> Extent:
        """Return the width and height of a world's screen."""
        return Extent(*self._environment(world.environment).size)

    def lock(self, key: Key) -> asyncio.Lock:
        """Return what is held by whoever plays an episode."""
        return self._live.setdefault(key, Live()).lock

    @asynccontextmanager
    async def playing(self, key: Key) -> AsyncGenerator[Live]:
        """Hold an episode, and one of the places of those that do something.

        Whatever goes wrong inside, the world is given up: the store alone knows how it stands.

        Raises:
            ExamError: There is no room now.
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
        self, live: Live, world: World, past: Callable[[], Past], inputs: Sequence[Input] = ()
    ) -> Played:
        """Open a world unless it is open, and do inputs until the page ends the task."""
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
        return Played(frame, notes, episode.ended, episode.snapshot, episode.result)

    async def call(
        self,
        live: Live,
        world: World,
        past: Callable[[], Past],
        tool: str = "",
        given: Said = _NOTHING,
    ) -> Played:
        """Open a world by its tools, unless it is open, and call one unless none is named."""
        if live.calls is None:
            live.calls = self._toolset(world.environment).open(world.start, past())
        notes: list[str] = []
        answer: JsonValue = None
        try:
            answer = live.calls.call(tool, given) if tool else None
        except CallError as error:
            notes.append(str(error))
        return Played(None, notes, False, live.calls.snapshot, live.calls.result, answer)

    async def forget(self, live: Live) -> None:
        """Give a world up; it is opened again when it is played."""
        episode, live.episode, live.calls = live.episode, None, None
        if episode is not None:
            await episode.close()

    async def drop(self, key: Key) -> None:
        """Give a world up, and its place."""
        live = self._live.pop(key, None)
        if live is not None:
            await self.forget(live)

    async def reap(self) -> None:
        """Give up worlds that were idle for long."""
        now = asyncio.get_running_loop().time()
        for key, live in list(self._live.items()):
            if not live.lock.locked() and now - live.used > IDLE_SECONDS:
                await self.drop(key)

    async def close(self) -> None:
        """Give up every world, and end what shows them."""
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
async def _held(place: asyncio.Lock | asyncio.Semaphore) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(BUSY_SECONDS):
            await place.acquire()
    except TimeoutError:
        raise ExamError("the server is busy with other episodes: call again in 5 seconds") from None
    try:
        yield
    finally:
        place.release()
