import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.models.reports import PinVerdict
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import EpisodeGold, ImageTarget
from snellen.sdk import grade
from snellen.tasks.benchmarks.mmbench_gui import load as mmbench_gui
from snellen.tasks.benchmarks.mmbench_gui.load import TASKS, load
from snellen.tasks.benchmarks.mmbench_gui.rules.understanding import understanding

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" + b"\x00\x00\x00\x00IEND" + zlib.crc32(b"IEND").to_bytes(4)


def group(difficulty: str, answer: str, options: int) -> dict[str, Any]:
    return {
        "question": f"What is {difficulty} about {{question}}?",
        "options": {letter: f"option {letter}" for letter in "ABCDEFG"[:options]},
        "answer": answer,
        "explanation": "SECRET explanation",
        "difficulty": difficulty,
    }


def screen(index: int, platform: str) -> dict[str, Any]:
    return {
        "index": index,
        "image_path": f"{index}.png",
        "image_size": [1179, 2556],
        "platform": platform,
        "app_name": "Fitness",
    }


def l1_row(index: int, platform: str) -> dict[str, Any]:
    groups = [group("easy", "C", 4), group("medium", "A", 5), group("hard", "F", 6)]
    return {**screen(index, platform), "groups": groups}


def l2_row(index: int, kind: str, element: str, bbox: list[float]) -> dict[str, Any]:
    return {
        **screen(index, "os_mac"),
        "instruction": f"the {element}",
        "bbox": bbox,
        "data_type": element,
        "grounding_type": kind,
    }


L1_ROWS = [l1_row(7, "os_ios"), l1_row(3, "os_mac")]
L2_ROWS = [
    l2_row(0, "basic", "icon", [0.25, 0.125, 0.5, 0.25]),
    l2_row(0, "advanced", "icon", [0.25, 0.125, 0.5, 0.25]),
    l2_row(1, "basic", "text", [-1, 30, 400, 70]),
]
L3_ROWS = [
    {"id": "b", "instruction": "Crop it.", "platform": "os_linux", "limit": 50, "apps": ["gimp"]},
    {"id": "a", "instruction": "Book it.", "platform": "web", "limit": 50, "type": "single"},
]
L4_ROWS = [{"id": "c", "instruction": "Mail it.", "platform": "os_mac", "apps": ["x", "y"]}]


def write(folder: Path, name: str, rows: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def write_lines(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A download of MMBench-GUI in miniature, as utils/download.py of the repository leaves it."""
    folder = tmp_path / "MMBench-GUI"
    write(folder, "L1_annotations.json", L1_ROWS)
    write(folder, "L2_annotations.json", L2_ROWS)
    write_lines(folder, "L3_tasks.jsonl", L3_ROWS)
    write_lines(folder, "L4_tasks.jsonl", L4_ROWS)
    images = folder / "offline_images" / "os_ios"
    images.mkdir(parents=True)
    (images / "7.png").write_bytes(PNG)
    return folder


# ---- L1 ----------------------------------------------------------------------------------------


def test_l1_ids_are_the_difficulty_and_the_index_in_every_split(data: Path) -> None:
    loaded = load("mmbench-gui/l1", data)
    easy = load("mmbench-gui/l1", data, "easy")
    assert loaded.ids == ["easy/7", "medium/7", "hard/7", "easy/3", "medium/3", "hard/3"]
    assert (easy.ids, easy.split, loaded.split) == (["easy/7", "easy/3"], "easy", "all")
    assert easy.item("easy/3") == loaded.item("easy/3")
    assert loaded.golds == ["C", "A", "F", "C", "A", "F"]


def test_l1_tags_group_items_as_the_published_tables_do(data: Path) -> None:
    loaded = load("mmbench-gui/l1", data)
    assert loaded.tags == {
        "difficulty": ["easy", "medium", "hard"] * 2,
        "platform": ["ios"] * 3 + ["macos"] * 3,
        "app_name": ["Fitness"] * 6,
        "image": ["os_ios/7.png"] * 3 + ["os_mac/3.png"] * 3,
        "options": ["4", "5", "6"] * 2,
    }
    assert loaded.cluster == "image"
    assert loaded.contexts[0] == Context(options=4, width=1179, height=2556)


def test_l1_options_stand_one_a_line_with_their_letters(data: Path) -> None:
    item = load("mmbench-gui/l1", data).item("easy/7")
    assert item.prompt.endswith(
        "\n\nQuestion: What is easy about {question}?\nOptions:\n"
        "A. option A\nB. option B\nC. option C\nD. option D"
    )
    assert item.answer_format.kind is AnswerKind.CHOICE
    assert item.answer_format.options == ("option A", "option B", "option C", "option D")
    assert (item.images[0].width, item.images[0].height) == (1179, 2556)
    assert item.tags["prompt"] == "snellen-mmbench-gui-l1-1"


def test_the_published_l1_prompt_is_the_two_messages_of_the_published_code(data: Path) -> None:
    item = load("mmbench-gui/l1", data, "easy", prompt="mmbench-gui-official-l1").build_item(0)
    # benchmarks/l1_content_understanding.py: L1_SYSTEM_PROMPT_DEFAULT, then build_prompt.
    assert item.prompt == (
        "You are a GUI agent. You are given a screenshot of an application, a question and "
        "corresponding options. You need to choose one option as your answer for the question. "
        "Finally, you are ONLY allowed to return the single letter of your choice.\n"
        "Question: What is easy about {question}?\n"
        "Options:\nA. option A\nB. option B\nC. option C\nD. option D\n"
        "Please select the correct answer from the options above. \n"
    )


def test_an_option_that_is_null_is_left_out_and_a_number_is_text(data: Path) -> None:
    row = l1_row(1, "os_web")
    row["groups"][0]["options"] = {"A": "x", "C": 3, "B": 2.5, "D": "y", "E": None}
    item = load("mmbench-gui/l1", write(data, "x.json", [row]), "easy").build_item(0)
    assert item.answer_format.options == ("x", "2.5", "3", "y")


BAD_L1_ROWS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (
        lambda row: row["groups"][1].update(options=dict.fromkeys("ABC", "x")),
        r"x\.json, field 'groups\[1\]\.options': row 2 \(counted from 1\), index 9: the"
        r" question medium/9 has 3 options \(A, B, C\), not 4 to 6",
    ),
    (
        lambda row: row["groups"][0].update(options=dict.fromkeys("ABCDEFG", "x")),
        "easy/9 has 7 options",
    ),
    (
        lambda row: row["groups"][0].update(options=dict.fromkeys("ABCE", "x")),
        "the options of easy/9 are lettered A, B, C, E, not A, B, C...",
    ),
    (
        lambda row: row["groups"][0].update(answer="E"),
        r"'groups\[0\]\.answer': .* the answer to easy/9 is 'E', .* options A to D",
    ),
    (lambda row: row["groups"][0].update(answer="c"), "is 'c', which is none of its options"),
    (lambda row: row["groups"].pop(), "it has 0 questions of difficulty 'hard', not 1"),
    (
        lambda row: row["groups"][2].update(difficulty="easy"),
        "it has 2 questions of difficulty 'easy', not 1",
    ),
    (
        lambda row: row["groups"][2].update(difficulty="mean"),
        r"'groups\[2\]\.difficulty': .* index 9: .*'mean'; known: easy, hard, medium",
    ),
    (lambda row: row.pop("groups"), "index 9: object missing required field `groups`"),
    (
        lambda row: row.update(platform="os_beos"),
        "'os_beos'; known: os_android, os_ios, os_linux",
    ),
    (lambda row: row.update(image_path="../7.png"), "no path below the images"),
    (lambda row: row.update(image_size=[0, 5]), r"'image_size\[0\]': .*expected `int` >= 1"),
    (lambda row: row.update(index=7), "the item easy/7 is there 2 times"),
]


@pytest.mark.parametrize(("change", "message"), BAD_L1_ROWS)
def test_a_bad_l1_row_stops_the_load_and_names_file_item_and_field(
    data: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    row = l1_row(9, "os_web")
    change(row)
    with pytest.raises(DataError, match=message):
        load("mmbench-gui/l1", write(data, "x.json", [L1_ROWS[0], row]))


def test_rows_without_an_index_count_from_0_but_not_beside_rows_that_have_one(data: Path) -> None:
    rows = [{key: row[key] for key in row if key != "index"} for row in L1_ROWS]
    assert load("mmbench-gui/l1", write(data, "x.json", rows), "easy").ids == ["easy/0", "easy/1"]
    with pytest.raises(DataError, match=r"field 'index': row 2 .* it has no index, and other rows"):
        load("mmbench-gui/l1", write(data, "x.json", [L1_ROWS[0], rows[1]]))


def test_the_published_tables_are_made_of_a_reports_values_and_tags(data: Path) -> None:
    loaded = load("mmbench-gui/l1", data)
    answers = [{"item_id": item_id, "response": "C"} for item_id in loaded.ids]
    report = grade([*answers[:4], *answers[5:]], data=loaded)
    found = understanding(report.item_values(), report.tags)
    assert [one.normalized.level.score for one in found.values()] == [1.0, 0.0, 0.0]
    assert found["easy"].eq3.by_platform["macos"].score == 0.75


# ---- L2 ----------------------------------------------------------------------------------------


def test_l2_golds_are_the_published_boxes_with_the_image_size(data: Path) -> None:
    loaded = load("mmbench-gui/l2_basic", data)
    assert (loaded.ids, loaded.split) == (["basic/0", "basic/1"], "basic")
    assert loaded.golds == [
        ImageTarget((0.25, 0.125, 0.5, 0.25), (1179, 2556)),
        ImageTarget((-1, 30, 400, 70), (1179, 2556)),
    ]
    assert loaded.tags["data_type"] == ["icon", "text"]
    assert load("mmbench-gui/l2_advanced", data).ids == ["advanced/0"]


def test_l2_prompts_say_what_the_numbers_count_except_the_published_one(data: Path) -> None:
    spaces = {"unit-1": Space.UNIT, "pixels-1": Space.PIXELS}
    for name, space in spaces.items():
        item = load(
            "mmbench-gui/l2_basic", data, prompt=f"snellen-mmbench-gui-l2-{name}"
        ).build_item(0)
        assert item.answer_format.space is space
        assert item.prompt.endswith("\n\nInstruction: the icon")
        assert ("1179 x 2556" in item.prompt) is (space is Space.PIXELS)
    item = load("mmbench-gui/l2_basic", data, prompt="mmbench-gui-official-l2").build_item(0)
    # benchmarks/l2_element_grounding.py: L2_SYSTEM_PROMPT_DEFAULT and L2_USER_PROMPT_DEFAULT.
    assert item.prompt == (
        "You are a GUI agent. You are given a task and a screenshot of the screen. You need to "
        "finish this task following instructions from users.\n"
        "Output only the coordinate (x,y) of one point in your response. What element matches the "
        "following task: the icon"
    )
    assert item.answer_format.space is None


def test_points_in_fractions_and_in_pixels_hit_alike(data: Path) -> None:
    loaded = load("mmbench-gui/l2_basic", data)
    for first, second in (("(0.3, 0.2)", "(0.1, 0.02)"), ("(400, 400)", "(200, 50)")):
        answers = [{"item_id": "basic/0", "response": first}]
        answers.append({"item_id": "basic/1", "response": second})
        assert grade(answers, data=loaded).value == 1.0


@pytest.mark.parametrize(
    ("bbox", "message"),
    [
        ([0.5, 0.1, 0.2, 0.3], r"field 'bbox': .* index 4: a box is inverted"),
        ([1190, 10, 1200, 40], "lies outside the image of 1179 x 2556"),
        ([0.1, 0.2, 0.3], r"expected `array` of length 4"),
        ([-15, 0, -5, 10], "lies outside the image"),
        ([0.9, 0.9, 1.2, 1.1], r"field 'bbox': row 1 .* neither fractions .* nor in pixels"),
    ],
)
def test_a_bad_l2_box_stops_the_load(data: Path, bbox: list[float], message: str) -> None:
    path = write(data, "x.json", [l2_row(4, "basic", "icon", bbox)])
    with pytest.raises(DataError, match=message):
        load("mmbench-gui/l2_basic", path)


def test_a_file_of_one_kind_of_instruction_has_none_of_the_other(data: Path) -> None:
    path = write(data, "x.json", L2_ROWS[:1])
    assert load("mmbench-gui/l2_basic", path).ids == ["basic/0"]
    with pytest.raises(DataError, match="holds no row of grounding_type 'advanced'"):
        load("mmbench-gui/l2_advanced", path)


# ---- L3 and L4 ---------------------------------------------------------------------------------


def test_the_limit_of_steps_is_the_split_and_leaves_the_ids_alone(data: Path) -> None:
    own = load("mmbench-gui/l3", data)
    short = load("mmbench-gui/l3", data, "15 steps")
    assert own.ids == short.ids == ["b", "a"]
    assert own.golds == [EpisodeGold(50)] * 2
    assert short.golds == [EpisodeGold(15)] * 2
    assert (own.split, short.split, load("mmbench-gui/l3", data, "15").split) == (
        "all",
        "15 steps",
        "15 steps",
    )
    assert short.tags == {
        "steps": ["15 steps"] * 2,
        "platform": ["linux", "web"],
        "apps": ["gimp", None],
    }
    assert load("mmbench-gui/l4", data).golds == [EpisodeGold(None)]
    assert short.item("b").prompt.endswith("You may take 15 steps.\n\nTask: Crop it.")
    with pytest.raises(UnknownNameError, match="Known: all, 15 steps, 50 steps"):
        load("mmbench-gui/l3", data, "0 steps")


def test_episodes_are_graded_against_the_task_list_in_its_order(data: Path) -> None:
    lines = [
        {"task_id": "a", "success": 1, "steps": 10, "planner": "p", "grounder": "g"},
        {"task_id": "b", "success": 0.5, "steps": 40, "planner": "p", "grounder": "g"},
    ]
    run = write_lines(data, "run.jsonl", lines)
    loaded = load("mmbench-gui/l3", data, "50 steps")
    report = grade(run, data=loaded, protocol="exact")
    # Order b, a: (1/2)(0.5 (1 - 40/100) + 1 (1 - 50/100)).
    assert report.metrics["sr"].value == 0.75
    assert report.metrics["eqa"].value == pytest.approx(0.4, abs=1e-15)
    assert report.model == "p + g"
    cut = grade(run, data=load("mmbench-gui/l3", data, "15 steps"), protocol="exact")
    # b failed at 15 steps, a is done after 25 of 30.
    assert cut.metrics["sr"].value == 0.5
    assert cut.metrics["eqa"].value == pytest.approx(0.5 * (1 - 25 / 30), abs=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"platform": "os_beos"}, r"line 1, field 'platform': the task 'b' is for 'os_beos'"),
        ({"type": "multi"}, r"field 'type': .*that is mmbench-gui/l4"),
        ({"limit": 0}, r"expected a task .*Expected `int` >= 1 - at `\$\.limit`"),
        ({"bbox": []}, r"expected a task .*unknown field `bbox`"),
        ({"id": ""}, r"length >= 1 - at `\$\.id`"),
    ],
)
def test_a_bad_task_stops_the_load_and_names_its_line(
    data: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load("mmbench-gui/l3", write_lines(data, "x.jsonl", [{**L3_ROWS[0], **change}]))


def test_a_task_that_is_there_twice_and_a_list_without_tasks_are_errors(data: Path) -> None:
    with pytest.raises(DataError, match="line 2, field 'id': the task 'b' is there twice"):
        load("mmbench-gui/l3", write_lines(data, "x.jsonl", [L3_ROWS[0]] * 2))
    with pytest.raises(DataError, match="holds no tasks"):
        load("mmbench-gui/l3", write_lines(data, "x.jsonl", []))


# ---- files, splits, prompts, images ------------------------------------------------------------


def test_the_folder_the_one_above_and_the_file_are_the_same_data(data: Path) -> None:
    paths = (data, data.parent, data / "L1_annotations.json")
    assert len({load("mmbench-gui/l1", path).pin.sha256 for path in paths}) == 1


def test_a_folder_of_another_benchmark_is_told_by_what_it_holds(repo: Path) -> None:
    with pytest.raises(
        DataError,
        match=r"no L1_annotations\.json in it \(it holds .*short_answers\): is it a folder of"
        " another benchmark",
    ):
        load("mmbench-gui/l1", repo)
    rows = repo / "short_answers" / "test.json"
    with pytest.raises(DataError, match=r"row 1 .*missing required field `image_path`"):
        load("mmbench-gui/l2_basic", rows)


@pytest.mark.parametrize(
    ("task", "rows", "message"),
    [
        ("l1", L2_ROWS, r"rows are those of L2_annotations\.json, not of L1"),
        ("l2_basic", L1_ROWS, r"rows are those of L1_annotations\.json, not of L2"),
        ("l1", {}, r"is not L1_annotations\.json: expected `array`"),
        ("l1", [3], "row 1 .* is no object"),
        ("l1", [], "holds no rows"),
    ],
)
def test_a_file_that_is_no_list_of_its_rows_says_so(
    data: Path, task: str, rows: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load(f"mmbench-gui/{task}", write(data, "x.json", rows))


def test_the_platform_may_stand_in_the_path_already_and_folders_may_be_named(
    data: Path, tmp_path: Path
) -> None:
    rows = [{**L1_ROWS[0], "image_path": "os_ios/7.png"}]
    path = write(tmp_path / "bare", "L1_annotations.json", rows)
    assert load("mmbench-gui/l1", path).load_image is None
    for folder in (data, data.parent, data / "offline_images"):
        assert load("mmbench-gui/l1", path, images=folder).image("hard/7") == PNG
    with pytest.raises(DataError, match="no such folder of images"):
        load("mmbench-gui/l1", path, images=tmp_path / "nowhere")


def test_a_file_with_the_published_md5_is_known(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    md5 = hashlib.md5((data / "L1_annotations.json").read_bytes()).hexdigest()
    monkeypatch.setattr(mmbench_gui, "PUBLISHED_MD5", {"L1_annotations": md5})
    pin = load("mmbench-gui/l1", data).pin
    assert (pin.verdict, pin.release) == (PinVerdict.KNOWN, "2025-06")
    assert "utils/download.py" in pin.note


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
FIELDS = st.sampled_from(sorted(L1_ROWS[0].keys() | L2_ROWS[0].keys() | L3_ROWS[0].keys()))


@given(st.sampled_from(TASKS), FIELDS, JUNK, st.booleans())
def test_whatever_stands_in_a_field_the_data_loads_or_says_what_is_wrong(
    task: str, field: str, value: object, inside: bool
) -> None:
    rows: list[dict[str, Any]] = [{**L1_ROWS[0]}, {**L2_ROWS[0]}, {**L3_ROWS[0]}, {**L4_ROWS[0]}]
    row = rows[{"l1": 0, "l3": 2, "l4": 3}.get(task.partition("/")[2], 1)]
    if inside and "groups" in row:
        row["groups"] = [{**row["groups"][0], field: value}, *row["groups"][1:]]
    else:
        row[field] = value
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        text = json.dumps(row)
        path.write_text(f"[{text}]" if task[-2:] not in {"l3", "l4"} else text, encoding="utf-8")
        loaded, refusal = None, ""
        try:
            loaded = load(task, path)
        except DataError as error:
            refusal = str(error)
        if loaded is None:
            assert refusal.startswith(str(path))
        else:
            assert [loaded.item(item_id).id for item_id in loaded.ids] == loaded.ids
            assert len(loaded.golds) == len(loaded)
