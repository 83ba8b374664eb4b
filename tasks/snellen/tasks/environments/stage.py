"""A stage: one page of one agent, which takes inputs and has no network."""

import asyncio
import inspect
import math
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.models.actions import Point
from snellen.tasks.browser.pinning import NOW, context_options, script
from snellen.tasks.browser.settings import BrowserSettings
from snellen.tasks.environments.base import EpisodeError, Reply, Request
from snellen.tasks.environments.inputs import Input, InputKind, check_input, is_key
from snellen.tasks.environments.survey import PARTS, Node, survey

if TYPE_CHECKING:
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Dialog,
        Page,
        Route,
        WebSocketRoute,
    )

SECONDS: Final = 10.0
"""The maximum time for an input, for a screenshot, or until a page has settled."""

STEP: Final = 300
"""Milliseconds that pass with an input where time is stepped."""

KEYED: Final = 100
"""The maximum number of characters that are typed key by key; of a longer text each line is
inserted after its first character, since 2,000 keys take seconds."""

DRAG_STEP: Final = 20
"""Milliseconds that pass with a move of a drag where time is stepped."""

_ALIGNED: Final = 1600
"""Milliseconds, a number of whole frames."""

_LEAD: Final = 1 + 18 * _ALIGNED / 1000
"""Seconds after `NOW` at which a stepped clock is stopped: it runs until then, and can't be stopped
in its past. More than opening may take, which on a busy machine is seconds."""

_GRIP: Final = 14
"""CSS pixels below its top edge at which an element is taken hold of, if it is high enough."""

_ANY: Final = re.compile("")
_FRAME: Final = 'window[Symbol.for("snellen.frame")]()'

Time: TypeAlias = Literal["real", "fixed", "stepped"]
"""How time passes in a page.

`real`: as usual, starting at `NOW`. `fixed`: the date never changes, and timers run. `stepped`:
only with inputs, `STEP` milliseconds with each, and its duration with a wait; before the first
input a page has had a second and a half.
"""


Answer: TypeAlias = Callable[[Request], Reply | Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class StageSettings:
    """The settings of a stage.

    Attributes:
        width: The page's width in CSS pixels.
        height: The page's height in CSS pixels.
        scale: Screenshot pixels per CSS pixel.
        origin: The invented origin of the page.
        path: The page's path on it.
        scripts: Scripts that run before any script of the page.
        time: How time passes.
        open_requests: A JavaScript expression: the number of requests that the page waits for. The
            stage has settled when it is 0.
    """

    width: int
    height: int
    scale: float = 1
    origin: str = "https://page.invalid"
    path: str = "/"
    scripts: Sequence[str] = ()
    time: Time = "fixed"
    open_requests: str = "0"


@dataclass(slots=True)
class _State:
    """The events that the browser has reported for a stage."""

    broken: str = ""
    open: int = 0
    closed: bool = False
    notes: list[str] = field(default_factory=list[str])


class Stage:
    """One page in its own context; made by `Browser.stage`.

    Points are in pixels of the screenshot. Two tasks must not use it at the same time. A fault
    breaks only this stage, and each later call raises the same EpisodeError.

    Args:
        context: An empty context.
        page: Its only page.
        settings: Its settings.
        answer: Answers the page's requests.
    """

    def __init__(
        self, context: "BrowserContext", page: "Page", settings: StageSettings, answer: Answer
    ) -> None:
        self.settings = settings
        self._context = context
        self._page = page
        self._answer = answer
        self._state = _State()
        self._pointer: Point = (0.0, 0.0)
        self._session: CDPSession | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its screenshots, in pixels."""
        return size_of(self.settings)

    @property
    def pointer(self) -> Point:
        """Where the pointer is, in pixels of the screenshot."""
        return self._pointer

    async def act(self, given: Input) -> str:
        """Do one input, and wait until the page has settled.

        A drag of one point begins at the pointer.

        Returns:
            A note about what the screenshot does not show, such as a closed window; or empty.

        Raises:
            InputError: There is no such input, or no such element; nothing was done.
            EpisodeError: The page crashed or never settled.
        """
        check_input(given, self.size)
        async with self._working(SECONDS + given.seconds + len(given.text) / 100):
            await self._do(await self._placed(given) if given.element else given)
            passed = given.seconds * 1000 if given.kind is InputKind.WAIT else STEP
            await self._settle(passed)
        notes, self._state.notes = self._state.notes, []
        return "; ".join(dict.fromkeys(notes))

    async def settle(self) -> None:
        """Wait until the page has no open request and has drawn two frames.

        Raises:
            EpisodeError: The page crashed or never settles.
        """
        async with self._working():
            await self._settle(0)

    async def advance(self, milliseconds: float) -> None:
        """Let time pass in the page, if it is stepped.

        Raises:
            EpisodeError: The page crashed or hangs.
        """
        async with self._working(SECONDS + milliseconds / 1000):
            await self._pass(milliseconds)

    async def shot(self) -> bytes:
        """Return a screenshot as a PNG.

        Raises:
            EpisodeError: The browser makes none within ten seconds.
        """
        async with self._working():
            return await self._page.screenshot(timeout=SECONDS * 1000)

    async def survey(self) -> Sequence[Node]:
        """Return the page's accessibility tree.

        Raises:
            EpisodeError: The page crashed or hangs.
        """
        async with self._working():
            self._session = self._session or await self._context.new_cdp_session(self._page)
            return await survey(self._page, self._session, self.settings.scale)

    async def run(self, code: str, value: object = None) -> JsonValue:
        """Run a JavaScript function in the page and return its result.

        Args:
            code: The function, such as `(name) => window[name]`.
            value: Its argument, as JSON.

        Raises:
            EpisodeError: It raises, or the page crashed or hangs.
        """
        async with self._working():
            return await self._page.evaluate(code, value)

    async def close(self) -> None:
        """Close the context; a second call, or a browser that is gone, does no harm."""
        from playwright.async_api import Error

        self._state.closed = True
        # It may be closed already; a context that hangs ends with its browser.
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(SECONDS):
                await self._context.close()

    async def open(self) -> None:
        """Set everything up and load the page; `Browser.stage` calls it.

        Raises:
            EpisodeError: The page can't be loaded.
        """
        page, context, settings = self._page, self._context, self.settings
        page.on("crash", lambda _: self._break("the page's process ended"))
        page.on("close", lambda _: self._break("the page was closed"))
        page.on("dialog", self._dismiss)
        # Choosers that the page's script can't see, such as of an element outside the document.
        page.on("filechooser", lambda _: self._note("a choice of files was not opened"))
        context.on("page", self._close_window)
        async with self._working(2 * SECONDS):
            await context.route(_ANY, self._serve)
            await context.route_web_socket(_ANY, _refuse)
            await context.add_init_script(script("tasks/environments/stage.js"))
            await self._set_clock()
            for each in settings.scripts:
                await context.add_init_script(each)
            await page.goto(settings.origin + settings.path)
            await self._align_clock()
            await self._settle(0)
        self._state.notes.clear()

    async def visit(self, path: str) -> None:
        """Load another page of the same origin; time must not be stepped.

        Raises:
            EpisodeError: The page can't be loaded.
        """
        async with self._working(2 * SECONDS):
            await self._page.goto(self.settings.origin + path)

    async def _set_clock(self) -> None:
        clock, seconds = self._page.clock, NOW / 1000
        if self.settings.time == "fixed":
            await clock.set_fixed_time(seconds)
            return
        await clock.install(time=seconds)
        if self.settings.time == "stepped":
            await clock.pause_at(seconds + _LEAD)

    async def _align_clock(self) -> None:
        # Real time passes between two messages; the frames of a stepped clock must not depend on
        # it.
        if self.settings.time == "stepped":
            clock = self._page.clock
            ticks = await self._page.evaluate("performance.now()")
            await clock.run_for(round(_ALIGNED - ticks % _ALIGNED))
            await clock.set_system_time(NOW / 1000 + 1)

    async def _placed(self, given: Input) -> Input:
        """Return an input at the places of its elements, which are scrolled into view."""
        elements = [each for each in (given.element, given.onto) if each]
        parts = await self._page.evaluate(PARTS, [elements, True])
        if None in parts:
            raise InputError("the element is no longer on the page, or nothing of it can be shown")
        half = self.settings.scale / 2
        (x, y), *end = (
            ((left + right) * half, (top + bottom) * half) for left, top, right, bottom, _ in parts
        )
        if given.kind is InputKind.DRAG:
            # Where things are dropped is where their top edge is in some applications.
            y = min(y, (parts[0][1] + _GRIP) * self.settings.scale)
        path = ((x, y), *end, *given.path)
        return msgspec.structs.replace(given, path=path, element=(), onto=())

    async def _do(self, given: Input) -> None:
        mouse = self._page.mouse
        # A press, release or scroll with a point happens at this point.
        if given.path and given.kind is not InputKind.DRAG:
            await self._move(given.path[0])
        match given.kind:
            case InputKind.CLICK:
                # An element that changes under the pointer changes before the button is pressed.
                await self._page.evaluate(_FRAME)
                while self._state.open:
                    await self._page.evaluate(_FRAME)
                x, y = self._css(self._pointer)
                async with self._holding(given.keys):
                    await mouse.click(x, y, button=given.button, click_count=given.count)
            case InputKind.MOVE:
                pass
            case InputKind.DOWN:
                await mouse.down(button=given.button)
            case InputKind.UP:
                await mouse.up(button=given.button)
            case InputKind.DRAG:
                await self._drag(given)
            case InputKind.SCROLL:
                if not given.path:
                    await self._move((self.size[0] / 2, self.size[1] / 2))
                right, down = self._css(given.scroll)
                async with self._holding(given.keys):
                    await mouse.wheel(right, down)
            case InputKind.TYPE:
                await self._type(given.text)
            case InputKind.KEY:
                await self._press(given.keys)
            case InputKind.WAIT:
                if self.settings.time != "stepped":
                    await asyncio.sleep(given.seconds)

    @asynccontextmanager
    async def _holding(self, keys: Sequence[str]) -> AsyncGenerator[None]:
        for key in keys:
            await self._page.keyboard.down(key)
        yield
        for key in reversed(keys):
            await self._page.keyboard.up(key)

    async def _drag(self, given: Input) -> None:
        start, *rest = given.path if len(given.path) > 1 else (self._pointer, *given.path)
        await self._move(start)
        async with self._holding(given.keys):
            await self._page.mouse.down(button=given.button)
            for point in rest:
                # A dragged element follows many moves; one jump is not enough.
                for between in _between(self._pointer, point, 10 * self.settings.scale):
                    await self._move(between)
                    await self._pass(DRAG_STEP)
            await self._page.mouse.up(button=given.button)

    async def _move(self, point: Point) -> None:
        await self._page.mouse.move(*self._css(point))
        self._pointer = point

    async def _type(self, text: str) -> None:
        keyboard = self._page.keyboard
        if len(text) <= KEYED:
            await keyboard.type(text)
            return
        for number, line in enumerate(text.split("\n")):
            if number:
                await keyboard.press("Enter")
            # Pages may begin to edit with the first key.
            await keyboard.type(line[:1])
            await keyboard.insert_text(line[1:])

    async def _press(self, keys: Sequence[str]) -> None:
        keyboard = self._page.keyboard
        for key in keys[:-1]:
            await keyboard.down(key)
        last = keys[-1]
        if "Shift" in keys and last.isalnum() and len(last) == 1:
            # The key's place on the keyboard, since Shift changes the character.
            last = f"Digit{last}" if last.isdigit() else f"Key{last.upper()}"
        if is_key(last):
            await keyboard.press(last)
        else:
            await keyboard.insert_text(last)
        for key in reversed(keys[:-1]):
            await keyboard.up(key)

    def _css(self, point: Point) -> Point:
        return point[0] / self.settings.scale, point[1] / self.settings.scale

    async def _pass(self, milliseconds: float) -> None:
        if self.settings.time == "stepped" and milliseconds:
            await self._page.clock.run_for(round(milliseconds))

    async def _settle(self, passed: float) -> None:
        from playwright.async_api import Error

        waiting = f"""async () => {{
          const frame = window[Symbol.for("snellen.frame")];
          while (({self.settings.open_requests}) > 0) await frame();
          await frame();
          await frame();
          return window[Symbol.for("snellen.notes")].splice(0);
        }}"""
        await self._pass(passed)
        while True:
            try:
                self._state.notes.extend(await self._page.evaluate(waiting))
            except Error:
                # The page may load another page meanwhile; otherwise it is broken.
                if self._state.broken or self._page.is_closed():
                    raise
                await self._page.wait_for_load_state()
            else:
                return

    @asynccontextmanager
    async def _working(self, seconds: float = SECONDS) -> AsyncGenerator[None]:
        from playwright.async_api import Error

        self._check()
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            self._break("the page hangs")
        except Error as error:
            self._break(error.message.splitlines()[0])
        self._check()

    def _check(self) -> None:
        if self._state.closed:
            raise EpisodeError("the page was closed before")
        if self._state.broken:
            raise EpisodeError(self._state.broken)

    def _break(self, why: str) -> None:
        self._state.broken = self._state.broken or why

    def _note(self, text: str) -> None:
        self._state.notes.append(text)

    async def _serve(self, route: "Route") -> None:
        # Playwright raises an exception of a handler again in any other call, also of other stages.
        self._state.open += 1
        try:
            request = route.request
            if not request.url.startswith(self.settings.origin + "/"):
                # With this error code the page stays where it is.
                await route.abort("aborted")
                return
            body = request.post_data_buffer or b""
            reply = self._answer(Request(request.method, request.url, body))
            if inspect.isawaitable(reply):
                reply = await reply
            await route.fulfill(
                status=reply.status,
                content_type=reply.type,
                body=reply.body,
                headers={**reply.headers, "content-type": reply.type},
            )
        except Exception as error:  # noqa: BLE001  # see above
            self._break(f"{route.request.url} was not answered: {type(error).__name__}: {error}")
            with suppress(Exception):
                await route.abort()
        finally:
            self._state.open -= 1

    async def _dismiss(self, dialog: "Dialog") -> None:
        if dialog.type != "beforeunload":
            self._note(f"the page said in a dialog, which was dismissed: {dialog.message[:200]!r}")
        await _quietly(dialog.dismiss())

    async def _close_window(self, window: "Page") -> None:
        if window is not self._page:
            await _quietly(window.close())


async def open_stage(browser: "Browser", settings: StageSettings, answer: Answer) -> Stage:
    """Open a stage in a running browser.

    Raises:
        EpisodeError: The page can't be loaded.
        Error: Playwright's, when the browser is gone.
    """
    shown = BrowserSettings(width=settings.width, height=settings.height)
    options = context_options(shown)
    options["device_scale_factor"] = settings.scale
    context = await browser.new_context(**options)
    stage = Stage(context, await context.new_page(), settings, answer)
    try:
        await stage.open()
    except BaseException:
        await stage.close()
        raise
    return stage


def size_of(settings: StageSettings) -> tuple[int, int]:
    """Return width and height of a stage's screenshots, in pixels."""
    return round(settings.width * settings.scale), round(settings.height * settings.scale)


def _between(start: Point, end: Point, stride: float) -> Iterator[Point]:
    steps = min(12, max(3, math.ceil(math.dist(start, end) / stride)))
    for step in range(1, steps + 1):
        share = step / steps
        yield (
            start[0] + (end[0] - start[0]) * share,
            start[1] + (end[1] - start[1]) * share,
        )


async def _refuse(socket: "WebSocketRoute") -> None:
    await _quietly(socket.close())


async def _quietly(done: Awaitable[object]) -> None:
    """Await something whose page may be closed: an event handler must not raise."""
    from playwright.async_api import Error

    with suppress(Error):
        await done
