import json
from pathlib import Path

import pytest
from miniatures import written

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import load_task as load

TASK = "outcomes/run"


def test_osworlds_list_is_ids_by_domain(tmp_path: Path) -> None:
    folder = written("outcomes", tmp_path)
    data = load(TASK, folder)
    assert list(data.ids[:2]) == ["chrome/bb5e4c0d", "chrome/7b6c7e24"]
    assert list(data.tags["domain"]) == ["chrome", "chrome", "gimp", "multi_apps"]
    assert data.pin == load(TASK, folder / "test_all.json").pin


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids.json", '["a", "b"]'),
        ("ids.json", '{"a": null, "b": {"limit": 15}}'),
        ("ids.json", '{"tasks": [{"task_id": "a"}, {"task_id": "b"}]}'),
        ("ids.jsonl", '{"task_name": "a"}\n{"task_name": "b"}\n'),
        ("ids.csv", "task_template,difficulty\na,easy\nb,hard\n"),
        ("ids.txt", "a\n\nb\n"),
    ],
)
def test_a_list_may_have_any_usual_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    data = load(TASK, tmp_path / name)
    assert list(data.ids) == ["a", "b"]
    assert not data.tags


def test_webarenas_tasks_have_numbers_and_sites(tmp_path: Path) -> None:
    rows = [{"task_id": 0, "sites": ["map"]}, {"task_id": 1, "sites": ["reddit", "shopping"]}]
    (tmp_path / "test.raw.json").write_text(json.dumps(rows))
    data = load(TASK, tmp_path / "test.raw.json")
    assert list(data.ids) == ["0", "1"]
    assert list(data.tags["domain"]) == ["map", "reddit + shopping"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ids.json", "[]", "no task is listed"),
        ("ids.json", "[1, 2]", "row 1 is no id and has none"),
        ("ids.json", '[{"id": "a"}, {"title": "b"}]', "row 2 is no id and has none"),
        ("ids.json", '["a", "a"]', "the task 'a' is there twice"),
        ("ids.json", "{", "it is no list of tasks"),
        ("ids.pkl", "a", "give .json, .jsonl, .csv or .txt"),
    ],
)
def test_what_is_no_list_says_so(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        load(TASK, tmp_path / name)


def test_a_folder_without_a_list_and_a_split_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no list of tasks"):
        load(TASK, tmp_path)
    with pytest.raises(DataError, match="there is no split 'test'"):
        load(TASK, written("outcomes", tmp_path), split="test")
