"""The life of an attempt: begun, finished, expired or given up; whose it is; what is left of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.server.attempts.models import Caller, CallTrace
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError, NoSuchAttemptError
from snellen.server.exam.rules import Contexts
from snellen.server.store.tables.exams import Attempt, State

pytestmark = pytest.mark.compat

MINUTE = 60_000
ME = Caller()
Serve = Callable[..., Service]


async def answer(service: Service, attempt: Attempt, caller: Caller = ME) -> str:
    leased = await service.lease(attempt, caller)
    await service.submit(attempt, caller, leased.item.opaque, "an answer")
    return leased.item.opaque


async def test_an_attempt_begins_open_with_all_items(serve: Serve) -> None:
    started = await serve().start(ME, model="some-model")
    assert started.count == 8
    assert len(started.handle) == 12
    attempt = started.attempt
    assert (attempt.state, attempt.model, attempt.deadline) == (State.OPEN, "some-model", None)
    assert (attempt.progress.answered, attempt.progress.open) == (0, 8)


async def test_the_store_does_not_hold_the_handle(serve: Serve, store: Path) -> None:
    started = await serve().start(ME)
    kept = b"".join(file.read_bytes() for file in store.parent.iterdir())
    assert started.attempt.secret in kept
    assert started.handle.encode() not in kept


async def test_an_attempt_shows_no_secret(serve: Serve) -> None:
    started = await serve().start(ME)
    assert repr(started.attempt.secret) not in repr(started.attempt)


@pytest.mark.parametrize("handle", ["", "att_", "att_" + "0" * 48, "\ud83d", "' OR 1=1 --"])
async def test_a_forged_handle_opens_nothing(serve: Serve, handle: str) -> None:
    service = serve()
    await service.start(ME)
    with pytest.raises(NoSuchAttemptError, match="start_attempt returns one"):
        service.attempt(handle, ME.name)


async def test_a_stolen_handle_says_no_more_than_a_forged_one(serve: Serve) -> None:
    service = serve()
    started = await service.start(Caller("alice"))
    with pytest.raises(NoSuchAttemptError) as stolen:
        service.attempt(started.handle, Caller("mallory").name)
    with pytest.raises(NoSuchAttemptError) as forged:
        service.attempt("att_" + "0" * 48, Caller("mallory").name)
    assert str(stolen.value) == str(forged.value)
    assert service.attempt(started.handle, Caller("alice", "another client").name)


async def test_what_is_not_offered_is_refused_with_what_is(serve: Serve) -> None:
    with pytest.raises(ExamError, match="'visualwebbench' is not offered here; offered are: scr"):
        await serve().start(ME, ["visualwebbench"])


async def test_a_benchmark_stands_for_its_tasks(serve: Serve) -> None:
    service = serve("mixed")
    assert (await service.start(ME, ["mmbench-gui"])).attempt.tasks == (
        "mmbench-gui/l1",
        "mmbench-gui/l2_basic",
    )
    assert (await service.start(ME, ["screenqa/short", "screenqa"])).count == 8
    assert (await service.start(ME)).count == 17


async def test_a_policy_that_is_not_the_servers_is_refused(serve: Serve) -> None:
    service = serve(contexts="fresh")
    with pytest.raises(ExamError, match="asks for fresh contexts, not continuous"):
        await service.start(ME, contexts=Contexts.CONTINUOUS)
    assert (await service.start(ME)).attempt.contexts is Contexts.FRESH


async def test_where_the_server_leaves_it_open_the_client_declares_its_policy(
    serve: Serve,
) -> None:
    service = serve()
    assert (await service.start(ME)).attempt.contexts is Contexts.CONTINUOUS
    fresh = await service.start(ME, contexts=Contexts.FRESH)
    assert fresh.attempt.contexts is Contexts.FRESH


@pytest.mark.parametrize("model", ["", "x" * 201, "a\nb", "\ud83d"])
async def test_a_model_has_a_name_that_can_be_kept(serve: Serve, model: str) -> None:
    with pytest.raises(ExamError, match="1 to 200 printable"):
        await serve().start(ME, model=model)


async def test_attempts_are_counted_by_caller_however_they_end(serve: Serve) -> None:
    service = serve(attempts=2)
    given_up = (await service.start(ME)).attempt
    await service.lease(given_up, ME)
    await service.register.abandon(given_up)
    await service.finish((await service.start(ME)).attempt)
    with pytest.raises(ExamError, match="all 2 attempts are used; ask the exam's organizer"):
        await service.start(ME)
    assert (await service.start(Caller("another"))).count == 8


@pytest.mark.parametrize("swept", [False, True])
async def test_a_caller_that_lost_its_handle_before_it_saw_anything_gets_another(
    serve: Serve, now: list[int], swept: bool
) -> None:
    service = serve(attempts=1, minutes=30)
    lost = await service.start(ME, model="some-model")
    service.list_items(lost.attempt)
    now[0] += 40 * MINUTE
    if swept:
        await service.register.abandon(service.register.numbered(lost.attempt.id))
    again = await service.start(ME, model="some-model")
    assert again.attempt.id == lost.attempt.id
    assert (again.count, again.attempt.state) == (8, State.OPEN)
    # Nothing was seen in the time that was lost.
    assert (again.attempt.opened, again.attempt.closed) == (now[0], None)
    assert again.attempt.deadline == now[0] + 30 * MINUTE
    with pytest.raises(NoSuchAttemptError):
        service.attempt(lost.handle, ME.name)
    await answer(service, service.attempt(again.handle, ME.name))
    with pytest.raises(ExamError, match="the one attempt is used"):
        await service.start(ME, model="some-model")


async def test_an_attempt_is_begun_again_by_its_caller_with_the_same_choices_only(
    serve: Serve,
) -> None:
    service = serve("mixed", attempts=1)
    first = await service.start(ME, ["screenqa/short"], model="some-model")
    for tasks, model in ((None, "some-model"), (["screenqa/short"], None)):
        with pytest.raises(ExamError, match="the one attempt is used"):
            await service.start(ME, tasks, model=model)
    other = await service.start(Caller("another"), ["screenqa/short"], model="some-model")
    assert other.attempt.id != first.attempt.id
    assert service.attempt(first.handle, ME.name).id == first.attempt.id


async def test_while_attempts_are_left_starting_opens_another(serve: Serve) -> None:
    service = serve(attempts=2)
    first, second = await service.start(ME), await service.start(ME)
    assert first.attempt.id != second.attempt.id
    assert service.attempt(first.handle, ME.name).id == first.attempt.id
    third = await service.start(ME)
    assert third.attempt.id == first.attempt.id


async def test_an_organizer_replaces_a_handle_that_was_lost(serve: Serve) -> None:
    service = serve(attempts=1)
    started = await service.start(ME)
    item = await answer(service, started.attempt)
    handle = await service.register.reissue(service.register.numbered(started.attempt.id))
    assert handle != started.handle
    with pytest.raises(NoSuchAttemptError):
        service.attempt(started.handle, ME.name)
    with pytest.raises(NoSuchAttemptError):
        service.attempt(handle, Caller("another").name)
    attempt = service.attempt(handle, ME.name)
    assert (await service.submit(attempt, ME, item, "an answer")).again
    report = await service.finish(attempt)
    last = await service.register.reissue(service.register.numbered(attempt.id))
    assert await service.finish(service.attempt(last, ME.name)) == report


async def test_the_handle_of_an_attempt_that_was_abandoned_is_not_replaced(serve: Serve) -> None:
    service = serve()
    attempt = await service.register.abandon((await service.start(ME)).attempt)
    with pytest.raises(ExamError, match="attempt 1 was abandoned, and a handle of it opens noth"):
        await service.register.reissue(attempt)


async def test_practice_uses_up_no_attempt_at_the_exam(serve: Serve) -> None:
    await serve(attempts=1, mode="practice").start(ME)
    exam = serve(attempts=1)
    await exam.lease((await exam.start(ME)).attempt, ME)
    with pytest.raises(ExamError, match="the one attempt is used"):
        await exam.start(ME)


async def test_practice_does_not_go_on_beside_an_exam(serve: Serve) -> None:
    practice = serve(mode="practice")
    begun = await practice.start(ME)
    exam = serve()
    with pytest.raises(ExamError, match="begun in practice mode, and exam mode is served now"):
        exam.attempt(begun.handle, ME.name)
    await practice.finish(practice.attempt(begun.handle, ME.name))
    # What was told of it before may be read again.
    assert exam.attempt(begun.handle, ME.name).report is not None


async def test_after_the_end_no_answer_is_taken(serve: Serve) -> None:
    service = serve(submissions=2)
    attempt = (await service.start(ME)).attempt
    item = await answer(service, attempt)
    await service.finish(attempt)
    with pytest.raises(ExamError, match="the attempt is finished; start_attempt opens a new one"):
        await service.submit(attempt, ME, item, "another answer")
    with pytest.raises(ExamError, match="the attempt is finished"):
        await service.lease(attempt, ME)
    with pytest.raises(ExamError, match="the attempt is finished"):
        service.held(attempt, ME, item)


async def test_an_answer_that_was_stored_is_acknowledged_again_after_the_end(
    serve: Serve,
) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    item = await answer(service, attempt)
    await service.finish(attempt)
    assert (await service.submit(attempt, ME, item, "an answer")).again


async def test_after_the_deadline_the_attempt_is_expired(serve: Serve, now: list[int]) -> None:
    service = serve(minutes=30)
    started = await service.start(ME)
    attempt = started.attempt
    item = await answer(service, attempt)
    now[0] += 30 * MINUTE
    await answer(service, attempt)
    last = (await service.lease(attempt, ME)).item.opaque
    now[0] += 1
    with pytest.raises(ExamError, match="the time is over; call finish_attempt for the report"):
        await service.submit(attempt, ME, last, "too late")
    with pytest.raises(ExamError, match="the time is over"):
        await service.lease(attempt, ME)
    assert service.attempt(started.handle, ME.name).state is State.EXPIRED
    assert (await service.submit(attempt, ME, item, "an answer")).again
    report = await service.finish(attempt)
    assert (report.state, report.tasks[0].answered) == (State.EXPIRED, 2)
    assert report.cost.seconds == 1800


async def test_an_abandoned_attempt_has_no_report(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    assert (await service.register.abandon(attempt)).state is State.ABANDONED
    with pytest.raises(ExamError, match="was abandoned; start_attempt opens a new one"):
        await service.finish(attempt)
    assert len(service.export(service.register.numbered(attempt.id))[0].lines().splitlines()) == 8


async def test_a_finished_attempt_can_not_be_abandoned(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    await service.finish(attempt)
    assert (await service.register.abandon(attempt)).state is State.FINISHED


async def test_a_sweep_closes_what_is_over_and_what_nobody_touches(
    serve: Serve, now: list[int]
) -> None:
    timed = (await serve(minutes=10).start(ME)).attempt
    service = serve()
    idle, leased, traced = [(await service.start(ME)).attempt for _ in range(3)]
    finished = (await service.start(ME)).attempt
    await service.finish(finished)
    now[0] += 50 * MINUTE
    await service.lease(leased, ME)
    service.trace(traced, CallTrace("list_items", 12))
    await service.flush()
    now[0] += 50 * MINUTE
    swept = await service.register.sweep(idle_minutes=60)
    assert (swept.expired, swept.abandoned) == (1, 1)
    states = {attempt.id: attempt.state for attempt in service.register.list_attempts()}
    assert states == {
        timed.id: State.EXPIRED,
        idle.id: State.ABANDONED,
        leased.id: State.OPEN,
        traced.id: State.OPEN,
        finished.id: State.FINISHED,
    }
    assert service.register.numbered(timed.id).closed == timed.deadline
    assert (await service.register.sweep(idle_minutes=60)).abandoned == 0


async def test_an_organizer_pages_through_everybodys_attempts(serve: Serve) -> None:
    service = serve()
    made = [(await service.start(Caller(name))).attempt for name in ("x", "y", "z")]
    first = service.register.list_attempts(limit=2)
    assert [attempt.caller for attempt in first] == ["x", "y"]
    assert [a.id for a in service.register.list_attempts(after=first[-1].id)] == [made[2].id]
    with pytest.raises(NoSuchAttemptError):
        service.register.numbered(99)


async def test_an_attempt_goes_on_where_it_was_after_a_restart(
    serve: Serve, now: list[int]
) -> None:
    service = serve("mixed", views=5, submissions=2)
    started = await service.start(ME, ["mmbench-gui/l1"])
    first = await service.lease(started.attempt, ME)
    await service.submit(started.attempt, ME, first.item.opaque, "A")
    second = await service.lease(started.attempt, ME)
    await service.viewed(started.attempt, second)
    now[0] += MINUTE
    # Another process, and an organizer who has changed the rules meanwhile.
    again = serve("mixed", seed=9, shuffle_options=False, lease_minutes=1)
    attempt = again.attempt(started.handle, ME.name)
    assert attempt.rules.views == 5
    assert (attempt.progress.answered, attempt.progress.open) == (1, 5)
    resumed = again.held(attempt, ME, second.item.opaque)
    assert resumed.question.item == second.question.item
    assert (resumed.views_left, resumed.submissions_left) == (4, 2)
    assert (await again.lease(attempt, ME)).item.place == second.item.place
    assert (await again.submit(attempt, ME, first.item.opaque, "A")).again


async def test_an_attempt_waits_for_its_own_exam(serve: Serve) -> None:
    started = await serve("short").start(ME)
    with pytest.raises(ExamError, match=r"begun on short@\w{12}, and paired@\w{12} is served"):
        serve("paired").attempt(started.handle, ME.name)
    assert serve("short").attempt(started.handle, ME.name)


async def test_a_report_is_read_whatever_is_served(serve: Serve) -> None:
    service = serve("short")
    started = await service.start(ME)
    await service.finish(started.attempt)
    assert serve("paired").attempt(started.handle, ME.name).report


async def test_calls_are_traced_and_add_up(serve: Serve, now: list[int]) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    service.trace(attempt, CallTrace("get_item", 900, 0, 50_000, 1_200, {"region": [0, 0, 9, 9]}))
    service.trace(attempt, CallTrace("submit_answer", 700, 0))
    assert service.register.cost(attempt).calls == 0
    await service.flush()
    now[0] += 2_500
    cost = service.register.cost(attempt)
    assert (cost.calls, cost.image_bytes, cost.image_tokens) == (2, 50_000, 1_200)
    assert cost.seconds == 2.5


@pytest.mark.parametrize("minutes", [None, 30])
async def test_a_clock_that_is_set_back_makes_no_time_negative(
    serve: Serve, now: list[int], minutes: float | None
) -> None:
    service = serve(minutes=minutes)
    attempt = (await service.start(ME)).attempt
    now[0] -= 60 * MINUTE
    assert service.register.cost(attempt).seconds == 0.0
    report = await service.finish(attempt)
    assert (report.state, report.cost.seconds) == (State.FINISHED, 0.0)
    assert service.register.numbered(attempt.id).closed == attempt.opened


def test_an_exam_error_is_an_input_error() -> None:
    assert issubclass(ExamError, InputError)
