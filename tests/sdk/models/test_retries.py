"""How long is waited between tries, and what is told of it."""

import asyncio
import heapq
import logging
from collections.abc import Awaitable, Callable, Iterator
from itertools import count, pairwise
from typing import Any

import pytest

from snellen.grading.errors import InputError
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.sdk.models.faults import Fault
from snellen.sdk.models.questions import Answer, Question
from snellen.sdk.models.retries import Clock, Pace, Patience, Reply, Turn
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


_TURNS = 20


class Watch:
    """Time that passes only while everybody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = count()

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.now, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._number), future))
        await future

    async def run(self, *work: Awaitable[Any]) -> list[Any]:
        """Run until all of it is done."""
        tasks = [asyncio.ensure_future(each) for each in work]
        while not all(task.done() for task in tasks):
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if self._sleepers and not all(task.done() for task in tasks):
                self.now, _, future = heapq.heappop(self._sleepers)
                if not future.done():
                    future.set_result(None)
        return [task.result() for task in tasks]


@pytest.fixture
def watch() -> Watch:
    return Watch()


def worker(
    pace: Pace, watch: Watch, sent: list[float], answer: Callable[[Turn], None], seconds: float = 0
) -> Callable[[int], Awaitable[None]]:
    """Return what sends so many requests, one after the other."""

    async def work(requests: int) -> None:
        for _ in range(requests):
            turn = await pace.begin(100)
            sent.append(watch.now - 1000)
            if seconds:
                await watch.clock.sleep(seconds)
            answer(turn)
            pace.end()

    return work


async def test_without_limits_nobody_waits(watch: Watch) -> None:
    pace, sent = Pace(Limits(concurrency=4), watch.clock), list[float]()
    work = worker(pace, watch, sent, lambda turn: pace.answered(turn, 10))
    await watch.run(*(work(5) for _ in range(4)))
    assert sent == [0.0] * 20


async def test_requests_are_spaced_evenly_over_the_minute(watch: Watch) -> None:
    limits = Limits(concurrency=4, requests_per_minute=120)
    pace, sent = Pace(limits, watch.clock), list[float]()
    work = worker(pace, watch, sent, lambda turn: pace.answered(turn, 10))
    await watch.run(*(work(5) for _ in range(4)))
    assert sent == pytest.approx([place * 0.5 for place in range(20)])


async def test_tokens_are_spaced_by_what_answers_took(watch: Watch) -> None:
    limits = Limits(concurrency=1, tokens_per_minute=600)
    pace, sent = Pace(limits, watch.clock), list[float]()
    # 100 expected, 30 taken: 3 seconds' worth at 10 tokens a second.
    work = worker(pace, watch, sent, lambda turn: pace.answered(turn, 30))
    await watch.run(work(6))
    assert sent == pytest.approx([place * 3 for place in range(6)])


async def test_an_answer_that_took_more_than_was_expected_is_paid_for(watch: Watch) -> None:
    limits = Limits(concurrency=1, tokens_per_minute=600)
    pace, sent = Pace(limits, watch.clock), list[float]()
    work = worker(pace, watch, sent, lambda turn: pace.answered(turn, 400))
    await watch.run(work(3))
    assert sent == pytest.approx([0, 40, 80])


async def test_an_api_that_counts_no_tokens_is_charged_what_was_expected(watch: Watch) -> None:
    limits = Limits(concurrency=1, tokens_per_minute=600)
    pace, sent = Pace(limits, watch.clock), list[float]()
    work = worker(pace, watch, sent, lambda turn: pace.answered(turn, None))
    await watch.run(work(3))
    assert sent == pytest.approx([0, 10, 20])


async def test_a_plea_holds_everybody_until_it_is_over(watch: Watch) -> None:
    pace, sent = Pace(Limits(concurrency=4), watch.clock), list[float]()
    refused: list[Turn] = []

    def answer(turn: Turn) -> None:
        if len(refused) < 1:
            refused.append(turn)
            assert pace.throttled(turn, 7) == 7
        else:
            pace.answered(turn, None)

    work = worker(pace, watch, sent, answer)
    await watch.run(*(work(3) for _ in range(4)))
    # One was refused at the start; what was not on its way yet waited.
    assert sorted(sent)[0] == 0
    assert all(at in (0, 7) for at in sent)
    assert sum(at == 7 for at in sent) >= 8


async def test_after_a_plea_requests_start_slowly(watch: Watch) -> None:
    pace, sent = Pace(Limits(concurrency=8), watch.clock), list[float]()
    refused: list[Turn] = []

    def answer(turn: Turn) -> None:
        if len(refused) < 8:
            refused.append(turn)
            pace.throttled(turn, 10)
        else:
            pace.answered(turn, None)

    work = worker(pace, watch, sent, answer, seconds=1)
    await watch.run(*(work(6) for _ in range(8)))
    rounds = [sum(at == moment for at in sent) for moment in sorted(set(sent))]
    # All eight, refused; then 1, 2 and half of eight; from there on one more a round.
    assert rounds[:4] == [8, 1, 2, 4]
    assert all(now - before <= 1 for before, now in pairwise(rounds[3:]))
    assert sorted(set(sent))[1] == 11


async def test_refusals_of_what_was_sent_before_a_plea_count_once(watch: Watch) -> None:
    pace = Pace(Limits(concurrency=4, first_wait=1), watch.clock)
    turns = [await pace.begin() for _ in range(4)]
    assert [pace.throttled(turn, None) for turn in turns] == [1, 1, 1, 1]
    for _ in turns:
        pace.end()
    (second,) = await watch.run(pace.begin())
    assert pace.throttled(second, None) == 2


async def test_a_plea_without_a_time_doubles_up_to_the_longest_wait(watch: Watch) -> None:
    pace = Pace(Limits(concurrency=1, first_wait=1, longest_wait=5), watch.clock)
    waits: list[float] = []
    for _ in range(5):
        (turn,) = await watch.run(pace.begin())
        waits.append(pace.throttled(turn, None))
        pace.end()
    assert waits == [1, 2, 4, 5, 5]
    (turn,) = await watch.run(pace.begin())
    pace.answered(turn, None)
    pace.end()
    (turn,) = await watch.run(pace.begin())
    assert pace.throttled(turn, None) == 1


async def test_one_who_gives_up_waiting_passes_the_turn_on(watch: Watch) -> None:
    pace = Pace(Limits(concurrency=2), watch.clock)
    first = await pace.begin()
    pace.throttled(first, 0)
    waiting = [asyncio.ensure_future(pace.begin()) for _ in range(2)]
    await asyncio.sleep(0)
    pace.end()
    waiting[0].cancel()
    await asyncio.wait(waiting, timeout=5)
    assert waiting[0].cancelled()
    assert waiting[1].done()


@pytest.mark.parametrize(
    "settings",
    [
        {"concurrency": 0},
        {"retries": -1},
        {"timeout": 0},
        {"requests_per_minute": 0},
        {"tokens_per_minute": -5},
        {"first_wait": float("inf")},
        {"give_up_after": 0},
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    (name,) = settings
    with pytest.raises(InputError, match=f"field '{name}'"):
        Limits(**settings)
