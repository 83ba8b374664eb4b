"""Rows are counted before a file is parsed, whatever its format and however it is packed."""

import gzip
import io
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import UnreadableError
from snellen.server.exam.file import Phase
from snellen.server.grading.files import FileGrader, FileToGrade, Graded, open_grader
from snellen.server.grading.rows import ALWAYS_ROWS, MOST_BAD, check_rows
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

MANY = 30_000


def in_list(rows: int) -> bytes:
    return b"[" + b",".join([b"{}"] * rows) + b"]"


def parquet(rows: int) -> bytes:
    arrays: Any = import_module("pyarrow")
    sink = io.BytesIO()
    column = arrays.array(["x"] * rows).dictionary_encode()
    table = arrays.table({"item_id": column, "response": column})
    import_module("pyarrow.parquet").write_table(table, sink)
    return sink.getvalue()


FILES: dict[str, Callable[[int], bytes]] = {
    "lines.jsonl": lambda rows: b"{}\n" * rows,
    "no feed at the end.jsonl": lambda rows: b"{}\n" * (rows - 1) + b"{}",
    "carriage returns.jsonl": lambda rows: b"{}\r" * rows,
    "lines.jsonl.gz": lambda rows: gzip.compress(b"{}\n" * rows),
    "packed, by another name.jsonl": lambda rows: gzip.compress(b"{}\n" * rows),
    "one array on a line.jsonl": in_list,
    "array.json": in_list,
    "packed array.json": lambda rows: gzip.compress(in_list(rows)),
    "list in an object.json": lambda rows: b'{"results": ' + in_list(rows) + b"}",
    "list deeper in an object.json": lambda rows: b'{"a": {"b": ' + in_list(rows) + b"}}",
    "rows by their id.json": lambda rows: json.dumps({str(n): {} for n in range(rows)}).encode(),
    "lines.json": lambda rows: b"{}\n" * rows,
    "what strict JSON can't have.json": lambda rows: b'[{"a":NaN}' + b",{}" * (rows - 1) + b"]",
    "commas.csv": lambda rows: b"item_id,response\n" + b"a,b\n" * rows,
    "semicolons.csv": lambda rows: b"item_id;response\n" + b'a;"b\nc"\n' * rows,
    "packed.csv": lambda rows: gzip.compress(b"item_id,response\n" + b"a,b\n" * rows),
    "table.parquet": parquet,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_too_many_rows_is_refused_with_both_numbers(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name](MANY))
    with pytest.raises(SubmissionError, match=f"it has {MANY:,} rows, and at most 29,999 are read"):
        check_rows(path, MANY - 1)
    check_rows(path, MANY)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("quoted.csv", b"item_id,response\n" + b'a,"1\n2\n3\n4"\n' * 900),
        ("pretty.json", json.dumps([{"a": {"b": [1]}}] * 900, indent=1).encode()),
        ("braces.jsonl", (json.dumps({"response": "{}" * 90}) + "\n").encode() * 900),
        ("damaged.parquet", b"PAR1"),
        ("empty.jsonl", b""),
    ],
)
def test_lines_and_braces_in_answers_are_no_rows(name: str, body: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    check_rows(path, 1000)


Grade = Callable[[str], Graded]


@pytest.fixture
def grade(store: Path, tmp_path: Path) -> Grade:
    """Return a function that grades the lines of a file in the sample exam."""
    grader: FileGrader = open_grader(Settings((exam_folder("wireframes"),), store))

    def graded(lines: str) -> Graded:
        path = tmp_path / "answers.jsonl"
        path.write_text(lines)
        return grader(FileToGrade(path, "sub_1", 1, None, Phase(name="main"), ""))

    return graded


def line(item: str, attempt: int = 0) -> str:
    return json.dumps({"item_id": item, "response": "x", "attempt": attempt}) + "\n"


def test_twenty_bad_lines_without_a_good_one_end_the_reading(
    grade: Grade, right: dict[str, str]
) -> None:
    with pytest.raises(UnreadableError, match=f"the first {MOST_BAD} rows can't be read") as caught:
        grade("{}\n" * 9000)
    assert caught.value.problems.count == MOST_BAD
    assert [each.line for each in caught.value.problems.first] == [*range(1, MOST_BAD + 1)]
    good = line(next(iter(right)))
    assert grade(good + "{}\n" * 100).problems.count == 100
    assert grade("{}\n" * (MOST_BAD - 1) + good).problems.count == MOST_BAD - 1


def test_a_table_with_a_good_row_is_read_to_its_end(
    store: Path, tmp_path: Path, right: dict[str, str]
) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("item_id,response\n" + "a,b,c\n" * 50 + f"{next(iter(right))},x\n")
    grader = open_grader(Settings((exam_folder("wireframes"),), store))
    found = grader(FileToGrade(path, "sub_1", 1, None, Phase(name="main"), ""))
    assert found.problems.count == 50


def test_attempts_at_one_item_are_bounded_by_the_work_that_they_make(
    grade: Grade, right: dict[str, str]
) -> None:
    item = next(iter(right))
    few = ALWAYS_ROWS // len(right)
    (score,) = grade("".join(line(item, number) for number in range(few))).scores
    assert score.items == len(right)
    with pytest.raises(SubmissionError, match=f"834 or more attempts at 12 items, {834 * 12:,}"):
        grade("".join(line(item, number) for number in range(few + 1)))


def test_a_file_of_unknown_items_says_how_many_lines_are_wrong(grade: Grade) -> None:
    with pytest.raises(UnreadableError, match="none of the 5000 item ids") as caught:
        grade(line("nowhere") * 5000)
    assert (caught.value.problems.count, len(caught.value.problems.first)) == (5000, 20)
