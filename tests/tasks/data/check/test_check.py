"""What a folder is said to be, and what is said to be wrong with it."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.models.reports import PinVerdict
from snellen.tasks.data.check import DataCheck, check
from snellen.tasks.data.fetch.archives import unpack
from snellen.tasks.data.fetch.manifest import FetchedFile, Manifest, digests_of, write_manifest

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point SNELLEN_HOME to a folder without first sights."""
    monkeypatch.setenv("SNELLEN_HOME", str(tmp_path_factory.mktemp("home")))


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def png(width: int = 64, height: int = 40) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (width, height)).save(data, "PNG")
    return data.getvalue()


def write_parquet(path: Path, rows: list[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    columns = {
        name: pa.array([row[name] for row in rows], image if name == "image" else None)
        for name in rows[0]
    }
    pq.write_table(pa.table(columns), path)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return path


def heading(number: int, image: bytes | None) -> Row:
    return {
        "id": f"heading_ocr_{number}",
        "task_type": "heading_ocr",
        "website": "shoes.example",
        "image": {"bytes": image, "path": None},
        "image_size": [64, 40],
        "answer": "Welcome",
    }


QUESTION = {"image_id": 5, "question": "How many?", "ground_truth": ["12"]}
FULL = {
    "image_id": 5,
    "image_width": 1080,
    "image_height": 1920,
    "question": "How many?",
    "ground_truth": [
        {"full_answer": "There are 12.", "ui_elements": [{"text": "12", "bounds": [1, 2, 3, 4]}]}
    ],
}


def group(difficulty: str) -> Row:
    options = {letter: f"menu {letter}" for letter in "ABCD"}
    return {
        "question": "Which menu?",
        "options": options,
        "answer": "A",
        "explanation": "",
        "difficulty": difficulty,
    }


def l1_row(index: int) -> Row:
    return {
        "index": index,
        "image_path": f"{index}.png",
        "image_size": [64, 40],
        "platform": "os_ios",
        "app_name": "Fitness",
        "groups": [group(difficulty) for difficulty in ("easy", "medium", "hard")],
    }


def l2_row(index: int, kind: str) -> Row:
    return {
        "index": index,
        "image_path": "1.png",
        "image_size": [64, 40],
        "instruction": "the blue button",
        "bbox": [0.1, 0.1, 0.2, 0.2],
        "data_type": "icon",
        "platform": "os_ios",
        "app_name": "Fitness",
        "grounding_type": kind,
    }


def splits(found: DataCheck) -> dict[str, int]:
    return {f"{one.task} {one.split}": one.count for one in found.splits}


# ---- what it is --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.realdata
def test_the_published_screenqa_files_are_known(screenqa_data: Path) -> None:
    found = check(screenqa_data)
    assert splits(found) == {
        "screenqa/short test": 8_419,
        "screenqa/short validation": 8_614,
        "screenqa/complex data": 11_781,
    }
    assert {one.pin.verdict for one in found.splits} == {PinVerdict.KNOWN}
    assert found.fine
    assert [one.there for one in found.images] == [False, False]


@pytest.mark.realdata
def test_a_changed_copy_of_a_published_file_differs(screenqa_data: Path, tmp_path: Path) -> None:
    rows = json.loads((screenqa_data / "short_answers/test.json").read_text())
    rows[7]["question"] += "?"
    write(tmp_path / "short_answers/test.json", rows)
    found = check(tmp_path)
    assert not found.fine
    assert [one.split for one in found.differs] == ["test"]
    assert "not its bytes" in found.differs[0].pin.note


def test_every_task_of_a_screenqa_repository_is_found(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    write(tmp_path / "answers_and_bboxes/validation.json", [FULL, FULL])
    write(tmp_path / "complex_qa/data.json", [QUESTION])
    found = check(tmp_path)
    assert found.benchmarks == ("screenqa",)
    assert splits(found) == {
        "screenqa/short test": 1,
        "screenqa/long validation": 2,
        "screenqa/ui_contents validation": 2,
        "screenqa/ui_contents_boxes validation": 2,
        "screenqa/complex data": 1,
    }
    assert found.fine
    assert found.splits[0].pin.note.startswith("1 question; the published short_answers holds")


def test_splits_of_which_none_is_the_main_one_are_found(tmp_path: Path) -> None:
    for split in ("validation", "train"):
        write(tmp_path / f"short_answers/{split}.json", [QUESTION])
    found = check(tmp_path)
    assert set(splits(found)) == {"screenqa/short validation", "screenqa/short train"}
    assert not any(one.main for one in found.splits)
    assert found.fine


def test_a_visualwebbench_snapshot_is_found_with_its_images(tmp_path: Path) -> None:
    rows = [heading(1, png()), heading(2, png())]
    write_parquet(tmp_path / "heading_ocr/test-00000-of-00001.parquet", rows)
    found = check(tmp_path)
    assert splits(found) == {"visualwebbench/heading_ocr test": 2}
    assert found.splits[0].pin.note.startswith("2 questions; the published heading_ocr holds")
    assert [(one.there, one.faults) for one in found.images] == [(True, ())]
    assert found.fine


def test_targets_of_a_size_that_only_a_missing_image_says_are_counted(tmp_path: Path) -> None:
    row = {"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "x", "data_type": "icon"}
    write(tmp_path / "screenspot_web_v2.json", [row, {**row, "img_filename": "b.png"}])
    found = check(tmp_path / "screenspot_web_v2.json")
    assert [(one.there, one.unsized) for one in found.images] == [(False, 2)]
    assert found.fine
    (tmp_path / "screenspotv2_image").mkdir()
    (tmp_path / "screenspotv2_image/a.png").write_bytes(png())
    found = check(tmp_path / "screenspot_web_v2.json")
    assert [(one.there, one.unsized) for one in found.images] == [(True, 1)]
    write(tmp_path / "short_answers/test.json", [QUESTION])
    assert [one.unsized for one in check(tmp_path, task="screenqa/short").images] == [0]


def test_both_levels_of_mmbench_gui_are_found(tmp_path: Path) -> None:
    write(tmp_path / "L1_annotations.json", [l1_row(1), l1_row(2)])
    write(tmp_path / "L2_annotations.json", [l2_row(1, "basic"), l2_row(2, "advanced")])
    found = check(tmp_path)
    assert splits(found) == {
        "mmbench-gui/l1 all": 6,
        "mmbench-gui/l1 easy": 2,
        "mmbench-gui/l1 medium": 2,
        "mmbench-gui/l1 hard": 2,
        "mmbench-gui/l2_basic basic": 1,
        "mmbench-gui/l2_advanced advanced": 1,
    }
    assert [one.task for one in found.splits if one.main] == [
        "mmbench-gui/l1",
        "mmbench-gui/l2_basic",
        "mmbench-gui/l2_advanced",
    ]
    assert found.fine


def test_one_kind_of_l2_alone_is_no_fault(tmp_path: Path) -> None:
    write(tmp_path / "L2_annotations.json", [l2_row(1, "basic"), l2_row(2, "basic")])
    found = check(tmp_path)
    assert splits(found) == {"mmbench-gui/l2_basic basic": 2}
    assert found.fine


V2_ROW = {"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "x", "data_type": "icon"}


def test_a_part_of_screenspot_is_no_fault_and_its_images_are_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "screenspot_web_v2.json", [V2_ROW, {**V2_ROW, "img_filename": "b.png"}])
    assert check(tmp_path).fine
    (tmp_path / "screenspotv2_image").mkdir()
    (tmp_path / "screenspotv2_image/a.png").write_bytes(png())
    found = check(tmp_path)
    assert splits(found) == {"screenspot-v2/point web": 2}
    assert not found.faults
    assert [fault.image for one in found.images for fault in one.faults] == ["screen"]
    write(tmp_path / "screenspot_mobile_v2.json", [V2_ROW])
    found = check(tmp_path)
    assert splits(found) == {"screenspot-v2/point mobile": 1, "screenspot-v2/point web": 2}
    assert not found.faults
    assert [(one.split, len(one.faults)) for one in found.images] == [("mobile", 0), ("web", 1)]


def test_pages_without_a_reference_are_listed_and_not_wrong(tmp_path: Path) -> None:
    row = {"task": "safety", "image": "a.png"}
    rows = [{**row, "page": "account", "reference": ["Delete"]}, {**row, "page": "blog"}]
    write(tmp_path / "webrssbench.json", {"format": "webrssbench/1", "rows": rows})
    found = check(tmp_path, look=False)
    assert found.splits[0].left_out == {"test/blog": "there is no reference"}
    assert found.fine


def test_a_look_remembers_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "screenspot_web_v2.json", [V2_ROW] * 437)
    for _ in range(2):
        assert check(file).splits[0].pin.verdict is PinVerdict.FIRST_SEEN
    assert check(file, remember=True).splits[0].pin.verdict is PinVerdict.FIRST_SEEN
    assert check(file).splits[0].pin.verdict is PinVerdict.SEEN_BEFORE
    write(file, [{**V2_ROW, "instruction": "y"}] * 437)
    found = check(file)
    assert "not the bytes first seen here" in found.differs[0].pin.note
    assert not found.fine


def test_the_tasks_of_a_webrssbench_manifest_are_those_it_names(tmp_path: Path) -> None:
    rows = [
        {"task": "safety", "page": "account", "image": "a.png", "reference": ["Delete"]},
        {"task": "ui_grouping", "page": "shop", "image": "b.png", "reference": "other"},
    ]
    write(tmp_path / "webrssbench.json", {"format": "webrssbench/1", "rows": rows})
    found = check(tmp_path, look=False)
    assert found.tasks == ("webrssbench/ui_grouping", "webrssbench/safety")
    assert not found.faults
    assert found.images == ()
    assert found.fine


def test_both_screenspots_are_found(tmp_path: Path) -> None:
    element = {"img_filename": "a.png", "bbox": [1, 2, 3, 4], "instruction": "close"}
    for platform in ("mobile", "desktop", "web"):
        row = {**element, "data_type": "icon", "data_source": "ios"}
        write(tmp_path / f"v2/screenspot_{platform}_v2.json", [row])
    more = {"id": "a_1", "img_size": [64, 40], "ui_type": "icon", "instruction_cn": ""}
    more |= {"application": "vscode", "platform": "macos", "group": "Dev"}
    write(tmp_path / "pro/annotations/vscode_macos.json", [{**element, **more}])
    assert check(tmp_path / "v2", look=False).tasks == ("screenspot-v2/point",)
    found = check(tmp_path / "pro", look=False)
    assert splits(found) == {"screenspot-pro/point all": 1}


def test_a_file_is_checked_by_itself(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    bad = write(tmp_path / "short_answers/train.json", [{**QUESTION, "ground_truth": 3}])
    assert check(tmp_path / "short_answers/test.json").fine
    found = check(bad)
    assert [fault.file for fault in found.faults] == [str(bad)]
    assert not check(tmp_path).fine


def test_what_was_unpacked_and_is_gone_is_told(tmp_path: Path) -> None:
    write(tmp_path / "short_answers" / "test.json", [])
    archive = tmp_path / "images.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for number in range(5):
            opened.writestr(f"images/{number}.png", png())
    unpacked = unpack(archive, tmp_path)
    size, sha256, _ = digests_of(archive)
    file = FetchedFile("images.zip", size, sha256, unpacked)
    origin = Manifest(benchmark="screenqa", repository="r", revision="c" * 40, files=(file,))
    write_manifest(tmp_path, origin)
    found = check(tmp_path)
    assert found.origin is not None
    assert found.origin.changed == {}
    for number in (1, 2, 3, 4):
        (tmp_path / f"images/{number}.png").unlink()
    again = check(tmp_path)
    assert again.origin is not None
    assert again.origin.changed == {
        "images.zip": "was unpacked, and 4 of its 5 files are gone or of another size"
        " (images/1.png, images/2.png, images/3.png and 1 more); fetch it again to unpack them"
    }
    assert not again.fine


def test_where_it_was_fetched_from_and_what_changed_since_is_told(tmp_path: Path) -> None:
    file = write(tmp_path / "short_answers/test.json", [QUESTION])
    digests = digests_of(file)
    fetched = FetchedFile("short_answers/test.json", digests.size, digests.sha256)
    manifest = Manifest(
        benchmark="screenqa", repository="github.com/o/n", revision="c" * 40, files=(fetched,)
    )
    write_manifest(tmp_path, manifest)
    found = check(tmp_path)
    assert found.origin is not None
    assert (found.origin.revision, found.origin.changed) == ("c" * 40, {})
    assert found.fine
    write(file, [QUESTION, QUESTION])
    again = check(tmp_path)
    assert again.origin is not None
    assert list(again.origin.changed) == ["short_answers/test.json"]
    assert not again.fine


def test_what_an_interrupted_fetch_left_is_told(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    write_manifest(tmp_path, Manifest(benchmark="b", repository="h/o/n", revision="c" * 40))
    assert check(tmp_path).fine
    (tmp_path / "short_answers/train.json.part").write_bytes(b"[{")
    found = check(tmp_path)
    assert found.origin is not None
    assert found.origin.unfinished == ("short_answers/train.json.part",)
    assert not found.fine


def test_of_a_fetched_folders_one_file_only_that_file_is_compared(tmp_path: Path) -> None:
    file = write(tmp_path / "L1_annotations.json", [l1_row(1)])
    digests = digests_of(file)
    files = (
        FetchedFile("L1_annotations.json", digests.size, digests.sha256),
        FetchedFile("L2_annotations.json", 5, "0" * 64),
    )
    manifest = Manifest(benchmark="b", repository="h/o/n", revision="c" * 40, files=files)
    write_manifest(tmp_path, manifest)
    assert check(file).fine
    assert not check(tmp_path).fine


def test_tasks_that_show_no_images_are_not_said_to_lack_them(tmp_path: Path) -> None:
    task = {"id": "t1", "platform": "os_mac", "instruction": "Open it", "limit": 15, "apps": ["a"]}
    (tmp_path / "L3_tasks.jsonl").write_text(json.dumps(task))
    found = check(tmp_path)
    assert found.tasks == ("mmbench-gui/l3",)
    assert found.images == ()
    assert found.fine, found


# ---- what is wrong -----------------------------------------------------------------------------


def test_a_bad_row_is_told_with_its_file_row_and_field_and_the_rest_is_checked(
    tmp_path: Path,
) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    broken = json.loads(json.dumps(FULL))
    del broken["ground_truth"][0]["full_answer"]
    bad = write(tmp_path / "answers_and_bboxes/test.json", [FULL, broken])
    found = check(tmp_path)
    assert splits(found)["screenqa/short test"] == 1
    fault = found.faults[0]
    assert fault.tasks == ("screenqa/long",)
    assert fault.file == str(bad)
    assert "full_answer" in f"{fault.field}{fault.message}"
    assert not found.fine


def test_one_fault_that_several_tasks_meet_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "L2_annotations.json").write_text("[{")
    found = check(tmp_path)
    assert [fault.tasks for fault in found.faults] == [
        ("mmbench-gui/l2_basic", "mmbench-gui/l2_advanced")
    ]
    assert "is no whole JSON file" in found.faults[0].message


def test_a_question_with_three_options_is_told_with_its_item(tmp_path: Path) -> None:
    row = l1_row(17)
    del row["groups"][1]["options"]["D"]
    write(tmp_path / "L1_annotations.json", [l1_row(1), row])
    fault = check(tmp_path).faults[0]
    assert "medium/17 has 3 options" in fault.message
    assert "row 2" in fault.message
    assert fault.field == "groups[1].options"


def test_images_that_are_missing_or_corrupt_are_told_with_their_items(tmp_path: Path) -> None:
    write(tmp_path / "L1_annotations.json", [l1_row(1), l1_row(2), l1_row(3), l1_row(4)])
    folder = tmp_path / "offline_images/os_ios"
    folder.mkdir(parents=True)
    (folder / "1.png").write_bytes(png())
    (folder / "2.png").write_bytes(png()[:-20])
    (folder / "3.png").write_bytes(png(32, 20))
    found = check(tmp_path)
    faults = found.images[0].faults
    assert [(fault.item, fault.problem, fault.items) for fault in faults] == [
        ("easy/2", "damaged", 3),
        ("easy/3", "other size", 3),
        ("easy/4", "missing", 3),
    ]
    assert faults[2].file == str(folder / "4.png")
    assert not found.fine
    assert check(tmp_path, look=False).fine


def test_images_may_lie_elsewhere(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    (tmp_path / "combined").mkdir()
    (tmp_path / "combined/5.jpg").write_bytes(png())
    found = check(tmp_path, images=tmp_path / "combined")
    assert [(one.there, one.faults) for one in found.images] == [(True, ())]
    (tmp_path / "combined/5.jpg").unlink()
    assert not check(tmp_path, images=tmp_path / "combined").fine


def test_another_tasks_data_is_refused_with_what_the_loader_says(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    found = check(tmp_path, task="mmbench-gui/l1")
    assert not found.fine
    assert "is it a folder of another benchmark?" in found.faults[0].message


def test_a_folder_of_no_benchmark_says_what_it_holds_and_what_is_near(tmp_path: Path) -> None:
    write(tmp_path / "here/short_answers/test.json", [QUESTION])
    (tmp_path / "notes.txt").write_text("nothing")
    found = check(tmp_path)
    assert not found.fine
    assert found.tasks == ()
    assert found.holds == ("here", "notes.txt")
    assert found.nearby == {str(tmp_path / "here"): ("screenqa",)}


@pytest.mark.parametrize("content", [b"", b"[", b"\xff\xfe", b"[1, 2]", b'{"a": 1}', b"PAR1"])
def test_any_other_file_is_no_data(tmp_path: Path, content: bytes) -> None:
    for ending in ("json", "jsonl", "parquet", "csv"):
        path = tmp_path / f"strange.{ending}"
        path.write_bytes(content)
        assert not check(path).fine


def test_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        check(tmp_path / "nowhere")
    with pytest.raises(UnknownNameError, match="did you mean 'screenqa/short'"):
        check(tmp_path, task="screenqa/shorts")


def test_what_can_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/loop.json").symlink_to("loop.json")
    with pytest.raises(InputError, match=r"loop\.json: can't be read: .*links"):
        check(tmp_path / "mine")


def test_a_damaged_record_of_a_fetch_is_named(tmp_path: Path) -> None:
    write(tmp_path / "short_answers/test.json", [QUESTION])
    (tmp_path / "snellen-fetch.json").write_text("{")
    with pytest.raises(DataError, match="can't be read"):
        check(tmp_path)
