"""People's labels of responses, to compare with a judge."""

from collections.abc import Mapping
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.judging.summary import NONE
from snellen.grading.score_table import ScoreTable
from snellen.sdk.data.small_tables import Records, Row, SmallTable, read_small_table

Labels: TypeAlias = Mapping[str, int] | Records
"""Item ids to levels, or a table with the columns `item_id`, `label` and, if need be, `attempt`."""

ITEM_ID, LABEL, ATTEMPT = "item_id", "label", "attempt"


def read_labels(source: Labels, table: ScoreTable, best: int) -> NDArray[np.int64]:
    """Read people's labels of responses.

    Args:
        source: A path (`.csv`, `.tsv`, `.jsonl`), dicts or a frame with the columns `item_id`,
            `label` and, if items have several attempts, `attempt`; or a mapping from item ids to
            labels. A label is a level of the rubric, an integer from 0.
        table: The scores of the labeled responses.
        best: The rubric's best level.

    Returns:
        One label per score, `NONE` without a label.

    Raises:
        InputError: It can't be read, a column is missing, a label is not a level, or a response has
            two labels; with file, line and column.
        UnknownNameError: There is no such item.
    """
    if isinstance(source, Mapping):
        pairs = cast("Mapping[str, object]", source).items()
        source = [{ITEM_ID: item_id, LABEL: label} for item_id, label in pairs]
    found = read_small_table(source)
    for name in (ITEM_ID, LABEL):
        if name not in found.names:
            raise InputError(f"labels need a column {name!r}", file=found.file)
    labels = np.full(len(table), NONE, dtype=np.int64)
    slots = {attempt: slot for slot, attempt in enumerate(table.attempts)}
    for row in found.rows:
        label = _number(found, row, LABEL)
        if label is None:
            continue
        if label > best:
            raise found.fault(row, LABEL, f"{label} is not a level; the highest is {best}")
        item_id = found.text(row, ITEM_ID)
        if item_id is None or item_id not in table.indexes:
            raise UnknownNameError(
                f"item{_at(found, row)} in the report", str(item_id), [*table.ids[:3], "..."]
            )
        cell = table.indexes[item_id] * len(slots) + _slot(found, row, slots)
        if labels[cell] != NONE:
            raise found.fault(row, ITEM_ID, f"{item_id!r} has a label already; keep one")
        labels[cell] = label
    if not (labels != NONE).any():
        raise InputError("it has no labels", file=found.file, field=LABEL)
    return labels


def _slot(found: SmallTable, row: Row, slots: Mapping[int, int]) -> int:
    attempt = _number(found, row, ATTEMPT)
    if attempt is None:
        if len(slots) > 1:
            raise found.fault(row, ATTEMPT, "items have several attempts: give the attempt")
        return 0
    if attempt not in slots:
        known = ", ".join(map(str, slots))
        raise found.fault(row, ATTEMPT, f"there is no attempt {attempt}; known: {known}")
    return slots[attempt]


def _number(found: SmallTable, row: Row, name: str) -> int | None:
    text = found.text(row, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise found.fault(row, name, f"{text!r} is not a whole number from 0")
    return int(text)


def _at(found: SmallTable, row: Row) -> str:
    return "" if found.file is None else f" of {found.file}, line {row.line},"
