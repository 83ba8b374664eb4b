"""The command line in a process of its own, of this source tree."""

import os
import sys
import tomllib
from pathlib import Path

_PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def command(*arguments: str) -> list[str]:
    """Return what runs `snellen`, wherever the project keeps its function."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    module, _, function = project["scripts"]["snellen"].partition(":")
    return [sys.executable, "-c", f"from {module} import {function}; {function}()", *arguments]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command that finds this code and an empty home."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path, "SNELLEN_HOME": str(home), **more}
