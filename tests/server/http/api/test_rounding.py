"""While a phase is open, no score tells which answers are right."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from hosted import NOON

from snellen.server.challenge.export import verify_export
from snellen.server.exam.file import GRACE_MS
from snellen.server.store.tables.exams import Scope

EXAM = "/exams/sample"
Opening = Callable[..., AbstractAsyncContextManager[Any]]
END = datetime.fromtimestamp(NOON / 1000 + 60, UTC)
WEIGHTS = [2.0**-place for place in range(1, 13)]
"""What a right answer to each item is worth: then one exact mean says which are right."""


def worth(answer: str, weight: float) -> str:
    """Return a right answer among so many other words that its F1 is the weight."""
    words = len(answer.split())
    return f"{answer} " + " ".join(f"x{n}" for n in range(round(2 * words / weight) - 2 * words))


def padded(right: Mapping[str, str], guessed: Sequence[bool]) -> dict[str, str]:
    return {
        item: worth(answer, weight) if hit else "nothing"
        for (item, answer), weight, hit in zip(right.items(), WEIGHTS, guessed, strict=True)
    }


async def shown(here: Any, token: str, submission: str) -> tuple[object, ...]:
    """Return all that a participant sees of a submission's score."""
    status = (await here.get(f"{EXAM}/submissions/{submission}", token)).json()
    (score,) = status["scores"]
    names = ("value", "low", "high", "metrics")
    return tuple(str(score[name]) for name in names)


def consistent(value: float, digits: int) -> int:
    """Return how many sets of right guesses have a mean that is shown as this value."""
    means = (
        sum(weight for weight, hit in zip(WEIGHTS, hits, strict=True) if hit) / len(WEIGHTS)
        for hits in product((False, True), repeat=len(WEIGHTS))
    )
    return sum(round(mean, digits) == round(value, digits) for mean in means)


@pytest.mark.slow
@pytest.mark.parametrize(("exact", "digits", "at_least"), [(True, 12, 1), (False, 1, 100)])
async def test_one_upload_does_not_tell_which_guesses_are_right(
    door: Opening, right: dict[str, str], exact: bool, digits: int, at_least: int
) -> None:
    guessed = [True, False, True, True, False, False, True, False, True, True, False, True]
    async with door(exact=exact) as here:
        ada = here.token("ada")
        kept = (await here.upload(ada, padded(right, guessed))).json()["id"]
        await here.work()
        value, *_ = await shown(here, ada, kept)
        # With the exact value there is one set of right guesses; rounded, hundreds.
        found = consistent(float(str(value)), digits)
        assert found == 1 if exact else found >= at_least


@pytest.mark.slow
async def test_uploads_that_differ_by_less_than_the_rounding_show_the_same(
    door: Opening, right: dict[str, str]
) -> None:
    async with door(counts="all") as here:
        ada = here.token("ada")
        ids: list[str] = []
        # The first has a mean beside a boundary of the rounding, and each of the others adds a
        # guess that is worth less than a hundredth of the mean.
        first = [True, True, False, True] + [False] * 8
        for place in range(4, 12):
            guessed = [hit or other == place for other, hit in enumerate(first)]
            ids.append((await here.upload(ada, padded(right, guessed))).json()["id"])
        await here.work()
        assert len({await shown(here, ada, submission) for submission in ids}) == 1
        board = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert len({(row["value"], row["low"], row["high"]) for row in board}) == 1


@pytest.mark.slow
async def test_board_status_and_csv_show_the_same_rounded_value_until_the_end(
    door: Opening, right: dict[str, str]
) -> None:
    some = dict(list(right.items())[:7])
    async with door(end=END) as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        kept = (await here.upload(ada, some)).json()["id"]
        await here.work()

        async def values(token: str | None) -> list[float]:
            board = await here.get(f"{EXAM}/leaderboard", token)
            (row,) = board.json()["rows"]
            text = (await here.get(f"{EXAM}/leaderboard", token, params={"format": "csv"})).text
            (line,) = csv.DictReader(io.StringIO(text))
            found = [row["value"], row["tasks"][0]["value"], float(line["value"])]
            return [*found, float(line["screenqa/short"])]

        # Of twelve items a tenth is shown.
        value, low, _, metrics = await shown(here, ada, kept)
        assert value in ("0.5", "0.6")
        assert low == str(round(float(str(low)), 1))
        assert f"'exact_match': {value}" in str(metrics)
        assert await values(ada) == [float(str(value))] * 4
        assert await values(boss) == pytest.approx([7 / 12] * 4, abs=1e-12)
        here.hosted.time[0] = NOON + 120_000
        assert await values(ada) == [float(str(value))] * 4
        here.hosted.time[0] += GRACE_MS
        assert await values(None) == pytest.approx([7 / 12] * 4, abs=1e-12)


@pytest.mark.slow
async def test_who_sees_every_item_sees_exact_values(door: Opening, right: dict[str, str]) -> None:
    async with door(reports="own") as here:
        ada = here.token("ada")
        kept = (await here.upload(ada, dict(list(right.items())[:7]))).json()["id"]
        await here.work()
        value, *_ = await shown(here, ada, kept)
        assert float(str(value)) == pytest.approx(7 / 12, abs=1e-12)


GROUND = "mmbench-gui/l2_basic"


async def with_measures(here: Any, token: str | None, submission: str) -> dict[str, bool]:
    """Return where the mean distance of a submission's points is shown."""
    board, query = f"{EXAM}/leaderboard", {"task": GROUND}
    calls: Mapping[str, tuple[str, Mapping[str, str]]] = {
        "status": (f"{EXAM}/submissions/{submission}", {}),
        "leaderboard": (board, query),
        "csv": (board, {**query, "format": "csv"}),
    }
    return {
        name: "distance" in (await here.get(path, token, params=params)).text
        for name, (path, params) in calls.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "while_open"),
    [
        ({}, False),
        ({"exact": True}, False),
        ({"public_share": 0.5}, False),
        ({"reports": "own"}, True),
    ],
)
async def test_measures_are_shown_after_the_end_or_to_those_who_see_every_item(
    door: Opening, rules: Mapping[str, object], while_open: bool
) -> None:
    # Of two uploads that differ in one point, exact means say how near it is, as no score does.
    async with door(pack="sample", end=END, **rules) as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        points = dict.fromkeys(here.hosted.challenge.exam.asked(GROUND), "(0.5, 0.5)")
        kept = (await here.upload(ada, points, task=GROUND)).json()["id"]
        await here.work()
        nowhere = dict.fromkeys(("status", "leaderboard", "csv"), False)
        everywhere = dict.fromkeys(nowhere, True)
        assert await with_measures(here, ada, kept) == (everywhere if while_open else nowhere)
        assert await with_measures(here, boss, kept) == everywhere
        here.hosted.time[0] = NOON + 120_000 + GRACE_MS
        assert await with_measures(here, ada, kept) == everywhere
        board = (await here.get(f"{EXAM}/leaderboard", params={"task": GROUND})).json()
        (row,) = board["rows"]
        measure = row["tasks"][0]["measures"]["distance"]
        assert (measure["unit"], measure["better"], measure["answers"]) == ("px", "lower", 2)
        text = (
            await here.get(f"{EXAM}/leaderboard", params={"task": GROUND, "format": "csv"})
        ).text
        (line,) = csv.DictReader(io.StringIO(text))
        assert float(line["distance (px, lower is better)"]) == measure["mean"]


@pytest.mark.slow
async def test_hidden_scores_hide_measures_also_after_the_end(door: Opening) -> None:
    async with door(pack="sample", end=END, scores="hidden") as here:
        ada = here.token("ada")
        points = dict.fromkeys(here.hosted.challenge.exam.asked(GROUND), "(0.5, 0.5)")
        kept = (await here.upload(ada, points, task=GROUND)).json()["id"]
        await here.work()
        for time in (NOON, NOON + 120_000):
            here.hosted.time[0] = time
            assert not any((await with_measures(here, ada, kept)).values())


@pytest.mark.slow
async def test_an_export_with_measures_is_verified(door: Opening) -> None:
    async with door(pack="sample", end=END) as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        points = dict.fromkeys(here.hosted.challenge.exam.asked(GROUND), "(0.5, 0.5)")
        await here.upload(ada, points, task=GROUND)
        await here.work()
        body = (await here.get(f"{EXAM}/export", boss)).content
        board, differences = verify_export(body)
        assert not differences
        assert not board.rows
        assert b'"measures":{"distance"' in body


@pytest.mark.slow
async def test_tasks_with_few_items_are_shown_in_the_mean_alone(door: Opening) -> None:
    async with door(pack="sample", end=END) as here:
        ada, exam = here.token("ada"), here.hosted.challenge.exam
        points = dict.fromkeys(exam.asked(GROUND), "(0.5, 0.5)")
        partly = (await here.upload(ada, points, task=GROUND)).json()["id"]
        lines = [
            {"task": task, "item_id": item, "response": "A"}
            for task in exam.offers
            for item in exam.asked(task)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        whole = (await here.upload(ada, text)).json()["id"]
        await here.work()
        status = (await here.get(f"{EXAM}/submissions/{partly}", ada)).json()
        assert (status["scores"], status["value"]) == ([], None)
        assert "count in the mean of all tasks alone, and there is none" in status["note"]
        status = (await here.get(f"{EXAM}/submissions/{whole}", ada)).json()
        assert (status["scores"], status["note"]) == ([], None)
        (row,) = (await here.get(f"{EXAM}/leaderboard")).json()["rows"]
        assert row["value"] == status["value"] == round(status["value"], 1)
        refused = await here.get(f"{EXAM}/leaderboard", params={"task": GROUND})
        assert refused.status_code == 403
        here.hosted.time[0] = NOON + 120_000 + GRACE_MS
        status = (await here.get(f"{EXAM}/submissions/{whole}", ada)).json()
        assert len(status["scores"]) == len(exam.offers)


@pytest.mark.slow
async def test_a_graded_again_submission_of_one_task_has_no_note_where_scores_are_exact(
    door: Opening,
) -> None:
    async with door(pack="sample", exact=True) as here:
        ada, boss = here.token("ada"), here.token("boss", Scope.ORGANIZE)
        points = dict.fromkeys(here.hosted.challenge.exam.asked(GROUND), "(0.5, 0.5)")
        kept = (await here.upload(ada, points, task=GROUND)).json()["id"]
        await here.work()
        given = {"why": "a reference was wrong"}
        await here.call("POST", f"{EXAM}/phases/main/rescore", boss, json=given)
        await here.work()
        status = (await here.get(f"{EXAM}/submissions/{kept}", ada)).json()
        assert (len(status["scores"]), status["note"]) == (1, None)
