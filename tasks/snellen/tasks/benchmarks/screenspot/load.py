"""ScreenSpot-v2 and ScreenSpot-Pro: point at the element that an instruction means.

Source: OS-Atlas (Wu et al., 2024) for v2, which corrects ScreenSpot (Cheng et al., 2024);
ScreenSpot-Pro (Li et al., 2025).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.models.geometry import Space
from snellen.grading.protocols.screenspot import PRO, V2
from snellen.tasks.benchmarks.grounding import grounding_data, point_prompts
from snellen.tasks.benchmarks.screenspot.format import (
    Annotations,
    Element,
    read_pro,
    read_v2,
)
from snellen.tasks.benchmarks.screenspot.release import PRO_RELEASES, V2_FILES, V2_RELEASES
from snellen.tasks.data.pins import digest_of_files, pin
from snellen.tasks.io.files import default_split
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.rows import SCREEN
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import Prompt, prompt_of

ALL = "all"
# Where the archives of v2 and of Pro unpack to.
_IMAGE_FOLDERS = ("", "screenspotv2_image/", "images/")

_CHINESE = "screenspot-snellen-unit-cn-1"

PROMPTS = (
    *point_prompts("snellen-screenspot"),
    Prompt(
        "screenspot-seeclick",
        "",
        "In this UI screenshot, what is the position of the element corresponding to the command"
        ' "{question}" (with point)?',
        source="SeeClick pretrain/screenspot_test.py",
    ),
    Prompt(
        "screenspot-lmms-eval",
        "Identify the UI element for the instruction and output exactly one click point as [x, y]"
        " in normalized coordinates within [0, 1]. Do not output a bounding box.\n",
        "Instruction: {question}",
        source="lmms-eval tasks/screenspot_v2/utils.py",
    ),
    Prompt(
        "screenspot-vlmevalkit",
        "You are a GUI agent. You are given a task and a screenshot of the screen. You need to"
        " perform pyautogui click/moveTo action to complete the task. The answer format is"
        " `pyautogui.click(x=?, y=?), x and y is necessary`\n",
        "Please complete the following tasks by clicking using `pyautogui.click`:\n{question}",
        source="VLMEvalKit vlmeval/dataset/GUI/screenspot.py (system and user message)",
    ),
)
"""How both can be asked; only the first two and lmms-eval's say what the numbers count."""

PRO_PROMPTS = (
    *PROMPTS,
    Prompt(
        _CHINESE,
        "这是一张屏幕截图。请指出指令所说的那个界面元素，只回答它的坐标 (x, y)："  # noqa: RUF001  # Chinese
        "以图像的宽和高为 1，取 0 到 1 之间的小数，至少四位。",  # noqa: RUF001  # Chinese
        "\n\n指令：{question}",  # noqa: RUF001  # Chinese
    ),
)
"""The last asks in Chinese, with `instruction_cn`."""

_SPACES = {
    "snellen-screenspot-unit-1": Space.UNIT,
    "snellen-screenspot-pixels-1": Space.PIXELS,
    "screenspot-lmms-eval": Space.UNIT,
    _CHINESE: Space.UNIT,
}


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load ScreenSpot-v2 or ScreenSpot-Pro.

    Args:
        task: `screenspot-v2/point` or `screenspot-pro/point`.
        path: The published folder, or one of its files of annotations.
        split: v2: `mobile`, `desktop`, `web`, or `all`; Pro has `all` only. None: `all`, and of a
            folder that holds one platform's file alone that platform.
        images: The folder of screenshots; None: the one beside the annotations, if it is there.
            v2 does not say how large they are: without them an answer in fractions can't be
            graded.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: A file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (V2, PRO):
        raise UnknownNameError("ScreenSpot task", task, (V2, PRO))
    folder = Path(path)
    if split is not None and split not in ((*V2_FILES, ALL) if task == V2 else (ALL,)):
        raise UnknownNameError(f"split of {task}", split, _splits(task, folder))
    split = split or _split_of(task, folder)
    asked = prompt_of(PROMPTS if task == V2 else PRO_PROMPTS, prompt)
    if task == PRO:
        found = read_pro(folder)
    else:
        found = read_v2(folder, tuple(V2_FILES) if split == ALL else (split,))
    return _data(task, split, found, None if images is None else Path(images), asked)


def _split_of(task: str, path: Path) -> str:
    known = _splits(task, path)
    return ALL if ALL in known else default_split(known, path)


def _splits(task: str, path: Path) -> tuple[str, ...]:
    """Return the splits that can be loaded: of v2 those whose files are there."""
    if task == PRO:
        return (ALL,)
    platforms = {name: platform for platform, name in V2_FILES.items()}
    if path.is_file():
        return (platforms.get(path.name, ALL),)
    there = tuple(platforms[name] for name in platforms if (path / name).is_file())
    return there if 0 < len(there) < len(platforms) else (*V2_FILES, ALL)


def _data(
    task: str, split: str, found: Annotations, images: Path | None, prompt: Prompt
) -> TaskData:
    elements, folder = found.elements, found.files[0].parent
    if not elements:
        raise DataError("holds no rows", file=str(found.files[0]))
    beside = folder if task == V2 else folder.parent
    root = beside if images is None else image_folder(images, "the screenshots")
    files = ImageFiles(root, _paths(elements), "img_filename")
    there = images is not None or any(
        files.file(place, SCREEN).is_file() for place in range(len(elements))
    )
    benchmark = task.partition("/")[0]
    releases = V2_RELEASES if task == V2 else PRO_RELEASES
    return grounding_data(
        task,
        split,
        elements,
        pin=pin(benchmark, split, folder, digest_of_files(found.files), len(elements), releases),
        prompt=prompt,
        asked_in=_SPACES.get(prompt.name),
        images=files if there else None,
        question=(lambda place: _chinese(elements[place])) if prompt.name == _CHINESE else None,
    )


def _chinese(element: Element) -> str:
    if not element.chinese:
        raise DataError(f"the item {element.id} has no instruction_cn", field="instruction_cn")
    return element.chinese


def _paths(elements: Sequence[Element]) -> Callable[[int, str], Sequence[str]]:
    def paths(place: int, name: str) -> Sequence[str]:
        if name != SCREEN:
            raise DataError(f"there is no image {name!r}, only {SCREEN!r}")
        return [f"{folder}{elements[place].image}" for folder in _IMAGE_FOLDERS]

    return paths
