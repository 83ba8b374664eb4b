"""Small published data of every benchmark, from the `golden.json` in its folder.

For each of the folder's benchmarks it has:

- `files`: the published files, three items or more of each task, by their paths; or a path of
  this repository where they lie. An image is its width, height and color, alone or as `image` in a
  row of parquet.
- `twins`: files of which two exams are made that differ in their references alone: `{"either":
  [a, b]}` is another value in each, and `<gold:1>` a text that is drawn anew for each. Without
  them `files` are used.
- `letters`: a benchmark's own table of answers, where its tests share one.
- `references`: some references of each task, in their published shape.
- `cases`: answers with the verdict of each protocol (`verdicts.py`); `gold` is the name of a
  reference in `golds`.
"""

import csv
import io
import json
import re
import secrets
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from snellen.grading.protocols.names import OWN

ROOT = Path(__file__).parents[2]
Value = Any


@cache
def golden(benchmark: str) -> dict[str, Any]:
    """Return what a benchmark's `golden.json` says of it."""
    file = ROOT / f"tasks/snellen/tasks/benchmarks/{OWN[benchmark]}/golden.json"
    return json.loads(file.read_text(encoding="utf-8"))[benchmark]


def references() -> dict[str, list[Any]]:
    """Return some references of every task, in their published shapes."""
    return {task: found for name in OWN for task, found in golden(name)["references"].items()}


def written(benchmark: str, folder: Path) -> Path:
    """Return where a benchmark's data is: in the folder, or where it lies for good."""
    files = golden(benchmark)["files"]
    if isinstance(files, str):
        return ROOT / files
    return _write(_chosen(files, 0, lambda found: found[0]), folder)


def twin(benchmark: str, folder: Path, which: int) -> list[str]:
    """Write the data of one of two exams, and return the texts that its references hold."""
    drawn: dict[str, str] = {}

    def text(found: re.Match[str]) -> str:
        return drawn.setdefault(found[0], f"gold{secrets.token_hex(12)}")

    of = golden(benchmark)
    _write(_chosen(of.get("twins", of["files"]), which, text), folder)
    return list(drawn.values())


def _chosen(value: Value, which: int, text: Callable[[re.Match[str]], str]) -> Value:
    match value:
        case {"either": values}:
            return _chosen(values[which], which, text)
        case dict():
            named = cast("dict[str, Value]", value)
            return {key: _chosen(each, which, text) for key, each in named.items()}
        case list():
            return [_chosen(each, which, text) for each in cast("list[Value]", value)]
        case str():
            return re.sub(r"<gold:\d+>", text, value)
        case _:
            return value


def _write(files: dict[str, Value], folder: Path) -> Path:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_ENCODERS.get(path.suffix, str.encode)(value))
    return folder


def _image(value: Value, form: str = "PNG") -> bytes:
    width, height, color = value
    file = io.BytesIO()
    Image.new("RGB", (width, height), color).save(file, form)
    return file.getvalue()


def _csv(rows: Value) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def _parquet(rows: Value) -> bytes:
    def cell(value: Value) -> Value:
        match value:
            case {"image": image, "path": path}:
                return {"bytes": _image(image), "path": path}
            case _:
                return value

    file = io.BytesIO()
    table = pa.Table.from_pylist([{key: cell(row[key]) for key in row} for row in rows])
    pq.write_table(table, file)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave list bare
    return file.getvalue()


_ENCODERS: dict[str, Callable[[Value], bytes]] = {
    ".csv": _csv,
    ".jpeg": lambda value: _image(value, "JPEG"),
    ".json": lambda value: json.dumps(value).encode(),
    ".jsonl": lambda rows: "".join(f"{json.dumps(row)}\n" for row in rows).encode(),
    ".parquet": _parquet,
    ".png": _image,
}
