"""By what MMBench-GUI's files are recognized by their names and their kinds of rows."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from snellen.tasks.benchmarks.mmbench_gui.format import EPISODE_FILES, FOLDER, L1_FILE, L2_FILE
from snellen.tasks.data.pins import read_bytes

_L2 = {"basic": "mmbench-gui/l2_basic", "advanced": "mmbench-gui/l2_advanced"}
_KIND = re.compile(rb'"(?:grounding_type|group)"\s*:\s*"(\w+)"')


def in_folder(path: Path) -> Iterator[str]:
    """Yield the levels whose files lie here or in the repository's folder."""
    for folder in (path, path / FOLDER):
        for name in (L1_FILE, L2_FILE, *EPISODE_FILES.values()):
            if (folder / name).is_file():
                yield from by_name(folder / name)


def by_name(path: Path) -> list[str]:
    """Return the tasks of a file under its own name."""
    if path.name == L2_FILE:
        return _of_l2(path)
    levels = {L1_FILE: "l1", **{file: level for level, file in EPISODE_FILES.items()}}
    return [f"mmbench-gui/{levels[path.name]}"] if path.name in levels else []


def by_row(path: Path, row: Mapping[str, object]) -> list[str]:
    """Return the tasks whose rows a file has whose first row is one of L2."""
    copied = {"img_filename", "bbox", "group"} <= row.keys()
    if {"image_path", "bbox", "grounding_type"} <= row.keys() or (
        copied and str(row["img_filename"]).startswith("os_")
    ):
        return _of_l2(path)
    return []


def _of_l2(path: Path) -> list[str]:
    """Return the tasks whose rows a file of L2 has: a part of it is no fault. Both if none has."""
    kinds = {kind.decode() for kind in _KIND.findall(read_bytes(path))}
    return [task for kind, task in _L2.items() if kind in kinds] or list(_L2.values())
