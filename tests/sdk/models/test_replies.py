"""What replies that are no answers mean."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.sdk.models.replies import fault_of, retry_after, short

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@given(st.integers(0, 10**6))
def test_a_date_and_seconds_ask_for_the_same_wait(seconds: int) -> None:
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"retry-after": date}, NOW) == seconds
    assert retry_after({"retry-after": str(seconds)}, NOW) == seconds
    assert retry_after({"retry-after-ms": str(1000 * seconds)}, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Mon, 01 Jan 1990 00:00:00 GMT"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "9", "retry-after-ms": "x"}, 9.0),
    ],
)
def test_a_wait_that_can_not_be_read_is_none(headers: dict[str, str], wait: float | None) -> None:
    assert retry_after(headers, NOW) == wait


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "no such model", "type": "x"}}', "HTTP 400: no such model"),
        (b'{"error": "plain"}', "HTTP 400: plain"),
        (b'{"message": "vllm"}', "HTTP 400: vllm"),
        (b'{"detail": "fastapi"}', "HTTP 400: fastapi"),
        (b'{"detail": [{"loc": 1}]}', 'HTTP 400: \'{"detail": [{"loc": 1}]}\''),
        (b"[7]", "HTTP 400: '[7]'"),
        (b'{"error": 7}', "HTTP 400: '{\"error\": 7}'"),
        (b"Bad Gateway", "HTTP 400: 'Bad Gateway'"),
        (b"\xff", "HTTP 400: '\ufffd'"),
        (b"  ", "HTTP 400"),
    ],
)
def test_what_the_server_says_is_told(body: bytes, message: str) -> None:
    assert fault_of(400, {}, body).message == message


def test_a_long_message_is_cut() -> None:
    assert short("x" * 10_000) == f"{'x' * 300}…"
    assert short("no\n  such\tmodel ") == "no such model"


@pytest.mark.parametrize(
    ("status", "headers", "throttled"),
    [
        (429, {}, True),
        (529, {}, True),
        (503, {}, False),
        (503, {"retry-after": "1"}, True),
        (500, {"retry-after": "1"}, False),
        (400, {"retry-after": "1"}, False),
    ],
)
def test_only_pleas_for_fewer_requests_slow_everybody(
    status: int, headers: dict[str, str], throttled: bool
) -> None:
    assert fault_of(status, headers, b"").throttled is throttled


@given(st.integers(300, 599))
def test_what_is_broken_for_all_is_never_what_may_pass(status: int) -> None:
    fault = fault_of(status, {}, b"")
    assert not (fault.setup and fault.passing)
    assert fault.status == status
