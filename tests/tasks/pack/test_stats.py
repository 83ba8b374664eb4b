"""Statistics of a pack."""

from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.tasks.benchmarks.table import TASKS, load_task
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.stats import Spread, kind_of, pack_stat
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]


def test_the_numbers_of_a_small_pack_are_right(make_pack: MakePack) -> None:
    pack = make_pack()
    found = pack_stat(pack, open_references(pack))
    task = found.tasks[0]
    assert (found.items, found.images, task.images, task.image_bytes) == (
        6,
        2,
        2,
        pack.manifest.image_bytes,
    )
    assert task.widths == Spread(least=40, median=40, most=40)
    assert task.heights == Spread(least=60, median=60, most=60)
    assert (task.sites, task.cluster) == (2, "image_id")
    assert task.answers == {"text": 6}
    assert task.references == {"2 texts": 6}
    assert task.tags["image_id"].counts == {"5": 3, "9": 3}
    assert task.tags["question_word"].counts == {"what": 6}
    lengths = sorted(len(line.item.prompt) for line in pack.lines)
    assert (task.prompt_characters.least, task.prompt_characters.most) == (lengths[0], lengths[-1])


def test_without_references_nothing_of_them_is_told(make_pack: MakePack) -> None:
    task = pack_stat(make_pack()).tasks[0]
    assert (task.sites, task.references, task.accepted) == (None, {}, None)
    assert "question_word" not in task.tags


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_counted_and_no_reference_shows(
    every_benchmark: dict[str, Path], tmp_path: Path, task: str
) -> None:
    data = load_task(task, every_benchmark[task.partition("/")[0]])
    write_pack([Part(data)], tmp_path / "pack", name="demo", images=False)
    pack = open_pack(tmp_path / "pack")
    found = pack_stat(pack, open_references(pack)).tasks[0]
    assert sum(found.references.values()) == found.items == len(data)
    assert "object" not in found.references or task.startswith("mmbench-gui/l")


def test_kinds_say_nothing_of_what_they_hold() -> None:
    assert kind_of({("a", "b"): "left"}) == "1 relations"
    assert kind_of("") == "empty text"
    assert kind_of(None) == "nothing"
    assert kind_of(["a", 1]) == "2 values"
