"""A challenge of interactive tasks: attempts stand on its board, and no file does."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hosted import NOON, Hosted
from lamps import lit, middle, write_lamps
from starlette.applications import Starlette

from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import Service
from snellen.server.challenge.boards import Boards
from snellen.server.challenge.export import verify_export
from snellen.server.challenge.service import Challenge
from snellen.server.challenge.workers import AttemptCollector, Worker
from snellen.server.errors import ForbiddenError
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.exam import read_exam, references_digest
from snellen.server.host import Host
from snellen.server.http.app import Hosted as Served
from snellen.server.http.app import challenge_routes
from snellen.server.http.auth import Tokens
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Settings
from snellen.server.store.database import Database
from snellen.server.store.schema import open_store
from snellen.tasks.hosted import JobState, Who
from snellen.tasks.samples import exam_folder

Play = Callable[..., Any]
CHANGES = {"changed": {"lamp.0": ["0", "1"]}, "added": {}, "removed": {}}


def challenge_of(settings: Settings, exam: Any, database: Database) -> Challenge:
    packs = tuple(map(str, settings.packs))
    phases = (Phase(name="main", scores=Who.PUBLIC, exact=True),)
    file = ExamFile(name="lamps", packs=packs, phases=phases, items=Who.PUBLIC)
    digest = references_digest(settings)
    # Attempts are taken at the time of day.
    return Challenge(file, exam, digest, database, Clock())


async def work(challenge: Challenge, settings: Settings) -> None:
    worker = Worker(challenge, settings)
    try:
        while await asyncio.to_thread(worker.step):
            pass
    finally:
        worker.close()


@pytest.mark.slow
async def test_an_attempt_stands_on_the_board_with_its_eqa_and_its_steps(
    play: Play, pack: Path, store: Path
) -> None:
    async with play() as played:
        settings = Settings((pack,), store)
        challenge = challenge_of(settings, played.host.service.exam, played.host.database)
        await challenge.begin()
        agent = played.agent
        await agent.start()
        for _ in range(4):
            item = await agent.item()
            if item["prompt"].startswith("Task 0"):
                this = {"attempt": agent.attempt, "item": item["item"]}
                place = list(middle(0))
                await agent.call("act", **this, action="left_click", coordinate=place)
            await agent.answer(item["item"], "done")
        await agent.finish()
        collector = AttemptCollector(challenge, played.host.service)
        assert await collector.collect() == 1
        await work(challenge, settings)
        boards = Boards(challenge)
        (row,) = boards.board(challenge.phase(None)).board.rows
        (task,) = row.tasks
        assert (row.value, row.cost["steps"]) == (0.25, 1)
        assert task.metrics.keys() == {"sr", "state", "said", "eqa"}
        # Of four tasks of 5 steps one is done in its first: EQA lies between SR and nothing.
        assert 0 < task.metrics["eqa"] < task.metrics["sr"] == 0.25
        exported = boards.export(challenge.phase(None), organizer=True)
        assert verify_export(exported)[1] == []
        read = json.loads(exported)
        (score,) = read["scores"]

        def forged() -> str:
            # Without spaces, as the server writes it.
            return "; ".join(verify_export(json.dumps(read, separators=(",", ":")).encode())[1])

        assert forged() == ""
        # Who forges an EQA changes it on the board and in the scores.
        score["metrics"]["eqa"] = read["board"]["rows"][0]["tasks"][0]["metrics"]["eqa"] = 0.99
        assert forged().partition(": ")[2].startswith("eqa is 0.99, and its episodes make 0.2")
        # Who changes the episodes with it contradicts the items.
        score["item_episodes"][0][0] = [1.0] * 4
        assert "other values than its items" in forged()
        del score["item_episodes"]
        assert "its EQA can't be made again" in forged()
        tokens = Tokens(played.host.database, lambda: NOON)
        served = Served(challenge, settings, 0)
        app = Starlette(routes=challenge_routes(served, tokens, guarded=True))
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
            pages = {
                path: (await browser.get(path)).text
                for path in ("/", "/leaderboard", "/items", "/item?task=desk/l3&item=lamps-1")
            }
        assert f"{100 * task.metrics['eqa']:.1f} %" in pages["/leaderboard"]
        assert "1 steps" in pages["/leaderboard"]
        assert "acted in, 5 steps at most" in pages["/items"]
        assert "<dd>5 steps</dd>" in pages["/item?task=desk/l3&item=lamps-1"]
        assert "lamps, over MCP" in pages["/item?task=desk/l3&item=lamps-1"]
        assert "snellen submit" not in pages["/"]
        assert "answered by no file" in pages["/"]


@pytest.mark.slow
async def test_no_file_says_what_happened_in_a_world(
    tmp_path: Path, store: Path, right: Mapping[str, str]
) -> None:
    pack = write_lamps(tmp_path / "pack", (lit(0), lit(1)))
    settings = Settings((pack, exam_folder("wireframes")), store)
    service = Service(read_exam(settings), open_store(store))
    host = Host(service, Screenshots(), service.database, None)
    challenge = challenge_of(settings, service.exam, service.database)
    await challenge.begin()
    here = Hosted(settings, host, challenge)
    record = {"status": "done", "changes": CHANGES, "cost": 1}
    acted = {"task": "desk/l3", "item_id": "lamps-0", "response": record}
    item, answer = next(iter(right.items()))
    asked = {"task": "screenqa/short", "item_id": item, "response": answer}
    with pytest.raises(ForbiddenError, match=r"items of desk/l3 are acted in.*over MCP"):
        await here.upload("eve", json.dumps(acted), task="desk/l3", at=NOON)
    mixed = await here.upload("eve", f"{json.dumps(asked)}\n{json.dumps(acted)}\n", at=NOON)
    honest = await here.upload("ada", f"{json.dumps(asked)}\n", at=NOON)
    await work(challenge, settings)
    status = challenge.submissions.status(mixed.id, None)
    assert status.state is JobState.FAILED
    assert "items of desk/l3 are acted in" in (status.error or "")
    assert challenge.submissions.status(honest.id, None).state is JobState.GRADED
    host.close()
