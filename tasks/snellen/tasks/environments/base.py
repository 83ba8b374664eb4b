"""The interfaces of environments: an environment opens episodes, an episode takes inputs.

The server counts steps, stores episodes and decides what is allowed; an environment only runs
episodes. It has no references: the grader compares `Episode.result` with them.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import BaseModel, JsonValue

from snellen.grading.errors import InputError, SnellenError
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.survey import Node


class EpisodeError(SnellenError):
    """The environment broke (a crash, a hung page, no browser): never the agent's failure."""


class CallError(InputError):
    """A call that the application refuses: it costs a step, and nothing happens."""


@dataclass(frozen=True, slots=True)
class History:
    """The history of an episode: enough to open it again in the same state."""

    inputs: Sequence[Input] = ()  # every input so far, in order
    snapshot: JsonValue = None  # `Episode.snapshot` after the last of them


NO_HISTORY = History()


class Episode(Protocol):
    """One running episode in its own world. Two tasks must not use it at the same time."""

    async def act(self, given: Input) -> str:
        """Do one input, and wait until the page has settled.

        Returns:
            A note for the agent, such as that a window was closed; empty without one.

        Raises:
            EpisodeError: The page crashed or never settled.
        """
        ...

    async def view(self) -> bytes:
        """Return a screenshot as a PNG.

        Raises:
            EpisodeError: The page can't be shown.
        """
        ...

    async def survey(self) -> Sequence[Node]:
        """Return the page's accessibility tree; the page does not change, and no time passes in it.

        Raises:
            EpisodeError: The page crashed or hangs.
        """
        ...

    @property
    def ended(self) -> bool:
        """Whether the page itself ended the episode: no further input is taken."""
        ...

    @property
    def snapshot(self) -> JsonValue:
        """The data to open it again in this state; None if its inputs are repeated instead."""
        ...

    @property
    def result(self) -> dict[str, JsonValue]:
        """The data that a grader needs about the current state."""
        ...

    async def close(self) -> None:
        """Release its resources; a second call does nothing."""
        ...


@asynccontextmanager
async def opening(episode: Episode) -> AsyncGenerator[None]:
    """Close an episode if it can't be opened or its history can't be repeated.

    Raises:
        EpisodeError: An input of its history can't be repeated.
    """
    try:
        yield
    except BaseException as error:
        await episode.close()
        if isinstance(error, InputError):
            raise EpisodeError(f"its history can't be repeated: {error.message}") from error
        raise


class Environment(Protocol):
    """An environment: an application, or a set of pages, that runs episodes."""

    @property
    def name(self) -> str:
        """Its name in packs."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its screenshots, in pixels."""
        ...

    async def open(self, world: JsonValue, history: History = NO_HISTORY) -> Episode:
        """Open an episode, or open it again.

        Args:
            world: Its beginning from the pack's item, such as the first state.
            history: Its history, to open it again.

        Raises:
            EpisodeError: It can't be opened, or its history can't be repeated.
            DataError: `world` is not a world of this environment.
        """
        ...

    async def close(self) -> None:
        """Close the browser, if it runs."""
        ...


@dataclass(frozen=True, slots=True)
class WorldTool:
    """A tool that changes a world, or reads it, without a screen."""

    app: str  # the application that it belongs to. An agent sees one tool for each application.
    name: str  # unique in its environment
    description: str  # one sentence
    arguments: type[BaseModel]  # the model of its arguments
    reads: bool = False  # whether it only reads


class ToolEpisode(Protocol):
    """One world that tool calls read and change; no page shows it."""

    def call(self, tool: str, given: Mapping[str, JsonValue]) -> JsonValue:
        """Call a tool and return its answer.

        Raises:
            CallError: The application refuses it, or an argument is wrong; nothing changes.
        """
        ...

    @property
    def snapshot(self) -> JsonValue:
        """The data to open it again in this state."""
        ...

    @property
    def result(self) -> dict[str, JsonValue]:
        """The data that a grader needs, in the same form as that of `Episode`."""
        ...


class Request(NamedTuple):
    """A page's request."""

    method: str  # the HTTP method, such as `POST`
    url: str  # the whole URL, or the path below a page's address
    body: bytes = b""  # the body as sent; empty without one


class Reply(NamedTuple):
    """The response to a page's request."""

    status: int  # the HTTP status. The browser refuses a redirect.
    type: str  # the content type, with its charset
    body: bytes
    headers: Mapping[str, str] = {}  # further headers


class Answered(NamedTuple):
    """What a page got for its request."""

    reply: Reply
    done: Mapping[str, JsonValue] | None = None
    """What the request did, in words that mean the same in another rendering; None: nothing."""


class PageEpisode(Protocol):
    """One world whose page a browser shows that is not the server's.

    The page holds no checker and no reference: it sends what is clicked and written, and gets HTML.
    """

    def answer(self, request: Request) -> Answered:
        """Answer a request of the page; its URL is a path relative to the page's address."""
        ...

    def repeat(self, done: Mapping[str, JsonValue]) -> None:
        """Do once more what a request did.

        Raises:
            EpisodeError: The page does not offer it.
        """
        ...

    @property
    def snapshot(self) -> JsonValue:
        """The data to open it again in this state."""
        ...

    @property
    def result(self) -> dict[str, JsonValue]:
        """The data that a grader needs, in the same form as that of `Episode`."""
        ...


class Pages(Protocol):
    """The pages of an environment for browsers that are not the server's.

    Its worlds are those of the environment of the same name.
    """

    @property
    def name(self) -> str:
        """The environment's name in packs."""
        ...

    def open(self, world: JsonValue, history: History = NO_HISTORY) -> PageEpisode:
        """Open an episode, or open it again from its snapshot.

        Raises:
            DataError: `world` is not a world of this environment.
        """
        ...


class Toolset(Protocol):
    """The tools of an environment, for episodes without a screen and without a browser.

    Its worlds are those of the environment of the same name.
    """

    @property
    def name(self) -> str:
        """The environment's name in packs."""
        ...

    @property
    def tools(self) -> Sequence[WorldTool]:
        """The tools, the same in all its worlds."""
        ...

    def open(self, world: JsonValue, history: History = NO_HISTORY) -> ToolEpisode:
        """Open an episode, or open it again from its snapshot.

        Raises:
            DataError: `world` is not a world of this environment.
        """
        ...
