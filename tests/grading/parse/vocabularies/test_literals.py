"""Python and JSON literals: the values that Python reads, and nothing that it runs."""

import ast
from contextlib import suppress

import pytest

from snellen.grading.parse.vocabularies.literals import json_fields, python_literal


@pytest.mark.parametrize(
    "text",
    [
        "(1, 2)",
        "600, 578.1",
        "[[1, 2], (3.,)]",
        "{'a': None, \"b\": [True, -1]}",
        "'it' 's'",
        "u'x'",
        "...",
        "1_000",
        "0x1F",
        "1e-5",
        "(1, 2)  # a comment",
        "(" * 150 + "1, 2" + ")" * 150,
    ],
)
def test_a_literal_has_the_value_that_python_gives_it(text: str) -> None:
    assert python_literal(text) == ast.literal_eval(text)


def test_a_backslash_that_escapes_nothing_is_kept_without_a_warning() -> None:
    assert python_literal(r"'\d\n'") == "\\d\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "f(1)",
        "(1)(2)",
        "1 if 2 else 3",
        "[1, 2",
        "2 * 3",
        "r'x'",
        "'a",
        "9" * 5000,
        "(" * 300 + ")" * 300,
        "'\0'",
        "{[]: 1}",
    ],
)
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no Python literal"):
        python_literal(text)


@pytest.mark.slow
@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["1,", "[", "-", "'a'", "{1:", "1.", "\\", "'", "1e", "(1 2)"])
def test_a_long_text_is_read_or_refused_in_time(piece: str) -> None:
    with suppress(ValueError):
        python_literal(piece * (200_000 // len(piece)))


@pytest.mark.parametrize("text", ["[1]", "x", '{"a": 1} tail', '```json\n{"a": 1}\n```', "1", ""])
def test_json_that_is_no_object_has_no_fields(text: str) -> None:
    assert json_fields(text) is None


def test_json_fields_are_those_of_an_object() -> None:
    assert json_fields(' {"a": [1]}\n') == {"a": [1]}
