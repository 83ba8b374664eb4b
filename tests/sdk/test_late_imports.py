"""What is not needed is not imported: counted in modules, since times differ between machines."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "pydantic", "scipy", "sqlalchemy", "mcp", "rapidfuzz", "PIL", "pyarrow"}
SCORE = "from snellen import sdk; sdk.score('screenqa/short', response='12', reference=['12'])"
LIST = (
    "import sys; sys.argv = ['snellen', 'benchmarks']\n"
    "from snellen.cli import main\n"
    "try: main()\n"
    "except SystemExit: pass"
)


def imported(code: str) -> set[str]:
    report = "\nimport sys; print(*sorted(sys.modules), sep='\\n', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "needed"), [(SCORE, {"numpy", "pydantic"}), (LIST, set[str]())], ids=["score", "list"]
)
def test_of_what_is_heavy_only_what_is_needed_is_imported(code: str, needed: set[str]) -> None:
    # Typer imports pydantic by itself, some versions of it.
    by_typer = {"pydantic"} if code == LIST else set[str]()
    assert (imported(code) & HEAVY) - by_typer == needed


def test_a_first_score_imports_its_own_benchmark_alone() -> None:
    found = {name.rpartition(".")[2] for name in imported(SCORE) if ".grading.protocols." in name}
    assert "screenqa" in found
    assert not found & {"matrix", "webrssbench", "visualwebbench", "mmbench_gui", "screenspot"}
