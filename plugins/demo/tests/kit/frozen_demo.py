"""What `snellen demo` scores on the included exam."""

import json
import subprocess
from pathlib import Path

from frozen_command import command, environment


def scores(folder: Path) -> dict[str, object]:
    """Return what `scores_in` returns for a demonstration that is run here."""
    output = folder / "out"
    subprocess.run(
        command("demo", "--no-open", "-o", str(output)),
        env=environment(folder / "home"),
        check=True,
        capture_output=True,
    )
    return scores_in(output / "report.json")


def scores_in(file: Path) -> dict[str, object]:
    """Return each task's answered items and metrics in the report of a demonstration."""
    report = json.loads(file.read_text(encoding="utf-8"))["report"]
    return {
        task["task"]: f"{task['answered']} of {task['items']} answered, "
        + ", ".join(f"{name} {value:.6f}" for name, value in sorted(task["metrics"].items()))
        for task in report["tasks"]
    }
