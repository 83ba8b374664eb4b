"""The published multiple-choice parsers against the tables read off their code, and ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse import choice

# response, VisualWebBench's letter (None: scored wrong), what the robust parser reads.
VISUALWEBBENCH = [
    # The parser table of VisualWebBench's utils/eval_utils.py.
    ("A", "A", "A"),
    ("a", "A", "A"),
    ("h", "H", "H"),
    ("I. text", "I", None),
    ("B)", None, "B"),
    ("[B]", None, "B"),
    ("<B>", None, "B"),
    ("**B**", None, "B"),
    ("A/B", None, None),
    ("G-", None, "G"),
    ("(B)", "B", "B"),
    ("B\n", None, "B"),
    ("\nB", None, "B"),
    ("B\nbecause", None, "B"),
    ("\tB", None, "B"),
    (" B", "B", "B"),
    ("B ", "B", "B"),
    ("Answer: B.", "B", "B"),
    ("A or C", "C", None),
    ("(A) and (C)", "C", None),
    ("C, not A", "A", "C"),
    ("(A) is wrong. B", "A", "B"),
    ("A button labelled B", "B", "B"),
    ("A cat", "A", None),
    ("The element A is the one", "A", "A"),
    ("a.", None, "A"),
    ("(a)", None, "A"),
    ("D: Settings", "D", "D"),
    ("Option D", "D", "D"),
    ('"E"', "E", "E"),
    ("'F'", "F", "F"),
    ("ID: G", "G", "G"),
    ("Answer：B", None, "B"),
    ("B。", None, "B"),
    ("Ｂ", "Ｂ", "B"),
    ("", None, None),
    ("None", None, None),
    ("AB", None, None),
    ("A, B, C, D", "D", None),
    # The parser's behaviors seen when it was run.
    ("b.", None, "B"),
    ("ANSWER: C\n", None, "C"),
    (r"\boxed{C}", None, "C"),
    ("A dog", "A", None),
    ("A or B", "B", None),
]

# response, MMBench-GUI's letter, what the robust parser reads among A to F.
MMBENCH_GUI = [
    ("b", "B", "B"),
    ("(A)", "A", "A"),
    ("[A]", "A", "A"),
    ("**C**", "C", "C"),
    (r"\boxed{B}", "B", "B"),
    ('{"answer":"B"}', "B", "B"),
    ("<answer>C</answer>", "C", "C"),
    ("Based on the screenshot, the answer is D", "B", "D"),
    ("Based on the text, the answer is C", "B", "C"),
    ("Answer is C", "A", "C"),
    ("the correct option is D because it opens", None, "D"),
    ("Definitely C", "D", "C"),
    ("Clearly D", "C", "D"),
    ("Click B", "C", "B"),
    ("Because it opens the menu, so C", "B", "C"),
    ("i.e. B", "E", "B"),
    ("e.g. the C item", "E", "C"),
    ("Element B", "E", "B"),
    ("Failed to obtain answer via API.", "F", None),
    ("Not A. Answer: C", "A", "C"),
    ("A is wrong. The answer is C.", "C", "C"),
    ("The options: A. foo B. bar. Answer: D", "A", "D"),
    ("B or C", "B", None),
    ("A or B", "A", None),
    ("x\nbecause C", "B", "C"),
    ("A user would click B", "A", "B"),
    (r"Final answer: \boxed{C}", "F", "C"),
    ("答案：B", "B", "B"),
    ("答案是C", None, "C"),
    ("G", None, None),
    ("H.", None, None),
    ("", None, None),
    ("nan", None, None),
    ("None", None, None),
    ("C) Settings", "C", "C"),
]

ROBUST = [
    ("**Answer:** B) Settings", "B"),
    ("The best matching element is **F**.", "F"),
    ("Based on the screenshot, I believe the answer is option (B).", "B"),
    ("Final Answer: \n\n$\\boxed{\\text{D}}$", "D"),
    ("Answer: the button labeled A", "A"),
    ("The answer is a button", None),
    ("The answer is A button", None),
    ("The answer is A because the others lead away", "A"),
    ("Answer is A - Settings", "A"),
    ("A: Home\nB: About\nAnswer: B", "B"),
    ("A. foo\nB. bar\n\nB", "B"),
    ("A. foo\nB. bar\nI pick B", "B"),
    ("A\nB\nC\nD", None),
    ("B. Settings\nA is the other", "B"),
    ("The answer could be B, but I'd go with C.", "C"),
    ("The answer is A? No, the answer is B.", "B"),
    ("The answer is B. Option A leads home and option C to the help.", "B"),
    ("The answer to the question is B.", "B"),
    ("The answer is not A but B", "B"),
    ("I wouldn't choose B", None),
    ("The answer isn't A. It's C.", "C"),
    ("Neither A nor B; C.", "C"),
    ("None of A, B, C, D", None),
    ("Answer: B and C", None),
    ("A or B is correct", None),
    ("B is correct", "B"),
    ('{"answer": ["A", "B"]}', None),
    ('{"reason": "A is wrong", "answer": "C"}', "C"),
    ("<answer>\nThe element is B\n</answer>", "B"),
    ("final_answer: E", "E"),
    ("【C】", "C"),
    ("（Ｃ）", "C"),
    ("Ⓒ", "C"),
    ("选项是B", "B"),
    ("正しい答えはCです", "C"),
    ("the answer is z", None),
    ("Error code: 429 - {'error': {'type': 'A'}}", None),
    ("I think so", None),
    ("The correct answer is I think B", "B"),
]


@pytest.mark.parametrize(("text", "letter"), [(row[0], row[1]) for row in VISUALWEBBENCH])
def test_visualwebbench_reads_what_its_code_reads(text: str, letter: str | None) -> None:
    assert choice.visualwebbench_choice(text) == letter


@pytest.mark.parametrize(("text", "letter"), [(row[0], row[1]) for row in MMBENCH_GUI])
def test_mmbench_gui_reads_what_its_code_reads(text: str, letter: str | None) -> None:
    assert choice.mmbench_gui_choice(text) == letter


@pytest.mark.parametrize(("text", "letter"), [(row[0], row[2]) for row in VISUALWEBBENCH])
def test_the_robust_parser_fixes_visualwebbench(text: str, letter: str | None) -> None:
    assert choice.robust_choice(text, 8) == letter


@pytest.mark.parametrize(("text", "letter"), [(row[0], row[2]) for row in MMBENCH_GUI])
def test_the_robust_parser_fixes_mmbench_gui(text: str, letter: str | None) -> None:
    assert choice.robust_choice(text, 6) == letter


@pytest.mark.parametrize(("text", "letter"), ROBUST)
def test_the_robust_parser_reads_what_the_text_says(text: str, letter: str | None) -> None:
    assert choice.robust_choice(text, 8) == letter


def test_a_single_character_is_upper_cased_whatever_it_is() -> None:
    assert [choice.visualwebbench_choice(text) for text in "z7? "] == ["Z", "7", "?", " "]


def test_an_index_is_none_wherever_the_published_one_is_minus_one() -> None:
    texts = ["D: Settings", "I. text", "7", " ", "", "z", "ß", "nothing here"]
    assert [choice.visualwebbench_index(text) for text in texts] == [
        3, 8, None, None, None, 25, None, None
    ]  # fmt: skip


def test_fewer_options_are_searched_for_fewer_letters() -> None:
    assert choice.visualwebbench_choice("(D) or (B)", 3) == "B"
    assert choice.visualwebbench_index("option E or B", 4) == 1


def test_the_first_character_is_all_the_qwen_adapter_keeps() -> None:
    # PROTOCOLS 1.1 and 2: "The answer is B" becomes T.
    assert choice.first_character_choice("The answer is B") == "T"
    assert choice.first_character_choice("b. Settings") == "B"
    assert choice.first_character_choice("") is None


def test_the_exact_text_of_one_option_is_a_choice() -> None:
    options = ["About us", "Plan B", "Home  page", "Home"]
    assert choice.robust_choice(" home page.", options) == "C"
    assert choice.robust_choice("Plan B", options) == "B"
    assert choice.robust_choice("Home", ["Home", "home"]) is None


def test_without_options_every_letter_is_offered() -> None:
    assert choice.robust_choice("(Q)") == "Q"
    assert choice.robust_choice("(Q)", 0) is None
    assert choice.robust_choice("(Q)", 100) == "Q"


def published_visualwebbench(text: str) -> str | None:
    """Follow the description step by step, with two strings and a loop over the letters."""
    if len(text) == 1:
        return text.upper()
    if re.match(r"[A-Z]\.", text):
        return text[0]
    padded = f" {''.join(mark for mark in text if mark not in set(',.!?;:') | set(QUOTES))} "
    for form in ("({})", " {} "):
        places = {letter: padded.rfind(form.format(letter)) for letter in "ABCDEFGH"}
        if max(places.values()) >= 0:
            return max(places, key=lambda letter: places[letter])
    return None


QUOTES = "'\""
LETTERY = st.text(alphabet="ABHIa ().,:\"'\n\t-*xØ", max_size=30)
ANY_TEXT = st.one_of(
    st.text(max_size=80),
    LETTERY,
    st.lists(
        st.sampled_from(
            ["answer", "is", "option", ":", "A", "B", "a", "I", "(C)", "**", "not", "or", "wrong",
             "correct", "\n", "\\boxed{", "}", "。", "答案", "选", ",", "the", "choose", "Ｄ", "."]
        ),
        max_size=20,
    ).map(" ".join),
)  # fmt: skip


@pytest.mark.slow
@given(st.one_of(LETTERY, st.text()))
def test_visualwebbench_equals_its_description_carried_out_slowly(text: str) -> None:
    assert choice.visualwebbench_choice(text) == published_visualwebbench(text)


@given(ANY_TEXT, st.integers(min_value=0, max_value=26))
def test_the_robust_parser_never_leaves_the_offered_letters(text: str, options: int) -> None:
    letter = choice.robust_choice(text, options)
    assert letter is None or letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:options]


@given(ANY_TEXT, st.lists(st.text(max_size=8), max_size=8))
def test_option_texts_are_offered_letters_too(text: str, options: list[str]) -> None:
    letter = choice.robust_choice(text, options)
    assert letter is None or letter in "ABCDEFGH"[: len(options)]


@given(ANY_TEXT)
def test_mmbench_gui_reads_a_letter_a_to_f_or_none(text: str) -> None:
    assert choice.mmbench_gui_choice(text) in {None, *"ABCDEF"}


@given(st.sampled_from("ABCDEFGH"), st.sampled_from(["{}", "({})", "Answer: {}", "**{}**", "{}."]))
def test_a_plain_answer_reads_as_itself(letter: str, form: str) -> None:
    assert choice.robust_choice(form.format(letter), 8) == letter


@pytest.mark.slow
@pytest.mark.parametrize("word", ["answer", "A", "A is", "option", "answer to", "option is the"])
def test_a_long_run_of_spaces_comes_back(word: str) -> None:
    text = f"{word}{' ' * 1_000_000}x"
    choice.visualwebbench_choice(text)
    choice.mmbench_gui_choice(text)
    choice.robust_choice(text, 8)
