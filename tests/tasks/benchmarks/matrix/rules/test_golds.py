from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.matrix.rules import GOLD, NOT_HERE

OPTIONS = ["Home", "Settings", "About"]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"metric": "bleuu", "answer": "x"}, "no metric 'bleuu'; did you mean 'bleu'"),
    ({"metric": "CIDEr-D", "answer": "x"}, "defined on a whole corpus"),
    ({"metric": "execution", "answer": "execution_pass"}, "use code, which runs"),
    ({"metric": "f1"}, "missing required field `answer`"),
    ({"metric": "f1", "answer": "x", "anwser": "y"}, "unknown field `anwser`"),
    ({"metric": "f1", "answer": " "}, "an accepted text is blank"),
    ({"metric": "f1", "answer": []}, "the list is empty"),
    ({"metric": "f1", "answer": 3}, "a text, or a list of texts, for f1"),
    ({"metric": "f1", "answer": "A", "options": OPTIONS}, "takes no options; use accuracy"),
    ({"metric": "f1", "answer": "x", "pass": 0}, "pass"),
    ({"metric": "f1", "answer": "x", "settings": {"relative": 1}}, "no setting 'relative'"),
    (
        {"metric": "numeric", "answer": 1, "settings": {"relativ": 1}},
        "did you mean 'relative'",
    ),
    ({"metric": "numeric", "answer": 1, "settings": {"relative": -1}}, "settings"),
    ({"metric": "numeric", "answer": "Q3"}, "no number in it"),
    ({"metric": "numeric", "answer": "3 km", "settings": {"unit": "km"}}, "leave it out"),
    ({"metric": "accuracy", "answer": "D", "options": OPTIONS}, "'D' is not an option"),
    ({"metric": "accuracy", "answer": "A", "options": ["x"]}, "expected 2 to 26 options"),
    ({"metric": "accuracy", "answer": "A", "options": ["x", " X"]}, "two options have the text"),
    ({"metric": "accuracy", "answer": "A", "options": ["x", " "]}, "an option is blank"),
    ({"metric": "accuracy", "answer": "A", "options": ["B", "A"]}, "reword the options"),
    ({"metric": "list_f1", "answer": ["a", ["b"]]}, "mixes texts and lists"),
    ({"metric": "relation", "answer": {"a": "left"}}, "is not the name of a pair"),
    ({"metric": "relation", "answer": {"a|b": "beside"}}, "beside"),
    ({"metric": "box", "answer": [10, 20, 30, 40]}, "image_size"),
    ({"metric": "box", "answer": [0.5, 0.5, 0.5, 0.6]}, "is not a box"),
    ({"metric": "point", "answer": [0, 0, 9, 9], "settings": {"image_size": [8, 8]}}, "8 x 8"),
    ({"metric": "spec", "answer": None}, "null is not an answer"),
    ({"metric": "tool_call", "answer": {"arguments": {}}}, "missing required field `name`"),
    ({"metric": "tool_call", "answer": []}, "the list is empty"),
    ({"metric": "decisions", "answer": []}, "there is none"),
    ({"metric": "decisions", "answer": "open"}, "a list of steps"),
    ({"metric": "code", "answer": "x = 1"}, "one of tests"),
    ({"metric": "code", "answer": 1, "settings": {"prints": ""}}, "a program that is right"),
]


@pytest.mark.parametrize(("reference", "message"), WRONG)
def test_a_reference_that_does_not_fit_says_what_does(reference: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        GOLD.read(reference)
    assert message in str(caught.value)


def test_a_reference_by_which_no_answer_would_be_right_is_refused() -> None:
    # A relation between regions whose names can't be told apart is never read.
    with pytest.raises(DataError, match="is not right by relation"):
        GOLD.read({"metric": "relation", "answer": {"a.png|a.jpg": "left"}})


@pytest.mark.parametrize("name", NOT_HERE)
def test_metrics_that_are_not_here_say_why(name: str) -> None:
    with pytest.raises(DataError, match="is not a metric of an item"):
        GOLD.read({"metric": name, "answer": "x"})


def test_an_option_may_be_named_by_its_text() -> None:
    gold = GOLD.read({"metric": "accuracy", "answer": ["settings", "C"], "options": OPTIONS})
    assert list(GOLD.responses(gold)) == ["B", "C"]
    assert GOLD.context(gold).texts == tuple(OPTIONS)
    assert GOLD.context(gold).options == 3


def test_a_context_tells_the_form_and_nothing_of_the_answer() -> None:
    gold = GOLD.read({"metric": "numeric", "answer": 42, "settings": {"unit": "km"}})
    assert GOLD.context(gold)._asdict() == {
        "options": None,
        "width": None,
        "height": None,
        "limit": None,
        "platform": None,
        "names": (),
        "form": "numeric",
        "texts": (),
    }
