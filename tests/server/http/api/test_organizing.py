from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from hosted import NOON

from snellen.server.challenge.boards import Boards
from snellen.server.challenge.service import Challenge
from snellen.server.exam.file import GRACE_MS, ExamFile, Phase
from snellen.server.http.actions import Actions
from snellen.server.http.api.access import Access
from snellen.server.http.api.api import rest_app
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
CHANGE = f"{EXAM}/phases/main/change"
DAY = 86_400_000
Opening = Callable[..., AbstractAsyncContextManager[Any]]


def day(number: float) -> str:
    """Return the time of some days after noon, as an organizer writes it."""
    return datetime.fromtimestamp((NOON + number * DAY) / 1000, UTC).isoformat()


@asynccontextmanager
async def replica(here: Any, file: ExamFile | None = None) -> AsyncGenerator[httpx2.AsyncClient]:
    """Return a client of another server of the same store, perhaps with another exam file."""
    known = here.hosted.challenge
    challenge = Challenge(
        file or known.file,
        known.exam,
        known.references,
        known.database,
        known.clock,
    )
    context = Actions(challenge, Boards(challenge), Access(here.tokens, guarded=True))
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(rest_app(context)), base_url="http://127.0.0.1"
    ) as http:
        yield http


async def phase_of(http: httpx2.AsyncClient) -> dict[str, Any]:
    (phase,) = (await http.get(EXAM)).json()["phases"]
    return phase


async def test_a_deadline_is_moved_for_every_server_at_once_and_the_record_says_who(
    door: Opening,
) -> None:
    async with door(end=day(1)) as here, replica(here) as other:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        assert (await phase_of(other))["changes"] == []
        here.hosted.time[0] = NOON + DAY + GRACE_MS
        assert (await here.upload(ada, {"a": "1"})).status_code == 403
        given = {"end": day(3), "uploads": 1, "why": "the server was down"}
        moved = await here.call("POST", CHANGE, boss, json=given)
        assert (moved.status_code, moved.json()["state"]) == (200, "open")
        sent = await other.post(
            f"{EXAM}/submissions",
            content=b"{}",
            headers={"Content-Type": "application/x-ndjson", "Authorization": f"Bearer {ada}"},
        )
        assert sent.status_code == 201
        assert (await here.upload(ada, {"a": "2"})).status_code == 429
        phase = await phase_of(other)
        assert phase["end"] == "2026-01-04T12:00:00.000Z"
        assert sorted(phase["changes"]) == [
            "the end moved from 2026-01-02 12:00 UTC to 2026-01-04 12:00 UTC",
            "the uploads in total changed from any number to 1",
        ]
        (event,) = (await here.get(f"{EXAM}/events", boss)).json()["events"]
        assert (event["what"], event["caller"], event["why"]) == (
            "moved",
            "boss",
            "the server was down",
        )
        assert event["detail"]["after"]["uploads"] == 1


async def test_a_restart_keeps_a_moved_deadline_until_the_exam_file_says_another(
    door: Opening,
) -> None:
    async with door(end=day(1)) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        for number in (2, 3):
            await here.call("POST", CHANGE, boss, json={"end": day(number), "why": "late"})
        async with replica(here) as restarted:
            assert (await phase_of(restarted))["end"] == "2026-01-04T12:00:00.000Z"
        known = here.hosted.challenge.file
        edited = Phase.model_validate({**known.phases[0].model_dump(), "end": day(5)})
        file = known.model_copy(update={"phases": (edited,)})
        async with replica(here, ExamFile.model_validate(file.model_dump())) as restarted:
            phase = await phase_of(restarted)
            assert (phase["end"], phase["changes"]) == ("2026-01-06T12:00:00.000Z", [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "given", "status", "said"),
    [
        ({}, {"start": day(1)}, 409, "phase main has begun: its start stays"),
        ({"start": day(1)}, {"start": day(3), "end": day(2)}, 409, "after the start"),
        ({"end": day(1)}, {"end": day(-1)}, 409, "the new end must be in the future"),
        ({"end": day(1)}, {"end": day(1)}, 409, "has these settings already"),
        ({"end": day(1)}, {"end": "2026-12-31"}, 422, "timezone"),
        ({"end": day(1)}, {"end": day(2), "why": " "}, 409, "give a reason"),
        (
            {"end": day(-1), "public_share": 0.5},
            {"end": day(2)},
            409,
            "has shown exact scores: begin another phase",
        ),
    ],
)
async def test_a_change_that_can_not_be_is_refused_with_the_reason(
    door: Opening, rules: dict[str, Any], given: dict[str, Any], status: int, said: str
) -> None:
    async with door(**rules) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        found = await here.call("POST", CHANGE, boss, json={"why": "late", **given})
        assert (found.status_code, said in found.text) == (status, True), found.text
        assert (await here.get(f"{EXAM}/events", boss)).json()["events"] == []


async def test_a_coming_phase_gets_a_new_start_from_an_organizer_alone(door: Opening) -> None:
    async with door(start=day(1), end=day(2)) as here:
        given = {"start": day(-1), "why": "all is ready"}
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        assert (await here.call("POST", CHANGE, ada, json=given)).status_code == 403
        assert (await here.upload(ada, {"a": "1"})).status_code == 403
        assert (await here.call("POST", CHANGE, boss, json=given)).json()["state"] == "open"
        assert (await here.upload(ada, {"a": "1"})).status_code == 201
