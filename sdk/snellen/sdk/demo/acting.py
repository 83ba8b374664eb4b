"""Acting: a task in an application, done by words that the goal and the screen have in common.

The agent opens the application that the goal's noun belongs to, searches for what the goal quotes,
opens what is found and presses the button that is called as the goal's verb.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rapidfuzz import fuzz

from snellen.sdk.demo.phrases import quoted, subject
from snellen.sdk.ocr.pictures import Box, Line

APPLICATIONS: Mapping[str, str] = MappingProxyType(
    {"message": "Mail", "note": "Notes", "file": "Files", "contact": "Contacts"}
)
"""The application that a thing is in, by its noun."""

_SEARCH = "Search"
_ALIKE = 88.0


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing to do.

    Attributes:
        says: What the line says that is clicked; empty: nothing is.
        begins: Whether it is enough that the line begins so.
        text: What is typed.
    """

    says: str = ""
    begins: bool = False
    text: str = ""


def plan(prompt: str) -> Sequence[Deed]:
    """Return what to do, one after the other; nothing where no rule fits the goal.

    >>> [deed.says or deed.text for deed in plan("Task: Pin this note: “Gift for Omar”.")]
    ['Notes', 'Search', 'Gift for Omar', 'Search', 'Gift for Omar', 'Pin']
    """
    return tuple(_deeds(subject(prompt)))


def place(deed: Deed, lines: Sequence[Line], typed: Box | None = None) -> Box | None:
    """Return where the line stands that a deed clicks; None: it is not on the screen.

    Of several it is the one that says it best, and then the first. A line that says more is only
    taken where its beginning is enough.

    Args:
        deed: What is done.
        lines: What the screen says.
        typed: Where something was typed, which says what is looked for as well.
    """
    wanted = deed.says.casefold()
    fits: list[tuple[float, int]] = []
    for number, line in enumerate(lines):
        if typed is not None and line.box.shared(typed):
            continue
        text = line.text.casefold()
        longer = len(text) > len(wanted) + 1
        if deed.begins and (not longer or not text.startswith(wanted)):
            continue
        likeness = 100.0 if deed.begins else fuzz.ratio(text, wanted)
        if likeness >= _ALIKE:
            fits.append((-likeness, number))
    return lines[min(fits)[1]].box if fits else None


def _deeds(goal: str) -> Iterator[Deed]:
    names = quoted(goal)
    noun = next((noun for noun in APPLICATIONS if re.search(rf"\b{noun}\b", goal)), None)
    if noun is None or len(names) != 1:
        return
    yield Deed(APPLICATIONS[noun])
    yield Deed(_SEARCH, begins=True)
    yield Deed(text=names[0])
    yield Deed(_SEARCH)
    yield Deed(names[0])
    yield Deed(goal.split()[0])
