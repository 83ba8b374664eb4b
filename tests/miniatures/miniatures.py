"""One small data set a benchmark, from which the tests of all tasks are made.

Beside this stand, for each benchmark, `NAME.py`, whose `write` lays its published files out, three
items or more of each task, and `NAME.json`, with a few references of each task. A new benchmark
adds these two.
"""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from snellen.grading.protocols.names import OWN

_HERE = Path(__file__).parent


def written(benchmark: str, folder: Path) -> Path:
    """Return where a benchmark's data is: in the folder, or where it lies for good."""
    spec = spec_from_file_location(
        f"miniature_{_file(benchmark)}", _HERE / f"{_file(benchmark)}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.write(folder)


def references() -> dict[str, list[Any]]:
    """Return some references of every task, in their published shapes."""
    found: dict[str, list[Any]] = {}
    for benchmark in OWN:
        found.update(json.loads((_HERE / f"{_file(benchmark)}.json").read_text(encoding="utf-8")))
    return found


def _file(benchmark: str) -> str:
    return benchmark.replace("-", "_")
