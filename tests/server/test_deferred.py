"""A deferred exam from its start to its grade: the server never has a reference."""

import asyncio
import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from typer.testing import CliRunner

from snellen.cli.app import app
from snellen.server.exam.rules import Rules
from snellen.server.host import LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.pack.read import open_pack
from snellen.tasks.pack.seal import KEY_VARIABLE, write_key
from snellen.tasks.pack.write import seal_pack, strip_pack
from snellen.tasks.samples import exam_folder

AgentOf = Callable[[Client], Any]


def take(
    pack: Path,
    store: Path,
    answers: Mapping[str, str],
    agent_of: AgentOf,
    key: Path | None = None,
    **rules: object,
) -> dict[str, Any]:
    """Let an agent take an exam over MCP, one item left open, and return its report."""
    settings = Settings(
        (pack,), store, Rules.model_validate({"sample": 9, "seed": 2, **rules}), key
    )
    offered = LazyHost(lambda: open_exam(settings))

    async def work() -> dict[str, Any]:
        try:
            async with Client(ExamServer(offered).server) as client:
                agent = agent_of(client)
                await agent.start(model="scripted")
                for number in range(8):
                    item = await agent.item()
                    right = answers[item["prompt"]] if number % 3 else "no idea"
                    await agent.answer(item["item"], right)
                return await agent.finish()
        finally:
            await offered.close()

    return asyncio.run(work())


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Path, Path]:
    """Return a pack whose references are sealed, and the file of their key."""
    pack, key = tmp_path / "full", tmp_path / "exam.key"
    strip_pack(open_pack(exam_folder("wireframes")), pack)
    for name in ("manifest.json", "references.jsonl"):
        (pack / name).write_bytes((exam_folder("wireframes") / name).read_bytes())
    seal_pack(open_pack(pack), write_key(key, pack=pack))
    return pack, key


@pytest.mark.slow
def test_a_deferred_exam_is_graded_where_the_references_are_as_an_exam_is(
    sealed: tuple[Path, Path],
    golds: Mapping[str, str],
    agent_of: AgentOf,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full, key = sealed
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    told = take(full, tmp_path / "exam.sqlite", golds, agent_of, key)["tasks"][0]
    assert told["value"] > 0.5

    # The server's machine has a copy without references and no key.
    bare, store = tmp_path / "bare", tmp_path / "deferred.sqlite"
    strip_pack(open_pack(full), bare)
    recorded = take(bare, store, golds, agent_of, mode="deferred")["tasks"][0]
    assert (recorded["answered"], recorded["value"], recorded["metrics"]) == (8, None, {})

    # The organizer grades what is exported with the command that the export prints.
    out = tmp_path / "out"
    words = ["attempts", "export", "1", str(full), "--key", str(key), "-o", str(out)]
    exported = CliRunner().invoke(app, [*words, "--store", str(store)])
    assert exported.exit_code == 0, exported.output
    variable, *command = shlex.split(exported.stdout)
    name, _, value = variable.partition("=")
    graded = CliRunner(env={name: value}).invoke(app, [*command[1:], "--json"])
    assert graded.exit_code == 0, graded.output
    report = json.loads(graded.stdout)
    for metric, number in told["metrics"].items():
        assert report["numbers"]["metrics"][metric]["value"] == number
    assert report["numbers"]["estimates"][told["metric"]]["interval"] == told["interval"]
    assert told["signature"].startswith(report["signature"] + "|exam:")

    # Or at once, with the conditions of the exam in the signature.
    words = ["attempts", "grade", "1", str(full), "--key", str(key), "--store", str(store)]
    at_once = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "report.json")])
    assert at_once.exit_code == 0, at_once.output
    (task,) = json.loads((tmp_path / "report.json").read_text())["tasks"]
    deferred = told["signature"].replace("|mode:exam|", "|mode:deferred|")
    assert task == {**told, "signature": deferred}
    # What the store holds, and what the examinee may read, is still without a number.
    shown = CliRunner().invoke(app, ["attempts", "list", "1", "--store", str(store), "--json"])
    assert json.loads(shown.stdout)["report"]["tasks"][0] == recorded


@pytest.mark.slow
def test_an_export_from_the_copy_says_which_pack_grades_it(
    golds: Mapping[str, str], agent_of: AgentOf, tmp_path: Path
) -> None:
    bare, store = tmp_path / "bare", tmp_path / "deferred.sqlite"
    strip_pack(open_pack(exam_folder("wireframes")), bare)
    take(bare, store, golds, agent_of, mode="deferred")
    out = tmp_path / "out"
    words = ["attempts", "export", "1", str(bare), "-o", str(out), "--store", str(store)]
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "has no references: give --data the pack that it is a copy of" in result.stderr
    refused = CliRunner().invoke(app, ["attempts", "grade", "1", str(bare), "--store", str(store)])
    assert refused.exit_code == 2
    assert "has no references: give a pack that has them" in refused.stderr
