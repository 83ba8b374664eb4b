"""Failure tags of short answers: paraphrases of no answer, equal values, opposites, scripts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.failures.tagging import failure_tags
from snellen.grading.failures.tags import FailureTag
from snellen.grading.failures.texts import are_opposites, near_text
from snellen.grading.failures.values import valued_words
from snellen.grading.failures.wordings import denies_answer, numbered_option
from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.table import protocol_of

T = FailureTag
SHORT = "screenqa/short"

DENIALS = [
    "unknown",
    "N/A",
    "n.a.",
    "None.",
    "Not mentioned",
    "Not available on screen",
    "No answer given",
    "There is no answer.",
    "No information is provided",
    "There is no price shown on the screen.",
    "cannot be determined",
    "Can't be determined from the image",
    "The answer is not shown",
    "It isn\u2019t visible in the screenshot.",
    "The screen does not show this information.",
    "It doesn't say",
    "Unable to determine",
    "I cannot find the answer on the screen",
    "I don't know",
    "Sorry, but the answer is not shown here.",
]
ANSWERS = [
    "no",
    "0",
    "none of them",
    "not logged in",
    "no answer key",
    "Unknown caller",
    "no results",
    "Natalie",
    "not now",
    "There are no messages",
    "I can't see the image",
    "Information",
    "united",
    "12",
    "",
]


def tags(response: str, *references: str, protocol: str | None = None) -> tuple[FailureTag, ...]:
    return failure_tags(protocol_of(SHORT, protocol), response, list(references))


@pytest.mark.parametrize("text", DENIALS)
def test_a_paraphrase_of_no_answer_is_that_and_a_matter_of_form_where_it_is_right(
    text: str,
) -> None:
    assert denies_answer(text)
    for protocol in ("official", "robust"):
        assert tags(text, "Wall Sit", protocol=protocol) == (T.SAID_NO_ANSWER,)
        assert tags(text, "<no answer>", protocol=protocol) == (T.FORMAT,)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_no_paraphrase_of_no_answer(text: str) -> None:
    assert not denies_answer(text)
    assert T.SAID_NO_ANSWER not in tags(text, "Wall Sit")
    assert T.FORMAT not in tags(text, "<no answer>")


@pytest.mark.parametrize("protocol", ["official", "robust"])
def test_a_paraphrase_that_is_right_still_scores_nothing(protocol: str) -> None:
    answers = Answers(np.arange(len(DENIALS)), [0] * len(DENIALS), DENIALS)
    golds = [["<no answer>"]] * len(DENIALS)
    columns = Grader.of(protocol_of(SHORT, protocol), golds).batch(answers)
    assert not columns.values.any()


def test_words_that_the_screen_itself_shows_are_an_answer() -> None:
    assert tags("Not available yet", "Not available") == (T.EXTRA_WORDS,)
    assert tags("Not available", "Available") == (T.OPPOSITE,)
    assert tags("unknown", "Not available") == ()


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("3.0", "3"),
        ("$1,299.00", "$1299"),
        ("09:05", "9:05"),
        ("7 pm", "7:00 pm"),
        ("7:05 p.m.", "19:05"),
        ("12 AM", "00:00"),
        ("01/05/2017", "1/5/2017"),
        ("twelve exercises", "12 exercises"),
        ("12 dollars", "$12"),
        ("2 hours 30 minutes", "2 h 30 min"),
        ("about .50 kg", "about 0.5 kilograms"),
        ("1,5 km", "1.50 km"),
    ],
)
def test_equal_values_are_told_as_such(response: str, reference: str) -> None:
    assert tags(response, reference) == tags(reference, response) == (T.SAME_VALUE,)


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("3.5", "3"),
        ("$1,299.50", "$1299"),
        ("09:06", "9:05"),
        ("8 pm", "7:00 pm"),
        ("7:05 a.m.", "19:05"),
        ("007", "7"),
        ("version 3.6.3", "version 3.6.30"),
        ("-5 or so", "6 or so"),
    ],
)
def test_other_values_are_not_the_same(response: str, reference: str) -> None:
    assert T.SAME_VALUE not in tags(response, reference)


def test_marks_that_change_a_value_are_no_punctuation() -> None:
    assert list(near_text("30.5", ["305"])) == [T.NUMBERS_DIFFER]
    assert list(near_text("-5", ["5"])) == [T.NUMBERS_DIFFER]
    assert list(near_text("\u20ac5", ["$5"])) == [T.OTHER_UNIT]
    assert list(near_text("1,000", ["1000"])) == [T.CASE_OR_PUNCTUATION]
    assert list(near_text("10.12.2017", ["10/12/2017"])) == [T.CASE_OR_PUNCTUATION]


def test_an_article_is_a_word_more_or_less() -> None:
    assert list(near_text("the cat", ["cat"])) == [T.EXTRA_WORDS]
    assert list(near_text("cat", ["the cat"])) == [T.PART_OF_ANSWER]


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("12:30 PM", "12:30 AM"),
        ("7pm", "7:00 am"),
        ("unchecked", "checked"),
        ("not logged in", "logged in"),
        ("It isn\u2019t open", "It is open"),
        ("enabled", "disabled"),
        ("on", "off"),
        ("Yes", "No"),
        ("Yes, it is on", "No, it is off"),
        ("inactive", "active"),
        ("unable", "able"),
    ],
)
def test_opposites_are_told_as_such_both_ways(response: str, reference: str) -> None:
    assert tags(response, reference) == tags(reference, response) == (T.OPPOSITE,)


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("until", "til"),
        ("unless", "less"),
        ("discount", "count"),
        ("income", "come"),
        ("No. 5", "5"),
        ("not on", "off"),
        ("not uneven", "even"),
        ("Monday", "Sunday"),
        ("not here at all", "here"),
    ],
)
def test_words_that_look_like_opposites_are_none(response: str, reference: str) -> None:
    assert T.OPPOSITE not in tags(response, reference)
    assert T.OPPOSITE not in tags(reference, response)


def test_other_units_need_the_same_numbers() -> None:
    assert tags("5 km", "5 miles") == (T.OTHER_UNIT,)
    assert tags("6 km", "5 miles") == ()
    assert tags("5 km", "5 kilometres") == (T.SAME_VALUE,)
    assert tags("size m", "size s") != (T.OTHER_UNIT,)


@pytest.mark.parametrize(
    ("response", "reference", "tag"),
    [
        ("\u5317\u4eac", "\u5317\u4eac\u5e02", T.PART_OF_ANSWER),
        ("\u5317\u4eac\u5e02", "\u5317\u4eac", T.EXTRA_WORDS),
        (
            "\u0e40\u0e1b\u0e34\u0e14\u0e41\u0e25\u0e49\u0e27",
            "\u0e40\u0e1b\u0e34\u0e14",
            T.EXTRA_WORDS,
        ),
        ("5\u500b", "6\u500b", T.NUMBERS_DIFFER),
        (
            "\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440",
            "\u043c\u0438\u0440",
            T.EXTRA_WORDS,
        ),
    ],
)
def test_scripts_without_spaces_are_compared_by_characters(
    response: str, reference: str, tag: FailureTag
) -> None:
    assert tags(response, reference) == (tag,)


def test_an_edit_similarity_of_just_four_fifths_is_near() -> None:
    # Two insertions or deletions over ten characters.
    assert tags("abxde", "abcde") == (T.NEAR_TEXT,)
    assert tags("abxxe", "abcde") == ()


@given(st.text(max_size=30), st.text(max_size=30))
def test_nearness_but_for_extra_and_part_does_not_depend_on_which_is_the_reference(
    text: str, other: str
) -> None:
    mirrored = {T.EXTRA_WORDS: T.PART_OF_ANSWER, T.PART_OF_ANSWER: T.EXTRA_WORDS}
    found, back = list(near_text(text, [other])), list(near_text(other, [text]))
    assert [mirrored.get(tag, tag) for tag in found] == back


@given(st.integers(0, 10**7), st.integers(0, 99))
def test_a_price_has_one_value_however_it_is_written(whole: int, cents: int) -> None:
    plain = valued_words(f"{whole}.{cents:02} dollars")
    assert valued_words(f"${whole:,}.{cents:02}") == plain
    assert valued_words(f"$ {whole}.{cents:02}0") == plain
    assert valued_words(f"${whole + 1}.{cents:02}") != plain


@given(st.text(max_size=60))
def test_any_text_has_a_value_and_may_deny(text: str) -> None:
    assert isinstance(valued_words(text), list)
    assert not (denies_answer(text) and numbered_option(text))
    assert not are_opposites(valued_words(text), valued_words(text))
