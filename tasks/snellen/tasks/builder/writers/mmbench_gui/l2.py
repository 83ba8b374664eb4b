"""L2's instructions: basic ones describe look and position, advanced ones the purpose."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal, NamedTuple

from snellen.tasks.builder.chance import by_turns
from snellen.tasks.builder.questions.intents import intents
from snellen.tasks.builder.questions.names import NOUNS, Candidate, Names, candidates
from snellen.tasks.builder.questions.spatial import SITE_PARTS
from snellen.tasks.builder.screen.contrast import saturation
from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.snapshots import Snapshot

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
