"""Write the baseline agent's scores on the included exams: `python perf/baseline.py [EXAM ...]`.

They go to `tasks/snellen/tasks/samples/baselines.json`, from which `snellen benchmarks` and
`docs/generate.py` make their tables. The exams that are generated at their first start differ from
machine to machine and have none. With `--quick` the smallest is taken, and nothing is written.
"""

import json
import sys
from pathlib import Path
from typing import Any

from snellen.demo.run import DemoOptions, run_demo
from snellen.sdk.exam.page import Mean, by_benchmark, mean_of
from snellen.sdk.exam.taken import Row, TakenExam
from snellen.tasks import samples

FILE = Path(samples.__file__).with_name("baselines.json")
DIGITS = 4
QUICK = "wireframes"


def main() -> None:
    """Let the agent take the exams that are named, or all that ship."""
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    quick = sys.argv[1:] == ["--quick"]
    for name in [QUICK] if quick else sys.argv[1:] or samples.INCLUDED:
        taken = run_demo(DemoOptions(Path(name)))
        # An agent in one context has fewer items; OCR was done before.
        fewer = run_demo(DemoOptions(Path(name), contexts="continuous", blind=False))
        attempts = {"fresh": _by_task(taken), "continuous": _by_task(fewer)}
        found[name] = scores(taken) | {"attempts": attempts}
        print(f"{name}: {found[name]['score']} on {found[name]['items']} items")
    if not quick:
        FILE.write_text(json.dumps(found, indent=1) + "\n")


def scores(demo: TakenExam) -> dict[str, Any]:
    """Return the rows of a demonstration's tables."""
    whole = mean_of(demo.rows)
    return {
        "exam": demo.taken.report["exam"],
        "score": _rounded(whole.value),
        "items": whole.items,
        "benchmarks": {
            name: {"tasks": len(rows), **_row(mean)} for name, mean, rows in by_benchmark(demo)
        },
        "tasks": {row.task: {"metric": row.metric, **_row(row)} for row in demo.rows},
    }


def _by_task(demo: TakenExam) -> dict[str, Any]:
    return {row.task: {"items": row.items, "value": _rounded(row.value)} for row in demo.rows}


def _row(row: Row | Mean) -> dict[str, Any]:
    values = {
        name: _rounded(getattr(row, name)) for name in ("value", "low", "high", "blind", "chance")
    }
    return {"items": row.items, "answered": row.answered, **values}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


if __name__ == "__main__":
    main()
