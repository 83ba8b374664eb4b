"""The rules of the house: what is imported when, what may hold a reference, what ships."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from pydantic import BaseModel, PrivateAttr

from snellen import sdk
from snellen.grading.models.golds import Golds
from snellen.sdk.page.build import build_page
from snellen.sdk.report import Report

ROOT = Path(__file__).parent.parent
CORE = ("server", "sdk", "tasks", "grading")
PLUGINS = ("annotate", "build", "demo", "worlds")
ROOTS = (*CORE, *(f"plugins/{name}" for name in PLUGINS))
MODULES = sorted(path for root in ROOTS for path in (ROOT / root / "snellen").rglob("*.py"))
TEXTS = {".cfg", ".csv", ".html", ".json", ".jsonl", ".md", ".py", ".toml", ".txt", ".yml"}

# In pieces, so that this file holds none of them.
STRANGE = re.compile("|".join(["/" + "work/", r"(?<!\w)\." + "library", "helper" + " session"]))

HEAVY = {
    "altair",
    "httpx2",
    "huggingface_hub",
    "matplotlib",
    "mcp",
    "pandas",
    "PIL",
    "polars",
    "pyarrow",
    "scipy",
}
HEAVY_FOR_THE_SHELL = {"rich", "typer"}
HEAVY_FOR_TEXTS = {"mcp", "PIL", "scipy"}


def name_of(path: Path) -> str:
    """Return a path as the repository writes it."""
    return path.relative_to(ROOT).as_posix()


def imported_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and return the top-level modules that it imported."""
    script = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


def tracked_texts() -> Iterator[Path]:
    """Yield the repository's text files."""
    for path in sorted(ROOT.iterdir()):
        if path.is_file() and (path.suffix in TEXTS or path.name in ("LICENSE", ".gitignore")):
            yield path
    for folder in (*CORE, "plugins", "docs", "examples", "perf", "tests", ".ci"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and (path.suffix in TEXTS or folder == ".ci"):
                yield path


@pytest.mark.parametrize("root", ROOTS)
def test_a_source_root_is_a_part_of_the_namespace_and_nothing_else(root: str) -> None:
    names = {path.name for path in (ROOT / root).iterdir()} - {"__pycache__", "tests"}
    assert names == {"snellen"}
    assert not (ROOT / root / "snellen" / "__init__.py").exists()
    assert (ROOT / root / "snellen" / Path(root).name / "__init__.py").exists()


def test_no_test_of_the_core_imports_a_plugin() -> None:
    plugin = re.compile(rf"^\s*(?:from|import) snellen\.(?:{'|'.join(PLUGINS)})\b", re.MULTILINE)
    # These look at every page of a server, and so at those that plugins add.
    of_all_pages = {
        "tests/server/custody/test_endpoint.py",
        "tests/server/http/pages/test_browser.py",
        "tests/server/http/test_exams.py",
    }
    tests = [*(ROOT / "tests").rglob("*.py"), ROOT / "conftest.py"]
    found = {name_of(path) for path in tests if plugin.search(path.read_text(encoding="utf-8"))}
    assert found == of_all_pages


def test_importing_the_sdk_imports_nothing_heavy() -> None:
    assert not imported_by("from snellen import sdk") & (HEAVY | HEAVY_FOR_THE_SHELL)


@pytest.mark.slow
def test_scoring_a_text_imports_nothing_that_texts_do_not_need() -> None:
    code = (
        "from snellen import sdk\n"
        "sdk.score('screenqa/short', response='12', reference=['12 exercises', '12'])"
    )
    assert not imported_by(code) & HEAVY_FOR_TEXTS


@pytest.mark.slow
def test_texts_are_graded_on_the_command_line_without_pillow_and_the_extras() -> None:
    absent = ["PIL", "fastapi", "jinja2", "limits", "playwright", "tenacity"]
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({absent}))\n"
        "sys.argv = ['snellen', 'grade', 'examples/answers.jsonl', '--task', 'screenqa/short',"
        " '--data', 'examples/screen_qa', '--json']\n"
        "from snellen.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"exact_match"' in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "extra", "absent"),
    [
        (["serve"], "serve", "fastapi"),
        (["submit", "examples/sample_answers.jsonl", "--to", "http://x"], "hosted", "tenacity"),
        (["pack", "episodes", "desk", "-o", "never"], "miniwob", "markupsafe"),
    ],
)
def test_a_command_whose_extra_is_missing_names_the_pip_line_and_does_nothing(
    arguments: list[str], extra: str, absent: str, tmp_path: Path
) -> None:
    code = (
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, *rest: None if name == {absent!r}"
        " else find(name, *rest)\n"
        f"sys.modules[{absent!r}] = None\n"
        f"sys.argv = ['snellen', *{arguments}]\n"
        "from snellen.cli import main\n"
        "main()"
    )
    environment = {**os.environ, "SNELLEN_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode == 2
    assert f"pip install 'snellen[{extra}]'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_every_public_name_of_the_sdk_is_there() -> None:
    missing = [name for name in sdk.__all__ if not hasattr(sdk, name)]
    assert not missing
    assert dir(sdk) == sorted(sdk.__all__)


def test_every_name_that_the_stub_of_the_sdk_lists_is_public() -> None:
    stub = ast.parse(Path(sdk.__file__ or "").with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = {alias.asname for node in imports for alias in node.names} - {None}
    assert set(sdk.__all__) == names | {"load"}


def test_an_unknown_name_of_the_sdk_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'grad'"):
        _ = sdk.grad  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]  # the point


def test_no_result_leads_to_a_reference_but_what_a_report_keeps_for_grading_again(
    reachable: Callable[[object], list[object]],
) -> None:
    answers, golds = [{"item_id": "a", "response": "?"}], {"a": ["zebra"]}
    report = sdk.grade(answers, task="screenqa/short", references=golds)
    by_protocol = sdk.explain(answers, task="screenqa/short", references=golds)
    assert {Golds, str} <= {type(value) for value in reachable(report)}
    bare = Report.of(report, report.scores, None, report.tags)
    names = [name for name in dir(report) if not name.startswith(("_", "model_"))]
    public = [getattr(report, name) for name in names]
    results = [
        bare,
        *(value for value in public if not callable(value)),
        report.scores[0],
        report.metrics,
        build_page(report),
        by_protocol.explain("official", "robust"),
        *by_protocol.partings("official", "robust"),
    ]
    for found in map(reachable, results):
        assert not [value for value in found if isinstance(value, Golds)]
        assert "zebra" not in {value for value in found if isinstance(value, str)}


def test_golds_are_found_wherever_they_are_kept(
    reachable: Callable[[object], list[object]],
) -> None:
    class Slotted:
        __slots__ = ("_hidden",)

        def __init__(self) -> None:
            self._hidden = Golds(["zebra"])

    class Private(BaseModel):
        _hidden: object = PrivateAttr(default_factory=lambda: [Golds(["zebra"])])

    hidden = Golds(["zebra"])
    for leak in (Slotted(), Private(), lambda: hidden, partial(print, hidden)):
        assert any(isinstance(value, Golds) for value in reachable(leak))


ALWAYS_THERE = sys.stdlib_module_names | {"_typeshed"}
"""The standard library, and what only type checkers import."""


@pytest.mark.slow
def test_every_import_is_of_a_declared_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    shipped = [
        line for name in extras if name not in ("test", "dev", "docs") for line in extras[name]
    ]
    declared = {
        re.split(r"[^\w.-]", line)[0].replace("_", "-").lower()
        for line in (*project["dependencies"], *shipped)
    }
    owners = packages_distributions()
    undeclared: set[str] = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for top in {name.partition(".")[0] for name in names} - ALWAYS_THERE:
                known = {owner.replace("_", "-").lower() for owner in owners.get(top, [top])}
                if top != "snellen" and not known & declared:
                    undeclared.add(f"{name_of(path)}: {top}")
    assert not undeclared


def test_csv_is_written_in_one_place() -> None:
    # What a spreadsheet would run as a formula is made text there.
    writing = [path for path in MODULES if "csv.writer(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in writing] == ["csv_text.py"]
    assert not any("DictWriter" in path.read_text(encoding="utf-8") for path in MODULES)


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert project["license"] == "Apache-2.0"


def test_every_path_that_a_suite_names_is_there() -> None:
    named = {
        word
        for path in sorted((ROOT / ".ci").iterdir())
        for word in re.findall(
            r"(?<![\w/.-])(?:tests|server|sdk|tasks|grading|plugins|deploy|perf|examples)/[\w./*-]+",
            path.read_text(encoding="utf-8"),
        )
    }
    assert "tests/server/custody" in named
    assert not [word for word in sorted(named) if not list(ROOT.glob(word))]


@pytest.mark.slow
def test_no_file_speaks_of_the_place_where_it_was_written() -> None:
    found = [
        f"{name_of(path)}: {match[0]}"
        for path in tracked_texts()
        for match in STRANGE.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found
