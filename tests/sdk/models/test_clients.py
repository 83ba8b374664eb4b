"""Faults on the wire: what is asked again, what is kept as an error, what is an answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.evaluate import evaluate
from snellen.sdk.models.faults import EvaluationStoppedError
from snellen.sdk.models.settings import Limits

Api = Any
Benchmark = Callable[[int], Path]

APIS = pytest.mark.parametrize("kind", ["openai", "anthropic"])
OPENAI_REPLY = b'{"choices":[{"message":{"content":"1"}}]}'


def answering(api: Api, answer: Callable[[Any], str]) -> None:
    """Let the server answer so."""
    api.answer = answer


def ruling(api: Api, rule: Callable[[Any], Any]) -> None:
    """Let the server do with each request what the rule says; None: answer it."""
    api.rule = rule


def asked(api: Api, folder: Path, kind: str = "openai", **limits: Any) -> sdk.Report:
    """Ask one question after the other, with no waits."""
    where: Any = {"openai": ("openai", api.url), "anthropic": ("anthropic", api.root)}[kind]
    name, base_url = where
    settings = {"concurrency": 1, "first_wait": 0, "retries": 2, **limits}
    return evaluate(
        "screenqa/short",
        model=Endpoint(base_url, "toy", api=name),
        data=folder,
        images=False,
        limits=Limits(**settings),
    )


def error_of(report: sdk.Report) -> str:
    (error,) = [score.error for score in report.scores if score.error is not None]
    assert error is not None
    return error


def retries_of(report: sdk.Report) -> int:
    assert report.provenance.run is not None
    return report.provenance.run.usage.retries


@pytest.mark.slow
@APIS
@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_fault_that_may_pass_is_asked_again(
    api: Api, benchmark: Benchmark, kind: str, status: int
) -> None:
    answering(api, lambda seen: "0")
    api.script(api.step(status, headers={"retry-after": "0"}))
    report = asked(api, benchmark(1), kind)
    assert report.value == 1
    assert retries_of(report) == 1
    assert api.questions == ["Number 0?"] * 2


@pytest.mark.slow
@APIS
@pytest.mark.parametrize("status", [400, 413, 422, 501])
def test_a_fault_that_will_not_pass_is_an_error_at_once(
    api: Api, benchmark: Benchmark, kind: str, status: int
) -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": "too large"}}
    api.script(api.step(status, body=body))
    report = asked(api, benchmark(2), kind)
    assert error_of(report) == f"HTTP {status}: too large"
    assert api.questions == ["Number 0?", "Number 1?"]
    assert report.input.incomplete


@APIS
def test_after_the_last_retry_the_fault_is_kept_as_an_error_and_never_as_an_answer(
    api: Api, benchmark: Benchmark, kind: str
) -> None:
    api.script(*[api.step(500, body=b"")] * 3)
    report = asked(api, benchmark(2), kind)
    assert error_of(report) == "HTTP 500"
    first = next(iter(report.scores))
    assert (first.outcome, first.response, first.value) == ("error", None, 0)
    assert api.questions == ["Number 0?"] * 3 + ["Number 1?"]


@APIS
@pytest.mark.parametrize("drop", ["at once", "mid body"])
def test_a_dropped_connection_is_opened_and_asked_again(
    api: Api, benchmark: Benchmark, kind: str, drop: str
) -> None:
    answering(api, lambda seen: "0")
    api.script(api.step(drop=drop), api.step(drop=drop))
    report = asked(api, benchmark(1), kind)
    assert report.value == 1
    assert api.connections == 3


def test_a_connection_that_is_always_dropped_is_an_error_that_says_so(
    api: Api, benchmark: Benchmark
) -> None:
    api.script(*[api.step(drop="mid body")] * 3)
    assert "the connection failed: peer closed connection" in error_of(asked(api, benchmark(2)))


def test_an_answer_that_takes_too_long_is_asked_for_again(api: Api, benchmark: Benchmark) -> None:
    answering(api, lambda seen: "0")
    api.script(api.step(hang=0.5))
    report = asked(api, benchmark(1), timeout=0.1)
    assert report.value == 1
    assert retries_of(report) == 1


def test_an_answer_that_always_takes_too_long_is_an_error(api: Api, benchmark: Benchmark) -> None:
    api.script(api.step(hang=0.5))
    report = asked(api, benchmark(2), timeout=0.1, retries=0)
    assert error_of(report) == "no answer within 0.1 s"


@pytest.mark.slow
@APIS
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>oops</html>", "the reply is not JSON; it begins '<html>oops</html>'"),
        (b"", "the reply is not JSON; it begins ''"),
        (b'{"choices": [{"mess', "the reply is not JSON"),
        (b"[1, 2]", "the reply is not of the API's form: Expected `object`, got `array`"),
        (b'{"choices": [], "content": null}', "the reply has no c"),
        (b"{}", "the reply has no c"),
        (
            b'{"choices": [{}], "content": [{}]}',
            "not of the API's form: ",
        ),
        (b'{"error": {"message": "upstream died", "code": 502}}', "HTTP 502: upstream died"),
    ],
)
def test_a_malformed_reply_is_asked_again_and_then_an_error_that_says_so(
    api: Api, benchmark: Benchmark, kind: str, body: bytes, message: str
) -> None:
    api.script(*[api.step(body=body)] * 3)
    report = asked(api, benchmark(2), kind)
    assert message in error_of(report)
    assert len(api.requests) == 4


def test_a_fault_of_the_server_behind_a_gateway_counts_by_its_own_status(
    api: Api, benchmark: Benchmark
) -> None:
    body = {"error": {"message": "no such thing", "code": 400}}
    api.script(api.step(body=body))
    assert error_of(asked(api, benchmark(2))) == "HTTP 400: no such thing"
    assert len(api.requests) == 2


def test_a_wrong_content_type_does_no_harm_to_a_good_reply(api: Api, benchmark: Benchmark) -> None:
    answering(api, lambda seen: "0")
    api.script(api.step(headers={"content-type": "text/plain"}))
    assert asked(api, benchmark(1)).value == 1


def test_a_web_page_in_the_api_s_place_stops_the_run(api: Api, benchmark: Benchmark) -> None:
    page = api.step(headers={"content-type": "text/html; charset=utf-8"}, body=b"<html>")
    ruling(api, lambda seen: page)
    with pytest.raises(EvaluationStoppedError, match="is a web page, not an API"):
        asked(api, benchmark(9))
    assert len(api.requests) == 1


def test_a_redirection_is_not_followed_with_the_key_but_told(
    api: Api, benchmark: Benchmark
) -> None:
    there = api.step(307, headers={"location": "https://elsewhere/v1?key=hidden"})
    ruling(api, lambda seen: there)
    with pytest.raises(
        EvaluationStoppedError, match=r"points to https://elsewhere/v1; give"
    ) as told:
        asked(api, benchmark(9))
    assert "hidden" not in str(told.value)
    assert len(api.requests) == 1


def test_a_wrong_key_after_good_answers_is_kept_until_a_row_of_them_stops_the_run(
    api: Api, benchmark: Benchmark
) -> None:
    ruling(api, lambda seen: api.step(401) if len(api.requests) > 2 else None)
    with pytest.raises(EvaluationStoppedError, match="4 items in a row") as stopped:
        asked(api, benchmark(20), give_up_after=4)
    assert len(api.requests) == 6
    assert len(stopped.value.submissions) == 6


def test_money_that_is_spent_is_not_waited_for(api: Api, benchmark: Benchmark) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    ruling(api, lambda seen: api.step(429, body=body))
    with pytest.raises(EvaluationStoppedError, match="HTTP 429: You exceeded your quota"):
        asked(api, benchmark(9))
    assert len(api.requests) == 1


def test_a_server_that_asks_for_more_patience_than_there_is_is_not_waited_for(
    api: Api, benchmark: Benchmark
) -> None:
    far = api.step(429, headers={"retry-after": "86400"})
    ruling(api, lambda seen: far if len(api.requests) > 2 else None)
    with pytest.raises(EvaluationStoppedError) as stopped:
        asked(api, benchmark(9), longest_wait=30)
    assert "asks to wait 86400 s, longest_wait is 30 s" in str(stopped.value)
    assert "the same call goes on there" in str(stopped.value)
    assert len(stopped.value.submissions) == 2
    assert len(api.requests) == 3


def test_one_far_plea_does_not_hold_the_others(api: Api, benchmark: Benchmark) -> None:
    ruling(api, lambda seen: api.step(429, headers={"retry-after": "86400"}))
    with pytest.raises(EvaluationStoppedError, match="asks to wait 86400 s"):
        asked(api, benchmark(30), concurrency=4, longest_wait=30)
    assert len(api.requests) <= 4


def test_a_run_without_any_answer_stops_however_few_the_items(
    api: Api, benchmark: Benchmark
) -> None:
    ruling(api, lambda seen: api.step(400, body={"error": {"message": "no vision"}}))
    with pytest.raises(EvaluationStoppedError, match=r"3 items in a row.*HTTP 400: no vision"):
        asked(api, benchmark(3))


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_what_a_filter_refuses_is_a_refused_answer(
    api: Api, benchmark: Benchmark, code: str
) -> None:
    body = {"error": {"code": code, "message": "filtered", "status": 400}}
    api.script(
        api.step(400, body=body), api.step(message={"content": None}, finish="content_filter")
    )
    report = asked(api, benchmark(2))
    assert not report.input.incomplete
    assert [(score.outcome, score.value) for score in report.scores] == [("refused", 0)] * 2


def test_a_charset_that_is_named_is_heeded(api: Api, benchmark: Benchmark) -> None:
    text = '{"choices":[{"message":{"content":"caf\u00e9"},"finish_reason":"stop"}]}'
    latin = {"content-type": "application/json; charset=iso-8859-1"}
    api.script(
        api.step(body=text.encode("latin-1"), headers=latin),
        api.step(body=text.encode(), headers=latin),
        api.step(201, body=text.encode()),
    )
    report = asked(api, benchmark(3))
    assert [score.response for score in report.scores] == ["caf\u00e9"] * 3


def test_bytes_that_are_no_text_are_replaced_and_the_answer_says_so(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    api.script(api.step(body=b'{"choices":[{"message":{"content":"caf\xe9"}}]}'))
    asked_into(api, benchmark(2), tmp_path / "run")
    first, second = (tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(first)["response"] == "caf\ufffd"
    assert json.loads(first)["meta"]["fixed"] is True
    assert "fixed" not in json.loads(second)["meta"]


def asked_into(api: Api, folder: Path, run: Path) -> None:
    evaluate(
        "screenqa/short",
        model=Endpoint(api.url, "toy"),
        data=folder,
        images=False,
        run=run,
        limits=Limits(concurrency=1),
    )


@APIS
def test_what_the_model_says_is_an_answer_however_it_ends(
    api: Api, benchmark: Benchmark, kind: str, tmp_path: Path
) -> None:
    cut = {"openai": "length", "anthropic": "max_tokens"}[kind]
    refusal = {"openai": "content_filter", "anthropic": "refusal"}[kind]
    answering(api, lambda seen: "I can't help with that.")
    api.script(api.step(finish=cut), api.step(finish=refusal))
    report = asked(api, benchmark(2), kind)
    assert not report.input.incomplete
    assert [score.response for score in report.scores] == ["I can't help with that."] * 2


@pytest.mark.slow
def test_one_plea_for_fewer_requests_slows_everybody(api: Api, benchmark: Benchmark) -> None:
    api.script(*[api.step(429, headers={"retry-after-ms": "5"})] * 8)
    report = asked(api, benchmark(40), concurrency=8, retries=6)
    assert not report.input.incomplete
    # All eight were refused once; then one goes, then two, not eight again.
    assert len(api.requests) == 48
    assert retries_of(report) == 8
