"""Bad input, splits and joined references: each fault says where it is and what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError, UnknownNameError
from snellen.tasks.benchmarks.webrssbench.format import read

Row = dict[str, Any]

COLOR: Row = {
    "task": "color",
    "page": "shop",
    "before": "a.png",
    "after": {"partial": "b.png"},
    "reference": "Buy now",
}
POSITION: Row = {
    "task": "position",
    "page": "p",
    "image": "p.png",
    "crops": [
        {"name": "crop_1", "image": "1.png", "box": [0, 0, 0.1, 0.1]},
        {"name": "crop_2", "image": "2.png", "box": [0.5, 0, 0.1, 0.1]},
    ],
}


def manifest(folder: Path, *rows: Row) -> Path:
    document = {"format": "webrssbench/1", "rows": list(rows)}
    (folder / "webrssbench.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def lines(folder: Path, *rows: Row | str) -> Path:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    (folder / "webrssbench.jsonl").write_text(text, encoding="utf-8")
    return folder


def refused(name: str, path: Path, split: str | None = None) -> DataError:
    with pytest.raises(DataError) as caught:
        read(name, path, split)
    return caught.value


@pytest.mark.parametrize("write", [manifest, lines])
def test_a_manifest_is_a_file_in_a_folder_or_the_file_itself(write: Any, tmp_path: Path) -> None:
    folder = write(tmp_path, COLOR)
    file = next(folder.iterdir())
    assert read("color", folder).golds == read("color", file).golds == [["Buy now"]] * 2
    assert read("color", folder).folder == tmp_path


def test_empty_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    text = f"\ufeff{json.dumps(COLOR)}\n\n{json.dumps(COLOR | {'page': 'news'})}\n"
    (tmp_path / "webrssbench.jsonl").write_text(text, encoding="utf-8")
    assert len(read("color", tmp_path).questions) == 4


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"page": ""}, "page", "expected `str` of length >= 1"),
        ({"page": 7}, "page", "expected `str`, got `int`"),
        (
            {"difficulty": "extreme"},
            "difficulty",
            "'extreme'; known: easy, hard, medium",
        ),
        ({"after": "b.png"}, "after", "expected `object`, got `str`"),
        ({"after": {}}, "after", "expected `object` of length >= 1"),
        ({"after": {"grey": "b.png"}}, "after", "'grey'; known: all, low_contrast"),
        ({"before": {"path": "a.png"}}, "before", "object missing required field `width`"),
        ({"before": {"path": "a.png", "width": 0, "height": 9}}, "before.width", "`int` >= 1"),
        ({"befor": "a.png"}, None, "object contains unknown field `befor`"),
        ({"reference": []}, "reference", "a button's text, or a list of accepted ones"),
        ({"reference": 7}, "reference", "a button's text, or a list of accepted ones"),
        ({"reference": " "}, "reference", "is empty, so that no answer could be right"),
        ({"annotators": {"a": "Buy"}}, "annotators", "give either reference or annotators"),
        ({"before": "/etc/a.png"}, None, "that stays in its folder"),
    ],
)
def test_a_bad_row_is_named_with_its_file_and_field(
    tmp_path: Path, change: Row, field: str | None, message: str
) -> None:
    found = refused("color", manifest(tmp_path, COLOR | {"page": "ok"}, COLOR | change))
    assert found.file == str(tmp_path / "webrssbench.json")
    assert found.message.startswith("row 2")
    assert message in found.message
    assert found.field == field


def test_a_bad_line_is_named_by_its_number(tmp_path: Path) -> None:
    found = refused("color", lines(tmp_path, COLOR, "", "{"))
    assert (found.file, found.line) == (str(tmp_path / "webrssbench.jsonl"), 3)
    assert found.message.startswith("is no JSON: ")
    found = refused("color", lines(tmp_path, COLOR, COLOR | {"page": "x", "split": 1}))
    assert (found.line, found.field) == (2, "split")
    assert found.message == "page 'x': expected `str`, got `int`"
    other = tmp_path / "other"
    other.mkdir()
    found = refused("color", manifest(other, COLOR, COLOR | {"page": "x", "split": 1}))
    assert found.message.startswith("row 2 (counted from 1), page 'x': expected")


GROUPING: Row = {"task": "ui_grouping", "page": "shop", "image": "a.png"}


def test_votes_that_name_no_class_are_named(tmp_path: Path) -> None:
    votes = {"a": "foo", "b": "foo", "c": "bar", "d": " "}
    found = refused("ui_grouping", manifest(tmp_path, GROUPING | {"annotators": votes}))
    assert (
        "test/shop: the leading answer has 0 of 0 votes, 3 needed;"
        " a 'foo', b 'foo', c 'bar' name no class" in found.message
    )
    votes = {"a": "other", "b": "other", "c": "bar", "d": "other"}
    rows = read("ui_grouping", manifest(tmp_path, GROUPING | {"annotators": votes}))
    assert rows.note == "1 vote names no class (test/shop: c 'bar')"


def test_a_task_that_there_is_none_of_is_an_error(tmp_path: Path) -> None:
    found = refused("color", manifest(tmp_path, COLOR | {"task": "hue"}))
    assert (found.field, "'hue' is no task; known: position" in found.message) == ("task", True)
    found = refused("color", manifest(tmp_path, POSITION, POSITION))
    assert found.message == "has no rows of the task 'color'; there are: position (2)"
    assert "none at all" in refused("color", manifest(tmp_path)).message


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": "webrssbench/2", "rows": []}', "{"])
def test_another_json_file_is_no_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "webrssbench.json").write_text(text)
    found = refused("color", tmp_path)
    assert 'expected {"format": "webrssbench/1", "rows": [...]}' in found.message


def test_a_folder_with_two_manifests_is_ambiguous(tmp_path: Path) -> None:
    found = refused("color", lines(manifest(tmp_path, COLOR), COLOR))
    assert "give the one that is meant" in found.message


def test_two_questions_of_one_id_are_told_apart_by_element(tmp_path: Path) -> None:
    message = refused("color", manifest(tmp_path, COLOR, COLOR)).message
    assert message.startswith("row 1 and row 2 have one id, 'test/shop/before'")
    both = manifest(tmp_path, COLOR | {"element": "a"}, COLOR | {"element": "b"})
    assert [one.item_id for one in read("color", both).questions][::2] == [
        "test/shop/a/before",
        "test/shop/b/before",
    ]


CROPS = POSITION["crops"]
BARE = [{"name": f"crop_{number}", "image": f"{number}.png"} for number in (1, 2, 3)]
LAYOUT: Row = {"task": "layout", "page": "p", "before": "a.png", "after": "b.png"}
SAFETY: Row = {"task": "safety", "page": "p", "image": "a.png", "reference": ["Delete", "sorry"]}


@pytest.mark.parametrize(
    ("row", "change", "field", "message"),
    [
        (POSITION, {"crops": CROPS[:1]}, "crops", "expected `array` of length >= 2"),
        (POSITION, {"crops": CROPS[:1] * 2}, "crops", "two crops have one name"),
        (POSITION, {"crops": [CROPS[0], BARE[1]]}, "crops", "has boxes, but none of crop_2"),
        (POSITION, {}, "image", "needs the page's size; write image as {path, width, height}"),
        (
            POSITION,
            {"reference": {"crop_1|crop_3": "left"}},
            "reference",
            "crop_3 is no pair of its crops",
        ),
        (
            POSITION,
            {"reference": {"crop_1|crop_2": "beside"}},
            "reference",
            "expected an object from pairs",
        ),
        (POSITION, {"reference": {}}, "reference", "it has no pairs"),
        (
            POSITION,
            {"crops": BARE, "reference": {"crop_1|crop_2": "left"}},
            "reference",
            "row 1, test/p: says nothing of the pair crop_1|crop_3",
        ),
        (LAYOUT, {"annotators": {"a": "A shop"}}, "annotators", "only buttons and regions"),
        (SAFETY, {}, "reference", "says both that there is such a button and, with 'sorry',"),
    ],
)
def test_what_does_not_hold_together_is_refused(
    tmp_path: Path, row: Row, change: Row, field: str, message: str
) -> None:
    found = refused(row["task"], manifest(tmp_path, row | change))
    assert (found.field, message in found.message) == (field, True)


def test_a_reference_goes_before_boxes_and_may_state_pairs_either_way(tmp_path: Path) -> None:
    row = POSITION | {"reference": {"crop_2|crop_1": "contain"}}
    (gold,) = read("position", manifest(tmp_path, row)).golds
    assert gold == {("crop_1", "crop_2"): "inside"}


def test_boxes_count_fractions_or_pixels_under_either_rule(tmp_path: Path) -> None:
    # The second part is 30 px lower: 0.75 % of the page, half of the part's height.
    pixels: list[Row] = [
        {"name": "a", "image": "a.png", "box": [0, 100, 100, 60]},
        {"name": "b", "image": "b.png", "box": [400, 150, 100, 60]},
    ]
    size = {"path": "p.png", "width": 1000, "height": 4000}
    fractions = [
        crop | {"box": [x / 1000, y / 4000, w / 1000, h / 4000]}
        for crop in pixels
        for x, y, w, h in [crop["box"]]
    ]
    found: dict[str, object] = {}
    for space, crops in (("pixels", pixels), ("unit", fractions)):
        for rule in ("centers", "projections"):
            row = POSITION | {"image": size, "crops": crops, "space": space, "rule": rule}
            (gold,) = read("position", manifest(tmp_path, row)).golds
            found[f"{space} {rule}"] = gold
    left, top_left = {("a", "b"): "left"}, {("a", "b"): "top-left"}
    assert found == {
        "pixels centers": top_left,
        "unit centers": top_left,
        "pixels projections": left,
        "unit projections": left,
    }


@pytest.mark.parametrize(
    ("space", "box", "hint"),
    [
        ("unit", [0, 0, 256, 400], 'for pixels write "space": "pixels"'),
        ("unit", [0.9, 0.9, 0.5, 0.05], "reaches out of the page"),
        ("pixels", [950, 0, 100, 100], "which is 1000 x 4000 pixels"),
    ],
)
def test_a_box_that_reaches_out_of_its_page_is_refused(
    tmp_path: Path, space: str, box: list[float], hint: str
) -> None:
    size = {"path": "p.png", "width": 1000, "height": 4000}
    crops = [{"name": "a", "image": "a.png", "box": box}, POSITION["crops"][0]]
    row = POSITION | {"image": size, "crops": crops, "space": space}
    found = refused("position", manifest(tmp_path, row))
    assert (found.field, hint in found.message) == ("crops", True)


def test_a_split_is_test_or_the_only_one_or_asked_for(tmp_path: Path) -> None:
    both = manifest(
        tmp_path,
        COLOR | {"split": "train", "page": "t", "site": "s"},
        COLOR | {"split": "dev", "page": "d", "site": "s"},
    )
    assert "give split=, one of: train, dev" in refused("color", both).message
    dev = read("color", both, "dev")
    assert (dev.split, dev.questions[0].item_id) == ("dev", "dev/d/before")
    assert dev.note == "1 sites are in several splits, such as 's'"
    with pytest.raises(UnknownNameError, match=r"no split 'test'\. Known: train, dev\."):
        read("color", both, "test")
    assert read("color", manifest(tmp_path, COLOR | {"split": "dev"})).split == "dev"


def test_derived_splits_are_of_their_task_only(tmp_path: Path) -> None:
    size = {"path": "p.png", "width": 100, "height": 100}
    folder = manifest(tmp_path, COLOR, POSITION | {"image": size})
    assert read("position", folder, "test-pairs").split == "test-pairs"
    with pytest.raises(UnknownNameError, match="Known: test, test-pairs"):
        read("position", folder, "test-positives")
    with pytest.raises(UnknownNameError, match=r"Known: test\."):
        read("color", folder, "test-pairs")
