"""Who is drawn depends on the seed and on nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.models import TaskData
from snellen.tasks.pack.drawing import draw

LoadShort = Callable[..., TaskData]
ROWS = [{"image_id": n, "question": "What?", "ground_truth": ["x"]} for n in range(200)]


def test_a_draw_is_in_the_datas_order_and_a_part_of_a_larger_one(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    some, more = draw(data, 20), draw(data, 50)
    assert len(some) == len(set(some)) == 20
    assert [item for item in data.ids if item in some] == some
    assert set(some) < set(more)
    assert draw(data, 500) == draw(data, 200) == list(data.ids)


def test_the_same_seed_draws_the_same_and_another_one_others(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    assert draw(data, 20, 7) == draw(data, 20, 7)
    assert draw(data, 20, 7) != draw(data, 20, 8)


def test_neither_order_nor_other_items_move_who_is_drawn(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    backwards = replace(data, ids=list(data.ids)[::-1])
    assert set(draw(backwards, 20)) == set(draw(data, 20))
    fewer = replace(data, ids=data.ids[:100])
    assert set(draw(data, 20)) & set(fewer.ids) <= set(draw(fewer, 20))


def test_every_item_is_drawn_about_equally_often(load_short: LoadShort) -> None:
    data = load_short(ROWS)
    counts = dict.fromkeys(data.ids, 0)
    for seed in range(400):
        for item in draw(data, 20, seed):
            counts[item] += 1
    # Binomial, 400 times 0.1: six standard deviations are 36.
    assert all(4 <= count <= 76 for count in counts.values())


def test_the_halves_of_a_pair_are_drawn_together(every_benchmark: dict[str, Path]) -> None:
    data = load_task("webrssbench/layout", every_benchmark["webrssbench"])
    pairs = data.tags["pair"]
    for seed in range(10):
        for size in (2, 3, 4):
            drawn = set(draw(data, size, seed))
            assert len(drawn) in (2, 4)
            for place, item in enumerate(data.ids):
                halves = {data.ids[n] for n, pair in enumerate(pairs) if pair == pairs[place]}
                assert item not in drawn or halves <= drawn
    with pytest.raises(InputError, match="can't be drawn by 1: a group of it has 2 items"):
        draw(data, 1)
