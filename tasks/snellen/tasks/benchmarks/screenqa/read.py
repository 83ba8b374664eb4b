"""Read one split of ScreenQA from any published layout."""

from pathlib import Path

from snellen.tasks.benchmarks.screenqa import json_rows as screenqa_json
from snellen.tasks.benchmarks.screenqa import parquet_rows as screenqa_parquet
from snellen.tasks.benchmarks.screenqa.files import find
from snellen.tasks.benchmarks.screenqa.format import Layout, Rows
from snellen.tasks.io.bulk import collector_paused


def read(layout: Layout, path: Path, split: str | None = None) -> Rows:
    """Read what one task needs of one split.

    Args:
        layout: What the task reads, one of `screenqa_rows.LAYOUTS`.
        path: A copy of the repository, one of its folders, a Hugging Face mirror, or one file.
        split: The split's name; None: `test` when there, else the only one.

    Raises:
        DataError: It can't be read; references are never guessed.
        UnknownNameError: There is no such split.
        MissingExtraError: It is parquet and pyarrow is not installed.
    """
    files = find(layout, path, split)
    with collector_paused():
        return (screenqa_parquet if files.parquet else screenqa_json).read(layout, files)
