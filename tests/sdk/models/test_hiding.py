"""Hiding keys in what a server says."""

import html
import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from snellen.sdk.models.endpoints import Secrets

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60)


@given(KEYS, st.text("äöü \n", max_size=20), st.text("äöü \n", max_size=20))
def test_a_key_is_hidden_however_it_is_written(key: str, before: str, after: str) -> None:
    secrets = Secrets([key])
    plain = json.dumps(key)[1:-1]
    unicode = "".join(f"\\u{ord(character):04X}" for character in key)
    forms = [
        key,
        plain,
        repr(plain)[1:-1],
        unicode,
        quote(key, safe=""),
        html.escape(key, quote=False),
    ]
    for form in forms:
        assert secrets.hide(f"{before}{form}{after}") == f"{before}***{after}"


@given(KEYS, st.integers(8, 60))
def test_the_beginning_of_a_key_is_hidden_where_the_rest_was_cut_off(key: str, kept: int) -> None:
    assert Secrets([key]).hide(f"ä{key[:kept]}") == "ä***"


def test_of_two_keys_that_begin_alike_both_are_hidden() -> None:
    secrets = Secrets(["sk-0123456789", "sk-0123456789-and-more", "", " "])
    assert secrets.hide("sk-0123456789-and-more, sk-0123456789") == "***, ***"


def test_what_is_no_key_stays() -> None:
    assert Secrets(["sk-0123456789"]).hide("HTTP 400: sk-0123 is short") == (
        "HTTP 400: sk-0123 is short"
    )
