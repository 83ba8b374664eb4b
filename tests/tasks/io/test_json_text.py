import hashlib
from pathlib import Path

import msgspec
import pytest

from snellen.grading.errors import DataError
from snellen.tasks.io.json_text import JsonText, read_json

MARK = b"\xef\xbb\xbf"


class Row(msgspec.Struct):
    id: int
    name: str = ""


def text(data: bytes, line: int | None = None) -> JsonText:
    return JsonText(data, "test.json", line)


@pytest.mark.parametrize("mark", [b"", MARK])
def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "test.json"
    path.write_bytes(mark + b'[{"id": 1}]')
    read = read_json(path)
    assert read.rows(list[Row]) == [Row(1)]
    assert read.decode(list[Row], "expected rows") == [Row(1)]
    assert read.file == str(path)
    assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_file_of_rows_may_be_json_lines(end: bytes) -> None:
    lines = [b'{"id": 1}', b"", b'{"id": 4, "name": null}', b""]
    assert text(MARK + end.join(lines)).rows(list[Row]) == [Row(1), Row(4)]
    with pytest.raises(DataError, match=r"row 2 \(counted from 1\): expected `int`, got `null`"):
        text(b'{"id": 1}\n{"id": null}').rows(list[Row])


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_keep_their_numbers_and_blank_ones_are_passed_over(end: bytes) -> None:
    data = MARK + end.join([b'{"id": 1}', b"", b"  ", b'{"id": 4}', b""])
    assert [(line.line, line.rows(Row)) for line in text(data).lines] == [(1, Row(1)), (4, Row(4))]


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        (b'[{"id": 1}, {"id": "x"}]', "id", r"row 2 \(counted from 1\): expected `int`, got `str`"),
        (b'[{"id": 1}, {}]', None, r"row 2 .* missing required field `id`; references can't be"),
        (b'{"id": 1}', None, "expected `array`, got `object`"),
        (b'[{"id": 1}', None, "is no whole JSON file: .*fetch the file again"),
        (b"", None, "is no whole JSON file"),
        (b'[{"id": 1, "name": "\xff"}]', None, r"(is not UTF-8|is no whole JSON)"),
        (b'[{"id": 1, "x": ' + b"[" * 100_000, None, "is no whole JSON file"),
    ],
)
def test_what_are_no_rows_is_refused(data: bytes, field: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        text(data).rows(list[Row])
    assert (caught.value.file, caught.value.line) == ("test.json", None)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        (b'{"id": "x"}', "id", "^test.json, line 3, field 'id': expected `int`, got `str`"),
        (b'{"id": 1', None, "^test.json, line 3: is no whole JSON line"),
    ],
)
def test_a_lines_fault_names_the_line(data: bytes, field: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        text(data, 3).rows(Row)
    assert (caught.value.line, caught.value.field) == (3, field)


@pytest.mark.parametrize("data", [b"[]", b"{", b'"\xff"', b"[" * 100_000])
def test_what_is_in_no_rows_says_what_was_expected(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^test\.json, line 2: expected one object: "):
        text(data, 2).decode(dict[str, object], "expected one object")


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read: Is a directory") as caught:
        read_json(tmp_path)
    assert caught.value.file == str(tmp_path)
