from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from snellen.grading.errors import InputError
from snellen.sdk.inputs.small_tables import Row, cell_text, read_small_table

pl = pytest.importorskip("polars")

ROWS = [{"site": "a.com", "level": 3}, {"site": "b.com", "level": None}]


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_csv_has_a_header_quotes_and_blank_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path, "t.csv", '\ufeffsite , level\r\n"a, b",3\r\n\r\n ,\r\n"two\nlines",""\n'
    )
    table = read_small_table(path)
    assert table.names == ("site", "level")
    assert table.rows == (
        Row(2, {"site": "a, b", "level": "3"}),
        Row(5, {"site": "two\nlines", "level": None}),
    )
    assert table.file == str(path)


def test_a_tsv_is_split_at_tabs(tmp_path: Path) -> None:
    table = read_small_table(written(tmp_path, "t.TSV", "site\tlevel\na, b\t3\n"))
    assert table.rows == (Row(2, {"site": "a, b", "level": "3"}),)


def test_lines_of_json_keep_their_values_and_need_not_have_every_column(tmp_path: Path) -> None:
    path = written(
        tmp_path, "t.jsonl", '{"site": "a", "level": 3}\r\n\n{"site": "b", "kind": true}'
    )
    table = read_small_table(path)
    assert table.names == ("site", "level", "kind")
    assert table.rows == (Row(1, {"site": "a", "level": 3}), Row(3, {"site": "b", "kind": True}))


@pytest.mark.parametrize("frame", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_dicts_and_frames_hold_the_same_rows(frame: Any) -> None:
    table = read_small_table(frame(ROWS))
    assert table.names == ("site", "level")
    assert [row.line for row in table.rows] == [1, 2]
    cells = [[cell_text(row.cells[name]) for name in table.names] for row in table.rows]
    assert cells == [["a.com", "3"], ["b.com", None]]


def test_the_missing_values_of_pandas_are_empty_cells() -> None:
    rows = [{"a": 1, "b": "2024-01-01", "c": None}, {"a": None, "b": None, "c": "x"}]
    frame = pd.DataFrame(rows).astype({"a": "Int64", "b": "datetime64[ns]"})
    last = read_small_table(frame).rows[1]
    assert [cell_text(last.cells[name]) for name in "abc"] == [None, None, "x"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(" x ", "x"), (3, "3"), (3.0, "3"), (0.25, "0.25"), (False, "false"), (float("nan"), None)],
)
def test_a_cell_is_one_text(value: object, text: str | None) -> None:
    assert cell_text(value) == text


@pytest.mark.parametrize("value", [["a"], {"a": 1}, b"a"])
def test_a_list_is_no_cell(value: object) -> None:
    with pytest.raises(ValueError, match="is not one text or number"):
        cell_text(value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "a,b\n1\n", "t.csv, line 2: the row has 1 cells, the header 2; put a cell"),
        ("t.csv", "a,a\n1,2\n", "line 1, field 'a': there are two columns of that name"),
        ("t.csv", "a,\n1,2\n", "line 1: column 2 has no name"),
        ("t.csv", 'a,b\n1,"2\n', "line 2: unexpected end of data; check the double quotes"),
        ("t.csv", "a,b\n\n", "t.csv: it has no rows"),
        ("t.csv", "", "t.csv: it has no rows"),
        ("t.csv", b"a\n\xff\n", "not UTF-8 (byte 3); save the file as UTF-8"),
        ("t.jsonl", "{}\n[1]\n", "t.jsonl, line 2: not one JSON object: Expected `object`"),
        ("t.jsonl", '{"a": 1\n', "line 1: not one JSON object"),
        ("t.xlsx", "", "can't read a table from a file that ends in '.xlsx'; known: .csv, .tsv"),
        ("table", "", "can't read a table from a file without an ending"),
    ],
)
def test_a_broken_file_is_an_error_that_names_the_place(
    tmp_path: Path, name: str, text: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_small_table(written(tmp_path, name, text))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it can't be read: No such file"):
        read_small_table(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pl.DataFrame(ROWS).lazy(), "a LazyFrame has no rows yet"),
        (pd.DataFrame(ROWS)["site"], "a Series is one column"),
        (pl.DataFrame(ROWS)["site"], "a Series is one column"),
        ({"a": 1}, "can't read a table from a value of type dict"),
        (5, "can't read a table from a value of type int"),
        ([{"a": 1}, 5], "line 2: expected a dict, column to value, not int"),
        ([], "it has no rows"),
    ],
)
def test_what_is_no_table_is_an_error(source: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_small_table(source)
    assert message in str(caught.value)
