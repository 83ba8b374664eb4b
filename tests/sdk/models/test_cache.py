"""The cache of answers: what its key depends on, and when it is used."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.models.items import AnswerFormat, AnswerKind, Item
from snellen.sdk.models.cache import Cache, cache_key, default_cache
from snellen.sdk.models.evaluate import evaluate
from snellen.sdk.models.faults import EvaluationStoppedError
from snellen.sdk.models.questions import Answer, Question
from snellen.sdk.models.settings import Decoding, Limits
from snellen.tasks.views import View

Api = Any
Benchmark = Callable[[int], Path]

BASE: dict[str, Any] = {
    "prompt": "How many?",
    "images": (b"one", b"two"),
    "api": "openai",
    "base_url": "http://host/v1",
    "model": "toy",
    "decoding": {"temperature": 0.0, "max_tokens": 8},
    "attempt": 0,
}


def answering(api: Api, answer: Callable[[Any], str]) -> None:
    """Let the server answer so."""
    api.answer = answer


def key(item_id: str = "test/0/0", **changes: Any) -> bytes:
    values = BASE | changes
    item = Item(
        id=item_id,
        task="screenqa/short",
        prompt=values["prompt"],
        answer_format=AnswerFormat(kind=AnswerKind.TEXT, example="7"),
    )
    images = {
        str(place): View(data, "image/png", 4, 4) for place, data in enumerate(values["images"])
    }
    return cache_key(
        Question(item, values["prompt"], images),
        **{name: values[name] for name in ("api", "base_url", "model", "decoding", "attempt")},
    )


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": "How many"},
        {"images": (b"one", b"twe")},
        {"images": (b"two", b"one")},
        {"images": (b"one",)},
        {"images": ()},
        {"images": (b"onetwo",)},
        {"api": "anthropic"},
        {"base_url": "http://host:8001/v1"},
        {"base_url": None},
        {"model": "toy-2"},
        {"decoding": {"temperature": 0.1, "max_tokens": 8}},
        {"decoding": {"temperature": 0.0, "max_tokens": 9}},
        {"decoding": {"temperature": 0.0}},
        {"decoding": {"temperature": 0.0, "max_tokens": 8, "seed": 1}},
        {"attempt": 1},
    ],
    ids=str,
)
def test_any_change_of_what_an_answer_depends_on_changes_the_key(change: dict[str, Any]) -> None:
    assert key(**change) != key()


def test_the_key_is_the_same_for_the_same_question() -> None:
    again = {"max_tokens": 8, "temperature": 0.0}
    assert key("test/9/9", decoding=again) == key()


@given(st.text(max_size=9), st.text(max_size=9), st.text(max_size=9), st.text(max_size=9))
def test_no_two_parts_run_into_each_other(one: str, two: str, three: str, four: str) -> None:
    same = (one, two) == (three, four)
    assert (key(prompt=one, model=two) == key(prompt=three, model=four)) is same


def test_an_answer_comes_back_as_it_went_in(tmp_path: Path) -> None:
    path = tmp_path / "a" / "answers.sqlite"
    cache = Cache(path)
    answer = Answer("7 \u0000 é", 3, 4, "length", cut=True)
    cache.put(b"k", answer)
    cache.put(b"k", Answer("later"))
    assert cache.get(b"k") == answer
    assert cache.get(b"l") is None
    cache.close()
    again = Cache(path)
    assert again.get(b"k") == answer
    again.close()


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match=r"answers\.sqlite: .*delete the file"):
        Cache(path)


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "answers.sqlite")
    base = sqlite3.connect(tmp_path / "answers.sqlite")
    with base:
        base.execute("INSERT INTO answers VALUES (?, ?)", (b"k", b"{"))
    base.close()
    with pytest.raises(InputError, match="can't be used"):
        cache.get(b"k")
    cache.close()


def test_its_place_follows_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "answers.sqlite"
    monkeypatch.delenv("SNELLEN_HOME")
    assert default_cache().parent.name == "snellen"


def asked(model: Any, folder: Path, **options: Any) -> sdk.Report:
    limits = Limits(concurrency=1, first_wait=0, retries=0)
    return evaluate(
        "screenqa/short", model=model, data=folder, images=False, limits=limits, **options
    )


def test_what_was_answered_is_not_asked_again(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, cache = benchmark(4), tmp_path / "answers.sqlite"
    first = asked(api.url, folder, name="toy", cache=cache)
    again = asked(api.url, folder, name="toy", cache=cache)
    assert len(api.requests) == 4
    assert first.provenance.run is not None
    assert again.provenance.run is not None
    assert (first.provenance.run.usage.requests, first.provenance.run.usage.cached) == (4, 0)
    assert (again.provenance.run.usage.requests, again.provenance.run.usage.cached) == (0, 4)
    assert (again.provenance.run.usage.input_tokens, again.provenance.run.usage.seconds) == (0, 0)
    assert again.value == first.value
    assert again.signature == first.signature
    asked(api.url, folder, name="toy-2", cache=cache)
    assert len(api.requests) == 8


def test_errors_are_not_cached(api: Api, benchmark: Benchmark, tmp_path: Path) -> None:
    folder, cache = benchmark(2), tmp_path / "answers.sqlite"
    api.script(api.step(500))
    assert asked(api.url, folder, name="toy", cache=cache).input.incomplete
    assert not asked(api.url, folder, name="toy", cache=cache).input.incomplete
    assert len(api.requests) == 3


def test_attempts_are_cached_apart(api: Api, benchmark: Benchmark, tmp_path: Path) -> None:
    folder, cache = benchmark(1), tmp_path / "answers.sqlite"
    replies = iter(["0", "1"])
    answering(api, lambda seen: next(replies))
    warm = Decoding(temperature=1.0)
    for _ in range(2):
        report = asked(api.url, folder, name="toy", cache=cache, attempts=2, decoding=warm)
        assert [score.response for score in report.scores] == ["0", "1"]
    assert len(api.requests) == 2


def test_a_server_of_one_s_own_is_cached_only_when_asked_for(
    api: Api, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path))
    folder = benchmark(1)
    asked(api.url, folder, name="toy")
    assert not default_cache().exists()
    asked(api.url, folder, name="toy", cache=True)
    assert default_cache().exists()


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_a_hosted_model_is_cached_at_temperature_0(
    benchmark: Benchmark,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    temperature: float,
) -> None:
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path))
    folder, decoding = benchmark(1), Decoding(temperature=temperature)
    question = sdk.load("screenqa/short", folder).item("test/0/0")
    # Nobody listens there: an answer can only come from the cache.
    nowhere = "https://127.0.0.1:9/v1"
    cache = Cache(default_cache())
    cache.put(
        cache_key(
            Question(question, question.prompt),
            api="openai",
            base_url=nowhere,
            model="toy",
            decoding=decoding.stated(),
            attempt=0,
        ),
        Answer("0"),
    )
    cache.close()
    if temperature == 0:
        assert not asked(nowhere, folder, name="toy", decoding=decoding).input.incomplete
        return
    with pytest.raises(EvaluationStoppedError, match="the connection failed"):
        asked(nowhere, folder, name="toy", decoding=decoding)


def test_a_function_is_cached_only_when_asked_for(benchmark: Benchmark, tmp_path: Path) -> None:
    folder, calls = benchmark(1), list[str]()

    async def model(question: Question) -> str:
        calls.append(question.prompt)
        return "0"

    for _ in range(2):
        asked(model, folder)
    assert len(calls) == 2
    for _ in range(2):
        asked(model, folder, cache=tmp_path / "answers.sqlite")
    assert len(calls) == 3
