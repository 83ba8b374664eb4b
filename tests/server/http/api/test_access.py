import gc
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from snellen.server.errors import RateError
from snellen.server.http.api.access import WRONG_A_MINUTE, CallLimit
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
ONE = f"{EXAM}/submissions/sub_0"
WHY = {"why": "because"}
ORGANIZING: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", f"{ONE}/remove", WHY),
    ("POST", f"{ONE}/restore", WHY),
    ("POST", f"{ONE}/retry", None),
    ("POST", f"{ONE}/baseline", {"baseline": True}),
    ("POST", f"{EXAM}/phases/main/rescore", WHY),
    ("GET", f"{EXAM}/events", None),
    ("GET", "/invitations", None),
    ("POST", "/invitations", {"uses": 2}),
    ("DELETE", "/invitations/1", None),
    ("GET", "/requests", None),
    ("POST", "/requests/eve/approve", None),
    ("POST", "/requests/eve/refuse", None),
]
ADMIN: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "/tokens", None),
    ("POST", "/tokens", {"name": "mallory", "scopes": ["admin"]}),
    ("DELETE", "/tokens/boss", None),
]
Opening = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path", "body"), [*ORGANIZING, *ADMIN])
async def test_what_organizers_do_is_closed_to_everybody_else(
    door: Opening, method: str, path: str, body: dict[str, Any] | None
) -> None:
    async with door() as here:
        here.token("boss", Scope.ORGANIZE)
        assert (await here.call(method, path, json=body)).status_code == 401
        for scope in (Scope.TAKE, Scope.SUBMIT):
            refused = await here.call(method, path, here.token(scope, scope), json=body)
            assert refused.status_code == 403


@pytest.mark.parametrize(("method", "path", "body"), ADMIN)
async def test_tokens_are_an_admins_alone(
    door: Opening, method: str, path: str, body: dict[str, Any] | None
) -> None:
    async with door() as here:
        boss = here.token("boss", Scope.ORGANIZE)
        assert (await here.call(method, path, boss, json=body)).status_code == 403
        root = here.token("root", Scope.ADMIN)
        assert (await here.call(method, path, root, json=body)).is_success


async def test_a_token_ends_at_its_time_and_when_it_is_revoked(door: Opening) -> None:
    async with door() as here:
        root = here.token("root", Scope.ADMIN)
        given = {"name": "ada", "scopes": ["submit"], "days": 1}
        ada = (await here.call("POST", "/tokens", root, json=given)).json()["token"]
        assert (await here.get(f"{EXAM}/items", ada)).status_code == 200
        here.hosted.time[0] += 86_400_000
        assert (await here.get(f"{EXAM}/items", ada)).status_code == 401
        bob = here.token("bob")
        assert (await here.call("DELETE", "/tokens/bob", root)).status_code == 204
        assert (await here.get(f"{EXAM}/items", bob)).status_code == 401
        listed = (await here.get("/tokens", root)).json()["tokens"]
        assert [token["name"] for token in listed] == ["root", "ada", "bob"]
        events = (await here.get(f"{EXAM}/events", root)).json()["events"]
        assert [event["what"] for event in events] == ["token", "revoked"]


async def test_guessing_tokens_is_stopped_and_others_go_on(door: Opening) -> None:
    async with door() as here:
        ada = here.token("ada")
        statuses = [
            (await here.get(f"{EXAM}/items", f"snellen_{number}")).status_code
            for number in range(WRONG_A_MINUTE + 5)
        ]
        assert statuses == [401] * WRONG_A_MINUTE + [429] * 5
        assert (await here.get(f"{EXAM}/items", ada)).status_code == 200


async def test_without_tokens_whoever_sits_at_the_machine_takes_part(door: Opening) -> None:
    async with door(guarded=False) as here:
        sent = await here.upload(None, {"a": "1"})
        assert (sent.status_code, sent.json()["participant"]) == (201, "local")
        assert (await here.get(f"{EXAM}/events")).status_code == 403


async def test_a_fault_of_ours_says_nothing_of_what_failed(
    door: Opening,
) -> None:
    async with door() as here:
        await here.hosted.challenge.begin()
        here.hosted.host.database.close()
        sent = await here.get(f"{EXAM}/leaderboard")
        assert sent.status_code == 503
        assert sent.headers["content-type"] == "application/problem+json"
        assert sent.headers["retry-after"]


def test_within_any_minute_a_caller_has_as_many_calls_as_the_limit() -> None:
    clock = [0.0]
    limit = CallLimit(3, lambda: clock[0])
    for clock[0] in (0.0, 20.0, 40.0):
        limit.count("ada")
    # Refused calls do not count, and other callers are not concerned.
    for clock[0] in (41.0, 59.9):
        assert not limit.test("ada")
        with pytest.raises(RateError, match="more than 3 calls"):
            limit.count("ada")
    limit.count("bob")
    clock[0] = 60.0
    assert limit.test("ada")
    limit.count("ada")
    assert not limit.test("ada")
    clock[0] = 80.0
    limit.count("ada")


@pytest.mark.slow
def test_callers_of_long_ago_take_no_memory() -> None:
    clock = [0.0]
    limit = CallLimit(3, lambda: clock[0])

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        limit.count("first")
        before = held()
        for number in range(5_000):
            limit.count(f"10.0.{number}")
        size = held() - before
        clock[0] = 61.0
        limit.count("first")
        after = held() - before
    finally:
        tracemalloc.stop()
    assert size > 1_000_000
    assert after < size / 4
