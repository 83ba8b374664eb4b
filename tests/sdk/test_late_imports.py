"""What is not needed is not imported: counted in modules, since times differ between machines."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "pydantic", "scipy", "sqlalchemy", "mcp", "rapidfuzz", "PIL", "pyarrow"}
SCORE = "from snellen import sdk; sdk.score('screenqa/short', response='12', reference=['12'])"
LIST = (
    "import sys; sys.argv = ['snellen', 'benchmarks']\n"
    "from snellen.cli import main\n"
    "try: main()\n"
    "except SystemExit: pass"
)


def command(*words: str) -> str:
    """Return the code of a command."""
    return LIST.replace("['snellen', 'benchmarks']", str(["snellen", *words]))


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


@pytest.mark.slow
def test_a_first_score_imports_its_own_benchmark_alone() -> None:
    folder = "snellen.tasks.benchmarks."
    found = [name for name in imported(SCORE) if name.startswith(folder) and name.endswith("rules")]
    assert found == [f"{folder}screenqa.rules"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("submit", "--help"),
        ("take", "--help"),
        ("token", "create", "ada", "--store", "@"),
        ("store", "backup", "@.copy", "--store", "@"),
    ],
    ids=" ".join,
)
def test_a_command_about_an_endpoint_loads_no_numbers(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    store = str(tmp_path / "exam.sqlite")
    assert imported(command("token", "list", "--store", store))
    found = imported(command(*(word.replace("@", store) for word in words)))
    assert not found & {"numpy", "scipy", "mcp", "fastapi"}
