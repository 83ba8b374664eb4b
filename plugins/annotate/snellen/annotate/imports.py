"""Raters' answers that were given in Potato or Label Studio, as their own exports hold them.

Potato 2 writes `annotation_output/USER/user_state.json` (potato/user_state_management.py,
`UserState.to_json`): under `instance_id_to_label_to_value` each item has pairs of a label, `schema`
and `name`, and its value. Of `radio` and `select` the name is the answer, of `textbox` the value.

Label Studio exports a list of tasks as JSON (labelstud.io/guide/task_format): each has `data` and
`annotations`, whose `result` holds regions with `from_name`, `type` and `value`. Of their types
`choices`, `textarea`, and `rectangle` or `rectanglelabels`, whose sides are percent of the image,
are read. An annotation that was canceled is one of a rater who can't tell.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from pydantic import JsonValue

from snellen.annotate.forms import Form, checked, form_of, sized
from snellen.annotate.models import RaterAnswer
from snellen.grading.errors import DataError, InputError
from snellen.grading.models.base import NO_JSON
from snellen.tasks.pack.read import Pack

POTATO, LABEL_STUDIO = "potato", "label-studio"
SOURCES = (POTATO, LABEL_STUDIO)

_STATE = "user_state.json"
_NOT_CHOSEN: tuple[object, ...] = (None, False, 0, "", "0", "false", "False")
_CHOSEN = ("true", "True", "on")
_TEXT_BOX = "text_box"
_CANCELED = "skipped in Label Studio"


class _FieldValue(NamedTuple):
    """What a file says of an item, with the field that it was said in."""

    item: str  # the item's id
    rater: str  # who answered
    field: str  # the schema or the control
    value: JsonValue  # the answer; None: skipped
    percent: bool = False  # whether it is a box in percent of the image
    at: int = 0  # when, in milliseconds since 1970; 0: it does not say


def read_potato(path: Path, pack: Pack, task: str, field: str | None = None) -> list[RaterAnswer]:
    """Read what raters answered in Potato 2: texts, and options chosen by radio or select.

    Its instances are named as the pack's items are.

    Args:
        path: The folder of its output, or one rater's `user_state.json`.
        pack: The pack.
        task: The task that was answered.
        field: The schema that has the answer; None: there is one only.

    Raises:
        InputError: There is no such file, or several schemas and none is named.
        DataError: It is none of Potato's, names no item of the task, or holds no answer to it.
    """
    files = sorted(path.glob(f"*/{_STATE}")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"there is no USER/{_STATE} in it", file=str(path))
    found: list[RaterAnswer] = []
    for file in files:
        found += _answers(list(_potato(file)), pack, task, field, file, POTATO)
    return found


def read_label_studio(
    path: Path, pack: Pack, task: str, field: str | None = None, id_key: str = "item_id"
) -> list[RaterAnswer]:
    """Read what raters answered in Label Studio, from its JSON export.

    Args:
        path: The file.
        pack: The pack.
        task: The task that was answered.
        field: The control that has the answer (`from_name`); None: there is one only.
        id_key: What a task's data calls the item's id.

    Raises:
        InputError: The file can't be read, or there are several controls and none is named.
        DataError: It is none of Label Studio's, names no item, or holds no answer to it.
    """
    said = list(_label_studio(path, id_key))
    return _answers(said, pack, task, field, path, LABEL_STUDIO)


def _decoded(file: Path, kind: type[Any], what: str) -> Any:  # noqa: ANN401  # of that type
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=str(file)) from error
    except NO_JSON as error:
        raise DataError(f"it is no {what}: {error}", file=str(file)) from None


class _Label(msgspec.Struct):
    schema: str
    name: str


class _State(msgspec.Struct):
    user_id: str
    instance_id_to_label_to_value: dict[str, list[tuple[_Label, Any]]]


def _potato(file: Path) -> Iterator[_FieldValue]:
    state: _State = _decoded(file, _State, "state of a Potato user")
    for item, labels in state.instance_id_to_label_to_value.items():
        for label, value in labels:
            # A box for text has this name unless it is labeled. An option's value says whether it
            # is chosen, or is its name once more.
            option = label.name != _TEXT_BOX and (value is True or value in (*_CHOSEN, label.name))
            if option:
                yield _FieldValue(item, state.user_id, label.schema, label.name)
            elif value not in _NOT_CHOSEN:
                yield _FieldValue(item, state.user_id, label.schema, value)


class _Region(msgspec.Struct):
    type: str
    value: dict[str, Any]
    from_name: str = ""


class _Annotation(msgspec.Struct):
    result: list[_Region]
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    created_at: str = ""
    updated_at: str = ""


class _Task(msgspec.Struct):
    data: dict[str, Any]
    annotations: list[_Annotation]


def _label_studio(file: Path, id_key: str) -> Iterator[_FieldValue]:
    for number, task in enumerate(_decoded(file, list[_Task], "JSON export of Label Studio"), 1):
        item = task.data.get(id_key)
        if not isinstance(item, str):
            raise DataError(
                f"task {number} does not say which item it is: its data has no text {id_key!r}",
                file=str(file),
                field=f"data.{id_key}",
            )
        for annotation in task.annotations:
            rater, at = _rater(annotation.completed_by), _moment(annotation)
            if annotation.was_cancelled:
                yield _FieldValue(item, rater, "", None, at=at)
                continue
            for region in annotation.result:
                value = region.value
                match region.type:
                    case "choices" if value.get("choices"):
                        yield _FieldValue(item, rater, region.from_name, value["choices"][0], at=at)
                    case "textarea" if value.get("text"):
                        yield _FieldValue(item, rater, region.from_name, value["text"], at=at)
                    case "rectangle" | "rectanglelabels":
                        left, top = float(value["x"]), float(value["y"])
                        right, bottom = left + value["width"], top + value["height"]
                        box: JsonValue = [left, top, right, bottom]
                        yield _FieldValue(item, rater, region.from_name, box, percent=True, at=at)
                    case _:
                        pass


def _rater(who: int | str | dict[str, Any] | None) -> str:
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return "" if who is None else str(who)


def _moment(annotation: _Annotation) -> int:
    said = annotation.updated_at or annotation.created_at
    try:
        return round(datetime.fromisoformat(said).timestamp() * 1000)
    except ValueError:
        return 0


def _answers(
    said: Sequence[_FieldValue], pack: Pack, task: str, field: str | None, file: Path, source: str
) -> list[RaterAnswer]:
    pack.task(task)
    fields = {each.field for each in said if each.value is not None}
    if field is None and len(fields) > 1:
        raise InputError(
            f"it has the fields {', '.join(sorted(fields))}: name the one that has the answer",
            file=str(file),
        )
    wanted = field or next(iter(fields), "")
    if fields and wanted not in fields:
        raise InputError(
            f"it has no field {wanted!r}; there are: {', '.join(sorted(fields))}", file=str(file)
        )
    found: dict[tuple[str, str], RaterAnswer] = {}
    for each in said:
        if each.value is not None and each.field != wanted:
            continue
        if each.item not in pack.index[task]:
            raise DataError(f"{task} has no item {each.item!r}", file=str(file))
        if not each.rater:
            raise DataError(f"nobody says who answered {each.item}", file=str(file))
        if (each.item, each.rater) in found:
            raise DataError(f"{each.rater} answers {each.item} twice", file=str(file))
        found[each.item, each.rater] = RaterAnswer(
            task=task,
            item_id=each.item,
            rater=each.rater,
            given=_given(each, pack, task, file),
            reason="" if each.value is not None else _CANCELED,
            at=each.at,
            source=source,
        )
    return list(found.values())


def _given(said: _FieldValue, pack: Pack, task: str, file: Path) -> JsonValue:
    if said.value is None:
        return None
    line = pack.line(task, said.item)
    value, known = said.value, sized(line.item, line.context)
    form = form_of(line.item)
    try:
        if said.percent:
            if not known.width or not known.height:
                raise DataError("nobody says how large its image is")
            counts = (known.width, known.height) * 2
            sides: Any = value
            value = [side * count / 100 for side, count in zip(sides, counts, strict=True)]
        elif isinstance(value, list) and form is not Form.LINES:
            value = "\n".join(map(str, value))
        return checked(line.item, line.context, value)
    except DataError as error:
        raise DataError(
            f"{said.item}, answered by {said.rater}: {error.message}", file=str(file)
        ) from None
