"""A browser for the tests that need one, and pages written for each test."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from snellen.tasks.builder.browser.session import Session
from snellen.tasks.builder.browser.settings import BrowserSettings
from snellen.tasks.builder.pages import Page

MakePage = Callable[..., Page]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Start one browser for a module's tests: Playwright bears no second one in a thread."""
    with Session(BrowserSettings(load_seconds=20, page_seconds=60)) as session:
        yield session


@pytest.fixture
def make_page(tmp_path: Path) -> MakePage:
    """Write a page, with other files beside it, into a site of its own."""

    def make(
        html: str | bytes, files: Mapping[str, str | bytes] | None = None, path: str = "index.html"
    ) -> Page:
        root = tmp_path / "site"
        for name, body in {**(files or {}), path: html}.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body if isinstance(body, bytes) else body.encode())
        return Page("shop", "index", root, Path(path))

    return make
