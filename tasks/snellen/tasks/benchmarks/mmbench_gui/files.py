"""Find MMBench-GUI's files of annotations, and say what is wrong with a row."""

from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

import msgspec

from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.mmbench_gui.release import L1_FILE, L2_FILE
from snellen.tasks.io.files import checked, contents
from snellen.tasks.io.json_text import JsonText
from snellen.tasks.io.rows import FETCH_AGAIN, Fault, fault_of

FOLDER = "MMBench-GUI"
"""The folder that the published download makes, and that both files are in."""

_Raw = TypeVar("_Raw")


class Place(NamedTuple):
    """Where a row stands, for messages: its file, its number from 0 and its `index`."""

    file: str
    row: int
    key: int | str | None

    def misfit(self, what: str, field: str) -> DataError:
        """Return the error that the row does not fit; `field` is the place in it."""
        return DataError(
            f"row {self.row + 1} (counted from 1), index {self.key!r}: {what}; {FETCH_AGAIN}",
            file=self.file,
            field=field,
        )


def rows_of(text: JsonText, name: str, shape: type[list[_Raw]]) -> list[_Raw]:
    """Return a file's rows.

    Args:
        text: The file.
        name: Its published name.
        shape: The type of all rows.

    Raises:
        DataError: It is no JSON, or a row is not of that type.
    """
    raw = text.rows(object)
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        raise _row_error(fault_of(error, shape), raw, name, text.file) from None


def find(path: Path, name: str) -> Path:
    """Return the file of a name: the path itself if it is a file, else in it or one below.

    Raises:
        DataError: There is none.
    """
    if path.is_file():
        return path
    checked(path, f"the folder that holds {name}")
    for found in (path / name, path / FOLDER / name):
        if found.is_file():
            return found
    raise DataError(
        f"there is no {name} in it ({contents(path)}): is it a folder of another benchmark?",
        file=str(path),
    )


_OTHERS = MappingProxyType({"groups": L1_FILE, "bbox": L2_FILE})


def _row_error(fault: Fault, raw: object, name: str, file: str) -> DataError:
    what, row, field = fault
    if row is None or not isinstance(raw, list):
        return DataError(f"is not {name}: {what}", file=file)
    given = cast("list[object]", raw)[row]
    if not isinstance(given, dict):
        return DataError(f"row {row + 1} (counted from 1) is no object; {FETCH_AGAIN}", file=file)
    record = cast("dict[str, object]", given)
    for key, other in _OTHERS.items():
        if key in record and other != name:
            return DataError(f"its rows are those of {other}, not of {name}", file=file)
    index = record.get("index")
    place = Place(file, row, index if isinstance(index, int | str) else None)
    return place.misfit(what, field or "")
