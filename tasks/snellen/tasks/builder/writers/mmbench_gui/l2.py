"""L2's instructions: basic ones tell an element's look and place, advanced ones what it is for."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Literal, NamedTuple

from snellen.tasks.builder.chance import by_turns
from snellen.tasks.builder.questions.spatial import SITE_PARTS, inside
from snellen.tasks.builder.questions.text import folded, one_line
from snellen.tasks.builder.screen.contrast import saturation
from snellen.tasks.builder.screen.elements import Element, Ltrb, Screen
from snellen.tasks.builder.screen.fields import kind_of
from snellen.tasks.builder.screen.words.reading import deed, words_of
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.choices import Candidate, candidates
from snellen.tasks.builder.writers.visualwebbench.shared import NOUNS

ITEMS = 2
"""The most instructions of one screen, for each of the two tasks."""
_ICONS = frozenset({"checkbox", "radio", "switch", "slider", "img"})
_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
_TOGGLES = frozenset({"checkbox", "switch"})
_TYPED: Mapping[str, str] = MappingProxyType(
    {
        "email": "give the address to which mail is sent to you",
        "phone": "say how you can be called",
        "date": "say on which day it should be",
        "birth": "say how old you are",
        "message": "write what you want to tell them",
        "name": "say who you are",
        "city": "say in which town you live",
        "zip": "say in which postal district you live",
        "company": "say whom you work for",
        "website": "give your page on the web",
    }
)
_COLORS = (
    (15.0, "red"),
    (45.0, "orange"),
    (70.0, "yellow"),
    (165.0, "green"),
    (200.0, "turquoise"),
    (255.0, "blue"),
    (290.0, "purple"),
    (340.0, "pink"),
    (361.0, "red"),
)
_COLORFUL = 0.45
_WIDE = 120.0
_SEARCH = re.compile(r"search|such|busca|cherche|pesquis|搜索|查找|بحث")
_EDGES = (1 / 3, 2 / 3)


class Instruction(NamedTuple):
    """What to point at, how that was made, and where it is."""

    way: str
    text: str
    element: Element
    box: Ltrb
    seen: Literal["icon", "text"]


def basic(snapshot: Snapshot, random: Random) -> Sequence[Instruction]:
    """Tell of elements by what they look like and where they are."""
    screen = snapshot.screen
    pool = [each for each in _own(screen, candidates(screen)) if _is_unique(screen, each)]
    found: list[Instruction] = []
    for each in by_turns(random, pool, lambda each: each.kind)[:ITEMS]:
        box = each.element.ink if each.kind == "heading" and each.element.ink else each.box
        place = place_of(box, screen)
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
        found.append(Instruction("appearance", text, each.element, box, seen))
    return found


def advanced(snapshot: Snapshot, random: Random) -> Sequence[Instruction]:
    """Tell of elements by what they are for."""
    screen = snapshot.screen
    usable = [each for each in _own(screen, candidates(screen)) if not each.element.disabled]
    ways = (_deeds, _typed, _chosen, _led, _switched, _searched)
    found = [one for way in ways for one in way(snapshot, usable)]
    said = Counter(folded(one.text) for one in found)
    by_way: dict[str, list[Instruction]] = {}
    for one in found:
        if said[folded(one.text)] == 1:
            by_way.setdefault(one.way, []).append(one)
    order = sorted(by_way)
    random.shuffle(order)
    chosen: list[Instruction] = []
    for way in order * ITEMS:
        left = [
            each for each in by_way[way] if all(each.element.id != c.element.id for c in chosen)
        ]
        if left and len(chosen) < ITEMS:
            chosen.append(random.choice(left))
    return chosen


def place_of(box: Ltrb, screen: Screen) -> str:
    """Return where on the screen a box is, in thirds.

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


def _own(screen: Screen, found: Iterable[Candidate]) -> Sequence[Candidate]:
    """Return what is the page's own: where a site's frame has its parts, other pages tell."""
    return [
        each
        for each in found
        if each.element.landmark not in SITE_PARTS
        and all(outer.role not in SITE_PARTS for outer in screen.ancestors(each.element))
    ]


def _is_unique(screen: Screen, one: Candidate) -> bool:
    """Whether nothing else on the screen is called that, or has the name in its own."""
    return not any(
        one.key == folded(text) or f" {one.key} " in f" {folded(text)} "
        for other in screen.elements
        if not screen.nested(one.element, other) and not _labels(one, other)
        for text in (other.own, other.name, other.label, other.placeholder, other.alt)
        if text
    )


def _labels(one: Candidate, other: Element) -> bool:
    """Whether the other element is the label of a field."""
    field = one.kind in _FIELDS | _ICONS | {"combobox", "listbox"}
    return field and not other.role and folded(other.own) == one.key


def _seen(one: Candidate) -> Literal["icon", "text"]:
    wordless = not one.element.text and one.kind in {"button", "link", "tab", "menuitem"}
    return "icon" if one.kind in _ICONS or wordless else "text"


def _color(element: Element) -> str:
    """Return the color of a filled button; empty where it has none worth telling."""
    filled = element.painted and element.role in {"button", "link"} and element.background
    if not filled or saturation(element.background) < _COLORFUL:
        return ""
    from colorsys import rgb_to_hls

    red, green, blue = (int(element.background[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, _ = rgb_to_hls(red, green, blue)
    name = next(name for most, name in _COLORS if hue * 360 < most)
    return name if 0.2 < light < 0.8 else ""


# ---- what elements are for ---------------------------------------------------------------------


def _instruction(way: str, text: str, one: Candidate) -> Instruction:
    return Instruction(way, text, one.element, one.box, _seen(one))


def _deeds(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell what a button does, and for which of several things."""
    screen = snapshot.screen
    words = words_of(screen.language)
    if words is None:
        return
    acting = [each for each in usable if each.kind in {"button", "link"}]
    done = [(each, does) for each in acting if (does := deed(words, each.name)) is not None]
    counts = Counter(does for _, does in done)
    same = Counter(
        deed(words, one_line(e.text)) for e in screen.elements if e.role in {"button", "link"}
    )
    for each, does in done:
        effect = f"{does[0].lower()}{does[1:].rstrip('.')}"
        if counts[does] == 1 and same[does] <= 1:
            yield _instruction("effect", f"Use what {effect}.", each)
        elif (about := _about(screen, each.element)) is not None:
            yield _instruction("effect on", f"For “{about}”, use what {effect}.", each)


def _about(screen: Screen, element: Element) -> str | None:
    """Return the one heading of the card that an element stands in, if no other act is there."""
    card: Element | None = None
    for outer in screen.ancestors(element):
        headings = [each for each in inside(screen, outer) if each.role == "heading"]
        acts = [each for each in inside(screen, outer) if each.role == "button"]
        if headings:
            card = outer if len(headings) == 1 and len(acts) <= 1 else None
            if card is None:
                return None
            name = one_line(headings[0].text)
            same = [e for e in screen.elements if e.role == "heading" and one_line(e.text) == name]
            return name if name and len(same) == 1 else None
    return None


def _typed(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell what one would type."""
    screen = snapshot.screen
    fields = [each for each in screen.elements if each.role in _FIELDS]
    kinds = Counter(kind_of(screen, field) for field in fields)
    for each in usable:
        if each.kind in _FIELDS and each.element.kind == "password":
            if sum(field.kind == "password" for field in fields) == 1:
                yield _instruction("typing", "Type what nobody else may know.", each)
            continue
        kind = kind_of(screen, each.element) if each.kind in _FIELDS else None
        if kind is not None and kind in _TYPED and kinds[kind] == 1:
            yield _instruction("typing", f"Where would you {_TYPED[kind]}?", each)


def _chosen(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell an entry of a list that is not seen before the list is opened."""
    lists = [each for each in snapshot.screen.elements if each.options]
    offered = Counter(folded(text) for each in lists for text in set(each.options))
    shown = {folded(each.own) for each in snapshot.screen.elements if each.own}
    for each in usable:
        for entry in each.element.options if each.kind == "combobox" else ():
            hidden = folded(entry) not in shown and entry != each.element.value
            if hidden and offered[folded(entry)] == 1 and 1 < len(entry) <= 40:
                yield _instruction("entry", f"Where could you choose “{one_line(entry)}”?", each)


def _led(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell the title of the page that a link was found to lead to."""
    screen = snapshot.screen
    clicks = [each for each in snapshot.captured.clicks if each.title and each.outcome == "page"]
    titles = Counter(folded(each.title) for each in clicks)
    targets = Counter(each.href.partition("#")[0] for each in screen.elements if each.href)
    by_element = {each.element: each for each in clicks}
    for each in usable:
        click = by_element.get(each.element.id)
        target = each.element.href.partition("#")[0]
        if click is None or titles[folded(click.title)] > 1 or targets[target] > 1:
            continue
        if folded(click.title) != folded(screen.title):
            yield _instruction(
                "destination",
                f"Where would you click for the page “{one_line(click.title)}”?",
                each,
            )


def _switched(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell what a box or a switch decides."""
    for each in usable:
        if each.kind in _TOGGLES and _is_unique(snapshot.screen, each):
            yield _instruction("switching", f"Decide whether or not: “{each.name}”.", each)


def _searched(snapshot: Snapshot, usable: Sequence[Candidate]) -> Iterator[Instruction]:
    """Tell that something is looked for, where there is one field for it."""
    fields = [each for each in snapshot.screen.elements if _searches(each)]
    for each in usable:
        if each.kind == "searchbox" and fields == [each.element]:
            yield _instruction("searching", "You look for something and know a word of it.", each)


def _searches(element: Element) -> bool:
    """Whether an element may be a field to search with; some only open when they are clicked."""
    if element.role == "searchbox" or (element.role in _FIELDS and element.landmark == "search"):
        return True
    said = f"{element.name} {element.placeholder} {element.label}".casefold()
    wide = element.width >= _WIDE or element.role in _FIELDS
    return wide and element.role in {*_FIELDS, "button"} and bool(_SEARCH.search(said))
