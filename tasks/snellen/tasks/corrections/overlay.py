"""Corrections of references: which are wrong, what is right instead, and who says so.

A file has one correction a line, as JSON:

    {"task": "screenqa/short", "item": "test/5/0", "old": "0f1e...", "new": ["12"],
     "reason": "...", "source": "..."}
    {"task": "screenqa/short", "item": "test/5/1", "old": "5d2c...", "exclude": true,
     "reason": "...", "source": "..."}

`old` makes a correction one of a certain reference: in a release where the item has another, it
does not apply.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from snellen.grading.errors import DataError, InputError
from snellen.grading.models.base import NO_JSON, digest_of
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import Corrected
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.golds import plain
from snellen.grading.protocols.table import gold_shape
from snellen.tasks.models import TaskData

_ENDING = ".jsonl"
_HERE = files("snellen.tasks.corrections")
_SAID = msgspec.Meta(min_length=1)


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is wrong with the reference of an item.

    Attributes:
        task: The task's id.
        item: The item's id.
        reason: What is wrong, in a sentence.
        old: `digest_of_gold` of the reference that is wrong; empty for whatever the item has, as
            in a list that is to tell nothing of references.
        new: The reference that is right, in the task's published form.
        exclude: Instead: no reference is right, so the item does not count.
        source: Who says so: an issue, a paper, the raters.
    """

    task: Annotated[str, _SAID]
    item: Annotated[str, _SAID]
    reason: Annotated[str, _SAID]
    old: str = ""
    new: object = msgspec.UNSET
    exclude: bool = False
    source: str = ""

    def checked(self) -> "Correction":
        """Return it.

        Raises:
            DataError: It says neither or both of `new` and `exclude`, its `new` is no reference of
                the task, or it replaces a reference without saying which.
        """
        if self.exclude == (self.new is not msgspec.UNSET):
            raise DataError("give either new, a reference, or exclude: true", field="new")
        if not self.exclude:
            gold_shape(self.task).read(self.new, field="new")
            if not self.old:
                raise DataError("a correction with new needs old, the digest of what it replaces")
        return self


def digest_of_gold(gold: Gold) -> str:
    """Return the first 16 digits of the SHA-256 of a reference, as `Correction.old` has it.

    It is over the compact JSON, with sorted keys, of the reference in its published form.
    """
    return digest_of(plain(gold))[:16]


@dataclass(frozen=True)
class Corrections:
    """The corrections of one file."""

    name: str  # the name of those that snellen includes, or of the file without its ending
    rows: Sequence[Correction]  # the corrections, in order, of any tasks
    path: str | None = None  # the file; None if snellen includes it

    @cached_property
    def sha256(self) -> str:
        """The digest of the corrections, whatever the file's order of keys and white space."""
        return digest_of([msgspec.to_builtins(row) for row in self.rows])

    def of(self, data: TaskData) -> TaskData:
        """Return data with the corrected references, less the excluded items.

        The excluded items keep their references, so that a metric that is fitted on all references
        does not change; `selected` has the others.

        Raises:
            InputError: The data has been corrected before, or every item is excluded.
        """
        if data.corrected is not None:
            raise InputError(f"the data has the corrections {data.corrected.name} already")
        golds = list(data.golds)
        gone: set[str] = set()
        replaced = other = 0
        for row in self.rows:
            index = data.index.get(row.item) if row.task == data.task else None
            if index is None:
                continue
            if row.old not in ("", digest_of_gold(golds[index])):
                other += 1
            elif row.exclude:
                gone.add(row.item)
            else:
                golds[index] = gold_shape(data.task).read(row.new)
                replaced += 1
        kept = [item for item in data.selected or data.ids if item not in gone]
        if not kept:
            raise InputError(f"the corrections {self.name} exclude every item of {data.task}")
        return replace(
            data,
            golds=Golds(golds),
            selected=kept if gone else data.selected,
            corrected=Corrected(
                name=self.name,
                sha256=self.sha256,
                path=self.path,
                replaced=replaced,
                excluded=len(gone),
                other=other,
            ),
        )


def read_corrections(given: str | Path) -> Corrections:
    """Read the corrections that snellen includes by name, or those of a file.

    Args:
        given: One of `included()`, or the path of a file.

    Raises:
        InputError: There is no such name and no such file, or it can't be read.
        DataError: A line is no correction, or two are about one item.
    """
    if str(given) in included():
        text = _HERE.joinpath(f"{given}{_ENDING}").read_text(encoding="utf-8")
        return Corrections(str(given), list(_rows(text, f"{given}{_ENDING}")))
    path = Path(given)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        known = ", ".join(included())
        raise InputError(
            f"can't read the corrections: {reason}; snellen includes {known}", file=str(path)
        ) from error
    return Corrections(path.stem, list(_rows(text, str(path))), str(path.absolute()))


def included() -> Sequence[str]:
    """Return the names of the corrections that snellen includes."""
    found = (Path(file.name) for file in _HERE.iterdir())
    return sorted(file.stem for file in found if file.suffix == _ENDING)


def correction_of(line: str | bytes) -> Correction:
    """Read one line of a file of corrections.

    Raises:
        DataError: It is no correction.
    """
    try:
        return msgspec.json.decode(line, type=Correction).checked()
    except NO_JSON as error:
        raise DataError(f"it is no correction: {error}") from None


def corrections_text(rows: Iterable[Correction]) -> str:
    """Return corrections in the form that `read_corrections` reads."""
    return "".join(f"{msgspec.json.encode(row).decode()}\n" for row in rows)


def _rows(text: str, file: str) -> Iterator[Correction]:
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = correction_of(line)
        except DataError as error:
            raise DataError(error.message, file=file, line=number, field=error.field) from None
        if (row.task, row.item) in seen:
            raise DataError(
                f"{row.item} of {row.task} is corrected twice", file=file, line=number, field="item"
            )
        seen.add((row.task, row.item))
        yield row
