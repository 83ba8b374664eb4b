"""VisualWebBench: a file of each configuration."""

from pathlib import Path


def write(_: Path) -> Path:
    return Path(__file__).parents[1] / "fixtures" / "visualwebbench"
