"""Faults of single items."""

import pytest

from snellen.tasks.audit.faults import contradictory
from snellen.tasks.audit.items import holds


@pytest.mark.parametrize(
    ("answers", "nothing", "expected"),
    [
        (["3", "three"], None, False),
        (["3", "3.0", "3 items"], None, False),
        (["1,200", "1200"], None, False),
        (["$5", "5"], None, False),
        (["3", "5"], None, True),
        (["Yes", "no"], None, True),
        (["yes", "Yes, it is"], None, False),
        (["<no answer>"], "<no answer>", False),
        (["<no answer>", "5"], "<no answer>", True),
        (["7:30", "7:30 PM", "half past seven"], None, False),
        (["1,5", "1.5"], None, False),
        (["268,00 €", "268"], None, False),
        (["1.520 €", "1520"], None, False),
        ([], None, False),
    ],
)
def test_accepted_answers_contradict_one_another(
    answers: list[str], nothing: str | None, expected: bool
) -> None:
    assert contradictory(answers, nothing) is expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("What is «Sign in» for?", "sign in", True),
        ("What is signing for?", "sign", False),
        ("营业时间是几点?", "营业时间", True),
        ("营业时间是几点?", "电话", False),
        ("Costs $1,200.50?", "1,200.50", True),
        ("anything", "", False),
        ("anything", "+", False),
    ],
)
def test_a_text_is_found_as_whole_words_or_without_spaces(
    text: str, part: str, expected: bool
) -> None:
    assert holds(text, part) is expected
