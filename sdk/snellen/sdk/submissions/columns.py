"""A source's names for the fields of a submission: given, or guessed if one name fits."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from snellen.grading.errors import SubmissionError

FIELDS = ("item_id", "response", "attempt", "error", "model")
NEEDED = ("item_id", "response")

USUAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "item_id": frozenset(("item_id", "itemid", "id", "question_id", "sample_id", "qid")),
        "response": frozenset(
            (
                *("response", "prediction", "pred", "predicted", "answer", "output", "completion"),
                *("model_answer", "model_output", "model_response", "generated_text"),
            )
        ),
    }
)
"""Other names for the fields that are needed, in lower case with underscores."""

_SHOWN = 10


class ColumnNames(NamedTuple):
    """A source's names of the fields.

    Attributes:
        other: The fields with other names: our name to the source's.
        notice: A notice on guessed names; empty if none was guessed.
        lacking: A required field that is missing, to the reason and what to do.
    """

    other: Mapping[str, str]
    notice: str
    lacking: Mapping[str, str]


def check_columns(columns: Mapping[str, str]) -> None:
    """Check a mapping of a source's names to fields.

    Raises:
        SubmissionError: A field is not a submission's, or is given twice.
    """
    for name, field in columns.items():
        if field not in FIELDS:
            raise SubmissionError(
                f"{name!r} can't be read as {field!r}, which is not a field of a submission;"
                f" known: {', '.join(FIELDS)}"
            )
        others = [other for other in columns if columns[other] == field and other != name]
        if others:
            raise SubmissionError(
                f"both {name!r} and {others[0]!r} are mapped to {field}; map one of them"
            )


def named(names: Sequence[str], columns: Mapping[str, str], *, guess: bool) -> ColumnNames:
    """Return a source's names of the fields.

    Args:
        names: Its columns, or the fields of its first record.
        columns: Some of its names, mapped to fields.
        guess: Whether a missing required field may be recognized by a usual name.
    """
    other = {field: name for name, field in columns.items()}
    guessed: dict[str, str] = {}
    lacking: dict[str, str] = {}
    for field in NEEDED:
        if field in other or (field in names and field not in columns):
            continue
        fitting = [name for name in names if name not in columns and _plain(name) in USUAL[field]]
        if guess and len(fitting) == 1:
            guessed[field] = fitting[0]
        else:
            lacking[field] = _advice(field, fitting, names)
    return ColumnNames(other | guessed, _notice(guessed), lacking)


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _advice(field: str, fitting: Sequence[str], names: Sequence[str]) -> str:
    some = fitting or names
    found = ", ".join(ascii(name) for name in some[:_SHOWN]) or "none"
    several = "several could be it" if len(fitting) > 1 else "found"
    example = fitting[0] if fitting else "NAME"
    return (
        f"{several}: {found}; say which it is with --map {example}={field}, in Python with"
        f" columns={{{example!r}: {field!r}}}"
    )


def _notice(guessed: Mapping[str, str]) -> str:
    if not guessed:
        return ""
    taken = " and ".join(f"{name!r} was read as {field}" for field, name in guessed.items())
    return f"{taken}, which the answers do not have by that name; --map NAME=FIELD reads another"
