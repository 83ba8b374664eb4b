import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from lamps import lit, write_lamps

from snellen import sdk
from snellen.grading.errors import SubmissionError
from snellen.grading.models.reports import UnreadableError
from snellen.server.exam.file import ExamFile, Phase
from snellen.server.grading.files import FileGrader, FileToGrade, Graded, open_grader
from snellen.server.settings import Settings
from snellen.tasks.pack.read import open_pack
from snellen.tasks.pack.write import Part, write_pack
from snellen.tasks.samples import exam_folder

MIB = 1 << 20
SHORT, COMPLEX = "screenqa/short", "screenqa/complex"


@pytest.fixture
def grader(store: Path) -> FileGrader:
    """Return the grader of an exam whose uploads may have 1 KiB."""
    file = ExamFile(name="sample", packs=(str(exam_folder("wireframes")),), longest_upload=1024)
    return open_grader(Settings((exam_folder("wireframes"),), store, file=file))


@pytest.mark.slow
@pytest.mark.parametrize("form", [".jsonl.gz", ".jsonl"])
def test_a_file_is_unpacked_to_ten_times_the_largest_upload_at_most(
    grader: FileGrader, tmp_path: Path, form: str
) -> None:
    """The reader unpacks gzip by its first bytes, whatever the file's name."""
    for size, refused in ((10 * 1024, False), (10 * 1024 + 1, True), (64 * MIB, True)):
        path = tmp_path / f"{size}{form}"
        path.write_bytes(gzip.compress(b"\n" * size))
        given = FileToGrade(path, "sub_1", 1, None, Phase(name="main"), "")
        with pytest.raises(SubmissionError) as caught:
            grader(given)
        assert ("it unpacks to more than 10,240 bytes" in str(caught.value)) is refused, size
        assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]
        path.unlink()


def test_a_cut_gzip_file_is_said_to_be_one(grader: FileGrader, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n" * 1000)[:-9])
    with pytest.raises(SubmissionError, match="it is no whole gzip file"):
        grader(FileToGrade(path, "sub_1", 1, None, Phase(name="main"), ""))


@pytest.fixture
def two_tasks(store: Path, tmp_path: Path) -> Callable[[str], Graded]:
    """Return a function that grades the lines of a file in an exam of two tasks."""
    for task, folder in ((SHORT, "short_answers"), (COMPLEX, "complex_qa")):
        rows = [{"image_id": 0, "question": task, "ground_truth": ["1"]}]
        home = tmp_path / folder
        (home / folder).mkdir(parents=True)
        (home / "answers_and_bboxes").mkdir()
        (home / folder / "test.json").write_text(json.dumps(rows))
    parts = [
        Part(sdk.load(SHORT, tmp_path / "short_answers")),
        Part(sdk.load(COMPLEX, tmp_path / "complex_qa")),
    ]
    pack = tmp_path / "two"
    write_pack(parts, pack, name="two", images=False)
    file = ExamFile(name="two", packs=(str(pack),))
    grader = open_grader(Settings((pack,), store, file=file))

    def grade(lines: str) -> Graded:
        path = tmp_path / "answers.jsonl"
        path.write_text(lines)
        return grader(FileToGrade(path, "sub_1", 1, None, Phase(name="main"), ""))

    return grade


def line(task: str, item: str) -> str:
    return json.dumps({"task": task, "item_id": item, "response": "1"}) + "\n"


def test_a_problem_has_its_line_in_the_whole_file_where_tasks_are_mixed(
    two_tasks: Callable[[str], Graded],
) -> None:
    text = (
        line(SHORT, "test/0/0") + "\n" + line(COMPLEX, "nowhere") + line(SHORT, "nothing") +
        line(COMPLEX, "test/0/0")
    )  # fmt: skip
    found = two_tasks(text)
    assert [(each.line, each.field) for each in found.problems.first] == [
        (3, "item_id"), (4, "item_id"),
    ]  # fmt: skip
    assert [(score.task, score.value) for score in found.scores] == [(SHORT, 1), (COMPLEX, 1)]
    with pytest.raises(UnreadableError, match="none of the 2 item ids") as caught:
        two_tasks(line(SHORT, "test/0/0") + line(COMPLEX, "a") + line(COMPLEX, "b"))
    assert [each.line for each in caught.value.problems.first] == [2, 3]


def test_every_line_without_a_task_of_the_exam_is_named_up_to_twenty(
    two_tasks: Callable[[str], Graded],
) -> None:
    strange = "".join(line("screenqa/nonesuch", str(number)) for number in range(24))
    with pytest.raises(UnreadableError, match="line 2, field 'task'") as caught:
        two_tasks(line(SHORT, "test/0/0") + strange + "no JSON\n")
    assert [each.line for each in caught.value.problems.first] == [*range(2, 22)]
    assert caught.value.problems.count == 25


def test_the_signature_of_an_attempt_by_tools_says_so_once(store: Path, tmp_path: Path) -> None:
    pack = write_lamps(tmp_path / "pack", [lit(0)])
    grader = open_grader(Settings((pack,), store, file=ExamFile(name="lamps", packs=(str(pack),))))
    path = tmp_path / "answers.jsonl"
    record: dict[str, object] = {"status": "done", "changes": {}, "cost": 1, "door": "tools"}
    path.write_text(json.dumps({"item_id": "lamps-0", "response": record}) + "\n")
    for conditions in ("exam:lamps|door:tools", ""):
        given = FileToGrade(
            path, "sub_1", 1, "desk/l3", Phase(name="main"), conditions, recorded=True
        )
        (score,) = grader(given).scores
        assert score.signature.count("door:tools") == 1


@pytest.mark.parametrize(
    ("conditions", "recorded", "items"),
    [
        ("exam:x|contexts:fresh|clients:4", True, 4),
        ("exam:x|contexts:continuous|clients:1", True, 1),
        ("exam:x|contexts:fresh|model:contexts:continuous", True, 4),
        ("exam:x|contexts:continuous|clients:1", False, 4),
    ],
    ids=["fresh", "continuous", "a model of that name", "an upload"],
)
def test_an_attempt_is_graded_over_the_items_that_its_contexts_could_see(
    store: Path, tmp_path: Path, conditions: str, recorded: bool, items: int
) -> None:
    pack = exam_folder("sample")
    grader = open_grader(Settings((pack,), store, file=ExamFile(name="x", packs=(str(pack),))))
    path = tmp_path / "answers.jsonl"
    names = open_pack(pack).index["webrssbench/color"]
    path.write_text("".join(f"{json.dumps({'item_id': n, 'response': 'x'})}\n" for n in names))
    given = FileToGrade(
        path, "sub_1", 1, "webrssbench/color", Phase(name="main"), conditions, recorded
    )
    (score,) = grader(given).scores
    assert score.items == items
