"""An answer says its format, its space and its view; what it can't say so is named."""

import json

import pytest

from snellen.grading.actions.declaring import ReadAs, declared
from snellen.grading.errors import InputError


def test_an_answer_that_says_nothing_is_itself() -> None:
    for response in ("click(1, 2)", {"x": 1}, [1, 2], '{"response": "x"}', None):
        assert declared(response) == (response, None, None, None)


@pytest.mark.parametrize("as_text", [False, True])
def test_format_space_and_view_stand_beside_the_response(as_text: bool) -> None:
    given = {"format": "qwen3vl", "space": "view", "view": [1280, 720], "response": "x"}
    said = declared(json.dumps(given) if as_text else given)
    assert (said.response, said.format and said.format.name) == ("x", "qwen3-vl")
    assert (said.counts and said.counts.id, said.view and said.view.width) == ("view", 1280)


def test_a_view_alone_says_that_its_pixels_are_counted() -> None:
    counts = declared({"view": [1280, 720], "response": "x"}).counts
    assert counts is not None
    assert counts.id == "view"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": "qwen", "spaec": "unit"}, "unknown field 'spaec' beside the response"),
        ({"format": "qwem"}, "no format 'qwem'; did you mean 'qwen'"),
        ({"space": "inches"}, "no space 'inches'"),
        ({"view": [0, 5]}, r"view must be \[width, height\] in pixels"),
        ({"view": "1280x720"}, r"view must be \[width, height\] in pixels"),
        ({"format": 3}, "a format is named by a text"),
    ],
)
def test_what_it_says_wrong_is_named(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        declared({**fields, "response": "x"})


def test_what_a_caller_says_holds_for_answers_that_say_nothing() -> None:
    said = ReadAs("qwen3vl", "thousand", (1280, 720)).checked()
    assert said.words == "qwen3-vl,space=thousand,view=1280x720"
    assert declared(said.wrap("x")).counts is not None
    own = {"format": "ui-tars", "response": "x"}
    assert [said.wrap(given) for given in (own, None, " ")] == [own, None, " "]
