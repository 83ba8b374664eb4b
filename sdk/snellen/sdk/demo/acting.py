"""Acting: a task in an application, solved by words that the goal and the screen share.

The agent opens the application of the goal's noun, searches for the text that the goal quotes,
opens the match and presses the button whose label is the goal's verb.
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
"""The application for each noun of a goal."""

_SEARCH = "Search"
_ALIKE = 88.0


@dataclass(frozen=True, slots=True)
class Deed:
    """One action of a plan.

    Attributes:
        says: The text of the line to click; empty: no click.
        begins: Whether the line only has to begin with that text.
        text: The text to type.
    """

    says: str = ""
    begins: bool = False
    text: str = ""


def plan(prompt: str) -> Sequence[Deed]:
    """Return the actions for a goal, in order; none if no rule matches the goal.

    >>> [deed.says or deed.text for deed in plan("Task: Pin this note: “Gift for Omar”.")]
    ['Notes', 'Search', 'Gift for Omar', 'Search', 'Gift for Omar', 'Pin']
    """
    return tuple(_deeds(subject(prompt)))


def place(deed: Deed, lines: Sequence[Line], typed: Box | None = None) -> Box | None:
    """Return the box of the line that an action clicks; None: it is not on the screen.

    Of several lines it is the most similar one, and of equally similar ones the first. With
    `begins` it is the first line that begins with the text and is longer.

    Args:
        deed: The action.
        lines: The lines on the screen.
        typed: The box in which text was typed; it contains the same text, so it is not a match.
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
