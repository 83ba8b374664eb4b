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
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from shutil import copyfile

from snellen.grading.models.base import Closed
from snellen.tasks.export import questions
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.format import SEALED
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
    kind = questions.exported_references(pack, with_references=with_references)
    name = f"{organization}/{pack.manifest.name}"
    with new_folder(output) as room:
        shown = questions.write_questions(pack, room / "environment" / "exam", watch)
        questions.write_file(room / "environment" / "Dockerfile", _AGENT.encode())
        questions.write_judged(pack, room / "tests" / "exam", kind)
        questions.write_file(room / "tests" / "grade.py", questions.template("harbor_grade.py"))
        questions.write_file(room / "tests" / "test.sh", _TEST.encode())
        questions.write_file(room / "tests" / "Dockerfile", _verifier(wheel).encode())
        if wheel is not None:
            copyfile(wheel, room / "tests" / wheel.name)
        (room / "tests" / "test.sh").chmod(0o755)
        questions.write_file(room / "instruction.md", _instruction(pack, shown.items).encode())
        questions.write_file(
            room / "task.toml", _config(pack, name, sealed=kind == SEALED).encode()
        )
    return HarborTask(name=name, items=shown.items, images=shown.images, sealed=kind == SEALED)


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
