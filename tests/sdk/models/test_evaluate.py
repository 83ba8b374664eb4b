"""From the question over the wire to the report."""

import asyncio
import base64
import json
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.evaluate import evaluate, evaluate_async
from snellen.sdk.models.faults import EvaluationStoppedError
from snellen.sdk.models.questions import Question
from snellen.sdk.models.settings import Decoding, Limits

Api = Any
Benchmark = Callable[[int], Path]
Screenshots = Callable[[int], Path]

ONE = Limits(concurrency=1, first_wait=0)
KEY = "sk-very-secret-0123456789"


def answering(api: Api, answer: Callable[[Any], str]) -> None:
    """Let the server answer so."""
    api.answer = answer


def ruling(api: Api, rule: Callable[[Any], Any]) -> None:
    """Let the server do with each request what the rule says; None: answer it."""
    api.rule = rule


def echo(seen: Any) -> str:
    """Answer `Number 7?` with 7."""
    return seen.question.removeprefix("Number ").rstrip("?")


def asked(api: Api, folder: Path, **options: Any) -> sdk.Report:
    """Evaluate the toy model without images, one request at a time, with no waits."""
    options = {"name": "toy", "images": False, "limits": ONE} | options
    model = options.pop("model", api.url)
    return evaluate("screenqa/short", model=model, data=folder, **options)


def errors_of(report: sdk.Report) -> list[str | None]:
    return [score.error for score in report.scores if score.error is not None]


def test_a_model_is_asked_every_item_in_a_context_of_its_own_and_graded(
    api: Api, benchmark: Benchmark
) -> None:
    answering(api, echo)
    report = asked(api, benchmark(5))
    assert report.value == 1
    assert api.questions == [f"Number {place}?" for place in range(5)]
    assert all(len(seen.body["messages"]) == 1 for seen in api.requests)
    assert api.requests[0].path == "/v1/chat/completions"
    assert api.requests[0].body["model"] == "toy"


def test_answers_do_not_depend_on_the_order_in_which_they_come(
    api: Api, benchmark: Benchmark
) -> None:
    answering(api, lambda seen: echo(seen) if int(echo(seen)) % 2 else "none")
    folder = benchmark(40)
    alone = asked(api, folder)
    together = asked(api, folder, limits=Limits(concurrency=16))
    assert [score.value for score in alone.scores] == [place % 2 for place in range(40)]
    assert [score.value for score in together.scores] == [score.value for score in alone.scores]
    assert together.signature == alone.signature


def test_as_many_requests_as_stated_are_on_their_way_at_a_time(
    api: Api, benchmark: Benchmark
) -> None:
    # Nobody is answered before eight are asking.
    meeting = threading.Barrier(8, timeout=30)
    answering(api, lambda seen: str(meeting.wait()))
    asked(api, benchmark(40), limits=Limits(concurrency=8))
    assert len(api.requests) == 40
    assert api.most_in_flight == 8


def test_one_connection_a_worker_is_kept_alive(api: Api, benchmark: Benchmark) -> None:
    asked(api, benchmark(20), limits=Limits(concurrency=4))
    assert api.connections == 4


def test_no_more_connections_than_questions_are_opened(api: Api, benchmark: Benchmark) -> None:
    asked(api, benchmark(2), limits=Limits(concurrency=64))
    assert api.connections <= 2


def test_the_run_says_how_the_model_was_asked_and_what_it_cost(
    api: Api, benchmark: Benchmark
) -> None:
    report = asked(api, benchmark(3), decoding=Decoding(top_p=0.9, seed=7, stop=("\n",)))
    run = report.provenance.run
    assert run is not None
    assert (run.model, run.api, run.base_url) == ("toy", "openai", api.url)
    assert run.prompt == "snellen-screenqa-short-1+no-images"
    sent = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 1024, "seed": 7, "stop": ["\n"]}
    assert run.decoding == sent
    assert {name: api.requests[0].body[name] for name in sent} == sent
    assert (run.usage.requests, run.usage.retries, run.usage.cached) == (3, 0, 0)
    assert (run.usage.input_tokens, run.usage.output_tokens) == (300, 15)
    assert run.usage.seconds > 0
    assert "model:toy|prompt:snellen-screenqa-short-1+no-images" in report.signature


def test_images_are_sent_with_the_question_they_belong_to(
    api: Api, benchmark: Benchmark, screenshots: Screenshots
) -> None:
    folder, images = benchmark(4), screenshots(2)
    report = asked(api, folder, images=images)
    for seen, screen in zip(api.requests, (0, 0, 0, 1), strict=True):
        image, text = seen.parts
        head, _, data = image["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == (images / f"{screen}.png").read_bytes()
        assert text["type"] == "text"
    assert report.provenance.run is not None
    assert report.provenance.run.prompt == "snellen-screenqa-short-1"


def test_a_stated_side_scales_what_is_sent_and_is_recorded(
    api: Api, benchmark: Benchmark, screenshots: Screenshots
) -> None:
    seen: list[tuple[int, int]] = []

    async def model(question: Question) -> str:
        view = question.images["screen"]
        seen.append((view.width, view.height))
        return "1"

    folder, images = benchmark(4), screenshots(2)
    report = evaluate("screenqa/short", model=model, data=folder, images=images, max_view_side=30)
    assert seen == [(20, 30)] * 4
    assert report.provenance.run is not None
    assert report.provenance.run.max_view_side == 30
    assert "|view:30|" in report.signature


def test_without_images_nothing_is_asked_unless_it_is_said_so(
    api: Api, benchmark: Benchmark
) -> None:
    with pytest.raises(DataError, match="give images=FOLDER, or images=False"):
        asked(api, benchmark(3), images=None)
    assert not api.requests


def test_a_first_image_that_is_missing_stops_everything_before_the_first_request(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match=r"no 0\.jpg or 0\.png"):
        asked(api, benchmark(3), images=empty)
    assert not api.requests


def test_a_later_image_that_is_missing_is_an_error_of_its_items_alone(
    api: Api, benchmark: Benchmark, screenshots: Screenshots
) -> None:
    answering(api, echo)
    report = asked(api, benchmark(7), images=screenshots(2))
    assert [score.value for score in report.scores] == [1, 1, 1, 1, 1, 1, 0]
    assert report.input.incomplete
    (error,) = errors_of(report)
    assert error is not None
    assert "image 'screen' of test/2/0: there is no 2.jpg or 2.png in it" in error


def test_several_attempts_at_an_item_are_told_apart(api: Api, benchmark: Benchmark) -> None:
    replies = iter(["0", "1", "5", "1"])
    answering(api, lambda seen: next(replies))
    report = asked(api, benchmark(2), attempts=2)
    assert report.provenance.attempts == 2
    scores = [(score.item_id, score.attempt, score.value) for score in report.scores]
    assert scores == [
        ("test/0/0", 0, 1.0),
        ("test/0/0", 1, 0.0),
        ("test/0/1", 0, 0.0),
        ("test/0/1", 1, 1.0),
    ]


def test_only_the_items_asked_for_are_asked(api: Api, benchmark: Benchmark) -> None:
    report = asked(api, benchmark(9), items=["test/1/0", "test/2/2"])
    assert api.questions == ["Number 3?", "Number 8?"]
    assert report.provenance.items == 2
    assert report.provenance.subset


def test_data_that_is_loaded_already_is_taken_as_it_is(api: Api, benchmark: Benchmark) -> None:
    loaded = sdk.load("screenqa/short", benchmark(2))
    report = evaluate(model=api.url, name="toy", data=loaded, images=False, limits=ONE)
    assert report.provenance.items == 2
    with pytest.raises(InputError, match=r"give split= to sdk\.load"):
        evaluate(model=api.url, name="toy", data=loaded, images=False, split="test")
    with pytest.raises(InputError, match="loaded for screenqa/short, not for screenqa/long"):
        evaluate("screenqa/long", model=api.url, name="toy", data=loaded, images=False)


def test_an_unknown_protocol_is_told_before_anything_is_asked(
    api: Api, benchmark: Benchmark
) -> None:
    with pytest.raises(UnknownNameError, match="no protocol"):
        asked(api, benchmark(2), protocol="officiel")
    assert not api.requests


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": None}, "the model is missing"),
        ({"model": Endpoint("http://x", "a")}, "leave out name="),
        ({"model": 7}, "async function, a base URL or an Endpoint"),
        ({"attempts": 0}, "field 'attempts'"),
        ({"max_view_side": 0}, "field 'max_view_side'"),
    ],
)
def test_arguments_that_can_not_be_used_say_so(
    api: Api, benchmark: Benchmark, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        asked(api, benchmark(1), **options)


def test_a_function_is_a_model(benchmark: Benchmark) -> None:
    async def toy(question: Question) -> str:
        return question.prompt.rpartition("Number ")[2].rstrip("?")

    report = evaluate("screenqa/short", model=toy, data=benchmark(4), images=False)
    assert report.value == 1
    assert report.provenance.run is not None
    assert (
        report.provenance.run.api,
        report.provenance.run.base_url,
        report.provenance.run.decoding,
    ) == ("function", None, {})
    assert report.provenance.run.model.endswith("toy")


def test_what_a_function_does_can_be_recorded(benchmark: Benchmark) -> None:
    async def toy(question: Question) -> str:
        return ""

    report = evaluate(
        "screenqa/short",
        model=toy,
        name="mine",
        decoding=Decoding(temperature=0.7, max_tokens=None),
        data=benchmark(1),
        images=False,
    )
    assert report.provenance.run is not None
    assert (report.provenance.run.model, report.provenance.run.decoding) == (
        "mine",
        {"temperature": 0.7},
    )


def test_what_a_function_raises_is_an_error_of_its_item(benchmark: Benchmark) -> None:
    calls = 0

    async def toy(question: Question) -> str:
        nonlocal calls
        calls += 1
        if "Number 1?" in question.prompt:
            raise ZeroDivisionError("division by zero")
        return "0"

    report = evaluate("screenqa/short", model=toy, data=benchmark(3), images=False, limits=ONE)
    assert errors_of(report) == ["ZeroDivisionError: division by zero"]
    assert calls == 3


def test_a_function_s_lost_connection_is_tried_again(benchmark: Benchmark) -> None:
    calls = 0

    async def toy(question: Question) -> str:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ConnectionResetError("peer")
        return "0"

    report = evaluate("screenqa/short", model=toy, data=benchmark(1), images=False, limits=ONE)
    assert report.value == 1
    assert report.provenance.run is not None
    assert report.provenance.run.usage.retries == 2


def test_a_function_that_is_no_async_function_is_refused(benchmark: Benchmark) -> None:
    def plain(question: Question) -> str:
        return "0"

    folder = benchmark(2)
    given: Any = plain
    with pytest.raises(InputError, match="plain is not"):
        evaluate("screenqa/short", model=given, data=folder, images=False)

    async def number(question: Question) -> int:
        return 7

    given = number
    with pytest.raises(InputError, match="must return text, not int"):
        evaluate("screenqa/short", model=given, data=folder, images=False)


def test_a_function_that_is_cancelled_from_within_is_an_error_of_its_item(
    benchmark: Benchmark,
) -> None:
    async def toy(question: Question) -> str:
        if "Number 1?" in question.prompt:
            raise asyncio.CancelledError
        return "0"

    report = evaluate("screenqa/short", model=toy, data=benchmark(3), images=False, limits=ONE)
    assert errors_of(report) == ["CancelledError: the function was cancelled from within"]
    assert report.provenance.items == 3


def test_after_a_good_answer_a_wrong_type_is_an_error_of_its_item(benchmark: Benchmark) -> None:
    async def toy(question: Question) -> object:
        return None if "Number 1?" in question.prompt else "0"

    given: Any = toy
    report = evaluate("screenqa/short", model=given, data=benchmark(3), images=False, limits=ONE)
    assert errors_of(report) == ["the model's function must return text, not NoneType"]


def test_half_a_surrogate_pair_of_a_function_is_fixed(benchmark: Benchmark, tmp_path: Path) -> None:
    async def toy(question: Question) -> str:
        if "Number 1?" in question.prompt:
            raise ValueError("b\ud83d")
        return "a\ud83d"

    report = evaluate(
        "screenqa/short",
        model=toy,
        data=benchmark(2),
        images=False,
        limits=ONE,
        run=tmp_path / "run",
    )
    assert [score.response for score in report.scores] == ["a\ufffd", None]
    assert errors_of(report) == ["ValueError: b\ufffd"]


def test_whatever_breaks_the_answers_that_came_are_not_lost(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    cache = tmp_path / "answers.sqlite"

    def answer(seen: Any) -> str:
        if echo(seen) == "2":
            with closing(sqlite3.connect(cache, isolation_level=None)) as base:
                base.execute("DROP TABLE answers")
        return "0"

    answering(api, answer)
    with pytest.raises(EvaluationStoppedError, match="cache of answers can't be used") as stopped:
        asked(api, benchmark(5), cache=cache)
    assert len(stopped.value.submissions) == 3


def test_no_reference_can_be_reached_from_a_question(
    benchmark: Benchmark,
    screenshots: Screenshots,
    reachable: Callable[[object], list[object]],
) -> None:
    questions: list[Question] = []

    async def model(question: Question) -> str:
        questions.append(question)
        return ""

    folder = benchmark(2)
    path = folder / "short_answers" / "test.json"
    path.write_text(path.read_text().replace('["0"]', '["zebra"]'), encoding="utf-8")
    evaluate("screenqa/short", model=model, data=folder, images=screenshots(1), limits=ONE)
    found = reachable(questions[0])
    assert any(isinstance(value, str) and "Number 0?" in value for value in found)
    assert not any(isinstance(value, str) and "zebra" in value for value in found)
    assert not any(type(value).__name__ in ("TaskData", "Golds") for value in found)


async def test_it_works_where_an_event_loop_runs_already(api: Api, benchmark: Benchmark) -> None:
    folder = benchmark(3)
    inside = asked(api, folder)
    awaited = await evaluate_async(
        "screenqa/short", model=api.url, name="toy", data=folder, images=False, limits=ONE
    )
    assert inside.signature == awaited.signature
    assert [score.value for score in inside.scores] == [score.value for score in awaited.scores]


async def test_cancelling_it_keeps_what_came(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    arrived = asyncio.Event()

    async def model(question: Question) -> str:
        if "Number 2?" in question.prompt:
            arrived.set()
            await asyncio.Event().wait()
        return "0"

    folder, run = benchmark(5), tmp_path / "run"
    task = asyncio.create_task(
        evaluate_async(
            "screenqa/short", model=model, data=folder, images=False, limits=ONE, run=run
        )
    )
    await arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["item_id"] for line in lines] == ["test/0/0", "test/0/1"]


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "often ends in /v1"),
    ],
)
def test_a_broken_setup_stops_at_once(
    api: Api, benchmark: Benchmark, status: int, advice: str
) -> None:
    ruling(api, lambda seen: api.step(status, body={"error": {"message": "no way"}}))
    with pytest.raises(EvaluationStoppedError, match=f"HTTP {status}: no way.*{advice}") as stopped:
        asked(api, benchmark(30), limits=Limits(concurrency=4, first_wait=0))
    assert len(api.requests) <= 4
    assert stopped.value.submissions == []


def test_a_refused_connection_stops_after_the_first_item_s_retries(
    benchmark: Benchmark,
) -> None:
    limits = Limits(concurrency=2, retries=1, first_wait=0, connect_timeout=5)
    with pytest.raises(EvaluationStoppedError, match="stopped: the connection failed") as stopped:
        evaluate(
            "screenqa/short",
            model="http://127.0.0.1:9/v1",
            name="toy",
            data=benchmark(30),
            images=False,
            limits=limits,
        )
    assert stopped.value.submissions == []


@pytest.mark.parametrize(
    ("proxy", "message"),
    [
        ("socks5://localhost:1", r"SOCKS proxy: pip install 'httpx2\[socks\]'"),
        ("ftp://user:pw@host", "see HTTPS_PROXY, HTTP_PROXY, ALL_PROXY"),
    ],
)
def test_a_proxy_that_can_not_be_used_is_told_before_anything_is_asked(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, proxy: str, message: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(InputError, match=message) as told:
        evaluate("screenqa/short", model="http://h/v1", name="toy", data=benchmark(1), images=False)
    assert "pw" not in str(told.value)


def test_a_server_that_goes_away_in_the_middle_stops_the_run_and_keeps_what_came(
    api: Api, benchmark: Benchmark
) -> None:
    ruling(api, lambda seen: api.step(500) if int(echo(seen)) >= 4 else None)
    limits = Limits(concurrency=1, retries=0, first_wait=0, give_up_after=3)
    folder = benchmark(30)
    with pytest.raises(EvaluationStoppedError, match="`submissions`") as stopped:
        asked(api, folder, limits=limits)
    came = stopped.value.submissions
    assert [("error" in each) for each in came] == [False] * 4 + [True] * 3
    assert len(api.requests) == 7


def test_the_key_is_sent_and_is_nowhere_else(
    api: Api, benchmark: Benchmark, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint = Endpoint(api.url, "toy", key=KEY, headers={"x-team": "hush-hush"})
    assert KEY not in repr(endpoint)
    assert "hush" not in repr(endpoint)
    ruling(
        api,
        lambda seen: (
            api.step(400, body={"error": {"message": f"bad key {KEY} of hush-hush"}})
            if len(api.requests) == 2
            else None
        ),
    )
    report = asked(api, benchmark(3), model=endpoint, name=None, run=tmp_path / "run")
    assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert api.requests[0].headers["x-team"] == "hush-hush"
    assert errors_of(report) == ["HTTP 400: bad key *** of ***"]
    report.save(tmp_path / "report.json")
    for path in (tmp_path / "run").iterdir():
        assert KEY.encode() not in path.read_bytes()
    for text in ((tmp_path / "report.json").read_text(encoding="utf-8"), caplog.text):
        assert KEY not in text
        assert "hush" not in text


LONG_KEY = 'eyJ+/"secret' + "Abc/0123456789" * 60


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"error": {"message": f"{'x' * 290}Bearer {LONG_KEY}"}}),
        json.dumps({"detail": [{"msg": f"{'x' * 250}{LONG_KEY}"}]}),
        json.dumps({"detail": [{"msg": LONG_KEY}]}).replace("/", "\\/"),
        f"{'x' * 250}{LONG_KEY[:200]}",
        f"<p>{quote(LONG_KEY, safe='')}</p>",
    ],
)
def test_a_long_key_that_the_server_shows_is_hidden_wherever_it_is_cut(
    api: Api, benchmark: Benchmark, tmp_path: Path, said: str
) -> None:
    refusal = api.step(400, body=said.encode())
    ruling(api, lambda seen: None if len(api.requests) == 1 else refusal)
    endpoint = Endpoint(api.url, "toy", key=LONG_KEY)
    run = tmp_path / "run"
    (error,) = errors_of(asked(api, benchmark(2), model=endpoint, name=None, run=run))
    assert error is not None
    for text in (error, (run / "answers.jsonl").read_text(encoding="utf-8")):
        assert not any(part in text for part in ("eyJ", "secret", "Abc"))


def test_the_key_of_the_environment_is_sent(
    api: Api, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    asked(api, benchmark(1))
    assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(api: Api, benchmark: Benchmark) -> None:
    asked(api, benchmark(1))
    assert "authorization" not in api.requests[0].headers


def test_progress_goes_to_standard_error(
    api: Api, benchmark: Benchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(api, benchmark(3), progress=True)
    shown = capsys.readouterr()
    assert "asking" in shown.err
    assert not shown.out
