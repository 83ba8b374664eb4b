"""The DevTools protocol, typed: messages go out and come back as JSON objects."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

Json = dict[str, Any]


class Channel:
    """A way to speak to a browser, or to one of its pages, past Playwright."""

    def __init__(self, session: "CDPSession") -> None:
        self._session = session

    def send(self, method: str, parameters: Mapping[str, Any] | None = None) -> Json:
        """Return the answer to a message.

        Args:
            method: Such as `Page.captureScreenshot`.
            parameters: As the protocol names them.

        Raises:
            Error: Playwright's, when the browser refuses it or is gone.
        """
        send = cast(
            "Callable[[str, Json], Json]",
            self._session.send,  # pyright: ignore[reportUnknownMemberType]  # bare dicts
        )
        return send(method, dict(parameters or {}))

    def close(self) -> None:
        """Stop speaking."""
        self._session.detach()
