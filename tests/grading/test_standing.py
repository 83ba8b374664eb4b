"""Where an answer stands: what a sentence puts forward, and what it takes back."""

import pytest

from snellen import sdk
from snellen.grading.standing import is_answered, without_asides, without_quotations

PLACE = "(10, 20)"


def answered(text: str) -> bool:
    """Whether a text's place is left after the asides, and put forward by its sentence."""
    kept = without_quotations(text)
    start = kept.find(PLACE)
    return start >= 0 and is_answered(kept, start, start + len(PLACE))


@pytest.mark.parametrize(
    "text",
    [
        "It is not at (10, 20).",
        "There is nothing at (10, 20).",
        "I can't click on (10, 20); sorry.",
        "The element does not exist at (10, 20).",
        "At first I thought (10, 20)",
        "Do you mean (10, 20)?",
        "For example (10, 20) would be the format.",
        "e.g. (10, 20)",
        "Return the point as (10, 20).",
        "The screen resolution is (10, 20).",
        "The image is (10, 20)",
        "the (10, 20) screen",
        "# the old place was (10, 20)",
        "The old place was (10, 20)",
        "click(1, 2)  # was (10, 20)",
        "```\n# (10, 20)\n```",
        "<!-- (10, 20) -->",
        "/* (10, 20) */",
        "<scratchpad>(10, 20)</scratchpad>",
        "<self_reflection>(10, 20)",
        'The label says "OK (10, 20)".',
        "print('(10, 20)')",
        "(10, 20) is wrong",
        "(10, 20) would be incorrect.",
        "click(10, 20) failed",
    ],
)
def test_what_is_taken_back_is_no_answer(text: str) -> None:
    assert not answered(text)


@pytest.mark.parametrize(
    "text",
    [
        "(10, 20)",
        "Click (10, 20), not (1, 2).",
        "Instead of (1, 2), click (10, 20)",
        "It is not at (1, 2) but at (10, 20)",
        "The button that is not highlighted is at (10, 20)",
        "I'm not sure, but (10, 20)",
        "It's at (10, 20), next to the logo.",
        "It is at (10, 20). Is there anything else?",
        "The last item is at (10, 20)",
        "Output: (10, 20)",
        "## Step 1\n(10, 20)",
        "# Answer: (10, 20)",
        "The target image is at (10, 20)",
        "Click 'Save' at (10, 20)",
        'point("(10, 20)")',
        "<answer>(10, 20)</answer>",
        "<point>(10, 20)</point>",
    ],
)
def test_what_is_put_forward_is_an_answer(text: str) -> None:
    assert answered(text)


def test_the_length_of_a_text_stays() -> None:
    text = "<plan>(1, 2)</plan>\n# (3, 4)\n(5, 6)"
    assert len(without_asides(text)) == len(without_quotations(text)) == len(text)


def chosen(response: str, letter: str) -> float | None:
    return sdk.score("mmbench-gui/l1", response=response, reference=letter, protocol="robust").value


@pytest.mark.parametrize(
    "text",
    ["A", "a", "A.", "(A)", "**A**", "A 1", "A) left", "A. B", "The answer is A", "Answer: A 1"],
)
def test_a_letter_that_is_put_forward_is_the_answer(text: str) -> None:
    assert (chosen(text, "A"), chosen(text, "B")) == (1, 0)


@pytest.mark.parametrize("text", ["**A left**", "A left", "A cat", "A or B", "A\nB", "Not A"])
def test_an_article_or_one_of_several_letters_is_no_answer(text: str) -> None:
    assert (chosen(text, "A"), chosen(text, "B")) == (0, 0)
