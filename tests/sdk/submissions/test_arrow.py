import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import MissingExtraError, SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.sdk.submissions import Batch, read

COLUMNS: dict[str, Any] = {
    "item_id": ["a", "b", "c"],
    "response": ["x", None, "£"],
    "attempt": [0, None, 2],
    "error": [None, "time-out", ""],
    "model": ["m", None, "n"],
    "surplus": [1.5, 2.5, 3.5],
}


def write(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / "answers.parquet"
    pq.write_table(pa.table(columns), path, **options)  # pyright: ignore[reportUnknownMemberType]  # stubs
    return path


def only(path: Path) -> Batch:
    (batch,) = read(path)
    return batch


def test_parquet_has_the_same_columns(tmp_path: Path) -> None:
    path = write(tmp_path, COLUMNS)
    batch = only(path)
    assert (batch.item_ids, batch.responses) == (["a", "b", "c"], ["x", None, "£"])
    assert (batch.attempts, batch.errors) == ([0, 0, 2], [None, "time-out", None])
    assert (batch.models, list(batch.lines)) == (["m", None, "n"], [1, 2, 3])
    assert (batch.problems, batch.file) == ([], str(path))
    assert batch.bytes_read == batch.bytes_total == path.stat().st_size


def test_nested_columns_are_json(tmp_path: Path) -> None:
    responses: list[Any] = [{"box": [1.0, 2.0]}, {"box": []}]
    assert only(write(tmp_path, {"item_id": ["a", "b"], "response": responses})).responses == (
        responses
    )


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


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_refused(tmp_path: Path, keep: float) -> None:
    path = write(tmp_path, COLUMNS)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(
        SubmissionError, match=r"it is not a parquet file, or is truncated \("
    ) as error:
        list(read(path))
    assert error.value.file == str(path)


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answers.parquet").write_text('{"item_id": "a"}\n' * 10)
    with pytest.raises(SubmissionError, match="write or copy it again"):
        list(read(tmp_path / "answers.parquet"))


def test_parquet_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="it has no submissions"):
        list(read(write(tmp_path, {"item_id": pa.array([], pa.string()), "response": []})))


def test_parquet_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="field 'response': the column is missing"):
        list(read(write(tmp_path, {"item_id": ["a"]})))


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
