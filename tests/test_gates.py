"""The budgets of `house.toml` (lines, words, commands), and that a benchmark stands alone.

`python tests/test_gates.py` prints the present figures beside the budgets.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import files, requires
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from snellen.grading.protocols.names import OWN

if TYPE_CHECKING:
    import grimp
else:
    grimp = pytest.importorskip("grimp")

ROOT = Path(__file__).parents[1]
HOUSE: Mapping[str, Any] = tomllib.loads((ROOT / "house.toml").read_text(encoding="utf-8"))
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = [
    ROOT / each for each in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
]
NOT_WRITTEN = re.compile(
    r"<!-- (?:generated|runs): .*?<!-- end(?: of runs)? -->|^```.*?^```$", re.DOTALL | re.MULTILINE
)
"""The parts of a page that programs write, and code."""

RAISED = "Only an issue that names the new figure raises a budget in house.toml."

ANSWERS, TASK, DATA = "examples/answers.jsonl", "screenqa/short", "examples/screen_qa"


def lines(*patterns: str) -> int:
    """Count the lines of the files that the patterns match."""
    files = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    return sum(path.read_bytes().count(b"\n") for path in files)


def lines_of_core() -> int:
    """Count the lines of grading, tasks, sdk with the command line, and server."""
    return lines(*(f"{name}/snellen/**/*.py" for name in ("grading", "tasks", "sdk", "server")))


def lines_of_plugins() -> int:
    """Count the lines of the plugins."""
    return lines("plugins/*/snellen/**/*.py")


def lines_of_tests() -> int:
    """Count the lines of the tests of the core and of the plugins."""
    return lines("conftest.py", "tests/**/*.py", "plugins/*/tests/**/*.py")


def lines_beside() -> int:
    """Count the lines of the programs that measure, write the documentation, and are examples."""
    return lines("perf/**/*.py", "docs/**/*.py", "examples/**/*.py")


def words_of_docs() -> int:
    """Count the words of the documentation that people write: without generated parts and code."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    texts = (page.read_text(encoding="utf-8") for page in pages)
    return sum(len(NOT_WRITTEN.sub("", text).split()) for text in texts)


def megabytes() -> int:
    """Count the megabytes that the README's test command installs on this Python."""
    found = {
        file
        for name in installed(("test",))
        for file in files(name) or ()
        if ".." not in file.parts
    }
    return round(
        sum(path.stat().st_size for file in found if (path := Path(file.locate())).is_file()) / 1e6
    )


@cache
def imports() -> grimp.ImportGraph:
    """Return who imports whom among snellen's modules, also inside functions and for types."""
    packages = [path.name for source in SOURCES for path in source.iterdir() if path.is_dir()]
    names = [f"snellen.{name}" for name in packages if not name.startswith("_")]
    return grimp.build_graph(*names, cache_dir=None)


@cache
def commands() -> list[Any]:
    """Return every command of the command line, groups apart."""
    module, _, name = HOUSE["command"].partition(":")
    app = getattr(import_module(module), name)
    root: Any = typer.main.get_command(app) if isinstance(app, typer.Typer) else app

    def walk(command: Any, context: Any) -> Iterator[Any]:
        if not hasattr(command, "list_commands"):
            yield command
            return
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            yield from walk(inner, inner.context_class(inner, parent=context, info_name=name))

    return list(walk(root, root.context_class(root, info_name="snellen")))


def options() -> int:
    """Count the options of all commands; --help is none."""
    return sum(
        parameter.param_type_name == "option"
        for command in commands()
        for parameter in command.params
    )


def modules_loaded(code: str) -> int:
    """Count snellen's modules after some code, in a fresh interpreter."""
    after = "import sys; print('\\n', sum(name.startswith('snellen.') for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{after}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return int(done.stdout.split()[-1])


def modules_of_sdk_grade() -> int:
    """Count the modules that grading a file of ScreenQA answers loads."""
    return modules_loaded(
        f"from snellen import sdk\nsdk.grade('{ANSWERS}', task='{TASK}', data='{DATA}')"
    )


def installed(own: tuple[str, ...] = ()) -> Mapping[str, set[str]]:
    """Return the distributions of an install on this Python, each with its extras.

    Args:
        own: The extras of snellen itself.
    """
    extras: dict[str, set[str]] = {}
    ahead = [Requirement(f"snellen[{','.join(own)}]")]
    while ahead:
        wanted = ahead.pop()
        name = canonicalize_name(wanted.name)
        known = extras.setdefault(name, set())
        for extra in {"", *wanted.extras} - known:
            known.add(extra)
            for line in requires(name) or ():
                inner = Requirement(line)
                if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                    inner.marker = None
                    ahead.append(inner)
    return extras


COUNTS: Mapping[str, tuple[Callable[[], int], str]] = {
    "lines_of_core": (lines_of_core, "Delete, merge, or use a library."),
    "lines_of_plugins": (lines_of_plugins, "Delete, merge, or use a library."),
    "lines_of_tests": (lines_of_tests, "Make rows of a table of functions that say the same."),
    "lines_beside": (lines_beside, "Delete, or merge."),
    "words_of_docs": (words_of_docs, "Say it once, in fewer words."),
    "commands": (lambda: len(commands()), "Fold a command into another one."),
    "options": (options, "Leave the option out, or put it into the exam file."),
    "modules_of_sdk_grade": (modules_of_sdk_grade, "Import late what grading does not need."),
    "distributions": (lambda: len(installed()), "Put the dependency into an extra."),
    "megabytes": (megabytes, "Put the dependency into the extra dev."),
}
"""What counts each figure of `[counts]` in house.toml, and what to do if it is too high."""


def test_a_benchmark_stands_alone() -> None:
    packages = {f"snellen.tasks.benchmarks.{module}" for module in OWN.values()}
    assert packages <= imports().modules
    alone = grimp.Layer(*packages, independent=True)
    assert not imports().find_illegal_dependencies_for_layers(layers=[alone])


@pytest.mark.parametrize("name", HOUSE["counts"])
def test_no_figure_is_above_its_budget(name: str) -> None:
    count, advice = COUNTS[name]
    found, budget = count(), HOUSE["counts"][name]
    assert found <= budget, f"{name} is {found:,}, and its budget is {budget:,}. {advice} {RAISED}"


def test_every_figure_has_a_budget() -> None:
    assert COUNTS.keys() == HOUSE["counts"].keys()


def main() -> None:
    """Print the present figures beside the budgets."""
    for name, (count, _) in COUNTS.items():
        print(f"{name:<24}{count():>9,}{HOUSE['counts'][name]:>9,}")


if __name__ == "__main__":
    main()
