"""LazyHost an exam late, once, and again after a fault."""

import asyncio
import gc
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from snellen.grading.errors import DataError
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.grading.exam import read_exam
from snellen.server.host import HostError, LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.pack.read import References, open_pack, open_references
from snellen.tasks.pack.write import strip_pack
from snellen.tasks.samples import exam_folder

AgentOf = Callable[[Client], Any]


def settings(store: Path, *packs: Path, mode: Mode = Mode.EXAM) -> Settings:
    return Settings(packs or (exam_folder("wireframes"),), store, Rules(mode=mode))


async def test_many_callers_wait_for_one_opening(store: Path) -> None:
    opened: list[int] = []

    def open_now() -> Any:
        opened.append(threading.get_ident())
        return open_exam(settings(store))

    opening = LazyHost(open_now)
    found = await asyncio.gather(*(opening.get() for _ in range(20)))
    assert len({id(one) for one in found}) == 1
    assert len(opened) == 1
    assert opened[0] != threading.get_ident()
    await opening.close()


async def test_a_caller_that_gives_up_does_not_stop_the_others(store: Path) -> None:
    may_go_on = threading.Event()

    def open_now() -> Any:
        may_go_on.wait(10)
        return open_exam(settings(store))

    opening = LazyHost(open_now)
    impatient, patient = asyncio.create_task(opening.get()), asyncio.create_task(opening.get())
    await asyncio.sleep(0)
    impatient.cancel()
    may_go_on.set()
    assert (await patient).service is not None
    await opening.close()


async def test_what_can_not_be_opened_is_tried_again_at_the_next_call(
    store: Path, tmp_path: Path, agent_of: AgentOf
) -> None:
    pack = tmp_path / "pack"
    opening = LazyHost(lambda: open_exam(settings(store, pack)))
    async with Client(ExamServer(opening).server) as client:
        agent = agent_of(client)
        # The tools are there; the examinee hears nothing of files.
        assert len((await client.list_tools()).tools) == 7
        said = await agent.refused("list_benchmarks")
        assert "the exam can't be opened" in said
        assert str(tmp_path) not in said
        shutil.copytree(exam_folder("wireframes"), pack)
        assert (await agent.call("list_benchmarks"))["tasks"]
    await opening.close()


async def test_a_fault_of_the_server_is_masked(store: Path, agent_of: AgentOf) -> None:
    opening = LazyHost(lambda: open_exam(settings(store, exam_folder("wireframes"))))
    async with Client(ExamServer(opening).server) as client:
        agent = agent_of(client)
        await agent.start()
        (await opening.get()).screenshots.close()
        said = await agent.refused("get_item", attempt=agent.attempt)
        assert said.startswith("the server failed, and its log says why")
        assert "screenshots" not in said
        assert (await agent.call("list_items", attempt=agent.attempt))["items"]
    await opening.close()


def test_a_deferred_exam_reads_no_references(store: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(exam_folder("wireframes"), pack)
    (pack / "references.jsonl").write_text("not to be read")
    exam = read_exam(settings(store, pack, mode=Mode.DEFERRED))
    assert not exam.references


@pytest.mark.slow
def test_references_are_read_when_an_answer_is_graded_and_not_kept_beside_the_task(
    store: Path,
) -> None:
    def held() -> int:
        gc.collect()
        # An object refers to its class. To look at each object there is would take seconds.
        return sum(type(thing) is References for thing in gc.get_referrers(References))

    before = held()
    references = open_references(open_pack(exam_folder("wireframes")))
    assert held() == before + 1
    del references
    exam = read_exam(settings(store, exam_folder("wireframes")))
    assert held() == before
    assert len(exam.data("screenqa/short").golds)
    assert held() == before


def test_references_that_were_changed_are_said_at_the_start(store: Path, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(exam_folder("wireframes"), pack)
    (pack / "references.jsonl").write_text("not the references")
    with pytest.raises(DataError, match=r"references\.jsonl: "):
        read_exam(settings(store, pack))


def test_a_pack_without_references_can_only_be_deferred(store: Path, tmp_path: Path) -> None:
    strip_pack(open_pack(exam_folder("wireframes")), tmp_path / "pack")
    with pytest.raises(ExamError, match="--mode deferred"):
        read_exam(settings(store, tmp_path / "pack"))
    assert read_exam(settings(store, tmp_path / "pack", mode=Mode.DEFERRED)).offers


async def test_closing_what_was_never_opened_does_nothing() -> None:
    def never() -> Any:
        raise AssertionError("it was opened")

    await LazyHost(never).close()


async def test_closing_after_a_fault_does_nothing() -> None:
    def fail() -> Any:
        raise OSError("no disk")

    opening = LazyHost(fail)
    with pytest.raises(HostError):
        await opening.get()
    await opening.close()
