import io
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG
from snellen.sdk.submissions import Batch, read

pytestmark = pytest.mark.compat

GOOD = '{"item_id": "test/5/0", "response": "7"}\n'


def only(source: Any, **options: Any) -> Batch:
    (batch,) = read(source, **options)
    return batch


def test_every_column_of_a_plain_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"item_id": "a", "response": "x", "attempt": 1, "model": "m", "meta": {"t": 1}}\n'
        '{"item_id": "b", "response": [1, {"k": null}], "surplus": [1]}\n'
        '{"item_id": "c", "error": "time-out"}\n'
    )
    batch = only(path)
    assert batch == Batch(
        item_ids=["a", "b", "c"],
        responses=["x", [1, {"k": None}], None],
        attempts=[1, 0, 0],
        errors=[None, None, "time-out"],
        models=["m", None, None],
        lines=range(1, 4),
        problems=[],
        file=str(path),
        bytes_read=path.stat().st_size,
        bytes_total=path.stat().st_size,
    )


def test_columns_that_say_nothing_are_none(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(GOOD)
    batch = only(path)
    assert (batch.attempts, batch.errors, batch.models) == (None, None, None)


def test_a_path_may_be_text_or_path_like_and_its_ending_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "answers.v2.JSONL"
    path.write_text(GOOD)
    assert only(path).item_ids == only(str(path)).item_ids == ["test/5/0"]


def test_ndjson_is_another_name_of_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "answers.ndjson"
    path.write_text(GOOD)
    assert only(path).item_ids == ["test/5/0"]


def test_a_dash_is_jsonl_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{GOOD}nonsense\n".encode())))
    batch = only("-")
    assert batch.item_ids == ["test/5/0"]
    assert (batch.file, batch.bytes_total) == ("standard input", None)
    assert (batch.problems[0].file, batch.problems[0].line) == ("standard input", 2)


def test_a_missing_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"nowhere\.jsonl: there is no such file \(in /"):
        read(tmp_path / "nowhere.jsonl")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="it is a folder; give the file in it"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["x" * 5000 + ".jsonl", "a\0b.jsonl"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(SubmissionError):
        read(name)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that refuses to be read")
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.csv"])
def test_a_file_that_refuses_to_be_read_is_named(tmp_path: Path, name: str) -> None:
    # Nothing is mapped at the address 0 of a process.
    (tmp_path / name).symlink_to("/proc/self/mem")
    with pytest.raises(SubmissionError, match="it can't be read: Input/output error") as caught:
        list(read(tmp_path / name))
    assert caught.value.file == str(tmp_path / name)


@pytest.mark.parametrize("name", ["answers.xlsx", "answers", "answers.csv.gz"])
def test_an_unknown_ending_is_refused_and_the_known_ones_are_named(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(GOOD)
    with pytest.raises(SubmissionError, match=r"known: \.jsonl, .*\.csv, \.tsv, \.parquet"):
        read(tmp_path / name)


@pytest.mark.parametrize("content", [b"", b"\n \r\n\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
def test_a_file_without_submissions_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SubmissionError, match="it has no submissions") as caught:
        list(read(tmp_path / name))
    assert caught.value.file == str(tmp_path / name)


@pytest.mark.parametrize("source", [[], iter([]), ()])
def test_nothing_in_memory_is_refused(source: Any) -> None:
    with pytest.raises(SubmissionError, match="it has no submissions"):
        list(read(source))


def test_when_nothing_can_be_read_the_problems_come_before_the_error(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("one\ntwo\n")
    batches = read(path)
    assert [problem.line for problem in next(batches).problems] == [1, 2]
    with pytest.raises(
        SubmissionError, match=r"line 1: no submission could be read; the first of 2 problems: not"
    ):
        next(batches)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv"])
def test_another_encoding_is_named_with_the_way_out(
    tmp_path: Path, name: str, encoding: str
) -> None:
    (tmp_path / name).write_bytes(("\ufeff" + GOOD).encode(encoding))
    wanted = encoding[:6].upper()
    with pytest.raises(SubmissionError, match=f"it is {wanted}, .* `iconv -f {wanted} -t UTF-8`"):
        list(read(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", GOOD),
        ("a.json", f"[{GOOD}]"),
        ("a.csv", "item_id,response\ntest/5/0,7\n"),
    ],
)
def test_a_utf8_mark_is_taken_silently(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8-sig")
    batch = only(tmp_path / name)
    assert (batch.item_ids, batch.responses, batch.problems) == (["test/5/0"], ["7"], [])


def test_a_file_name_that_is_not_utf8_can_be_shown(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.jsonl"
    Path(os.fsdecode(path)).write_text(f"{GOOD}bad\n")
    batch = only(os.fsdecode(path))
    assert batch.problems[0].file == f"{tmp_path}/\\udcff.jsonl"
    assert batch.problems[0].model_dump_json()


@pytest.mark.parametrize("source", [5, None, b"a.jsonl", object()])
def test_what_holds_no_submissions_is_refused(source: Any) -> None:
    with pytest.raises(SubmissionError, match="submissions can't be read from"):
        read(source)


@pytest.mark.parametrize("options", [{"chunk": 0}, {"max_response_chars": -1}])
def test_limits_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="chunk must be at least 1"):
        read([], **options)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 100])
def test_batches_have_at_most_a_chunk_of_rows_and_lose_none(tmp_path: Path, chunk: int) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f'{{"item_id": "{i}", "response": "x"}}\n\n' for i in range(7)))
    batches = list(read(path, chunk=chunk))
    assert [len(batch.item_ids) for batch in batches] == [
        min(chunk, 7 - start) for start in range(0, 7, chunk)
    ]
    assert [item for batch in batches for item in batch.item_ids] == list("0123456")
    assert [line for batch in batches for line in batch.lines] == [1, 3, 5, 7, 9, 11, 13]


def test_problems_alone_fill_batches_too(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("bad\n" * 5000 + GOOD)
    batches = list(read(path, chunk=100))
    assert max(len(batch.problems) for batch in batches) <= 5000
    assert sum(len(batch.problems) for batch in batches) == 5000
    assert [batch.item_ids for batch in batches if batch.item_ids] == [["test/5/0"]]


def test_the_bytes_read_rise_to_the_total(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(GOOD * 20_000)
    batches = list(read(path, chunk=1000))
    done = [batch.bytes_read or 0 for batch in batches]
    assert done == sorted(done)
    assert done[0] < done[-1] == batches[0].bytes_total == path.stat().st_size


def test_a_long_text_is_replaced_and_named() -> None:
    rows = [{"item_id": "a", "response": "x" * 11}, {"item_id": "b", "response": "x" * 10}]
    batch = only(rows, max_response_chars=10)
    assert batch.item_ids == ["a", "b"]
    assert batch.responses == [TOO_LONG, "x" * 10]
    (problem,) = batch.problems
    assert (problem.kind, problem.line, problem.field) == (ProblemKind.TOO_LONG, 1, "response")
    assert "11 characters, more than the limit of 10" in problem.message


def test_the_sentinel_is_no_text_and_survives_the_way_to_another_process() -> None:
    assert not isinstance(TOO_LONG, str)
    assert pickle.loads(pickle.dumps(TOO_LONG)) is TOO_LONG


def test_no_frame_library_is_imported() -> None:
    code = (
        "import sys\n"
        "from snellen.sdk.submissions import read\n"
        "list(read([{'item_id': 'a', 'response': 'x'}]))\n"
        "heavy = {'pandas', 'polars', 'pyarrow', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
