import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image as Pillow

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind, Image
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import Target, is_in_fractions
from snellen.grading.protocols.table import PROTOCOLS
from snellen.grading.score_table import score_one
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.table import TASKS as TABLE
from snellen.tasks.benchmarks.table import benchmark_of
from snellen.tasks.benchmarks.visualwebbench.format import CONFIGS
from snellen.tasks.benchmarks.visualwebbench.load import TASKS, load
from snellen.tasks.prompts import Prompt

pytestmark = pytest.mark.compat

FIXTURES = Path(__file__).parents[3] / "fixtures" / "visualwebbench"
LETTERED = ("element_ground", "action_prediction", "action_ground")
PLACED = (
    "element_ground_bbox",
    "element_ground_point",
    "action_ground_bbox",
    "action_ground_point",
)


def published(config: str) -> list[dict[str, Any]]:
    return json.loads((FIXTURES / f"{config}.json").read_text(encoding="utf-8"))


def prompts_of(task: str) -> tuple[Prompt, ...]:
    return own("visualwebbench").prompts[task]


def config_of(task: str) -> str:
    return task.removeprefix("visualwebbench/").removesuffix("_bbox").removesuffix("_point")


def write_hub(folder: Path, config: str, rows: list[dict[str, Any]], group: int = 2) -> Path:
    """Write rows as the hub does, images as {bytes, path}."""
    path = folder / config / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return path


def png(width: int, height: int, color: str = "white") -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", (width, height), color).save(out, format="PNG")
    return out.getvalue()


def test_the_eleven_tasks_are_those_of_the_protocols_and_the_table() -> None:
    ours = set(TASKS)
    assert ours == {task for task in PROTOCOLS if task.startswith("visualwebbench/")}
    assert {task: TABLE[task].kind for task in ours} == {
        task: spec.kind for task, spec in TASKS.items()
    }
    assert {config_of(task) for task in ours} == set(CONFIGS)


@pytest.mark.parametrize("task", TASKS)
def test_items_and_references_stand_in_file_order_under_published_ids(task: str) -> None:
    data = load(task, FIXTURES)
    rows = published(config_of(task))
    assert list(data.ids) == [f"test/{row['id']}" for row in rows]
    if config_of(task) == task.removeprefix("visualwebbench/"):
        assert list(data.golds) == [row["answer"] for row in rows]
    for item_id in data.ids:
        item = data.item(item_id)
        assert (item.id, item.task) == (item_id, task)
        assert item.images == (Image(name="screen", width=1280, height=800),)
        assert item.tags == {"prompt": prompts_of(task)[0].name}


def test_the_right_box_is_the_option_that_the_answer_counts_to() -> None:
    for task in PLACED:
        data = load(f"visualwebbench/{task}", FIXTURES)
        assert list(data.golds) == [
            Target(bbox=tuple(row["options"][row["answer"]]), image_size=(1280, 800))
            for row in published(config_of(task))
        ]


def test_parsers_know_the_options_and_the_size_of_the_image() -> None:
    for task in LETTERED:
        contexts = load(f"visualwebbench/{task}", FIXTURES).contexts
        assert set(contexts) == {Context(options=8, width=1280, height=800)}
    for task in (*PLACED, "action_ground_bbox"):
        data = load(f"visualwebbench/{task}", FIXTURES)
        assert set(data.contexts) == {Context(options=8, width=1280, height=800)}


@pytest.mark.parametrize("task", TASKS)
def test_sites_are_tags_and_the_independent_groups(task: str) -> None:
    data = load(task, FIXTURES)
    assert data.cluster == "website"
    assert list(data.tags["website"]) == [row["website"] for row in published(config_of(task))]
    assert all(len(column) == len(data) for column in data.tags.values())


def test_data_without_sites_has_no_groups(tmp_path: Path) -> None:
    rows = [{**row, "website": None} for row in published("webqa")]
    (tmp_path / "webqa.json").write_text(json.dumps(rows))
    data = load("visualwebbench/webqa", tmp_path)
    assert data.cluster is None
    assert dict(data.tags) == {"accepted_answers": ["2", "1", "1"]}
    rows[1]["website"] = "shoes.example"
    (tmp_path / "webqa.json").write_text(json.dumps(rows))
    assert load("visualwebbench/webqa", tmp_path).tags["website"] == [None, "shoes.example", None]


def test_choices_are_tagged_by_the_right_letter() -> None:
    tags = load("visualwebbench/element_ground", FIXTURES).tags
    assert (tags["options"], tags["right_option"]) == (["8", "8", "8"], ["H", "A", "D"])


def test_a_reference_in_the_form_that_the_prompt_asks_for_scores_the_maximum() -> None:
    data = load("visualwebbench/element_ocr", FIXTURES)
    protocol = PROTOCOLS["visualwebbench/element_ocr"][0]
    lead_in = data.build_item(0).prompt.splitlines()[-1].removesuffix("YOUR ANSWER")
    scores = [score_one(protocol, f"{lead_in}{gold}", gold).value for gold in data.golds]
    # The last is a single character, which no answer gets right.
    assert scores == [protocol.metric.best, protocol.metric.best, 0.0]


def test_a_letter_beyond_the_options_is_an_answer_that_is_wrong(tmp_path: Path) -> None:
    rows = published("element_ground")
    rows[0] |= {"options": rows[0]["options"][:3], "answer": 1}
    (tmp_path / "element_ground.json").write_text(json.dumps(rows))
    data = load("visualwebbench/element_ground", tmp_path)
    assert data.contexts[0].options == 3
    assert data.item("test/element_ground_1").answer_format.options == ("A", "B", "C")
    assert "lettered A to C." in data.item("test/element_ground_1").prompt
    assert data.pin.note.endswith("1 item has not 8 options ('element_ground_1', ...)")
    for protocol in PROTOCOLS[data.task]:
        found = score_one(protocol, "H", data.golds[0], data.contexts[0])
        assert found.value == 0
        beyond = protocol.id == "robust"
        assert found.outcome is (Outcome.UNPARSED if beyond else Outcome.ANSWERED)


# ---- prompts


@pytest.mark.parametrize("task", TASKS)
def test_every_prompt_is_filled_and_named(task: str) -> None:
    for prompt in prompts_of(task):
        data = load(task, FIXTURES, prompt=prompt.name)
        for item_id in data.ids:
            item = data.item(item_id)
            assert item.tags["prompt"] == prompt.name
            # Braces are left only where the item's own text has them.
            own = item.prompt.replace("{size}", "").replace("{first}", "")
            assert "{" not in own


def test_the_published_prompts_hold_pythons_way_of_writing_a_list() -> None:
    data = load("visualwebbench/action_prediction", FIXTURES,
                prompt="visualwebbench-action-prediction")  # fmt: skip
    row = published("action_prediction")[1]
    prompt = data.build_item(1).prompt
    assert f"bounding box is {row['bbox']}.\n" in prompt
    assert f"\n{row['options']}\n" in prompt
    assert (
        "The [x1, y1, x2, y2] coordinates of the bounding box is [0.1, 0.2, 0.4567, 0.25].\n"
        in (
            load("visualwebbench/element_ocr", FIXTURES, prompt="visualwebbench-element-ocr")
            .build_item(0)
            .prompt
        )
    )


def test_our_prompts_write_one_option_a_line_with_its_letter() -> None:
    item = load("visualwebbench/action_prediction", FIXTURES).build_item(1)
    lines = item.prompt.split("\n\n")[1].splitlines()
    assert lines[:2] == ['A. It\'s "new" here', "B. About us"]
    assert [line[0] for line in lines] == list("ABCDEFGH")
    assert "red box at [0.500, 0.020, 0.600, 0.060]" in item.prompt
    row = published("action_prediction")[1]
    assert item.answer_format.options == tuple(row["options"])
    assert item.answer_format.kind is AnswerKind.CHOICE


def test_a_question_with_braces_stays_as_it_is() -> None:
    for prompt in prompts_of("visualwebbench/webqa"):
        data = load("visualwebbench/webqa", FIXTURES, prompt=prompt.name)
        assert "Is {size} 44 in stock?" in data.build_item(1).prompt


# The name changes when the text does. The published texts were held against the repository's.
TEXTS = {
    "snellen-visualwebbench-web-caption-1": "dbb719da3fa1",
    "visualwebbench-web-caption": "61ea53c2bd1e",
    "visualwebbench-gemini-web-caption": "caadb50e51df",
    "snellen-visualwebbench-heading-ocr-1": "cb4112a53d7f",
    "visualwebbench-heading-ocr": "5324e607601d",
    "snellen-visualwebbench-webqa-1": "24b528c9260c",
    "visualwebbench-webqa": "949eca052363",
    "snellen-visualwebbench-element-ocr-1": "5f8870371807",
    "visualwebbench-element-ocr": "e12c7c1a9075",
    "visualwebbench-gemini-element-ocr": "30704e491bfd",
    "snellen-visualwebbench-element-ground-1": "9972a35ce6b6",
    "visualwebbench-element-ground": "48916edc60df",
    "snellen-visualwebbench-action-prediction-1": "a547e830a988",
    "visualwebbench-action-prediction": "aa421368e318",
    "snellen-visualwebbench-action-ground-1": "b1e8bde2d40e",
    "visualwebbench-action-ground": "f62d6367f110",
    "snellen-visualwebbench-element-ground-bbox-1": "cc3ba8f5513f",
    "snellen-visualwebbench-element-ground-point-1": "b96516b942ce",
    "snellen-visualwebbench-action-ground-bbox-1": "0b8d9c61e318",
    "snellen-visualwebbench-action-ground-point-1": "a0e47bcbe313",
}


def test_no_prompt_changes_under_its_name() -> None:
    found = {
        prompt.name: hashlib.sha256(prompt.instruction.encode()).hexdigest()[:12]
        for prompts in own("visualwebbench").prompts.values()
        for prompt in prompts
    }
    assert found == TEXTS


def test_a_prompt_for_coordinates_says_what_they_count(tmp_path: Path) -> None:
    item = load("visualwebbench/element_ground_bbox", FIXTURES).build_item(0)
    assert item.prompt.endswith("pixels of the original screenshot, which is 1280 x 800.")
    assert item.answer_format.space is Space.PIXELS
    rows = published("element_ground")
    for row in rows:
        row["options"] = [[side / 2000 for side in box] for box in row["options"]]
        row["image_size"] = None
    (tmp_path / "element_ground.json").write_text(json.dumps(rows))
    for task in PLACED[:2]:
        data = load(f"visualwebbench/{task}", tmp_path)
        item = data.build_item(0)
        assert item.prompt.endswith("fractions of the image's width and height, from 0 to 1.")
        assert item.answer_format.space is Space.UNIT
        assert all(0 <= side <= 1 for side in json.loads(item.answer_format.example))
        assert item.images == (Image(name="screen"),)
        assert is_in_fractions(data.golds[0].bbox)


# ---- what an agent may not see


@pytest.mark.parametrize("task", TASKS)
def test_no_item_holds_its_reference_or_its_site(task: str) -> None:
    config = config_of(task)
    for prompt in prompts_of(task):
        data = load(task, FIXTURES, prompt=prompt.name)
        for place, row in enumerate(published(config)):
            shown = data.build_item(place).model_dump_json()
            assert row["website"] not in shown
            if isinstance(row["answer"], str):
                assert row["answer"] not in json.loads(shown)["prompt"]
            if config in ("element_ground", "action_ground"):
                assert all(str(box[0]) not in shown for box in row["options"])


# ---- images


def with_images(config: str) -> list[dict[str, Any]]:
    rows = published(config)
    for place, row in enumerate(rows):
        row["image"] = {"bytes": png(1280, 800, "red"), "path": f"{place}.png"}
        row["raw_image"] = {"bytes": png(1280, 800), "path": f"raw{place}.png"}
    return rows


def test_a_choice_shows_the_marked_screenshot_and_a_box_the_plain_one(tmp_path: Path) -> None:
    write_hub(tmp_path, "element_ground", with_images("element_ground"))
    marked = load("visualwebbench/element_ground", tmp_path)
    assert marked.image("test/element_ground_2") == png(1280, 800, "red")
    for task in PLACED[:2]:
        plain = load(f"visualwebbench/{task}", tmp_path)
        assert plain.image("test/element_ground_2", "screen") == png(1280, 800)
        with pytest.raises(DataError, match="has no image 'image', only 'screen'"):
            plain.image("test/element_ground_2", "image")


def test_a_folder_of_images_goes_before_those_inside_the_data(tmp_path: Path) -> None:
    write_hub(tmp_path / "data", "webqa", with_images("webqa"))
    (tmp_path / "shots" / "image").mkdir(parents=True)
    (tmp_path / "shots" / "image" / "webqa_1.png").write_bytes(b"other")
    data = load("visualwebbench/webqa", tmp_path / "data", images=tmp_path / "shots")
    assert data.image("test/webqa_1") == b"other"
    with pytest.raises(DataError, match=r"there is no image/webqa_2\.png"):
        data.image("test/webqa_2")
    with pytest.raises(DataError, match="there is no such folder of images"):
        load("visualwebbench/webqa", tmp_path / "data", images=tmp_path / "nowhere")


# ---- pins


def test_the_published_counts_are_on_record() -> None:
    # BENCHMARKS 2.1 and 2.6: the paper says 101 of action_ground, the data holds 103.
    counts = {one.role: one.count for one in benchmark_of("visualwebbench").releases}
    counts = {role: count for role, count in counts.items() if role in CONFIGS}
    assert sum(counts.values()) == 1_536
    assert counts["action_ground"] == 103
    assert set(counts) == set(CONFIGS)


def test_a_part_of_the_data_names_the_published_count(tmp_path: Path) -> None:
    write_hub(tmp_path, "action_ground", published("action_ground"))
    pins = [
        load(f"visualwebbench/{task}", tmp_path).pin
        for task in ("action_ground", "action_ground_bbox", "action_ground_point")
    ]
    assert pins[0].note == "2 questions; the published action_ground holds: 9dace8a test 103"
    assert len({pin.sha256 for pin in pins}) == 1
    assert pins[1].note.endswith("boxes taken as pixels: not every side lies in 0..1")


def test_repeated_ids_lose_no_row(tmp_path: Path) -> None:
    rows = [*published("webqa"), published("webqa")[0]]
    (tmp_path / "webqa.json").write_text(json.dumps(rows))
    data = load("visualwebbench/webqa", tmp_path)
    assert list(data.ids)[-1] == "test/webqa_1/1"
    assert data.pin.note.endswith("1 id stands there twice or more ('webqa_1', ...)")
