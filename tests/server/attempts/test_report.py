"""Finishing: a report whose numbers are `sdk.grade`'s, an export that it grades equally."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.protocols.table import protocol_of
from snellen.server.attempts.models import Caller, CallTrace
from snellen.server.attempts.report import ExamReport
from snellen.server.attempts.service import Service
from snellen.server.errors import ExamError
from snellen.server.exam.rules import Mode, Rules
from snellen.server.exam.spec import Exam
from snellen.server.store.schema import open_store
from snellen.server.store.tables.exams import Attempt
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import open_pack, open_references, task_data

pytestmark = pytest.mark.compat

ME = Caller()
Serve = Callable[..., Service]


async def take(
    service: Service, golds: Mapping[str, Any], right: int, tasks: list[str] | None = None
) -> Attempt:
    """Answer all items but one, the first of them rightly, in the order of their ids."""
    attempt = (await service.start(ME, tasks, model="some|model")).attempt
    for number, place in enumerate(
        sorted(service.exam.items(attempt.tasks, attempt.secret), key=lambda p: (p.task, p.item))
    ):
        if number == 2:
            continue
        leased = await service.lease(attempt, ME, place.opaque)
        gold = golds[place.item]
        shuffled = leased.question.shuffled
        if place.task == "mmbench-gui/l1" and shuffled is not None:
            gold = "ABCD"[shuffled.order.index("ABCD".index(gold))]
        if not isinstance(gold, str):
            gold = "(0.3, 0.15)"
        wrong = {"mmbench-gui/l1": "A"}.get(place.task, "something else")
        await service.submit(attempt, ME, place.opaque, gold if number < right else wrong)
    return attempt


async def test_the_report_equals_grading_the_exported_answers(
    serve: Serve, golds: Mapping[str, Any], packs: Path, tmp_path: Path
) -> None:
    service = serve("mixed", seed=3)
    attempt = await take(service, golds, right=13)
    report = await service.finish(attempt)
    pack = open_pack(packs / "mixed")
    references = open_references(pack)
    assert [task.task for task in report.tasks] == list(service.exam.offers)
    for told, exported in zip(
        report.tasks, service.export(service.register.numbered(attempt.id)), strict=True
    ):
        file = tmp_path / "answers.jsonl"
        file.write_text(exported.lines(), encoding="utf-8")
        alone = sdk.grade(
            file,
            data=task_data(pack, references, exported.task),
            protocol=exported.protocol,
            items=exported.items,
        )
        assert not alone.input.problems
        assert told.value == alone.value
        assert told.metrics == {key: metric.value for key, metric in alone.metrics.items()}
        assert told.interval == alone.numbers.estimates[alone.numbers.primary].interval
        assert told.outcomes == {key: n for key, n in alone.input.outcomes.items() if n}
        assert told.signature.startswith(alone.signature + "|exam:mixed@")
    values = {task.task: task.value for task in report.tasks}
    assert values["mmbench-gui/l2_basic"] == 1
    assert 0 < (values["screenqa/short"] or 0) < 1
    values = [task.value for task in report.tasks if task.value is not None]
    assert report.value == pytest.approx(sum(values) / len(report.tasks))
    assert sum(task.answered for task in report.tasks) == 16


async def test_the_signature_says_how_the_exam_was_taken(serve: Serve) -> None:
    service = serve(
        seed=5, contexts="fresh", submissions=2, counting="first", max_view_side=1000, views=3
    )
    attempt = (await service.start(ME, model="a|b")).attempt
    report = await service.finish(attempt)
    assert report.tasks[0].signature.partition("|exam:")[2] == (
        f"{service.exam.id}|mode:exam|contexts:fresh|clients:0|view:1000|seed:5|counting:first of 2"
        "|options:shuffled|views:3|model:a/b"
    )
    assert (report.exam, report.model) == (service.exam.id, "a|b")


async def test_one_task_gives_the_overall_value(serve: Serve, golds: Mapping[str, Any]) -> None:
    service = serve()
    report = await service.finish(await take(service, golds, right=4))
    assert report.value == report.tasks[0].value
    assert report.tasks[0].value is not None
    assert 3 / 8 <= report.tasks[0].value < 5 / 8


async def test_an_attempt_without_any_answer_is_all_missing(serve: Serve) -> None:
    service = serve()
    report = await service.finish((await service.start(ME)).attempt)
    (task,) = report.tasks
    assert (task.value, task.answered, task.items) == (0, 0, 8)
    assert {outcome.value: n for outcome, n in task.outcomes.items()} == {"missing": 8}


async def test_finishing_again_returns_the_same_report(
    serve: Serve, golds: Mapping[str, Any], now: list[int]
) -> None:
    service = serve()
    started = await service.start(ME)
    first, second = await asyncio.gather(
        service.finish(started.attempt), service.finish(started.attempt)
    )
    now[0] += 100_000
    assert first == second == await service.finish(started.attempt)
    stored = serve().attempt(started.handle, ME.name).report
    assert stored is not None
    assert ExamReport.model_validate_json(stored) == first


async def test_the_report_holds_what_it_cost(serve: Serve, now: list[int]) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    service.trace(attempt, CallTrace("get_item", 900, 0, 5_000, 70))
    now[0] += 1_500
    cost = (await service.finish(attempt)).cost
    assert (cost.calls, cost.image_bytes, cost.image_tokens, cost.seconds) == (1, 5_000, 70, 1.5)


@pytest.mark.parametrize(("counting", "value"), [("first", 0.0), ("last", 0.0), ("best", 1.0)])
async def test_of_several_answers_one_counts(
    serve: Serve, golds: Mapping[str, Any], counting: str, value: float
) -> None:
    service = serve(submissions=3, counting=counting, sample=2)
    attempt = (await service.start(ME)).attempt
    for _ in range(2):
        leased = await service.lease(attempt, ME)
        for answer in ("wrong", golds[leased.item.item], "worse"):
            await service.submit(attempt, ME, leased.item.opaque, answer)
    report = await service.finish(attempt)
    assert report.value == value
    lines = service.export(service.register.numbered(attempt.id))[0].lines().splitlines()
    number = {"first": 1, "last": 3, "best": 2}[counting]
    assert [json.loads(line)["meta"]["number"] for line in lines] == [number] * 2


async def test_of_equal_answers_the_earliest_is_the_best(serve: Serve) -> None:
    service = serve(submissions=3, counting="best", sample=2)
    attempt = (await service.start(ME)).attempt
    leased = await service.lease(attempt, ME)
    for answer in ("wrong", "worse", "nonsense"):
        await service.submit(attempt, ME, leased.item.opaque, answer)
    lines = service.export(await service.close(attempt))[0].lines().splitlines()
    assert sorted(json.loads(line)["response"] or "" for line in lines) == ["", "wrong"]


async def test_a_sample_is_graded_alone(serve: Serve) -> None:
    service = serve(sample=3, seed=1)
    started = await service.start(ME)
    assert started.count == 3
    report = await service.finish(started.attempt)
    assert (report.tasks[0].items, "|n:3|" in report.tasks[0].signature) == (3, True)


async def test_practice_says_at_once_what_an_answer_is_worth(
    serve: Serve, golds: Mapping[str, Any]
) -> None:
    service = serve(mode="practice")
    attempt = (await service.start(ME)).attempt
    leased = await service.lease(attempt, ME)
    right = await service.submit(attempt, ME, leased.item.opaque, golds[leased.item.item])
    assert await service.score(attempt, right) == {
        "metric": "f1",
        "value": 1.0,
        "outcome": "answered",
    }
    leased = await service.lease(attempt, ME)
    wrong = await service.submit(attempt, ME, leased.item.opaque, "I can't help with that.")
    assert await service.score(attempt, wrong) == {
        "metric": "f1",
        "value": 0.0,
        "outcome": "refused",
    }
    report = await service.finish(attempt)
    assert report.mode is Mode.PRACTICE
    assert "|mode:practice|" in report.tasks[0].signature


async def test_practice_scores_as_the_report_does(serve: Serve, golds: Mapping[str, Any]) -> None:
    service = serve("mixed", mode="practice", rewrites=0)
    attempt = (await service.start(ME)).attempt
    values: dict[str, list[float]] = {task: [] for task in attempt.tasks}
    for _ in range(17):
        leased = await service.lease(attempt, ME)
        receipt = await service.submit(attempt, ME, leased.item.opaque, "B")
        values[leased.item.task].append((await service.score(attempt, receipt))["value"])
    for task in (await service.finish(attempt)).tasks:
        assert task.value == pytest.approx(sum(values[task.task]) / task.items)


async def test_an_exam_says_nothing_of_an_answers_worth(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    leased = await service.lease(attempt, ME)
    receipt = await service.submit(attempt, ME, leased.item.opaque, "12")
    with pytest.raises(ExamError, match="only practice says"):
        await service.score(attempt, receipt)


async def test_a_deferred_exam_records_and_grades_nothing(
    serve: Serve, golds: Mapping[str, Any], packs: Path
) -> None:
    deferred = serve("mixed", mode="deferred", seed=3)
    attempt = await take(deferred, golds, right=13)
    report = await deferred.finish(attempt)
    assert [(task.value, task.metric, task.outcomes) for task in report.tasks] == [
        (None, None, {})
    ] * 3
    assert sum(task.answered for task in report.tasks) == 16
    with pytest.raises(ExamError, match="answers are graded elsewhere"):
        deferred.grade(deferred.register.numbered(attempt.id))
    here = serve("mixed", seed=3)
    told = await here.finish(await take(here, golds, right=13))
    pack = open_pack(packs / "mixed")
    references = open_references(pack)
    exported = deferred.export(deferred.register.numbered(attempt.id))
    for task, part in zip(told.tasks, exported, strict=True):
        lines = [json.loads(line) for line in part.lines().splitlines()]
        data = task_data(pack, references, part.task)
        assert sdk.grade(lines, data=data, items=part.items).value == task.value


async def test_an_open_attempt_is_not_exported(serve: Serve) -> None:
    service = serve()
    attempt = (await service.start(ME)).attempt
    with pytest.raises(ExamError, match="the attempt is open"):
        service.export(attempt)


async def test_a_report_that_fails_can_be_asked_for_again(packs: Path, store: Path) -> None:
    broken = [True]

    class Broken(Exam):
        def data(self, task: str) -> TaskData:
            if broken[0]:
                raise InputError("it can't be read", file="no such file.jsonl")
            return super().data(task)

    pack = open_pack(packs / "short")
    database = open_store(store)
    service = Service(Broken([pack], Rules(), {"short": open_references(pack)}), database)
    attempt = (await service.start(ME)).attempt
    with pytest.raises(ExamError, match="closed and its answers are kept") as caught:
        await service.finish(attempt)
    assert "no such file" not in str(caught.value)
    broken[0] = False
    assert (await service.finish(attempt)).value == 0
    database.close()


async def test_of_many_attempts_that_finish_at_once_two_are_graded_at_a_time(
    packs: Path, store: Path
) -> None:
    pack = open_pack(packs / "short")
    pair, counting, running, most = threading.Barrier(2, timeout=60), threading.Lock(), 0, 0
    prepared = threading.Event()

    class Paired(Exam):
        def data(self, task: str) -> TaskData:
            nonlocal running, most
            if not prepared.is_set():
                return super().data(task)
            with counting:
                running += 1
                most = max(most, running)
            # It goes on when another one has come as far.
            pair.wait()
            with counting:
                running -= 1
            return super().data(task)

    database = open_store(store)
    exam = Paired([pack], Rules(sample=2), {pack.name: open_references(pack)})
    service = Service(exam, database)
    await service.finish((await service.start(ME)).attempt)
    prepared.set()
    attempts = [(await service.start(ME)).attempt for _ in range(8)]
    reports = await asyncio.gather(*(service.finish(attempt) for attempt in attempts))
    assert [report.value for report in reports] == [0.0] * 8
    assert most == 2
    database.close()


def test_what_grades_is_prepared_once_for_all_attempts(packs: Path) -> None:
    pack = open_pack(packs / "mixed")
    data = task_data(pack, open_references(pack), "screenqa/short")
    protocol = protocol_of("screenqa/short")
    assert data.grader(protocol) is data.grader(protocol)
    assert data.grader(protocol) is not data.grader(protocol_of("screenqa/short", "robust"))
    some = data.ids[2:5]
    submissions = [{"item_id": item, "response": "it is 3"} for item in some]
    once = sdk.grade(submissions, data=data, items=some)
    again = sdk.grade(submissions, data=data, items=some)
    fresh = task_data(pack, open_references(pack), "screenqa/short")
    assert once.value == again.value == sdk.grade(submissions, data=fresh, items=some).value > 0
