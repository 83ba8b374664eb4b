"""The budgets of `house.toml` (lines, imports, commands), and that a benchmark stands alone.

`python tests/test_gates.py` prints the present figures beside the budgets.
"""

import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import grimp
import pytest
import typer.main
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from snellen.grading.protocols.names import OWN

ROOT = Path(__file__).parents[1]
HOUSE: Mapping[str, Any] = tomllib.loads((ROOT / "house.toml").read_text(encoding="utf-8"))
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = [
    ROOT / each for each in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
]
RAISED = "Only an issue that names the new figure raises a budget in house.toml."

ANSWERS, TASK, DATA = "examples/answers.jsonl", "screenqa/short", "examples/screen_qa"


def lines_by_package() -> Counter[str]:
    """Return the lines of each package below `snellen`."""
    packages: Counter[str] = Counter()
    for source in SOURCES:
        for path in source.rglob("*.py"):
            packages[path.relative_to(source).parts[0]] += path.read_bytes().count(b"\n")
    return packages


def lines_of_core() -> int:
    """Count the lines of grading, tasks, sdk, cli and server."""
    beside = ("build", "demo", "worlds")
    return sum(lines for name, lines in lines_by_package().items() if name not in beside)


@cache
def imports() -> grimp.ImportGraph:
    """Return who imports whom among snellen's modules, also inside functions and for types."""
    packages = [path.name for source in SOURCES for path in source.iterdir() if path.is_dir()]
    names = [f"snellen.{name}" for name in packages if not name.startswith("_")]
    return grimp.build_graph(*names, cache_dir=None)


def ignored_imports() -> int:
    """Count the imports that contracts ignore; one line with a wildcard ignores many."""
    return sum(
        len(imports().find_matching_direct_imports(import_expression=expression))
        for contract in PROJECT["tool"]["importlinter"]["contracts"]
        for expression in contract.get("ignore_imports", ())
    )


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


def modules_of_command_grade() -> int:
    """Count the modules that the same loads on the command line."""
    module, _, function = PROJECT["project"]["scripts"]["snellen"].partition(":")
    arguments = ["snellen", "grade", ANSWERS, "--task", TASK, "--data", DATA]
    return modules_loaded(
        f"import sys\nsys.argv = {arguments}\n"
        f"from {module} import {function}\n"
        f"try:\n    {function}()\nexcept SystemExit as error:\n    assert not error.code"
    )


def distributions() -> int:
    """Count the distributions of a base install on this Python, snellen included."""
    extras: dict[str, set[str]] = {"snellen": {""}}
    ahead = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    while ahead:
        wanted = ahead.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(wanted.name)
        known = extras.setdefault(name, set())
        for extra in {"", *wanted.extras} - known:
            known.add(extra)
            for line in requires(name) or ():
                inner = Requirement(line)
                if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                    inner.marker = None
                    ahead.append(inner)
    return len(extras)


COUNTS: Mapping[str, tuple[Callable[[], int], str]] = {
    "lines": (lambda: lines_by_package().total(), "Delete, merge, or use a library."),
    "lines_of_core": (lines_of_core, "Delete, merge, or use a library."),
    "ignored_imports": (ignored_imports, "Move code to the layer that may import what it needs."),
    "commands": (lambda: len(commands()), "Fold a command into another one."),
    "options": (options, "Leave the option out, or put it into the exam file."),
    "modules_of_sdk_grade": (modules_of_sdk_grade, "Import late what grading does not need."),
    "modules_of_command_grade": (modules_of_command_grade, "Import a command when it is called."),
    "distributions": (distributions, "Put the dependency into an extra."),
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
    packages = lines_by_package()
    rows = [(name, packages[name], None) for name in sorted(packages)]
    rows += [(name, count(), HOUSE["counts"][name]) for name, (count, _) in COUNTS.items()]
    for name, found, budget in rows:
        print(f"{name:<28}{found:>9,}{'' if budget is None else f'{budget:,}':>9}")


if __name__ == "__main__":
    main()
