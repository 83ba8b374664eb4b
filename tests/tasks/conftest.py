"""The hand-made files, and parquet made from them the way the Hugging Face mirrors lay it out."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures" / "screenqa"

Rows = list[dict[str, Any]]
WriteColumns = Callable[..., Path]
WriteParquet = Callable[..., Path]

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
ELEMENT = pa.struct(
    [("bounds", pa.list_(pa.float64())), ("text", pa.string()), ("vh_index", pa.int64())]
)
RATER = pa.struct([("full_answer", pa.string()), ("ui_elements", pa.list_(ELEMENT))])


@pytest.fixture
def repo() -> Path:
    """A copy of the repository, in miniature."""
    return FIXTURES / "repo"


@pytest.fixture
def v1() -> Path:
    """The same in the first release's layout, which states no image sizes."""
    return FIXTURES / "v1"


@pytest.fixture
def published(repo: Path) -> Callable[[str], Rows]:
    """The rows of one of its files, such as `short_answers/test.json`."""
    return lambda name: json.loads((repo / name).read_text(encoding="utf-8"))


@pytest.fixture
def write_columns(tmp_path: Path) -> WriteColumns:
    """Write columns to a parquet file, by default `test.parquet`."""

    def write(
        columns: "dict[str, Any] | pa.Table", path: Path | None = None, group: int | None = None
    ) -> Path:
        table = pa.table(columns) if isinstance(columns, dict) else columns
        path = path or tmp_path / "test.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, row_group_size=group)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
        return path

    return write


@pytest.fixture
def write_parquet(write_columns: WriteColumns) -> WriteParquet:
    """Write JSON rows as a mirror's parquet file; an image's bytes tell its row."""

    def write(
        rows: Sequence[dict[str, Any]],
        path: Path | None = None,
        *,
        group: int = 2,
        images: bool = True,
    ) -> Path:
        full = isinstance(rows[0]["ground_truth"][0], dict)
        columns: dict[str, Any] = {
            "screen_id": pa.array([str(row["image_id"]) for row in rows]),
            "question": pa.array([row["question"] for row in rows]),
            "ground_truth": pa.array(
                [row["ground_truth"] for row in rows], pa.list_(RATER if full else pa.string())
            ),
            "file_name": pa.array([f"images/rico/{row['image_id']}.jpg" for row in rows]),
        }
        if images:
            columns["image"] = pa.array(
                [{"bytes": f"row {n}".encode(), "path": None} for n in range(len(rows))], IMAGE
            )
        return write_columns(columns, path, group)

    return write
