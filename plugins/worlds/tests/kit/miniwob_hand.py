"""The access of an oracle to a page of MiniWoB++: it reads the DOM, and acts by inputs only."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from snellen.grading.models.actions import Point
from snellen.tasks.environments.inputs import Button, Input, InputKind
from snellen.worlds.miniwob.episodes import MiniWoBEpisode

_TOOLS: Final = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_SCALE: Final = 4
_SUBMIT: Final = "#subbtn, #submit, #area button"


class LostError(Exception):
    """An oracle can't find an element."""


class Hand:
    """The access of an oracle to one episode; points are in CSS pixels.

    Attributes:
        goal: The page's goal.
        quoted: The texts in quotation marks in the goal.
    """

    def __init__(self, episode: MiniWoBEpisode) -> None:
        self._episode = episode
        self.goal = episode.goal
        self.quoted: list[str] = re.findall(r'"(.*?)"', episode.goal)

    @property
    def ended(self) -> bool:
        """Whether the page has ended the episode."""
        return self._episode.ended

    async def look(self, code: str, value: object = None) -> Any:  # JSON
        """Return the result of a JavaScript function in the page."""
        return await self._episode.stage.run(code, value)

    async def tool(self, name: str, value: object = None) -> Any:  # JSON
        """Return the result of one of the functions of `miniwob_hand.js`."""
        key = 'window[Symbol.for("snellen.oracle")]'
        code = f"([name, value]) => {{ {key} ?? ({_TOOLS})(); return {key}[name](value); }}"
        return await self.look(code, [name, value])

    async def act(self, given: Input) -> None:
        """Do an input, unless the episode has ended."""
        if not self.ended:
            await self._episode.act(given)

    async def at(self, place: Point, *keys: str, button: Button = "left", count: int = 1) -> None:
        """Click a place."""
        await self.act(Input(InputKind.CLICK, (pixels(place),), button, count, keys))

    async def find(
        self,
        selector: str,
        text: str | None = None,
        index: int = 0,
        where: Point = (0.5, 0.5),
    ) -> Point:
        """Scroll to an element, and return a point of it that a click reaches."""
        for _ in range(12):
            found = await self.tool("find", [selector, text, index, *where])
            if found is None:
                # An image that is still loaded has no size.
                await self.wait(0.2)
                continue
            if "place" in found:
                x, y = found["place"]
                return x, y
            down = max(-200, min(200, found["scroll"]))
            await self.act(
                Input(InputKind.SCROLL, (pixels(found["at"]),), scroll=(0, down * _SCALE))
            )
        raise LostError(f"{selector} {text or ''} {index}")

    async def click(
        self, selector: str, text: str | None = None, index: int = 0, *keys: str, count: int = 1
    ) -> None:
        """Click an element."""
        if not self.ended:
            await self.at(await self.find(selector, text, index), *keys, count=count)

    async def hover(self, selector: str, text: str | None = None, index: int = 0) -> None:
        """Move the pointer over an element."""
        place = await self.find(selector, text, index)
        await self.act(Input(InputKind.MOVE, (pixels(place),)))

    async def type(self, text: str) -> None:
        """Type a text."""
        await self.act(Input(InputKind.TYPE, text=text))

    async def key(self, *keys: str, times: int = 1) -> None:
        """Press keys together."""
        for _ in range(times):
            await self.act(Input(InputKind.KEY, keys=keys))

    async def wait(self, seconds: float) -> None:
        """Wait."""
        await self.act(Input(InputKind.WAIT, seconds=seconds))

    async def fill(self, selector: str, text: str, index: int = 0) -> None:
        """Click a field and type into it."""
        await self.click(selector, None, index)
        await self.type(text)

    async def submit(self, text: str = "Submit") -> None:
        """Click the button that ends the task."""
        await self.click(_SUBMIT, text)

    async def drag(self, *path: Point) -> None:
        """Drag along a path."""
        await self.act(Input(InputKind.DRAG, tuple(map(pixels, path))))

    async def box(self, selector: str, index: int = 0) -> tuple[float, float, float, float]:
        """Return left, top, width and height of an element."""
        found = await self.tool("box", [selector, index])
        if found is None:
            raise LostError(f"{selector} {index}")
        left, top, width, height = found
        return left, top, width, height

    async def middle(self, selector: str, index: int = 0) -> Point:
        """Return the middle of an element."""
        left, top, width, height = await self.box(selector, index)
        return left + width / 2, top + height / 2

    async def texts(self, selector: str) -> list[str]:
        """Return the texts of elements."""
        return [str(text) for text in await self.tool("texts", selector)]


def pixels(place: Sequence[float]) -> Point:
    """Convert a point of the page to pixels of the screenshot, clipped to the page."""
    return min(max(place[0], 0), 159.9) * _SCALE, min(max(place[1], 0), 209.9) * _SCALE
