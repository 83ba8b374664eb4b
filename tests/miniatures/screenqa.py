"""ScreenQA: a copy of the repository in miniature."""

from pathlib import Path


def write(_: Path) -> Path:
    return Path(__file__).parents[1] / "fixtures" / "screenqa" / "repo"
