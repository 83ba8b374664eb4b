"""Taking an exam that is served elsewhere, and what is left when a runner is stopped."""

import asyncio
import contextlib
import os
import shlex
import stat
import sys
from pathlib import Path

import pytest

from snellen.grading.errors import SnellenError
from snellen.sdk.exam.runner import ExamRequest, RunLimits, serving, take
from snellen.server.http.auth import Tokens
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Scope

AGENT = Path(__file__).with_name("agents.py")


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes find this code."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "exam.sqlite"


def mode_of(note: Path) -> int:
    """Return who may do what with the file that a note names."""
    return stat.S_IMODE(Path(note.read_text("utf-8").strip()).stat().st_mode)


@pytest.mark.slow
async def test_an_exam_elsewhere_is_taken_with_its_token(store: Path, tmp_path: Path) -> None:
    database = open_store(store)
    token = Tokens(database).create("alice", [Scope.TAKE])
    database.close()
    said: list[str] = []
    agent = shlex.join([sys.executable, str(AGENT), "answers", str(tmp_path)])
    async with serving(["wireframes", "--store", str(store), "--sample", "1"]) as url:
        taking = await take(agent, ExamRequest(url=url, token=token), RunLimits(), said.append)
        assert taking.report is not None
        assert (taking.answered, taking.open, taking.runs) == (1, 0, 1)
        # It is over: nothing is left to run, and the report is the same.
        again = ExamRequest(attempt=taking.attempt, url=url, token=token)
        assert (await take(agent, again, RunLimits(), said.append)).report == taking.report
        with pytest.raises(SnellenError, match="can't be reached, or refuses the caller"):
            await take(agent, ExamRequest(url=url), RunLimits(), said.append)
    assert not any(token in line for line in said)


@pytest.mark.slow
async def test_a_runner_that_is_stopped_leaves_no_agent_behind(store: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "started"
    os.mkfifo(pipe)
    config = tmp_path / "config"
    agent = f'echo "$SNELLEN_MCP_CONFIG" > {config}; echo $$ > {pipe}; sleep 600'
    async with serving(["wireframes", "--store", str(store), "--sample", "1"]) as url:
        running = asyncio.create_task(take(agent, ExamRequest(url=url), RunLimits(), print))
        process = int(await asyncio.to_thread(pipe.read_text))
        assert mode_of(config) == 0o600
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
        with pytest.raises(FileNotFoundError):
            mode_of(config)


@pytest.mark.slow
async def test_what_the_exam_refuses_is_said(store: Path) -> None:
    async with serving(["wireframes", "--store", str(store)]) as url:
        with pytest.raises(SnellenError, match=r"the exam refuses start_attempt: .*'wrong' is not"):
            await take("true", ExamRequest(url=url, tasks=["wrong"]), RunLimits(), print)
        with pytest.raises(SnellenError, match="the exam refuses list_items"):
            await take("true", ExamRequest(url=url, attempt="att_wrong"), RunLimits(), print)
