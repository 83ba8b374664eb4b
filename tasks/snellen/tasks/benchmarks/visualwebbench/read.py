"""Read one split of a VisualWebBench configuration from any layout."""

from pathlib import Path

from snellen.tasks.benchmarks.visualwebbench import json_rows as visualwebbench_json
from snellen.tasks.benchmarks.visualwebbench import parquet_rows as visualwebbench_parquet
from snellen.tasks.benchmarks.visualwebbench.files import find
from snellen.tasks.benchmarks.visualwebbench.format import Layout, Rows


def read(layout: Layout, path: Path, split: str | None = None) -> Rows:
    """Read what one task needs of one split.

    Args:
        layout: What the task reads.
        path: A copy of the Hugging Face data set, one of its folders, a folder of files named
            after the configurations, or one file.
        split: The split's name; None: `test` when there, else the only one.

    Raises:
        DataError: It can't be read; references are never guessed.
        UnknownNameError: There is no such split.
        MissingExtraError: It is parquet and pyarrow is not installed.
    """
    files = find(layout.config, path, split)
    return (visualwebbench_parquet if files.parquet else visualwebbench_json).read(layout, files)
