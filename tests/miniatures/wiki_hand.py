"""Turn edits into inputs: an oracle that reads the DOM, and acts by mouse and keyboard only."""

from typing import Final, cast

from snellen.grading.errors import SnellenError
from snellen.tasks.browser.pinning import script
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.tiddlywiki.environment import SIZE, TiddlyWikiEpisode
from snellen.worlds.tiddlywiki.state import Edit

_PAGE: Final = 400.0
"""The distance of one scroll."""


class HandError(SnellenError):
    """The element to click is not on the page, or something covers it."""


class Hand:
    """Acts in one wiki.

    Args:
        episode: The wiki.

    Attributes:
        acted: The inputs so far.
    """

    def __init__(self, episode: TiddlyWikiEpisode) -> None:
        self._episode = episode
        self.acted: list[Input] = []

    async def do(self, edit: Edit) -> None:
        """Do one edit, from the search to the button that saves it.

        Raises:
            HandError: The page does not show a control that it needs.
        """
        if edit.kind == "new":
            await self.click("new")
        else:
            await self.look(edit.title)
            await self.click("edit", edit.title)
        if edit.kind == "new" or edit.to:
            await self._write("title", edit.to or edit.title)
        for tag in edit.untags:
            await self.click("untag", tag)
        for tag in edit.tags:
            await self.click("tag")
            await self._act(Input(InputKind.TYPE, text=tag))
            await self.click("add tag")
        if edit.text is not None:
            await self._write("text", edit.text)
        for name, value in edit.fields:
            if await self._find("field", name):
                await self._write("field", value, name)
                continue
            await self.click("field name")
            await self._act(Input(InputKind.TYPE, text=name))
            await self.click("field value")
            await self._act(Input(InputKind.TYPE, text=value))
            await self.click("add field")
        await self.click("delete" if edit.kind == "delete" else "save")

    async def look(self, title: str) -> None:
        """Open a note by the search.

        Raises:
            HandError: The search does not find it.
        """
        await self._write("search", title)
        await self.click("result", title)

    async def click(self, what: str, name: str = "") -> str:
        """Click an element, and return the episode's note.

        Args:
            what: One of the elements of `find.js`.
            name: Which of several: a title, a tag or a field's name.

        Raises:
            HandError: The page does not show it, or something covers it.
        """
        place = await self._find(what, name)
        while place is not None and not 0 <= place[1] < SIZE[1]:
            down = _PAGE if place[1] > 0 else -_PAGE
            await self._act(Input(InputKind.SCROLL, ((SIZE[0] / 4, 5.0),), scroll=(0.0, down)))
            again = await self._find(what, name)
            if again == place:
                raise HandError(f"{what} {name} is outside the screen")
            place = again
        if place is None:
            raise HandError(f"the page shows no {what} {name}")
        return await self._act(Input(InputKind.CLICK, (place,)))

    async def _write(self, what: str, text: str, name: str = "") -> None:
        await self.click(what, name)
        await self._act(Input(InputKind.KEY, keys=("Control", "a")))
        await self._act(Input(InputKind.TYPE, text=text))

    async def _find(self, what: str, name: str = "") -> tuple[float, float] | None:
        code = script("worlds/tiddlywiki/find.js")
        found = await self._episode.stage.run(code, [what, name])
        if not isinstance(found, dict):
            return None
        x, y = cast(list[float], found["point"])
        if found["covered"] and 0 <= y < SIZE[1]:
            raise HandError(f"{what} {name} is covered")
        return x, y

    async def _act(self, given: Input) -> str:
        self.acted.append(given)
        return await self._episode.act(given)
