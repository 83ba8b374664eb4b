"""VisualWebBench's makers by task, and the published layout of its items.

The box and point variants read the items of `element_ground` and `action_ground`.

Source of the rules of grounding: VisualWebBench (Liu et al., 2024), section 3: a target and seven
negatives. No two of the eight boxes are nested or overlap, the description matches one element of
the whole page, and the letter is random. The published instructions of action_ground were written
by people; these are generated from roles and names, and tagged `synthetic`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from snellen.build.chance import by_turns
from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.questions.intents import intents
from snellen.build.questions.marks import mark_letters
from snellen.build.questions.names import (
    FIELDS,
    NOUNS,
    TICKED,
    UNREAD,
    USED,
    Candidate,
    Names,
    candidates,
)
from snellen.build.questions.spatial import meet, rounded
from snellen.build.questions.templates import templates_of
from snellen.build.questions.text import folded, language_of
from snellen.build.questions.wording import Question, questions_of
from snellen.build.snapshots import Snapshot
from snellen.build.writers.base import Side, as_lines, side_of, write_rows
from snellen.build.writers.visualwebbench.clicks import (
    PREDICTION,
    action_prediction,
)
from snellen.build.writers.visualwebbench.shared import Reason, made, refused
from snellen.build.writers.visualwebbench.texts import element_ocr, heading_ocr, web_caption
from snellen.tasks.benchmarks.visualwebbench.format import LETTERS

QUESTION_ITEMS = 5
"""The maximum number of questions of one page."""

_ONCE = frozenset({"next", "section", "first", "last"})
"""Kinds with at most one question a page: others would differ only in the name."""

_DIFFICULTY = {
    "reverse": "medium",
    "highest": "hard",
    "lowest": "hard",
    "dearest": "hard",
    "cheapest": "hard",
}


def webqa(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for facts of as many kinds as possible; no two questions have the same answer."""
    screen = snapshot.screen
    language = language_of(screen)
    templates = templates_of(language)
    if templates is None:
        yield refused("webqa", Reason.NO_TEMPLATES if language else Reason.NO_LANGUAGE)
        return
    chosen: dict[str, Question] = {}
    kinds: set[str] = set()
    for question in by_turns(random, questions_of(snapshot, templates), lambda each: each.kind):
        if question.kind in _ONCE & kinds:
            continue
        if chosen.setdefault(folded(question.answers[0]), question) is question:
            kinds.add(question.kind)
    if not chosen:
        reason = UNREAD if screen.unread else Reason.NO_ANSWER.value
        yield Refused("visualwebbench/webqa", reason)
    for number, question in enumerate(list(chosen.values())[:QUESTION_ITEMS], start=1):
        element = None if question.element is None else screen.elements[question.element]
        yield made(
            snapshot,
            "webqa",
            number,
            {"question": question.text, "answer": list(question.answers)},
            tags={
                "question": question.kind,
                "difficulty": (level := _DIFFICULTY.get(question.kind, "easy")),
                "hops": "2" if level == "hard" else "1",
            },
            record={
                "element": question.element,
                "box": None if element is None else rounded(element.box),
            },
        )


GROUND_ITEMS = 3
"""The maximum number of items of one page, for each of the two tasks."""

_SAME_KIND = 4
_MARGIN = 8.0
_INTENDED = 2
"""The maximum number of a page's action_ground items that describe the purpose without the
label."""

_INSTRUCTIONS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "link": ("Go to “{}”.", "Open “{}”.", "Follow the link “{}”."),
        "button": ("Press “{}”.", "Use the button “{}”.", "Click the button “{}”."),
        "textbox": ("Type something into the field “{}”.", "Fill in the field “{}”."),
        "searchbox": ("Type something into the field “{}”.", "Use the search field “{}”."),
        "spinbutton": ("Set the number in “{}”.", "Fill in the number “{}”."),
        "combobox": ("Choose an entry of “{}”.", "Open the drop-down list “{}”."),
        "listbox": ("Choose an entry of “{}”.",),
        "checkbox": ("Tick or clear the check box “{}”.", "Change the check box “{}”."),
        "radio": ("Choose the radio button “{}”.", "Select the radio button “{}”."),
        "switch": ("Turn the switch “{}” on or off.", "Flip the switch “{}”."),
        "slider": ("Move the slider “{}”.",),
        "tab": ("Show the tab “{}”.", "Switch to the tab “{}”."),
        "menuitem": ("Choose “{}” from the menu.",),
    }
)


def _alike(one: Candidate, other: Candidate) -> bool:
    """Whether one of two names is part of the other, or both lead to one address."""
    first, second = f" {one.key} ", f" {other.key} "
    same = one.element.href == other.element.href != ""
    return same or first in second or second in first or one.key in other.key


def with_negatives(
    target: Candidate, others: Sequence[Candidate], random: Random
) -> Sequence[Candidate] | None:
    """Draw seven elements without overlaps for a target; up to four are of its kind.

    Returns:
        The target and the seven, or None if there are not enough.
    """
    pool = [each for each in others if not _alike(target, each)]
    random.shuffle(pool)
    like = [each for each in pool if each.kind == target.kind][:_SAME_KIND]
    ids = {each.element.id for each in like}
    chosen = [target]
    for each in (*like, *(each for each in pool if each.element.id not in ids)):
        if not any(meet(each.box, other.box, _MARGIN) for other in chosen):
            chosen.append(each)
        if len(chosen) == len(LETTERS):
            return chosen
    return None


def _instruct(target: Candidate, random: Random) -> str:
    # Such a link may look like a button, or act instead of leading to a page.
    if target.kind == "link" and (target.element.painted or not _leads(target.element.href)):
        return f"Click “{target.name}”."
    # A menu entry is a button only in the markup.
    if target.kind == "button" and target.element.tag == "a" and not target.element.painted:
        return f"Click “{target.name}”."
    return random.choice(_INSTRUCTIONS[target.kind]).format(target.name)


def _seen(target: Candidate) -> str:
    """Return what identifies the target on the screen: a text, or a picture."""
    return "text" if target.kind in FIELDS | TICKED or target.element.text else "picture"


def _leads(href: str) -> bool:
    return bool(href.partition("#")[0]) and not href.startswith(("javascript:", "mailto:"))


class _Instruction(NamedTuple):
    """A request in words, its difficulty, and its target."""

    text: str
    difficulty: str
    target: Candidate


def _wishes(
    config: str, snapshot: Snapshot, found: Sequence[Candidate], random: Random
) -> Iterator[_Instruction]:
    """Yield requests in a random order; for actions, first some that describe a purpose."""
    names = Names(snapshot.screen)
    # Without the image, the subject of a picture can't be known from its text.
    named = [e for e in found if e.kind != "img" and names.alone(e.name, e.element)]
    random.shuffle(named)
    if config == "element_ground":
        for each in named:
            yield _Instruction(f"{NOUNS[each.kind]} “{each.name}”", "easy", each)
        return
    # The title of a target names the site.
    purposes = [purpose for purpose in intents(snapshot, found) if purpose.way != "destination"]
    random.shuffle(purposes)
    # Requests that share no word with a label come first, and each kind only once if there are
    # several.
    purposes = by_turns(random, purposes, lambda purpose: purpose.way)
    purposes.sort(key=lambda purpose: purpose.difficulty != "hard")
    used: set[int] = set()
    for purpose in purposes:
        if len(used) < _INTENDED and purpose.target.element.id not in used:
            used.add(purpose.target.element.id)
            yield _Instruction(purpose.text, purpose.difficulty, purpose.target)
    for each in named:
        if each.element.id not in used:
            yield _Instruction(_instruct(each, random), "easy", each)


def _ground(config: str, snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    if snapshot.screen.shows_unread:
        yield Refused(f"visualwebbench/{config}", UNREAD)
        return
    acting = config == "action_ground"
    able = [
        each
        for each in candidates(snapshot)
        if not acting or (each.kind in USED and not each.element.disabled)
    ]
    if len(able) < len(LETTERS):
        yield refused(config, Reason.FEW_CANDIDATES)
        return
    letters = random.sample(range(len(LETTERS)), len(LETTERS))
    number = 0
    any_wish = False
    for wish in _wishes(config, snapshot, able, random):
        any_wish = True
        options = with_negatives(wish.target, able, random)
        if options is None:
            continue
        number += 1
        yield _item(config, number, snapshot, wish, options, letters[number - 1], random)
        if number == GROUND_ITEMS:
            return
    if not number:
        yield refused(config, Reason.FEW_CANDIDATES if any_wish else Reason.NOT_UNIQUE)


def _item(
    config: str,
    number: int,
    snapshot: Snapshot,
    wish: _Instruction,
    chosen: Sequence[Candidate],
    answer: int,
    random: Random,
) -> Made:
    target, negatives = chosen[0], list(chosen[1:])
    random.shuffle(negatives)
    options = [*negatives[:answer], target, *negatives[answer:]]
    acting = config == "action_ground"
    tags = {"kind": NOUNS[target.kind], "seen": _seen(target)}
    return made(
        snapshot,
        config,
        number,
        {
            "options": [rounded(each.box) for each in options],
            "instruction" if acting else "elem_desc": wish.text,
            "answer": answer,
        },
        marked=mark_letters(snapshot.image(), [each.box for each in options]),
        tags={**tags, "difficulty": wish.difficulty, "synthetic": "yes"} if acting else tags,
        record={
            "element": target.element.id,
            **target.seen.record,
            "candidates": [each.element.id for each in options],
        },
    )


element_ground: Maker = partial(_ground, "element_ground")
"""Ask which of eight boxes matches a description."""

action_ground: Maker = partial(_ground, "action_ground")
"""Ask which of eight boxes to click for an instruction."""


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "visualwebbench/web_caption": web_caption,
        "visualwebbench/heading_ocr": heading_ocr,
        "visualwebbench/webqa": webqa,
        "visualwebbench/element_ocr": element_ocr,
        "visualwebbench/element_ground": element_ground,
        PREDICTION: action_prediction,
        "visualwebbench/action_ground": action_ground,
    }
)
"""The makers by task; the task seeds a maker's random choices."""

VARIANTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        f"visualwebbench/{name}": tuple(
            f"visualwebbench/{name}{way}" for way in ("_bbox", "_point")
        )
        for name in ("element_ground", "action_ground")
    }
)
"""The tasks that read another task's rows."""

_PREFIX = "visualwebbench/"
_SPLIT = "test"


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write VisualWebBench's items of all pages, after balancing: see `write_rows`.

    Each configuration is a file of JSON Lines, such as `element_ocr.jsonl`; images are in
    `raw_image` (without marks, one for all items of a page) and `image`.
    """
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda task: f"{task.removeprefix(_PREFIX)}.jsonl",
        _sides,
        as_lines,
    )


def _sides(page: PageItems, one: Made) -> Sequence[Side]:
    item = f"{_SPLIT}/{one.row['id']}"
    return [side_of(page, one, item, task) for task in (one.task, *VARIANTS.get(one.task, ()))]
