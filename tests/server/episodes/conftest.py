"""An exam of lamps, in memory."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lamps import Lamps, lit, write_lamps
from mcp import Client

from snellen.grading.protocols.golds import OutcomeGold
from snellen.server.attempts.register import Clock
from snellen.server.attempts.service import Service
from snellen.server.episodes.service import Episodes
from snellen.server.exam.rules import Door, Rules
from snellen.server.grading.exam import read_exam
from snellen.server.host import Host, LazyHost
from snellen.server.mcp.server import ExamServer
from snellen.server.screenshots.service import Screenshots
from snellen.server.settings import Settings
from snellen.server.store.schema import open_store


@dataclass
class HostedWorld:
    """An exam that is served: an agent of it, its world and its rules' service."""

    agent: Any
    lamps: Lamps
    host: Host


GOLDS = (lit(0), lit(1, 2), OutcomeGold(limit=5, reason="conflict"), lit(3, answer=7))


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a pack of four tasks."""
    return write_lamps(tmp_path / "pack", GOLDS)


@pytest.fixture
def play(pack: Path, store: Path, agent_of: Callable[[Client], Any]) -> Callable[..., Any]:
    """Serve the exam again and again on the same store."""

    @asynccontextmanager
    async def play(
        golds: Sequence[OutcomeGold] | None = None, clock: Clock | None = None, **rules: Any
    ) -> AsyncGenerator[HostedWorld]:
        folder = pack if golds is None else write_lamps(pack.with_name("other"), golds)
        settings = Settings((folder,), store, Rules(**rules))
        service = Service(read_exam(settings), open_store(store), clock)
        lamps = Lamps()
        host = Host(
            service,
            Screenshots(),
            service.database,
            Episodes(service, lambda _: lamps),
        )
        opening = LazyHost(lambda: host, door=Door.SCREEN)
        server = ExamServer(opening).server
        async with Client(server) as client:
            yield HostedWorld(agent_of(client), lamps, host)
        await opening.close()

    return play
