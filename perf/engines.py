"""Where answers are graded: in this process, in one for each core, or on Ray started here.

usage: python perf/engines.py [--quick]

Two kinds of work: short answers, which cost a few microseconds each, and programs, which are run in
a sandbox each. All engines must give the same numbers. Ray is left out where it is not installed;
its row has the start of its processes apart, because a cluster is there already.
"""

import logging
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from _timing import options

from snellen import sdk
from snellen.sdk.engines import Engine
from snellen.tasks.sandbox import SandboxExecutor

PROGRAM = "total = 0\nfor number in range(10):\n    total += number\nprint(total)\n"
ENGINES: tuple[Engine | None, ...] = (None, "processes", "ray")


def short(count: int) -> dict[str, Any]:
    """Return short answers and what they are graded with."""
    return {
        "submissions": [
            {"item_id": f"i{n}", "response": f"answer {n if n % 3 else 'x'}"} for n in range(count)
        ],
        "task": "screenqa/short",
        "references": {f"i{n}": [f"the answer {n}", str(n)] for n in range(count)},
    }


def programs(count: int) -> dict[str, Any]:
    """Return programs and what they are run with."""
    reference = {"metric": "code", "answer": "print(45)", "settings": {"prints": "45\n"}}
    return {
        "submissions": [{"item_id": f"i{n}", "response": PROGRAM} for n in range(count)],
        "task": "matrix/items",
        "references": {f"i{n}": reference for n in range(count)},
        "executor": SandboxExecutor(allow=True),
    }


def measure(name: str, given: dict[str, Any]) -> None:
    """Print how long each engine takes, and check that they agree."""
    first = None
    for engine in ENGINES:
        if engine == "ray" and find_spec("ray") is None:
            print(f"{name:<24} ray          not installed: pip install '.[ray]'")
            continue
        start = time.perf_counter()
        report = sdk.grade(engine=engine, keep_scores=False, progress=False, **given)
        took = time.perf_counter() - start
        first = first or report
        assert report.input.outcomes[sdk.Outcome.ANSWERED] == report.provenance.items, (
            report.input.warnings
        )
        assert report.numbers == first.numbers, f"{engine} differs"
        print(f"{name:<24} {engine or 'this process':<12} {took:8.2f} s")


def main() -> None:
    """Measure each kind of work at several sizes."""
    quick = options(__doc__ or "").quick
    sdk.grade(keep_scores=False, **short(10))  # what is imported at the first time
    if find_spec("ray") is not None:
        ray = import_module("ray")
        start = time.perf_counter()
        ray.init(log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
        print(f"{'starting Ray here':<37} {time.perf_counter() - start:8.2f} s")
    for count in (1_000,) if quick else (10_000, 100_000):
        measure(f"{count:,} short answers", short(count))
    for count in (4,) if quick else (30, 300):
        measure(f"{count:,} programs", programs(count))


if __name__ == "__main__":
    main()
