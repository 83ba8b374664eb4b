"""The host of an exam: packs, references and the store, opened on first use.

MCP hosts give a server a second or two to list its tools, so nothing is opened before that.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snellen.grading.errors import MissingExtraError, MissingProgramError, SnellenError
from snellen.server.errors import ExamError
from snellen.server.exam.rules import AT_ADDRESS, ON_STAGE, Door
from snellen.server.logs import log

if TYPE_CHECKING:
    from snellen.server.attempts.service import Service
    from snellen.server.challenge.service import Challenge
    from snellen.server.episodes.service import Episodes
    from snellen.server.screenshots.service import Screenshots
    from snellen.server.settings import Settings
    from snellen.server.store.database import Database
    from snellen.tasks.environments.base import Environment, WorldTool


@dataclass(frozen=True, slots=True)
class Host:
    """An open exam."""

    service: "Service"  # the rules
    screenshots: "Screenshots"  # makes views of images
    database: "Database"  # the store
    episodes: "Episodes | None" = None  # plays interactive items; None: there are none

    async def end_episodes(self) -> None:
        """End running episodes and their browser."""
        if self.episodes is not None:
            await self.episodes.close()

    def close(self) -> None:
        """Close everything that was opened."""
        self.screenshots.close()
        self.database.close()


class HostError(SnellenError):
    """The exam can't be opened.

    Args:
        error: The cause. It is shown to the examinee if software is missing, which the user who
            started the server can install. Otherwise it is in the server's log, for the organizer.
    """

    def __init__(self, error: Exception | None = None) -> None:
        if isinstance(error, MissingExtraError | MissingProgramError):
            why = f": {error}"
        else:
            why = ", and the server's log says why; tell the exam's organizer"
        super().__init__(f"the exam can't be opened{why}")


class LazyHost:
    """An exam that is opened once, on a thread, on first use.

    Args:
        open_now: Opens it.
        door: The interface of its interactive items; None: it has none. Tools are listed before it
            is opened.
        tools: The tools of these items, where they are done by tools.

    Attributes:
        address: The address of its pages, for clients that do not use HTTP; empty: it has none.
    """

    def __init__(
        self,
        open_now: Callable[[], Host],
        *,
        door: Door | None = None,
        tools: "Sequence[WorldTool]" = (),
    ) -> None:
        self.door = door
        self.tools = tools
        self.address = ""
        self._open_now = open_now
        self._opened: Host | None = None
        self._task: asyncio.Task[Host] | None = None
        self._closed = False

    async def get(self) -> Host:
        """Return the exam; several callers wait for one opening.

        Raises:
            HostError: It can't be opened; the next call tries again.
        """
        if self._opened is not None:
            return self._opened
        if self._closed:
            raise HostError
        try:
            # Cancelling one caller must not cancel the opening for the others.
            return await asyncio.shield(self._begun())
        except Exception as error:
            raise HostError(error) from error

    def begin(self) -> None:
        """Start opening it, unless already started; return at once."""
        if self._opened is None and not self._closed:
            self._begun()

    async def flush(self) -> None:
        """Write pending data, if the exam was opened."""
        if self._opened is not None:
            await self._opened.service.flush()
            if self._opened.episodes is not None:
                await self._opened.episodes.reap()

    async def close(self) -> None:
        """Wait for an opening in progress, write pending data and close everything."""
        self._closed = True
        if self._task is not None:
            with suppress(Exception):  # it was logged
                await asyncio.shield(self._task)
        if self._opened is not None:
            opened, self._opened = self._opened, None
            try:
                await opened.service.flush()
                await opened.end_episodes()
            finally:
                opened.close()

    def _begun(self) -> "asyncio.Task[Host]":
        if self._task is None:
            self._task = asyncio.ensure_future(asyncio.to_thread(self._open_now))
            self._task.add_done_callback(self._done)
        return self._task

    def _done(self, task: "asyncio.Task[Host]") -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            message = str(error) if isinstance(error, SnellenError) else type(error).__name__
            log().error("not opened", message=message)
        if task.cancelled() or error is not None:
            self._task = None
        else:
            self._opened = task.result()


def open_exam(settings: "Settings") -> Host:
    """Open packs, references (unless answers are only recorded) and the store.

    Args:
        settings: The packs, the store and the rules.

    Raises:
        SnellenError: A pack, its references or the store can't be opened.
    """
    from snellen.server.attempts.service import Service
    from snellen.server.exam.phases import Phases
    from snellen.server.grading.exam import read_exam, references_digest
    from snellen.server.screenshots.service import Screenshots
    from snellen.server.store import queries
    from snellen.server.store.schema import open_store

    exam = read_exam(settings)
    database = open_store(settings.store)
    service = Service(
        exam,
        database,
        phases=Phases(
            settings.exam_file, lambda: database.read(lambda c: queries.MOVES.all(c, {}))
        ),
        secret=lambda: references_digest(settings),
    )
    episodes = open_episodes(service) if _environments(settings) else None
    return Host(service, Screenshots(), database, episodes)


def open_episodes(service: "Service") -> "Episodes":
    """Return the runner of interactive items, with one browser that starts with the first item.

    Raises:
        SnellenError: There is no browser.
    """
    from functools import cache

    from snellen.server.episodes.service import Episodes
    from snellen.tasks.environments.browser import Browser
    from snellen.tasks.environments.table import environment_of

    browser = Browser() if service.exam.rules.door in ON_STAGE else None

    @cache
    def environment(name: str) -> "Environment":
        if browser is None:
            raise ExamError("there is no screen here")
        return environment_of(name, browser)

    return Episodes(service, environment)


def lazy_host(settings: "Settings", open_now: Callable[[], Host]) -> LazyHost:
    """Return an exam that is opened on first use; only manifests are read now.

    Raises:
        InputError: An environment can't be acted in through the door.
        ExamError: The door is another than the screen, and no item is interactive.
    """
    from snellen.tasks.environments.table import pages_of, toolset_of

    door, names = settings.rules.door, _environments(settings)
    if not names:
        if door is not Door.SCREEN:
            raise ExamError(
                f"with door {door}, the exam needs interactive items, but these packs have none"
            )
        return LazyHost(open_now)
    if door in AT_ADDRESS:
        for name in names:
            pages_of(name, door)
    called = names if door is Door.TOOLS else ()
    tools = [tool for name in called for tool in toolset_of(name).tools]
    return LazyHost(open_now, door=door, tools=tools)


def _environments(settings: "Settings") -> "Sequence[str]":
    """Return the environments of interactive items; only manifests are read."""
    from snellen.tasks.samples.generated import generated_exam

    found: dict[str, None] = {}
    for name in settings.episodes:
        found[generated_exam(name).environment] = None
    for pack in settings.packs:
        for task in json.loads((pack / "manifest.json").read_bytes()).get("tasks", ()):
            if task.get("environment"):
                found[task["environment"]] = None
    return list(found)


def open_challenge(settings: "Settings", host: Host) -> "Challenge":
    """Return the challenge over an open exam.

    Raises:
        SnellenError: The references can't be read, or the exam file does not fit the exam.
    """
    from snellen.server.challenge.service import Challenge
    from snellen.server.grading.exam import references_digest

    digest = references_digest(settings)
    return Challenge(settings.exam_file, host.service.exam, digest, host.database)
