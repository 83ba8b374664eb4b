"""What every test shares: the folder of real data, and a home of its own for what is remembered."""

import doctest
import gc
import os
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import settings

from snellen.grading.errors import MissingExtraError, SnellenError
from snellen.tasks.browser.finding import find_browser, load_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

# A machine's load is no fault of the code, so there is no deadline. The examples are the same in
# every run; `--hypothesis-profile=thorough` looks for new ones.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=100)
settings.load_profile("quick")

# The programs that tests start would compile snellen anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What runs the tests may set it, and a console that is made under it keeps that width for good.
os.environ.pop("COLUMNS", None)

VARIABLE = "SNELLEN_DATA"


def missing_data() -> str | None:
    """Say why there is no real data, or return None when there is."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} is not set; it names the folder that holds screenqa/"
    if not (Path(folder) / "screenqa").is_dir():
        return f"{VARIABLE} is {folder}, and there is no screenqa/ in it"
    return None


def missing_browser() -> str | None:
    """Say why no page can be looked at, or return None when one can."""
    try:
        load_playwright()
        find_browser()
    except SnellenError as error:
        return str(error)
    return None


@pytest.fixture
def reachable() -> Callable[[object], list[object]]:
    """Return what lists all that an object leads to by attributes, private ones too, and closures.

    It asks the garbage collector, so slots, properties' stores and cells are seen; it goes through
    no class, no module and no global of a function, which every object leads to.
    """

    def walk(start: object) -> list[object]:
        found: list[object] = []
        seen: set[int] = set()
        ahead = [start]
        while ahead:
            value = ahead.pop()
            if id(value) in seen or isinstance(value, type | ModuleType):
                continue
            seen.add(id(value))
            found.append(value)
            if isinstance(value, FunctionType):
                ahead += [value.__closure__, value.__defaults__, value.__kwdefaults__]
            elif isinstance(value, np.ndarray):
                ahead += value.ravel().tolist()
            else:
                ahead += gc.get_referents(value)
        return found

    return walk


@pytest.fixture(scope="session")
def screenqa_data() -> Path:
    """Return the published ScreenQA files, or skip the test, which is then counted aloud."""
    reason = missing_data()
    if reason:
        pytest.skip(f"real data: {reason}")
    return Path(os.environ[VARIABLE]) / "screenqa"


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what snellen remembers of data files out of the user's own folder."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNELLEN_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start one browser for a module's tests: Playwright bears no second one in a thread."""
    with load_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=find_browser().program,
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        yield found
        found.close()


@pytest.fixture
def open_tab(browser: "Browser") -> Iterator[Callable[..., "Tab"]]:
    """Open files in tabs of their own; what one complains of, or asks for, fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_file(path: Path, fragment: str = "", **options: Any) -> "Tab":
        own = ("data:", "blob:", path.as_uri())
        context = browser.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        tab.on(
            "request",
            lambda asked: None if asked.url.startswith(own) else complaints.append(asked.url),
        )
        tab.goto(path.as_uri() + fragment)
        return tab

    yield open_file
    for context in contexts:
        context.close()
    assert complaints == []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs the exam server or its store: all that lies in tests/server."""
    folder = Path(__file__).parent / "tests/server"
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.server)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes after their argument: those of gzip have the time in them.

    The processes that share the tests must agree on every name.
    """
    return argname if isinstance(val, bytes) else None


LIGHT = find_spec("importlinter") is None
"""Whether the extra dev is not installed, so that tests which need its packages are skipped."""

NEEDS = "needs the package "


def _package_of(error: BaseException | None) -> str:
    """Return the package for want of which something failed; empty if it is for another reason."""
    while error is not None:
        if isinstance(error, doctest.UnexpectedException):
            error = error.exc_info[1]
        if isinstance(error, MissingExtraError):
            return f"snellen[{error.extra}]"
        if isinstance(error, ModuleNotFoundError):
            package = (error.name or "").partition(".")[0]
            return "" if package == "snellen" else package
        error = error.__cause__ or error.__context__
    return ""


def _skips_without_packages() -> Generator[None, Any, Any]:
    try:
        return (yield)
    except Exception as error:
        failures = getattr(error, "failures", None) or [error]  # those of a doctest
        package = _package_of(failures[0]) if LIGHT else ""
        if not package:
            raise
        pytest.skip(NEEDS + package)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Skip what needs real data, a browser, or a package of the extra dev, where there is none."""
    reason = missing_data() if item.get_closest_marker("realdata") else None
    if reason:
        pytest.skip(f"real data: {reason}")
    reason = missing_browser() if item.get_closest_marker("browser") else None
    if reason:
        pytest.skip(f"browser: {reason}")
    return (yield from _skips_without_packages())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Skip what turns out to need a package of the extra dev, where it is not installed."""
    return (yield from _skips_without_packages())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud what was skipped for want of real data or of packages, and how to get them.

    Where SNELLEN_SKIPPED names a file, the tests that lack packages are written there, a line each.
    """
    data = 0
    packages: Counter[str] = Counter()
    names: list[str] = []
    for report in terminalreporter.getreports("skipped"):
        said = str(report.longrepr)
        wanted = re.search(
            rf"{re.escape(NEEDS)}([\w.-]+(?:\[\w+\])?)|could not import '(\w+)", said
        )
        if wanted:
            packages[wanted[1] or wanted[2]] += 1
            names.append(report.nodeid)
        elif VARIABLE in said or "realdata" in getattr(report, "keywords", ()):
            data += 1
    lines = [f"{data} tests on real data: {missing_data()}"] if data and missing_data() else []
    if packages:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(packages.items()))
        lines.append(f"what needs {named}: pip install -e '.[dev]'")
    for line in lines:
        terminalreporter.write_line(f"NOT TESTED: {line}", yellow=True, bold=True)
    if LIGHT and (file := os.environ.get("SNELLEN_SKIPPED")):
        Path(file).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
