"""Stored trajectories of web agents: what a judge is shown of them.

Layouts, one folder a task: WebVoyager's chat (`interact_messages.json`, `screenshotN.png`), and
Online-Mind2Web's `result.json` with screenshots in `trajectory/`, versions 1 and 2.
Sources: MinorJerry/WebVoyager `evaluation/auto_eval.py` and `run.py` (5a78967);
OSU-NLP-Group/Online-Mind2Web `src/run.py` (ccdeb0d).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, cast

import msgspec

from snellen.grading.errors import InputError
from snellen.grading.models.base import NO_JSON

CHAT, RESULT = "interact_messages.json", "result.json"
_TASK = re.compile(r"Now given a task:(.+?)Please interact with", re.DOTALL)
_ANSWER = re.compile(r"ANSWER[; ]+\[?(.[^\]]*)\]?")
_PARTS = re.compile(r"Thought:|Action:|Observation:")
_SHOT = re.compile(r"screenshot(\d+)\.png")
_IMAGE = re.compile(r"\.(?:png|jpe?g|webp|gif)$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_ANSWERS = ("final_result_response", "agent_final_answer")


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One attempt at a task."""

    id: str
    file: str  # where it was read
    task: str
    answer: str | None  # empty: it gave none; None: the file has no field for it
    actions: tuple[str, ...] | None  # in order, without the answer; None: the file has none
    thoughts: tuple[str, ...] | None  # in order, of each action; None: the file has none
    screenshots: tuple[Path, ...]  # in order

    def needs(self, *fields: str) -> None:
        """Check that it has what a judge is shown.

        Raises:
            InputError: One of the fields is missing.
        """
        for name in fields:
            value = getattr(self, name)
            if value is None or (not value and name in ("task", "screenshots")):
                raise InputError("it has none, and this judge needs it", file=self.file, field=name)


def trajectories(run: str | Path) -> dict[str, Trajectory | InputError]:
    """Return the trajectories of a run by their ids, or the errors of those that can't be read.

    The id is the path of a trajectory's folder from the run's; WebVoyager's prefix `task` is
    removed.

    Raises:
        InputError: There are none.
    """
    root = Path(run)
    found: dict[str, Trajectory | InputError] = {}
    for file in sorted(path for path in root.rglob("*.json") if path.name in (CHAT, RESULT)):
        folder = file.parent
        if file.name == RESULT and (folder / CHAT).exists():
            continue
        inside = folder.relative_to(root)
        name = folder.resolve().name
        name = name.removeprefix("task") if file.name == CHAT else name
        item = inside.with_name(name).as_posix() if inside.name else name
        try:
            read = _of_chat if file.name == CHAT else _of_result
            found[item] = read(item, folder, str(file), _decoded(file))
        except InputError as error:
            found[item] = error
    if not found:
        what = f"it holds no trajectory: no {CHAT} and no {RESULT} in it or below"
        raise InputError(what, file=str(run))
    return found


def _decoded(file: Path) -> Any:  # noqa: ANN401  # any JSON
    try:
        return msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise InputError(f"it can't be read: {error.strerror}", file=str(file)) from None
    except NO_JSON as error:
        raise InputError(f"it is no JSON: {error}; copy it again", file=str(file)) from None


def _of_chat(item: str, folder: Path, file: str, chat: object) -> Trajectory:
    messages = [_fields(turn, file) for turn in chat] if _is_list(chat) else []
    if not messages:
        raise InputError("it is no list of messages", file=file)
    task = _TASK.search(_text(messages[1].get("content"))) if len(messages) > 1 else None
    if len(messages) > 1 and task is None:
        what = "its second message has no task ('Now given a task: ... Please interact with')"
        raise InputError(what, file=file)
    steps = [
        _PARTS.split(_text(turn.get("content")))
        for turn in messages
        if turn.get("role") == "assistant"
    ]
    steps = [[part.strip() for part in step] for step in steps if len(step) > 2]
    names = [(path, _SHOT.search(path.name)) for path in folder.iterdir()]
    shots = sorted((int(name[1]), path) for path, name in names if name)
    return Trajectory(
        item,
        file,
        task[1].strip() if task else "",
        _answer(messages[-1].get("content"), file),
        tuple(step[2] for step in steps if not step[2].startswith("ANSWER")),
        tuple(step[1] for step in steps),
        tuple(path for _, path in shots),
    )


def _answer(content: object, file: str) -> str:
    if not isinstance(content, str) or "Action: ANSWER" not in content:
        return ""
    answer = _ANSWER.search(content)
    if answer is None:
        raise InputError("its last message has no text after ANSWER", file=file)
    return answer[1].strip()


def _of_result(item: str, folder: Path, file: str, result: object) -> Trajectory:
    fields = _fields(result, file)
    shots, steps = folder / "trajectory", fields.get("action_history")
    if fields.get("schema_version") == "online-mind2web-v2":
        rows = [_fields(step, file) for step in steps] if _is_list(steps) else []
        # The last step is the agent's answer, which is no action.
        actions: object = [row.get("action") for row in rows[:-1]]
        thoughts: object = [row.get("thought") or "" for row in rows]
        images = [shots / str(row.get("screenshot")) for row in rows]
    else:
        actions, thoughts = steps, fields.get("thoughts")
        names = [path for path in shots.glob("*") if _IMAGE.search(path.name)]
        numbers = [(_NUMBER.search(path.name), path) for path in names]
        images = [path for _, path in sorted((int(no[0]), path) for no, path in numbers if no)]
    given = [fields[name] for name in _ANSWERS if name in fields]
    return Trajectory(
        item,
        file,
        _text(fields.get("task")),
        _text(given[0]) if given else None,
        _texts(actions, file, "action_history"),
        _texts(thoughts, file, "thoughts"),
        tuple(images),
    )


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _fields(value: object, file: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InputError("an object is expected in it, with named fields", file=file)
    return cast("dict[str, object]", value)


def _text(content: object) -> str:
    """Return a text, or the first text of a message's parts; empty for anything else."""
    if _is_list(content) and content and isinstance(content[0], dict):
        content = cast("dict[str, object]", content[0]).get("text")
    return content if isinstance(content, str) else ""


def _texts(values: object, file: str, name: str) -> tuple[str, ...] | None:
    if values is None:
        return None
    if not _is_list(values) or not all(isinstance(value, str) for value in values):
        raise InputError("it must be a list of texts", file=file, field=name)
    return tuple(cast("list[str]", values))
