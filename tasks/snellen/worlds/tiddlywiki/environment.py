"""The environment `tiddlywiki`: a wiki, in a page of its own in the browser."""

import asyncio
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from pydantic import JsonValue

from snellen.grading.errors import DataError, InputError
from snellen.tasks.environments.base import NO_HISTORY, EpisodeError, History, opening
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.stage import Answer, Reply, Request, Stage, StageSettings
from snellen.worlds.tiddlywiki.build import wiki_html
from snellen.worlds.tiddlywiki.state import State, changes, read_state

NAME: Final = "tiddlywiki"
SIZE: Final = (1280, 800)

SETTINGS: Final = (
    # Animations look different each time.
    {"title": "$:/config/AnimationDuration", "text": "0"},
    {"title": "$:/config/Drafts/TypingTimeout", "text": "0"},
)
"""Tiddlers of every wiki, beside those of its world."""

# No screenshot shows a dialog of the browser.
_CONFIRM: Final = """(() => {
  const asked = [];
  Object.defineProperty(window, Symbol.for("snellen.asked"), { value: asked });
  window.confirm = (text) => { asked.push(String(text)); return true; };
})();"""

# The state of the display and the application's own tiddlers are not content.
_DISPLAY: Final = " ".join(
    f"-[prefix[$:/{name}/]]" for name in ("state", "temp", "status", "boot", "library")
)
_CONTENT: Final = (
    f"[all[tiddlers]] {_DISPLAY} -[has[plugin-type]] -[[$:/StoryList]] -[[$:/HistoryList]]"
    " -[[$:/isEncrypted]]"
)
_READ: Final = """(content) => ({
  tiddlers: $tw.wiki.getTiddlersAsJson(content),
  asked: window[Symbol.for("snellen.asked")].splice(0),
})"""

_STORE: Final = re.compile(
    r'<script class="tiddlywiki-tiddler-store" type="application/json">.*?</script>', re.DOTALL
)
_SCRIPT: Final = "<script data-tiddler-"


class World(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first state of a wiki.

    Attributes:
        tiddlers: The tiddlers, beside those of an empty wiki. Each has a `title`; fields are text.
        wiki: The SHA-256 of the empty wiki's HTML.
    """

    tiddlers: list[dict[str, str]]
    wiki: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class _PageData(msgspec.Struct, frozen=True):
    """The page's own data: its tiddlers as JSON, and the questions that it asked."""

    tiddlers: str
    asked: list[str]


class TiddlyWikiEpisode:
    """One wiki and its page; made by `TiddlyWiki.open`.

    Args:
        stage: The page in the browser.
        before: The wiki's first state.
    """

    def __init__(self, stage: Stage, before: State) -> None:
        self.stage = stage
        self.state = before
        self._before = before

    async def start(self) -> None:
        """Check that the wiki has the tiddlers of its world; `TiddlyWiki.open` calls it.

        Raises:
            EpisodeError: It does not.
        """
        await self._read()
        if self.state != self._before:
            wrong = changes(self._before, self.state)
            raise EpisodeError(f"the wiki differs from its world: {str(wrong)[:300]}")

    async def act(self, given: Input) -> str:
        """Do one input.

        Returns:
            A note about what the screenshot does not show, such as an answered question; or empty.

        Raises:
            InputError: There is no such input; nothing was done.
            EpisodeError: The page crashed or never settled.
        """
        note = await self.stage.act(given)
        asked = [
            f"the wiki asked {text[:200]!r}, and Yes was chosen" for text in await self._read()
        ]
        return "; ".join([*([note] if note else []), *asked])

    async def view(self) -> bytes:
        """Return a screenshot as a PNG.

        Raises:
            EpisodeError: The page can't be shown.
        """
        return await self.stage.shot()

    @property
    def ended(self) -> bool:
        """Always false: a wiki does not end a task."""
        return False

    @property
    def snapshot(self) -> JsonValue:
        """None: the server repeats its inputs, which also restores half-written texts."""
        return None

    @property
    def result(self) -> dict[str, JsonValue]:
        """The changes since the beginning."""
        return {"changes": changes(self._before, self.state)}

    async def close(self) -> None:
        """Close the page; a second call does nothing."""
        await self.stage.close()

    async def _read(self) -> list[str]:
        shown = msgspec.convert(await self.stage.run(_READ, _CONTENT), _PageData)
        self.state = read_state(msgspec.json.decode(shown.tiddlers, type=list[dict[str, str]]))
        return shown.asked


class TiddlyWiki:
    """The environment of wikis; see `snellen.tasks.environments.base.Environment`.

    Args:
        browser: The browser that shows them.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @property
    def name(self) -> str:
        """`tiddlywiki`."""
        return NAME

    @property
    def size(self) -> tuple[int, int]:
        """1280 x 800 pixels."""
        return SIZE

    async def open(self, world: JsonValue, history: History = NO_HISTORY) -> TiddlyWikiEpisode:
        """Open a wiki, or open it again by repeating its inputs.

        Args:
            world: `tiddlers` and `wiki`, as `World` has them.
            history: Its history, to open it again.

        Raises:
            DataError: `world` is not a wiki's.
            EpisodeError: It can't be opened: its HTML is not available, or the browser broke.
        """
        begin = read_world(world)
        try:
            html = await asyncio.to_thread(wiki_html, begin.wiki)
        except InputError as error:
            raise EpisodeError(error.message) from error
        tiddlers = [*SETTINGS, *begin.tiddlers]
        settings = StageSettings(*SIZE, time="stepped", scripts=(_CONFIRM,))
        stage = await self._browser.stage(settings, _site(html, tiddlers))
        episode = TiddlyWikiEpisode(stage, read_state(tiddlers))
        async with opening(episode):
            await episode.start()
            for given in history.inputs:
                await episode.act(given)
        return episode

    async def close(self) -> None:
        """Close the browser, if it runs."""
        await self._browser.close()


def read_world(value: object) -> World:
    """Read a wiki's world from a pack.

    Raises:
        DataError: It is not a world, or a tiddler has no title or the title of another one.
    """
    try:
        world = msgspec.convert(value, World)
    except msgspec.ValidationError as error:
        raise DataError(f"expected {{tiddlers, wiki}} of TiddlyWiki; {error}") from None
    titles = [tiddler.get("title", "") for tiddler in world.tiddlers]
    for title in titles:
        if not title or titles.count(title) > 1:
            raise DataError(f"a wiki's tiddlers need titles of their own, not {title!r}")
    return world


def _site(html: str, tiddlers: Sequence[Mapping[str, str]]) -> Answer:
    """Return a function that serves a wiki with these tiddlers."""
    store = _STORE.search(html)
    if store is None or _SCRIPT not in html:
        raise EpisodeError("the wiki's HTML is not as TiddlyWiki 5 writes it")
    own = msgspec.json.encode(tiddlers).decode().replace("<", "\\u003c")
    added = f'<script class="tiddlywiki-tiddler-store" type="application/json">{own}</script>'
    # Only the wiki's own scripts run, whatever is written into a tiddler: the nonce is secret.
    number = secrets.token_hex(16)
    page = f"{html[: store.end()]}{added}{html[store.end() :]}".replace(
        _SCRIPT, f'<script nonce="{number}" data-tiddler-'
    )
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'nonce-{number}' 'unsafe-eval'"
    )
    reply = Reply(
        200, "text/html; charset=utf-8", page.encode(), {"content-security-policy": policy}
    )

    def answer(request: Request) -> Reply:
        if urlsplit(request.url).path == "/":
            return reply
        return Reply(404, "text/plain; charset=utf-8", b"")

    return answer
