import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import pytest
from hosted import NOON, as_lines
from starlette.requests import ClientDisconnect

from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
Opening = Callable[..., AbstractAsyncContextManager[Any]]


def problem(response: Any) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    said = response.json()
    assert said["status"] == response.status_code
    return response.status_code, said["detail"]


@pytest.mark.slow
async def test_a_file_becomes_a_row_of_the_leaderboard(
    door: Opening, right: dict[str, str]
) -> None:
    async with door(reports="own") as here:
        ada = here.token("ada")
        sent = await here.upload(ada, right, name="Ada 1")
        assert sent.status_code == 201
        where = sent.headers["location"].removeprefix("/v1")
        assert (await here.get(where, ada)).json()["state"] == "queued"
        await here.work()
        (score,) = (await here.get(where, ada)).json()["scores"]
        assert (score["value"], score["items"]) == (1.0, 12)
        report = (await here.get(f"{where}/report", ada)).json()
        assert report["signature"] == score["signature"]
        (row,) = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert (row["name"], row["value"], row["best"]) == ("Ada 1", 1.0, 1)
        kept = await here.get(f"{where}/file", ada)
        assert [json.loads(line)["item_id"] for line in kept.text.splitlines()] == [*right]


async def test_the_same_key_is_one_submission_and_other_bytes_are_a_conflict(
    door: Opening,
) -> None:
    async with door(uploads=1) as here:
        ada = here.token("ada")
        first = await here.upload(ada, {"a": "1"}, key="k")
        again = await here.upload(ada, {"a": "1"}, key="k")
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json()["id"] == again.json()["id"]
        status, said = problem(await here.upload(ada, {"a": "2"}, key="k"))
        assert (status, "used with another file" in said) == (409, True)
        status, said = problem(await here.upload(ada, {"a": "2"}))
        assert (status, "all are used" in said) == (429, True)


async def test_the_same_file_again_is_the_earlier_submission_and_uses_no_upload(
    door: Opening,
) -> None:
    async with door(uploads=2) as here:
        ada, bob = here.token("ada"), here.token("bob")
        first = (await here.upload(ada, {"a": "1"}, name="One")).json()
        assert first["note"] is None
        await here.upload(ada, {"a": "2"})
        again = await here.upload(ada, {"a": "1"}, name="Two", key="k")
        assert (again.status_code, again.json()["id"]) == (200, first["id"])
        assert again.json()["note"] == (
            f"the same file; no upload was used: it is submission {first['id']} of"
            " 2026-01-01 12:00 UTC; its name is 'One', not 'Two'"
        )
        assert "not" not in (await here.upload(ada, {"a": "1"}, name="One")).json()["note"][60:]
        # The key is the earlier submission's, too.
        assert problem(await here.upload(ada, {"a": "3"}, key="k"))[0] == 409
        # Another participant's file, another format and another file are new.
        assert (await here.upload(bob, {"a": "1"})).status_code == 201
        assert (await here.upload(bob, {"a": "1"}, form="text/csv")).status_code == 201
        assert problem(await here.upload(ada, {"a": "3"}))[0] == 429


async def test_the_same_file_is_new_after_it_was_withdrawn_and_where_the_server_failed_it(
    door: Opening,
) -> None:
    async with door(uploads=2) as here:
        ada = here.token("ada")
        first = (await here.upload(ada, {"a": "1"})).json()["id"]
        await here.call("POST", f"{EXAM}/submissions/{first}/withdraw", ada)
        second = await here.upload(ada, {"a": "1"})
        assert (second.status_code, second.json()["id"] != first) == (201, True)
        await here.hosted.submissions.remove(second.json()["id"], "boss", "copied")
        assert (await here.upload(ada, {"a": "1"})).json()["id"] == second.json()["id"]


async def test_where_the_last_counts_an_older_file_is_sent_again_as_a_new_one(
    door: Opening,
) -> None:
    async with door(counts="last") as here:
        ada, sent = here.token("ada"), list[str]()
        for answer in "1211":
            sent.append((await here.upload(ada, {"a": answer})).json()["id"])
            here.hosted.time[0] += 1000
        assert len(set(sent)) == 3
        assert sent[2] == sent[3]


async def test_a_key_that_is_used_again_says_what_of_the_upload_does_not_apply(
    door: Opening,
) -> None:
    async with door() as here:
        ada = here.token("ada")
        first = (await here.upload(ada, {"a": "1"}, name="One", key="k")).json()
        assert (await here.upload(ada, {"a": "1"}, name="One", key="k")).json()["note"] is None
        again = await here.upload(ada, {"a": "1"}, name="Two", task="screenqa/short", key="k")
        assert (again.status_code, again.json()["id"]) == (200, first["id"])
        said = again.json()["note"]
        assert said.startswith("this Idempotency-Key was used before: it is submission")
        assert said.endswith("its name is 'One', not 'Two'; its task is '', not 'screenqa/short'")


async def test_a_body_that_was_compressed_on_its_way_is_the_same_file(door: Opening) -> None:
    lines = json.dumps({"item_id": "a", "response": "1" * 1_000_000}).encode()
    half = len(lines) // 2
    async with door(uploads=3) as here:
        ada = here.token("ada")
        members = gzip.compress(lines[:half]) + gzip.compress(lines[half:])
        sent = await here.upload(ada, members, encoding="gzip")
        assert sent.status_code == 201
        where = sent.headers["location"].removeprefix("/v1")
        assert (await here.get(f"{where}/file", ada)).content == lines


@pytest.mark.parametrize(
    ("body", "encoding", "status", "message"),
    [
        (gzip.compress(b"x" * 1000)[:20], "gzip", 415, "the gzip stream is cut off"),
        (b"no gzip", "gzip", 415, "the body is no gzip stream"),
        (b"x", "br", 415, "the content encoding 'br' is not supported"),
        (gzip.compress(bytes(200 << 20)), "gzip", 413, "an upload may have at most"),
    ],
    ids=["cut off", "no gzip", "another encoding", "larger than the limit"],
)
async def test_a_body_that_can_not_be_decoded_uses_no_upload(
    door: Opening, body: bytes, encoding: str, status: int, message: str
) -> None:
    async with door(uploads=1) as here:
        ada = here.token("ada")
        found, said = problem(await here.upload(ada, body, encoding=encoding))
        assert (found, message in said) == (status, True)
        assert (await here.upload(ada, {"a": "1"})).status_code == 201


async def test_racing_uploads_take_exactly_the_quota(door: Opening) -> None:
    async with door(uploads=5) as here:
        ada = here.token("ada")
        found = await asyncio.gather(*(here.upload(ada, {"a": str(n)}) for n in range(20)))
        assert sorted(each.status_code for each in found) == [201] * 5 + [429] * 15


async def test_a_team_has_one_quota_and_sees_what_its_members_uploaded(door: Opening) -> None:
    async with door(uploads=2) as here:
        ada, bob = (here.tokens.create(name, [Scope.SUBMIT], team="lab") for name in ("ada", "bob"))
        eve = here.token("eve")
        first = await here.upload(ada, {"a": "1"})
        assert first.json()["participant"] == "lab"
        assert (await here.upload(bob, {"a": "2"})).status_code == 201
        for member in (ada, bob):
            assert problem(await here.upload(member, {"a": "3"}))[0] == 429
            assert len((await here.get(f"{EXAM}/submissions", member)).json()["submissions"]) == 2
        assert (await here.upload(eve, {"a": "1"})).status_code == 201
        where = f"{EXAM}/submissions/{first.json()['id']}"
        assert (await here.get(where, bob)).status_code == 200
        assert (await here.get(where, eve)).status_code == 404


async def test_a_body_that_is_too_large_is_refused_while_it_comes(door: Opening) -> None:
    async with door() as here:
        here.hosted.challenge.file = here.hosted.challenge.file.model_copy(
            update={"longest_upload": 1000}
        )
        ada = here.token("ada")
        assert problem(await here.upload(ada, "x" * 1001))[0] == 413
        taken = 0

        async def endless() -> AsyncGenerator[bytes]:
            nonlocal taken
            while True:
                taken += 1
                yield b"y" * 600

        sent = await here.call(
            "POST",
            f"{EXAM}/submissions",
            ada,
            {"Content-Type": "application/x-ndjson"},
            content=endless(),
        )
        assert problem(sent)[0] == 413
        assert taken < 5


async def test_what_is_no_upload_is_refused_with_what_to_do(door: Opening) -> None:
    async with door() as here:
        ada = here.token("ada")
        assert problem(await here.upload(ada, ""))[0] == 400
        status, said = problem(await here.upload(ada, "x", form="text/html"))
        assert (status, "application/x-ndjson" in said) == (415, True)
        assert problem(await here.upload(ada, "x", phase="else"))[0] == 404
        status, said = problem(await here.upload(ada, "x", fase="else"))
        assert (status, said) == (422, "there is no parameter 'fase'")
        assert (await here.get(f"{EXAM}/submissions", ada)).json()["submissions"] == []


async def test_nobody_reads_another_participants_work(door: Opening) -> None:
    async with door(reports="own") as here:
        ada, bob = here.token("ada"), here.token("bob")
        boss = here.token("boss", Scope.ORGANIZE)
        where = f"{EXAM}/submissions/{(await here.upload(ada, {'a': '1'})).json()['id']}"
        for path in ("", "/report", "/file"):
            assert problem(await here.get(where + path, bob))[0] == 404
            assert problem(await here.get(where + path))[0] == 401
        assert (await here.get(f"{EXAM}/submissions", bob)).json()["submissions"] == []
        (seen,) = (await here.get(f"{EXAM}/submissions", boss)).json()["submissions"]
        assert seen["participant"] == "ada"
        assert (await here.get(f"{where}/file", boss)).status_code == 200


async def test_an_organizers_look_at_a_participants_file_is_in_the_record(door: Opening) -> None:
    async with door() as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        of_ada = (await here.upload(ada, {"a": "1"})).json()["id"]
        own = (await here.upload(boss, {"a": "2"})).json().get("id")
        for submission, token in ((of_ada, ada), (of_ada, boss), ("sub_0", boss), (own, boss)):
            await here.get(f"{EXAM}/submissions/{submission}/file", token)
        events = (await here.get(f"{EXAM}/events", boss)).json()["events"]
        assert [(event["caller"], event["what"], event["submission"]) for event in events] == [
            ("boss", "file read", of_ada)
        ]
        # It is of no phase: it changes no leaderboard, and is not in an export.
        assert (await here.get(f"{EXAM}/events?phase=main", boss)).json()["events"] == []


async def test_a_token_for_taking_uploads_nothing(door: Opening) -> None:
    async with door() as here:
        status, said = problem(await here.upload(here.token("eve", Scope.TAKE), {"a": "1"}))
        assert (status, "--scope submit" in said) == (403, True)
        assert problem(await here.upload(None, {"a": "1"}))[0] == 401
        assert problem(await here.upload("snellen_guess", {"a": "1"}))[0] == 401


@pytest.mark.slow
async def test_a_client_polls_until_it_is_done(door: Opening, right: dict[str, str]) -> None:
    async with door() as here:
        ada = here.token("ada")
        where = f"{EXAM}/submissions/{(await here.upload(ada, right)).json()['id']}"
        queued = await here.get(where, ada)
        assert (queued.json()["state"], queued.headers["retry-after"]) == ("queued", "2")
        again = await here.get(where, ada, headers={"If-None-Match": queued.headers["etag"]})
        assert (again.status_code, again.content, again.headers["retry-after"]) == (304, b"", "2")
        await here.work()
        done = await here.get(where, ada, headers={"If-None-Match": queued.headers["etag"]})
        assert (done.status_code, done.json()["state"]) == (200, "graded")
        assert "retry-after" not in done.headers


async def test_a_list_is_read_page_by_page(door: Opening) -> None:
    async with door() as here:
        ada = here.token("ada")
        for number in range(5):
            here.hosted.time[0] += 1
            await here.upload(ada, {"a": str(number)}, name=f"run {number}")
        seen: list[str] = []
        cursor: str | None = None
        while True:
            query = {"limit": 2} if cursor is None else {"limit": 2, "before": cursor}
            page = (await here.get(f"{EXAM}/submissions", ada, params=query)).json()
            seen += [each["name"] for each in page["submissions"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == [f"run {number}" for number in (4, 3, 2, 1, 0)]
        waiting = await here.get(f"{EXAM}/submissions", ada, params={"state": "stuck"})
        assert waiting.json() == {"submissions": [], "next": None}


@pytest.mark.slow
async def test_a_participant_chooses_up_to_two_and_the_better_counts(
    door: Opening, right: dict[str, str]
) -> None:
    end = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
    async with door(counts="chosen", end=end) as here:
        ada, bob = here.token("ada"), here.token("bob")
        sets = [dict(list(right.items())[:known]) for known in (12, 3, 6, 5)]
        ids = [(await here.upload(ada, answers)).json()["id"] for answers in sets]
        await here.work()

        async def choose(submission: str, token: str = ada, **said: bool) -> Any:
            path = f"{EXAM}/submissions/{submission}/choose"
            return await here.call("POST", path, token, json=said)

        for submission in ids[1:3]:
            assert (await choose(submission)).json()["chosen"] is True
        third = await choose(ids[3])
        assert (third.status_code, "take one back first" in third.text) == (409, True)
        assert (await choose(ids[0], bob)).status_code == 404
        (row,) = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert (row["submission"], row["value"]) == (ids[2], 0.5)
        assert (await choose(ids[2], chosen=False)).json()["chosen"] is False
        (row,) = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert row["submission"] == ids[1]
        here.hosted.time[0] = NOON + 120_000
        late = await choose(ids[0])
        assert (late.status_code, "are final" in late.text) == (403, True)


@pytest.mark.slow
async def test_what_a_participant_withdraws_leaves_the_board_and_stays_used(
    door: Opening, right: dict[str, str]
) -> None:
    async with door(uploads=1) as here:
        ada, bob, boss = here.token("ada"), here.token("bob"), here.token("boss", Scope.ORGANIZE)
        kept = (await here.upload(ada, right)).json()["id"]
        await here.work()
        path = f"{EXAM}/submissions/{kept}/withdraw"
        assert (await here.call("POST", path, bob)).status_code == 404
        assert (await here.call("POST", path, ada)).json()["removed"]
        assert (await here.call("POST", path, ada)).status_code == 409
        assert (await here.get(f"{EXAM}/leaderboard")).json()["rows"] == []
        assert (await here.upload(ada, right)).status_code == 429
        events = (await here.get(f"{EXAM}/events", boss)).json()["events"]
        assert [event["what"] for event in events] == ["withdrawn"]


async def test_nothing_is_chosen_where_the_exam_counts_otherwise(door: Opening) -> None:
    async with door(counts="best") as here:
        ada = here.token("ada")
        kept = (await here.upload(ada, {"a": "b"})).json()["id"]
        path = f"{EXAM}/submissions/{kept}/choose"
        refused = await here.call("POST", path, ada, json={})
        assert (refused.status_code, "it counts best" in refused.text) == (409, True)


async def test_a_client_that_leaves_in_the_middle_is_no_fault_of_the_server(
    door: Opening, capsys: pytest.CaptureFixture[str]
) -> None:
    async with door(uploads=1) as here:
        ada = here.token("ada")

        async def half() -> AsyncGenerator[bytes]:
            yield b'{"item_id": '
            raise ClientDisconnect

        path = f"{EXAM}/submissions"
        headers = {"Content-Type": "application/x-ndjson"}
        sent = await here.call("POST", path, ada, headers, content=half())
        assert problem(sent) == (400, "the connection was closed before the body had come")
        assert "fault" not in capsys.readouterr().err
        assert (await here.upload(ada, {"a": "b"})).status_code == 201


async def test_a_participant_sees_what_is_left_and_in_which_phase(door: Opening) -> None:
    end = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
    async with door(uploads=5, uploads_a_day=2, end=end) as here:
        ada, eve = here.token("ada"), here.token("eve", Scope.TAKE)
        await here.upload(ada, {"a": "b"})
        found = (await here.get(f"{EXAM}/quota", ada)).json()
        assert found == {
            "phase": "main",
            "end": "2026-01-01T12:01:00.000Z",
            "left": 4,
            "left_today": 1,
        }
        assert (await here.get(f"{EXAM}/quota", eve)).status_code == 403
        assert (await here.get(f"{EXAM}/quota")).status_code == 401
        assert (await here.get(f"{EXAM}/quota", ada, params={"phase": "x"})).status_code == 404
        here.hosted.time[0] = NOON + 120_000
        late = await here.get(f"{EXAM}/quota", ada)
        assert (late.status_code, "ended at" in late.text) == (403, True)


@pytest.mark.slow
async def test_the_list_of_submissions_has_their_scores(
    door: Opening, right: dict[str, str]
) -> None:
    async with door() as here:
        ada = here.token("ada")
        await here.upload(ada, dict(list(right.items())[:6]))
        await here.work()
        (row,) = (await here.get(f"{EXAM}/submissions", ada)).json()["submissions"]
        assert [(one["task"], one["value"]) for one in row["scores"]] == [("screenqa/short", 0.5)]


@pytest.mark.slow
async def test_each_faulty_line_is_said_up_to_twenty_whether_the_rest_is_graded_or_not(
    door: Opening, right: dict[str, str]
) -> None:
    async with door() as here:
        ada = here.token("ada")
        bad = '{"item_id": 5}\n'
        one = as_lines(dict(list(right.items())[:1]))
        partly = (await here.upload(ada, one + 22 * bad)).json()
        wholly = (await here.upload(ada, 3 * bad)).json()
        fine = (await here.upload(ada, one)).json()
        await here.work()
        found = [
            (await here.get(f"{EXAM}/submissions/{each['id']}", ada)).json()
            for each in (partly, wholly, fine)
        ]
        assert [each["state"] for each in found] == ["graded", "failed", "graded"]
        assert [each["problem_count"] for each in found] == [22, 3, 0]
        assert [each["line"] for each in found[0]["problems"]] == [*range(2, 22)]
        assert [each["line"] for each in found[1]["problems"]] == [1, 2, 3]
        first = found[1]["problems"][0]
        assert (first["kind"], first["field"], first["file"]) == ("wrong type", "item_id", None)
        assert "item_id is the number 5" in first["message"]


@pytest.mark.slow
async def test_a_faulty_line_is_said_in_few_words_and_names_no_folder(door: Opening) -> None:
    async with door() as here:
        ada = here.token("ada")
        sent = await here.upload(ada, json.dumps({"item_id": "x" * 9999, "response": ""}))
        await here.work()
        where = sent.headers["location"].removeprefix("/v1")
        (found,) = (await here.get(where, ada)).json()["problems"]
        assert len(found["message"]) <= 500
        assert "snellen-job" not in str(found)
