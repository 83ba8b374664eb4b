"""What an environment is: it opens episodes, and an episode takes inputs and shows itself.

The server counts, stores and decides; an environment only runs. Its references are no concern of
it: what it says of an episode's end (`Episode.result`) is held against them by whoever grades.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, JsonValue

from snellen.grading.errors import InputError, SnellenError
from snellen.tasks.environments.inputs import Input


class EpisodeError(SnellenError):
    """The environment broke (a crash, a hung page, no browser): never the agent's failure."""


class CallError(InputError):
    """A call that the application refuses: it costs a step, and nothing happens."""


@dataclass(frozen=True, slots=True)
class Past:
    """What was done in an episode so far: enough to open it again as it was.

    Attributes:
        inputs: Every input that was acted, in order.
        snapshot: What `Episode.snapshot` said after the last of them.
    """

    inputs: Sequence[Input] = ()
    snapshot: JsonValue = None


NOTHING = Past()


class Episode(Protocol):
    """One running episode: a world of its own. Not for use by two tasks at once."""

    async def act(self, given: Input) -> str:
        """Do one input, and wait until the page has settled.

        Returns:
            A note for the agent, such as that a window was closed; empty: none.

        Raises:
            EpisodeError: The page crashed or never settled.
        """
        ...

    async def view(self) -> bytes:
        """Return what the screen shows now, as a PNG.

        Raises:
            EpisodeError: It can't be shown.
        """
        ...

    @property
    def ended(self) -> bool:
        """Whether the page itself ended the episode: no further input is taken."""
        ...

    @property
    def snapshot(self) -> JsonValue:
        """What is needed to open it again as it is now; None where its inputs are done again."""
        ...

    @property
    def result(self) -> dict[str, JsonValue]:
        """What a grader needs to know of the episode as it stands now."""
        ...

    async def close(self) -> None:
        """Give up what it holds; twice does no harm."""
        ...


@asynccontextmanager
async def opening(episode: Episode) -> AsyncGenerator[None]:
    """Close an episode that could not be opened, or not be brought to where it was.

    Raises:
        EpisodeError: An input of its past can't be done again.
    """
    try:
        yield
    except BaseException as error:
        await episode.close()
        if isinstance(error, InputError):
            raise EpisodeError(f"its past can't be brought back: {error.message}") from error
        raise


class Environment(Protocol):
    """A kind of world."""

    @property
    def name(self) -> str:
        """What packs call it."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its screenshots, in pixels."""
        ...

    async def open(self, world: JsonValue, past: Past = NOTHING) -> Episode:
        """Open an episode, or open it again.

        Args:
            world: What the pack's item says of it, such as its first state.
            past: What was done in it before.

        Raises:
            EpisodeError: It can't be opened, or its past can't be brought back.
            DataError: `world` is none of this environment.
        """
        ...

    async def close(self) -> None:
        """End the browser, if it runs."""
        ...


@dataclass(frozen=True, slots=True)
class WorldTool:
    """Something that can be done in a world, or read of it, without a screen.

    Attributes:
        name: Unique in its environment.
        description: One sentence.
        arguments: What it takes.
        reads: Whether it changes nothing.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    reads: bool = False


class ToolEpisode(Protocol):
    """One world that is acted in by calls of tools; no page shows it."""

    def call(self, tool: str, given: Mapping[str, JsonValue]) -> JsonValue:
        """Call a tool and return its answer.

        Raises:
            CallError: The application refuses it, or an argument is wrong; nothing was done.
        """
        ...

    @property
    def snapshot(self) -> JsonValue:
        """What is needed to open it again as it is now."""
        ...

    @property
    def result(self) -> dict[str, JsonValue]:
        """What a grader needs to know, in the same form as that of `Episode`."""
        ...


class Toolset(Protocol):
    """The tools of an environment that can be acted in without a screen, and so without a browser.

    Its worlds are those of the environment of the same name.
    """

    @property
    def name(self) -> str:
        """What packs call the environment."""
        ...

    @property
    def tools(self) -> Sequence[WorldTool]:
        """What can be called, the same in all its worlds."""
        ...

    def open(self, world: JsonValue, past: Past = NOTHING) -> ToolEpisode:
        """Open an episode, or open it again from its snapshot.

        Raises:
            DataError: `world` is none of this environment.
        """
        ...
