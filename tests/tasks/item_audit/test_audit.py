"""Faulty items that were planted among good ones are found, and good ones are kept."""

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image, ImageEnhance

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.item_audit.audit import audit_pack
from snellen.tasks.item_audit.models import Audit, Fault, Solver
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.remove import read_removed, remove, removed_text
from snellen.tasks.pack.write import Part, write_pack

FIXTURES = Path(__file__).parents[2] / "fixtures"
MakeExam = Callable[..., Any]
Plant = Callable[[Any, int], str]
WEBQA, L1, L2 = "visualwebbench/webqa", "mmbench-gui/l1", "mmbench-gui/l2_basic"


def audit(pack: Pack, **options: Any) -> Audit:
    return audit_pack(pack, open_references(pack), **options)


# ---- planting: each spoils or adds one item, and names a mark by which it is known again --------


def webqa(exam: Any, number: int, **changes: Any) -> str:
    row = {**exam.vwb["webqa"][number], "id": f"bad_{len(exam.vwb['webqa'])}", **changes}
    exam.vwb["webqa"].append(row)
    return f"{WEBQA} test/{row['id']}"


def duplicate(exam: Any, number: int) -> str:
    return webqa(exam, number)


def near_duplicate(exam: Any, number: int) -> str:
    name = exam.vwb["webqa"][number]["image"]
    with Image.open(io.BytesIO(exam.images[name])) as opened:
        again = ImageEnhance.Brightness(opened.convert("RGB")).enhance(0.98)
    again = again.resize((again.width - number % 2, again.height))
    out = io.BytesIO()
    again.save(out, "PNG")
    exam.images[f"{name} again"] = out.getvalue()
    return webqa(exam, number, image=f"{name} again", image_size=list(again.size))


def contradicted(exam: Any, number: int) -> str:
    return webqa(exam, number, answer=["something else"])


def visible(exam: Any, number: int) -> str:
    answer = f"{exam.phrase(2)} {number}"
    said = f"Which offer costs least? (It is the {answer.upper()}.)"
    return webqa(exam, number, question=said, answer=[answer])


def blank(exam: Any, number: int) -> str:
    out = io.BytesIO()
    Image.new("RGB", (320, 400), (250, 250, 250 - number)).save(out, "PNG")
    exam.images[f"blank {number}"] = out.getvalue()
    return webqa(exam, number, image=f"blank {number}")


def yes_and_no(exam: Any, number: int) -> str:
    return webqa(exam, number, question=f"Is the {exam.phrase()} open?", answer=["Yes", "no"])


def two_numbers(exam: Any, number: int) -> str:
    question = f"How many have {exam.phrase()}?"
    return webqa(exam, number, question=question, answer=["seven", f"{number + 20}"])


def named_after_its_answer(exam: Any, number: int) -> str:
    answer = f"{exam.phrase(2)} {number}"
    name = answer.replace(" ", "-").title()
    return webqa(exam, number, question=f"What is {exam.phrase()}?", answer=[answer], id=name)


def question(exam: Any, number: int, **changes: Any) -> str:
    group = {**exam.l1[number]["groups"][2], **changes}
    exam.l1[number]["groups"] = [*exam.l1[number]["groups"][:2], group]
    return f"{L1} hard/{number}"


def longest(exam: Any, number: int) -> str:
    group = exam.l1[number]["groups"][2]
    long = {group["answer"]: exam.phrase(14)}
    return question(exam, number, options={**group["options"], **long})


def echoed(exam: Any, number: int) -> str:
    group = exam.l1[number]["groups"][2]
    said = group["options"][group["answer"]].split()[0]
    others = {letter: f"page {letter} numbers" for letter in group["options"]}
    options = {**others, group["answer"]: f"the {said} list"}
    return question(exam, number, question=f"What do the {said}s here show?", options=options)


def told(exam: Any, number: int) -> str:
    group = exam.l1[number]["groups"][2]
    said = group["options"][group["answer"]]
    return question(exam, number, question=f"Which is it, after “{said}”?")


def same_options(exam: Any, number: int) -> str:
    group = exam.l1[number]["groups"][2]
    text = group["options"]["A"]
    return question(exam, number, options={**group["options"], "D": f" {text.upper()}"})


def element(exam: Any, number: int, box: list[float]) -> str:
    exam.l2[2 * number] = {**exam.l2[2 * number], "bbox": box}
    return f"{L2} basic/{number}"


def no_area(exam: Any, number: int) -> str:
    return element(exam, number, [40, 50 + number, 40, 90 + number])


def outside(exam: Any, number: int) -> str:
    return element(exam, number, [250, 50, 360 + number, 90])


def whole(exam: Any, number: int) -> str:
    return element(exam, number, [0, 0, 320, 400 - number])


def repeated_crops(exam: Any, number: int) -> str:
    row = next(r for r in exam.web if r["task"] == "position" and r["page"] == f"p{number}")
    row["crops"][2]["image"] = row["crops"][0]["image"]
    return f"webrssbench/position test/p{number}"


KINDS: dict[Plant, range] = {
    duplicate: range(0, 13),
    near_duplicate: range(13, 26),
    contradicted: range(26, 39),
    visible: range(39, 52),
    blank: range(0, 13),
    yes_and_no: range(0, 13),
    two_numbers: range(13, 26),
    named_after_its_answer: range(26, 39),
    longest: range(0, 10),
    echoed: range(10, 20),
    told: range(20, 30),
    same_options: range(30, 40),
    no_area: range(0, 13),
    outside: range(13, 26),
    whole: range(26, 39),
    repeated_crops: range(0, 26),
}


class Spoilt(NamedTuple):
    """An exam with faulty items, the faults by item, and its audit."""

    pack: Pack
    bad: dict[str, str]
    found: Audit


@pytest.fixture(scope="module")
def spoilt(make_exam: MakeExam) -> Spoilt:
    exam = make_exam(44)
    bad = {plant(exam, n): plant.__name__ for plant, numbers in KINDS.items() for n in numbers}
    pack = exam.pack()
    names = {f"{task} {item}" for task, items in pack.index.items() for item in items}
    assert bad.keys() <= names
    return Spoilt(pack, bad, audit(pack))


@pytest.mark.slow
def test_planted_items_are_caught_and_good_ones_are_not_removed(
    spoilt: Spoilt,
) -> None:
    pack, bad, found = spoilt
    removed = {f"{one.task} {one.item}" for one in found.removed}
    assert len(bad) >= 200
    missed = Counter(kind for name, kind in bad.items() if name not in removed)
    assert len(bad) - missed.total() >= 0.95 * len(bad), missed
    # A contradiction takes along the good item that is contradicted: nobody can say which is.
    wrong = [
        one
        for one in found.removed
        if f"{one.task} {one.item}" not in bad and one.reason != Fault.CONTRADICTED.value
    ]
    good = len(pack.lines) - len(bad)
    assert len(wrong) < 0.02 * good, wrong


@pytest.mark.slow
def test_what_is_removed_by_the_list_leaves_a_clean_pack_that_is_not_at_fault(
    spoilt: Spoilt, tmp_path: Path
) -> None:
    pack, _, found = spoilt
    path = tmp_path / "removed.txt"
    path.write_text(removed_text(found.removed))
    assert tuple(read_removed(path, pack)) == found.removed
    remove(pack, found.removed, tmp_path / "left")
    left = open_pack(tmp_path / "left")
    assert check_pack(left.folder).fine
    assert audit(left).removed == ()


@pytest.mark.slow
def test_good_items_are_left_alone_and_solvers_without_eyes_stay_at_chance(
    make_exam: MakeExam,
) -> None:
    pack = make_exam(12).pack()
    found = audit(pack)
    assert found.removed == ()
    for solver in found.overall:
        if solver.solver not in (Solver.LABEL, Solver.OTHER_PAGE):
            assert solver.lift is not None
            assert solver.lift.interval is not None
            assert solver.lift.interval.low <= 0.01
    assert audit(pack) == found


@pytest.mark.slow
def test_solvers_that_have_it_easy_show_it(make_exam: MakeExam) -> None:
    exam = make_exam(12)
    for shot in exam.l1:
        for group in shot["groups"]:
            group["options"][group["answer"]] += f" {exam.phrase(1)}, and more"
    for row in exam.vwb["element_ground"]:
        row["answer"] = 0
    for row in exam.web:
        if row["task"] == "hint_text":
            row["reference"] = "Search the shop"
    found = {task.task: task for task in audit(exam.pack()).tasks}
    scores = {(task, one.solver): one for task, audited in found.items() for one in audited.solvers}
    assert scores[L1, Solver.LONGEST].score > 0.9
    for solver in (Solver.FREQUENT, Solver.FIRST):
        one = scores["visualwebbench/element_ground", solver]
        assert (one.score, one.chance) == (1.0, 0.125)
        assert one.lift is not None
        assert one.lift.value == pytest.approx(0.875)
    hints = scores["webrssbench/hint_text", Solver.OTHER_PAGE]
    assert (hints.solved, len(hints.at_fault)) == (12, 12)
    assert found["webrssbench/hint_text"].faults == {Fault.EVERYWHERE: 12}


def test_a_record_that_lists_two_candidates_alike_faults_the_item(tmp_path: Path) -> None:
    task = "visualwebbench/element_ground"
    data = load_task(task, FIXTURES / "visualwebbench")
    right = [int(str(gold)) for gold in data.golds]
    names = [f"link {n}" for n in range(8)]
    twice = [*names]
    twice[(right[0] + 1) % 8] = names[right[0]].upper()
    records = {data.ids[0]: {"candidates": twice}, data.ids[1]: {"candidates": names}}
    write_pack([Part(data, records=records)], tmp_path / "pack", name="demo", images=False)
    pack = open_pack(tmp_path / "pack")
    assert open_references(pack).records[task] == records
    assert [(one.item, one.reason) for one in audit(pack).removed] == [
        (data.ids[0], Fault.TWO_FIT.value)
    ]


WHERE = {
    "matrix": FIXTURES.parents[1] / "examples" / "matrix",
    "screenqa": FIXTURES / "screenqa" / "repo",
    "visualwebbench": FIXTURES / "visualwebbench",
}


@pytest.mark.parametrize("task", [task for task in TASKS if task.partition("/")[0] in WHERE])
def test_every_task_can_be_audited(tmp_path: Path, task: str) -> None:
    data = load_task(task, WHERE[task.partition("/")[0]])
    write_pack([Part(data)], tmp_path / "pack", name="demo", images=False)
    found = audit(open_pack(tmp_path / "pack"))
    assert found.tasks[0].items == len(data)
    assert Fault.EMPTY not in found.tasks[0].faults


@pytest.mark.slow
def test_a_class_that_is_nearly_always_right_is_found_whatever_it_is_called(
    make_exam: MakeExam,
) -> None:
    exam = make_exam(40)
    grouping = [row for row in exam.web if row["task"] == "ui_grouping"]
    for number, row in enumerate(grouping):
        row["reference"] = "left sidebar" if number % 10 else "main content"
    found = audit(exam.pack())
    solvers = {one.solver: one for task in found.tasks for one in task.solvers}
    label = solvers[Solver.LABEL]
    assert label.items == len(grouping) == 40
    assert label.score == pytest.approx(0.9)


@pytest.mark.slow
def test_an_option_that_is_mostly_right_is_found_by_its_text(make_exam: MakeExam) -> None:
    exam = make_exam(40)
    for number, shot in enumerate(exam.l1):
        for group in shot["groups"]:
            wrong = next(letter for letter in group["options"] if letter != group["answer"])
            right = "Delivery", "Returns"
            group["options"][group["answer"]], group["options"][wrong] = (
                right if number % 10 else right[::-1]
            )
    (l1,) = (task for task in audit(exam.pack()).tasks if task.task == L1)
    solvers = {one.solver: one for one in l1.solvers}
    assert solvers[Solver.PRIOR].score == pytest.approx(0.9)
    assert solvers[Solver.PRIOR].chance == pytest.approx(0.25, abs=0.05)


def test_a_damaged_picture_stops_an_audit(make_exam: MakeExam) -> None:
    pack = make_exam(2).pack()
    image = next(path for path in (pack.folder / "images").rglob("*.png"))
    image.write_bytes(image.read_bytes() + b"x")
    with pytest.raises(DataError):
        audit(pack)
