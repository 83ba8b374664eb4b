"""Loading a task of a pack in place of a benchmark's published data."""

from pathlib import Path

from snellen.grading.errors import InputError
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import open_pack, open_references, task_data
from snellen.tasks.pack.seal import find_key


def load_from_pack(
    task: str,
    folder: Path,
    split: str | None = None,
    images: str | Path | None = None,
    prompt: str | None = None,
) -> TaskData:
    """Load a task of a pack as its benchmark's loader does: references, items and images.

    Sealed references are decrypted with the key of the environment.

    Args:
        task: The task's id.
        folder: The pack.
        split: If given, it must be the pack's own.
        images: Must be None: a pack contains its images.
        prompt: If given, it must be the pack's own.

    Raises:
        UnknownNameError: The pack does not have the task.
        InputError: Another split or prompt was given, or images were given.
        DataError: The pack, or its references, can't be read.
    """
    pack = open_pack(folder)
    held = pack.task(task)
    for what, requested, has in (("split", split, held.split), ("prompt", prompt, held.prompt)):
        if requested not in (None, has):
            message = f"the pack was made with the {what} {has!r}, not {requested!r}"
            raise InputError(message, file=str(folder), field=what)
    if images is not None:
        raise InputError("a pack contains its images; omit images", file=str(folder))
    return task_data(pack, open_references(pack, find_key(pack=folder)), task)
