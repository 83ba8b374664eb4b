"""How long is waited between tries, and what is told of it."""

import logging
from collections.abc import Iterator

import pytest

from snellen.grading.models.answers import AnswerFormat, AnswerKind
from snellen.grading.models.items import Item
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.pace import Clock
from snellen.sdk.models.questions import Answer, Question
from snellen.sdk.models.retries import Patience, Reply
from snellen.sdk.models.settings import Limits

ITEM = Item(
    id="test/0/0",
    task="screenqa/short",
    prompt="a secret prompt",
    answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="7"),
)


async def asked(limits: Limits, *faults: Fault) -> tuple[Reply, list[float]]:
    """Ask a model that fails so and then answers; return the waits too."""
    waits: list[float] = []
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        waits.append(seconds)

    ahead: Iterator[Fault] = iter(faults)

    async def ask(question: Question) -> Answer:
        fault = next(ahead, None)
        if fault is not None:
            raise fault
        return Answer("7")

    patience = Patience(limits, Clock(now=lambda: now, sleep=sleep))
    return await patience.ask(ask, Question(ITEM, ITEM.prompt)), waits


def passing(**more: float) -> Fault:
    return Fault("HTTP 500", status=500, passing=True, retry_after=more.get("retry_after"))


async def test_waits_are_drawn_below_a_bound_that_doubles() -> None:
    limits = Limits(retries=6, first_wait=1, longest_wait=10)
    drawn: list[list[float]] = []
    for _ in range(200):
        reply, waits = await asked(limits, *(passing() for _ in range(6)))
        assert reply.tries == 7
        drawn.append(waits)
    for place, bound in enumerate([1, 2, 4, 8, 10, 10]):
        column = [waits[place] for waits in drawn]
        assert 0 <= min(column) < bound / 4
        assert bound * 3 / 4 < max(column) <= bound


async def test_what_the_server_asks_to_wait_is_waited() -> None:
    reply, waits = await asked(Limits(first_wait=0.1), passing(retry_after=5))
    assert reply.answer == Answer("7")
    assert waits == [5]


async def test_after_the_last_retry_the_fault_comes_back() -> None:
    last = passing()
    reply, waits = await asked(Limits(retries=2), passing(), passing(), last, passing())
    assert (reply.answer, reply.fault, reply.tries, len(waits)) == (None, last, 3, 2)


async def test_what_will_not_pass_is_not_tried_again() -> None:
    reply, waits = await asked(Limits(), Fault("HTTP 400", status=400))
    assert (reply.answer, reply.tries, waits) == (None, 1, [])


async def test_a_bug_is_no_fault() -> None:
    async def ask(question: Question) -> Answer:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        await Patience(Limits()).ask(ask, Question(ITEM, ITEM.prompt))


async def test_retries_and_pleas_are_logged_without_prompts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "snellen.evaluation")
    plea = Fault("HTTP 429", status=429, passing=True, throttled=True, retry_after=3)
    await asked(Limits(), plea, passing(retry_after=2))
    events = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert [level for level, _ in events] == ["INFO", "DEBUG", "DEBUG"]
    assert "event='rate limited' status=429 wait=3" in events[0][1]
    assert "event='retry' item_id='test/0/0' tries=2 status=500" in events[2][1]
    assert "secret" not in caplog.text
