"""A model's thoughts are taken off its answer, and only there."""

import pytest

from snellen.grading.parse.reasoning import without_reasoning

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
