"""Behavior of the writers of all benchmarks."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.items import Made, PageItems
from snellen.build.writers.base import bounded, read_sides
from snellen.build.writers.table import MAKING, changes_for
from snellen.grading.errors import InputError

OTHER = PageItems("shop", "index", [Made("another/task", {}, {})], [])


@pytest.mark.parametrize("benchmark", MAKING)
def test_items_of_other_benchmarks_are_left_out(benchmark: str, tmp_path: Path) -> None:
    MAKING[benchmark].write([OTHER], tmp_path / "data")
    assert read_sides(tmp_path / "data") == []
    files = [path.name for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert files == ["made.jsonl"]


@pytest.mark.parametrize("benchmark", MAKING)
def test_a_folder_that_holds_something_is_not_written_to(benchmark: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="not an empty folder"):
        MAKING[benchmark].write([OTHER], tmp_path)


def of(counts: Mapping[str, int]) -> dict[str, str]:
    return {f"{name}{place}": name for name, count in counts.items() for place in range(count)}


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=1), st.integers(1, 60)))
def test_a_question_template_has_a_fifth_of_the_items_or_an_equal_share(
    counts: dict[str, int],
) -> None:
    items = of(counts)
    kept = bounded(items, 3)
    left = Counter(items[item] for item in kept)
    assert set(left) == set(counts)
    assert all(count * min(5, len(counts)) <= len(kept) for count in left.values())


def test_no_more_items_are_left_out_than_the_share_takes() -> None:
    counts = {"place": 38, "next": 8, "cell": 5, "count": 3, "sum": 2, "pair": 1}
    items = of(counts)
    kept = bounded(items, 3)
    assert Counter(items[item] for item in kept) == {**counts, "place": 3, "next": 3, "cell": 3}
    assert bounded({**items, **of({"row": 9, "hint": 9, "price": 9})}, 3) > kept
    assert kept == bounded(items, 3) != bounded(items, 4)


def test_the_matrix_alone_has_the_recolored_pages_that_it_asks_about() -> None:
    assert {change.task for change in changes_for(["matrix/items"])} == {"webrssbench/color"}
    assert changes_for(["visualwebbench/webqa"]) == []
    assert len(changes_for([])) == len({(change.task, change.mode) for change in changes_for([])})
