"""The end of a phase: what counts is complete then, and what is final is shown later."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import httpx2
import pytest
from hosted import NOON, as_lines

from snellen.server.challenge.submissions import MOST_ANNOUNCED
from snellen.server.exam.file import GRACE_MS, Phase
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
Opening = Callable[..., AbstractAsyncContextManager[Any]]
END = NOON + 60_000
RULES = {"end": datetime.fromtimestamp(END / 1000, UTC)}
FILE = as_lines({"a": "1"}).encode()


async def upload(here: Any, token: str, pieces: Sequence[tuple[int, bytes]]) -> httpx2.Response:
    """Upload a file whose pieces arrive at some times."""

    async def arriving() -> AsyncGenerator[bytes]:
        for at, piece in pieces:
            here.hosted.time[0] = at
            yield piece

    headers = {"Content-Type": "application/x-ndjson"}
    return await here.call("POST", f"{EXAM}/submissions", token, headers, content=arriving())


async def announce(here: Any, token: str, file: bytes, phase: str | None = None) -> httpx2.Response:
    given = {"sha256": sha256(file).hexdigest(), "phase": phase}
    return await here.call("POST", f"{EXAM}/announcements", token, json=given)


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([(END - 1, FILE), (END, b"")], 201),
        ([(END - 1, FILE[:5]), (END + 1, FILE[5:])], 403),
        ([(END - 1, FILE), (END + 1, b"\n")], 403),
        ([(END + 1, FILE)], 403),
    ],
    ids=["complete at the end", "half", "but for one byte", "begun after it"],
)
async def test_a_file_counts_that_is_complete_when_its_phase_ends(
    door: Opening, pieces: Sequence[tuple[int, bytes]], status: int
) -> None:
    async with door(uploads=1, **RULES) as here:
        ada = here.token("ada")
        sent = await upload(here, ada, pieces)
        assert sent.status_code == status, sent.text
        if status == 403:
            assert "main ended" in sent.json()["detail"]
        here.hosted.time[0] = NOON
        left = (await here.get(f"{EXAM}/quota", ada)).json()["left"]
        assert left == (0 if status == 201 else 1)


async def test_an_announced_file_may_arrive_a_while_later_and_counts_from_its_announcement(
    door: Opening,
) -> None:
    async with door(uploads_a_day=1, **RULES) as here:
        ada, bob = here.token("ada"), here.token("bob")
        here.hosted.time[0] = END
        said = await announce(here, ada, FILE)
        assert (said.status_code, said.json()["until"]) == (201, "2026-01-01T12:11:00.000Z")
        assert (await announce(here, ada, FILE)).status_code == 201
        late = [(END + GRACE_MS - 1, FILE[:5]), (END + GRACE_MS, FILE[5:])]
        for token, pieces in ((bob, late), (ada, [(END + 1, FILE + b"\n")])):
            refused = await upload(here, token, pieces)
            assert refused.status_code == 403
        here.hosted.time[0] = END + 1
        assert (await announce(here, bob, FILE)).status_code == 403
        sent = await upload(here, ada, late)
        assert (sent.status_code, sent.json()["at"]) == (201, "2026-01-01T12:01:00.000Z")
        again = await upload(here, ada, [(END + GRACE_MS + 1, FILE)])
        assert again.status_code == 403


@pytest.mark.slow
async def test_a_digest_is_checked_and_so_many_files_are_announced(door: Opening) -> None:
    async with door(**RULES) as here:
        ada = here.token("ada")
        given = {"sha256": "A" * 64}
        wrong = await here.call("POST", f"{EXAM}/announcements", ada, json={"sha256": "A" * 63})
        assert wrong.status_code == 422
        assert (await announce(here, ada, FILE, "else")).status_code == 404
        for number in range(MOST_ANNOUNCED):
            assert (await announce(here, ada, b"%d" % number)).status_code == 201
        many = await announce(here, ada, FILE)
        assert (many.status_code, "you announced 100 files" in many.text) == (429, True)
        assert (await here.call("POST", f"{EXAM}/announcements", json=given)).status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize("held", [True, False])
async def test_exact_scores_and_export_wait_for_the_phases_over_the_same_items_that_hide_scores(
    hosted: Callable[..., Any], door: Opening, right: dict[str, str], held: bool
) -> None:
    end = RULES["end"]
    test = Phase.model_validate({"name": "test", "start": end, "exact": not held})
    file = {"phases": (Phase(name="dev", end=end), test)}
    async with door(exam=file) as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        kept = (await here.upload(ada, dict(list(right.items())[:7]), phase="dev")).json()["id"]
        await here.work()
        here.hosted.time[0] = END + GRACE_MS + 1
        export = await here.get(f"{EXAM}/export", ada, params={"phase": "dev"})
        (score,) = (await here.get(f"{EXAM}/submissions/{kept}", ada)).json()["scores"]
        if held:
            assert (export.status_code, score["value"]) == (403, round(score["value"], 1))
        else:
            assert (export.status_code, score["value"]) == (200, pytest.approx(7 / 12))
        phases = (await here.get(EXAM)).json()["phases"]
        final = None if held else "2026-01-01T12:11:00.000Z"
        assert [phase["final"] for phase in phases] == [final, None]
        # What is over is not opened beside another phase over the same items, or after its scores.
        given = {"end": "2026-01-03T00:00:00Z", "why": "the network was down"}
        opened = await here.call("POST", f"{EXAM}/phases/dev/change", boss, json=given)
        assert opened.status_code == 409
        words = "phase test over the same items is open" if held else "has shown exact scores"
        assert words in opened.json()["detail"]
