import csv
import io
import zlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hosted import NOON, add_graded, as_lines
from PIL import Image

from snellen.server.attempts.models import Caller
from snellen.server.challenge.export import verify_export
from snellen.server.exam.file import GRACE_MS
from snellen.server.exam.rules import Contexts
from snellen.server.http.api.exams import as_csv
from snellen.server.store.tables.endpoint import SubmissionRow
from snellen.server.store.tables.exams import Scope
from snellen.tasks.hosted import Board, BoardRow, Source, TaskScore

EXAM = "/exams/sample"
Opening = Callable[..., AbstractAsyncContextManager[Any]]


async def test_an_exam_shows_its_tasks_and_phases_to_everybody(door: Opening) -> None:
    async with door(uploads_a_day=3) as here:
        (card,) = (await here.get("/exams")).json()["exams"]
        assert card == (await here.get(EXAM)).json()
        assert card["tasks"] == [
            {"task": "screenqa/short", "items": 12, "protocol": "official@1", "acted": False}
        ]
        (phase,) = card["phases"]
        assert (phase["state"], phase["uploads_a_day"]) == ("open", 3)
        assert (await here.get("/exams/other")).status_code == 404


async def test_items_and_images_are_for_participants_and_hold_no_reference(
    door: Opening, right: dict[str, str]
) -> None:
    async with door() as here:
        ada, eve = here.token("ada"), here.token("eve", Scope.TAKE)
        assert (await here.get(f"{EXAM}/items")).status_code == 401
        assert (await here.get(f"{EXAM}/items", eve)).status_code == 403
        first = (await here.get(f"{EXAM}/items", ada, params={"limit": 7})).json()
        rest = await here.get(f"{EXAM}/items", ada, params={"after": first["next"]})
        items = first["items"] + rest.json()["items"]
        assert [item["id"] for item in items] == [*right]
        assert rest.json()["next"] is None
        etag = ""
        for item in items:
            assert item["tags"] == {}
            shown = await here.get(f"{EXAM}/image", ada, params={"item": item["id"]})
            with Image.open(io.BytesIO(shown.content)) as image:
                assert image.size == (item["images"][0]["width"], item["images"][0]["height"])
            etag = shown.headers["etag"]
        again = await here.get(
            f"{EXAM}/image", ada, params={"item": items[-1]["id"]}, headers={"If-None-Match": etag}
        )
        assert again.status_code == 304


async def test_items_are_shown_from_the_start_of_the_first_phase(
    door: Opening, right: dict[str, str]
) -> None:
    async with door(start=datetime.fromtimestamp(NOON / 1000 + 60, UTC)) as here:
        ada, root = here.token("ada"), here.token("root", Scope.ORGANIZE)
        image = {"item": next(iter(right))}
        for path, given in ((f"{EXAM}/items", {}), (f"{EXAM}/image", image)):
            early = await here.get(path, ada, params=given)
            assert early.status_code == 403
            assert "phase main begins at" in early.json()["detail"]
            assert (await here.get(path, root, params=given)).status_code == 200
        here.hosted.time[0] = NOON + 60_000
        assert (await here.get(f"{EXAM}/items", ada)).status_code == 200
        assert (await here.get(f"{EXAM}/image", ada, params=image)).status_code == 200


@pytest.mark.parametrize("name", ["../items.jsonl", "/etc/passwd", "references.jsonl", "%2e%2e"])
async def test_no_path_leads_out_of_the_images(door: Opening, name: str) -> None:
    async with door() as here:
        ada = here.token("ada")
        items = (await here.get(f"{EXAM}/items", ada, params={"limit": 1})).json()["items"]
        for asked in ({"item": items[0]["id"], "name": name}, {"item": name}):
            assert (await here.get(f"{EXAM}/image", ada, params=asked)).status_code == 404


@pytest.mark.slow
async def test_a_leaderboard_is_sent_again_only_when_it_changed(
    door: Opening, right: dict[str, str]
) -> None:
    async with door() as here:
        boss = here.token("boss", Scope.ORGANIZE)
        first = (await here.upload(here.token("ada"), right)).json()["id"]
        await here.work()
        board = await here.get(f"{EXAM}/leaderboard")
        same = {"If-None-Match": board.headers["etag"]}
        assert (await here.get(f"{EXAM}/leaderboard", headers=same)).status_code == 304
        path = f"{EXAM}/submissions/{first}"
        why = {"why": "it was made with the references"}
        assert (await here.call("POST", f"{path}/remove", boss, json=why)).status_code == 200
        changed = await here.get(f"{EXAM}/leaderboard", headers=same)
        assert (changed.status_code, changed.json()["rows"]) == (200, [])
        assert (await here.call("POST", f"{path}/restore", boss, json=why)).status_code == 200
        set_apart = await here.call("POST", f"{path}/baseline", boss, json={"baseline": True})
        assert set_apart.json()["baseline"] is True
        (row,) = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert (row["best"], row["baseline"], row["value"]) == (None, True, 1.0)
        events = (await here.get(f"{EXAM}/events", boss)).json()["events"]
        assert [event["what"] for event in events] == ["removed", "restored", "baseline"]


@pytest.mark.slow
async def test_an_export_is_public_at_the_end_and_makes_the_same_leaderboard(
    door: Opening, right: dict[str, str]
) -> None:
    end = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
    async with door(end=end) as here:
        half = dict(list(right.items())[:6])
        for name, answers in (("ada", right), ("bob", half)):
            await here.upload(here.token(name), answers)
        await here.work()
        refused = await here.get(f"{EXAM}/export")
        assert (refused.status_code, "is public when the final scores" in refused.text) == (
            403,
            True,
        )
        here.hosted.time[0] = NOON + 120_000 + GRACE_MS
        body = (await here.get(f"{EXAM}/export")).content
        board, differences = verify_export(body)
        assert (len(board.rows), differences) == (2, [])
        changed = body.replace(b'"item_values":[1.0', b'"item_values":[0.0', 1)
        assert verify_export(changed)[1]


@pytest.mark.slow
async def test_no_cell_of_a_leaderboard_is_a_formula(door: Opening, right: dict[str, str]) -> None:
    async with door() as here:
        name = '=HYPERLINK("http://127.0.0.1/")'
        await here.upload(here.token("ada"), right, name=name)
        await here.work()
        text = (await here.get(f"{EXAM}/leaderboard", params={"format": "csv"})).text
        (row,) = csv.DictReader(io.StringIO(text))
        assert row["name"] == f"'{name}"


@pytest.mark.parametrize("scores", ["hidden", "own"])
async def test_a_leaderboard_that_is_not_public_is_the_organizers(
    door: Opening, scores: str
) -> None:
    async with door(scores=scores) as here:
        boss = here.token("boss", Scope.ORGANIZE)
        assert (await here.get(f"{EXAM}/leaderboard", here.token("ada"))).status_code == 403
        assert (await here.get(f"{EXAM}/leaderboard", boss)).status_code == 200


@pytest.mark.slow
async def test_uploads_and_attempts_are_ranked_apart_where_asked(
    door: Opening, right: dict[str, str]
) -> None:
    async with door(exact=True) as here:
        ada = here.token("ada")
        await here.hosted.host.service.start(Caller("ada"))
        uploaded = (await here.upload(ada, dict(list(right.items())[:6]))).json()["id"]
        challenge = here.hosted.challenge
        body = as_lines(dict(list(right.items())[:3])).encode()
        row = SubmissionRow(
            id="",
            phase=challenge.phases.key(challenge.phase(None)),
            caller="ada",
            source=Source.ATTEMPT,
            attempt=1,
            task=None,
            name="ada",
            link="",
            form=".jsonl",
            digest=b"",
            size=len(body),
            at=NOON,
            day="2026-01-01",
        )
        await challenge.submissions.keep_attempt(row, [zlib.compress(body)])
        await here.work()

        async def rows(**query: str) -> list[tuple[str, float, int]]:
            found = await here.get(f"{EXAM}/leaderboard", params=query)
            return [(one["source"], one["value"], one["worst"]) for one in found.json()["rows"]]

        assert await rows() == [("upload", 0.5, 1)]
        assert await rows(source="upload") == [("upload", 0.5, 1)]
        assert await rows(source="attempt") == [("attempt", 0.25, 1)]
        text = (await here.get(f"{EXAM}/leaderboard", params={"format": "csv"})).text
        assert uploaded in text
        assert (await here.get(f"{EXAM}/leaderboard", params={"source": "x"})).status_code == 422


async def test_a_token_that_takes_an_exam_of_fresh_contexts_reads_no_items(
    door: Opening, right: dict[str, str]
) -> None:
    async with door() as here:
        both = here.token("both", Scope.TAKE, Scope.SUBMIT)
        submit, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        image = {"item": next(iter(right))}
        exam = here.hosted.challenge.exam
        assert (await here.get(f"{EXAM}/items", both)).status_code == 200
        fresh = exam.rules.model_copy(update={"contexts": Contexts.FRESH})
        here.hosted.challenge.exam = replace(exam, rules=fresh)
        for path, given in ((f"{EXAM}/items", {}), (f"{EXAM}/image", image)):
            refused = await here.get(path, both, params=given)
            assert (refused.status_code, "can't read" in refused.text) == (403, True)
            for token in (submit, boss):
                assert (await here.get(path, token, params=given)).status_code == 200


async def test_a_leaderboard_has_pages_and_its_csv_all_rows(door: Opening) -> None:
    async with door() as here:
        await add_graded(here.hosted, 5)
        board, found, cursor = f"{EXAM}/leaderboard", list[str](), "0"
        while cursor is not None:
            page = await here.get(board, params={"limit": 2, "after": cursor})
            same = {"If-None-Match": page.headers["etag"]}
            again = await here.get(board, params={"limit": 2, "after": cursor}, headers=same)
            assert again.status_code == 304
            assert page.json()["total"] == 5
            found += [row["submission"] for row in page.json()["rows"]]
            cursor = page.json()["next"]
        whole = (await here.get(board)).json()
        assert found == [row["submission"] for row in whole["rows"]]
        assert (len(set(found)), whole["next"]) == (5, None)
        text = (await here.get(board, params={"format": "csv", "limit": 2})).text
        assert [row["submission"] for row in csv.DictReader(io.StringIO(text))] == found
        for wrong in ({"limit": 0}, {"limit": 5001}, {"after": "-1"}, {"after": "x"}):
            assert (await here.get(board, params=wrong)).status_code == 422


def test_a_task_that_is_not_shown_by_itself_has_an_empty_cell() -> None:
    score = TaskScore(
        task="b", metric="f1", value=0.5, low=None, high=None, items=40, outcomes={}, signature=""
    )  # fmt: skip
    row = BoardRow(
        best=1, worst=1, group=1, submission="sub_0", participant="ada", name="ada", link="",
        source=Source.UPLOAD, at="", baseline=False, value=0.4, low=None, high=None, tasks=(score,),
    )  # fmt: skip
    board = Board(
        exam="exam", phase="main", task=None, tasks=("a", "b"), part="all", level=0.95, grading=1,
        graded="", regrading=False, rows=(row,), incomplete=0,
    )  # fmt: skip
    (found,) = csv.DictReader(io.StringIO(b"".join(as_csv(board)).decode()))
    assert (found["a"], found["b"], found["value"]) == ("", "0.5", "0.4")
