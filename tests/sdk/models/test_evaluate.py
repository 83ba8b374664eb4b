"""From the question over the wire, through Inspect AI, to the report."""

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Model, model_server, said, without_leaks
from PIL import Image

from snellen import sdk
from snellen.grading.errors import DataError, InputError, UnknownNameError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("no_keys"),
    # Inspect leaves connections and streams to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

KEY = "sk-very-secret-0123456789"
ONE = sdk.Limits(concurrency=1, retries=0, first_wait=0)


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sends the developer's own key, even to itself."""
    pytest.importorskip("inspect_ai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    yield
    without_leaks()


@pytest.fixture
def model() -> Iterator[Model]:
    """A model that knows the answers: `Number 7?` is 7."""
    with model_server() as found:
        found.reply = lambda question: (200, said("stop", number_in(question)))
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """ScreenQA-short with six questions, three a screen."""
    (tmp_path / "qa" / "short_answers").mkdir(parents=True)
    rows = [
        {"image_id": place // 3, "question": f"Number {place}?", "ground_truth": [str(place)]}
        for place in range(6)
    ]
    (tmp_path / "qa" / "short_answers" / "test.json").write_text(json.dumps(rows))
    return tmp_path / "qa"


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Two screenshots of 60 x 90 pixels."""
    (tmp_path / "rico").mkdir()
    for number in range(2):
        Image.new("RGB", (60, 90), (number, 0, 0)).save(tmp_path / "rico" / f"{number}.png")
    return tmp_path / "rico"


def number_in(question: str) -> str:
    return question.rpartition("Number ")[2].rstrip("?")


def asked(server: Model, folder: Path, **options: Any) -> sdk.Report:
    """Evaluate the toy model without images, one request at a time, with no waits."""
    options = {"name": "toy", "images": False, "limits": ONE, "model": server.url} | options
    return sdk.evaluate("screenqa/short", data=folder, **options)


def failing(model: Model, numbers: str, status: int = 500) -> None:
    """Let the model answer all questions but some."""

    def reply(question: str) -> tuple[int, dict[str, Any]]:
        if number_in(question) in numbers:
            return status, {"error": {"message": f"no, not with {KEY}"}}
        return 200, said("stop", number_in(question))

    model.reply = reply


def outcomes(report: sdk.Report) -> dict[str, int]:
    return {kind.value: count for kind, count in report.input.outcomes.items() if count}


def test_every_item_is_asked_in_a_context_of_its_own_and_graded(model: Model, folder: Path) -> None:
    decoding = sdk.Decoding(top_p=0.9, seed=7, stop=("\n",), extra={"top_k": 3})
    report = asked(model, folder, decoding=decoding)
    assert report.value == 1
    assert [number_in(prompt) for prompt in model.prompts] == list("012345")
    assert all(len(one["messages"]) == 1 for one in model.asked)
    sent = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 1024, "seed": 7, "stop": ["\n"]}
    assert {name: model.asked[0][name] for name in sent} == sent
    assert (model.asked[0]["model"], model.asked[0]["top_k"]) == ("toy", 3)
    run = report.provenance.run
    assert run is not None
    assert (run.model, run.api, run.base_url) == ("toy", "openai", model.url)
    assert run.decoding == sent | {"top_k": 3}
    assert (run.usage.requests, run.usage.retries, run.usage.cached) == (6, 0, 0)
    assert (run.usage.input_tokens, run.usage.output_tokens) == (42, 6)
    assert "model:toy|prompt:snellen-screenqa-short-1+no-images" in report.signature


@pytest.mark.parametrize("usage", [{"prompt_tokens": 7, "completion_tokens": 1}, {}, "seven", None])
def test_an_answer_with_other_counts_of_tokens_is_an_answer(
    model: Model, folder: Path, usage: object
) -> None:
    model.reply = lambda question: (200, said("stop", "0") | {"usage": usage})
    report = asked(model, folder, items=["test/0/0"])
    assert report.value == 1
    assert report.provenance.run is not None
    assert report.provenance.run.usage.input_tokens == (7 if usage and usage != "seven" else 0)


def test_images_are_sent_before_the_question_they_belong_to(
    model: Model, folder: Path, screenshots: Path
) -> None:
    report = asked(model, folder, images=screenshots)
    for one, screen in zip(model.asked, (0, 0, 0, 1, 1, 1), strict=True):
        image, text = one["messages"][0]["content"]
        head, _, data = image["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == (screenshots / f"{screen}.png").read_bytes()
        assert text["type"] == "text"
    assert report.provenance.run is not None
    assert report.provenance.run.prompt == "snellen-screenqa-short-1"


def test_a_function_is_a_model_and_sees_views_of_the_stated_side(
    folder: Path, screenshots: Path, reachable: Callable[[object], list[object]]
) -> None:
    questions: list[sdk.Question] = []

    async def toy(question: sdk.Question) -> str:
        questions.append(question)
        return number_in(question.prompt) if len(questions) > 1 else "zebra\ud83d"

    report = sdk.evaluate(
        "screenqa/short", model=toy, data=folder, images=screenshots, max_view_side=30, limits=ONE
    )
    assert [score.value for score in report.scores] == [0, 1, 1, 1, 1, 1]
    assert report.scores[0].response == "zebra\ufffd"
    view = questions[0].images["screen"]
    assert (view.width, view.height) == (20, 30)
    run = report.provenance.run
    assert run is not None
    assert (run.api, run.base_url, run.decoding, run.max_view_side) == ("function", None, {}, 30)
    assert run.model.endswith("toy")
    found = reachable(questions[1])
    assert not any(type(value).__name__ in ("TaskData", "Golds") for value in found)


def test_what_a_function_raises_or_returns_but_text_is_an_error_of_its_item(folder: Path) -> None:
    async def toy(question: sdk.Question) -> Any:
        number = number_in(question.prompt)
        if number == "1":
            raise ZeroDivisionError("division by zero")
        return None if number == "2" else number

    report = sdk.evaluate("screenqa/short", model=toy, data=folder, images=False, limits=ONE)
    assert outcomes(report) == {"answered": 4, "error": 2}
    errors = [score.error for score in report.scores if score.error]
    assert "division by zero" in errors[0]
    assert "must return text, not NoneType" in errors[1]


def test_several_attempts_at_an_item_are_told_apart(model: Model, folder: Path) -> None:
    replies = iter(["0", "1", "5", "1"])
    model.reply = lambda question: (200, said("stop", next(replies)))
    report = asked(model, folder, attempts=2, items=["test/0/0", "test/0/1"])
    assert report.provenance.attempts == 2
    assert sorted((score.item_id, score.attempt) for score in report.scores) == [
        (item, attempt) for item in ("test/0/0", "test/0/1") for attempt in (0, 1)
    ]


def test_a_fault_is_an_error_and_the_same_call_asks_it_again(
    model: Model, folder: Path, tmp_path: Path
) -> None:
    failing(model, "25")
    first = asked(model, folder, run=tmp_path / "run")
    assert outcomes(first) == {"answered": 4, "error": 2}
    assert first.input.incomplete
    before = len(model.asked)
    failing(model, "")
    second = asked(model, folder, run=tmp_path / "run")
    assert second.value == 1
    assert [number_in(prompt) for prompt in model.prompts[before:]] == ["2", "5"]
    assert second.provenance.run is not None
    assert second.provenance.run.usage.requests == before + 2
    third = asked(model, folder, run=tmp_path / "run")
    assert len(model.asked) == before + 2
    assert third.signature == second.signature
    with pytest.raises(InputError, match="max_view_side was null, and is 30; give a new folder"):
        asked(model, folder, run=tmp_path / "run", max_view_side=30)


def test_a_lost_answer_is_asked_for_again_as_often_as_stated(model: Model, folder: Path) -> None:
    model.reply = lambda question: (
        (200, said("stop", number_in(question)))
        if len(model.asked) % 2 == 0
        else (500, {"error": {"message": "later"}})
    )
    limits = sdk.Limits(concurrency=1, retries=1, first_wait=0)
    report = asked(model, folder, limits=limits)
    assert report.value == 1
    assert report.provenance.run is not None
    assert (report.provenance.run.usage.requests, report.provenance.run.usage.retries) == (12, 6)


def test_too_many_items_without_an_answer_stop_it_and_what_came_is_kept(
    model: Model, folder: Path
) -> None:
    failing(model, "234")
    limits = sdk.Limits(concurrency=1, retries=0, give_up_after=2)
    with pytest.raises(sdk.EvaluationStoppedError, match="asking toy stopped") as stopped:
        asked(model, folder, limits=limits)
    assert len(model.asked) == 4
    came = [row for row in stopped.value.submissions if "error" not in row]
    assert sdk.grade(came, task="screenqa/short", data=folder).value == pytest.approx(2 / 6)


@pytest.mark.parametrize("status", [401, 404])
def test_a_broken_setup_stops_at_once_and_the_key_is_hidden(
    model: Model, folder: Path, tmp_path: Path, status: int
) -> None:
    failing(model, "012345", status)
    endpoint = sdk.Endpoint(model.url, "toy", key=KEY, headers={"x-team": "hush-hush"})
    assert KEY not in repr(endpoint)
    with pytest.raises(sdk.EvaluationStoppedError, match=rf"{status}.*no, not with \*\*\*"):
        asked(model, folder, model=endpoint, name=None, run=tmp_path / "run")
    assert len(model.asked) == 1
    assert model.headers[0]["authorization"] == f"Bearer {KEY}"
    assert model.headers[0]["x-team"] == "hush-hush"
    from inspect_ai.log import list_eval_logs, read_eval_log

    (one,) = list_eval_logs(str(tmp_path / "run"))
    log = read_eval_log(one.name, resolve_attachments=True).model_dump_json()
    assert KEY not in log
    assert "hush" not in log


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_process_loses_no_answer_that_was_written(
    model: Model, folder: Path, tmp_path: Path, how: signal.Signals
) -> None:
    hung: list[str] = []

    def reply(question: str) -> tuple[int, dict[str, Any]]:
        if number_in(question) == "3" and not hung:
            hung.append(question)
            os.kill(process.pid, how)
            process.wait()
        return 200, said("stop", number_in(question))

    model.reply = reply
    code = (
        "from snellen import sdk\n"
        f"sdk.evaluate('screenqa/short', model={model.url!r}, name='toy', data={str(folder)!r},"
        f" images=False, run={str(tmp_path / 'run')!r}, limits=sdk.Limits(concurrency=1))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    _, told = process.communicate()
    assert hung
    assert how is signal.SIGKILL or "asking toy stopped: interrupted" in told
    report = asked(model, folder, run=tmp_path / "run")
    assert report.value == 1
    assert sorted(map(number_in, model.prompts)) == list("0123345")


async def test_it_works_where_an_event_loop_runs_already(model: Model, folder: Path) -> None:
    inside = asked(model, folder)
    awaited = await sdk.evaluate_async(
        "screenqa/short", model=model.url, name="toy", data=folder, images=False, limits=ONE
    )
    assert inside.signature == awaited.signature
    assert asyncio.get_running_loop().is_running()


def test_data_that_is_loaded_already_is_taken_as_it_is(model: Model, folder: Path) -> None:
    loaded = sdk.load("screenqa/short", folder)
    ways: dict[str, Any] = {
        "model": model.url,
        "name": "toy",
        "data": loaded,
        "images": False,
        "limits": ONE,
    }
    assert sdk.evaluate(**ways).provenance.items == 6
    with pytest.raises(InputError, match=r"give split= to sdk\.load"):
        sdk.evaluate(**ways, split="test")
    with pytest.raises(InputError, match="loaded for screenqa/short, not for screenqa/long"):
        sdk.evaluate("screenqa/long", **ways)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": None}, InputError, "the model is missing"),
        ({"model": sdk.Endpoint("http://x", "a")}, InputError, "leave out name="),
        ({"model": "nobody/knows", "name": None}, InputError, "field 'model': nobody/knows"),
        ({"model": print}, InputError, "must be an async function"),
        ({"attempts": 0}, InputError, "field 'attempts'"),
        ({"max_view_side": 0}, InputError, "field 'max_view_side'"),
        ({"protocol": "officiel"}, UnknownNameError, "no protocol"),
        ({"images": None}, DataError, "give images=FOLDER, or images=False"),
        ({"images": "empty"}, DataError, r"no 0\.jpg or 0\.png"),
    ],
)
def test_arguments_that_can_not_be_used_say_so_before_anything_is_asked(
    model: Model, folder: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    if options.get("images"):
        options = {"images": folder.parent}
    with pytest.raises(error, match=message):
        asked(model, folder, **options)
    assert not model.asked


def test_settings_that_can_not_be_used_say_so() -> None:
    given: list[dict[str, Any]] = [{"temperature": -1}, {"max_tokens": 0}, {"top_p": 2}]
    for wrong in given:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            sdk.Decoding(**wrong)
    with pytest.raises(ValueError, match="'model' is set by snellen"):
        sdk.Decoding(extra={"model": "x"})
    with pytest.raises(ValueError, match="concurrency"):
        sdk.Limits(concurrency=0)
    for url in (
        "ftp://host",
        "host",
        "http://host:port/v1",
        "http://user:pw@host",
        "http://host/?key=1",
    ):
        with pytest.raises(InputError, match="field 'base_url'") as told:
            sdk.Endpoint(url, "m")
        assert "pw" not in str(told.value)
