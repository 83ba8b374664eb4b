"""The items that one context may see together."""

from collections.abc import Collection

import pytest

from snellen.server.exam.pairs import PairedItem, without_other_halves


def pair(name: str, before: str, *after: str) -> list[PairedItem]:
    """Return the items of a pair, each with one image."""
    return [
        PairedItem("t", f"{name}{index}", name, frozenset({image}))
        for index, image in enumerate((before, *after))
    ]


def names(items: Collection[PairedItem]) -> set[str]:
    return {item.item for item in items}


def test_one_item_of_each_pair_stays_and_half_of_them_are_the_first() -> None:
    items = [item for n in range(10) for item in pair(f"p{n}-", f"before {n}", f"after {n}")]
    kept = names(without_other_halves(items, 0))
    assert {name.partition("-")[0] for name in kept} == {f"p{n}" for n in range(10)}
    assert len(kept) == 10
    assert sum(name.endswith("-0") for name in kept) == 5


def test_the_draw_is_the_seeds() -> None:
    items = [item for n in range(10) for item in pair(f"p{n}-", f"before {n}", f"after {n}")]
    draws = {frozenset(names(without_other_halves(items, seed))) for seed in range(5)}
    assert len(draws) > 1
    assert names(without_other_halves(items, 3)) == names(without_other_halves(items, 3))


@pytest.mark.parametrize("seed", range(10))
def test_no_other_item_shows_an_image_of_a_pair(seed: int) -> None:
    one, other = pair("a", "page", "a1", "a2"), pair("b", "page", "b1")
    alone = [
        PairedItem("t", "shows it", None, frozenset({"x", "page"})),
        PairedItem("t", "shows the other half", None, frozenset({"b1"})),
        PairedItem("t", "shows neither", None, frozenset({"x"})),
    ]
    kept = names(without_other_halves([*one, *other, *alone], seed))
    assert kept in ({"a1", "b1", "shows neither"}, {"a2", "b1", "shows neither"})


def test_of_pairs_that_can_not_stay_together_one_stays() -> None:
    items = [*pair("a", "page", "same"), *pair("b", "page", "same")]
    assert len(without_other_halves(items, 0)) == 1
