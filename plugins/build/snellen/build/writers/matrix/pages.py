"""Questions about a page: kinds of elements, texts, spatial relations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations
from random import Random

from snellen.build.items import Made, Refused
from snellen.build.questions import spatial
from snellen.build.questions.lookup import box_of
from snellen.build.questions.marks import LETTERS, mark_box, mark_letters
from snellen.build.questions.text import one_line
from snellen.build.screen.buttons import labelled_buttons
from snellen.build.screen.elements import Element, Ltrb, Screen
from snellen.build.screen.fields import text_fields
from snellen.build.snapshots import Snapshot
from snellen.build.writers.matrix.shared import (
    PAGE,
    Ask,
    Reason,
    first_asked,
    lettered,
    made,
    refused,
    some_of,
)
from snellen.grading.parse.relations import Relation
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, projections

_LINES = 3
_ROLES = "object_recognition"
_PICTURE = 40.0
_SIDES: Mapping[Relation, str] = {
    Relation.LEFT: "to the left",
    Relation.RIGHT: "to the right",
    Relation.TOP: "above",
    Relation.BOTTOM: "below",
    Relation.TOP_LEFT: "above and to the left",
    Relation.TOP_RIGHT: "above and to the right",
    Relation.BOTTOM_LEFT: "below and to the left",
    Relation.BOTTOM_RIGHT: "below and to the right",
}
_RULE = (
    " Of two things that share a part of their heights, one is to the left; of two that share a"
    " part of their widths, one is above; others lie aslant."
)
_FEWEST_SIDES = 4
_GAP = 8.0
_CLEAR = 1 / 3
_ORDERED = 5
_NEARER = 1.4
_STEP = 12.0


# ---- Kinds of elements


def make_objects(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the kind of a marked element of the page."""
    screen = snapshot.screen
    kinds = _kinds(screen)
    if len(kinds) < 3:
        yield refused(_ROLES, Reason.FEW_ROLES)
        return
    # The kind is drawn before the element, so that frequent kinds are not good guesses.
    offered = random.sample(sorted(kinds), min(len(kinds), 5))
    kind = random.choice(offered)
    element = random.choice(kinds[kind])
    options = some_of(random, kind, offered)
    shown = spatial.Excerpt(spatial.window_around(screen, element, random), [element])
    yield made(
        snapshot,
        1,
        Ask(
            _ROLES,
            "element kind",
            "What is in the red box?",
            "accuracy",
            options.letter,
            {"marked": mark_box(shown.window.draft(snapshot), shown.boxes[0])},
            options.options,
            named=False,
            source="page",
            record=record_of(shown),
        ),
    )


def _kinds(screen: Screen) -> dict[str, list[Element]]:
    seen = [
        element
        for element in screen.elements
        if spatial.is_readable(element) and element.height <= 400
    ]
    by_kind = {
        "a button": [element for element in labelled_buttons(screen) if element.painted],
        "a text field": [element for element in text_fields(screen) if element.painted],
        # A declared heading over several lines looks like a paragraph.
        "a heading": [
            element
            for element in seen
            if element.role == "heading"
            and spatial.looks_like_heading(screen, element)
            and element.height <= _LINES * max(element.font_size, 8)
        ],
        "a picture": [
            element
            for element in seen
            if element.tag in {"img", "svg"} and min(element.width, element.height) >= _PICTURE
        ],
        "a checkbox": [element for element in seen if element.kind == "checkbox"],
        "a select list": [element for element in seen if element.tag == "select"],
        "a table": [element for element in seen if element.tag == "table"],
    }
    margin = 12
    return {
        kind: kept
        for kind, elements in by_kind.items()
        if (
            kept := [
                element
                for element in elements
                if spatial.is_readable(element)
                and element.box[0] >= margin
                and element.box[2] <= screen.width - margin
                and element.box[1] >= margin
                and element.box[3] <= screen.height - margin
            ]
        )
    }


def record_of(shown: spatial.Excerpt) -> dict[str, object]:
    """Return the shown part of a page and the elements of the question."""
    return {
        "window": [shown.window.upper, shown.window.lower],
        "elements": [element.id for element in shown.elements],
        "boxes": [spatial.rounded(box) for box in shown.boxes],
    }


# ---- Texts


def make_ocr(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the text in a red box, and for the heading that follows another one."""
    screen = snapshot.screen
    shown = spatial.some_shown(
        screen, spatial.said_once(screen, spatial.pointable(screen)), 1, random
    )
    if shown is None:
        yield refused("ocr", Reason.NO_TEXT)
    else:
        yield made(
            snapshot,
            1,
            Ask(
                "ocr",
                "text in a box",
                "What is written in the red box?",
                "anls",
                one_line(shown.elements[0].own),
                {"marked": mark_box(shown.window.draft(snapshot), shown.boxes[0])},
                named=False,
                source="page",
                record=record_of(shown),
            ),
        )
    pairs = spatial.following_headings(screen)
    if not pairs:
        yield refused("ocr", Reason.FEW_HEADINGS)
        return
    first, second = random.choice(pairs)
    yield made(
        snapshot,
        2,
        Ask(
            "ocr",
            "next heading",
            f"Which heading comes next below the heading “{one_line(first.text)}”?",
            "anls",
            one_line(second.text),
            {PAGE: snapshot.image()},
            source="page",
            record={"elements": [first.id, second.id], "box": spatial.rounded(second.box)},
        ),
    )


# ---- Spatial relations


def make_spatial(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the relation of two elements, for the nearest of several, or for their order."""
    screen = snapshot.screen
    parts = spatial.pointable(screen)
    askers: list[Callable[[], Ask | None]] = [
        lambda: _marked_pair(snapshot, parts, random),
        lambda: _named_pair(snapshot, parts, random),
        lambda: _nearest(snapshot, parts, random),
        lambda: _order(snapshot, parts, random),
    ]
    random.shuffle(askers)
    yield from first_asked(snapshot, askers) or [refused("spatial_relation", Reason.FEW_ELEMENTS)]


def relation(one: Ltrb, other: Ltrb) -> Relation:
    """Return the position of a box relative to another one."""
    boxes = [
        PageBox(left, top, right - left, bottom - top) for left, top, right, bottom in (one, other)
    ]
    return projections(boxes[0], boxes[1])


def _box(element: Element) -> Ltrb:
    return element.box


def _marked_pair(snapshot: Snapshot, parts: Sequence[Element], random: Random) -> Ask | None:
    pair = _pairs(snapshot.screen, parts, random, _box)
    if pair is None:
        return None
    shown, offered = pair
    images = {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)}
    question = "Where does the box B lie, seen from the box A?"
    return _sides(shown, _box, random, question, images, offered)


def _named_pair(snapshot: Snapshot, parts: Sequence[Element], random: Random) -> Ask | None:
    # An element that is no button is where its text is, not where its box, or its cell, ends.
    pair = _pairs(snapshot.screen, spatial.said_once(snapshot.screen, parts), random, box_of)
    if pair is None:
        return None
    shown, offered = pair
    name, other_name = (one_line(element.own) for element in shown.elements)
    question = f"Where does “{other_name}” lie, seen from “{name}”?"
    images = {"part": shown.window.picture(snapshot)}
    return _sides(shown, box_of, random, question, images, offered)


def _pairs(
    screen: Screen, parts: Sequence[Element], random: Random, place: Callable[[Element], Ltrb]
) -> tuple[spatial.Excerpt, Sequence[Relation]] | None:
    """Draw a direction that two parts of the page have, and two such parts.

    Also returns the directions it was drawn from. A direction that no two parts of the page have is
    not an option, so that each option is equally likely to be correct.
    """
    by_direction: dict[Relation, spatial.Excerpt] = {}
    for wanted in _SIDES:
        shown = spatial.some_shown(
            screen,
            parts,
            2,
            random,
            lambda two, wanted=wanted: (
                _is_clear(place(two[1]), place(two[0]))
                and relation(place(two[1]), place(two[0])) is wanted
            ),
        )
        if shown is not None:
            by_direction[wanted] = shown
    if len(by_direction) < _FEWEST_SIDES:
        return None
    offered = list(by_direction)
    return by_direction[random.choice(offered)], offered


def _is_clear(one: Ltrb, other: Ltrb) -> bool:
    """Whether two boxes share no part of a side, or clearly enough of one."""
    for axis in (0, 1):
        shared = min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis])
        least = min(one[axis + 2] - one[axis], other[axis + 2] - other[axis])
        if -_GAP < shared < max(_GAP, _CLEAR * least):
            return False
    return True


def _sides(
    shown: spatial.Excerpt,
    place: Callable[[Element], Ltrb],
    random: Random,
    question: str,
    images: Mapping[str, bytes],
    offered: Sequence[Relation],
) -> Ask:
    first, second = map(place, shown.elements)
    direction = relation(second, first)
    options = some_of(random, _SIDES[direction], [_SIDES[side] for side in offered], len(_SIDES))
    named = "marked" not in images
    return Ask(
        "spatial_relation",
        "named pair" if named else "marked pair",
        question + _RULE,
        "accuracy",
        options.letter,
        images,
        options.options,
        named=named,
        source="page",
        record={**record_of(shown), "relation": str(direction)},
    )


def _nearest(snapshot: Snapshot, parts: Sequence[Element], random: Random) -> Ask | None:
    def far(elements: Sequence[Element]) -> list[float]:
        x, y = _middle(elements[-1])
        return [((x - u) ** 2 + (y - v) ** 2) ** 0.5 for u, v in map(_middle, elements[:-1])]

    def fits(elements: Sequence[Element]) -> bool:
        first, second, *_ = sorted(far(elements))
        return second >= _NEARER * first

    shown = spatial.some_shown(snapshot.screen, parts, 6, random, fits)
    if shown is None:
        return None
    distances = far(shown.elements)
    right = distances.index(min(distances))
    return Ask(
        "spatial_relation",
        "nearest box",
        "Of which box is the middle the nearest to the middle of the box F?",
        "accuracy",
        LETTERS[right],
        {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)},
        [f"box {letter}" for letter in LETTERS[:5]],
        operations=("compare",),
        source="page",
        record={**record_of(shown), "distances": [round(distance, 1) for distance in distances]},
    )


def _middle(element: Element) -> tuple[float, float]:
    left, top, right, bottom = element.box
    return (left + right) / 2, (top + bottom) / 2


def _order(snapshot: Snapshot, parts: Sequence[Element], random: Random) -> Ask | None:
    side = random.choice((0, 1))

    def fits(elements: Sequence[Element]) -> bool:
        places = sorted(element.box[side] for element in elements)
        gaps = [second - first for first, second in pairwise(places)]
        return min(gaps) >= _STEP

    shown = spatial.some_shown(snapshot.screen, parts, _ORDERED, random, fits)
    if shown is None:
        return None
    order = sorted(range(_ORDERED), key=lambda place: shown.elements[place].box[side])
    orders = list(permutations(range(_ORDERED)))
    orders.remove(tuple(order))
    options = lettered(
        random,
        ", ".join(LETTERS[place] for place in order),
        [
            ", ".join(LETTERS[place] for place in candidate)
            for candidate in random.sample(orders, 4)
        ],
    )
    edge, way = ("left", "left to right") if side == 0 else ("upper", "top to bottom")
    return Ask(
        "spatial_relation",
        "order of boxes",
        f"In which order do the {edge} edges of the boxes lie, from {way}?",
        "accuracy",
        options.letter,
        {"marked": mark_letters(shown.window.draft(snapshot), shown.boxes)},
        options.options,
        operations=("compare", "sort"),
        source="page",
        record={**record_of(shown), "order": [LETTERS[place] for place in order]},
    )
