"""The DevTools protocol, typed: messages and answers are JSON objects."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

Json = dict[str, Any]


class Channel:
    """A channel to a browser, or to one of its pages, that bypasses Playwright."""

    def __init__(self, session: "CDPSession") -> None:
        self._session = session

    def send(self, method: str, parameters: Mapping[str, Any] | None = None) -> Json:
        """Return the answer to a message.

        Args:
            method: The method, such as `Page.captureScreenshot`.
            parameters: Its parameters, as the protocol names them.

        Raises:
            Error: Playwright's, if the browser refuses the message or is gone.
        """
        send = cast(
            "Callable[[str, Json], Json]",
            self._session.send,  # pyright: ignore[reportUnknownMemberType]  # bare dicts
        )
        return send(method, dict(parameters or {}))

    def close(self) -> None:
        self._session.detach()
