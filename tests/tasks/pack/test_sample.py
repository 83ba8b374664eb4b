"""Stratified samples of packs: in proportion, whole pairs, reproducible by seed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.check import check_pack
from snellen.tasks.pack.read import Pack, open_pack, open_references
from snellen.tasks.pack.sample import draw_items, draw_task, sample_pack
from snellen.tasks.pack.write import Part, write_pack

MakePack = Callable[..., Pack]
Tree = Callable[[Path], dict[str, bytes]]
KEY = bytes(range(64)).hex()
LoadShort = Callable[..., TaskData]
ROWS = [{"image_id": n, "question": "What?", "ground_truth": ["x"]} for n in range(200)]
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
    with pytest.raises(InputError, match="need the references and their key"):
        draw_items(sealed, None, 2, by=["question_word"])
    references = open_references(sealed, KEY)
    found = draw_items(sealed, references, 2, by=["task", "image_id"])
    assert sorted(one[:6] for one in found[SHORT]) == ["test/5", "test/9"]


def test_too_few_items_and_parted_pairs_are_refused(pages: Pack) -> None:
    with pytest.raises(InputError, match="2 items by task"):
        draw_items(pages, None, 2)
    with pytest.raises(InputError, match=r"omit the tag in which they differ from task, state"):
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


def test_a_draw_is_in_the_datas_order_and_a_part_of_a_larger_one(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    some, more = draw_task(data, 20), draw_task(data, 50)
    assert len(some) == len(set(some)) == 20
    assert [item for item in data.ids if item in some] == some
    assert set(some) < set(more)
    assert draw_task(data, 500) == draw_task(data, 200) == list(data.ids)


def test_the_same_seed_draws_the_same_and_another_one_others(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    assert draw_task(data, 20, 7) == draw_task(data, 20, 7)
    assert draw_task(data, 20, 7) != draw_task(data, 20, 8)


def test_neither_order_nor_other_items_move_who_is_drawn(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    backwards = replace(data, ids=list(data.ids)[::-1])
    assert set(draw_task(backwards, 20)) == set(draw_task(data, 20))
    fewer = replace(data, ids=data.ids[:100])
    assert set(draw_task(data, 20)) & set(fewer.ids) <= set(draw_task(fewer, 20))


def test_every_item_is_drawn_about_equally_often(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    counts = dict.fromkeys(data.ids, 0)
    for seed in range(400):
        for item in draw_task(data, 20, seed):
            counts[item] += 1
    # Binomial, 400 times 0.1: six standard deviations are 36.
    assert all(4 <= count <= 76 for count in counts.values())


def test_the_halves_of_a_pair_are_drawn_together(every_benchmark: dict[str, Path]) -> None:
    data = load_task("webrssbench/layout", every_benchmark["webrssbench"])
    pairs = data.tags["pair"]
    for seed in range(10):
        for size in (2, 3, 4):
            drawn = set(draw_task(data, size, seed))
            assert len(drawn) in (2, 4)
            for place, item in enumerate(data.ids):
                halves = {data.ids[n] for n, pair in enumerate(pairs) if pair == pairs[place]}
                assert item not in drawn or halves <= drawn
    assert len(draw_task(data, 1)) == 2


def test_one_seed_draws_the_same_items_of_a_task_and_of_its_pack(
    every_benchmark: dict[str, Path], tmp_path: Path
) -> None:
    tasks = [
        load_task(f"webrssbench/{name}", every_benchmark["webrssbench"])
        for name in ("safety", "text")
    ]
    write_pack([Part(data) for data in tasks], tmp_path / "all", name="all", images=False)
    pack = open_pack(tmp_path / "all")
    for seed in range(4):
        assert draw_items(pack, None, 2, each=True, seed=seed) == {
            data.task: set(draw_task(data, 2, seed)) for data in tasks
        }
