"""A pack as a task of Harbor: one folder in which an agent answers every question of the exam.

The layout is that of Harbor's documentation (harborframework.com/docs/tasks):

    task.toml             timeouts, and a verifier in a container of its own
    instruction.md        what the agent is asked
    environment/          the agent's container: questions and images, and no reference
    tests/                the verifier's container: snellen, the exam and its references

Sealed references stay sealed: the verifier opens them with the key that the variable
`SNELLEN_PACK_KEY` holds on the machine that runs Harbor.
"""

import json
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from shutil import copyfile

from snellen.grading.errors import InputError
from snellen.grading.models.base import Closed
from snellen.tasks.pack import MANIFEST
from snellen.tasks.pack.folders import new_folder, read_inside, write_hashed
from snellen.tasks.pack.format import IMAGES, ITEMS, REFERENCES, SEALED, PackItem
from snellen.tasks.pack.read import Pack
from snellen.tasks.pack.seal import KEY_VARIABLE

SCHEMA = "1.4"
"""The version of `task.toml` that is written."""

_BASE = "python:3.12-slim"


class HarborTask(Closed):
    """What was exported.

    Attributes:
        name: The task's name, `org/name`.
        items: How many questions.
        images: How many files of images.
        sealed: Whether the references in it are sealed.
    """

    name: str
    items: int
    images: int
    sealed: bool


def export_harbor(
    pack: Pack,
    output: Path,
    *,
    organization: str = "snellen",
    with_references: bool = False,
    wheel: Path | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> HarborTask:
    """Write a pack as a folder that Harbor runs, whole or not at all. Equal input, equal bytes.

    Args:
        pack: The pack.
        output: The new folder.
        organization: Whose the task is: the first half of its name.
        with_references: Whether references that are not sealed may go into the verifier's folder.
        wheel: A wheel of snellen for the verifier; None: it is installed by name and version.
        watch: Called after each item with how many are done.

    Raises:
        InputError: There are no references, they are readable and not asked for, or the folder
            can't be written.
        DataError: A line or an image can't be read.
    """
    kind = pack.manifest.references
    if kind is None:
        raise InputError(
            "the pack has no references, so nothing could verify its answers",
            file=str(pack.folder),
        )
    if kind == REFERENCES and not with_references:
        raise InputError(
            "its references are readable, and would be in the exported folder; seal the pack"
            " (snellen pack seal), or ask for them with --with-references",
            file=str(pack.folder),
        )
    name = f"{organization}/{pack.manifest.name}"
    with new_folder(output) as room:
        images: set[str] = set()
        questions = list(_questions(pack, room, images, watch))
        _write(room / "environment" / "exam" / "questions.jsonl", b"".join(questions))
        _write(room / "environment" / "Dockerfile", _AGENT.encode())
        for part in (MANIFEST, ITEMS, kind):
            _write(room / "tests" / "exam" / part, read_inside(pack.folder, part))
        _write(room / "tests" / "grade.py", _grade())
        _write(room / "tests" / "test.sh", _TEST.encode())
        _write(room / "tests" / "Dockerfile", _verifier(wheel).encode())
        if wheel is not None:
            copyfile(wheel, room / "tests" / wheel.name)
        (room / "tests" / "test.sh").chmod(0o755)
        _write(room / "instruction.md", _instruction(pack, len(questions)).encode())
        _write(room / "task.toml", _config(pack, name, sealed=kind == SEALED).encode())
    return HarborTask(name=name, items=len(questions), images=len(images), sealed=kind == SEALED)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_hashed(path, [data])


def _questions(
    pack: Pack, room: Path, images: set[str], watch: Callable[[int], None]
) -> Iterator[bytes]:
    for done, line in enumerate(pack.lines, start=1):
        question = {
            "task": line.item.task,
            "item_id": line.item.id,
            "prompt": line.item.prompt,
            "images": dict(_images(pack, line, room, images)),
            "answer_format": line.item.answer_format.model_dump(mode="json", exclude_none=True),
        }
        yield json.dumps(question, ensure_ascii=False).encode() + b"\n"
        watch(done)


def _images(pack: Pack, line: PackItem, room: Path, written: set[str]) -> Iterator[tuple[str, str]]:
    for image in line.item.images:
        place = line.images[image.name]
        path = f"{IMAGES}/{place.file}"
        if path not in written:
            written.add(path)
            _write(room / "environment" / "exam" / path, read_inside(pack.folder, path))
        yield image.name, path


def _grade() -> bytes:
    folder = files(__package__ or "snellen.tasks.export")
    return (folder / "harbor_grade.py.txt").read_bytes()


_AGENT = f"""FROM {_BASE}
WORKDIR /app
COPY exam/ /app/exam/
"""

_TEST = """#!/bin/sh
# No reward is written where the grading itself fails, which Harbor counts as an error.
set -eu
mkdir -p /logs/verifier
exec python3 /tests/grade.py
"""


def _verifier(wheel: Path | None) -> str:
    what = f"snellen=={version('snellen')}" if wheel is None else f"/tests/{wheel.name}"
    return f"""FROM {_BASE}
COPY . /tests/
RUN pip install --no-cache-dir {what} && mkdir -p /app /logs/verifier
WORKDIR /app
"""


def _instruction(pack: Pack, items: int) -> str:
    return f"""# {pack.manifest.title or pack.manifest.name}

`/app/exam/questions.jsonl` holds {items:,} questions about screenshots, one JSON object a line:
`task`, `item_id`, `prompt`, `images` (names to files below `/app/exam`) and `answer_format`.

Answer each from its images. Write your answers to `/app/answers.jsonl`, one JSON object a line:

    {{"task": "...", "item_id": "...", "response": "..."}}

`response` is what the prompt asks for. Every question counts the same, and one without an answer
counts 0. The first answer to a question counts.
"""


def _config(pack: Pack, name: str, *, sealed: bool) -> str:
    tasks = ", ".join(_text(task.task) for task in pack.manifest.tasks)
    key = f'\n[verifier.env]\n{KEY_VARIABLE} = "${{{KEY_VARIABLE}}}"\n' if sealed else ""
    return f"""schema_version = "{SCHEMA}"
artifacts = ["/app/answers.jsonl"]

[task]
name = {_text(name)}
description = {_text(pack.manifest.title)}
keywords = ["gui", "screenshots"]

[metadata]
tasks = [{tasks}]
pack = {_text(pack.manifest.name)}
licence = {_text(pack.manifest.licence)}

[agent]
timeout_sec = {60.0 * max(10, len(pack.lines))}

[verifier]
timeout_sec = 1800.0
environment_mode = "separate"
{key}
[environment]
build_timeout_sec = 1200.0
"""


def _text(value: str) -> str:
    # A basic string of TOML has JSON's escapes.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
