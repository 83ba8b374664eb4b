"""Where a model is asked."""

from typing import Any

import pytest

from snellen.grading.errors import InputError, UnknownNameError
from snellen.sdk.models.endpoints import Endpoint


@pytest.mark.parametrize(
    ("url", "api", "base"),
    [
        ("http://localhost:8000/v1/", "openai", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/chat/completions", "openai", "http://localhost:8000/v1"),
        ("https://api.anthropic.com", "anthropic", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1", "anthropic", "https://api.anthropic.com"),
        ("https://api.anthropic.com/v1/messages", "anthropic", "https://api.anthropic.com"),
    ],
)
def test_the_base_url_is_taken_however_much_of_the_path_is_given(
    url: str, api: Any, base: str
) -> None:
    assert Endpoint(url, "toy", api).base_url == base


@pytest.mark.parametrize(
    "url",
    [
        "http://user:hidden@host/v1",
        "http://host/v1?key=hidden",
        "http://host/v1#hidden",
    ],
)
def test_a_url_that_may_hold_a_key_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(InputError, match="put a key into key= or headers=") as refused:
        Endpoint(url, "toy")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host/v1", "http://", "http://x:y/"])
def test_what_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="base_url"):
        Endpoint(url, "toy")


def test_a_key_that_can_not_be_sent_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputError, match="field 'key'") as refused:
        Endpoint("http://host/v1", "toy", key="hidden\n")
    assert "hidden" not in str(refused.value)
    with pytest.raises(InputError, match="header 'x-team'") as refused:
        Endpoint("http://host/v1", "toy", headers={"x-team": "hidden é"})
    assert "hidden" not in str(refused.value)
    monkeypatch.setenv("OPENAI_API_KEY", "hid\nden")
    with pytest.raises(InputError, match="OPENAI_API_KEY") as refused:
        Endpoint("http://host/v1", "toy").secret()
    assert "hid\nden" not in str(refused.value)


def test_each_api_has_its_own_variable_for_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "one")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "two")
    assert Endpoint("http://host", "toy").secret() == "one"
    assert Endpoint("http://host", "toy", "anthropic").secret() == "two"
    assert Endpoint("http://host", "toy", key="three").secret() == "three"


def test_an_endpoint_without_a_name_or_with_a_strange_api_is_refused() -> None:
    api: Any = "gemini"
    with pytest.raises(InputError, match="the model is missing"):
        Endpoint("http://host", "")
    with pytest.raises(UnknownNameError, match="no API 'gemini'"):
        Endpoint("http://host", "toy", api)
    with pytest.raises(InputError, match="field 'detail'"):
        Endpoint("http://host", "toy", "anthropic", detail="high")
