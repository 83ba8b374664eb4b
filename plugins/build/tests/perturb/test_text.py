"""Reversible edits of a text."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.perturb.text import (
    LOOKALIKES,
    OPERATORS,
    THIN,
    WIDE,
    describable_buttons,
    look_alike,
    punctuate,
    skeleton,
    space_out,
)
from snellen.build.screen.elements import Element, Screen

TEXTS = st.text(
    st.sampled_from("abcdefghilmnoprstuvwzABELOST äöüéñ购买立即0134578"), min_size=2, max_size=30
).filter(lambda text: len(skeleton(text)) >= 2)


@pytest.mark.parametrize("name", OPERATORS)
@given(text=TEXTS, seed=st.integers(0, 10_000))
def test_every_edit_changes_a_text_and_keeps_its_skeleton(name: str, text: str, seed: int) -> None:
    edited = OPERATORS[name](text, Random(seed))
    if edited is not None:
        assert edited != text
        assert skeleton(edited) == skeleton(text)


@given(text=TEXTS, seed=st.integers(0, 10_000))
def test_look_alikes_replace_at_most_half_of_the_letters(text: str, seed: int) -> None:
    edited = look_alike(text, Random(seed))
    if edited is not None:
        changed = sum(a != b for a, b in zip(text, edited, strict=True))
        assert 1 <= changed <= sum(letter.isalpha() for letter in text) // 2


@given(text=TEXTS, seed=st.integers(0, 10_000))
def test_marks_add_at_most_four_characters(text: str, seed: int) -> None:
    edited = punctuate(text, Random(seed))
    assert edited is not None
    assert len(edited) <= len(" ".join(text.split())) + 4


def test_spaces_keep_words_apart() -> None:
    spaced = space_out("Sign in", Random(0))
    assert spaced == f"S{THIN}i{THIN}g{THIN}n{WIDE}i{THIN}n"


def test_no_space_lets_a_line_break() -> None:
    spaced = space_out("Sign in", Random(0))
    assert spaced is not None
    assert not {" ", "\u2009", "\u200a"} & set(spaced)


def test_letters_that_join_are_not_pulled_apart() -> None:
    assert space_out("حذف الحساب", Random(0)) is None
    assert look_alike("حذف الحساب", Random(0)) is None
    assert look_alike("立即购买", Random(0)) is None


def test_capitals_have_look_alikes_too() -> None:
    found = {look_alike("SELL ALL BOOTS", Random(seed)) for seed in range(50)}
    assert any(text and set(text) & set(LOOKALIKES.values()) for text in found)


def test_a_button_can_be_described_by_known_words_that_are_there_once() -> None:
    texts = ["Buy now", "Search", "Search", "Frobnicate"]
    elements = tuple(
        Element(n, "button", (10, 50 * n, 110, 50 * n + 30), role="button", text=text)
        for n, text in enumerate(texts)
    )
    screen = Screen(1280, 800, elements, language="en")
    assert [one.text for one in describable_buttons(screen)] == ["Buy now"]
    assert describable_buttons(Screen(1280, 800, elements, language="fi")) == []
