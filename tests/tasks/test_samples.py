"""The sample exam that ships."""

import pytest

from snellen.tasks.benchmarks.table import TASKS
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples import sample_exam

PLAYED = {"mmbench-gui/l3", "mmbench-gui/l4"}
FIVE = {"visualwebbench", "webrssbench", "mmbench-gui", "screenqa", "matrix"}


@pytest.mark.slow
def test_it_has_every_task_of_the_five_systems_that_needs_no_interaction() -> None:
    check = check_pack(sample_exam())
    assert check.fine, check.faults
    assert sum(task.items for task in check.tasks) >= 120
    ours = {task for task in TASKS if task.partition("/")[0] in FIVE}
    assert ours - {task.task for task in check.tasks} == PLAYED


def test_it_is_small_enough_to_ship() -> None:
    files = [path for path in sample_exam().rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6_000_000


def test_it_says_how_it_was_made() -> None:
    built = open_pack(sample_exam()).manifest.built
    assert built is not None
    assert {part.builder.partition(" ")[0] for part in built.parts} == {"snellen"}
    assert all(part.browser and part.licences for part in built.parts)
