"""Taking an answer out of what a model puts around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.final_answers import (
    described,
    final_answer,
    short_answer,
    unwrapped,
    without_lead_in,
    without_reasoning,
)

READERS = (described, final_answer, short_answer, unwrapped, without_lead_in)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", "Paris"),
        (" Paris\n", "Paris"),
        ("**Paris**", "Paris"),
        ("<think>nothing more</think>", "<think>nothing more</think>"),
        ("```\nParis\n```", "Paris"),
        ("```json\n{\"answer\": \"Paris\"}\n```", "Paris"),
        ('{"answer": "Paris"}', "Paris"),
        ('{"answer": 4}', "4"),
        ('{"a": "x", "b": "y"}', '{"a": "x", "b": "y"}'),
        ("{not json", "{not json"),
        ("```a``` and ```b```", "```a``` and ```b```"),
    ],
)  # fmt: skip
def test_what_is_wrapped_around(text: str, expected: str) -> None:
    assert unwrapped(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Answer: 12", "12"),
        ("Maybe 15.\nAnswer: 15\nNo.\n**Final answer:** 12", "12"),
        ("The answer is:\n12", "12"),
        ("Answer：12", "12"),
        ("Answer:", "Answer:"),
        ("No answer: none", "No answer: none"),
    ],
)
def test_what_follows_the_last_answer(text: str, expected: str) -> None:
    assert final_answer(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 12", "12"),
        ("The correct answer is Paris", "Paris"),
        ("Answer: the answer is 12", "12"),
        ("The answer is ", "The answer is"),
        ("10:30", "10:30"),
    ],
)
def test_a_short_answer(text: str, expected: str) -> None:
    assert short_answer(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The text content within the red bounding box is: Sign in", "Sign in"),
        ("The text in the box is:\nSign in\nor sign up", "Sign in\nor sign up"),
        ("Sure! Here is the main heading of the webpage: Our story", "Our story"),
        ("**Heading:** Our story", "Our story"),
        ("Here\u2019s the text: Our story", "Our story"),
        ('The main heading is "Our story".', "Our story"),
        ("The heading reads “Our story”", "Our story"),
        # The official rule cuts all of these.
        ("Open 10:30", "Open 10:30"),
        ("Note: closed", "Note: closed"),
        ("Text: closed", "Text: closed"),
        ("Sale of the day: shoes", "Sale of the day: shoes"),
        ('He said "no"', 'He said "no"'),
        ("The text is:", "The text is:"),
        ('The text is ""', 'The text is ""'),
    ],
)
def test_only_what_introduces_a_text_is_cut(text: str, expected: str) -> None:
    assert without_lead_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<meta name="description" content="Buy shoes">', "Buy shoes"),
        ('Sure:\n```html\n<meta name="description" content="Buy shoes" />\n```', "Buy shoes"),
        ("<meta content='Buy shoes' name='description'>", "Buy shoes"),
        ("<META NAME=description CONTENT = \"Buy\nshoes\"/>", "Buy\nshoes"),
        ('<meta property="og:description" content="Buy shoes">', "Buy shoes"),
        ('<meta name="description" content="The "best" shoes">', 'The "best" shoes'),
        ('<meta name="description" content="It\'s here">', "It's here"),
        ('<meta name="description" content="Shoes &amp; boots">', "Shoes & boots"),
        ('<meta charset="utf-8"><meta name="description" content="Buy shoes">', "Buy shoes"),
        ('<meta name="description" content="Buy"><meta name="keywords" content="a">', "Buy"),
        # Broken off, as at 16 tokens.
        ('<meta name="description" content="Buy sho', "Buy sho"),
        ('<meta name="description" content="Buy shoes"', "Buy shoes"),
        ('<meta name="keywords" content="a, b">', '<meta name="keywords" content="a, b">'),
        ('<meta name="description" content="">', '<meta name="description" content="">'),
        ("Meta Description: Buy shoes", "Buy shoes"),
        ('{"description": "Buy shoes"}', "Buy shoes"),
        ("Shoes: buy them here", "Shoes: buy them here"),
    ],
)  # fmt: skip
def test_a_description_in_whatever_holds_it(text: str, expected: str) -> None:
    assert described(text) == expected


@given(st.text())
def test_nothing_raises_and_something_stays(text: str) -> None:
    for reader in READERS:
        assert bool(reader(text).strip()) == bool(text.strip())


# ---- thoughts ----------------------------------------------------------------------------------

THOUGHT = "The answer is A? No, the basket is lower."


@pytest.mark.parametrize(
    "before",
    [
        "<think>{}</think>\n\n",
        "{}</think>\n\n",
        "<THINK> {} </THINK>\n",
        "<thinking>{}</thinking>\n",
        "<think><think>{}</think> so </think>",
        "<think>{}</think><think>{}</think>",
        "\u25c1think\u25b7{}\u25c1/think\u25b7",
        "<seed:think>{}</seed:think>",
        "<thought>{}</thought>\n",
        "[THINK]{}[/THINK]",
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
        "analysis {} assistantfinal",
    ],
)
def test_what_follows_a_thought_is_the_answer(before: str) -> None:
    assert without_reasoning(before.replace("{}", THOUGHT) + "B") == "B"


def test_an_agents_thought_ends_where_it_acts() -> None:
    text = "Thought: Action: is a word here.\nAction: click(1, 2)"
    assert without_reasoning(text) == "Action: click(1, 2)"


@pytest.mark.parametrize(
    "text",
    ["<think>Perhaps A, but", "<think>B</think>", "B</think>", "<|channel|>analysis<|message|>B"],
)
def test_a_thought_without_an_answer_has_none(text: str) -> None:
    assert without_reasoning(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "B",
        "Use <think> tags </think> here",
        "",
        "Thoughts on design",
        "a [think] b",
        "<b>analysis</b>",
    ],
)
def test_a_mark_inside_a_text_is_no_thought(text: str) -> None:
    assert without_reasoning(text) == text
