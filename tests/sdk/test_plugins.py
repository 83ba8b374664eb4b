"""Benchmarks that other packages add: a real distribution, in an interpreter of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "docs" / "add_benchmark.md").read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)
# The example of the documentation is the one that is tested.
MODULE = next(block for block in BLOCKS if "BENCHMARK = Benchmark(" in block)


def install(site: Path, package: str, name: str, module: str) -> None:
    """Lay a distribution out as an installer does: its module, its metadata, its entry points."""
    site.mkdir(exist_ok=True)
    module_name = package.replace("-", "_")
    (site / f"{module_name}.py").write_text(module.replace("colors", name))
    info = site / f"{module_name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[snellen.benchmarks]\n{name} = {module_name}:BENCHMARK\n"
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages that holds one which adds the benchmark `colors`."""
    folder = tmp_path / "site"
    install(folder, "acme-colors", "colors", MODULE)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The benchmark's data."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [{"page": "a.com", "color": "red"}, {"page": "b.com", "color": "Blue"}]
    (folder / "pages.json").write_text(json.dumps(rows))
    return folder


def run(site: Path, code: str) -> str:
    """Run code where the packages are installed, with warnings shown, and return what it prints."""
    return _run(site, [sys.executable, "-c", dedent(code)])


def snellen(site: Path, *arguments: str, status: int = 0) -> str:
    """Run a command where the packages are installed, and return all that it prints."""
    code = "import sys; from snellen.cli import main; sys.exit(main())"
    return _run(site, [sys.executable, "-c", code, *arguments], status)


def _run(site: Path, command: list[str], status: int = 0) -> str:
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200", "SNELLEN_HOME": str(site)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.mark.slow
def test_an_installed_benchmark_is_graded_like_snellens_own(site: Path, data: Path) -> None:
    told = run(
        site,
        f"""
        from snellen import sdk
        task = "colors/page"
        print(task in sdk.TASKS, sdk.task_of(task).title, list(sdk.TASKS)[-1])
        print([one.name for one in sdk.protocols_of(task)])
        data = sdk.load(task, {str(data)!r}, prompt="colors-2")
        print(data.item("0").prompt.split("?")[0])
        answers = [{{"item_id": "0", "response": "Red"}}, {{"item_id": "1", "response": "Blue"}}]
        report = sdk.grade(answers, task=task, data={str(data)!r})
        print(report.value, report.provenance.protocol, report.numbers.chance.value)
        print(sdk.score(task, response="RED", reference="red").value)
        both = sdk.explain(answers, task=task, data={str(data)!r})
        print({{name: one.value for name, one in both.reports.items()}})
        print(sdk.attainable(data=data).below)
        """,
    )
    assert told.splitlines() == [
        "True Name the page's color colors/page",
        "['robust@1', 'strict@1']",
        "Which color is it",
        "1.0 robust 0.5",
        "1.0",
        "{'robust': 1.0, 'strict': 0.5}",
        "()",
    ]


SUMMARIES = """
from snellen.grading.protocols.summaries import Joint, Summaries
from snellen.grading.table import Summary

HUE = "colors/hue"


def one(cells, options):
    return Summary(TASK, float(cells.values.sum()), (), ())


def both(runs, options):
    return Summary("colors", [cells.report.value for cells in runs], (), ())


def summaries():
    return Summaries({TASK: one}, (Joint((TASK, HUE), both),))
"""
FIELDS = """
BENCHMARK = replace(
    BENCHMARK,
    protocols={TASK: PROTOCOLS, HUE: tuple(replace(one, task=HUE) for one in PROTOCOLS)},
    golds={TASK: TEXT, HUE: TEXT},
    tasks=(*BENCHMARK.tasks, replace(BENCHMARK.tasks[0], id=HUE)),
    summaries=summaries,
)
"""


@pytest.mark.slow
def test_an_installed_benchmark_says_how_its_reports_are_summarized(tmp_path: Path) -> None:
    module = f"{MODULE}{SUMMARIES}\nfrom dataclasses import replace\n{FIELDS}"
    install(tmp_path / "site", "acme-colors", "colors", module)
    told = run(
        tmp_path / "site",
        """
        from snellen import sdk
        def graded(task, *said):
            answers = [{"item_id": one, "response": one} for one in said]
            golds = {"red": "red", "blue": "blue", "green": "green", "gray": "gray"}
            return sdk.grade(answers, task=task, references=golds)
        page, hue = graded("colors/page", "red", "blue", "green"), graded("colors/hue", "red")
        print(page.summary().result)
        print([(one.task, one.result) for one in sdk.summarise([page, hue])][::2])
        """,
    )
    assert told.splitlines() == ["3.0", "[('colors/page', 3.0), ('colors', [0.75, 0.25])]"]


@pytest.mark.slow
def test_the_command_line_lists_and_grades_it(site: Path, data: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"item_id": "0", "response": "red"}\n{"item_id": "1", "response": "x"}\n')
    assert "page  Name the page's color  accuracy" in snellen(site, "benchmarks")
    assert "case does not count" in snellen(site, "benchmarks", "colors/page")
    assert "colors/page" in snellen(site, "benchmarks", "colors")
    graded = snellen(site, "grade", str(answers), "--task", "colors/page", "--data", str(data))
    assert "accuracy" in graded
    assert "50.0" in graded


@pytest.mark.slow
def test_snellens_own_tasks_are_graded_without_looking_for_packages(site: Path) -> None:
    told = run(
        site,
        """
        import sys
        from snellen import sdk
        sdk.score("screenqa/short", response="12", reference=["12"])
        sdk.grade([{"item_id": "1", "response": "12"}], task="screenqa/short",
                  references={"1": ["12"]})
        print("acme_colors" in sys.modules)
        from snellen.grading.protocols import plugins
        print(plugins.registered.cache_info().currsize)
        """,
    )
    assert told.splitlines() == ["False", "0"]


BROKEN = "raise RuntimeError('no licence')"


@pytest.mark.slow
def test_a_package_that_cannot_be_imported_is_named_and_hurts_no_other(site: Path) -> None:
    install(site, "broken-bench", "broken", BROKEN)
    told = run(
        site,
        """
        from snellen import sdk
        print(sdk.score("screenqa/short", response="12", reference=["12"]).value)
        print(sdk.score("colors/page", response="red", reference="red").value)
        try:
            sdk.protocols_of("broken/page")
        except sdk.SnellenError as error:
            print(type(error).__name__, error)
        """,
    )
    assert told.splitlines() == [
        "1.0",
        "1.0",
        "PluginError broken-bench, which adds the benchmark 'broken', can't be imported from"
        " broken_bench:BENCHMARK: RuntimeError: no licence",
    ]
    listed = snellen(site, "benchmarks")
    assert "Name the page's color" in listed
    assert "left out: broken-bench, which adds the benchmark 'broken'" in listed
    refused = snellen(site, "benchmarks", "broken/page", status=2)
    assert "no licence" in refused


@pytest.mark.slow
def test_a_list_of_all_tasks_warns_of_a_package_that_it_leaves_out(site: Path) -> None:
    install(site, "broken-bench", "broken", BROKEN)
    told = run(site, "from snellen import sdk; print(len(list(sdk.TASKS)) > 30)")
    assert "PluginWarning: broken-bench" in told
    assert told.splitlines()[-1] == "True"


@pytest.mark.slow
def test_two_packages_that_claim_one_name_are_both_named(site: Path) -> None:
    install(site, "zeta-colors", "colors", MODULE)
    told = snellen(site, "benchmarks", "colors/page", status=2)
    assert "acme-colors and zeta-colors both add a benchmark 'colors'" in told


@pytest.mark.slow
def test_no_package_can_take_the_name_of_snellens_own(site: Path, data: Path) -> None:
    install(site, "false-screenqa", "screenqa", MODULE)
    listed = snellen(site, "benchmarks")
    assert "left out: false-screenqa adds a benchmark 'screenqa'" in listed
    assert "no task" in snellen(site, "benchmarks", "screenqa/page", status=2)
    assert "SQuAD" in snellen(site, "benchmarks", "screenqa/short")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("BENCHMARK = 5", "gives a int at other:BENCHMARK, where a"),
        (MODULE.replace('name="colors"', 'name="others"'), "'mine/page' of others must be called"),
        (MODULE.replace('TEXT, "accuracy",', 'TEXT, "f1",'), "mine/page is to be measured by 'f1'"),
        (MODULE.replace("tasks=(", "tasks=() and ("), "has the tasks (none)"),
        ("", "has no attribute 'BENCHMARK'"),
    ],
)
def test_an_entry_point_that_is_no_benchmark_says_what_is_wrong(
    tmp_path: Path, module: str, message: str
) -> None:
    install(tmp_path / "site", "other", "mine", module)
    told = snellen(tmp_path / "site", "benchmarks", "mine/page", status=2)
    assert message in told
    assert "other, which adds the benchmark 'mine'" in told


@pytest.mark.slow
def test_a_name_that_differs_from_the_entry_points_is_an_error(tmp_path: Path) -> None:
    install(tmp_path / "site", "other", "mine", MODULE.replace("colors", "yours"))
    told = snellen(tmp_path / "site", "benchmarks", "mine/page", status=2)
    assert "calls it 'yours' at other:BENCHMARK; make the names agree" in told
