"""Behavior of the writers of all benchmarks."""

from pathlib import Path

import pytest

from snellen.grading.errors import InputError
from snellen.tasks.builder.items import Made, PageItems
from snellen.tasks.builder.writers.base import read_sides
from snellen.tasks.builder.writers.table import MAKING

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
