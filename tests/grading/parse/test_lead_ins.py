"""What VisualWebBench's model adapters cut from an answer, and our hint-text lead-in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse import lead_ins

TAG = '<meta name="description" content="{}">'
TAGGED = st.lists(
    st.sampled_from([TAG[:34], TAG[:34].upper(), '">', "\n", "a", " ", '"']), max_size=12
).map("".join)


def test_the_content_of_the_tag_is_taken() -> None:
    assert lead_ins.meta_description(f"Here it is: {TAG.format('A shop')} Done.") == "A shop"


def test_a_text_without_the_tag_stays() -> None:
    # BENCHMARKS 2.6: exact attribute order, double quotes, one line.
    for text in (
        "A shop",
        '<meta content="A shop" name="description">',
        "<meta name='description' content='A shop'>",
        TAG.format("A\nshop"),
        TAG.format("A shop").replace('">', '" />'),
    ):
        assert lead_ins.meta_description(text) == text


def test_the_published_expression_is_greedy_and_the_forks_is_not() -> None:
    text = f"{TAG.format('one')} {TAG.format('two')}"
    assert lead_ins.meta_description(text) == f'one"> {TAG.format("two")[:-2]}'
    assert lead_ins.fork_meta_description(text) == "one"


def test_the_fork_reads_over_lines_in_any_case() -> None:
    shouted = TAG.format(" A\nshop ").upper()
    assert lead_ins.fork_meta_description(f" {shouted} ") == "A\nSHOP"
    assert lead_ins.fork_meta_description("  A shop ") == "A shop"


@given(st.one_of(TAGGED, st.text()))
def test_both_tag_rules_equal_the_expressions_they_stand_for(text: str) -> None:
    greedy = re.findall(TAG.format("(.*)"), text)
    assert lead_ins.meta_description(text) == (greedy[0] if greedy else text)
    lazy = re.search(TAG.format("(.*?)"), text.strip(), re.IGNORECASE | re.DOTALL)
    assert lead_ins.fork_meta_description(text) == (lazy[1].strip() if lazy else text.strip())


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("The text content within the red bounding box is: Sign in", "Sign in"),
        ("It says: 'Sign in'", "Sign in"),
        # BENCHMARKS 2.6: cut at the first colon although there is no lead-in.
        ("10:30", "30"),
        ("Price: 10:30", "10:30"),
        (" Sign in ", " Sign in "),
        ('"Sign in"', '"Sign in"'),
        ("empty:", ""),
        ("", ""),
    ],
)
def test_the_text_after_the_first_colon(text: str, rest: str) -> None:
    assert lead_ins.after_first_colon(text) == rest


def test_the_fork_strips_texts_without_a_colon_too() -> None:
    assert lead_ins.fork_after_first_colon(' "Sign in" ') == "Sign in"
    assert lead_ins.fork_after_first_colon("Answer: 'Sign in'") == "Sign in"


def test_double_quotes_go_before_single_ones() -> None:
    assert lead_ins.strip_quotes(" \"'Sign in'\" ") == "Sign in"
    assert lead_ins.strip_quotes("'\"Sign in\"'") == '"Sign in"'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        # BENCHMARKS 1.4, T4.
        ("Placeholder: Enter your e-mail", "Enter your e-mail"),
        ("placeholder text： Search", "Search"),
        ("**Hint text:** Search", "Search"),
        ("Hint:Search: all", "Search: all"),
        ("Enter a placeholder: now", "Enter a placeholder: now"),
        (" Search ", "Search"),
        ("Placeholder:", ""),
    ],
)
def test_a_placeholder_lead_in_is_dropped(text: str, rest: str) -> None:
    assert lead_ins.placeholder_prefix(text) == rest
