from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import Submission
from snellen.sdk.submissions import Batch, read


def only(source: Any) -> Batch:
    (batch,) = read(source)
    return batch


ROW = {"item_id": "a", "response": "x"}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param([ROW], id="list"),
        pytest.param((ROW,), id="tuple"),
        pytest.param(iter([ROW]), id="iterator"),
        pytest.param((row for row in [ROW]), id="generator"),
        pytest.param([MappingProxyType(ROW)], id="mappings"),
        pytest.param([Submission(item_id="a", response="x")], id="models"),
        pytest.param({1: ROW}.values(), id="view"),
    ],
)
def test_any_iterable_of_dicts_or_models_is_read(source: Any) -> None:
    batch = only(source)
    assert (batch.item_ids, batch.responses, list(batch.lines)) == (["a"], ["x"], [1])
    assert (batch.file, batch.bytes_read, batch.bytes_total) == (None, None, None)


def test_every_field_of_a_model_is_taken() -> None:
    full = Submission(item_id="a", response=[1], attempt=2, model="m", error="e", meta={"t": 1})
    batch = only([full])
    assert (batch.item_ids, batch.responses, batch.attempts) == (["a"], [[1]], [2])
    assert (batch.errors, batch.models, batch.problems) == (["e"], ["m"], [])


def test_a_model_whose_response_was_never_set_is_named() -> None:
    batch = only([Submission(item_id="a"), Submission(item_id="b", response=None)])
    assert batch.responses == [None, None]
    assert [(problem.line, problem.field) for problem in batch.problems] == [(1, "response")]


def test_a_model_with_text_that_can_not_be_stored_is_named() -> None:
    batch = only([Submission(item_id="a", response="\ud83d"), ROW])
    assert (batch.item_ids, list(batch.lines)) == (["a"], [2])
    assert [problem.kind for problem in batch.problems] == [ProblemKind.MALFORMED]


@pytest.mark.parametrize("row", ["text", 5, None, ["a", "x"], object()])
def test_a_row_that_is_neither_is_named_and_its_neighbours_stay(row: object) -> None:
    batch = only([ROW, row, ROW])
    assert list(batch.lines) == [1, 3]
    (problem,) = batch.problems
    assert (problem.kind, problem.line) == (ProblemKind.WRONG_TYPE, 2)
    assert "a submission must be a dict or a Submission" in problem.message


@pytest.mark.parametrize("source", [ROW, Submission(item_id="a")])
def test_one_submission_is_told_to_come_in_a_list(source: Any) -> None:
    with pytest.raises(SubmissionError, match="is not a list of submissions; put it into one"):
        read(source)


def test_an_iterator_is_taken_only_as_far_as_batches_are_asked_for() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for i in range(100):
            taken.append(i)
            yield {"item_id": str(i), "response": "x"}

    batches = read(rows(), chunk=10)
    assert taken == []
    assert next(batches).item_ids == [str(i) for i in range(10)]
    assert len(taken) == 10


def test_an_error_of_the_iterator_is_not_hidden() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield ROW
        raise ConnectionError("the model is gone")

    with pytest.raises(ConnectionError, match="the model is gone"):
        list(read(rows()))


def test_a_value_that_holds_itself_is_named() -> None:
    loop: list[Any] = []
    loop.append(loop)
    batch = only([ROW, {"item_id": "b", "response": loop}])
    assert batch.item_ids == ["a"]
    assert "nested more than 100 levels deep" in batch.problems[0].message


def test_an_id_that_can_not_be_stored_loses_its_row() -> None:
    batch = only([{**ROW, "item_id": "\ud83d"}, ROW])
    assert list(batch.lines) == [2]
    assert [(problem.kind, problem.field) for problem in batch.problems] == [
        (ProblemKind.MALFORMED, "item_id")
    ]


def test_a_number_too_large_to_be_written_loses_its_row() -> None:
    batch = only([{**ROW, "response": 10**400}, {**ROW, "attempt": 10**5000}, ROW])
    assert list(batch.lines) == [3]
    assert [problem.field for problem in batch.problems] == ["response", "attempt"]


def test_an_error_of_any_type_still_counts_as_one() -> None:
    batch = only([{**ROW, "error": TimeoutError("slow")}, {**ROW, "error": [{1}]}])
    assert batch.errors == ["a value of type TimeoutError", "a list"]
    assert [problem.line for problem in batch.problems] == [1, 2]


def test_a_wrong_text_in_error_or_model_does_not_lose_the_row() -> None:
    batch = only([{**ROW, "error": "\ud83d!", "model": "\ud83d"}])
    assert (batch.errors, batch.models) == (["\\ud83d!"], None)
    assert [problem.field for problem in batch.problems] == ["error", "model"]
