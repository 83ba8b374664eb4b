"""Which tasks' data a folder or a file seems to hold, by the signs of every benchmark.

Nothing is loaded and nothing is judged: a broken file is recognized like a sound one, so that its
loader can say what is wrong with it.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any, cast

from snellen.tasks.benchmarks.table import benchmarks
from snellen.tasks.data.release import Signs
from snellen.tasks.io.files import DATA

_FIRST_BYTES = 1 << 20
_FEW = 10
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def recognize(path: Path) -> tuple[str, ...]:
    """Return the ids of the tasks whose data a path seems to hold, benchmark by benchmark.

    Args:
        path: A file or a folder.

    Raises:
        OSError: It can't be read.
    """
    every = [benchmark.signs for benchmark in benchmarks()]
    if path.is_file():
        return tuple(_of_file(path, every))
    found = dict.fromkeys(task for signs in every for task in _of_folder(path, signs))
    if not found:
        # A folder of files under names of their own: the first one tells.
        for file in sorted(one for one in path.iterdir() if one.suffix in DATA)[:_FEW]:
            found.update(dict.fromkeys(_of_file(file, every)))
    return tuple(found)


def _of_folder(path: Path, signs: Signs) -> Iterator[str]:
    yield from (task for name, task in signs.names.items() if (path / name).is_file())
    if signs.in_folder is not None:
        yield from signs.in_folder(path)
    for pattern in signs.folders:
        for file in islice(path.glob(pattern), 1):
            yield from _of_row(file, _first_row(file), signs)


def _of_file(path: Path, every: Iterable[Signs]) -> Iterable[str]:
    for signs in every:
        if path.name in signs.names:
            return (signs.names[path.name],)
    for signs in every:
        if signs.by_name is not None and (found := tuple(signs.by_name(path))):
            return found
    row = _first_row(path)
    return dict.fromkeys(task for signs in every for task in _of_row(path, row, signs))


def _of_row(path: Path, row: Mapping[str, object], signs: Signs) -> Iterable[str]:
    if signs.by_row is not None and (found := tuple(signs.by_row(path, row))):
        return found
    return [
        one.task for one in signs.rows if one.fields <= row.keys() and not one.without & row.keys()
    ]


def _first_row(path: Path) -> Mapping[str, object]:
    """Return the first row of a file; of parquet its columns' types. Empty where none is read."""
    if path.suffix == ".parquet":
        return _columns(path)
    with path.open("rb") as file:
        text = file.read(_FIRST_BYTES).decode("utf-8", errors="replace")
    try:
        row: object = JSONDecoder().raw_decode(text.lstrip(f"{_BYTE_ORDER_MARK} \t\r\n["))[0]
    except (JSONDecodeError, RecursionError):
        return {}
    return cast("dict[str, object]", row) if isinstance(row, dict) else {}


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
