"""The included exams."""

import pytest

from snellen.grading.errors import InputError
from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack, read_manifest
from snellen.tasks.pack.sample import draw_items
from snellen.tasks.samples import DEFAULT, INCLUDED, baselines, exam_folder

PLAYED = {"mmbench-gui/l3", "mmbench-gui/l4"}
FIVE = {"visualwebbench", "webrssbench", "mmbench-gui", "screenqa", "matrix"}


@pytest.mark.slow
def test_the_full_sample_has_every_task_of_the_five_systems_that_needs_no_interaction() -> None:
    check = check_pack(exam_folder("sample-full"))
    assert check.fine, check.faults
    assert sum(task.items for task in check.tasks) >= 120
    ours = {task for task in TASKS if task.partition("/")[0] in FIVE}
    assert ours - {task.task for task in check.tasks} == PLAYED


def test_the_default_has_two_items_of_each_task_of_the_full_sample() -> None:
    drawn = draw_items(open_pack(exam_folder("sample-full")), None, 2, each=True)
    pack = open_pack(exam_folder(DEFAULT))
    assert {task: set(items) for task, items in pack.index.items()} == drawn


@pytest.mark.parametrize("name", INCLUDED)
def test_an_exam_that_ships_is_small_and_has_its_name_and_its_baseline(name: str) -> None:
    files = [path for path in exam_folder(name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    about = read_manifest(exam_folder(name))
    assert about.name == name
    scored = {task: row["items"] for task, row in baselines()[name]["tasks"].items()}
    assert scored == {task.task: task.items for task in about.tasks}


def test_the_sample_says_how_it_was_made() -> None:
    built = open_pack(exam_folder("sample-full")).manifest.built
    assert built is not None
    assert {part.builder.partition(" ")[0] for part in built.parts} == {"snellen"}
    assert all(part.browser and part.licences for part in built.parts)


def test_a_name_that_is_not_included_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"no included exam 'smaple'; .* sample, sample-full,"):
        exam_folder("smaple")
