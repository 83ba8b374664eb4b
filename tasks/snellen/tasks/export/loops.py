"""A pack, or an interactive application, as an environment of a training loop's own package.

Layouts: verifiers 0.4.0 (a package with a Taskset), NeMo Gym 0.7.0 (a folder of
`resources_servers`), OpenEnv 0.10.0 (a folder with `openenv.yaml`). Each has a process with snellen
beside it, since these packages and snellen need different versions of `mcp`.
"""

import base64
import json
import mimetypes
import re
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.grading.errors import InputError
from snellen.tasks.export.questions import (
    ExportCounts,
    exported_references,
    template,
    write_file,
    write_judged,
    write_questions,
)
from snellen.tasks.pack.folders import new_folder
from snellen.tasks.pack.read import Pack

EXAMPLES = 5
"""How many rows `data/example.jsonl` has for NeMo Gym."""

WORLDS: Mapping[str, str] = MappingProxyType({"desk": "the desk", "miniwob": "MiniWoB++"})
"""The applications that can be exported to OpenEnv."""


def export_verifiers(
    pack: Pack, output: Path, *, with_references: bool, watch: Callable[[int], None]
) -> ExportCounts:
    """Write a pack as a package for verifiers, whole or not at all. Equal input, equal bytes.

    Args:
        pack: The pack.
        output: The new folder.
        with_references: Whether references that are not sealed may go into the package.
        watch: Called after each item with how many are done.

    Raises:
        InputError: Items are interactive; there are no references, or they are readable and not
            asked for; or the folder can't be written.
        DataError: A line or an image can't be read.
    """
    kind, module = _checked(pack, with_references=with_references), _module(pack)
    with new_folder(output) as room:
        package = room / module
        shown = write_questions(pack, package / "exam", watch)
        _write_judge(pack, package, kind)
        write_file(package / "taskset.py", template("verifiers_taskset.py", MODULE=module))
        write_file(
            package / "__init__.py",
            f'from {module}.taskset import ExamTaskset\n\n__all__ = ["ExamTaskset"]\n'.encode(),
        )
        write_file(
            room / "pyproject.toml",
            template("verifiers_pyproject.toml", NAME=module.replace("_", "-"), MODULE=module),
        )
        write_file(room / "README.md", _readme(pack, _VERIFIERS, module))
    return shown


def export_nemo_gym(
    pack: Pack, output: Path, *, with_references: bool, watch: Callable[[int], None]
) -> ExportCounts:
    """Write a pack as a resources server of NeMo Gym, whole or not at all; see `export_verifiers`.

    Its folder belongs below `resources_servers`, and must have the server's name.
    """
    kind, module = _checked(pack, with_references=with_references), _module(pack)
    with new_folder(output) as room:
        shown = write_questions(pack, room / "exam", watch)
        rows = [_row(room / "exam", json.loads(line)) for line in _lines(room)]
        write_file(room / "data" / "train.jsonl", b"".join(rows))
        write_file(room / "data" / "example.jsonl", b"".join(rows[:EXAMPLES]))
        _write_judge(pack, room, kind)
        write_file(room / "app.py", template("nemo_gym_app.py"))
        write_file(room / "configs" / f"{module}.yaml", template("nemo_gym.yaml", NAME=module))
        write_file(room / "requirements.txt", b"-e nemo-gym[dev] @ ../../\n")
        write_file(room / "README.md", _readme(pack, _NEMO_GYM, module))
    return shown


def export_openenv(environment: str, output: Path) -> None:
    """Write an interactive application as an environment of OpenEnv, whole or not at all.

    Args:
        environment: `desk` or `miniwob`.
        output: The new folder.

    Raises:
        InputError: There is no such application, or the folder can't be written.
    """
    if environment not in WORLDS:
        raise InputError(
            f"only {' and '.join(WORLDS)} can be exported to openenv, not {environment!r}"
        )
    name, title = f"snellen_{environment}", WORLDS[environment]
    with new_folder(output) as room:
        write_file(room / "openenv.yaml", template("openenv.yaml", NAME=name))
        write_file(room / "models.py", template("openenv_models.py", TITLE=title))
        write_file(room / "client.py", template("openenv_client.py"))
        write_file(room / "process.py", _process())
        write_file(
            room / "__init__.py",
            b"from .client import WorldClient\n"
            b"from .models import WorldAction, WorldObservation\n\n"
            b'__all__ = ["WorldAction", "WorldClient", "WorldObservation"]\n',
        )
        server = room / "server"
        write_file(server / "__init__.py", b"")
        write_file(server / "app.py", template("openenv_app.py", NAME=name))
        write_file(server / "environment.py", template("openenv_environment.py", TITLE=title))
        write_file(server / "world.py", template("world.py", ENVIRONMENT=environment))
        project = template("openenv_pyproject.toml", NAME=name, TITLE=title)
        write_file(room / "pyproject.toml", project)
        write_file(room / "README.md", template("openenv_readme.md", NAME=name, TITLE=title))


def _checked(pack: Pack, *, with_references: bool) -> str:
    if any(line.world is not None for line in pack.lines):
        raise InputError(
            "its items are interactive: export the application (desk or miniwob) to openenv",
            file=str(pack.folder),
        )
    return exported_references(pack, with_references=with_references)


def _module(pack: Pack) -> str:
    return "snellen_" + re.sub(r"\W+", "_", pack.manifest.name).strip("_").lower()


def _process() -> bytes:
    return template("process.py", REQUIREMENT=f"snellen[train]=={version('snellen')}")


def _write_judge(pack: Pack, folder: Path, references: str) -> None:
    write_file(folder / "process.py", _process())
    write_file(folder / "judge" / "judge.py", template("judge.py"))
    write_judged(pack, folder / "judge" / "pack", references)


def _lines(room: Path) -> list[str]:
    return (room / "exam" / "questions.jsonl").read_text(encoding="utf-8").splitlines()


def _row(exam: Path, question: Mapping[str, Any]) -> bytes:
    content: list[dict[str, str]] = []
    for path in question["images"].values():
        kind = mimetypes.guess_type(path)[0] or "image/png"
        data = base64.b64encode((exam / path).read_bytes()).decode()
        url = f"data:{kind};base64,{data}"
        content.append({"type": "input_image", "image_url": url, "detail": "auto"})
    content.append({"type": "input_text", "text": question["prompt"]})
    message = {"role": "user", "type": "message", "content": content}
    row = {
        "responses_create_params": {"input": [message]},
        "task": question["task"],
        "item_id": question["item_id"],
    }
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


_VERIFIERS = (
    "a package for verifiers",
    "    uv pip install -e .\n    uv run eval $MODULE",
)
_NEMO_GYM = (
    "a resources server of NeMo Gym",
    "Copy this folder to `resources_servers/$MODULE`. Its configuration is `configs/$MODULE.yaml`.",
)


def _readme(pack: Pack, kind: tuple[str, str], module: str) -> bytes:
    what, use = kind
    return template(
        "readme.md",
        TITLE=pack.manifest.title or pack.manifest.name,
        COUNT=f"{len(pack.lines):,}",
        WHAT=what,
        USE=use.replace("$MODULE", module),
    )
