import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions.containers import first_row, paths_of, rows_of

ROWS = [{"id": "a", "pred": [1, 2]}, {"id": "b", "pred": [3, 4]}]
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def fields(path: Path) -> list[Any]:
    return [row.fields for row in rows_of(str(path))]


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        {"details": ROWS, "metrics": {"all": {"n": 2}}},
        {"accuracy": 15.0, "results": ROWS, "failures": [{"why": "none"}]},
        {"run": {"details": ROWS}},
        {"web": ROWS[:1], "mobile": ROWS[1:]},
        {"a": {"pred": [1, 2]}, "b": {"pred": [3, 4]}},
        {"run": {"n": 2}, "answers": {"a": {"pred": [1, 2]}, "b": {"pred": [3, 4]}}},
        {"id": "run 7", "score": 0.5, "model": "m", "mine": ROWS},
        {"task": "clicks", "success": 0.5, "episodes": ROWS},
    ],
)
def test_the_rows_are_the_one_list_of_objects(tmp_path: Path, content: object) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content))
    assert fields(path) == ROWS


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "prediction": "B", "retry_history": [{"attempt": 1, "message": "timeout"}]},
        {"id": "a", "response": "B", "retries": [{"id": 0, "output": "timeout"}]},
        {"episode_id": 7, "steps": [{"step": 0, "response": "wait"}]},
        {"task_id": "a", "success": 1, "trajectory": [{"action": "click"}]},
    ],
)
def test_a_list_in_a_row_is_no_container(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row))
    assert fields(path) == [row]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.jsonl.gz", "a.json.gz"])
def test_json_lines_are_read_under_any_name(tmp_path: Path, name: str) -> None:
    data = "\n".join(map(json.dumps, ROWS)).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert fields(path) == ROWS
    assert next(first_row(str(path))) == ROWS[0]


def test_several_lists_of_different_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"first": [{"x": 1}], "second": [{"y": 1}]}))
    with pytest.raises(SubmissionError, match="several lists in it could be the results: 'first'"):
        rows_of(str(path))


def test_a_sheet_names_its_columns_in_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    cell = '<c r="{}1" t="s"><v>{}</v></c>'
    header = "".join(cell.format(column, place) for place, column in enumerate("AB"))
    body = '<c r="A2"><v>4</v></c><c r="B2" t="inlineStr"><is><t>yes</t></is></c>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/sharedStrings.xml",
            f'<sst xmlns="{SHEET}"><si><t>index</t></si><si><t>predic</t><t>tion</t></si></sst>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{SHEET}"><sheetData><row>{header}</row><row>{body}</row>'
            "</sheetData></worksheet>",
        )
    assert fields(path) == [{"index": 4, "prediction": "yes"}]


def test_a_workbook_that_declares_entities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", '<!DOCTYPE x [<!ENTITY a "b">]><x/>')
    with pytest.raises(SubmissionError, match="can't be read"):
        rows_of(str(path))


def test_the_samples_of_an_archive_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", '{"id": 1}')
    assert fields(path) == [{"id": 1}]


def test_a_folder_and_a_pattern_are_all_their_files(tmp_path: Path) -> None:
    for name in ("b/2.json", "a/1.json", "a/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("[]")
    names = [str(tmp_path / name) for name in ("a/1.json", "b/2.json")]
    assert paths_of(str(tmp_path)) == paths_of(f"{tmp_path}/*/*.json") == names
    with pytest.raises(SubmissionError, match="no file of results is there"):
        paths_of(f"{tmp_path}/*.none")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    for name, data in (("a.json.gz", b"\x1f\x8b\x08"), ("a.xlsx", b"PK"), ("a.eval", b"")):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(SubmissionError):
            rows_of(str(path))


def test_a_document_with_nan_is_read_and_a_truncated_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"details": [{"id": "a", "score": NaN}],\n "n": 1}')
    assert [row["id"] for row in fields(path)] == ["a"]
    path.write_text('{"details": [{"id": "a"}, {"id": ')
    with pytest.raises(SubmissionError, match=r"it is not JSON .*write or copy it again"):
        rows_of(str(path))
