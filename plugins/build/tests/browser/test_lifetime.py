"""A session ends its browser in every case."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from snellen.build.browser.session import Session
from snellen.build.pages import Page
from snellen.grading.errors import InputError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MakePage = Callable[..., Page]


def test_a_session_closes_its_browser_when_something_fails(make_page: MakePage) -> None:
    browsers: list[Browser | None] = []

    def fail(session: Session) -> None:
        with session.visit(make_page("<p>x")) as visit:
            browsers.append(visit.tab.context.browser)
            raise KeyError

    with pytest.raises(KeyError), Session() as session:
        fail(session)
    assert [browser is not None and browser.is_connected() for browser in browsers] == [False]


def test_a_program_that_is_no_browser_is_named(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(InputError, match="Chromium doesn't start"), Session(program=program):
        pass
