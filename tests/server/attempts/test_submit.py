"""Recording answers: each once, in its item's form, by who holds it, whatever happens meanwhile."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from snellen import sdk
from snellen.grading.models.items import AnswerKind
from snellen.server.attempts.models import AnswerMeta, Caller
from snellen.server.attempts.service import Service
from snellen.server.attempts.submit import MOST_CHARACTERS
from snellen.server.errors import ExamError
from snellen.server.store.tables.exams import Attempt

A, B = Caller(client="A"), Caller(client="B")
Serve = Callable[..., Service]


async def item_of(service: Service, tasks: list[str] | None = None) -> tuple[Attempt, str]:
    attempt = (await service.start(A, tasks)).attempt
    return attempt, (await service.lease(attempt, A)).item.opaque


async def test_a_receipt_says_what_was_stored_and_what_is_left(serve: Serve) -> None:
    service = serve(submissions=2)
    attempt, item = await item_of(service)
    receipt = await service.submit(attempt, A, item, "12 exercises")
    assert (receipt.item, receipt.number, receipt.stored) == (item, 1, "12 exercises")
    assert (receipt.again, receipt.submissions_left) == (False, 1)
    assert (receipt.progress.answered, receipt.progress.open) == (1, 7)
    assert service.progress(attempt) == receipt.progress


async def test_the_same_answer_again_changes_nothing(serve: Serve) -> None:
    service = serve(submissions=2)
    attempt, item = await item_of(service)
    first = await service.submit(attempt, A, item, "12")
    again = await service.submit(attempt, A, item, "12")
    assert (again.number, again.again, again.submissions_left) == (1, True, 1)
    assert again.progress == first.progress
    assert len(json.loads(service.export(await service.close(attempt))[0].lines().splitlines()[0]))


async def test_many_repetitions_at_once_store_one_answer(serve: Serve) -> None:
    service = serve(submissions=9)
    attempt, item = await item_of(service)
    receipts = await asyncio.gather(
        *(service.submit(attempt, A, item, "the same") for _ in range(20))
    )
    assert [receipt.number for receipt in receipts] == [1] * 20
    assert sorted(receipt.again for receipt in receipts) == [False] + [True] * 19


async def test_a_second_answer_is_refused_where_one_is_taken(serve: Serve) -> None:
    service = serve()
    attempt, item = await item_of(service)
    await service.submit(attempt, A, item, "first")
    with pytest.raises(ExamError, match="has its answer, and only one is taken; go on with the n"):
        await service.submit(attempt, A, item, "second")


async def test_as_many_answers_as_the_rules_say(serve: Serve) -> None:
    service = serve(submissions=3)
    attempt, item = await item_of(service)
    for number in (1, 2, 3):
        assert (await service.submit(attempt, A, item, f"try {number}")).number == number
    with pytest.raises(ExamError, match=r"all 3 answers to item .* are used"):
        await service.submit(attempt, A, item, "try 4")
    assert (await service.submit(attempt, A, item, "try 3")).again
    assert service.progress(attempt).answered == 1


async def test_of_two_clients_that_race_for_an_item_one_gets_it(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(A)).attempt
    item = service.list_items(attempt)[0].id

    async def race(caller: Caller) -> str:
        try:
            await service.lease(attempt, caller, item)
            await service.submit(attempt, caller, item, f"of {caller.client}")
        except ExamError as error:
            return error.message
        return "stored"

    results = await asyncio.gather(race(A), race(B))
    assert results.count("stored") == 1
    assert any("another client's" in result for result in results)
    assert service.progress(attempt).answered == 1


async def test_two_servers_on_one_store_give_each_item_once(serve: Serve) -> None:
    first, second = serve(), serve()
    started = await first.start(A)

    async def work(service: Service, name: str) -> list[str]:
        caller = Caller(client=name)
        attempt = service.attempt(started.handle, caller.name)
        got: list[str] = []
        while service.progress(attempt).open:
            try:
                item = (await service.lease(attempt, caller)).item.opaque
            except ExamError:
                return got
            await service.submit(attempt, caller, item, f"of {name}")
            got.append(item)
        return got

    taken = await asyncio.gather(
        *(work(service, f"{n}") for n, service in enumerate((first, second) * 3))
    )
    items = [item for got in taken for item in got]
    assert len(items) == len(set(items)) == 8
    assert second.progress(started.attempt).answered == 8


async def test_a_rule_that_is_broken_undoes_nobody_elses_answer(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(A)).attempt
    callers = [Caller(client=f"client {number}") for number in range(8)]
    items = [(await service.lease(attempt, caller)).item.opaque for caller in callers]
    handed = [
        service.submit(attempt, caller, item, "" if number % 2 else f"answer {number}")
        for number, (caller, item) in enumerate(zip(callers, items, strict=True))
    ]
    results = await asyncio.gather(*handed, return_exceptions=True)
    refused = [isinstance(result, ExamError) for result in results]
    assert refused == [False, True] * 4
    assert service.progress(attempt).answered == 4


async def test_a_caller_that_gives_up_waiting_loses_no_answer(serve: Serve) -> None:
    service = serve()
    attempt, item = await item_of(service)
    task = asyncio.ensure_future(service.submit(attempt, A, item, "12"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    receipt = await service.submit(attempt, A, item, "12")
    assert (receipt.number, receipt.again, receipt.progress.answered) == (1, True, 1)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "the answer is empty; an answer looks like: "),
        ("  \n", "the answer is empty"),
        (
            "x" * 65_537,
            "longer than 65,536 characters, the most that an answer of the kind 'text' may",
        ),
        ("\ud83d", "half a surrogate pair"),
        ({"text": "12"}, "not in the item's form: expected text, got dict"),
        (12, "not in the item's form: expected text, got int"),
    ],
)
async def test_an_answer_that_is_not_in_the_form_of_a_text_is_sent_back(
    serve: Serve, answer: Any, words: str
) -> None:
    service = serve()
    attempt, item = await item_of(service)
    with pytest.raises(ExamError, match="field 'answer'") as caught:
        await service.submit(attempt, A, item, answer)
    assert words in caught.value.message
    assert service.progress(attempt).answered == 0


def nested(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (float("nan"), "NaN and Infinity are no JSON"),
        ([0.5, float("inf")], "NaN and Infinity are no JSON"),
        ([10**400, 1], "too large"),
        (nested(40), "nested more than 32 levels deep"),
        ({"a\ud83d": 1}, "half a surrogate pair"),
        (["x" * 9_000, "y" * 9_000], "longer than 16,384 characters"),
    ],
)
async def test_an_answer_that_no_file_can_hold_is_sent_back(
    serve: Serve, answer: Any, words: str
) -> None:
    service = serve("mixed")
    attempt, item = await item_of(service, ["mmbench-gui/l2_basic"])
    with pytest.raises(ExamError) as caught:
        await service.submit(attempt, A, item, answer)
    assert words in caught.value.message


async def test_the_space_and_view_of_an_answer_are_stored(serve: Serve) -> None:
    service = serve("mixed")
    attempt, item = await item_of(service, ["mmbench-gui/l2_basic"])
    seen = AnswerMeta(space="unit", view="whole 784x1568")
    assert (await service.submit(attempt, A, item, "(0.3, 0.2)", seen)).number == 1
    line = service.export(await service.close(attempt))[0].lines()
    answered = [json.loads(text) for text in line.splitlines() if "(0.3, 0.2)" in text]
    assert answered[0]["meta"] == {
        "client": "A",
        "number": 1,
        "space": "unit",
        "view": "whole 784x1568",
    }


async def test_an_answer_as_long_as_its_kind_may_be_is_stored(serve: Serve) -> None:
    service = serve()
    attempt, item = await item_of(service)
    longest = "ä" * 65_536
    assert (await service.submit(attempt, A, item, longest)).stored == longest


def test_every_kind_of_answer_has_a_limit() -> None:
    assert MOST_CHARACTERS.keys() == set(AnswerKind)


@pytest.mark.realdata
def test_the_longest_published_answer_is_a_tenth_of_its_limit_at_most(screenqa_data: Path) -> None:
    for task in ("screenqa/short", "screenqa/complex"):
        golds = cast("Sequence[list[str]]", sdk.load(task, screenqa_data).golds)
        longest = max(len(text) for gold in golds for text in gold)
        assert 0 < longest <= MOST_CHARACTERS[AnswerKind.TEXT] / 10


@pytest.mark.parametrize("answer", ["E", "AB", "option A", ["A"], 1, "A and B"])
async def test_a_choice_among_shuffled_options_is_one_letter(serve: Serve, answer: Any) -> None:
    service = serve("mixed")
    attempt, item = await item_of(service, ["mmbench-gui/l1"])
    with pytest.raises(ExamError, match="answer with one letter, A to D, and nothing else"):
        await service.submit(attempt, A, item, answer)


async def test_a_letter_is_mapped_back_to_the_item_as_made(serve: Serve) -> None:
    service = serve("mixed")
    attempt = (await service.start(A, ["mmbench-gui/l1"])).attempt
    wanted: dict[str, str] = {}
    moved = 0
    for _ in range(6):
        leased = await service.lease(attempt, A)
        made = leased.question.line.item.answer_format.options
        asked = leased.question.item.answer_format.options
        assert sorted(asked) == sorted(made)
        assert f"C. {asked[2]}" in leased.question.item.prompt
        moved += asked != made
        wanted[leased.item.item] = "ABCD"[made.index(asked[2])]
        receipt = await service.submit(attempt, A, leased.item.opaque, "(c)")
        assert receipt.stored == "(c)"
    assert moved
    lines = service.export(await service.close(attempt))[0].lines().splitlines()
    assert {record["item_id"]: record["response"] for record in map(json.loads, lines)} == wanted
