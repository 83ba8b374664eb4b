"""Episodes of MiniWoB++: a page that starts with a seed and computes its own reward.

The episodes of an exam are generated: each page is opened once to read its goal.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.tasks.benchmarks.miniwob.load import LIMIT, Time, rows_of, write_rows
from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.browser.pinning import script
from snellen.tasks.environments.base import NO_HISTORY, EpisodeError, History, opening
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.stage import Stage, StageSettings, size_of
from snellen.tasks.environments.survey import Node
from snellen.worlds.miniwob.site import installed_site, page_path

NAME: Final = "miniwob"

_SETTINGS: Final = StageSettings(
    width=160,
    height=210,
    scale=4,
    origin="https://miniwob.invalid",
    scripts=(script("worlds/miniwob/page.js"),),
)

# A longer one overflows the timer that ends the episode, which would end at once. A click on the
# cover that hides the page at its end starts a new episode, and erases the reward.
_START: Final = """async (seed) => {
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = 2147483647;
  core.startEpisodeReal();
  core.cover_div.onclick = null;
}"""
# A page that sets the focus to an element may scroll.
_TOP: Final = "() => scrollTo(0, 0)"
_READY: Final = "() => WOB_TASK_READY"
_GOAL: Final = """() => {
  const goal = core.getUtterance();
  return typeof goal === "string" ? goal : goal.utterance;
}"""
_STATE: Final = r"""() => ({
  page: location.pathname.replace(/.*\/|\.html$/g, ""),
  ended: typeof WOB_DONE_GLOBAL !== "undefined" && WOB_DONE_GLOBAL,
  reward: typeof WOB_RAW_REWARD_GLOBAL === "number" && Number.isFinite(WOB_RAW_REWARD_GLOBAL)
    ? WOB_RAW_REWARD_GLOBAL : null,
})"""


class World(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The start of an episode.

    Attributes:
        page: The page, such as `click-button`.
        seed: The seed of the page's random choices.
        time: `stepped`, time passes with inputs only, or `real`.
    """

    page: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    time: Literal["stepped", "real"] = "stepped"


class _State(msgspec.Struct, frozen=True):
    page: str
    ended: bool
    reward: float | None


def read_world(value: object) -> World:
    """Read a world from a pack.

    Raises:
        DataError: It is not a world, or there is no such page.
    """
    try:
        world = msgspec.convert(value, World)
    except msgspec.ValidationError as error:
        raise DataError(f"expected {{page, seed, time}} of MiniWoB++; {error}") from None
    pages = installed_site().pages
    if world.page not in pages:
        raise DataError(str(UnknownNameError("page of MiniWoB++", world.page, pages)))
    return world


class MiniWoBEpisode:
    """One running episode; made by `MiniWoB.open`."""

    def __init__(self, stage: Stage, world: World) -> None:
        self.stage = stage
        self.world = world
        self._goal = ""
        self._state = _State(world.page, False, None)

    @property
    def goal(self) -> str:
        """The goal, in the page's words."""
        return self._goal

    @property
    def ended(self) -> bool:
        """Whether the page ended the episode."""
        return self._state.ended

    @property
    def snapshot(self) -> JsonValue:
        """None: the server repeats its inputs."""
        return None

    @property
    def result(self) -> dict[str, JsonValue]:
        """The page's result.

        `reward`: the raw reward, -1 to 1, without the deduction for time; None if it is not a
        number or the page has not ended. `ended`: whether it has. `page`: the page that is shown.
        `time`: `stepped` or `real`.
        """
        ended = self._state.ended
        return {
            "reward": self._state.reward if ended else None,
            "ended": ended,
            "page": self._state.page,
            "time": self.world.time,
        }

    async def start(self) -> None:
        """Start the page's episode; `MiniWoB.open` calls it.

        Raises:
            EpisodeError: The page is never ready.
        """
        self._goal = await _started(self.stage, self.world)
        await self.stage.run(_TOP)
        await self.stage.settle()

    async def act(self, given: Input) -> str:
        """Do one input.

        Returns:
            A note about what the screenshot does not show; or empty.

        Raises:
            InputError: There is no such input, or the page has ended the episode.
            EpisodeError: The page crashed or never settled.
        """
        if self.ended:
            raise InputError("the page has ended the episode: no further input is possible")
        note = await self.stage.act(given)
        self._state = msgspec.convert(await self.stage.run(_STATE), _State)
        return note

    async def view(self) -> bytes:
        """Return a screenshot as a PNG.

        Raises:
            EpisodeError: The page can't be shown.
        """
        return await self.stage.shot()

    async def survey(self) -> Sequence[Node]:
        """Return the page's accessibility tree.

        Raises:
            EpisodeError: The page crashed or hangs.
        """
        return await self.stage.survey()

    async def close(self) -> None:
        """Close the page; a second call does nothing."""
        await self.stage.close()


class MiniWoB:
    """The environment of MiniWoB++.

    Args:
        browser: In which its pages are shown; it is closed with this environment.

    Raises:
        MissingExtraError: The package `miniwob` is not installed.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._site = installed_site()

    @property
    def name(self) -> str:
        """`miniwob`."""
        return NAME

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its screenshots, in pixels."""
        return size_of(_SETTINGS)

    @property
    def pages(self) -> tuple[str, ...]:
        """Every page, in the order of their names."""
        return self._site.pages

    async def open(self, world: JsonValue, history: History = NO_HISTORY) -> MiniWoBEpisode:
        """Open an episode, or open it again by repeating its inputs.

        Args:
            world: Such as `{"page": "click-button", "seed": 3}`; `time` is `stepped` or `real`.
            history: Its history, to open it again.

        Raises:
            EpisodeError: It can't be opened, or it has a history in real time.
            DataError: `world` is not a world of MiniWoB++.
        """
        begin = read_world(world)
        if history.inputs and begin.time == "real":
            raise EpisodeError(
                f"{begin.page} ran in real time, which can't be repeated: start the item again"
            )
        settings = replace(_SETTINGS, path=page_path(begin.page), time=begin.time)
        episode = MiniWoBEpisode(await self._browser.stage(settings, self._site.answer), begin)
        async with opening(episode):
            await episode.start()
            for given in history.inputs:
                await episode.act(given)
        return episode

    async def goals(self, worlds: Sequence[JsonValue], *, pages: int = 4) -> list[str]:
        """Return the goal of each world, which only its open page states.

        Worlds share a few browser pages, which show one world after the other: a context for each
        world takes twice the time.

        Args:
            worlds: Their beginnings.
            pages: How many browser pages are open at a time.

        Raises:
            EpisodeError: A page can't be opened.
            DataError: A world is not one of MiniWoB++.
        """
        waiting = list(enumerate(map(read_world, worlds)))
        goals = [""] * len(waiting)

        async def read() -> None:
            stage: Stage | None = None
            try:
                while waiting:
                    index, world = waiting.pop()
                    path = page_path(world.page)
                    if stage is None:
                        settings = replace(_SETTINGS, path=path, time="fixed")
                        stage = await self._browser.stage(settings, self._site.answer)
                    else:
                        await stage.visit(path)
                    goals[index] = await _started(stage, world)
            except BaseException:
                waiting.clear()
                raise
            finally:
                if stage is not None:
                    await stage.close()

        ends = await asyncio.gather(*(read() for _ in range(pages)), return_exceptions=True)
        for error in ends:
            if error is not None:
                raise error
        return goals

    async def close(self) -> None:
        """Close the browser, if it runs."""
        await self._browser.close()


async def _started(stage: Stage, world: World) -> str:
    """Start a page's episode and return its goal.

    Raises:
        EpisodeError: The page is never ready.
    """
    await stage.run(_START, world.seed)
    for _ in range(100):
        if await stage.run(_READY):
            return str(await stage.run(_GOAL))
        await stage.advance(100)
        if stage.settings.time != "stepped":
            await asyncio.sleep(0.05)
    raise EpisodeError(f"the page {world.page} is never ready")


def make_episodes(
    starts: Sequence[Start], folder: Path, *, time: Time = "stepped", limit: int = LIMIT
) -> Path:
    """Write the file of an exam's episodes, which `miniwob/episode` loads.

    Args:
        starts: Their pages and seeds: `drawn`, or `browsergym_schedule`.
        folder: The folder for the file.
        time: `stepped`, time passes with inputs only, or `real`.
        limit: The maximum number of steps.

    Returns:
        The file.

    Raises:
        MissingExtraError: The package `miniwob`, or Playwright, is not installed.
        InputError: There is no Chromium.
        EpisodeError: A page can't be opened.
        DataError: There is no such page.
    """
    worlds: list[JsonValue] = [
        {"page": start.page, "seed": start.seed, "time": time} for start in starts
    ]
    return write_rows(rows_of(starts, asyncio.run(_goals(worlds)), time, limit), folder)


async def _goals(worlds: Sequence[JsonValue]) -> list[str]:
    environment = MiniWoB(Browser())
    try:
        return await environment.goals(worlds)
    finally:
        await environment.close()
