"""What `snellen demo` scores on a part of the sample, without interactive items."""

import json
import subprocess
from pathlib import Path

from frozen_command import command, environment

ITEMS = "4"
"""Fewer than there are tasks, so it is the least: a few of each benchmark."""


def scores(folder: Path) -> dict[str, object]:
    """Return each task's answered items and metrics."""
    output = folder / "out"
    subprocess.run(
        command("demo", "--n", ITEMS, "--no-open", "-o", str(output)),
        env=environment(folder / "home", SNELLEN_BROWSER="none-is-installed"),
        check=True,
        capture_output=True,
    )
    report = json.loads((output / "report.json").read_text(encoding="utf-8"))["report"]
    return {
        task["task"]: f"{task['answered']} of {task['items']} answered, "
        + ", ".join(f"{name} {value:.6f}" for name, value in sorted(task["metrics"].items()))
        for task in report["tasks"]
    }
