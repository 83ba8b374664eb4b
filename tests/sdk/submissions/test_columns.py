"""Answers whose columns have other names."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from snellen import sdk
from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions import Batch, read

ROWS = [{"id": "a", "prediction": "x", "note": "1"}, {"id": "b", "prediction": "y", "note": "2"}]


def source(kind: str, folder: Path, rows: list[dict[str, Any]]) -> Any:
    """The same rows in every form that submissions come in."""
    path = folder / f"answers.{kind}"
    match kind:
        case "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        case "json":
            path.write_text(json.dumps(rows), encoding="utf-8")
        case "csv":
            pd.DataFrame(rows).to_csv(path, index=False)
        case "parquet":
            pd.DataFrame(rows).to_parquet(path)
        case "frame":
            return pd.DataFrame(rows)
        case _:
            return iter(rows)
    return path


def whole(source: Any, **options: Any) -> Batch:
    """The one batch of a small source."""
    (batch,) = read(source, **options)
    return batch


KINDS = ["jsonl", "json", "csv", "parquet", "frame", "iterator"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_usual_name_is_taken_and_said(kind: str, tmp_path: Path) -> None:
    batch = whole(source(kind, tmp_path, ROWS))
    assert (batch.item_ids, batch.responses, batch.problems) == (["a", "b"], ["x", "y"], [])
    assert batch.notices == (
        "'id' was read as item_id and 'prediction' was read as response, which the answers do not"
        " have by that name; --map NAME=FIELD reads another",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_is_said_is_taken_in_place_of_ours(kind: str, tmp_path: Path) -> None:
    rows = [{"item_id": "a", "response": "old", "text": "new", "who": "m"}]
    columns = {"text": "response", "who": "model"}
    batch = whole(source(kind, tmp_path, rows), columns=columns)
    assert (batch.item_ids, batch.responses, batch.models) == (["a"], ["new"], ["m"])
    assert (batch.problems, batch.notices) == ([], ())
    # Nor does the other name come through in rows that are read one by one.
    rows = [{"item_id": "a", "response": "old", "text": [1]}, {"item_id": 5, "text": "y"}]
    if kind in ("jsonl", "json", "iterator"):
        batch = whole(source(kind, tmp_path, rows), columns={"text": "response"})
        assert (batch.responses, len(batch.problems)) == ([[1]], 1)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_of_two_names_that_fit_none_is_taken(kind: str, tmp_path: Path) -> None:
    rows = [{"item_id": "a", "prediction": "x", "answer": "y"}]
    said = (
        r"field 'response': .* several could be it: 'prediction', 'answer'; say which it is with"
        r" --map prediction=response, in Python with columns=\{'prediction': 'response'\}"
    )
    with pytest.raises(SubmissionError, match=said):
        whole(source(kind, tmp_path, rows))
    assert whole(source(kind, tmp_path, rows), columns={"answer": "response"}).responses == ["y"]


@pytest.mark.parametrize("kind", ["jsonl", "json", "iterator"])
def test_records_without_a_name_that_fits_say_what_there_is(kind: str, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"item_id is missing.*found: 'number', 'pred'; say"):
        list(read(source(kind, tmp_path, [{"number": "a", "pred": "x"}])))
    rows = [{"item_id": "a", "prediction": "x", "answer": "y"}]
    with pytest.raises(SubmissionError, match="no row has a response; several could be it: 'pred"):
        whole(source(kind, tmp_path, rows))


@pytest.mark.parametrize("name", ["ID", "Question ID", "question-id", "itemId", "Item_ID", "qid"])
def test_case_and_spaces_of_a_usual_name_do_not_count(name: str) -> None:
    assert whole([{name: "a", "Model Answer": "x"}]).item_ids == ["a"]


def test_our_own_names_come_first() -> None:
    rows = [{"item_id": "a", "id": "1", "response": "x", "answer": "reference"}]
    batch = whole(rows)
    assert (batch.item_ids, batch.responses, batch.notices) == (["a"], ["x"], ())


def test_the_first_record_decides_for_the_file() -> None:
    rows = [{"id": "a", "answer": "x"}, {"id": "b", "prediction": "y"}]
    batch = whole(rows)
    assert batch.responses == ["x", None]
    assert [problem.field for problem in batch.problems] == ["response"]


def test_a_faulty_first_line_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('oops\n\n{"id": "a", "pred": "x"}\n{"id": "b", "pred": "y"}\n')
    batch = whole(path)
    assert (batch.item_ids, batch.lines, len(batch.problems)) == (["a", "b"], range(3, 5), 1)


def test_without_guessing_only_what_is_said_is_taken() -> None:
    with pytest.raises(SubmissionError, match="item_id is missing"):
        list(read([{"id": "a", "response": "x"}], guess=False))
    columns = {"id": "item_id"}
    assert whole([{"id": "a", "response": "x"}], columns=columns, guess=False).item_ids == ["a"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"text": "answer"}, "'text' can't be read as 'answer', .* known: item_id, response"),
        ({"a": "response", "b": "response"}, "both 'a' and 'b' are mapped to response"),
        ({"text": "response"}, "field 'text': there is no such column; found: 'id', 'prediction'"),
    ],
)
def test_a_mapping_that_can_not_be_is_refused(columns: dict[str, str], said: str) -> None:
    with pytest.raises(SubmissionError, match=said):
        list(read(pd.DataFrame(ROWS), columns=columns))


def test_reports_say_what_was_taken() -> None:
    options: dict[str, Any] = {"task": "screenqa/short", "references": {"a": ["x"], "b": ["z"]}}
    report = sdk.grade(ROWS, **options)
    assert report.metrics["f1"].value == 0.5
    assert "'prediction' was read as response" in report.input.warnings[0]
    said = sdk.grade(ROWS, columns={"id": "item_id", "prediction": "response"}, **options)
    assert (said.metrics, said.input.warnings) == (report.metrics, ())
    both = sdk.explain(ROWS, protocols=["official", "multiui"], **options)
    assert both.notices == [report.input.warnings[0]]
