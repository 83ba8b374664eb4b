import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.matrix.format import DIMENSIONS, FIELDS, LEVELS, read_items

ITEM: dict[str, Any] = {
    "id": "one",
    "dimension": "understanding",
    "level": 2,
    "task": "chart",
    "question": "Which quarter sold the most?",
    "metric": "accuracy",
    "answer": "B",
    "options": ["Q1", "Q2"],
}


def written(folder: Path, *items: object, name: str = "items.jsonl") -> Path:
    """Write items, one a line; texts as they are."""
    lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def complaint(folder: Path, *items: object) -> str:
    """Return what is said of items that can't be used."""
    with pytest.raises(DataError) as caught:
        read_items(written(folder, *items))
    return str(caught.value)


def test_a_folder_or_its_file_is_read_in_its_order(tmp_path: Path) -> None:
    written(tmp_path, ITEM, "", {**ITEM, "id": "two", "level": "L4", "tags": {"site": "a.com"}})
    found = read_items(tmp_path)
    assert found == read_items(tmp_path / "items.jsonl")
    assert [(item.id, item.level) for item in found.items] == [("one", "L2"), ("two", "L4")]
    assert found.items[1].tags == {"site": "a.com"}


def test_a_byte_order_mark_and_windows_lines_are_no_fault(tmp_path: Path) -> None:
    text = "\ufeff" + json.dumps(ITEM) + "\r\n" + json.dumps({**ITEM, "id": "2"}) + "\r\n"
    (tmp_path / "items.jsonl").write_bytes(text.encode())
    assert len(read_items(tmp_path).items) == 2


def test_there_are_twelve_tasks_three_a_dimension_and_four_levels() -> None:
    tasks = [task for tasks in DIMENSIONS.values() for task in tasks]
    assert len(set(tasks)) == len(tasks) == 12
    assert [len(tasks) for tasks in DIMENSIONS.values()] == [3, 3, 3, 3]
    assert list(LEVELS) == ["L1", "L2", "L3", "L4"]


@pytest.mark.parametrize(
    ("images", "named"),
    [
        ([], {}),
        (["a.png"], {"screen": "a.png"}),
        (["a.png", "b/c.png"], {"image_1": "a.png", "image_2": "b/c.png"}),
        ({"before": "a.png", "after": "b.png"}, {"before": "a.png", "after": "b.png"}),
    ],
)
def test_images_have_names(tmp_path: Path, images: object, named: dict[str, str]) -> None:
    [item] = read_items(written(tmp_path, {**ITEM, "images": images})).items
    assert item.images == named


def test_items_on_one_image_hang_together_unless_a_group_is_given(tmp_path: Path) -> None:
    written(
        tmp_path,
        {**ITEM, "id": "1", "images": ["a.png"]},
        {**ITEM, "id": "2", "images": ["a.png", "b.png"]},
        {**ITEM, "id": "3", "images": ["a.png"], "group": "mine"},
        {**ITEM, "id": "4"},
    )
    assert [item.group for item in read_items(tmp_path).items] == ["a.png", "a.png", "mine", "4"]


BAD = [
    ({"dimensoin": "action"}, "'dimensoin': an item has no field 'dimensoin'; did you mean"),
    ({"surplus": 1}, "it has id, dimension, level"),
    ({"id": ""}, "'id'"),
    ({"id": " one"}, "has space around it"),
    ({"dimension": "percepton"}, "did you mean 'perception'?"),
    ({"level": 5}, "expected 1 to 4, or L1 to L4, not 5"),
    ({"level": "easy"}, "not 'easy'"),
    ({"level": True}, "'level'"),
    ({"task": "charts"}, "did you mean 'chart'?"),
    ({"task": "ocr"}, "ocr is a task of perception, not of understanding"),
    ({"question": ""}, "'question'"),
    ({"metric": "acuracy"}, "did you mean 'accuracy'?"),
    ({"metric": "cider"}, "defined on a whole corpus"),
    ({"metric": "execution"}, "use code"),
    ({"answer": "C"}, "'answer': the item 'one': 'C' is not an option"),
    ({"options": ["Q1"]}, "'options': the item 'one': expected 2 to 26 options, not 1"),
    ({"settings": {"tolerance": 1}}, "accuracy has no setting 'tolerance'"),
    ({"pass": 2}, "'pass'"),
    ({"pass": "high"}, "'pass'"),
    ({"tags": {"level": "hard"}}, "the tag 'level' is snellen's own"),
    ({"tags": {"a": 1}}, "tags"),
    ({"images": "a.png"}, "'images'"),
    ({"images": ["../a.png"]}, "'../a.png' is no path below the folder"),
    ({"images": ["/etc/passwd"]}, "is no path below the folder"),
    ({"images": ["a\0.png"]}, "'images': the item 'one': 'a\\x00.png' is no path below"),
    ({"images": {"x": "C:\\a.png"}}, "is no path below the folder"),
    ({"images": [""]}, "'images"),
    ({"group": ""}, "'group'"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_bad_line_is_named_with_its_field(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    said = complaint(tmp_path, {**ITEM, "id": "fine"}, {**ITEM, **change})
    assert f"{tmp_path / 'items.jsonl'}, line 2, field " in said
    assert message in said


def test_every_field_that_is_needed_is_missed(tmp_path: Path) -> None:
    for field in ("id", "dimension", "level", "task", "question", "metric", "answer"):
        assert field in FIELDS
        rest = {key: value for key, value in ITEM.items() if key != field}
        assert f"missing required field `{field}`" in complaint(tmp_path, rest)


@pytest.mark.parametrize("line", ["{", "[1]", "3", '{"id": "\\ud800"}', "\x00"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    assert "line 1" in complaint(tmp_path, line)


def test_an_image_behind_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "items"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    assert "is no path below the folder" in complaint(folder, {**ITEM, "images": ["a.png"]})


def test_an_id_that_comes_twice_names_both_lines(tmp_path: Path) -> None:
    said = complaint(tmp_path, ITEM, ITEM)
    assert "line 2, field 'id': the item 'one' is in line 1 too" in said


def test_all_bad_lines_are_listed_up_to_ten_and_nothing_is_loaded(tmp_path: Path) -> None:
    few = complaint(tmp_path, {**ITEM, "level": 9}, {**ITEM, "id": "2"}, {**ITEM, "metric": "x"})
    assert "2 lines can't be used" in few
    assert "line 1, field 'level'" in few
    assert "line 3, field 'metric'" in few
    many = complaint(tmp_path, *({**ITEM, "id": str(n), "level": 9} for n in range(13)))
    assert many.count("field 'level'") == 10
    assert many.endswith("and 3 more")


def test_a_file_without_items_and_a_folder_without_the_file_are_named(tmp_path: Path) -> None:
    assert "holds no items" in complaint(tmp_path, "")
    (tmp_path / "items.jsonl").unlink()
    (tmp_path / "L1_annotations.json").write_text("[]")
    with pytest.raises(DataError, match=r"no items.jsonl in it .*L1_annotations.json"):
        read_items(tmp_path)
    with pytest.raises(DataError, match="no such file or folder"):
        read_items(tmp_path / "nowhere")
