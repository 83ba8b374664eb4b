"""VisualWebBench's grounding tasks: eight lettered boxes, and which one is described or to be used.

Source of the rules: VisualWebBench (Liu et al., 2024), section 3: a target and seven negatives.
No two of the eight are nested or overlap, the description fits one element of the whole page, and
the letter is drawn. The published instructions of action_ground were written by people; these are
made from roles and names, and tagged `synthetic`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from snellen.tasks.benchmarks.visualwebbench.format import LETTERS
from snellen.tasks.builder.items import Made, Maker, Refused
from snellen.tasks.builder.questions.marks import mark_letters
from snellen.tasks.builder.questions.spatial import is_readable, meet, rounded
from snellen.tasks.builder.questions.text import count_words, folded, is_plain, one_line
from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.shared import NOUNS, Reason, made, refused

GROUND_ITEMS = 3
"""The most items of one page, for each of the two tasks."""

_SAME_KIND = 4
_MARGIN = 8.0
_SMALLEST = 10.0
_LARGEST_SHARE = 0.2
_LONGEST = 60

_INSTRUCTIONS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "link": ("Go to “{}”.", "Open “{}”.", "Follow the link “{}”."),
        "button": ("Press “{}”.", "Use the button “{}”.", "Click the button “{}”."),
        "textbox": ("Type something into the field “{}”.", "Fill in the field “{}”."),
        "searchbox": ("Type something into the field “{}”.", "Use the search field “{}”."),
        "spinbutton": ("Set the number in “{}”.", "Fill in the number “{}”."),
        "combobox": ("Choose an entry of “{}”.", "Open the drop-down list “{}”."),
        "listbox": ("Choose an entry of “{}”.",),
        "checkbox": ("Tick or clear “{}”.", "Change the check box “{}”."),
        "radio": ("Choose the option “{}”.", "Select “{}”."),
        "switch": ("Turn “{}” on or off.", "Flip the switch “{}”."),
        "slider": ("Move the slider “{}”.",),
        "tab": ("Show the tab “{}”.", "Switch to the tab “{}”."),
        "menuitem": ("Choose “{}” from the menu.",),
    }
)

_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider"})
_TICKED = frozenset({"checkbox", "radio", "switch"})


class Candidate(NamedTuple):
    """An element that can be asked for, by what it is called; `key` is the name for comparing."""

    element: Element
    kind: str
    name: str
    key: str
    box: Ltrb


def candidates(screen: Screen) -> Sequence[Candidate]:
    """Return what can be boxed and called by name, in document order.

    Of elements that are called alike and are in each other, what can be used comes before what is
    only read.
    """
    found = [
        candidate
        for element in screen.elements
        if (candidate := _candidate(screen, element)) is not None
    ]
    used = [each for each in found if each.kind in _INSTRUCTIONS]
    return [
        each
        for each in found
        if each.kind in _INSTRUCTIONS
        or not any(screen.nested(each.element, other.element) for other in used)
    ]


def _candidate(screen: Screen, element: Element) -> Candidate | None:
    kind = element.role
    if kind not in NOUNS or not is_readable(element):
        return None
    name = one_line(_name(element))
    box = element.ink if kind == "" and element.ink else element.box
    small = min(box[2] - box[0], box[3] - box[1]) < _SMALLEST
    area = (box[2] - box[0]) * (box[3] - box[1])
    if small or area > _LARGEST_SHARE * screen.width * screen.height:
        return None
    if not any(map(str.isalpha, name)) or len(name) > _LONGEST or not is_plain(name):
        return None
    if kind in _FIELDS | _TICKED and not _is_shown(screen, element, name):
        return None
    if box[0] < 0 or box[1] < 0 or box[2] > screen.width or box[3] > screen.height:
        return None
    return Candidate(element, kind, name, folded(name), box)


def _name(element: Element) -> str:
    """Return what people would call an element: what it shows, else its name."""
    if element.role in _FIELDS | _TICKED:
        return element.label or element.placeholder or element.name
    if element.role == "img":
        return element.alt or element.name
    if element.role:
        return element.text or element.name
    # Of what is only read, the deepest: all that it shows is its own; initials are no description.
    whole = element.own == element.text and count_words(element.own) * len(element.own) >= 3
    return element.own if whole else ""


def _is_shown(screen: Screen, field: Element, name: str) -> bool:
    """Whether what a field is called can be read, and is not what is in it."""
    if any(option and option in name for option in field.options):
        return False
    key = folded(name)
    return key == folded(field.placeholder) or any(
        folded(other.text) == key or folded(other.own) == key
        for other in screen.elements
        if other.role not in _INSTRUCTIONS
    )


class _Names:
    """What is called how on a screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._found: dict[str, list[Element]] = {}
        for each in screen.elements:
            texts = (each.text, each.own, each.name, each.label, each.placeholder, each.alt)
            for key in {folded(text) for text in texts if text}:
                self._found.setdefault(key, []).append(each)

    def unique(self, one: Candidate) -> bool:
        """Whether one element alone is called that; a field's label and the field are one."""
        labelled = one.kind in _FIELDS | _TICKED
        return all(
            self._screen.nested(one.element, other)
            or (labelled and other.role not in _INSTRUCTIONS)
            for other in self._found[one.key]
        )


def _alike(one: Candidate, other: Candidate) -> bool:
    """Whether one of two names is a part of the other."""
    first, second = f" {one.key} ", f" {other.key} "
    return first in second or second in first or one.key in other.key


def with_negatives(
    target: Candidate, others: Sequence[Candidate], random: Random
) -> Sequence[Candidate] | None:
    """Draw seven others that meet neither the target nor each other; up to four are of its kind.

    Returns:
        The target and the seven, or None where there are not as many.
    """
    pool = [each for each in others if not _alike(target, each)]
    random.shuffle(pool)
    like = [each for each in pool if each.kind == target.kind][:_SAME_KIND]
    ids = {each.element.id for each in like}
    chosen = [target]
    for each in (*like, *(each for each in pool if each.element.id not in ids)):
        if not any(meet(each.box, one.box, _MARGIN) for one in chosen):
            chosen.append(each)
        if len(chosen) == len(LETTERS):
            return chosen
    return None


def _describe(target: Candidate, random: Random) -> str:
    return f"{NOUNS[target.kind]} “{target.name}”"


def _instruct(target: Candidate, random: Random) -> str:
    # Such a link may look like a button, or do something instead of leading somewhere.
    if target.kind == "link" and (target.element.painted or not _leads(target.element.href)):
        return f"Click “{target.name}”."
    return random.choice(_INSTRUCTIONS[target.kind]).format(target.name)


def _seen(target: Candidate) -> str:
    """Return what shows which one it is: a text, or a picture that its name describes."""
    return "text" if target.kind in _FIELDS | _TICKED or target.element.text else "picture"


def _leads(href: str) -> bool:
    return bool(href.partition("#")[0]) and not href.startswith(("javascript:", "mailto:"))


def _ground(config: str, snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    acting = config == "action_ground"
    found = [
        each
        for each in candidates(snapshot.screen)
        if not acting or (each.kind in _INSTRUCTIONS and not each.element.disabled)
    ]
    if len(found) < len(LETTERS):
        yield refused(config, Reason.FEW_CANDIDATES)
        return
    names = _Names(snapshot.screen)
    # What a picture is of can't be known from its text without the image.
    targets = [each for each in found if each.kind != "img" and names.unique(each)]
    random.shuffle(targets)
    letters = random.sample(range(len(LETTERS)), len(LETTERS))
    number = 0
    for target in targets:
        options = with_negatives(target, found, random)
        if options is None:
            continue
        number += 1
        yield _item(config, number, snapshot, options, letters[number - 1], random)
        if number == GROUND_ITEMS:
            return
    if not number:
        yield refused(config, Reason.FEW_CANDIDATES if targets else Reason.NOT_UNIQUE)


def _item(
    config: str,
    number: int,
    snapshot: Snapshot,
    chosen: Sequence[Candidate],
    answer: int,
    random: Random,
) -> Made:
    target, negatives = chosen[0], list(chosen[1:])
    random.shuffle(negatives)
    options = [*negatives[:answer], target, *negatives[answer:]]
    acting = config == "action_ground"
    asked = _instruct(target, random) if acting else _describe(target, random)
    tags = {"kind": NOUNS[target.kind], "seen": _seen(target)}
    return made(
        snapshot,
        config,
        number,
        {
            "options": [rounded(each.box) for each in options],
            "instruction" if acting else "elem_desc": asked,
            "answer": answer,
        },
        marked=mark_letters(snapshot.image(), [each.box for each in options]),
        tags={**tags, "synthetic": "yes"} if acting else tags,
        record={
            "element": target.element.id,
            "box": rounded(target.box),
            "candidates": [each.element.id for each in options],
        },
    )


element_ground: Maker = partial(_ground, "element_ground")
"""Ask which of eight boxes fits a description."""

action_ground: Maker = partial(_ground, "action_ground")
"""Ask which of eight boxes is to be clicked for an instruction."""
