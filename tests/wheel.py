"""Check the installed wheel: `python tests/wheel.py`, where nothing but the wheel is installed.

The working folder holds copies of tests/ and examples/ and no source root, so that whatever works
here works for a user. Prints a line a check and stops at the first that fails. No pytest: the
room holds the wheel and its dependencies alone.
"""

import asyncio
import importlib.metadata
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOTS = ("server", "sdk", "tasks", "grading")
PACKAGES = (*ROOTS, "annotate", "build", "demo", "packs", "play", "replay", "worlds")
SITE = Path(sysconfig.get_path("purelib"))
ANSWERS = Path("examples/answers.jsonl")
DATA = Path("examples/screen_qa")


def main() -> None:
    """Run every check."""
    os.environ["SNELLEN_HOME"] = tempfile.mkdtemp()
    os.environ["COLUMNS"] = "100"
    for check in CHECKS:
        print(f"wheel: {check.__doc__ or check.__name__} ...", end=" ", flush=True)
        check()
        print("yes")


def no_sources() -> None:
    """The sources are out of reach."""
    for root in ROOTS:
        found = next(Path(root).rglob("*.py"), None)
        _expect(found is None, f"{found} is in the working folder")


def from_site_packages() -> None:
    """Every part of snellen is imported from site-packages."""
    for package in PACKAGES:
        module = importlib.import_module(f"snellen.{package}")
        file = Path(module.__file__ or "")
        _expect(file.is_relative_to(SITE), f"snellen.{package} is {file}, not below {SITE}")


def typed() -> None:
    """py.typed ships in every part."""
    for package in PACKAGES:
        _expect((SITE / "snellen" / package / "py.typed").is_file(), f"{package} has no py.typed")


def one_top_level_name() -> None:
    """Nothing but snellen was installed at the top level."""
    files = importlib.metadata.files("snellen") or []
    tops = {file.parts[0] for file in files if file.suffix == ".py"}
    _expect(tops == {"snellen"}, f"the wheel installs {sorted(tops)}")
    for root in ROOTS:
        _expect(not (SITE / root).exists(), f"there is a {SITE / root}")
    _expect(not (SITE / "snellen" / "__init__.py").exists(), "the namespace has an __init__.py")


def help_page() -> None:
    """`snellen --help` names the commands."""
    printed = _snellen("--help").stdout
    for command in (
        *("benchmarks", "grade", "explain", "doctor"),
        *("evaluate", "compare", "report"),
    ):
        _expect(command in printed, f"no {command} in it: {printed}")


def grade_command() -> None:
    """The README's command grades what ships, and says which lines are bad."""
    arguments = (str(ANSWERS), "--task", "screenqa/short", "--data", str(DATA))
    _expect("screenqa/short|data:" in _snellen("grade", *arguments).stdout, "no signature")
    _expect("exact_match" in _snellen("explain", *arguments).stdout, "no comparison")
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder, "broken.jsonl")
        broken.write_text(ANSWERS.read_text(encoding="utf-8") + "{\n", encoding="utf-8")
        done = _snellen("grade", str(broken), *arguments[1:], status=1)
        _expect("broken.jsonl, line " in done.stderr, f"no line named: {done.stderr}")
        nothing = _snellen("grade", str(Path(folder, "none.jsonl")), *arguments[1:], status=2)
        _expect("error: " in nothing.stderr, f"no error told: {nothing.stderr}")


def score_function() -> None:
    """`sdk.score` scores."""
    from snellen import sdk

    score = sdk.score("screenqa/short", response="12", reference=["12 exercises", "12"])
    _expect(score.metrics == {"exact_match": 1.0, "f1": 1.0}, str(score))


def grade_function() -> None:
    """`sdk.grade` reports and saves."""
    from snellen import sdk

    report = sdk.grade(ANSWERS, task="screenqa/short", data=DATA)
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".json", ".csv", ".md", ".html"):
            _expect(report.save(Path(folder, f"report{ending}")).stat().st_size > 0, ending)
        again = sdk.regrade(Path(folder, "report.json"))
        page = Path(folder, "whole.html")
        _missing("html", "altair", lambda: report.save(page, with_references=True))
        _expect(not page.exists(), "half a page was left behind")
        compared = _snellen("compare", *[str(Path(folder, "report.json"))] * 2)
        _expect("no difference" in compared.stdout, compared.stdout)
    _expect(again.metrics == report.metrics, f"{again.metrics} is not {report.metrics}")


def extras() -> None:
    """What needs an extra says how to get it."""
    from snellen import sdk
    from snellen.grading.metrics.captions import bleu

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "test.parquet")
        file.write_bytes(b"PAR1")
        _missing("parquet", "pyarrow", lambda: sdk.load("screenqa/short", file))
        _missing("parquet", "pyarrow", lambda: sdk.grade(file, task="screenqa/short", data=DATA))
    _missing("captions", "sacrebleu", lambda: bleu("a cat", ["a cat"]))
    _missing(
        "models",
        "inspect_ai",
        lambda: sdk.evaluate("screenqa/short", model="a/b", data=DATA, images=False),
    )
    for extra in ("demo", "serve"):
        said = _snellen(extra, status=2).stderr
        _expect(f"snellen[{extra}]" in said, f"{extra} does not say what it needs: {said}")
    printed = _snellen("doctor").stdout
    _expect("snellen[parquet]" in printed, f"doctor says nothing of parquet: {printed}")


def exam_over_stdio() -> None:
    """An agent takes an included exam from `snellen mcp`."""
    asyncio.run(_take_exam())


async def _take_exam() -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = str(Path(sysconfig.get_path("scripts"), "snellen"))
    server = StdioServerParameters(
        command=command, args=["mcp", "wireframes"], env=dict(os.environ)
    )
    with tempfile.TemporaryFile("w") as log:
        async with Client(stdio_client(server, errlog=log)) as client:

            async def call(tool: str, **given: object) -> Any:  # JSON
                result = await client.call_tool(tool, given)
                text = next(part.text for part in result.content if part.type == "text")
                _expect(not result.is_error, f"{tool}: {text}")
                return json.loads(text)

            attempt = (await call("start_attempt"))["attempt"]
            item = await call("get_item", attempt=attempt)
            await call("submit_answer", attempt=attempt, item=item["item"], answer="12")
            report = await call("finish_attempt", attempt=attempt)
    _expect(report["tasks"][0]["answered"] == 1, str(report))


def published_tables_ship() -> None:
    """The papers' tables and the page's templates are in the wheel."""
    from snellen.tasks.published.tables import published_tables

    _expect(len(published_tables()) >= 10, "the published tables are not there")
    templates = SITE / "snellen" / "grading" / "report" / "templates"
    _expect(len(list(templates.iterdir())) == 3, f"not all templates are in {templates}")


CHECKS = (
    no_sources,
    from_site_packages,
    typed,
    one_top_level_name,
    help_page,
    grade_command,
    score_function,
    grade_function,
    exam_over_stdio,
    published_tables_ship,
    extras,
)


def _missing(extra: str, module: str, call: Callable[[], object]) -> None:
    from snellen.grading.errors import MissingExtraError

    _expect(find_spec(module) is None, f"more than the wheel is installed here: {module}")
    try:
        call()
    except MissingExtraError as error:
        _expect(f"pip install 'snellen[{extra}]'" in str(error), str(error))
    else:
        sys.exit(f"no: it worked without {module}")


def _snellen(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = Path(sysconfig.get_path("scripts"), "snellen")
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    _expect(
        done.returncode == status,
        f"snellen {' '.join(arguments)} ended with {done.returncode}, not {status}:"
        f"\n{done.stdout}{done.stderr}",
    )
    return done


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"no: {otherwise}")


if __name__ == "__main__":
    main()
