"""Words of any script, for texts and for short answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenizers import (  # pyright: ignore[reportMissingTypeStubs]  # it has none
    DefaultTokenizer,
)

from snellen import sdk
from snellen.grading.normalize import squad
from snellen.grading.words import answer_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sign-in", "sign in"),
        ("Price: $5.99", "price 5 99"),
        ("snake_case", "snake case"),
        ("CAFÉ", "café"),
        ("cafe\u0301", "café"),
        ("STRASSE straße", "strasse strasse"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("中文测试", "中 文 测 试"),
        ("ひらがな 2", "ひ ら が な 2"),
        ("한국어 문장", "한국어 문장"),
        ("हिन्दी में", "हिन्दी में"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("Terms &amp; conditions", "terms conditions"),
        ("it&#39;s", "it s"),
        ("...", "..."),
        (" → ", "→"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_words_of_a_text(text: str, expected: str) -> None:
    assert words(text) == expected


@given(st.text(st.characters(max_codepoint=126)).filter(lambda text: "&" not in text))
def test_on_ascii_they_are_the_tokens_of_rouge_score(text: str) -> None:
    tokenizer: Any = DefaultTokenizer(use_stemmer=False)
    tokens: list[str] = tokenizer.tokenize(text)
    assert words(text).split() == (tokens or text.lower().split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$4", "4"),
        ("€4", "4"),
        ("1,000", "1000"),
        ("1,234,567.50", "1234567.5"),
        ("4.30", "4.3"),
        ("5.00 %", "5"),
        ("3.4", "3.4"),
        ("34", "34"),
        ("1.2.3", "1.2.3"),
        ("4,3", "4,3"),
        ("007", "007"),
        ("-5", "-5"),
        ("\u22125", "-5"),
        ("-$5", "-5"),
        ("+5", "5"),
        ("- 5", "5"),
        ("5-10", "5 10"),
        ("5 - 10", "5 10"),
        ("2024-01-05", "2024 01 05"),
        ("10km", "10 km"),
        ("$19.99/month", "19.99 month"),
        ("1st", "1 st"),
        ("mp3", "mp3"),
        ("10:30", "10:30"),
        ("10:30am", "10:30 am"),
        ("U.S. dollar", "us dollar"),
        ("Yes, it is.", "yes it is"),
        ("The “old” one", "old one"),
        ("an", "an"),
        ("A", "a"),
        ("$", "$"),
        ("...", "..."),
        ("m²", "m2"),
        ("北京 3 天", "北 京 3 天"),
        ("", ""),
    ],
)
def test_words_of_a_short_answer(text: str, expected: str) -> None:
    assert answer_words(text) == expected


@given(st.lists(st.from_regex("[B-Zb-z]{2,8}", fullmatch=True), min_size=1).map(" ".join))
def test_without_numbers_a_short_answer_has_the_form_of_squad(text: str) -> None:
    assert answer_words(text) == squad(text)


@given(st.text())
def test_there_is_a_word_wherever_there_is_anything_to_see(text: str) -> None:
    for form in (words, answer_words):
        found = form(text)
        assert found == " ".join(found.split())
        if any(char.isprintable() and not char.isspace() for char in text):
            assert found


@given(st.integers(0, 10**9))
def test_thousands_separators_do_not_change_a_number(number: int) -> None:
    assert answer_words(f"{number:,}") == answer_words(str(number)) == str(number)


def exact(response: str, reference: str) -> float | None:
    """Return what a short answer scores under the protocol that reads numbers by value."""
    task = "visualwebbench/webqa"
    return sdk.score(task, response=response, reference=[reference], protocol="robust").value


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        (".5", "0.5"),
        ("\u2212.5", "-0.5"),
        ("$.50", "0.5"),
        ("\u22125", "-5"),
        ("\u20135", "-5"),
        ("1\u202f000", "1000"),
        ("1\u00a0000", "1,000"),
        ("1 000", "1000"),
        ("\u0661\u0662", "12"),
        ("\u0967\u0968", "12"),
        ("\uff11\uff12", "12"),
        ("12\u066b5", "12.5"),
        ("1e3", "1000"),
        ("1.5E-1", "0.15"),
        ("\u00bd", "0.5"),
        ("1\u00bd", "1.5"),
        ("1 1/2", "1.5"),
        ("10\u00b2", "100"),
        ("m\u00b2", "m2"),
    ],
)
def test_a_number_in_another_writing_is_the_same_answer(response: str, reference: str) -> None:
    assert (exact(response, reference), exact(reference, response)) == (1, 1)


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        (".5", "5"),
        ("-5", "5"),
        ("1,5", "15"),
        ("3.4", "34"),
        ("5-10", "510"),
        ("1e3", "13"),
        ("10\u00b2", "102"),
        ("1\u00bd", "112"),
        ("1 000", "1"),
        ("abc1e3", "abc1000"),
    ],
)
def test_a_number_of_the_same_digits_is_another_answer(response: str, reference: str) -> None:
    assert (exact(response, reference), exact(reference, response)) == (0, 0)
