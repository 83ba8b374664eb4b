"""The documentation can't rot: what is public is in it, and what is in it runs."""

import doctest
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import generate
import pytest
import typer.main
from model_server import without_leaks

from snellen import sdk
from snellen.cli.app import app
from snellen.grading import errors
from snellen.grading.models.reports import PinVerdict, ProblemKind
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.table import PROTOCOLS

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ALL = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
TEXT = {page: page.read_text(encoding="utf-8") for page in ALL}

_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]+\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
_VARIABLE = re.compile(r"\b(?:SNELLEN_[A-Z_]+)\b")


def name_of(page: Path) -> str:
    """Return a page's path as the navigation writes it."""
    docs = ROOT / "docs"
    return page.relative_to(docs if page.is_relative_to(docs) else ROOT).as_posix()


def blocks(kind: str) -> Iterator[Any]:
    """Yield every fenced block of a kind as a test case named page:line."""
    for page, text in TEXT.items():
        for match in _BLOCK.finditer(text):
            if match["kind"] == kind:
                line = text.count("\n", 0, match.start()) + 1
                yield pytest.param(match["body"], id=f"{name_of(page)}:{line}")


def _flat(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command by its whole name, groups' own ones as `pack check`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _flat(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def commands() -> dict[str, Any]:
    """Return the commands of the command line by their names."""
    return dict(_flat(typer.main.get_command(app)))


def variables() -> list[str]:
    """Return every environment variable that the code or the tests read."""
    found: set[str] = set()
    for root in ("server", "sdk", "tasks", "grading", "plugins", "perf", "tests"):
        for path in (ROOT / root).rglob("*.py"):
            found.update(_VARIABLE.findall(path.read_text(encoding="utf-8")))
    return sorted(found)


def anchor(title: str) -> str:
    """Return the anchor that a heading gets."""
    plain = re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower()
    return re.sub(r"[\s]+", "-", plain)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that holds a copy of examples/ and nothing else."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_docs(name: str, *, page: str | None = None) -> bool:
    """Tell whether a page, or any page, has a name in code."""
    pages = [ROOT / "docs" / page] if page else PAGES
    pattern = re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])")
    return any(pattern.search(TEXT[one]) for one in pages)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_has_an_example(name: str) -> None:
    assert f"$ snellen {name}" in TEXT[ROOT / "docs" / "cli.md"]


@pytest.mark.parametrize("name", sdk.__all__)
def test_every_public_name_of_the_sdk_is_in_the_docs(name: str) -> None:
    assert in_docs(f"sdk.{name}", page="grading.md")


@pytest.mark.parametrize("task", PROTOCOLS)
def test_every_task_is_in_the_docs(task: str) -> None:
    assert in_docs(task, page="protocols.md")


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_in_the_docs(outcome: Outcome) -> None:
    assert f"| `{outcome.value}` |" in TEXT[ROOT / "docs" / "grading.md"]


@pytest.mark.parametrize("kind", ProblemKind)
def test_every_kind_of_problem_is_in_the_docs(kind: ProblemKind) -> None:
    assert f"| `{kind.value}` |" in TEXT[ROOT / "docs" / "submissions.md"]


@pytest.mark.parametrize("verdict", PinVerdict)
def test_every_verdict_on_data_is_in_the_docs(verdict: PinVerdict) -> None:
    assert f"| `{verdict.value}` |" in TEXT[ROOT / "docs" / "screenqa.md"]


@pytest.mark.parametrize("name", variables())
def test_every_environment_variable_is_in_the_docs(name: str) -> None:
    assert in_docs(name, page="grading.md")


@pytest.mark.parametrize(
    "name", sorted(name for name in vars(errors) if name.endswith("Error") and name[0].isupper())
)
def test_every_error_is_in_the_docs(name: str) -> None:
    assert in_docs(name, page="grading.md")


@pytest.mark.parametrize("script", sorted((ROOT / "perf").glob("[a-z]*.py")), ids=lambda p: p.name)
def test_every_perf_script_is_in_the_docs(script: Path) -> None:
    assert f"python perf/{script.name}\n" in TEXT[ROOT / "docs" / "speed.md"]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=name_of)
def test_every_page_is_in_the_navigation(page: Path) -> None:
    assert f": {name_of(page)}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("body", list(blocks("python")))
@pytest.mark.usefixtures("room")
def test_every_python_block_runs(body: str) -> None:
    exec(compile(body, "<docs>", "exec"), {"__name__": "__main__"})


@pytest.mark.slow
@pytest.mark.parametrize("body", list(blocks("pycon")))
@pytest.mark.usefixtures("room")
# Inspect leaves streams to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_every_python_session_prints_what_it_shows(body: str) -> None:
    session = doctest.DocTestParser().get_doctest(body, {}, "session", None, 0)
    told: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
    without_leaks()
    assert not failed.failed, "".join(told)


@pytest.mark.parametrize("page", ALL, ids=name_of)
def test_every_internal_link_resolves(page: Path) -> None:
    for match in _LINK.finditer(_BLOCK.sub("", TEXT[page])):
        target, _, fragment = match["target"].partition("#")
        if target.startswith(("http://", "https://")):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), match[0]
        if fragment:
            titles = _HEADING.findall(_BLOCK.sub("", TEXT[file]))
            assert fragment in map(anchor, titles), match[0]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=name_of)
def test_what_a_page_takes_from_the_code_is_as_the_code_has_it(page: Path) -> None:
    # If this fails: python docs/generate.py
    assert generate.parts(TEXT[page]) == TEXT[page]


@pytest.mark.slow
@pytest.mark.parametrize("body", list(blocks("console")))
def test_every_console_block_prints_what_it_shows_and_ends_as_it_says(body: str) -> None:
    # If this fails: python docs/generate.py
    lines = body.splitlines(keepends=True)
    printed = generate.console("".join(line for line in lines if line.startswith("$ ")))
    if "...\n" in lines:
        shown = "".join("(?:.*\n)*" if line == "...\n" else re.escape(line) for line in lines)
        assert re.fullmatch(shown, printed), printed
        assert "[exit status" not in printed
    else:
        assert printed == body
