"""MMBench-GUI's makers for levels 1 and 2, and the published layout of their items.

L2's instructions: basic ones describe look and position, advanced ones the purpose.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from snellen.build.chance import by_turns
from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.questions.intents import intents
from snellen.build.questions.marks import LETTERS
from snellen.build.questions.names import NOUNS, UNREAD, Candidate, Names, candidates
from snellen.build.questions.spatial import SITE_PARTS, rounded
from snellen.build.questions.text import language_of
from snellen.build.screen.contrast import saturation
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.snapshots import Snapshot
from snellen.build.writers.base import Side, as_json, side_of, write_rows
from snellen.build.writers.mmbench_gui.l1 import Question, ask
from snellen.tasks.benchmarks.mmbench_gui.format import DIFFICULTIES, L1_FILE, L2_FILE
from snellen.tasks.benchmarks.mmbench_gui.load import L1, L2_ADVANCED, L2_BASIC

_IMAGES = "offline_images"
_KINDS = MappingProxyType({L2_BASIC: "basic", L2_ADVANCED: "advanced"})


class Reason(StrEnum):
    """The reasons why a screen gives no item."""

    NO_EASY = "nothing to read or to place for an easy question"
    NO_MEDIUM = "nothing to count or to place for a medium question"
    NO_HARD = "nothing to combine for a hard question"
    NOT_UNIQUE = "no element that only one description fits"
    NO_PURPOSE = "no element whose purpose is known"


_MISSING = MappingProxyType(
    {"easy": Reason.NO_EASY, "medium": Reason.NO_MEDIUM, "hard": Reason.NO_HARD}
)


def l1(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask an easy, a medium and a hard question; a screen gives all three or none."""
    questions: dict[str, Question] = {}
    for difficulty in DIFFICULTIES:
        asked = {question.text for question in questions.values()}
        question = ask(snapshot, difficulty, random, asked)
        if question is None:
            yield Refused(L1, _MISSING[difficulty].value)
            return
        questions[difficulty] = question
    first = random.random()
    groups = [
        _group(question, difficulty, (first + number / len(questions)) % 1)
        for number, (difficulty, question) in enumerate(questions.items())
    ]
    yield _made(
        snapshot,
        L1,
        snapshot.id,
        {"groups": groups},
        {difficulty: question.kind for difficulty, question in questions.items()},
        {
            difficulty: {
                "question": question.kind,
                "hops": str(question.hops),
                "elements": list(question.elements),
            }
            for difficulty, question in questions.items()
        },
    )


def _l2(task: str, snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    make, reason = (basic, Reason.NOT_UNIQUE) if task == L2_BASIC else (advanced, Reason.NO_PURPOSE)
    instructions = make(snapshot, random)
    if not instructions:
        yield Refused(task, UNREAD if snapshot.screen.shows_unread else reason.value)
    for number, instruction in enumerate(instructions, start=1):
        row = {
            "instruction": instruction.text,
            "bbox": rounded(instruction.target.box),
            "data_type": instruction.seen,
            "grounding_type": _KINDS[task],
        }
        record = {"element": instruction.target.element.id, **instruction.target.seen.record}
        yield _made(
            snapshot, task, f"{snapshot.id}/{number}", row, {"way": instruction.way}, record
        )


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {L1: l1, L2_BASIC: partial(_l2, L2_BASIC), L2_ADVANCED: partial(_l2, L2_ADVANCED)}
)
"""The makers by task; the task seeds a maker's random choices."""


def _group(question: Question, difficulty: str, share: float) -> Mapping[str, Any]:
    """Return a question in the published form; a screen's answers are spread over the letters."""
    options = question.options.placed(share)
    return {
        "question": question.text,
        "options": dict(zip(LETTERS, options.texts, strict=False)),
        "answer": LETTERS[options.right],
        "explanation": "",
        "difficulty": difficulty,
    }


def _made(
    snapshot: Snapshot,
    task: str,
    index: str,
    row: Mapping[str, Any],
    tags: Mapping[str, str],
    record: Mapping[str, Any],
) -> Made:
    screen = snapshot.screen
    path = f"{snapshot.id}.png"
    shot = {
        "index": index,
        "image_path": path,
        "image_size": [screen.width, screen.height],
        "platform": f"os_{screen.platform}",
        "app_name": snapshot.captured.site,
    }
    language = language_of(screen) or "unknown"
    images = {f"{_IMAGES}/os_{screen.platform}/{path}": snapshot.image()}
    return Made(task, {**shot, **row}, images, {"language": language, **tags}, record)


# ---- the published layout ----------------------------------------------------------------------


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write the items of all screens: see `write_rows`.

    `L1_annotations.json` and `L2_annotations.json` are beside `offline_images`, which has a folder
    for each platform and site.
    """
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda task: L1_FILE if task == L1 else L2_FILE,
        _sides,
        as_json,
    )


def _sides(page: PageItems, one: Made) -> Iterator[Side]:
    index = one.row["index"]
    if one.task != L1:
        yield side_of(page, one, f"{_KINDS[one.task]}/{index}")
        return
    for difficulty in DIFFICULTIES:
        record = {**one.record[difficulty]}
        tags = {
            "language": one.tags["language"],
            "question": one.tags[difficulty],
            "hops": record.pop("hops"),
        }
        each = one._replace(tags=tags, record=record)
        yield side_of(page, each, f"{difficulty}/{index}")


ITEMS = 2
"""The maximum number of instructions of one screen, for each of the two tasks."""
_ICONS = frozenset({"checkbox", "radio", "switch", "slider", "img"})
_COLORS = (
    (15.0, "red"),
    (38.0, "orange"),
    (48.0, ""),
    (70.0, "yellow"),
    (165.0, "green"),
    (200.0, "turquoise"),
    (250.0, "blue"),
    (260.0, ""),
    (285.0, "purple"),
    (315.0, ""),
    (340.0, "pink"),
    (361.0, "red"),
)
_COLORFUL = 0.45
_EDGES = (1 / 3, 2 / 3)
_UNCLEAR = 0.04


class Instruction(NamedTuple):
    """An instruction, the kind of its description, and its target."""

    way: str
    text: str
    target: Candidate
    seen: Literal["icon", "text"]


def basic(snapshot: Snapshot, random: Random) -> Sequence[Instruction]:
    """Describe elements by appearance and position."""
    screen = snapshot.screen
    names = Names(screen)
    pool = [
        each
        for each in _own(screen, candidates(snapshot))
        if not screen.shows_unread
        and names.alone(each.name, each.element)
        and _is_clear(each.box, screen)
    ]
    instructions: list[Instruction] = []
    for each in by_turns(random, pool, lambda each: each.kind)[:ITEMS]:
        place = place_of(each.box, screen)
        noun = " ".join(filter(None, (_color(each.element), NOUNS[each.kind])))
        seen = _seen(each)
        if seen == "icon" and each.kind in {"button", "link"}:
            text = f"The {noun} {place} that has a sign and no text, for “{each.name}”"
        else:
            text = random.choice(
                (
                    f"The {noun} “{each.name}” {place}",
                    f"{place.capitalize()}, the {noun} “{each.name}”",
                )
            )
        instructions.append(Instruction("appearance", text, each, seen))
    return instructions


def advanced(snapshot: Snapshot, random: Random) -> Sequence[Instruction]:
    """Describe elements by purpose."""
    purposes = intents(snapshot, _own(snapshot.screen, candidates(snapshot)))
    chosen: dict[int, Instruction] = {}
    for purpose in by_turns(random, purposes, lambda purpose: purpose.way):
        if len(chosen) < ITEMS:
            instruction = Instruction(
                purpose.way, purpose.text, purpose.target, _seen(purpose.target)
            )
            chosen.setdefault(purpose.target.element.id, instruction)
    return list(chosen.values())


def place_of(box: Ltrb, screen: Screen) -> str:
    """Return the position of a box on the screen, in thirds.

    >>> place_of((0, 0, 20, 20), Screen(300, 300, ()))
    'at the top left of the screen'
    """
    across = (box[0] + box[2]) / 2 / screen.width
    down = (box[1] + box[3]) / 2 / screen.height
    side = ("left", "", "right")[sum(across >= edge for edge in _EDGES)]
    height = ("top", "", "bottom")[sum(down >= edge for edge in _EDGES)]
    if height:
        return f"at the {' '.join(filter(None, (height, side or 'center')))} of the screen"
    return f"on the {side} of the screen, halfway down" if side else "in the middle of the screen"


def _is_clear(box: Ltrb, screen: Screen) -> bool:
    """Whether a person would name the same third of the screen, in both directions."""
    middles = ((box[0] + box[2]) / 2 / screen.width, (box[1] + box[3]) / 2 / screen.height)
    return all(abs(middle - edge) >= _UNCLEAR for middle in middles for edge in _EDGES)


def _own(screen: Screen, found: Iterable[Candidate]) -> Sequence[Candidate]:
    """Return elements outside the site's frame, whose positions are known from other pages."""
    return [
        each
        for each in found
        if each.element.landmark not in SITE_PARTS
        and all(outer.role not in SITE_PARTS for outer in screen.ancestors(each.element))
    ]


def _seen(one: Candidate) -> Literal["icon", "text"]:
    wordless = not one.element.text and one.kind in {"button", "link", "tab", "menuitem"}
    return "icon" if one.kind in _ICONS or wordless else "text"


def _color(element: Element) -> str:
    """Return the color of a filled button; empty if it has no clear color."""
    filled = element.painted and element.role in {"button", "link"} and element.background
    if not filled or saturation(element.background) < _COLORFUL:
        return ""
    from colorsys import rgb_to_hls

    red, green, blue = (int(element.background[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, _ = rgb_to_hls(red, green, blue)
    name = next(name for most, name in _COLORS if hue * 360 < most)
    return name if 0.2 < light < 0.8 else ""
