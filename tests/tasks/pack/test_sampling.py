"""Stratified samples of packs: in proportion, pairs whole, the same for a seed."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.pack.checking import check_pack
from snellen.tasks.pack.reading import Pack, open_pack, open_references
from snellen.tasks.pack.sampling import draw_items, sample_pack
from snellen.tasks.pack.writing import Part, write_pack

MakePack = Callable[..., Pack]
Tree = Callable[[Path], dict[str, bytes]]
KEY = bytes(range(64)).hex()
SHORT = "screenqa/short"


@pytest.fixture
def pages(every_benchmark: dict[str, Path], tmp_path: Path) -> Pack:
    """Three tasks of WebRSSBench: three items, six in three pairs, and three."""
    parts = [
        Part(load_task(f"webrssbench/{name}", every_benchmark["webrssbench"]))
        for name in ("safety", "text", "ui_grouping")
    ]
    write_pack(parts, tmp_path / "pages", name="pages", images=False)
    return open_pack(tmp_path / "pages")


def test_every_task_gives_in_proportion_and_pairs_are_whole(pages: Pack) -> None:
    for seed in range(6):
        found = draw_items(pages, None, 8, seed=seed)
        assert {task: len(ids) for task, ids in found.items()} == {
            "webrssbench/safety": 2,
            "webrssbench/text": 4,
            "webrssbench/ui_grouping": 2,
        }
        pairs = Counter(pages.pair("webrssbench/text", one) for one in found["webrssbench/text"])
        assert set(pairs.values()) == {2}


def test_each_task_gives_as_many_or_one_whole_pair(pages: Pack) -> None:
    for items, paired in ((1, 2), (2, 2), (3, 2), (5, 4)):
        found = draw_items(pages, None, items, each=True)
        assert {task: len(ids) for task, ids in found.items()} == {
            "webrssbench/safety": min(items, 3),
            "webrssbench/text": paired,
            "webrssbench/ui_grouping": min(items, 3),
        }


def test_of_some_tasks_alone(pages: Pack) -> None:
    for each in (True, False):
        found = draw_items(pages, None, 2, each=each, tasks=["webrssbench/safety"])
        assert {task: len(ids) for task, ids in found.items()} == {"webrssbench/safety": 2}
    with pytest.raises(UnknownNameError):
        draw_items(pages, None, 2, tasks=["webrssbench/color"])


def test_a_tag_of_the_references_makes_strata_where_they_can_be_read(
    make_pack: MakePack, tmp_path: Path
) -> None:
    sealed = make_pack("sealed", key=KEY)
    with pytest.raises(InputError, match="need the key"):
        draw_items(sealed, None, 2, by=["question_word"])
    references = open_references(sealed, KEY)
    found = draw_items(sealed, references, 2, by=["task", "image_id"])
    assert sorted(one[:6] for one in found[SHORT]) == ["test/5", "test/9"]


def test_too_few_items_and_parted_pairs_are_refused(pages: Pack) -> None:
    with pytest.raises(InputError, match="2 items by task"):
        draw_items(pages, None, 2)
    with pytest.raises(InputError, match=r"leave out of task, state what tells them apart"):
        draw_items(pages, open_references(pages), 8, by=["task", "state"])


def test_more_than_there_are_is_all_and_the_rest_is_filled(pages: Pack) -> None:
    assert sum(map(len, draw_items(pages, None, 99).values())) == 12
    # Five of the twelve in proportion are 1.25, 2.5 and 1.25: half a pair is never drawn.
    assert sum(map(len, draw_items(pages, None, 7).values())) == 7


def test_a_sample_is_a_clean_pack_and_the_same_for_a_seed(
    make_pack: MakePack, tmp_path: Path, tree: Tree
) -> None:
    pack = make_pack("all", key=KEY)
    for name in ("one", "other"):
        sample_pack(pack, 3, tmp_path / name, by=["image_id"], seed=2, key=KEY)
    assert tree(tmp_path / "one") == tree(tmp_path / "other")
    assert len(open_pack(tmp_path / "one").lines) == 3
    assert check_pack(tmp_path / "one", KEY).fine
