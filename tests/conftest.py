"""What every test shares: the folder of real data, and a home of its own for what is remembered."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A machine's load is no fault of the code. On a change that is to land, the examples are always
# the same ones; a developer's runs keep looking for new ones.
settings.register_profile("snellen", deadline=None)
settings.register_profile("landing", deadline=None, derandomize=True)
settings.load_profile("landing" if os.environ.get("CI") else "snellen")

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs the exam server or its store: all that lies in tests/server."""
    folder = Path(__file__).parent / "server"
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.server)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs real data where there is none."""
    reason = missing_data() if item.get_closest_marker("realdata") else None
    if reason:
        pytest.skip(f"real data: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud how many tests did not run for want of real data."""
    reason = missing_data()
    skipped = [
        report
        for report in terminalreporter.getreports("skipped")
        if isinstance(report, pytest.TestReport)
        and ("realdata" in report.keywords or VARIABLE in str(report.longrepr))
    ]
    if reason and skipped:
        terminalreporter.write_line(
            f"NOT TESTED on real data: {len(skipped)} test(s) skipped, because {reason}",
            yellow=True,
            bold=True,
        )
