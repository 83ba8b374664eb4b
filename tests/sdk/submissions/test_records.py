"""The rules for one record, each through every kind of source that can express it."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.models.reports import Problem, ProblemKind
from snellen.grading.models.scores import Submission
from snellen.sdk.submissions import Batch, read

OTHER = {"item_id": "other", "response": "fine"}
Reader = Callable[[list[dict[str, Any]]], Batch]


@pytest.fixture(params=["memory", "jsonl", "json", "json with a fault"])
def reading(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    def read_rows(rows: list[dict[str, Any]]) -> Batch:
        source: Any = rows
        if request.param == "jsonl":
            source = tmp_path / "answers.jsonl"
            source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif request.param.startswith("json"):
            source = tmp_path / "answers.json"
            # An element that strict JSON can't be makes the whole file take the lenient way.
            wrong: Any = [float("nan")] if request.param == "json with a fault" else []
            source.write_text(json.dumps([*rows, *wrong], indent=1))
        (batch,) = read(source)
        if request.param == "json with a fault":
            assert batch.problems.pop().line == len(rows) + 1
        return batch

    return read_rows


def the_problem(batch: Batch) -> Problem:
    (problem,) = batch.problems
    assert problem.line == 2
    return problem


WRONG, BROKEN = ProblemKind.WRONG_TYPE, ProblemKind.MALFORMED
SKIPPED = "the submission was skipped"
WHOLE = "attempt must be a whole number from 0 to 2147483647, not "
ATTEMPTS: list[Any] = ["x", "1", 1.5, -1, True, [1], {}, 2**31, 10**30]
METAS: list[Any] = [[], "text", 5, True]
MODELS: list[Any] = [[], {}, 5, False]
# fmt: off
LOST: list[tuple[dict[str, Any], ProblemKind, str, str]] = [
    ({"item_id": 5}, WRONG, "item_id", 'item_id is the number 5; ids are text like "test/5/0"'),
    ({"item_id": 5.5}, WRONG, "item_id", "item_id is the number 5.5;"),
    ({"item_id": None}, WRONG, "item_id", "item_id is missing;"),
    ({"item_id": True}, WRONG, "item_id", "item_id is a boolean;"),
    ({"item_id": ["a"]}, WRONG, "item_id", "item_id is a list;"),
    ({"item_id": {"a": 1}}, WRONG, "item_id", "item_id is an object;"),
    *(({"attempt": wrong}, WRONG, "attempt", WHOLE) for wrong in ATTEMPTS),
    *(({"response": wrong}, BROKEN, "response", "")
      for wrong in ("\ud83d", ["\ude00"], {"\ud83d": 1})),
    *(({"response": wrong}, BROKEN, "", "")
      for wrong in ([math.nan], {"a": math.inf}, [-math.inf])),
]
KEPT: list[tuple[dict[str, Any], str]] = [
    *(({"meta": wrong}, "meta") for wrong in METAS),
    *(({"model": wrong}, "model") for wrong in MODELS),
]
# fmt: on


@pytest.mark.parametrize(("change", "kind", "field", "message"), LOST)
def test_a_field_that_can_not_be_read_loses_its_record(
    reading: Reader, change: dict[str, Any], kind: ProblemKind, field: str, message: str
) -> None:
    batch = reading([OTHER, {"item_id": "a", "response": "x", **change}, OTHER])
    assert (batch.item_ids, list(batch.lines)) == (["other", "other"], [1, 3])
    problem = the_problem(batch)
    assert problem.kind is kind
    assert problem.field == field or not field
    assert message in problem.message
    assert kind is BROKEN or problem.message.endswith(SKIPPED)


@pytest.mark.parametrize(("change", "field"), KEPT)
def test_a_wrong_meta_or_model_is_named_and_its_record_stays(
    reading: Reader, change: dict[str, Any], field: str
) -> None:
    batch = reading([OTHER, {"item_id": "a", "response": "x", **change}])
    assert (batch.item_ids, batch.models) == (["other", "a"], None)
    problem = the_problem(batch)
    assert (problem.kind, problem.field) == (WRONG, field)


def test_an_absent_id_loses_its_record(reading: Reader) -> None:
    problem = the_problem(reading([OTHER, {"response": "x"}]))
    assert (problem.kind, problem.field) == (WRONG, "item_id")


@pytest.mark.parametrize(("attempt", "number"), [(2, 2), (2.0, 2), (None, 0), (2**31 - 1,) * 2])
def test_a_whole_attempt_is_taken_and_none_is_the_first(
    reading: Reader, attempt: object, number: int
) -> None:
    batch = reading([{"item_id": "a", "response": "x", "attempt": attempt}])
    assert (batch.attempts, batch.problems) == ([number] if number else None, [])


@pytest.mark.parametrize(
    ("error", "kept"),
    [(True, "true"), (500, "500"), ({"code": 500}, '{"code": 500}'), ([], "[]"), (False, None)],
)
def test_a_wrong_error_is_named_and_still_an_error_unless_false(
    reading: Reader, error: object, kept: str | None
) -> None:
    batch = reading([OTHER, {"item_id": "a", "response": "x", "error": error}])
    assert batch.item_ids == ["other", "a"]
    assert (batch.errors or [None, None])[1] == kept
    problem = the_problem(batch)
    assert (problem.kind, problem.field) == (ProblemKind.WRONG_TYPE, "error")


def test_an_empty_error_or_model_is_none(reading: Reader) -> None:
    batch = reading([{"item_id": "a", "response": "x", "error": "", "model": ""}])
    assert (batch.errors, batch.models, batch.problems) == (None, None, [])


def test_a_missing_response_without_an_error_is_named_and_the_record_stays(
    reading: Reader,
) -> None:
    batch = reading([OTHER, {"item_id": "a"}, {"item_id": "b", "error": "broke"}])
    assert (batch.item_ids, batch.responses) == (["other", "a", "b"], ["fine", None, None])
    problem = the_problem(batch)
    assert (problem.kind, problem.field) == (ProblemKind.WRONG_TYPE, "response")
    assert "missing" in problem.message


def test_a_null_response_is_an_answer_that_says_nothing(reading: Reader) -> None:
    batch = reading([{"item_id": "a", "response": None}])
    assert (batch.responses, batch.problems) == ([None], [])


@pytest.mark.parametrize(
    "response", ["", "£", "\0", 7, -0.5, True, [], {}, [[1, None], {"a": ["b"]}], 10**22]
)
def test_any_json_is_a_response(reading: Reader, response: object) -> None:
    batch = reading([{"item_id": "a", "response": response}])
    assert (batch.responses, batch.problems) == ([response], [])


@pytest.mark.parametrize(("levels", "kept"), [(100, True), (101, False)])
def test_nesting_has_a_limit(reading: Reader, levels: int, kept: bool) -> None:
    response: Any = []
    for _ in range(levels - 1):
        response = [response]
    batch = reading([OTHER, {"item_id": "a", "response": response}])
    assert batch.item_ids == (["other", "a"] if kept else ["other"])
    if kept:
        assert Submission(item_id="a", response=response).model_dump_json()
    else:
        assert "nested" in the_problem(batch).message


def test_unknown_fields_are_ignored(reading: Reader) -> None:
    batch = reading([{**OTHER, "latency": 3, "tags": [1]}])
    assert (batch.item_ids, batch.problems) == (["other"], [])


def test_several_faults_of_one_record_are_all_named(reading: Reader) -> None:
    batch = reading([{"item_id": "a", "response": "x", "model": 1, "error": 2, "meta": 3}])
    assert [problem.field for problem in batch.problems] == ["error", "model", "meta"]


def test_messages_stay_short_and_can_be_stored() -> None:
    (batch,) = read([OTHER, {"item_id": "a", "response": "x", "attempt": "\ud83d" * 10_000}])
    message = the_problem(batch).message
    assert len(message) < 400
    assert message.encode()


@pytest.mark.slow
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.text()
        | st.floats()
        | st.integers()
        | st.binary()
        | st.dates(),
        lambda inner: (
            st.lists(inner)
            | st.tuples(inner)
            | st.sets(st.text())
            | st.dictionaries(st.text() | st.integers(), inner)
        ),
        max_leaves=6,
    )
)
def test_whatever_is_kept_can_be_stored_and_whatever_is_not_is_named(response: Any) -> None:
    (batch,) = read([OTHER, {"item_id": "a", "response": response}])
    assert (len(batch.item_ids) == 2) != bool(batch.problems)
    for kept in batch.responses:
        assert Submission(item_id="a", response=kept).model_dump_json()  # pyright: ignore[reportArgumentType]  # JSON, as the test shows
    for problem in batch.problems:
        assert problem.model_dump_json()


def test_values_of_numpy_become_pythons() -> None:
    rows = [
        {"item_id": np.str_("a"), "response": np.array([[1, 2]]), "attempt": np.int64(3)},
        {"item_id": "b", "response": np.float32(0.5), "model": np.str_("m"), "error": np.nan},
    ]
    (batch,) = read(rows)
    assert batch.responses == [[[1, 2]], 0.5]
    assert {type(item) for item in batch.item_ids} == {str}
    assert (batch.attempts, batch.errors, batch.problems) == ([3, 0], None, [])
