"""Folders as the published scripts write them; the files' contents are generated."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.webrssbench.format import read

PIXEL = b"\x89PNG generated"


def page(folder: Path, *names: str, **documents: object) -> Path:
    """Write one page's folder: images by name, and JSON files by stem."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(PIXEL)
    for stem, document in documents.items():
        (folder / f"{stem}.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def disturbed(root: Path, *pages: str) -> Path:
    for name in pages:
        page(root / name, "original.png", "disturbed.png", "disturbed.html")
    return root


def text_page(**changes: object) -> dict[str, Any]:
    button = {
        "id": 1,
        "idx": 4,
        "original_text": "Order",
        "perturbed_text": "O r d e r",
        "bounding_box": [10, 20, 80, 30],
    }
    return {
        "difficulty": "easy",
        "page_id": "7",
        "html_file": "C:\\in\\easy\\7.html",
        "selected_buttons": [button],
    } | changes


def crop(number: str, x: float, y: float, width: float = 0.1, height: float = 0.05) -> Any:
    box = {"x": x, "y": y, "width": width, "height": height}
    return {"id": number, "text": f"text {number}", "box": box}


def position_page(root: Path, name: str, crops: list[Any], **documents: object) -> Path:
    images = [f"random_crops/crop_{one['id']}.png" for one in crops]
    files = ("random_crops/original.png", "random_crops/layout_with_boxes.png", *images)
    page(root / name, *files, random_crops_info=crops, analysis_result={}, **documents)
    return root


def refer(root: Path, name: str, references: object) -> Path:
    (root / f"{name}.references.json").write_text(json.dumps(references), encoding="utf-8")
    return root


def test_color_pages_are_pairs_by_level_in_natural_order(tmp_path: Path) -> None:
    root = disturbed(tmp_path, "easy/10", "easy/2", "hard/2")
    rows = read("color", refer(root, "color", {"easy/2": "Buy", "hard/2": "Sell", "easy/10": "Go"}))
    assert [one.item_id for one in rows.questions] == [
        "test/easy/2/before",
        "test/easy/2/after-partial",
        "test/easy/10/before",
        "test/easy/10/after-partial",
        "test/hard/2/before",
        "test/hard/2/after-partial",
    ]
    assert rows.golds == [["Buy"]] * 2 + [["Go"]] * 2 + [["Sell"]] * 2
    assert [one.difficulty for one in rows.questions[::2]] == ["easy", "easy", "hard"]
    assert {one.mode for one in rows.questions} == {"partial"}
    assert rows.questions[1].images["screen"].path == "easy/2/disturbed.png"


def test_a_folders_name_says_how_colors_were_changed(tmp_path: Path) -> None:
    root = disturbed(tmp_path / "low_contrast", "easy/1")
    rows = read("color", refer(root, "color", {"easy/1": "Buy"}))
    assert [one.item_id for one in rows.questions][1] == "test/easy/1/after-low_contrast"


def test_layout_pages_have_a_level_only_where_their_folder_says_one(tmp_path: Path) -> None:
    root = disturbed(tmp_path / "out", "shop", "medium/news")
    rows = read("layout", refer(root, "layout", {"shop": "A shop", "medium/news": "News"}))
    assert [one.item_id for one in rows.questions][:2] == [
        "test/medium/news/before",
        "test/medium/news/after",
    ]
    assert [one.difficulty for one in rows.questions] == ["medium", "medium", None, None]
    assert {one.mode for one in rows.questions} == {None}


def test_one_pages_folder_can_be_given_itself(tmp_path: Path) -> None:
    root = disturbed(tmp_path, "hard/5") / "hard/5"
    rows = read("layout", refer(root, "layout", {"5": "A shop"}))
    assert [one.item_id for one in rows.questions] == ["test/5/before", "test/5/after"]
    assert rows.questions[0].images["screen"].path == "original.png"


def test_text_pages_come_with_their_marked_button(tmp_path: Path) -> None:
    images = ("annotated_before.png", "annotated_after.png")
    page(tmp_path / "easy/7", *images, analysis_result=text_page())
    rows = read("text", refer(tmp_path, "text", {"easy/7": "Orders what is in the basket"}))
    before, after = rows.questions
    assert before.images["screen"].path == "easy/7/annotated_before.png"
    assert after.images["screen"].path == "easy/7/annotated_after.png"
    two: list[object] = [{}, {}]
    page(tmp_path / "easy/7", analysis_result=text_page(selected_buttons=two))
    with pytest.raises(DataError, match="marks 2 buttons; a question is about one"):
        read("text", tmp_path)
    page(tmp_path / "easy/7", analysis_result=[])
    with pytest.raises(DataError, match="is not as the published script writes it"):
        read("text", tmp_path)
    (tmp_path / "easy/7/analysis_result.json").unlink()
    with pytest.raises(DataError, match=r"analysis_result\.json: can't be read: No such"):
        read("text", tmp_path)


def test_positions_are_labelled_by_the_published_rule(tmp_path: Path) -> None:
    crops = [crop("10", 0.0, 0.1), crop("2", 0.5, 0.1075), crop("7", 0.5, 0.5)]
    rows = read("position", position_page(tmp_path, "shop", crops))
    (question,) = rows.questions
    assert list(question.images) == ["screen", "crop_10", "crop_2", "crop_7"]
    assert question.images["screen"].path == "shop/random_crops/original.png"
    assert question.images["crop_2"].path == "shop/random_crops/crop_2.png"
    assert question.source == "boxes"
    assert rows.golds == [
        {
            ("crop_10", "crop_2"): "left",
            ("crop_10", "crop_7"): "top-left",
            ("crop_2", "crop_7"): "top",
        }
    ]


def test_published_labels_go_before_boxes(tmp_path: Path) -> None:
    crops = [crop("10", 0.0, 0.1), crop("2", 0.5, 0.1)]
    labels = [
        {"id": "10", "vs": "2", "relation": "A top-left B"},
        {"id": "2", "vs": "10", "relation": "A bottom-right B"},
    ]
    root = position_page(tmp_path, "shop", crops, relations=labels)
    assert read("position", root).golds == [{("crop_10", "crop_2"): "top-left"}]
    assert read("position", root).questions[0].source == "relations.json"
    refer(root, "position", {"shop": {"crop_2|crop_10": "right"}})
    assert read("position", root).golds == [{("crop_10", "crop_2"): "left"}]
    position_page(tmp_path, "shop", crops, relations=[labels[0] | {"vs": "3"}])
    with pytest.raises(DataError, match=r"relates crop_3, which is no crop of random_crops_info"):
        read("position", root)


def test_the_deleted_script_calls_the_page_by_another_name(tmp_path: Path) -> None:
    root = position_page(tmp_path, "shop", [crop("1", 0, 0), crop("2", 0.5, 0)])
    page(root / "shop", "random_crops/layout.png")
    (question,) = read("position", root).questions
    assert question.images["screen"].path == "shop/random_crops/layout.png"


def test_a_page_whose_folder_is_incomplete_is_left_out_by_name(tmp_path: Path) -> None:
    crops = [crop("1", 0, 0), crop("2", 0.5, 0)]
    for name in ("whole", "half"):
        position_page(tmp_path / "position", name, crops)
    (tmp_path / "position" / "half" / "random_crops_info.json").unlink()
    disturbed(tmp_path / "color", "easy/1", "easy/2")
    (tmp_path / "color" / "easy" / "2" / "disturbed.png").unlink()

    rows = read("position", tmp_path / "position")
    assert rows.left_out == {"test/half": "its folder lacks random_crops_info.json"}
    assert "1 question without a reference is left out" in rows.note
    refer(tmp_path / "color", "color", {"easy/1": "Buy now"})
    rows = read("color", tmp_path / "color")
    assert rows.left_out == {"test/easy/2": "its folder lacks disturbed.png"}


def test_an_incomplete_page_is_never_asked_about_though_it_has_a_reference(tmp_path: Path) -> None:
    root = disturbed(tmp_path, "easy/1", "easy/2")
    (root / "easy" / "2" / "disturbed.png").unlink()
    refer(root, "color", {"easy/1": "Buy now", "easy/2": "Read on"})
    for unreferenced in (False, True):
        rows = read("color", root, unreferenced=unreferenced)
        assert rows.ids == ["test/easy/1/before", "test/easy/1/after-partial"]
        assert rows.left_out == {"test/easy/2": "its folder lacks disturbed.png"}
        assert rows.incomplete == ("test/easy/2",)


def test_a_page_without_a_reference_is_not_incomplete(tmp_path: Path) -> None:
    rows = read("color", refer(disturbed(tmp_path, "easy/1", "easy/2"), "color", {"easy/2": "Buy"}))
    assert (len(rows.left_out), rows.incomplete) == (2, ())


def test_a_page_with_one_crop_is_left_out_by_name(tmp_path: Path) -> None:
    root = position_page(tmp_path, "shop", [crop("1", 0, 0), crop("2", 0.5, 0)])
    position_page(root, "failed", [])
    rows = read("position", root)
    assert [one.item_id for one in rows.questions] == ["test/shop"]
    assert rows.left_out == {"test/failed": "it has 0 crops, and a pair takes two"}
    assert rows.note == "1 question without a reference is left out"


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "1", "box": {"x": 0, "y": 0, "width": 0.1}},
        {"id": "../1", "box": {"x": 0, "y": 0, "width": 0.1, "height": 0.1}},
        {"id": "1", "box": {"x": 300, "y": 0, "width": 0.1, "height": 0.1}},
        {"id": 1, "box": {"x": 0, "y": 0, "width": 0.1, "height": 0.1}},
    ],
)
def test_crops_that_are_not_as_documented_are_refused(tmp_path: Path, broken: Any) -> None:
    page(
        tmp_path / "shop", "random_crops/original.png", random_crops_info=[broken, crop("2", 0, 0)]
    )
    with pytest.raises(DataError, match="is not as the published script writes it") as caught:
        read("position", tmp_path)
    assert caught.value.file == str(tmp_path / "shop/random_crops_info.json")


def test_pages_without_references_are_listed_and_all_without_are_an_error(tmp_path: Path) -> None:
    root = disturbed(tmp_path, "easy/1", "easy/2")
    with pytest.raises(DataError, match="none of the 4 questions has a reference") as caught:
        read("color", root)
    assert "test/easy/1/before: there is no reference; test/easy/1/after-partial" in str(
        caught.value
    )
    rows = read("color", refer(root, "color", {"easy/2": "Buy"}))
    assert list(rows.left_out) == ["test/easy/1/before", "test/easy/1/after-partial"]
    assert len(read("color", root, unreferenced=True).questions) == 4
    assert read("color", root, unreferenced=True).golds == []


def test_another_benchmarks_folder_is_refused(tmp_path: Path) -> None:
    page(tmp_path / "short_answers", "test.png")
    for name, sign in (("color", "disturbed.png"), ("position", "random_crops_info.json")):
        with pytest.raises(DataError, match=f"holds neither .* no folder with {sign} in it"):
            read(name, tmp_path)
    with pytest.raises(DataError, match="write no questions of the task 'safety'"):
        read("safety", tmp_path)


def test_the_digest_is_of_the_questions_and_their_references(tmp_path: Path) -> None:
    root = disturbed(tmp_path, "easy/1", "easy/2")
    digests = [
        read("color", refer(root, "color", references)).sha256
        for references in ({"easy/1": "Buy"}, {"easy/1": "Buy"}, {"easy/1": "Sell"})
    ]
    assert digests[0] == digests[1] != digests[2]
