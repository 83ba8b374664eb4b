"""The phases of an exam file bind agents over MCP as they bind uploads."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import Service
from snellen.server.challenge.models import PhaseChange
from snellen.server.challenge.workers import AttemptCollector, Worker
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.exam.phases import Phases
from snellen.server.exam.rules import Mode, Rules
from snellen.server.grading.exam import read_exam
from snellen.server.host import Host, LazyHost, open_challenge, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Settings
from snellen.server.store.schema import open_store
from snellen.tasks.samples import exam_folder

TOMORROW = datetime.now(UTC) + timedelta(days=1)
YESTERDAY = datetime.now(UTC) - timedelta(days=1)


@dataclass
class Phased:
    """An exam with phases, and an agent that takes it."""

    agent: Any
    host: Host
    settings: Settings

    async def take(self, golds: Mapping[str, str], every: int = 2) -> dict[str, Any]:
        """Answer every other item rightly, or every third, and finish."""
        await self.agent.start()
        for number in range(12):
            item = await self.agent.item()
            right = golds[item["prompt"]]
            await self.agent.answer(item["item"], "nothing" if number % every else right)
        return await self.agent.finish(self.agent.attempt)

    async def resource(self) -> dict[str, Any]:
        """Read the report again."""
        uri = f"exam://attempts/{self.agent.attempt}/report"
        (content,) = (await self.agent.client.read_resource(uri)).contents
        return json.loads(content.text)


Opening = Callable[..., AbstractAsyncContextManager[Phased]]


@pytest.fixture
def phased(store: Path, agent_of: Callable[[Client], Any]) -> Opening:
    """Return a function that serves the sample with a phase."""

    @asynccontextmanager
    async def opened(mode: Mode = Mode.EXAM, **phase: object) -> AsyncGenerator[Phased]:
        main = Phase.model_validate({"name": "main", **phase})
        rules = Rules(mode=mode)
        file = ExamFile(
            name="sample", packs=(str(exam_folder("wireframes")),), rules=rules, phases=(main,)
        )
        settings = Settings((exam_folder("wireframes"),), store, rules, file=file)
        host = open_exam(settings)
        lazy = LazyHost(lambda: host)
        try:
            async with Client(ExamServer(lazy).server) as client:
                yield Phased(agent_of(client), host, settings)
        finally:
            await lazy.close()

    return opened


@pytest.mark.parametrize(
    ("phase", "said"), [({"start": TOMORROW}, "begins at"), ({"end": YESTERDAY}, "ended at")]
)
async def test_no_attempt_starts_before_a_phase_or_after_it(
    phased: Opening, phase: dict[str, datetime], said: str
) -> None:
    async with phased(**phase) as here:
        assert f"phase main {said}" in await here.agent.refused("start_attempt")


@pytest.mark.slow
async def test_hidden_scores_are_in_no_report(phased: Opening, golds: Mapping[str, str]) -> None:
    async with phased(scores="hidden") as here:
        report = await here.take(golds)
        (task,) = report["tasks"]
        assert (task["items"], task["answered"], report["shown"]) == (12, 12, None)
        told = (report["value"], task["metric"], task["value"], task["interval"], task["chance"])
        assert told == (None,) * 5
        assert (task["metrics"], task["outcomes"]) == ({}, {})
        assert await here.resource() == report
    # The organizer may show them later.
    async with phased(scores="own") as later:
        later.agent.attempt = here.agent.attempt
        assert (await later.resource())["value"] == 0.5


@pytest.mark.slow
async def test_values_are_rounded_until_the_end_of_a_phase(
    phased: Opening, golds: Mapping[str, str]
) -> None:
    async with phased(end=TOMORROW) as here:
        report = await here.take(golds, every=3)
        (task,) = report["tasks"]
        # Of twelve items a tenth is shown.
        assert report["value"] == task["value"] == task["metrics"]["f1"]
        assert report["value"] in (0.3, 0.4)
        ends = (task["interval"]["low"], task["interval"]["high"])
        assert ends == tuple(round(end, 1) for end in ends)
        assert await here.resource() == report
    async with phased(end=YESTERDAY) as later:
        later.agent.attempt = here.agent.attempt
        assert (await later.resource())["value"] == pytest.approx(1 / 3, abs=1e-12)


async def test_practice_with_hidden_scores_shows_none(phased: Opening) -> None:
    async with phased(Mode.PRACTICE, scores="hidden") as here:
        await here.agent.start()
        item = await here.agent.item()
        assert "score" not in await here.agent.answer(item["item"], "an answer")
    async with phased(Mode.PRACTICE) as here:
        await here.agent.start()
        item = await here.agent.item()
        assert "score" in await here.agent.answer(item["item"], "an answer")


@pytest.mark.slow
async def test_during_a_phase_with_a_public_part_an_agent_sees_what_an_upload_would(
    phased: Opening, golds: Mapping[str, str]
) -> None:
    async with phased(public_share=0.5, end=TOMORROW) as here:
        report = await here.take(golds)
        challenge = open_challenge(here.settings, here.host)
        await challenge.begin()
        await AttemptCollector(challenge, here.host.service).collect()
        worker = Worker(challenge, here.settings)
        try:
            await asyncio.to_thread(worker.step)
        finally:
            worker.close()
        (row,) = challenge.submissions.listed("local")
        (score,) = challenge.submissions.status(row.id, "local").scores
        (task,) = report["tasks"]
        assert 0 < task["items"] == task["answered"] == score.items < 12
        assert (report["value"], task["value"], report["shown"]) == (
            score.value,
            score.value,
            "public",
        )
        assert task["outcomes"] == score.outcomes
        assert task["metrics"] == {}
        assert await here.resource() == report
    async with phased(public_share=0.5, end=YESTERDAY) as later:
        later.agent.attempt = here.agent.attempt
        whole = await later.agent.finish(here.agent.attempt)
        assert (whole["tasks"][0]["items"], whole["value"]) == (12, 0.5)


async def test_an_attempt_lasts_at_most_until_the_end_of_its_phase(
    store: Path, agent_of: Callable[[Client], Any]
) -> None:
    time = [int(TOMORROW.timestamp() * 1000) - 60_000]
    main = Phase(name="main", end=TOMORROW)
    file = ExamFile(name="sample", packs=(str(exam_folder("wireframes")),), phases=(main,))
    exam = read_exam(Settings((exam_folder("wireframes"),), store))
    service = Service(exam, open_store(store), Clock(now=lambda: time[0]), Phases(file))
    host = Host(service, Screenshots(), service.database)
    lazy = LazyHost(lambda: host)
    try:
        async with Client(ExamServer(lazy).server) as client:
            agent = agent_of(client)
            agent.attempt = (started := await agent.call("start_attempt"))["attempt"]
            assert 59 <= started["seconds"] <= 60
            item = (await agent.item())["item"]
            time[0] += 60_001
            for tool, given in (
                ("get_item", {}),
                ("get_screenshot", {"item": item}),
                ("submit_answer", {"item": item, "answer": "late"}),
            ):
                assert "time" in await agent.refused(tool, attempt=agent.attempt, **given), tool
            report = await agent.finish(agent.attempt)
            assert (report["state"], report["tasks"][0]["answered"]) == ("expired", 0)
    finally:
        await lazy.close()


async def test_attempts_begin_again_and_open_ones_go_on_until_a_moved_end(phased: Opening) -> None:
    soon, later = (datetime.now(UTC) + timedelta(hours=hours) for hours in (1, 2))
    async with phased(end=soon) as here:
        await here.agent.start()
        challenge = open_challenge(here.settings, here.host)

        def deadlines() -> list[int | None]:
            return [attempt.deadline for attempt in here.host.service.register.list_attempts()]

        assert deadlines() == [int(soon.timestamp() * 1000)]
        await challenge.change_phase("main", "boss", PhaseChange(end=later), "the server was down")
        await here.agent.start()
        assert deadlines() == [int(later.timestamp() * 1000)] * 2
    async with phased(end=datetime.now(UTC) - timedelta(minutes=5)) as here:
        challenge = open_challenge(here.settings, here.host)
        await challenge.change_phase("main", "boss", PhaseChange(end=later), "the server was down")
        await here.agent.start()
