import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen import sdk
from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.tasks.benchmarks.screenspot.load import PRO_PROMPTS, PROMPTS, load, read_pro, read_v2
from snellen.tasks.benchmarks.screenspot.signs import v2_sizes
from snellen.tasks.data.check import image_faults, recognize

V2, PRO = "screenspot-v2/point", "screenspot-pro/point"
SIZES = {"mobile": (1170, 2532), "desktop": (1920, 1080), "web": (1280, 720)}


def v2_row(platform: str, kind: str) -> dict[str, Any]:
    return {
        "img_filename": f"{platform}.png",
        "bbox": [100, 200, 50, 40],
        "instruction": f"the {kind} of {{question}}",
        "data_type": kind,
        "data_source": "ios" if platform == "mobile" else "",
    }


def pro_row(number: int, group: str, kind: str) -> dict[str, Any]:
    return {
        "id": f"{group}_{number}",
        "img_filename": f"{group}/{number}.png",
        "bbox": [3000, 100, 3100, 200],
        "img_size": [3840, 2160],
        "instruction": f"the {kind}",
        "instruction_cn": f"那个{kind}" if number else "",
        "application": group,
        "platform": "windows",
        "ui_type": kind,
        "group": group.upper(),
    }


def picture(path: Path, size: tuple[int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("1", size).save(path)


@pytest.fixture
def v2(tmp_path: Path) -> Path:
    """ScreenSpot-v2 in miniature, its archive of screenshots unpacked beside the annotations."""
    folder = tmp_path / "ScreenSpot-v2"
    for platform, size in SIZES.items():
        rows = [v2_row(platform, "text"), v2_row(platform, "icon")]
        picture(folder / "screenspotv2_image" / f"{platform}.png", size)
        (folder / f"screenspot_{platform}_v2.json").write_text(json.dumps(rows))
    return folder


@pytest.fixture
def pro(tmp_path: Path) -> Path:
    """ScreenSpot-Pro in miniature: a file of annotations for each application."""
    folder = tmp_path / "ScreenSpot-Pro"
    (folder / "annotations").mkdir(parents=True)
    for group in ("dev", "cad"):
        rows = [pro_row(0, group, "icon"), pro_row(1, group, "text")]
        (folder / "annotations" / f"{group}_windows.json").write_text(json.dumps(rows))
    picture(folder / "images" / "cad" / "0.png", (3840, 2160))
    return folder


def answers(data: sdk.TaskData, response: object) -> list[dict[str, object]]:
    return [{"item_id": item_id, "response": response} for item_id in data.ids]


def test_v2_has_its_boxes_as_corners_and_its_sizes_from_the_images(v2: Path) -> None:
    data = load(V2, v2)
    assert data.ids == ["mobile/0", "mobile/1", "desktop/0", "desktop/1", "web/0", "web/1"]
    assert data.golds[2] == ImageTarget((100, 200, 150, 240), (1920, 1080))
    assert data.contexts[4] == Context(width=1280, height=720)
    assert data.tags["platform"] == ["mobile", "mobile", "desktop", "desktop", "web", "web"]
    assert data.tags["data_type"] == ["text", "icon"] * 3
    assert data.tags["data_source"] == ["ios", "ios", None, None, None, None]
    assert data.cluster == "image"
    assert data.tags["image"][0] == "mobile.png"
    assert data.golds[4].bbox == (100, 200, 150, 240)


def test_pro_has_its_boxes_as_they_are_and_its_sizes_from_the_rows(pro: Path) -> None:
    data = load(PRO, pro)
    assert data.ids == ["cad_0", "cad_1", "dev_0", "dev_1"]
    assert data.golds[0] == ImageTarget((3000, 100, 3100, 200), (3840, 2160))
    assert list(data.tags) == ["group", "data_type", "application", "platform", "image"]
    assert data.tags["group"] == ["CAD", "CAD", "DEV", "DEV"]
    assert load(PRO, pro / "annotations").ids == data.ids
    assert load(PRO, pro / "annotations" / "dev_windows.json").ids == ["dev_0", "dev_1"]


@pytest.mark.parametrize("task", [V2, PRO])
def test_a_reference_scores_the_maximum_under_every_protocol(
    v2: Path, pro: Path, task: str
) -> None:
    data = load(task, v2 if task == V2 else pro)
    for protocol in sdk.protocols_of(task):
        found = sdk.attainable(data=data, protocol=protocol.id)
        assert (found.metrics["accuracy"], found.below) == (1.0, ())


def test_the_six_cells_and_their_mean(v2: Path) -> None:
    data = load(V2, v2)
    report = sdk.grade(answers(data, "(0.1068, 0.0868)"), data=data)
    assert report.metrics["accuracy"].value == pytest.approx(2 / 6)
    cells = {
        cell.name: cell.estimate.value
        for cell in report.by("platform", "data_type", least=1).cells
        if cell.estimate
    }
    assert cells == {
        "desktop x icon": 0,
        "desktop x text": 0,
        "mobile x icon": 1,
        "mobile x text": 1,
        "web x icon": 0,
        "web x text": 0,
    }


def test_the_summary_has_the_cells_and_both_means(v2: Path, pro: Path, tmp_path: Path) -> None:
    rows = [v2_row("web", "text"), *[v2_row("web", "icon")] * 3]
    (v2 / "screenspot_web_v2.json").write_text(json.dumps(rows))
    data = load(V2, v2)
    report = sdk.grade(answers(data, "(0.0977, 0.3056)"), data=data)
    for given in (report, sdk.load_report(report.save(tmp_path / "report.json"))):
        summary = given.summary()
        cells, means = (table.rows for table in summary.tables)
        names = [column.name for column in summary.tables[0].columns]
        assert names == ["platform", "text", "icon", "both", "items"]
        assert cells == (
            ("mobile", 0, 0, 0, 2),
            ("desktop", 0, 0, 0, 2),
            ("web", 1, 1, 1, 4),
            ("all", pytest.approx(1 / 3), pytest.approx(3 / 5), 0.5, 8),
        )
        assert means == (("of the 6 cells", pytest.approx(1 / 3), 8), ("over items", 0.5, 8))
        found = summary.value("macro_accuracy")
        assert found is not None
        assert found.value == pytest.approx(2 / 6)
    data = load(PRO, pro)
    summary = sdk.grade(answers(data, "(0.79, 0.07)"), data=data).summary()
    assert [row[0] for row in summary.tables[0].rows] == ["CAD", "DEV", "all"]


@pytest.mark.parametrize("platform", ["mobile", "desktop", "web"])
def test_a_platform_is_a_split_and_a_file(v2: Path, platform: str) -> None:
    split = load(V2, v2, split=platform)
    file = load(V2, v2 / f"screenspot_{platform}_v2.json")
    assert split.ids == file.ids == [f"{platform}/0", f"{platform}/1"]
    assert split.split == file.split == platform
    assert split.golds == file.golds
    assert split.pin.sha256 == file.pin.sha256


def test_without_images_pixels_are_graded_and_fractions_are_errors(v2: Path) -> None:
    (v2 / "screenspotv2_image").rename(v2.parent / "elsewhere")
    data = load(V2, v2)
    assert data.load_image is None
    assert data.golds[0] == ImageTarget((100, 200, 150, 240))
    for protocol in ("robust", "pixels"):
        report = sdk.grade(answers(data, "(125, 220)"), data=data, protocol=protocol)
        assert report.metrics["accuracy"].value == 1
        assert not report.input.incomplete
    for protocol in ("official", "robust", "unit", "lmms-eval"):
        report = sdk.grade(answers(data, "(0.5, 0.5)"), data=data, protocol=protocol)
        assert report.input.incomplete
        assert report.input.outcomes[Outcome.ERROR] == len(data.ids)
        assert report.metrics["accuracy"].value_answered is None
        assert all("load the data with its images" in one.note for one in report.scores)
    found = load(V2, v2, images=v2.parent / "elsewhere")
    assert sdk.grade(answers(found, "(0.1068, 0.0868)"), data=found).value > 0.3


def test_boxes_that_reach_outside_are_counted(v2: Path) -> None:
    boxes = ([1200, 700, 200, 200], [-5, 0, 10, 10], [1200, 700, 80, 20])
    rows = [{**v2_row("web", "icon"), "bbox": box} for box in boxes]
    (v2 / "screenspot_web_v2.json").write_text(json.dumps(rows))
    assert load(V2, v2, split="web").pin.note.endswith(
        "; 2 right boxes reach outside their images ('web/0', ...)"
    )


def test_pro_is_graded_without_its_images_and_lists_what_is_missing(pro: Path) -> None:
    data = load(PRO, pro)
    report = sdk.grade(answers(data, "(0.79, 0.07)"), data=data)
    assert report.metrics["accuracy"].value == 1
    assert [fault.item for fault in image_faults(data)] == ["cad_1", "dev_0", "dev_1"]
    with pytest.raises(DataError, match=r"dev.0\.png"):
        data.image("dev_0")
    assert data.image("cad_0").startswith(b"\x89PNG")


def test_an_image_that_is_none_leaves_its_size_unknown(v2: Path) -> None:
    (v2 / "screenspotv2_image" / "web.png").write_bytes(b"no image")
    data = load(V2, v2)
    assert [gold.image_size for gold in data.golds][3:] == [(1920, 1080), None, None]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]  # golds are objects to a loader
    assert data.item("web/0").images[0].width is None
    assert {fault.item for fault in image_faults(data)} == {"web/0"}


def test_the_prompts_by_name(v2: Path, pro: Path) -> None:
    asked = {prompt.name: load(V2, v2, prompt=prompt.name).item("web/0") for prompt in PROMPTS}
    assert len({item.prompt for item in asked.values()}) == len(PROMPTS)
    for name, item in asked.items():
        assert "the text of {question}" in item.prompt
        assert item.tags == {"platform": "web", "prompt": name}
    pixels = asked["snellen-screenspot-pixels-1"]
    assert "in pixels of the original image, which is 1280 x 720." in pixels.prompt
    assert pixels.answer_format.space is Space.PIXELS
    assert asked["screenspot-seeclick"].answer_format.space is None
    chinese = load(PRO, pro, prompt=PRO_PROMPTS[-1].name)
    assert chinese.item("cad_1").prompt.endswith("那个text")
    with pytest.raises(DataError, match="cad_0 has no instruction_cn"):
        chinese.item("cad_0")


def test_an_items_prompt_gives_nothing_away(v2: Path, pro: Path) -> None:
    for data in (load(V2, v2), load(PRO, pro)):
        for item_id in data.ids:
            told = data.item(item_id).model_dump_json()
            assert not any(side in told for side in ("150", "240", "3000", "3100"))


def test_a_part_of_v2_is_what_is_there(v2: Path) -> None:
    (v2 / "screenspot_mobile_v2.json").unlink()
    with pytest.raises(DataError, match="give split=, one of: desktop, web"):
        load(V2, v2)
    with pytest.raises(DataError, match=r"there is no screenspot_mobile_v2\.json in it"):
        load(V2, v2, split="all")
    (v2 / "screenspot_desktop_v2.json").unlink()
    assert load(V2, v2).split == "web"
    with pytest.raises(UnknownNameError, match="Known: web"):
        load(V2, v2, split="tablet")


def test_the_release_is_told_by_its_number_of_items(v2: Path) -> None:
    rows = json.dumps([v2_row("web", "icon")] * 437)
    (v2 / "screenspot_web_v2.json").write_text(rows)
    pin = load(V2, v2, split="web").pin
    assert (pin.release, pin.verdict, pin.count) == ("v2-by-count", PinVerdict.FIRST_SEEN, 437)
    assert "the published screenspot-v2 holds: v2 all 1,272" in load(V2, v2).pin.note


@pytest.mark.parametrize(
    ("task", "split", "prompt", "message"),
    [
        (V2, "tablet", None, "split of screenspot-v2/point"),
        (PRO, "mobile", None, "split of screenspot-pro/point"),
        (V2, None, "screenspot", "prompt"),
        ("screenspot-v3/point", None, None, "ScreenSpot task"),
    ],
)
def test_unknown_names(
    v2: Path, task: str, split: str | None, prompt: str | None, message: str
) -> None:
    with pytest.raises(UnknownNameError, match=message):
        load(task, v2, split=split, prompt=prompt)


ROW: dict[str, Any] = {
    "img_filename": "a.png",
    "bbox": [42, 1102, 197, 70],
    "instruction": "view the details",
    "data_type": "text",
    "data_source": "shop",
}
PRO_ROW: dict[str, Any] = {
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
    folder.mkdir(exist_ok=True)
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
    found = read_pro(written(tmp_path, [PRO_ROW], "word_macos.json"))
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
        ({"instruction": 7}, "row 2"),
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


def test_a_row_of_pro_may_be_of_any_kind_of_element(tmp_path: Path) -> None:
    found = read_pro(written(tmp_path, [{**PRO_ROW, "ui_type": "button"}], "word_macos.json"))
    assert found.elements[0].tags["data_type"] == "button"


def test_an_inverted_box_of_pro_names_its_item(tmp_path: Path) -> None:
    folder = written(
        tmp_path, [PRO_ROW, {**PRO_ROW, "id": "word_2", "bbox": [3, 2, 1, 4]}], "w.json"
    )
    with pytest.raises(DataError, match=r"row 2 .*item word_2: a box is inverted"):
        read_pro(folder)


def test_a_box_of_pro_that_is_not_in_its_image_names_its_item(tmp_path: Path) -> None:
    folder = written(tmp_path, [{**PRO_ROW, "bbox": [2600, 2, 2700, 4]}], "w.json")
    with pytest.raises(DataError, match=r"row 1 .*item word_1: .* outside the image of 2560 x"):
        read_pro(folder)


def test_an_id_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, [PRO_ROW], "a.json")
    with pytest.raises(DataError, match="'word_1' is there twice"):
        read_pro(written(tmp_path, [PRO_ROW], "b.json"))


def test_a_folder_of_something_else_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("")
    with pytest.raises(DataError, match=r"no screenspot_web_v2\.json .*holds train\.csv"):
        read_v2(tmp_path, ["web"])
    with pytest.raises(DataError, match=r"no annotations/\*\.json"):
        read_pro(tmp_path)
    with pytest.raises(DataError, match="no such file or folder"):
        read_pro(tmp_path / "nowhere")


# Names, sizes and boxes of two images of ScreenSpot-v2 (OS-Copilot/ScreenSpot-v2, Apache 2.0).
PHONE, PC = (
    "mobile_1ca5b944-293a-46a1-af95-eb35bc8a0b2a.png",
    "pc_ede36f9b-1154-4f76-b7f8-c15d7d3f9b6e.png",
)
GUI_ACTOR_ROW = {
    "img_filename": PC,
    "bbox": [910, 78, 954, 112],
    "instruction": "close this window",
    "img_size": [960, 540],
    "platform": "windows",
    "ui_type": "icon",
    "group": "desktop",
}
MAI_UI_ROW = {
    **GUI_ACTOR_ROW,
    "id": "screenspot_desktop_v2_0",
    "application": "screenspot_desktop_v2",
    "platform": "v2",
    "group": "Dev",
    "instruction_cn": "",
}
PUBLISHED_ROW = {
    "img_filename": PC,
    "bbox": [910, 78, 44, 34],
    "instruction": "close this window",
    "data_type": "icon",
    "data_source": "windows",
}


def test_fractions_are_graded_without_images_because_the_sizes_are_known(tmp_path: Path) -> None:
    data = load(V2, written(tmp_path, [PUBLISHED_ROW], "screenspot_desktop_v2.json"))
    assert data.golds[0] == ImageTarget((910, 78, 954, 112), (960, 540))
    for protocol, response in (("official", "(0.97, 0.18)"), ("thousand", "(970, 180)")):
        report = sdk.grade(answers(data, response), data=data, protocol=protocol, progress=False)
        assert report.value == 1
    assert len(v2_sizes()) == 730
    assert v2_sizes()[PHONE] == (2360, 1640)


@pytest.mark.parametrize(
    ("name", "row", "source"),
    [
        ("screenspot_desktop_v2.json", GUI_ACTOR_ROW, "windows"),
        ("screenspot_desktop_v2_convert.json", MAI_UI_ROW, ""),
    ],
)
def test_a_copy_with_corners_and_sizes_is_read_as_v2(
    tmp_path: Path, name: str, row: dict[str, Any], source: str
) -> None:
    folder = written(tmp_path, [row, row], name)
    published = written(tmp_path / "published", [PUBLISHED_ROW] * 2, "screenspot_desktop_v2.json")
    expected = load(V2, published)
    for path in (folder, folder / name):
        data = load(V2, path)
        assert (data.split, data.ids) == ("desktop", ["desktop/0", "desktop/1"])
        assert data.golds == expected.golds
        assert data.tags["data_source"] == [source or None] * 2
        assert data.pin.release == "unknown"
        assert "a public copy with corners" in data.pin.note
        assert recognize(path) == (V2,)


def test_a_copys_inverted_box_names_its_row(tmp_path: Path) -> None:
    row = {**GUI_ACTOR_ROW, "bbox": [954, 78, 910, 112]}
    folder = written(tmp_path, [GUI_ACTOR_ROW, row], "screenspot_desktop_v2.json")
    with pytest.raises(DataError, match=r"row 2 .*inverted"):
        load(V2, folder)


def test_a_copy_of_v2_is_not_read_as_pro(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="rows of ScreenSpot-v2 in the keys of ScreenSpot-Pro"):
        read_pro(written(tmp_path, [MAI_UI_ROW], "a.json"))
    mine = written(tmp_path / "mine", [MAI_UI_ROW], "mine.json")
    assert recognize(mine / "mine.json") == (V2,)


def test_the_rows_of_the_first_screenspot_are_refused_by_its_name(tmp_path: Path) -> None:
    other = {**PUBLISHED_ROW, "img_filename": "pc_of_the_first.png"}
    rows = [PUBLISHED_ROW] * 333 + [other]
    for name in ("screenspot_desktop_v2.json", "screenspot_desktop.json"):
        folder = written(tmp_path / name.partition(".")[0], rows, name)
        with pytest.raises(DataError, match=r"rows of the first ScreenSpot, .*row 334"):
            load(V2, folder / name)


def test_corners_in_the_published_keys_are_refused(tmp_path: Path) -> None:
    row = {**PUBLISHED_ROW, "bbox": [910, 78, 954, 112]}
    with pytest.raises(DataError, match=r"left, top, right, bottom here.*row 1 would reach"):
        load(V2, written(tmp_path, [row] * 30, "screenspot_desktop_v2.json"))


def test_a_file_under_a_name_of_its_own_is_read_once(tmp_path: Path) -> None:
    rows = [PUBLISHED_ROW, {**PUBLISHED_ROW, "img_filename": PHONE}, PUBLISHED_ROW, ROW]
    data = load(V2, written(tmp_path, rows, "mine.json") / "mine.json")
    assert data.ids == ["desktop/0", "mobile/0", "desktop/1", "all/0"]
    assert data.split == "all"
