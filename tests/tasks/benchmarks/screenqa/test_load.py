import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerKind
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Submission
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.benchmarks.screenqa.load import PAGE_PROMPTS, TASKS, load
from snellen.tasks.benchmarks.table import benchmark_of
from snellen.tasks.prompts import prompt_of

pytestmark = pytest.mark.compat


def test_ids_are_split_image_and_the_questions_number_on_that_image(repo: Path) -> None:
    assert load("screenqa/short", repo).ids == ["test/7/0", "test/9/0", "test/7/1"]
    assert load("screenqa/short", repo, "train").ids == ["train/21/0", "train/22/0"]
    assert load("screenqa/complex", repo).ids == ["data/7/0", "data/7/1", "data/9/0"]


def test_the_five_tasks_ask_the_same_questions_under_the_same_ids(repo: Path) -> None:
    tasks = [task for task in TASKS if task != "screenqa/complex"]
    short, *others = [load(task, repo) for task in tasks]
    for other in others:
        assert other.ids == short.ids
        for item_id in short.ids:
            question = short.item(item_id).prompt.rpartition("\n\nQuestion: ")[2]
            assert other.item(item_id).prompt.endswith(f"\n\nQuestion: {question}")


def test_raters_are_known_where_the_file_says_who_said_what(repo: Path) -> None:
    for task in ("screenqa/long", "screenqa/ui_contents", "screenqa/ui_contents_boxes"):
        data = load(task, repo)
        assert data.raters == data.golds
        assert [len(raters) for raters in data.raters] == [3, 3, 2]
    for task in ("screenqa/short", "screenqa/complex"):
        assert load(task, repo).raters == ()


def test_prompts_of_answerable_tasks_give_the_literal_for_no_answer(repo: Path) -> None:
    asked = {task: load(task, repo).item(load(task, repo).ids[0]).prompt for task in TASKS}
    assert "fewest words" in asked["screenqa/short"]
    assert "reply with exactly <no answer>\n" in asked["screenqa/short"]
    assert "reply with exactly <no answer>\n" in asked["screenqa/long"]
    assert "reply with []\n" in asked["screenqa/ui_contents"]
    assert "reply with []\n" in asked["screenqa/ui_contents_boxes"]
    # BENCHMARKS 3.1: ComplexQA holds no <no answer>.
    assert "no answer" not in asked["screenqa/complex"]


def test_each_item_names_its_prompt_and_its_screenshot(repo: Path) -> None:
    names = {load(task, repo).build_item(0).tags["prompt"] for task in TASKS}
    assert len(names) == len(TASKS)
    assert load("screenqa/long", repo).item("test/9/0").tags["image_id"] == "9"


def test_a_prompt_for_boxes_says_what_their_numbers_count(repo: Path) -> None:
    item = load("screenqa/ui_contents_boxes", repo).item("test/9/0")
    assert "Coordinates are pixels of the original screenshot, which is 540 x 960." in item.prompt
    assert item.answer_format.kind is AnswerKind.BOXED_TEXTS
    assert item.answer_format.space is Space.PIXELS
    assert "Coordinates" not in load("screenqa/ui_contents", repo).item("test/9/0").prompt


def test_braces_in_a_question_are_only_braces(tmp_path: Path) -> None:
    rows = [{"image_id": 1, "question": "What is {x} or {0}?", "ground_truth": ["a"]}]
    path = tmp_path / "test.json"
    path.write_text(json.dumps(rows))
    assert load("screenqa/short", path).build_item(0).prompt.endswith("What is {x} or {0}?")


def write_mirror(path: Path, bounds: list[float]) -> Path:
    elements = [{"bounds": bounds, "text": "Ada", "vh_index": 1}]
    columns: dict[str, Any] = {
        "screen_id": ["5"],
        "question": ["Who?"],
        "ground_truth": [[{"full_answer": "Ada.", "ui_elements": elements}]],
        "file_name": ["images/rico/5.jpg"],
        "image": [{"bytes": b"jpeg", "path": None}],
    }
    path.mkdir(parents=True, exist_ok=True)
    file = path / "test-00000-of-00001.parquet"
    pq.write_table(pa.table(columns), file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return path


def test_a_mirror_with_fractions_asks_and_holds_fractions(tmp_path: Path) -> None:
    data = load("screenqa/ui_contents_boxes", write_mirror(tmp_path / "data", [0, 0.25, 0.5, 1]))
    item = data.item("test/5/0")
    assert "Coordinates are fractions of the image's width and height" in item.prompt
    assert item.answer_format.space is Space.UNIT
    assert all(0 <= n <= 1 for box, _ in json.loads(item.answer_format.example) for n in box)
    assert tuple(data.golds[0][0][0][0]) == (0, 0.25, 0.5, 1)
    assert data.pin.note.endswith(
        "; boxes taken as fractions of the image: every side lies in 0..1"
    )


def test_images_come_from_the_mirror_or_from_a_folder_that_goes_before_it(tmp_path: Path) -> None:
    mirror = write_mirror(tmp_path / "data", [0, 2, 3, 4])
    assert load("screenqa/long", mirror).image("test/5/0") == b"jpeg"
    (tmp_path / "rico").mkdir()
    (tmp_path / "rico" / "5.png").write_bytes(b"png")
    data = load("screenqa/long", mirror, images=tmp_path / "rico")
    assert data.image("test/5/0", "screen") == b"png"


def test_images_of_the_repository_come_from_the_folder_given(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "7.jpg").write_bytes(b"seven")
    (tmp_path / "7.png").write_bytes(b"seven again")
    data = load("screenqa/short", repo, images=tmp_path)
    assert data.image("test/7/1") == b"seven"
    with pytest.raises(DataError, match=r"there is no 9\.jpg or 9\.png in its"):
        data.image("test/9/0")
    with pytest.raises(DataError, match="test/7/0 has no image 'left', only 'screen'"):
        data.image("test/7/0", "left")


def test_a_split_that_is_nobodys_release_is_unknown_and_not_remembered(
    repo: Path, empty_home: Path
) -> None:
    pin = load("screenqa/short", repo).pin
    assert pin.verdict is PinVerdict.UNKNOWN
    assert pin.note == "3 questions; the published short_answers holds: v1.2 test 8,419"
    assert pin.path == str(repo / "short_answers" / "test.json")
    assert not empty_home.exists()


def test_the_examples_load_and_every_example_answer_is_to_one_of_their_items(
    examples: Path,
) -> None:
    data = load("screenqa/short", examples / "screen_qa")
    lines = (examples / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [Submission.model_validate_json(line) for line in lines]
    assert [answer.item_id for answer in answers] == list(data.ids)
    assert sum(answer.error is not None for answer in answers) == 1
    assert sum(answer.response == "<no answer>" for answer in answers) == 2
    assert load("screenqa/complex", examples / "screen_qa").ids == [
        "data/3/0",
        "data/5/0",
        "data/8/0",
        "data/8/1",
        "data/12/0",
    ]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("task", "split", "count", "images"),
    [
        # BENCHMARKS 3.1.
        ("screenqa/short", "test", 8_419, 3_489),
        ("screenqa/short", "validation", 8_614, 3_485),
        ("screenqa/complex", "data", 11_781, 10_286),
    ],
)
def test_the_published_files_are_known(
    screenqa_data: Path, task: str, split: str, count: int, images: int
) -> None:
    data = load(task, screenqa_data, split)
    assert len(data) == count
    assert len(set(data.ids)) == count
    assert len({item_id.split("/")[1] for item_id in data.ids}) == images
    assert (data.pin.verdict, data.pin.release, data.pin.note) == (PinVerdict.KNOWN, "v1.2", "")
    assert data.pin.sha256 in {release.sha256 for release in benchmark_of("screenqa").releases}


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("task", "split", "any_", "only"),
    [
        # BENCHMARKS 3.1: questions that have <no answer>, and those that have nothing else.
        ("screenqa/short", "test", 869, 597),
        ("screenqa/short", "validation", 893, 705),
        ("screenqa/complex", "data", 0, 0),
    ],
)
def test_the_published_files_hold_as_many_unanswerable_questions_as_counted(
    screenqa_data: Path, task: str, split: str, any_: int, only: int
) -> None:
    golds = [gold_shape(task).read(gold) for gold in load(task, screenqa_data, split).golds]
    assert sum("<no answer>" in gold for gold in golds) == any_
    assert sum(set(gold) == {"<no answer>"} for gold in golds) == only


@pytest.mark.realdata
def test_the_published_files_agree_with_the_standard_library(screenqa_data: Path) -> None:
    data = load("screenqa/short", screenqa_data)
    rows = json.loads((screenqa_data / "short_answers" / "test.json").read_text(encoding="utf-8"))
    assert list(data.golds) == [row["ground_truth"] for row in rows]
    assert [item_id.split("/")[1] for item_id in data.ids] == [str(r["image_id"]) for r in rows]
    for place in range(0, len(rows), 997):
        assert data.build_item(place).prompt.endswith(rows[place]["question"])


@pytest.mark.realdata
def test_the_examples_are_published_rows_under_the_same_ids(
    screenqa_data: Path, examples: Path
) -> None:
    for task in ("screenqa/short", "screenqa/complex"):
        whole, few = load(task, screenqa_data), load(task, examples / "screen_qa")
        for item_id in few.ids:
            assert few.item(item_id) == whole.item(item_id)
            assert few.golds[few.index[item_id]] == whole.golds[whole.index[item_id]]


def test_a_prompt_is_chosen_by_its_name(examples: Path) -> None:
    path = examples / "screen_qa"
    own = load("screenqa/short", path).item("test/5/0")
    paper = load("screenqa/short", path, prompt="screenqa-paper-short").item("test/5/0")
    assert own.tags["prompt"] == "snellen-screenqa-short-1"
    assert paper.tags["prompt"] == "screenqa-paper-short"
    assert paper.prompt.endswith(
        'output "<no answer>".\n\n\nQuestion:\n'
        "How many exercises in total are there to do?\n\nOutput:\n"
    )


@pytest.mark.parametrize("task", TASKS)
def test_the_prompt_for_web_pages_differs_from_the_first_in_the_kind_of_screen_alone(
    task: str,
) -> None:
    prompts = TASKS[task].prompts
    page = prompt_of(prompts, PAGE_PROMPTS[task])
    assert page.name == prompts[0].name.removesuffix("-1") + "-page-1"
    assert page.ask("{}") == prompts[0].ask("{}").replace("a mobile app.", "a web page.")


@pytest.mark.parametrize("task", TASKS)
def test_the_questions_of_one_screenshot_are_one_cluster(repo: Path, task: str) -> None:
    data = load(task, repo)
    assert data.cluster == "image_id"
    images = [item_id.split("/")[1] for item_id in data.ids]
    assert list(data.tags["image_id"]) == images


def test_items_are_tagged_by_what_is_asked_and_whether_there_is_an_answer(examples: Path) -> None:
    data = load("screenqa/short", examples / "screen_qa")
    words = dict(zip(data.ids, data.tags["question_word"], strict=True))
    assert words["test/5/0"] == "how many"
    told = dict(zip(data.ids, data.tags["no_answer"], strict=True))
    for item_id, texts in zip(data.ids, data.golds, strict=True):
        denials = texts.count("<no answer>")
        assert told[item_id] == (
            "none" if not denials else "all" if denials == len(texts) else "some"
        )
        # What tells of the reference must not reach the examinee.
        assert "no_answer" not in data.item(item_id).tags
    assert {*told.values()} > {"none"}
