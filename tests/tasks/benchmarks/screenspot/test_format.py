import json
from pathlib import Path
from typing import Any

import pytest

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.screenspot.format import read_pro, read_v2

ROW: dict[str, Any] = {
    "img_filename": "a.png",
    "bbox": [42, 1102, 197, 70],
    "instruction": "view the details",
    "data_type": "text",
    "data_source": "shop",
}
PRO: dict[str, Any] = {
    "id": "word_1",
    "img_filename": "word/a.png",
    "bbox": [1, 2, 3, 4],
    "img_size": [2560, 1440],
    "instruction": "bold",
    "application": "word",
    "platform": "macos",
    "ui_type": "icon",
    "group": "Office",
}


def written(folder: Path, rows: object, name: str = "screenspot_web_v2.json") -> Path:
    (folder / name).write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_a_row_of_v2(tmp_path: Path) -> None:
    found = read_v2(written(tmp_path, [ROW, ROW]), ["web"])
    assert [one.id for one in found.elements] == ["web/0", "web/1"]
    element = found.elements[0]
    assert (element.image, element.box, element.size) == ("a.png", (42, 1102, 239, 1172), None)
    assert element.tags == {"platform": "web", "data_type": "text", "data_source": "shop"}
    assert found.files == (tmp_path / "screenspot_web_v2.json",)


def test_a_row_of_pro(tmp_path: Path) -> None:
    found = read_pro(written(tmp_path, [PRO], "word_macos.json"))
    element = found.elements[0]
    assert (element.id, element.box, element.size) == ("word_1", (1, 2, 3, 4), (2560, 1440))
    assert element.chinese == ""
    assert element.tags["group"] == "Office"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bbox": [1, 2, 3]}, r"row 2 \(counted from 1\): expected `array` of length 4"),
        ({"bbox": [1, 2, -3, 4]}, "row 2"),
        ({"bbox": [0.1, 0.2, 0.05, 0.1]}, "row 2.*item web/1: the box .* lies within 0..1"),
        ({"bbox": [0.9, 0.9, 0.3, 0.2]}, "row 2.*item web/1: .* neither fractions .* nor in pix"),
        ({"data_type": "widget"}, "row 2.*'widget'"),
        ({"instruction": ""}, "row 2"),
        ({"img_filename": "../a.png"}, "row 2.*item web/1: '../a.png' is no path below"),
    ],
)
def test_a_row_that_is_not_as_published_stops_the_load(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    folder = written(tmp_path, [ROW, {**ROW, **change}])
    with pytest.raises(DataError, match=message) as caught:
        read_v2(folder, ["web"])
    assert caught.value.file == str(folder / "screenspot_web_v2.json")
    assert caught.value.field


def test_an_inverted_box_of_pro_names_its_item(tmp_path: Path) -> None:
    folder = written(tmp_path, [PRO, {**PRO, "id": "word_2", "bbox": [3, 2, 1, 4]}], "w.json")
    with pytest.raises(DataError, match=r"row 2 .*item word_2: a box is inverted"):
        read_pro(folder)


def test_a_box_of_pro_that_is_not_in_its_image_names_its_item(tmp_path: Path) -> None:
    folder = written(tmp_path, [{**PRO, "bbox": [2600, 2, 2700, 4]}], "w.json")
    with pytest.raises(DataError, match=r"row 1 .*item word_1: .* outside the image of 2560 x"):
        read_pro(folder)


def test_an_id_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, [PRO], "a.json")
    with pytest.raises(DataError, match="'word_1' is there twice"):
        read_pro(written(tmp_path, [PRO], "b.json"))


def test_a_folder_of_something_else_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("")
    with pytest.raises(DataError, match=r"no screenspot_web_v2\.json .*holds train\.csv"):
        read_v2(tmp_path, ["web"])
    with pytest.raises(DataError, match=r"no annotations/\*\.json"):
        read_pro(tmp_path)
    with pytest.raises(DataError, match="no such file or folder"):
        read_pro(tmp_path / "nowhere")
