"""People's verdicts on trajectories, and a judge's agreement with them."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from snellen.grading.errors import InputError
from snellen.sdk.submissions.containers import Row, rows_of
from snellen.sdk.submissions.outcomes import number_of

_IDS = ("task_id", "item_id", "id")
_LABEL = re.compile(r"label$|^human|^verdict$|^success$", re.IGNORECASE)
_WORDS = {"success": 1.0, "failure": 0.0, "yes": 1.0, "no": 0.0, "2": None, "": None}
"""Words beside numbers and true, false, pass, fail; 2 is Online-Mind2Web's `not executable`."""


def labels_of(path: str, ids: Collection[str], column: str | None = None) -> dict[str, float]:
    """Read people's verdicts: 1 success, 0 failure; a 2 or an empty cell is no verdict.

    Args:
        path: A file of rows with an id and a verdict (JSON, JSONL, CSV), or a JSON object of
            verdicts by id.
        ids: The trajectories; rows of others are not used.
        column: The verdict's column; None: the only one that is named like one.

    Raises:
        InputError: It can't be read, a verdict is none, two of a trajectory differ, or no id is
            among the trajectories.
    """
    rows = rows_of(path)
    if len(rows) == 1 and not any(name in rows[0].fields for name in _IDS):
        (row,) = rows
        pairs = [(name, value, row) for name, value in row.fields.items()]
        column = column or "verdict"
    else:
        column = column or _column(rows, path)
        pairs = [(_id(row), row.fields.get(column), row) for row in rows]
    found: dict[str, float] = {}
    for name, value, row in pairs:
        item = name if name in ids else name.removeprefix("task")
        verdict = _verdict(value, row, column)
        if item not in ids or verdict is None:
            continue
        if found.setdefault(item, verdict) != verdict:
            what = f"{name} has two verdicts that differ; keep one"
            raise InputError(what, file=row.file, line=row.line, field=column)
    if not found:
        some = " and ".join(repr(name) for name in [*sorted(ids)[:1], *(pairs[0][:1])])
        raise InputError(f"no verdict in it is of a trajectory; compare {some}", file=path)
    return found


def agreement(verdicts: Mapping[str, float], labels: Mapping[str, float]) -> dict[str, float]:
    """Return a judge's agreement with people, over the trajectories that both have a verdict on.

    `agreement` is the share of equal verdicts, `kappa` Cohen's: (p - e) / (1 - e) for a share p and
    the share e that is expected of independent verdicts as frequent as these (Cohen 1960); without
    `kappa` e is 1. A false positive is the judge's success that people call a failure.

    >>> agreement({"a": 1, "b": 1, "c": 0, "d": 0}, {"a": 1, "b": 0, "c": 0, "d": 0})["kappa"]
    0.5
    """
    pairs = [(verdicts[item], labels[item]) for item in labels if item in verdicts]
    if not pairs:
        return {"labeled": 0.0}
    share = sum(one == other for one, other in pairs) / len(pairs)
    judge, people = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
    expected = judge * people + (1 - judge) * (1 - people)
    kappa = {"kappa": (share - expected) / (1 - expected)} if expected < 1 else {}
    return {
        "labeled": float(len(pairs)),
        "agreement": share,
        **kappa,
        "false_positives": float(pairs.count((1.0, 0.0))),
        "false_negatives": float(pairs.count((0.0, 1.0))),
    }


def _id(row: Row) -> str:
    for name in _IDS:
        if name in row.fields:
            return str(row.fields[name])
    what = f"the row has no id; name its column one of: {', '.join(_IDS)}"
    raise InputError(what, file=row.file, line=row.line)


def _column(rows: list[Row], path: str) -> str:
    named = {name: None for row in rows for name in row.fields if _LABEL.search(name)}
    if len(named) != 1:
        several = f"several columns could be the verdict ({', '.join(named)})" if named else ""
        what = f"{several or 'no column is named like a verdict'}; name it with -T label=COLUMN"
        raise InputError(what, file=path)
    return next(iter(named))


def _verdict(value: Any, row: Row, column: str) -> float | None:  # noqa: ANN401  # any JSON
    word = "" if value is None else str(value).strip().lower()
    number = _WORDS[word] if word in _WORDS else number_of(word)
    if number in (0, 1) or word in _WORDS:
        return number
    what = f"must be 1, 0, success, failure, or 2 for not executable, not {value!r}"
    raise InputError(what, file=row.file, line=row.line, field=column)
