"""Answers as Python holds them are graded as a dict of them is; what is none of them is refused."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas
import pytest
from pydantic import BaseModel

from snellen import sdk

polars = pytest.importorskip("polars")

REFERENCES = {f"s/{number}": [f"word{number}"] for number in range(6)}
SAID = {item: words[0] for item, words in REFERENCES.items()}


class Message(BaseModel):
    """An object of an SDK."""

    role: str = "assistant"
    content: str


def graded(answers: Any, **options: Any) -> sdk.Report:
    return sdk.grade(answers, task="screenqa/short", references=REFERENCES, **options)


NAMED: dict[str, Callable[[dict[str, str]], Iterable[Any]]] = {
    "pairs": lambda said: list(said.items()),
    "lists of two": lambda said: [list(pair) for pair in said.items()],
    "items of a dict": lambda said: said.items(),
    "zip": lambda said: zip(said, said.values(), strict=True),
    "generator of pairs": lambda said: (pair for pair in said.items()),
    "array of pairs": lambda said: np.array(list(said.items())),
    "Series": pandas.Series,
    "frame by id": lambda said: pandas.DataFrame({"response": said}),
    "frame by a named id": lambda said: pandas.DataFrame({"prediction": said}).rename_axis("key"),
    "objects by id": lambda said: {item: Message(content=text) for item, text in said.items()},
}
ORDERED: dict[str, Callable[[dict[str, str]], Iterable[Any]]] = {
    "list": lambda said: list(said.values()),
    "generator": lambda said: (text for text in said.values()),
    "array": lambda said: np.array(list(said.values())),
    "Series in order": lambda said: pandas.Series(list(said.values())),
    "Series of polars": lambda said: polars.Series(list(said.values())),
    "objects": lambda said: [Message(content=text) for text in said.values()],
    "messages": lambda said: [{"role": "assistant", "content": text} for text in said.values()],
}


@pytest.mark.parametrize("name", NAMED)
def test_answers_that_name_their_items_may_come_in_any_order(name: str) -> None:
    turned = dict(reversed(SAID.items()))
    assert graded(NAMED[name](turned)).value == 1.0
    assert graded(NAMED[name](dict(list(turned.items())[:3]))).value == 0.5


@pytest.mark.parametrize("name", ORDERED)
def test_answers_without_ids_come_one_an_item_in_order(name: str) -> None:
    assert graded(ORDERED[name](SAID)).value == 1.0
    assert graded(ORDERED[name](dict(reversed(SAID.items())))).value == 0.0
    with pytest.raises(sdk.SubmissionError, match="5 answers without ids for 6 items"):
        graded(ORDERED[name](dict(list(SAID.items())[:5])))


def test_pairs_of_items_that_nobody_knows_are_refused_and_no_answers_in_order() -> None:
    with pytest.raises(sdk.SubmissionError, match="none of the 6 item ids"):
        graded([(f"other/{number}", text) for number, text in enumerate(SAID.values())])


def test_an_unknown_item_among_pairs_is_a_problem() -> None:
    report = graded([*SAID.items(), ("other", "word1")])
    assert report.value == 1.0
    assert "no item 'other'" in " ".join(report.warnings)


def test_answers_that_are_lists_of_two_texts_stay_answers() -> None:
    references = {"a": [["Save", "Cancel"]], "b": [["Yes", "No"]]}
    answers = [["Save", "Cancel"], ["Yes", "No"]]
    report = sdk.grade(answers, task="screenqa/ui_contents", references=references)
    assert report.value == 1.0


def test_a_missing_cell_of_a_series_is_a_missing_answer() -> None:
    report = graded(pandas.Series({**SAID, "s/0": None}))
    assert report.input.outcomes[sdk.Outcome.MISSING] == 1


def test_references_may_be_a_series_and_hold_arrays() -> None:
    references = pandas.Series({item: np.array(words) for item, words in REFERENCES.items()})
    report = sdk.grade(SAID, task="screenqa/short", references=references)
    assert report.value == 1.0
