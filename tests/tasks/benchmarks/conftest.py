"""Small data for the loaders, and for each test an empty home for what they remember."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point SNELLEN_HOME to a folder that is not there yet."""
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def examples() -> Path:
    """The examples that ship."""
    return TESTS.parent / "examples"
