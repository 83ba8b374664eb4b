"""The names of a screen's parts, and whether a name is unique."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from snellen.build.questions.spatial import (
    drawn_texts,
    is_fragment,
    is_readable,
    looks_like_heading,
)
from snellen.build.questions.text import (
    count_words,
    folded,
    is_plain,
    label_of,
    occurrences,
    one_line,
)
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.screen.seen import Extent, seen
from snellen.build.snapshots import Snapshot

UNREAD = "a part of it may show what is not known: an iframe, a canvas, a scroller or the like"

NOUNS: Mapping[str, str] = MappingProxyType(
    {
        "link": "link",
        "button": "button",
        "textbox": "text field",
        "searchbox": "search field",
        "spinbutton": "number field",
        "combobox": "drop-down list",
        "listbox": "list",
        "checkbox": "check box",
        "radio": "radio button",
        "switch": "switch",
        "slider": "slider",
        "tab": "tab",
        "menuitem": "menu item",
        "heading": "heading",
        "img": "picture",
        "": "text",
    }
)
"""The noun for an element in an instruction, by its role."""

FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider"})
TICKED = frozenset({"checkbox", "radio", "switch"})
USED = frozenset(NOUNS) - {"heading", "img", ""}
"""The roles of interactive elements."""

_SMALLEST = 10.0
_WIDEST_ICON = 64.0
_SHOWN = frozenset({"link", "button", "img"})
_LARGEST_SHARE = 0.2
_LONGEST = 60


class Names:
    """The names on a screen: the one rule for what a name may refer to.

    Two elements with the same name count as one if one contains the other, or if one is the label
    of the other.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._called: dict[str, list[Element]] = {}
        self._drawn = drawn_texts(screen)
        for each in screen.elements:
            texts = (each.text, each.own, each.name, each.label, each.placeholder, each.alt)
            for key in {folded(text) for text in texts if text} - {""}:
                self._called.setdefault(key, []).append(each)

    def alone(self, name: str, element: Element) -> bool:
        """Whether no other element has a name."""
        field = element.role in FIELDS | TICKED
        others = [
            other
            for other in self._called.get(folded(name), ())
            if not (
                self._screen.nested(element, other)
                or (other.role in FIELDS | TICKED and element.role not in USED)
                or _repeats(element, other)
            )
        ]
        if element.role == "" and any(occurrences(folded(name), text) > 1 for text in self._drawn):
            return False
        # For a field, one text that is not interactive may be its label.
        labels = [other for other in others if other.role not in USED]
        return len(labels) == len(others) <= 1 if field else not others


def _repeats(header: Element, other: Element) -> bool:
    """Whether both are headers of one column, as in a table's head and foot."""
    return (
        header.role == other.role == "columnheader"
        and header.box[0] < other.box[2]
        and other.box[0] < header.box[2]
    )


class Candidate(NamedTuple):
    """An element that can be asked for by its name; `key` is the normalized name."""

    element: Element
    kind: str
    name: str
    key: str
    seen: Extent

    @property
    def box(self) -> Ltrb:
        """The box that a person would draw."""
        return self.seen.box


def candidates(snapshot: Snapshot) -> Sequence[Candidate]:
    """Return the elements that have a box and a name, in document order.

    Of nested elements, the interactive ones are kept.
    """
    screen = snapshot.screen
    named = [
        candidate
        for element in screen.elements
        if (candidate := _candidate(snapshot, element)) is not None
    ]
    used = [each for each in named if each.kind in USED]
    return [
        each
        for each in named
        if each.kind in USED
        or not any(screen.nested(each.element, other.element) for other in used)
    ]


def _candidate(snapshot: Snapshot, element: Element) -> Candidate | None:
    screen, kind = snapshot.screen, element.role
    if kind not in NOUNS or not is_readable(element) or is_fragment(screen, element):
        return None
    if kind == "heading" and not looks_like_heading(screen, element):
        return None
    name = one_line(_name(element))
    if not any(map(str.isalpha, name)) or len(name) > _LONGEST or not is_plain(name):
        return None
    if kind in FIELDS | TICKED and not _is_shown(screen, element, name):
        return None
    where = seen(screen, element, snapshot.pixels)
    if where is None:
        return None
    left, top, right, bottom = where.box
    # A larger picture, such as a logo, may show another name than its alternative text.
    pressed = {"link", "button"} & {kind, *(outer.role for outer in screen.ancestors(element))}
    if pressed and not element.text and kind in _SHOWN and right - left > _WIDEST_ICON:
        return None
    small = min(right - left, bottom - top) < _SMALLEST
    large = (right - left) * (bottom - top) > _LARGEST_SHARE * screen.width * screen.height
    if small or large or left < 0 or top < 0 or right > screen.width or bottom > screen.height:
        return None
    return Candidate(element, kind, name, folded(name), where)


def _name(element: Element) -> str:
    """Return the name that people would use for an element: its text, else its accessible name."""
    if element.role in FIELDS | TICKED:
        return label_of(element.label) or element.placeholder or element.name
    if element.role == "img":
        return element.alt or element.name
    if element.role:
        return element.text or element.name
    # Only the innermost text, whose element has no other text; initials are not descriptive.
    whole = element.own == element.text and count_words(element.own) * len(element.own) >= 3
    return element.own if whole else ""


def _is_shown(screen: Screen, field: Element, name: str) -> bool:
    """Whether the name of a field can be read, and is not its content."""
    if any(option and option in name for option in field.options):
        return False
    key = folded(name)
    return key == folded(field.placeholder) or any(
        folded(other.text) == key or folded(other.own) == key
        for other in screen.elements
        if other.role not in USED and not other.cut
    )
