"""Read OmniACT's tasks whose script is one click.

Source: Kapoor et al., 2024; files of huggingface.co/datasets/Writer/omniact. `test.json` names for
each task its text with the script, its screenshot, and the boxes of the screenshot's elements. The
target is the box whose middle the script clicks, as in UGround's evaluation (3a9b9f2).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.geometry import Space
from snellen.tasks.benchmarks import grounding
from snellen.tasks.benchmarks.declared import own
from snellen.tasks.benchmarks.omniact.rules import CLICK
from snellen.tasks.data.pins import digest_of_files, pin, read_bytes
from snellen.tasks.io.files import SplitFiles, by_split, checked, choose, contents, stem_of
from snellen.tasks.io.images import ImageFiles, image_folder, is_inside
from snellen.tasks.io.json_text import read_json
from snellen.tasks.io.rows import SCREEN, Text
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

SPLITS = ("test", "val", "train")
_SCRIPT = own("omniact").prompts[CLICK][0]
PROMPTS = (_SCRIPT, *grounding.point_prompts("snellen-omniact", (Space.PIXELS, Space.UNIT)))
"""The first asks for what `official` reads."""

_CLICK = re.compile(r"pyautogui\.click\(\s*([\d.]+)\s*,\s*([\d.]+)\s*\)")
_POINT = tuple[float, float]


class _Entry(msgspec.Struct):
    task: Text
    image: Text
    box: Text


class _Box(msgspec.Struct):
    top_left: _POINT
    bottom_right: _POINT


def recognize(path: Path) -> Iterator[str]:
    """Yield the task if a folder holds an index and the folder of tasks that it names."""
    if (path / "data/tasks").is_dir() and any((path / f"{name}.json").is_file() for name in SPLITS):
        yield CLICK


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the tasks of a split that one click does; the others are `left_out`.

    Args:
        task: `omniact/click`.
        path: The repository's folder, or one of its indexes (`test.json`) in it.
        split: `test`, `val` or `train`; None: `test` when there, else the only one.
        images: The folder that the paths of screenshots start from; None: the repository's.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file is not there or not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task != CLICK:
        raise UnknownNameError("OmniACT task", task, (CLICK,))
    asked = prompt_of(PROMPTS, prompt)
    files = _index(Path(path), split)
    index, found = files.paths[0], files.split
    entries = read_json(index).decode(dict[str, _Entry], "expected {id: {task, image, box}}")
    home = _Home(index)
    rows: list[grounding.GroundingRow] = []
    left_out: dict[str, str] = {}
    for name, entry in entries.items():
        row = home.row(f"{found}/{name}", entry)
        if isinstance(row, str):
            left_out[f"{found}/{name}"] = row
        else:
            rows.append(row)
    rows = list(grounding.checked_rows(rows, str(index), boxes_in=Space.PIXELS, field="box"))
    root = index.parent if images is None else image_folder(Path(images), "the screenshots")
    shots = ImageFiles(root, lambda number, _: [rows[number].image], "image")
    there = images is not None or any(
        shots.file(number, SCREEN).is_file() for number in range(len(rows))
    )
    digest = digest_of_files([index, *home.read])
    data = grounding.grounding_data(
        task,
        found,
        rows,
        pin=pin("omniact", found, index.parent, digest, len(rows)),
        prompt=asked,
        asked_in=Space.PIXELS if asked is _SCRIPT else grounding.asked_space(asked),
        images=shots if there else None,
        example="pyautogui.click(480, 661)" if asked is _SCRIPT else "",
    )
    return replace(data, left_out=left_out)


def _index(path: Path, split: str | None) -> SplitFiles:
    if checked(path, "a copy of Writer/omniact").is_file():
        # UGround's index of the same tasks, which corrects names, is processed_test.json.
        name = stem_of(path).removeprefix("processed_")
        return choose({name: SplitFiles(name, (path,))}, split, path)
    found = by_split(file for name in SPLITS if (file := path / f"{name}.json").is_file())
    if not found:
        raise DataError(
            f"there is no test.json in it ({contents(path)}); give a copy of Writer/omniact",
            file=str(path),
        )
    return choose(found, split, path)


class _Home:
    """The repository that an index lies in; `read` lists what was read of it."""

    def __init__(self, index: Path) -> None:
        self.read: dict[Path, None] = {}
        self._index = index
        self._boxes: dict[Path, Mapping[str, _Box]] = {}

    def row(self, name: str, entry: _Entry) -> grounding.GroundingRow | str:
        """Return a task as an element to point at; or the reason why it is none."""
        file = self._file(entry.task, entry.task)
        lines = read_bytes(file).decode("utf-8", errors="replace").strip().split("\n")
        self.read[file] = None
        # The first line is the task, the second says that the script follows.
        script = [line.strip() for line in lines[2:] if line.strip()]
        click = _CLICK.fullmatch(script[0]) if len(script) == 1 else None
        if click is None:
            return "its script is not one click"
        box = self._target(entry, (float(click[1]), float(click[2])))
        if box is None:
            return "no box has its middle where the script clicks"
        return grounding.GroundingRow(
            id=name,
            instruction=lines[0].removeprefix("Task:").strip(),
            box=box,
            image=self._image(entry),
            tags={"platform": Path(entry.task).parts[2] if "/" in entry.task else ""},
        )

    def _target(self, entry: _Entry, middle: _POINT) -> Ltrb | None:
        file = self._file(entry.box, _web_name(entry.box, r"_(\d+)\.json", r"\1_boxes.json"))
        if file not in self._boxes:
            expected = "expected {name: {top_left, bottom_right}}"
            self._boxes[file] = read_json(file).decode(dict[str, _Box], expected)
            self.read[file] = None
        for box in self._boxes[file].values():
            (left, top), (right, bottom) = box.top_left, box.bottom_right
            if ((left + right) / 2, (top + bottom) / 2) == middle:
                return left, top, right, bottom
        return None

    def _image(self, entry: _Entry) -> str:
        other = _web_name(entry.image, r"_(\d+)\.png", r"\1.png")
        return other if (self._index.parent / other).is_file() else entry.image

    def _file(self, *names: str) -> Path:
        """Return the first of some files that is there."""
        for name in names:
            if not is_inside(name):
                raise self._error(f"{name!r} is no path below its folder")
            if (self._index.parent / name).is_file():
                return self._index.parent / name
        raise self._error(f"there is no {names[0]} beside it; fetch it again")

    def _error(self, what: str) -> DataError:
        return DataError(what, file=str(self._index))


def _web_name(path: str, pattern: str, name: str) -> str:
    """Return the name that a file of the web's has on disk, where the index has another.

    The index says `screen_1.png` of `screen1.png`, as UGround's sample.py corrects it.
    """
    return re.sub(f"screen{pattern}$", f"screen{name}", path) if "/web/" in path else path
