"""Which tasks' data a folder or a file seems to hold, by names and first rows.

Nothing is loaded and nothing is judged: a broken file is recognised like a sound one, so that its
loader can say what is wrong with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from snellen.grading.no_json import NO_JSON
from snellen.tasks.benchmarks.matrix import format as matrix
from snellen.tasks.benchmarks.mmbench_gui.files import FOLDER, L1_FILE, L2_FILE
from snellen.tasks.benchmarks.mmbench_gui.tasks import FILES as EPISODE_FILES
from snellen.tasks.benchmarks.screenqa import load as screenqa
from snellen.tasks.benchmarks.screenspot.format import PRO_FOLDER, V2_FILES
from snellen.tasks.benchmarks.visualwebbench import load as visualwebbench
from snellen.tasks.benchmarks.webrssbench import load as webrssbench
from snellen.tasks.benchmarks.webrssbench import manifest as webrssbench_manifest

_ENTRIES = 20_000
_FIRST_BYTES = 1 << 20
_DATA = (".json", ".jsonl", ".parquet")
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def recognise(path: Path) -> tuple[str, ...]:
    """Return the ids of the tasks whose data a path seems to hold, benchmark by benchmark.

    Args:
        path: A file or a folder.

    Raises:
        OSError: It can't be read.
    """
    if path.is_file():
        return tuple(_of_file(path))
    found = dict.fromkeys(task for signs in _FOLDERS for task in signs(path))
    if not found:
        # A folder of files under names of their own: the first one tells.
        for file in sorted(one for one in path.iterdir() if one.suffix in _DATA)[:_FEW]:
            found.update(dict.fromkeys(_of_file(file)))
    return tuple(found)


_FEW = 10


# ---- folders -----------------------------------------------------------------------------------


def _screenqa(path: Path) -> Iterator[str]:
    for task, spec in screenqa.TASKS.items():
        folder = spec.layout.folder
        own = path.absolute().name == folder and any(path.glob("*.json"))
        if own or any((path / folder).glob("*.json")):
            yield task


def _visualwebbench(path: Path) -> Iterator[str]:
    here = path.absolute().name
    names = {_stem(file) for file in path.iterdir() if file.suffix in _DATA}
    for task, spec in visualwebbench.TASKS.items():
        config = spec.layout.config
        below = path if here == config else path / config
        if config in names or (below.is_dir() and _any_data(below)):
            yield task


def _mmbench_gui(path: Path) -> Iterator[str]:
    for folder in (path, path / FOLDER):
        if (folder / L1_FILE).is_file():
            yield "mmbench-gui/l1"
        if (folder / L2_FILE).is_file():
            yield from _of_l2(folder / L2_FILE)
        for level, file in EPISODE_FILES.items():
            if (folder / file).is_file():
                yield f"mmbench-gui/{level}"


def _webrssbench(path: Path) -> Iterator[str]:
    for name in webrssbench_manifest.FILES:
        if (path / name).is_file():
            yield from _tasks_of_manifest(path / name)
            return
    names = {entry.name for entry in islice(path.rglob("*"), _ENTRIES)}
    if "random_crops_info.json" in names:
        yield "webrssbench/position"
    if "analysis_result.json" in names:
        yield "webrssbench/text"
    if "disturbed.png" in names:
        # Pages of both tasks look alike; a file of references says which they are.
        both = ("color", "layout")
        told = [task for task in both if f"{task}.references.json" in names]
        yield from (f"webrssbench/{task}" for task in told or both)


def _screenspot(path: Path) -> Iterator[str]:
    if any((path / file).is_file() for file in V2_FILES.values()):
        yield "screenspot-v2/point"
    for file in islice(path.glob(f"{PRO_FOLDER}/*.json"), 1):
        yield from _of_row(file, _first_row(file))


def _matrix(path: Path) -> Iterator[str]:
    if (path / matrix.ITEMS).is_file():
        yield "matrix/items"


_FOLDERS: tuple[Callable[[Path], Iterator[str]], ...] = (
    _visualwebbench,
    _webrssbench,
    _mmbench_gui,
    _screenqa,
    _screenspot,
    _matrix,
)


def _any_data(folder: Path) -> bool:
    return any(file.suffix in _DATA for file in folder.iterdir())


def _stem(file: Path) -> str:
    """Return a file's name without its ending and without `-00000-of-00001`."""
    name, dash, _ = file.stem.rpartition("-of-")
    return name.rpartition("-")[0] if dash else file.stem


# ---- files -------------------------------------------------------------------------------------


class _Sign(NamedTuple):
    """Fields that rows have, and fields that they have not."""

    task: str
    fields: frozenset[str]
    without: frozenset[str] = frozenset()


def _sign(task: str, fields: str, without: str = "") -> _Sign:
    return _Sign(task, frozenset(fields.split()), frozenset(without.split()))


_SIGNS = (
    _sign("mmbench-gui/l1", "image_path groups"),
    _sign("mmbench-gui/l2_basic", "image_path bbox grounding_type"),
    _sign("mmbench-gui/l2_advanced", "image_path bbox grounding_type"),
    _sign("screenspot-v2/point", "img_filename bbox data_type"),
    _sign("screenspot-pro/point", "img_filename bbox ui_type"),
    _sign("matrix/items", "dimension level metric"),
    _sign("visualwebbench/action_prediction", "id options bbox answer"),
    _sign("visualwebbench/element_ground", "id options elem_desc answer", "bbox"),
    _sign("visualwebbench/action_ground", "id options instruction answer"),
    _sign("visualwebbench/element_ocr", "id bbox answer", "options"),
    _sign("visualwebbench/webqa", "id question answer", "options"),
)


def _of_file(path: Path) -> Iterable[str]:
    names = {
        L1_FILE: ("mmbench-gui/l1",),
        **{file: (f"mmbench-gui/{level}",) for level, file in EPISODE_FILES.items()},
        **dict.fromkeys(V2_FILES.values(), ("screenspot-v2/point",)),
    }
    if path.name in names:
        return names[path.name]
    if path.name == L2_FILE:
        return _of_l2(path)
    if path.name in webrssbench_manifest.FILES:
        return _tasks_of_manifest(path)
    for name in (path.absolute().parent.name, _stem(path)):
        of_folder = [
            task for task, spec in screenqa.TASKS.items() if spec.layout.folder == name
        ] or _of_config(name)
        if of_folder:
            return of_folder
    return _of_row(path, _first_row(path))


def _of_row(path: Path, row: Mapping[str, object]) -> Iterable[str]:
    fields = row.keys()
    if "format" in fields or {"task", "page"} <= fields:
        return _tasks_of_manifest(path)
    if {"question", "ground_truth"} <= fields:
        full = [task for task, spec in screenqa.TASKS.items() if spec.layout.folder != "complex_qa"]
        nested = _holds_objects(row["ground_truth"])
        return [task for task in full if (task == "screenqa/short") != nested]
    if isinstance(row.get("task_type"), str) and (of := _of_config(str(row["task_type"]))):
        return of
    found = [one.task for one in _SIGNS if one.fields <= fields and not one.without & fields]
    if found == list(_L2.values()):
        return _of_l2(path)
    variants = [f"{task}_{form}" for task in found for form in ("bbox", "point")]
    return [*found, *(task for task in variants if task in visualwebbench.TASKS)]


_L2 = {"basic": "mmbench-gui/l2_basic", "advanced": "mmbench-gui/l2_advanced"}
_KIND = re.compile(rb'"grounding_type"\s*:\s*"(\w+)"')


def _of_l2(path: Path) -> list[str]:
    """Return the tasks whose rows a file of L2 has: a part of it is no fault. Both if none has."""
    kinds = {kind.decode() for kind in _KIND.findall(path.read_bytes())}
    return [task for kind, task in _L2.items() if kind in kinds] or list(_L2.values())


def _of_config(name: str) -> list[str]:
    return [task for task, spec in visualwebbench.TASKS.items() if spec.layout.config == name]


def _holds_objects(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(one, dict) for one in cast("list[object]", value))
    return "struct" in str(value)


def _first_row(path: Path) -> Mapping[str, object]:
    """Return the first row of a file; of parquet its columns' types. Empty where none is read."""
    if path.suffix == ".parquet":
        return _columns(path)
    with path.open("rb") as file:
        text = file.read(_FIRST_BYTES).decode("utf-8", errors="replace")
    try:
        row: object = JSONDecoder().raw_decode(text.lstrip(f"{_BYTE_ORDER_MARK} \t\r\n["))[0]
    except (JSONDecodeError, RecursionError):
        return _manifest_start(text)
    return cast("dict[str, object]", row) if isinstance(row, dict) else {}


def _manifest_start(text: str) -> Mapping[str, object]:
    """Return what the start of a long or broken file shows to be a manifest's."""
    return {"format": ""} if '"webrssbench/' in text[:_START] else {}


_START = 200


def _columns(path: Path) -> Mapping[str, object]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        # The loader says what is to be installed.
        return {}
    try:
        schema: Any = parquet.read_schema(path)  # pyright: ignore[reportUnknownMemberType]  # pyarrow's stubs leave IO bare
    except (OSError, ValueError):
        return {}
    return {str(name): str(kind) for name, kind in zip(schema.names, schema.types, strict=True)}


def _tasks_of_manifest(path: Path) -> list[str]:
    """Return the tasks that a WebRSSBench manifest's rows name; all of them if it is broken."""
    every = list(webrssbench.TASKS)
    try:
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            rows = [msgspec.json.decode(line, type=_Named) for line in data.splitlines() if line]
        else:
            rows = msgspec.json.decode(data, type=_Manifest).rows
    except NO_JSON:
        return every
    named = {f"webrssbench/{row.task}" for row in rows}
    return [task for task in every if task in named] or every


class _Named(msgspec.Struct):
    task: str = ""


class _Manifest(msgspec.Struct):
    rows: list[_Named]
