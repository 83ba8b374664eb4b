import re
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading import normalize

# Everything that makes lower-casing, word boundaries and whitespace differ from ASCII's.
ODD = "\x00\x1c\x1d\x1f\x7f\x85\xa0\u2028\u2029\u3000\u200b\ud800\udfffßİΣσςǰ’“–éа中 \t\n\r\v\f"
WORDS = ("a", "an", "the", "The", "A", "THE", "cat", "th", "e", "|", "$", "_", "U.S.", "1,000")
texts = st.text() | st.lists(
    st.sampled_from(WORDS) | st.sampled_from(ODD) | st.just(" "), max_size=12
).map("".join)


def published_squad(text: str) -> str:
    """The steps of evaluate-v1.1.py, one after another."""
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


@given(texts)
def test_the_squad_form_is_the_published_one_on_every_text(text: str) -> None:
    assert normalize.squad(text) == published_squad(text)


@given(st.lists(texts, max_size=8))
def test_squad_lines_split_into_the_words_of_each_text(several: list[str]) -> None:
    lines = normalize.squad_lines(several)
    assert [line.split() for line in lines] == [published_squad(text).split() for text in several]


@given(st.lists(texts, max_size=8))
def test_squad_or_raw_is_the_same_alone_and_among_others(several: list[str]) -> None:
    lines = normalize.squad_or_raw_lines(several)
    forms = [normalize.squad_or_raw(text) for text in several]
    assert [" ".join(line.split()) for line in lines] == forms
    assert [" ".join(normalize.squad_or_raw_words(text)) for text in several] == forms


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", ""),
        ("the", ""),
        ("!?", ""),
        ("The Cat", "cat"),
        ("the the the a an cat", "cat"),
        ("th.e cat", "cat"),
        ("A.M.", "am"),
        ("a-b", "ab"),
        ("banana theatre", "banana theatre"),
        ("the–cat", "–cat"),
        ("a\x00b", "\x00b"),
        ("one\u2028two\x1cthree", "one two three"),
        ("İ", "i̇"),
        ("ΑΣ ΑΣ", "ας ας"),
        ("Straße", "straße"),
        ("\ud800 a", "\ud800"),
    ],
)
def test_the_squad_form_of(text: str, form: str) -> None:
    assert normalize.squad(text) == form
    assert normalize.squad_lines(["x", text, "y"])[1].split() == form.split()


@given(texts)
def test_squad_or_raw_is_empty_only_for_blank_text(text: str) -> None:
    form = normalize.squad_or_raw(text)
    assert form == (published_squad(text) or " ".join(text.lower().split()))
    assert bool(form) == bool(text.strip())


@pytest.mark.parametrize(("one", "other"), [("$", "+"), ("A", "the"), ("?", ""), ("$ +", "+ $")])
def test_squad_or_raw_keeps_apart_what_the_squad_form_merges(one: str, other: str) -> None:
    assert normalize.squad(one) == normalize.squad(other) == ""
    assert normalize.squad_or_raw(one) != normalize.squad_or_raw(other)


def test_identity_and_lower_strip_leave_the_inside_alone() -> None:
    assert normalize.identity(" A  b ") == " A  b "
    assert normalize.lower_strip(" A  B\n") == "a  b"


@pytest.mark.parametrize(
    ("text", "form"),
    [("", ""), ("Wi-Fi 6!", "wifi6"), ("Café", "caf"), ("中文", ""), ("\u212a", "k"), ("_", "")],
)
def test_alphanumeric_keeps_ascii_letters_and_digits(text: str, form: str) -> None:
    assert normalize.alphanumeric(text) == form


# BENCHMARKS 1.4 T5: NFKC, lower, collapse spaces, strip quotes, punctuation and arrows.
@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("  “Sign  Up” → ", "sign up"),
        ("'Sign up'", "sign up"),
        ("Sign up!", "sign up"),
        ("«Next»", "next"),
        ("Next >>", "next"),
        ("▶ Play", "play"),
        ("Continue ➡\ufe0f", "continue"),
        ("ＳＩＧＮ\u3000ＵＰ", "sign up"),
        ("Don't show again", "don't show again"),
        ("$5", "$5"),
        ("C++", "c++"),
        ("★ Rate", "★ rate"),
        ("\u200bOK\u200b", "ok"),
        ("J\u030c", "\u01f0"),
        ("?", "?"),
        ("→", "→"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_a_button_text_becomes(text: str, form: str) -> None:
    assert normalize.button(text) == form


@given(texts)
def test_a_button_form_is_its_own_form(text: str) -> None:
    form = normalize.button(text)
    assert normalize.button(form) == form
    assert form == unicodedata.normalize("NFKC", form)
