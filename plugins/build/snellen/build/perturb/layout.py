"""Rearranging a page without changing its purpose.

WebRSSBench's script adds invisible elements and wraps elements that can't be wrapped. Here the
first edit is visible, the call to action and the first headings move at most two pixels, and the
page keeps its main text and almost its height.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from snellen.build.perturb.base import Attempted, ChangeMaker, Check, Declined
from snellen.build.screen.buttons import buttons, is_advertised, primary_button
from snellen.build.screen.elements import MARKED, After, Element, Screen
from snellen.build.screen.purpose import purpose
from snellen.tasks.browser.pinning import script

if TYPE_CHECKING:
    from playwright.sync_api import Page

NOTHING_TO_MOVE = "nothing that could be rearranged"
TEXT_LOST = "too much of its text is gone"
HEIGHT_CHANGED = "its height changed too much"

LEVELS = ("easy", "medium", "hard")
"""The level by the number of operators: one, two, three."""

TOLERANCE = 2.0
"""The maximum distance in pixels that the call to action and the first headings may move."""

_RETAINED = 0.85
_HEIGHTS = 0.15
_LARGEST = 0.12
_TRIES = 12
_BLOCK = (
    "display: block; height: 72px; margin: 12px 0; border-radius: 4px; list-style: none;"
    " background: color-mix(in srgb, currentColor 12%, transparent);"
    " border: 1px solid color-mix(in srgb, currentColor 30%, transparent);"
)
_BLOCKS = frozenset({"article", "aside", "div", "dl", "figure", "form", "ol", "p", "section", "ul"})
_WRAPPED = frozenset({"article", "div", "figure", "img", "p", "section"})
_PLACES = frozenset({"aside", "body", "footer", "main", "section"})
_INTO = frozenset({"article", "aside", "body", "div", "footer", "main", "section"})
_FIXED = frozenset({"dd", "dt", "option", "td", "th"})
_ASIDE = frozenset({"complementary", "contentinfo"})


class _Edit(NamedTuple):
    operator: str
    target: int
    other: int | None = None

    @property
    def parts(self) -> Sequence[int]:
        return [self.target] if self.other is None else [self.target, self.other]


class _Unchanged(NamedTuple):
    """The ids of the elements that must not change, and of their ancestors."""

    ids: Sequence[int]
    around: frozenset[int]


_Finder: TypeAlias = Callable[[Screen, _Unchanged], Iterator[_Edit]]


def rearrange(page: "Page", screen: Screen, random: Random) -> Attempted | Declined:
    """Apply one to three operators, the first of which is visible."""
    _, reason = purpose(screen)
    if reason:
        return Declined(reason)
    kept = _kept(screen)
    wanted = random.randrange(1, len(LEVELS) + 1)
    visible = ["delete", "insert", "swap"]
    random.shuffle(visible)
    done: list[_Edit] = []
    for operator in visible:
        done += _apply(page, screen, kept, operator, random, done)
        if done:
            break
    if not done:
        return Declined(NOTHING_TO_MOVE)
    rest = [name for name in OPERATORS if name != done[0].operator]
    random.shuffle(rest)
    for operator in rest:
        if len(done) < wanted:
            done += _apply(page, screen, kept, operator, random, done)
    return Attempted(
        elements=sorted(number for edit in done for number in edit.parts),
        record={
            "level": LEVELS[len(done) - 1],
            "operators": [edit.operator for edit in done],
            "targets": [[edit.target, edit.other] for edit in done],
        },
        kept=kept.ids,
        tolerance=TOLERANCE,
        checks=[_retained(screen), _as_tall(screen)],
    )


def _apply(
    page: "Page",
    screen: Screen,
    kept: _Unchanged,
    operator: str,
    random: Random,
    done: Sequence[_Edit],
) -> list[_Edit]:
    """Try an operator on some of its candidates; return the edit, if one was made."""
    edits = list(OPERATORS[operator](screen, kept))
    random.shuffle(edits)
    # Edits must not be nested in each other.
    touched = [screen.elements[number] for edit in done for number in edit.parts]
    for edit in edits[:_TRIES]:
        parts = [screen.elements[number] for number in edit.parts]
        if any(screen.nested(part, other) for part in parts for other in touched):
            continue
        made: bool = page.evaluate(
            script("build/perturb/layout.js"),
            {
                "operator": operator,
                "target": MARKED % edit.target,
                "other": None if edit.other is None else MARKED % edit.other,
                "kept": [MARKED % number for number in kept.ids],
                "tolerance": TOLERANCE,
                "block": _BLOCK,
            },
        )
        if made:
            return [edit]
    return []


def _kept(screen: Screen) -> _Unchanged:
    action = primary_button(screen)
    ids = {element.id for element in screen.elements if element.level == 1}
    if isinstance(action, Element):
        ids.add(action.id)
    around = {outer.id for number in ids for outer in screen.ancestors(screen.elements[number])}
    return _Unchanged(sorted(ids), frozenset(around | ids))


def _is_small(screen: Screen, element: Element) -> bool:
    return element.width * element.height <= _LARGEST * screen.width * screen.height


def _deletions(screen: Screen, kept: _Unchanged) -> Iterator[_Edit]:
    """Yield small blocks beside the content, advertisements, and pictures without a text."""
    pressed = {outer.id for element in buttons(screen) for outer in screen.ancestors(element)}
    for element in screen.elements:
        if element.id in kept.around or not _is_small(screen, element) or element.height < 12:
            continue
        aside = element.landmark in _ASIDE and element.tag in _BLOCKS and element.id not in pressed
        picture = element.role == "img" and not element.alt and element.width >= 40
        paid = element.tag in _BLOCKS and is_advertised(screen, element)
        if aside or picture or paid:
            yield _Edit("delete", element.id)


def _insertions(screen: Screen, kept: _Unchanged) -> Iterator[_Edit]:
    """Yield places after blocks, outside of the elements that must not change."""
    for element in screen.elements:
        parent = next(screen.ancestors(element), None)
        if (
            element.tag in _BLOCKS
            and element.height >= 16
            and element.width >= 200
            and parent is not None
            and parent.tag in _PLACES
            and element.id not in kept.around
        ):
            yield _Edit("insert", element.id)


def _swaps(screen: Screen, kept: _Unchanged) -> Iterator[_Edit]:
    """Yield neighbors of one kind with different texts."""
    for parent in screen.elements:
        children = [
            child
            for child in screen.children(parent)
            if child.id not in kept.around and child.width >= 30 and child.height >= 16
        ]
        for first, second in pairwise(children):
            same = first.tag == second.tag and first.tag not in _FIXED
            if same and first.text != second.text:
                yield _Edit("swap", first.id, second.id)


def _wraps(screen: Screen, kept: _Unchanged) -> Iterator[_Edit]:
    """Yield blocks that can be wrapped in a `div`."""
    for element in screen.elements:
        parent = next(screen.ancestors(element), None)
        if (
            element.tag in _WRAPPED
            and parent is not None
            and parent.tag in _INTO
            and element.id not in kept.around
        ):
            yield _Edit("wrap", element.id)


def _roles(screen: Screen, kept: _Unchanged) -> Iterator[_Edit]:
    """Yield buttons other than the call to action, which become a `div` with that role."""
    for element in buttons(screen):
        if element.tag in {"button", "input"} and element.id not in kept.around:
            yield _Edit("role", element.id)


OPERATORS: Mapping[str, _Finder] = {
    "delete": _deletions,
    "insert": _insertions,
    "swap": _swaps,
    "wrap": _wraps,
    "role": _roles,
}


def _retained(screen: Screen) -> Check:
    texts = {element.id: element.own for element in screen.elements if element.own}
    total = sum(map(len, texts.values()))

    def check(after: After) -> str | None:
        left = sum(
            len(text)
            for number, text in texts.items()
            if (now := after.elements.get(number)) is not None and now.own == text
        )
        return TEXT_LOST if left < _RETAINED * total else None

    return check


def _as_tall(screen: Screen) -> Check:
    def check(after: After) -> str | None:
        change = abs(after.screen.height - screen.height)
        return HEIGHT_CHANGED if change > _HEIGHTS * screen.height else None

    return check


LAYOUT_CHANGES = (ChangeMaker("webrssbench/layout", "edit", rearrange),)
