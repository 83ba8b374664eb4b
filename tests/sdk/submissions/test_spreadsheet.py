import csv
import gzip
import io
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import ProblemKind
from snellen.grading.models.scores import TOO_LONG
from snellen.sdk.submissions import Batch, read


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv") / "answers.csv"


def parse(file: Path, content: str | bytes, **options: Any) -> Batch:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    (batch,) = read(file, **options)
    return batch


def test_all_columns_are_read_in_any_order(file: Path) -> None:
    batch = parse(
        file,
        "model,error,attempt,surplus,response,item_id\nm,,1,?,x,a\n,time-out,0,?,,b\n",
    )
    assert (batch.item_ids, batch.responses) == (["a", "b"], ["x", ""])
    assert (batch.attempts, batch.errors) == ([1, 0], [None, "time-out"])
    assert (batch.models, batch.problems) == (["m", None], [])
    assert list(batch.lines) == [2, 3]
    assert batch.bytes_read == batch.bytes_total == file.stat().st_size


@pytest.mark.parametrize("mark", [";", "\t"])
def test_semicolons_or_tabs_part_the_cells_where_the_header_has_no_comma(
    file: Path, mark: str
) -> None:
    batch = parse(file, f'item_id{mark}response\na{mark}1,5\nb{mark}"x{mark}y"\n')
    assert batch.responses == ["1,5", f"x{mark}y"]


def test_a_response_stays_text(file: Path) -> None:
    batch = parse(file, 'item_id,response\na,7\nb,"[1, 2]"\nc,nan\nd,\n')
    assert batch.responses == ["7", "[1, 2]", "nan", ""]


@pytest.mark.parametrize("cell", ["1", " 1 ", "1.0", "1.", "01"])
def test_an_attempt_is_a_whole_number(file: Path, cell: str) -> None:
    assert parse(file, f"item_id,response,attempt\na,x,{cell}\n").attempts == [1]


@pytest.mark.parametrize("cell", ["", " "])
def test_an_empty_attempt_is_the_first(file: Path, cell: str) -> None:
    batch = parse(file, f"item_id,response,attempt\na,x,{cell}\n")
    assert (batch.attempts, batch.problems) == (None, [])


BROKEN = ProblemKind.MALFORMED
# fmt: off
FAULTY: list[tuple[str | bytes, ProblemKind, str | None, str]] = [
    *(("a,x," + attempt, ProblemKind.WRONG_TYPE, "attempt", "")
      for attempt in ("x", "1.5", "-1", "1_0", "１", "9999999999", "9" * 5000)),
    *((row, BROKEN, None, f"the row has {row.count(',') + 1} cells, the header 3")
      for row in ("a", "a,x,1,y", "a,x,1,")),
    ('a,"x"y,1', BROKEN, None, ""),
    ("a,caf\xe9,1".encode("latin-1"), BROKEN, "response", "not UTF-8"),
]
# fmt: on


@pytest.mark.parametrize(("row", "kind", "field", "message"), FAULTY)
def test_a_faulty_row_is_named_and_its_neighbours_stay(
    file: Path, row: str | bytes, kind: ProblemKind, field: str | None, message: str
) -> None:
    faulty = row.encode() if isinstance(row, str) else row
    batch = parse(file, b"item_id,response,attempt\ng,1,0\n" + faulty + b"\nh,2,2\n")
    assert (batch.item_ids, batch.attempts, list(batch.lines)) == (["g", "h"], [0, 2], [2, 4])
    (problem,) = batch.problems
    assert (problem.kind, problem.line, problem.field) == (kind, 3, field)
    assert message in problem.message


def test_lines_are_counted_where_rows_start(file: Path) -> None:
    batch = parse(file, 'item_id,response\r\n\r\na,"1\r\n2\r\n3"\r\nb,"x\ny"\r\nc,z\r\n')
    assert batch.responses == ["1\r\n2\r\n3", "x\ny", "z"]
    assert list(batch.lines) == [3, 6, 8]


def test_a_cell_beyond_the_csv_modules_own_limit_is_read(file: Path) -> None:
    batch = parse(file, f"item_id,response\na,{'x' * 200_000}\n")
    assert batch.responses == ["x" * 200_000]


def test_a_long_response_is_replaced(file: Path) -> None:
    batch = parse(file, "item_id,response\na,xxxx\nb,xxx\n", max_response_chars=3)
    assert batch.responses == [TOO_LONG, "xxx"]
    assert [(problem.kind, problem.line) for problem in batch.problems] == [
        (ProblemKind.TOO_LONG, 2)
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            'item_id,response\na,x\nb,"y\nc,z\n',
            "line 3: a quoted cell that starts here does not en",
        ),
        ("number,response\na,x\n", "field 'item_id': the column is missing;.* found"),
        ("item_id,text\na,x\n", "field 'response': the column is missing;.* found"),
        ("item_id|response\na,x\n", "field 'item_id': the column is missing;.* found"),
        ("item_id,response,response\na,x,y\n", "there are several columns of that name"),
        ("item_id,response\n", "it has no submissions"),
        (gzip.compress(b"item_id,response\na,1\n"), "compressed with gzip; unpack it"),
    ],
)
def test_a_table_that_can_not_be_read_is_refused(
    file: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(SubmissionError, match=message):
        parse(file, content)


def test_spaces_around_the_names_of_columns_do_not_matter(file: Path) -> None:
    assert parse(file, "item_id, response \na,x\n").responses == ["x"]


def test_many_rows_come_in_batches(file: Path) -> None:
    rows = [(f"test/{i}", str(random.Random(i).random())) for i in range(10_000)]
    file.write_text("item_id,response\n" + "".join(f"{a},{b}\n" for a, b in rows))
    batches = list(read(file, chunk=3000))
    assert [len(batch.item_ids) for batch in batches] == [3000, 3000, 3000, 1000]
    assert [item for batch in batches for item in batch.item_ids] == [a for a, _ in rows]
    assert [line for batch in batches for line in batch.lines] == list(range(2, 10_002))


cells = st.text(st.characters(codec="utf-8"))


@given(st.lists(st.tuples(cells, cells, st.integers(0, 5)), min_size=1))
def test_whatever_the_csv_module_writes_is_read(
    file: Path, rows: list[tuple[str, str, int]]
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("item_id", "response", "attempt"), *rows])
    batch = parse(file, text.getvalue())
    assert batch.problems == []
    attempts = batch.attempts or [0] * len(rows)
    assert list(zip(batch.item_ids, batch.responses, attempts, strict=True)) == rows
