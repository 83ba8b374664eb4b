"""Calls are found in one pass, none inside another, in time linear in the length of the text."""

import pytest

from snellen.grading.calls import Call, TooManyError, scan

KNOWN = {"click", "type"}


def found(text: str) -> list[Call]:
    return list(scan(text, KNOWN))


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ('{"a": [1, 2]}', {"a": [1, 2]}),
        ("{'a': 'it's', 'b': None}", {"a": "it's", "b": None}),
        ("click(x=.5, y=-1e2)", {"x": 0.5, "y": -100.0}),
        ("click(text='a \\'b\\' \\u00e9\\n')", {"text": "a 'b' é\n"}),
        ("click(start = {'a': (1, [2])})", {"start": {"a": [1, [2]]}}),
        ("<function=click><parameter=at>[1, 2]</parameter></function>", {"at": [1, 2]}),
        ('<function name="click"><parameter name="at">a b</parameter></function>', {"at": "a b"}),
    ],
)
def test_a_call_is_read_with_its_arguments(text: str, given: object) -> None:
    assert [call.given for call in found(f"before {text} after")] == [given]


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (r"r'C:\temp'", r"C:\temp"),
        ("u'a'", "a"),
        ("f'plain'", "plain"),
        ('"""say "hi"\n"""', 'say "hi"\n'),
        ("'''it's'''", "it's"),
        ("'a' 'b'", "ab"),
        ("'a' + \"b\"", "ab"),
        (r"'\101\N{BULLET}\x41\q'", "A\u2022A\\q"),
        ("'it's here'", "it's here"),
        ("'the cats''", "the cats'"),
    ],
)
def test_a_text_is_read_as_python_reads_it_or_with_its_apostrophes(literal: str, text: str) -> None:
    assert [call.positional for call in found(f"type({literal})")] == [(text,)]


@pytest.mark.parametrize("text", ["type(f'a {name}')", "type('a' + name)", "type('a' * 3)"])
def test_a_text_that_a_program_would_make_is_not_read(text: str) -> None:
    assert found(text) == []


def test_calls_that_are_passed_over_are_yielded_by_name_on_request() -> None:
    text = "open('a'); click(1); type(name)"
    calls = [(call.name, call.form) for call in scan(text, KNOWN, unread=True)]
    assert calls == [("open", "unread"), ("click", "call"), ("type", "unread")]


def test_what_stands_inside_a_call_is_no_call() -> None:
    (call,) = found('type(content=\'{"action": "click"} click(x=1)\')')
    assert call.name == "type"


@pytest.mark.parametrize(
    "text", ["click(now)", "click(x=1+1)", "click(x=f())", "open(x=1)", "{a: 1}"]
)
def test_what_is_no_literal_is_no_call(text: str) -> None:
    assert found(text) == []


HOSTILE = {
    "braces": "{",
    "objects": '{"a":',
    "dictionaries": "{'a':",
    "calls": "click(",
    "calls of lists": "click([",
    "open strings": "click('",
    "apostrophes": "click('a'b ",
    "tags": "<function=a><parameter=b>",
    "digits": "1",
    "pairs": "(1, 2) ",
    "sums": "click(x=1+",
    "texts side by side": "click('a' 'b' ",
    "texts of three quotes": "click('''a",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_beginnings_ends_in_nothing_or_in_a_refusal(name: str) -> None:
    try:
        assert found((HOSTILE[name] * 1_000_000)[:1_000_000]) == []
    except TooManyError:
        assert name not in ("digits", "pairs")
