import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from snellen import sdk
from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.screenspot.signs import only_in_v1, v2_sizes
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.data.check import image_faults, recognize

V1, V2, PRO = "screenspot-v1/point", "screenspot-v2/point", "screenspot-pro/point"
SIZES = {"mobile": (1170, 2532), "desktop": (1920, 1080), "web": (1280, 720)}
# Names, sizes and boxes of images of ScreenSpot-v2 (OS-Copilot/ScreenSpot-v2, Apache 2.0), and one
# that only v1 has.
PHONE, PC = (
    "mobile_1ca5b944-293a-46a1-af95-eb35bc8a0b2a.png",
    "pc_ede36f9b-1154-4f76-b7f8-c15d7d3f9b6e.png",
)
OLDER = next(name for name, size in only_in_v1().items() if size and name.startswith("web"))
ROW: dict[str, Any] = {
    "img_filename": PC,
    "bbox": [910, 78, 44, 34],
    "instruction": "close this window",
    "data_type": "icon",
    "data_source": "windows",
}
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


def written(folder: Path, rows: object, name: str = "screenspot_web_v2.json") -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(json.dumps(rows), encoding="utf-8")
    return folder


def picture(path: Path, size: tuple[int, int]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("1", size).save(path)
    return path


@pytest.fixture
def v2(tmp_path: Path) -> Path:
    """ScreenSpot-v2 in miniature, its archive of screenshots unpacked beside the annotations."""
    folder = tmp_path / "ScreenSpot-v2"
    for platform, size in SIZES.items():
        rows = [v2_row(platform, "text"), v2_row(platform, "icon")]
        picture(folder / "screenspotv2_image" / f"{platform}.png", size)
        written(folder, rows, f"screenspot_{platform}_v2.json")
    return folder


@pytest.fixture
def pro(tmp_path: Path) -> Path:
    """ScreenSpot-Pro in miniature: a file of annotations for each application."""
    folder = tmp_path / "ScreenSpot-Pro"
    for group in ("dev", "cad"):
        rows = [pro_row(0, group, "icon"), pro_row(1, group, "text")]
        written(folder / "annotations", rows, f"{group}_windows.json")
    picture(folder / "images" / "cad" / "0.png", (3840, 2160))
    return folder


def answers(data: sdk.TaskData, response: object) -> list[dict[str, object]]:
    return [{"item_id": item_id, "response": response} for item_id in data.ids]


def test_v2_has_its_boxes_as_corners_and_its_sizes_from_the_images(v2: Path) -> None:
    data = load_task(V2, v2)
    assert data.ids == ["mobile/0", "mobile/1", "desktop/0", "desktop/1", "web/0", "web/1"]
    assert data.golds[2] == ImageTarget((100, 200, 150, 240), (1920, 1080))
    assert data.contexts[4] == Context(width=1280, height=720)
    assert data.tags["platform"] == ["mobile", "mobile", "desktop", "desktop", "web", "web"]
    assert data.tags["data_type"] == ["text", "icon"] * 3
    assert data.tags["data_source"] == ["ios", "ios", None, None, None, None]
    assert data.tags["image"][0] == "mobile.png"


def test_pro_has_its_boxes_as_they_are_and_its_sizes_from_the_rows(pro: Path) -> None:
    data = load_task(PRO, pro)
    assert data.ids == ["cad_0", "cad_1", "dev_0", "dev_1"]
    assert data.golds[0] == ImageTarget((3000, 100, 3100, 200), (3840, 2160))
    assert list(data.tags) == ["group", "data_type", "application", "platform", "image"]
    assert data.tags["group"] == ["CAD", "CAD", "DEV", "DEV"]
    assert [fault.item for fault in image_faults(data)] == ["cad_1", "dev_0", "dev_1"]
    assert sdk.grade(answers(data, "(0.79, 0.07)"), data=data).value == 1
    assert load_task(PRO, pro / "annotations").ids == data.ids
    assert load_task(PRO, pro / "annotations" / "dev_windows.json").ids == ["dev_0", "dev_1"]


def test_the_summary_has_the_cells_and_both_means(v2: Path, pro: Path, tmp_path: Path) -> None:
    written(v2, [v2_row("web", "text"), *[v2_row("web", "icon")] * 3])
    data = load_task(V2, v2)
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
    data = load_task(PRO, pro)
    summary = sdk.grade(answers(data, "(0.79, 0.07)"), data=data).summary()
    assert [row[0] for row in summary.tables[0].rows] == ["CAD", "DEV", "all"]


@pytest.mark.parametrize("platform", ["mobile", "desktop", "web"])
def test_a_platform_is_a_split_and_a_file(v2: Path, platform: str) -> None:
    split = load_task(V2, v2, split=platform)
    file = load_task(V2, v2 / f"screenspot_{platform}_v2.json")
    assert split.ids == file.ids == [f"{platform}/0", f"{platform}/1"]
    assert split.split == file.split == platform
    assert split.golds == file.golds
    assert split.pin.sha256 == file.pin.sha256


def test_without_images_pixels_are_graded_and_fractions_are_errors(v2: Path) -> None:
    (v2 / "screenspotv2_image").rename(v2.parent / "elsewhere")
    data = load_task(V2, v2)
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
    found = load_task(V2, v2, images=v2.parent / "elsewhere")
    assert sdk.grade(answers(found, "(0.1068, 0.0868)"), data=found).value > 0.3


def test_the_prompts_by_name(v2: Path, pro: Path) -> None:
    names = own("screenspot-v2").tables[0].asked
    asked = {one.prompt.name: load_task(V2, v2, prompt=one.prompt.name) for one in names}
    items = {name: data.item("web/0") for name, data in asked.items()}
    assert len({item.prompt for item in items.values()}) == len(names)
    for name, item in items.items():
        assert "the text of {question}" in item.prompt
        assert item.tags == {"platform": "web", "prompt": name}
    pixels = items["snellen-screenspot-pixels-1"]
    assert "in pixels of the original image, which is 1280 x 720." in pixels.prompt
    assert pixels.answer_format.space is Space.PIXELS
    assert items["screenspot-seeclick"].answer_format.space is None
    chinese = load_task(PRO, pro, prompt="screenspot-snellen-unit-cn-1")
    assert chinese.item("cad_1").prompt.endswith("那个text")
    with pytest.raises(DataError, match="cad_0 has no instruction_cn"):
        chinese.item("cad_0")


def test_a_part_of_v2_is_what_is_there(v2: Path) -> None:
    (v2 / "screenspot_mobile_v2.json").unlink()
    with pytest.raises(DataError, match="give split=, one of: desktop, web"):
        load_task(V2, v2)
    with pytest.raises(DataError, match=r"there is no screenspot_mobile_v2\.json in it"):
        load_task(V2, v2, split="all")
    (v2 / "screenspot_desktop_v2.json").unlink()
    assert load_task(V2, v2).split == "web"
    with pytest.raises(UnknownNameError, match=r"split of screenspot-v2/point .*Known: web"):
        load_task(V2, v2, split="tablet")


def test_the_release_is_told_by_its_number_of_items(v2: Path) -> None:
    written(v2, [v2_row("web", "icon")] * 437)
    pin = load_task(V2, v2, split="web").pin
    assert (pin.release, pin.verdict, pin.count) == ("v2-by-count", PinVerdict.FIRST_SEEN, 437)
    assert "the published screenspot-v2 holds: v2 all 1,272" in load_task(V2, v2).pin.note


def test_fractions_are_graded_without_images_because_the_sizes_are_known(tmp_path: Path) -> None:
    data = load_task(V2, written(tmp_path, [ROW], "screenspot_desktop_v2.json"))
    assert data.golds[0] == ImageTarget((910, 78, 954, 112), (960, 540))
    for protocol, response in (("official", "(0.97, 0.18)"), ("thousand", "(970, 180)")):
        report = sdk.grade(answers(data, response), data=data, protocol=protocol, progress=False)
        assert report.value == 1
    rows = [ROW, {**ROW, "img_filename": OLDER}]
    data = load_task(V1, written(tmp_path, rows, "mine.json") / "mine.json")
    assert [gold.image_size for gold in data.golds] == [(960, 540), only_in_v1()[OLDER]]
    assert len(v2_sizes()) == 730
    assert not v2_sizes().keys() & only_in_v1().keys()


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
    published = written(tmp_path / "published", [ROW] * 2, "screenspot_desktop_v2.json")
    expected = load_task(V2, published)
    for path in (folder, folder / name):
        data = load_task(V2, path)
        assert (data.split, data.ids) == ("desktop", ["desktop/0", "desktop/1"])
        assert data.golds == expected.golds
        assert data.tags["data_source"] == [source or None] * 2
        assert data.pin.release == "unknown"
        assert "a public copy with corners" in data.pin.note
        assert recognize(path) == (V2,)


# fmt: off
REFUSED: list[tuple[str, list[dict[str, Any]], str]] = [
    (V2, [{**ROW, "data_type": "widget"}], "field 'data_type': row 1 .*'widget'"),
    (V2, [ROW] * 333 + [{**ROW, "img_filename": OLDER}],
     f"rows of the first ScreenSpot, .*row 334 .*load them as {V1}"),
    (V1, [ROW] * 437, f"rows of ScreenSpot-v2, .*load them as {V2}"),
    (V2, [{**ROW, "bbox": [910, 78, 954, 112]}] * 30,
     "left, top, right, bottom here.*row 1 would reach"),
    (PRO, [MAI_UI_ROW], "rows of ScreenSpot-v2 in the keys of ScreenSpot-Pro"),
]
# fmt: on


@pytest.mark.parametrize(("task", "rows", "message"), REFUSED)
@pytest.mark.parametrize("name", ["screenspot_desktop_v2.json", "screenspot_web.json", "own.json"])
def test_rows_that_are_not_as_published_are_refused(
    tmp_path: Path, task: str, rows: list[Any], message: str, name: str
) -> None:
    file = written(tmp_path, rows, name) / name
    with pytest.raises(DataError, match=message) as caught:
        load_task(task, file)
    assert (caught.value.file, bool(caught.value.field)) == (str(file), True)


def test_a_file_under_a_name_of_its_own_is_told_by_its_rows(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "img_filename": PHONE}, ROW, {**ROW, "img_filename": "a.png"}]
    mine = written(tmp_path, rows, "mine.json") / "mine.json"
    data = load_task(V2, mine)
    assert data.ids == ["desktop/0", "mobile/0", "desktop/1", "all/0"]
    assert data.split == "all"
    for row, task in (({**ROW, "img_filename": OLDER}, V1), (ROW, V2), (MAI_UI_ROW, V2)):
        written(tmp_path, [ROW if task == V1 else row, row], "mine.json")
        assert recognize(mine) == (task,)


def test_the_first_screenspot_as_its_authors_publish_it(tmp_path: Path) -> None:
    for platform in SIZES:
        written(tmp_path, [v2_row(platform, "text")] * 2, f"screenspot_{platform}.json")
    assert recognize(tmp_path) == (V1,)
    data = load_task(V1, tmp_path)
    assert data.ids == [f"{one}/{row}" for one in SIZES for row in (0, 1)]
    assert load_task(V1, tmp_path, "web").ids == ["web/0", "web/1"]
    assert load_task(V1, tmp_path / "screenspot_web.json").split == "web"


def test_the_first_screenspot_as_the_hub_has_it(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(("web_a.png", "pc_b.png", "web_c.png")):
        image = picture(tmp_path / "made" / name, (200 + number, 100)).read_bytes()
        row = {**ROW, "bbox": [0.1, 0.2, 0.3, 0.4], "file_name": name}
        rows.append({**row, "image": {"bytes": image, "path": name}})
        del rows[-1]["img_filename"]
    folder = tmp_path / "hub"
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "data/test-00000-of-00001.parquet")  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    assert recognize(folder) == recognize(next(folder.rglob("*.parquet"))) == (V1,)
    data = load_task(V1, folder)
    assert data.ids == ["web/0", "desktop/0", "web/1"]
    assert data.golds[2].bbox == (0.1, 0.2, 0.3, 0.4)
    assert [gold.image_size[0] for gold in data.golds] == [200, 201, 202]
    web = load_task(V1, folder, "web")
    assert (web.ids, web.golds[1].image_size[0]) == (["web/0", "web/1"], 202)
    assert "in another layout than the published files" in data.pin.note
