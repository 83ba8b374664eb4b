"""AndroidControl: the next action on a phone's screen, given the goal, or the step's instruction.

Source: Li et al., 2024, "On the Effects of Data Scale on UI Control Agents".
"""

from dataclasses import replace
from pathlib import Path

from snellen.grading.errors import DataError, UnknownNameError
from snellen.grading.protocols.androidcontrol.parts import HIGH, LOW
from snellen.tasks.benchmarks.androidcontrol.format import read_steps
from snellen.tasks.benchmarks.androidcontrol.release import RELEASES
from snellen.tasks.benchmarks.steps import STEP_PROMPTS, StepRow, step_data
from snellen.tasks.data.pins import pin
from snellen.tasks.io.images import ImageFiles, image_folder
from snellen.tasks.io.rows import SCREEN
from snellen.tasks.models import TaskData
from snellen.tasks.prompts import prompt_of

SPLIT = "test"
PROMPTS = STEP_PROMPTS


def load(
    task: str,
    path: str | Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load the steps of one level.

    Args:
        task: `androidcontrol/high`, which shows the goal alone, or `androidcontrol/low`, which
            shows what the step is for as well.
        path: `android_control_test.json`, the folder that holds it, or UGround's sample.
        split: `test`, the only one.
        images: The folder of screenshots; None: the one beside the file, if they are there.
        prompt: The name of one of the task's prompts; its first when None.

    Raises:
        DataError: The file can't be read or a row is not as published.
        UnknownNameError: There is no such task, split or prompt.
    """
    if task not in (HIGH, LOW):
        raise UnknownNameError("AndroidControl task", task, (HIGH, LOW))
    if split not in (None, SPLIT):
        raise UnknownNameError(f"split of {task}", str(split), (SPLIT,))
    asked = prompt_of(PROMPTS, prompt)
    file, sha256, steps = read_steps(Path(path))
    if task == HIGH:
        steps = tuple(replace(step, instruction="") for step in steps)
    folder = file.parent if images is None else image_folder(Path(images), "the screenshots")
    files = ImageFiles(folder, lambda place, name: _paths(steps[place], name), "screenshot_paths")
    there = images is not None or bool(steps and files.file(0, SCREEN).is_file())
    return step_data(
        task,
        SPLIT,
        steps,
        pin=pin("androidcontrol", SPLIT, file, sha256, len(steps), RELEASES),
        prompt=asked,
        images=files if there else None,
    )


def _paths(step: StepRow, name: str) -> list[str]:
    if name != SCREEN:
        raise DataError(f"there is no image {name!r}, only {SCREEN!r}")
    return [step.image, f"images/{step.image}"]
