"""The desk's page: its document, what it sends, and the page at an address."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, cast

import msgspec
from markupsafe import Markup
from pydantic import JsonValue

from snellen.tasks.browser.pinning import script
from snellen.tasks.environments.base import (
    NO_HISTORY,
    Answered,
    EpisodeError,
    History,
    Reply,
    Request,
)
from snellen.worlds.desk.beginning import beginning
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.desktop import Desktop, Page
from snellen.worlds.desk.kit.verbs import State

NAME: Final = "desk"

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
)


@dataclass(frozen=True, slots=True)
class Post:
    """A request of the page: a control's token, and the values of its text fields."""

    control: str  # the token
    fields: dict[str, str]  # the values by the names of the fields
    onto: str = ""  # the token of the place where it is dropped; empty: it is not dragged


def document(
    page: Page, look: Mapping[str, str] | None = None, before: str = "", after: str = ""
) -> str:
    """Return a whole HTML document that shows a page.

    Args:
        page: The page.
        look: Its look; None: the plain one.
        before: A script that runs before the page's own.
        after: A script that runs after it.
    """
    body, language = Markup("<body>"), "en"
    if look:
        language = look["language"]
        body = Markup('<body class="{}">').format(" ".join(f"{part}-{look[part]}" for part in look))
    scripts = [each for each in (Markup(before), _text("desk.js"), Markup(after)) if each]
    return str(
        Markup(
            '<!doctype html><html lang="{}"><head><meta charset="utf-8"><title>Desktop</title>'
            '<style>{}</style></head>{}<div id="root">{}</div>{}</body></html>'
        ).format(
            language,
            _text("desk.css"),
            body,
            Markup(page.html),
            Markup("").join(Markup("<script>{}</script>").format(each) for each in scripts),
        )
    )


@cache
def _text(name: str) -> Markup:
    return Markup((files(__package__ or "") / name).read_text(encoding="utf-8"))


def html(text: str) -> Reply:
    """Return a page, or a part of one, as the reply to its request."""
    headers = {"content-security-policy": _POLICY}
    return Reply(200, "text/html; charset=utf-8", text.encode(), headers)


class DeskPage:
    """One desktop whose page a browser shows that is not the server's.

    Args:
        before: The world's first state.
        desktop: The world in its current state.
    """

    def __init__(self, before: State, desktop: Desktop) -> None:
        self.desktop = desktop
        self._before = before

    def answer(self, request: Request) -> Answered:
        """Return the document, or do what the page sends; each control works once."""
        if (request.method, request.url) == ("GET", ""):
            # It has a clipboard of its own, as on the server's screen, and asks for no permission.
            clipboard = script("tasks/environments/stage.js")
            look = self.desktop.state.get("look")
            restored = "desk.restore({}, null, null);"
            return Answered(html(document(self.desktop.refresh(), look, clipboard, restored)))
        if (request.method, request.url) == ("POST", "act"):
            try:
                post = msgspec.json.decode(request.body, type=Post)
            except msgspec.MsgspecError:
                return Answered(Reply(400, "text/plain; charset=utf-8", b"not a desk's request"))
            return self._do(post)
        return Answered(Reply(404, "text/plain; charset=utf-8", b"there is nothing here"))

    def repeat(self, done: Mapping[str, JsonValue]) -> None:
        """Use once more the control that a request used.

        Raises:
            EpisodeError: The page does not show it.
        """
        kept = msgspec.convert(done, Post)
        page = self.desktop.page
        post = Post(
            page.token(kept.control) or "", kept.fields, (kept.onto and page.place(kept.onto)) or ""
        )
        if self._do(post).done is None:
            raise EpisodeError(f"the page has no control {kept.control}")

    @property
    def snapshot(self) -> JsonValue:
        """The state, and the screen's as far as the server knows it."""
        return cast(JsonValue, {"state": self.desktop.state, "ui": self.desktop.ui})

    @property
    def result(self) -> dict[str, JsonValue]:
        """The changes since the beginning."""
        return {"changes": changes(self._before, self.desktop.state)}

    def _do(self, post: Post) -> Answered:
        before = self.desktop.page
        self.desktop.open_step()
        page = self.desktop.handle(post.control, post.fields, post.onto)
        self.desktop.close_step()
        if page is before:
            return Answered(html(page.html))
        place = before.drops.get(post.onto)
        done = Post(before.controls[post.control].key, post.fields, place.key if place else "")
        return Answered(html(page.html), cast("dict[str, JsonValue]", msgspec.to_builtins(done)))


class DeskPages:
    """The desk's pages; see `snellen.tasks.environments.base.Pages`."""

    @property
    def name(self) -> str:
        """`desk`."""
        return NAME

    def open(self, world: JsonValue, history: History = NO_HISTORY) -> DeskPage:
        """Open a desktop, or open it again from its snapshot.

        Raises:
            DataError: `world` has no state, or one without some application.
        """
        before, state, ui = beginning(world, history)
        return DeskPage(before, Desktop(state, ui))
