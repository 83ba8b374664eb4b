"""The items of the matrix that ship as an example."""

from pathlib import Path


def write(_: Path) -> Path:
    return Path(__file__).parents[2] / "examples" / "matrix"
