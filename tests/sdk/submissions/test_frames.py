import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import MissingExtraError, SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG
from snellen.sdk.submissions import Batch, Source, read

pl = pytest.importorskip("polars")

Maker = Callable[[dict[str, Any]], Any]


def write(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / "answers.parquet"
    pq.write_table(pa.table(columns), path, **options)  # pyright: ignore[reportUnknownMemberType]  # stubs
    return path


@pytest.fixture(params=["pandas", "polars", "arrow", "parquet"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Maker:
    makers: dict[str, Maker] = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "arrow": pa.table,
        "parquet": lambda columns: write(tmp_path, columns),
    }
    return makers[request.param]


def only(source: Any, **options: Any) -> Batch:
    (batch,) = read(source, **options)
    return batch


def test_the_columns_of_a_frame_are_read(make: Maker) -> None:
    frame = make(
        {
            "surplus": [1.5, 2.5, 3.5],
            "response": ["x", None, "£"],
            "item_id": ["a", "b", "c"],
            "attempt": [0, 1, 2],
            "error": [None, "time-out", ""],
            "model": ["m", None, "n"],
        }
    )
    batch = only(frame)
    assert (batch.item_ids, batch.responses) == (["a", "b", "c"], ["x", None, "£"])
    assert (batch.attempts, batch.errors) == ([0, 1, 2], [None, "time-out", None])
    assert (batch.models, batch.problems) == (["m", None, "n"], [])
    assert list(batch.lines) == [1, 2, 3]
    file = frame if isinstance(frame, Path) else None
    size = file and file.stat().st_size
    assert (batch.file, batch.bytes_read, batch.bytes_total) == (file and str(file), size, size)


@pytest.mark.parametrize("responses", [[[[1, 2]], [[3], []]], [{"box": [1.0, 2.0]}, {"box": []}]])
def test_nested_cells_are_json(make: Maker, responses: list[Any]) -> None:
    batch = only(make({"item_id": ["a", "b"], "response": responses}))
    assert (batch.responses, batch.problems) == (responses, [])


def test_ids_that_are_numbers_are_named_one_by_one(make: Maker) -> None:
    batches = read(make({"item_id": [1, 2], "response": ["x", "y"]}))
    problems = next(batches).problems
    assert [(problem.kind, problem.line, problem.field) for problem in problems] == [
        (ProblemKind.WRONG_TYPE, 1, "item_id"),
        (ProblemKind.WRONG_TYPE, 2, "item_id"),
    ]
    with pytest.raises(SubmissionError, match="no submission could be read"):
        next(batches)


def test_one_wrong_cell_loses_one_row(make: Maker) -> None:
    batch = only(make({"item_id": ["a", "b"], "response": ["x", "y"], "attempt": [-1, 1]}))
    assert (batch.item_ids, batch.attempts, list(batch.lines)) == (["b"], [1], [2])
    assert [problem.field for problem in batch.problems] == ["attempt"]


def test_long_responses_are_replaced(make: Maker) -> None:
    batch = only(make({"item_id": ["a", "b"], "response": ["xxxx", "y"]}), max_response_chars=3)
    assert batch.responses == [TOO_LONG, "y"]


def test_a_frame_comes_in_batches(make: Maker) -> None:
    frame = make({"item_id": [str(i) for i in range(7)], "response": ["x"] * 7})
    batches = list(read(frame, chunk=3))
    assert [list(batch.lines) for batch in batches] == [[1, 2, 3], [4, 5, 6], [7]]


@pytest.mark.parametrize("missing", ["item_id", "response"])
def test_a_frame_without_a_needed_column_is_refused(make: Maker, missing: str) -> None:
    columns = {"item_id": ["a"], "response": ["x"], "other": [1]}
    del columns[missing]
    with pytest.raises(SubmissionError, match=f"field '{missing}': the column is missing"):
        list(read(make(columns)))


def test_an_empty_frame_is_refused(make: Maker) -> None:
    with pytest.raises(SubmissionError, match="it has no submissions"):
        list(read(make({"item_id": [], "response": []})))


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
def test_every_kind_of_nothing_in_pandas_is_none(nothing: object) -> None:
    frame = pd.DataFrame(
        {
            "item_id": ["a", "b"],
            "response": pd.Series([nothing, "x"], dtype=object),
            "error": pd.Series(["broke", nothing], dtype=object),
            "attempt": pd.Series([nothing, 2], dtype=object),
            "model": pd.Series([nothing, "m"], dtype=object),
        }
    )
    batch = only(frame)
    assert (batch.responses, batch.errors) == ([None, "x"], ["broke", None])
    assert (batch.attempts, batch.models, batch.problems) == ([0, 2], [None, "m"], [])


def test_attempts_that_pandas_made_floats_are_whole_again() -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "response": ["x", "y"], "attempt": [np.nan, 1]})
    assert only(frame).attempts == [0, 1]


def test_rows_that_pandas_made_dicts_of_are_read_alike() -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "response": ["x", None], "error": [None, "e"]})
    frame["response"] = frame["response"].astype(object).where(frame["response"].notna(), np.nan)
    batch = only(frame.to_dict("records"))
    assert (batch.responses, batch.errors, batch.problems) == (["x", None], [None, "e"], [])


def test_text_that_utf8_can_not_encode_is_named_in_pandas_too() -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "response": pd.Series(["\ud83d", "x"], dtype="O")})
    batch = only(frame)
    assert batch.item_ids == ["b"]
    assert [problem.kind for problem in batch.problems] == [ProblemKind.MALFORMED]


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([["a", "x", "y"]], columns=["item_id", "response", "response"])
    with pytest.raises(SubmissionError, match="several columns of that name"):
        list(read(frame))


def test_a_class_that_derives_from_a_frame_is_a_frame() -> None:
    class Answers(pd.DataFrame):
        pass

    assert only(Answers({"item_id": ["a"], "response": ["x"]})).item_ids == ["a"]


def test_categories_are_text() -> None:
    ids = pd.Categorical(["a", "b", "a"])
    assert only(pd.DataFrame({"item_id": ids, "response": ids})).responses == ["a", "b", "a"]


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_one_column_is_refused(make: Callable[[list[str]], Any]) -> None:
    with pytest.raises(SubmissionError, match="a Series is one column"):
        read(make(["a"]))


def test_a_lazy_frame_is_told_to_collect() -> None:
    with pytest.raises(SubmissionError, match=r"give its \.collect\(\)"):
        read(pl.LazyFrame({"item_id": ["a"], "response": ["x"]}))  # pyright: ignore[reportArgumentType]  # the mistake is the point


def test_frames_are_sources_to_a_type_checker() -> None:
    sources: list[Source] = [
        pd.DataFrame({"item_id": ["a"], "response": ["x"]}),
        pl.DataFrame({"item_id": ["a"], "response": ["x"]}),
        [{"item_id": "a", "response": "x"}],
        Path("answers.jsonl"),
    ]
    assert [only(source).item_ids for source in sources[:3]] == [["a"]] * 3


COLUMNS: dict[str, Any] = {
    "item_id": ["a", "b", "c"],
    "response": ["x", None, "£"],
    "attempt": [0, None, 2],
    "error": [None, "time-out", ""],
    "model": ["m", None, "n"],
    "surplus": [1.5, 2.5, 3.5],
}


def test_parquet_comes_in_batches_over_row_groups(tmp_path: Path) -> None:
    columns = {"item_id": [str(i) for i in range(1000)], "response": ["x"] * 1000}
    path = write(tmp_path, columns, row_group_size=130)
    batches = list(read(path, chunk=300))
    assert [item for batch in batches for item in batch.item_ids] == columns["item_id"]
    assert [line for batch in batches for line in batch.lines] == list(range(1, 1001))
    assert max(len(batch.item_ids) for batch in batches) <= 300
    done = [batch.bytes_read or 0 for batch in batches]
    assert done == sorted(done)
    assert done[-1] == path.stat().st_size


def test_text_that_is_not_utf8_loses_its_row(tmp_path: Path) -> None:
    raw = pa.array([b"caf\xe9", b"x", None], type=pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    batch = only(write(tmp_path, {"item_id": ["a", "b", "c"], "response": text}))
    assert (batch.item_ids, batch.responses) == (["b", "c"], ["x", None])
    (problem,) = batch.problems
    assert (problem.kind, problem.line, problem.field) == (ProblemKind.MALFORMED, 1, "response")


def test_cells_that_are_no_json_lose_their_rows(tmp_path: Path) -> None:
    columns = {"item_id": ["a", "b"], "response": [b"\0", None]}
    batch = only(write(tmp_path, columns))
    assert batch.item_ids == ["b"]
    assert [problem.field for problem in batch.problems] == ["response"]


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99, None])
def test_what_is_no_parquet_or_is_cut_is_refused(tmp_path: Path, keep: float | None) -> None:
    path = write(tmp_path, COLUMNS)
    content = path.read_bytes()
    lines = b'{"item_id": "a"}\n' * 10
    path.write_bytes(lines if keep is None else content[: int(len(content) * keep)])
    said = r"it is not a parquet file, or is truncated \(.*write or copy it again"
    with pytest.raises(SubmissionError, match=said) as error:
        list(read(path))
    assert error.value.file == str(path)


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, COLUMNS)
    table = pa.table({"item_id": ["a"], "response": ["x"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "pyarrow.parquet")
    for source in (path, table):
        with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[parquet\]'"):
            list(read(source))  # pyright: ignore[reportArgumentType]  # a table is no declared source


def test_a_stream_of_record_batches_is_read() -> None:
    table = pa.table({"item_id": ["a", "b", "c"], "response": ["x", "y", "z"]})
    batches = list(read(table.to_reader(max_chunksize=2), chunk=2))  # pyright: ignore[reportArgumentType]  # as above
    assert [list(batch.lines) for batch in batches] == [[1, 2], [3]]
