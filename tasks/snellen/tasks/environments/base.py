"""What an environment is: it opens episodes, and an episode takes inputs and shows itself.

The server counts, stores and decides; an environment only runs. Its references are no concern of
it: what it says of an episode's end (`Episode.result`) is held against them by whoever grades.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from snellen.grading.errors import SnellenError
from snellen.tasks.environments.inputs import Input


class EpisodeError(SnellenError):
    """The environment broke (a crash, a hung page, no browser): never the agent's failure."""


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
