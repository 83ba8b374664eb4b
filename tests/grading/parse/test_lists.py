"""Free text to a list of UI texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.parse.lists import ui_texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ('["Sign in", "4.3"]', ["Sign in", "4.3"]),
        ('```json\n["Sign in"]\n```', ["Sign in"]),
        ('```["Sign in"]```', ["Sign in"]),
        ('The UI elements are: ["Sign in"]', ["Sign in"]),
        ('Here they are\n["Sign in"]', ["Sign in"]),
        ("['Sign in', \"it's\"]", ["Sign in", "it's"]),
        (r"['it\'s', 'a\\b', 'two\nlines',]", ["it's", "a\\b", "two\nlines"]),
        (r"['\xe9\u20ac\U0001f600', '\U99999999']", ["é€😀", "U99999999"]),
        ("[Sign in, Log in]", ["Sign in", "Log in"]),
        ("[“Sign in”, “Log, in”]", ["Sign in", "Log, in"]),
        ("[1, 2.50]", ["1", "2.50"]),
        ('[{"text": "Sign in", "box": [0, 0, 1, 1]}]', ["Sign in"]),
        ("- Sign in\n- Log in", ["Sign in", "Log in"]),
        ("The elements:\n* Sign in\n• 'Log in'", ["Sign in", "Log in"]),
        ("1. Sign in\n2) Log in", ["Sign in", "Log in"]),
        ("Sign in", ["Sign in"]),
        ('"Sign in"', ["Sign in"]),
        ("Sign in [beta]", ["Sign in [beta]"]),
        ("Sign in\n\nLog in", ["Sign in", "Log in"]),
        ("4.3 stars", ["4.3 stars"]),
        ("[]", []),
        ("[ ]", []),
        ("<no answer>", []),
        (" <No Answer> ", []),
        ("", None),
        (" \n", None),
        ("```\n```", None),
        ("[", None),
        ('["Sign in", ', None),
        ('["Sign in", null]', None),
        ("[['Sign in']]", None),
        ("['a'] ['b']", None),
    ],
)
def test_lists_in_every_form(text: str, texts: list[str] | None) -> None:
    assert ui_texts(text) == texts


@given(st.lists(st.text()))
def test_a_json_array_reads_as_itself(texts: list[str]) -> None:
    assert ui_texts(json.dumps(texts)) == texts


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["C"]), max_size=10), max_size=6))
def test_a_python_list_reads_as_itself(texts: list[str]) -> None:
    assert ui_texts(repr(texts)) == texts


@given(st.one_of(st.text(), st.text(alphabet="[]\"',\\ \n-1.`a:{}")))
def test_any_text_gives_texts_or_none(text: str) -> None:
    texts = ui_texts(text)
    assert texts is None or all(type(element) is str for element in texts)
