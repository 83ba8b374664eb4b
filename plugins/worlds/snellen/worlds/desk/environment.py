"""The environment `desk`: a desktop, shown by a page of its own in the browser."""

from collections.abc import Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
from pydantic import JsonValue

from snellen.grading.models.actions import Point
from snellen.tasks.environments.base import (
    NO_HISTORY,
    EpisodeError,
    History,
    Reply,
    Request,
    opening,
)
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.stage import Stage, StageSettings
from snellen.tasks.environments.survey import Node
from snellen.worlds.desk.beginning import beginning
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.kit.verbs import State, copied
from snellen.worlds.desk.page import NAME, Post, document, html

SIZE: Final = (1280, 800)

UNCHANGED: Final = "nothing on the page changed"
IGNORED: Final = "a step changes one thing: the keys after the first change did nothing"

_CHANGING: Final = frozenset(
    {InputKind.CLICK, InputKind.DRAG, InputKind.UP, InputKind.KEY, InputKind.TYPE, InputKind.SCROLL}
)
"""The inputs that are said to have changed nothing, if so."""

_QUIET: Final = {("Control", "a"), ("Control", "c")}
"""The keys of which nothing is said: an empty field has nothing to select or copy."""


class DeskEpisode:
    """One desktop and its page.

    Args:
        before: The world's first state.
        desktop: The world in its current state.
    """

    def __init__(self, before: State, desktop: Desktop) -> None:
        self.desktop = desktop
        self._before = before
        self._stage: Stage | None = None
        self._selected = ""
        self._ignored = False

    @property
    def stage(self) -> Stage:
        """The page in the browser."""
        if self._stage is None:
            raise EpisodeError("the page was not opened")
        return self._stage

    async def open(self, browser: Browser, pointer: Point | None) -> None:
        """Show the desktop; `Desk.open` does it.

        Raises:
            EpisodeError: It can't be shown.
        """
        settings = StageSettings(*SIZE, open_requests="window.desk.waiting()")
        self._stage = await browser.stage(settings, self._answer)
        ui = self.desktop.ui
        await self._stage.run(
            "(kept) => window.desk.restore(...kept)",
            [ui.get("scrolled") or {}, ui.get("selection"), ui.get("clipboard")],
        )
        if pointer is not None:
            await self._stage.act(Input(InputKind.MOVE, (pointer,)))
        await self._keep()

    async def act(self, given: Input) -> str:
        """Do one input, which can trigger at most one control.

        Returns:
            A note, such as that the input changed nothing; empty without one.

        Raises:
            EpisodeError: The page crashed or never settled.
            InputError: There is no such input; nothing was done.
        """
        before, self._ignored = self._shown(given.kind), False
        self.desktop.open_step()
        try:
            note = await self.stage.act(given)
        finally:
            self.desktop.close_step()
        await self._keep()
        notes = [note]
        tried = given.kind in _CHANGING and given.keys not in _QUIET
        if tried and self._shown(given.kind) == before:
            notes.append(UNCHANGED)
        elif given.kind is InputKind.TYPE and self._ignored:
            notes.append(IGNORED)
        return "; ".join(filter(None, notes))

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

    @property
    def ended(self) -> bool:
        """Always false: a desktop does not end a task."""
        return False

    @property
    def snapshot(self) -> JsonValue:
        """The state, and the screen's: open windows, form texts, scroll positions and focus."""
        return cast(JsonValue, copied({"state": self.desktop.state, "ui": self.desktop.ui}))

    @property
    def result(self) -> dict[str, JsonValue]:
        """The changes since the beginning."""
        return {"changes": changes(self._before, self.desktop.state)}

    async def close(self) -> None:
        """Close the page; a second call does nothing."""
        if self._stage is not None:
            await self._stage.close()

    def _answer(self, request: Request) -> Reply:
        path = urlsplit(request.url).path
        if path == "/act" and request.method == "POST":
            post = msgspec.json.decode(request.body, type=Post)
            before = self.desktop.page
            page = self.desktop.handle(post.control, post.fields, post.onto)
            self._ignored = self._ignored or page is before
            return html(page.html)
        if path == "/":
            return html(document(self.desktop.refresh(), self.desktop.state.get("look")))
        return Reply(404, "text/plain; charset=utf-8", b"")

    def _shown(self, kind: InputKind) -> tuple[object, ...]:
        """Return what an input of a kind can change."""
        ui = dict(self.desktop.ui)
        if kind in {InputKind.DRAG, InputKind.UP}:
            # The control below the pointer has the focus, also if nothing is dropped.
            ui.pop("focus", None)
        return self.desktop.state, ui, self._selected

    async def _keep(self) -> None:
        """Store the state that only the page has, to show it again unchanged."""
        shown = cast(dict[str, Any], await self.stage.run("() => window.desk.read()"))
        self.desktop.write(shown["fields"])
        focus = shown["focus"]
        control = self.desktop.page.controls.get(focus["control"] or "")
        kept = {
            "focus": focus["field"] or (control.key if control else None),
            "selection": focus["selection"],
            "scrolled": shown["scrolled"] or None,
            "clipboard": shown["clipboard"] or None,
        }
        self._selected = shown["selected"]
        for name, value in kept.items():
            if value is None:
                self.desktop.ui.pop(name, None)
            else:
                self.desktop.ui[name] = value


class Desk:
    """The environment of desktops; see `snellen.tasks.environments.base.Environment`.

    Args:
        browser: The browser that shows them.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @property
    def name(self) -> str:
        """`desk`."""
        return NAME

    @property
    def size(self) -> tuple[int, int]:
        """1280 x 800 pixels."""
        return SIZE

    async def open(self, world: JsonValue, history: History = NO_HISTORY) -> DeskEpisode:
        """Open a desktop, or open it again.

        Args:
            world: `state`, and `ui` if something is open at the beginning.
            history: Its history; the snapshot is enough.

        Raises:
            DataError: `world` has no state, or one without some application.
            EpisodeError: It can't be shown, or its history has no snapshot.
        """
        before, state, ui = beginning(world, history)
        points = [point for given in history.inputs for point in given.path[-1:]]
        episode = DeskEpisode(before, Desktop(state, ui))
        async with opening(episode):
            await episode.open(self._browser, points[-1] if points else None)
        return episode

    async def close(self) -> None:
        """Close the browser, if it runs."""
        await self._browser.close()
