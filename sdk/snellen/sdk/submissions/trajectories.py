r"""Records of whole episodes of steps: from a trajectory to the submissions that it stands for.

Public evaluations of recorded episodes write three layouts, and all become submissions to the
items that are those steps:

    {"episode_id": 7, "format": "ui-tars", "steps": [{"step": 0, "response": "Action: wait()"}]}
    {"episode_id": 7, "predictions": ["Action: wait()", null, "Action: finished()"]}
    {"id": 3, "image": "android/episode_7_screenshot_0.png", "pred": "actions:\nWAIT"}

A list without numbers is in the order of the steps, and null is a step without an answer. A line
may also hold one step: `episode_id`, `step` and `response`.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

from snellen.sdk.submissions.columns import ANSWERS, VERDICTS, answer_of
from snellen.sdk.values import shown

LISTS = ("steps", "predictions", "preds", "responses", "outputs", "actions")
"""The names under which a record may hold its steps."""

COLUMNS = (
    *("episode_id", "step", "format", "image", "task", "split", "attempt", "error", "model"),
    *(*LISTS, *ANSWERS, *VERDICTS),
)
"""The columns of a table of such records."""

_NUMBERS = ("step", "step_id", "step_index")
_SCREENSHOT = re.compile(r"episode_([^/\\]+)_screenshot_([0-9]+)\.[A-Za-z]+")
_WHOLE = re.compile(r"[0-9]{1,9}")


class GradedTask(NamedTuple):
    """What is being graded where records of episodes are read."""

    task: str  # the task's id
    split: str | None  # the split's name, where the data has one
    item_id: Callable[[str, int], str] = "{}/{}".format  # the item that is a step of an episode


_Item: TypeAlias = Callable[[int], str]


class StepFault(NamedTuple):
    """What is wrong with a record or one of its steps, and in which field."""

    what: str
    field: str


class _Step(NamedTuple):
    """A step of a record: its item, and its own fields."""

    item_id: str
    fields: Mapping[str, Any]


class StepAnswer(NamedTuple):
    """The fields of a step's submission, and the file's own verdict on it."""

    submission: Mapping[str, Any]
    verdict: bool | None = None


class FaultyRecordError(Exception):
    """The whole record can't be read."""

    def __init__(self, what: str, field: str) -> None:
        super().__init__(what)
        self.fault = StepFault(what, field)


def is_trajectory(names: Container[object], image: object = None) -> bool:
    """Whether a record or a table with such fields is of episodes of steps.

    Args:
        names: Its fields.
        image: What its field `image` holds, which names the step in OS-Atlas's rows.
    """
    if "item_id" in names:
        return False
    if _place(image) is not None:
        return True
    # A row with an id of its own and no step may name its episode beside.
    steps = any(name in names for name in (*LISTS, *_NUMBERS))
    return "episode_id" in names and (steps or "id" not in names)


def _place(image: object) -> tuple[str, str] | None:
    found = _SCREENSHOT.search(image) if isinstance(image, str) else None
    return None if found is None else (found[1], found[2])


def steps_of(
    record: Mapping[str, Any], graded: GradedTask, columns: Mapping[str, str]
) -> Iterator[StepAnswer | StepFault]:
    """Yield a record's steps as fields of submissions, and what is wrong with those that are none.

    Args:
        record: Its fields.
        graded: What is graded.
        columns: Names in the source, mapped to fields.

    Raises:
        FaultyRecordError: It names no episode, is of another split, or has no steps.
    """
    _check_split(record, graded)
    names = [name for name, field in columns.items() if field == "response"] or ANSWERS
    for step in _placed(record, graded):
        yield step if isinstance(step, StepFault) else _answer(step, record.get("format"), names)


def _placed(record: Mapping[str, Any], graded: GradedTask) -> Iterator[_Step | StepFault]:
    place = None if "episode_id" in record else _place(record.get("image"))
    if place is not None:
        yield _Step(graded.item_id(place[0], int(place[1])), record)
        return
    item = partial(graded.item_id, _episode(record.get("episode_id")))
    name = _list_of(record)
    if name is None:
        yield _numbered(item, record, "")
        return
    steps = record[name]
    if not isinstance(steps, list | tuple):
        raise FaultyRecordError(f"{name} must be a list of steps, not {shown(steps)}", name)
    yield from _listed(item, cast("Sequence[object]", steps), name)


def _check_split(record: Mapping[str, Any], graded: GradedTask) -> None:
    said = record.get("split")
    if isinstance(said, str) and said and graded.split and said != graded.split:
        raise FaultyRecordError(
            f"the record has the split {said!a}, but {graded.split!a} is graded; grade each split"
            " separately, or remove the field if it means something else",
            "split",
        )


def _episode(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    number = _whole(value)
    if number is None:
        raise FaultyRecordError(
            f"episode_id must be text or a whole number, not {shown(value)}", "episode_id"
        )
    return str(number)


def _list_of(record: Mapping[str, Any]) -> str | None:
    names = [name for name in LISTS if name in record and record[name] is not None]
    if "steps" in names:
        return "steps"
    if len(names) > 1:
        raise FaultyRecordError(
            f"{' and '.join(names)} could each hold the answers; keep one, or name it steps",
            names[1],
        )
    if not names and not any(name in record for name in (*_NUMBERS, "image")):
        raise FaultyRecordError(
            f"the episode has no steps; give a list of them as {' or '.join(LISTS[:2])}", "steps"
        )
    return names[0] if names else None


def _listed(item: _Item, steps: Sequence[object], name: str) -> Iterator[_Step | StepFault]:
    numbered = any(isinstance(step, Mapping) and _number_of(step) for step in steps)  # pyright: ignore[reportUnknownArgumentType]  # JSON
    for index, step in enumerate(steps):
        field = f"{name}[{index}]"
        if step is None:
            continue
        if not isinstance(step, Mapping):
            if numbered:
                yield StepFault("the step has no number, and others of its episode have", field)
            else:
                yield _Step(item(index), {"response": step})
            continue
        fields = cast("Mapping[str, Any]", step)
        yield _numbered(item, fields, field) if numbered else _Step(item(index), fields)


def _numbered(item: _Item, step: Mapping[str, Any], field: str) -> _Step | StepFault:
    name = _number_of(step)
    place = _place(step.get("image")) if not name else None
    number = _whole(step[name]) if name else place and int(place[1])
    named = f"{field}.{name or 'step'}".removeprefix(".")
    if number is None:
        given = f", not {shown(step[name])}" if name else ", and is missing"
        return StepFault(f"a step is a whole number from 0{given}", named)
    return _Step(item(number), step)


def _number_of(step: Mapping[str, Any]) -> str | None:
    return next((name for name in _NUMBERS if step.get(name) is not None), None)


def _whole(value: object) -> int | None:
    """Return a whole number from 0, also of text and of a float without a fraction."""
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 0 and value == value // 1 < 10**9 else None


def _answer(step: _Step, form: object, names: Sequence[str]) -> StepAnswer:
    """Return a step's submission, without a response if no field of it could be one."""
    fields, found = step.fields, dict[str, Any](item_id=step.item_id)
    error = found["error"] = fields.get("error")
    name, response = _response(fields, names)
    if response is not None:
        declared = form is None or (isinstance(response, Mapping) and "format" in response)
        found["response"] = response if declared else {"format": form, "response": response}
    elif error is not None or name or any(name in fields for name in names):
        found["response"] = None
    if not any(name in fields for name in VERDICTS):
        return StepAnswer(found)
    from snellen.sdk.submissions.kinds import verdict_in

    return StepAnswer(found, verdict_in(fields))


def _response(fields: Mapping[str, Any], names: Sequence[str]) -> tuple[str, object]:
    # Loaded late: it needs the parsers, which no other record does.
    from snellen.grading.actions.reading import is_action

    name, said = answer_of(fields, names)
    if name == "action" and is_action(fields):
        # An action in plain JSON is the answer itself, and not the text of one.
        return name, {key: value for key, value in fields.items() if key not in _BESIDE}
    own = fields.get("format")
    return name, said if own is None or said is None else {"format": own, "response": said}


_BESIDE = frozenset(
    (
        *(*_NUMBERS, "episode_id", "image", "id", "attempt", "model", "error", "meta", "task"),
        *("split", *VERDICTS),
    )
)
