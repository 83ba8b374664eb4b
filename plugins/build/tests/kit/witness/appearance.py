"""Checks of an item's pictures: the page, the marks, and the content of the reference's box.

The expected picture follows from the item's task and record: the page at rest, a change of it, or a
part of either, with or without marks. The page at rest comes from a build, or from the picture that
most items of the page share.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.grading.metrics.boxes import Ltrb, iou
from snellen.grading.models.items import AnswerKind
from snellen.tasks.benchmarks.webrssbench.positions import PageBox, projections
from snellen.tasks.item_audit.pictures import Pixels
from witness.faults import Fault
from witness.pixels import (
    SHARP,
    crosses,
    cut,
    differing,
    extent,
    find,
    grown,
    ring,
    seen_in,
    sharpness,
    stands_alone,
)
from witness.views import (
    COLORS,
    RED,
    Check,
    Evidence,
    View,
    box_of,
    color_number,
    shown_after,
    shows_rest,
    unexplained,
    written_box,
)

LOOSE = 0.5
"""The minimum intersection over union of a box and its visible content."""

LOOSE_POINT = 0.25
"""The same for questions about a point in the box, which may be beside the content."""

DRAWN = 0.6
"""The minimum visible share of each side of a mark: letters and other marks may cover the rest."""

_TURNED = 0.25
_OTHER = 0.2
_INSET = 2
_AROUND = 10
_DRAWN_PIXELS = 30
_LEAST_CROP = 12
_RED_TASKS = MappingProxyType(
    {
        "visualwebbench/element_ocr": "screen",
        "visualwebbench/action_prediction": "screen",
        "webrssbench/ui_grouping": "screen",
        "webrssbench/form_filling": "screen",
        "webrssbench/hint_text": "screen",
        "webrssbench/text": "screen",
    }
)
_RED_KINDS = frozenset({"element kind", "text in a box", "press what is marked"})
_LETTERED_KINDS = frozenset(
    {
        "marked pair",
        "nearest box",
        "order of boxes",
        "choose what is named",
        "fill in a form",
        "fill in a form and send it",
    }
)
_LETTERED_TASKS = frozenset({"visualwebbench/element_ground", "visualwebbench/action_ground"})
_EMPTY_KINDS = frozenset(
    {"textbox", "searchbox", "spinbutton", "combobox", "listbox", "checkbox", "radio", "switch",
     "slider", "img"}
)  # fmt: skip
_EMPTY_NOUNS = ("field", "box", "list", "option", "switch", "slider", "image", "picture")


# ---- the correct picture -----------------------------------------------------------------------


def _size(view: View) -> Iterator[Evidence]:
    for image in view.item.line.item.images:
        own = view.sight.picture(view.item, image.name)
        if own is None or image.width is None or image.height is None:
            continue
        if own.shape != (image.height, image.width):
            listed, seen = f"{image.width} x {image.height}", f"{own.shape[1]} x {own.shape[0]}"
            yield Evidence(Fault.PICTURE_SIZE, listed, seen)


class _Base(NamedTuple):
    """The expected picture without marks."""

    pixels: Pixels
    what: str


def _base(view: View) -> _Base | None:
    sight, record = view.sight, view.record
    if record.get("chart") or sight.rest is None:
        return None
    window = record.get("window")
    if isinstance(window, list):
        upper, lower = (int(cast("float", edge)) for edge in cast("list[object]", window)[:2])
        return _Base(sight.rest[upper:lower], f"rows {upper} to {lower} of its page")
    if shows_rest(view.item):
        return _Base(sight.rest, "its page")
    mode = view.item.tags.get("mode")
    change = None if sight.page is None else sight.page.change(view.task, mode)
    pixels = None if change is None else sight.changed(change)
    return None if pixels is None else _Base(pixels, "its page after the change")


def _page(view: View) -> Iterator[Evidence]:
    own, base = view.picture, _base(view)
    if own is None:
        return
    if base is None:
        faint = view.item.tags.get("mode") == "low_contrast"
        if not faint and (sharp := sharpness(own)) < SHARP:
            yield Evidence(Fault.BLURRED, f"sharpness {SHARP:g} or more", f"{sharp:.2f}")
        return
    differs = unexplained(own, base.pixels)
    count = int(np.count_nonzero(differs))
    if not count:
        return
    yield _how(own, base, differs, count)


def _how(own: Pixels, base: _Base, differs: NDArray[np.bool_], count: int) -> Evidence:
    if own.shape == base.pixels.shape[::-1] or (
        own.shape == base.pixels.shape
        and min(
            np.count_nonzero(turned != base.pixels)
            for turned in (own[::-1, ::-1], own[::-1], own[:, ::-1])
        )
        < _TURNED * np.count_nonzero(own != base.pixels)
    ):
        return Evidence(Fault.TURNED, base.what)
    if own.shape != base.pixels.shape:
        sizes = [
            f"{picture.shape[1]} x {picture.shape[0]} pixels" for picture in (base.pixels, own)
        ]
        return Evidence(Fault.OTHER_PAGE, f"{base.what}, {sizes[0]}", sizes[1])
    where = extent(differs)
    evidence = f"{count:,} other pixels within {written_box(where)}"
    if sharpness(own) < 0.8 * sharpness(base.pixels):
        return Evidence(Fault.BLURRED, base.what, evidence)
    if count > _OTHER * differs.size:
        return Evidence(Fault.OTHER_PAGE, base.what, evidence)
    return Evidence(Fault.PAINTED, base.what, evidence)


def _pairs(view: View) -> Iterator[Evidence]:
    """Compare the pictures of a page before and after a change."""
    if view.item.tags.get("state") != "after" or view.item.line.pair is None:
        return
    own = view.picture
    for other in view.sight.items:
        same = other.task == view.task and other.line.pair == view.item.line.pair
        if not same or other.tags.get("state") != "before" or own is None:
            continue
        before = view.sight.rest
        if before is None or view.task in _RED_TASKS:
            before = view.sight.picture(other, other.line.item.images[0].name)
        if before is None:
            return
        if before.shape == own.shape and not np.count_nonzero(before != own):
            yield Evidence(Fault.SAME_AFTER)
            return
        recorded = view.record.get("pixels")
        changes: object = view.record.get("changes")
        if isinstance(changes, Mapping):
            mode = cast("Mapping[str, Mapping[str, object]]", changes).get(
                view.item.tags.get("mode", ""), {}
            )
            recorded = mode.get("pixels")
        unmarked = view.task not in _RED_TASKS
        if isinstance(recorded, int) and unmarked and (seen := differing(before, own)) != recorded:
            yield Evidence(
                Fault.PAINTED, f"{recorded:,} pixels that differ after the change", f"{seen:,}"
            )
        return


# ---- the marks ---------------------------------------------------------------------------------


def _marks(view: View) -> Iterator[Evidence]:
    own = view.picture
    if own is None or not view.boxes:
        return
    if view.task in _RED_TASKS or view.kind in _RED_KINDS:
        box = view.boxes[0]
        if ring(own, box, RED) < DRAWN:
            yield Evidence(Fault.NOT_MARKED, f"a red box at {written_box(box)}", "none there")
    elif view.kind in _LETTERED_KINDS:
        for index, box in enumerate(view.boxes[: len(COLORS)]):
            yield from _letter(own, box, index)
    elif view.task in _LETTERED_TASKS and len(view.item.right) == 1:
        (index,) = view.item.right
        yield from _letter(own, view.boxes[0], index)


def _letter(own: Pixels, box: Ltrb, index: int) -> Iterator[Evidence]:
    if index < len(COLORS) and ring(own, box, COLORS[index]) >= DRAWN:
        return
    seen = [number for number, color in enumerate(COLORS) if ring(own, box, color) >= DRAWN]
    wanted = f"{_name(index)} at {written_box(box)}"
    if seen:
        yield Evidence(Fault.WRONG_MARK, wanted, ", ".join(map(_name, seen)))
    else:
        yield Evidence(Fault.NOT_MARKED, wanted, "no letter")


def _name(index: int) -> str:
    return chr(ord("A") + index)


def _named_place(view: View) -> Iterator[Evidence]:
    """Compare the position in a prompt, in fractions, with the marked box."""
    size = view.size
    if size is None or not view.boxes or "red box at [" not in view.prompt:
        return
    sides = view.prompt.partition("red box at [")[2].partition("]")[0].split(",")
    try:
        fractions = [float(side_text) for side_text in sides]
    except ValueError:
        return
    if len(fractions) != 4:
        return
    scales = (size[0], size[1], size[0], size[1])
    apart = max(
        abs(fraction * scale - side)
        for fraction, scale, side in zip(fractions, scales, view.boxes[0], strict=True)
    )
    if apart > 0.002 * max(size) + 1:
        own = ", ".join(f"{s / k:.3f}" for s, k in zip(view.boxes[0], scales, strict=True))
        yield Evidence(Fault.WRONG_PLACE, f"[{own}]", f"[{','.join(sides)}]")


# ---- the parts of a page -----------------------------------------------------------------------


def _crops(view: View) -> Iterator[Evidence]:
    """Find each part in the picture it was cut from, and recompute the relations."""
    if view.item.line.item.answer_format.kind is not AnswerKind.RELATIONS:
        return
    own = view.sight.rest if view.sight.rest is not None else view.picture
    boxes: dict[str, PageBox] = {}
    for image in view.item.line.item.images[1:]:
        part = view.sight.picture(view.item, image.name)
        if part is None or own is None:
            return
        places = find(own, part)
        height, width = part.shape
        if not places:
            yield Evidence(Fault.NO_CROP, image.name, "nowhere")
            return
        if len(places) > 1:
            yield Evidence(Fault.TWO_PLACES, image.name, ", ".join(map(str, places[:3])))
            return
        left, top = places[0]
        boxes[image.name] = PageBox(left, top, int(width), int(height))
    gold = cast("Mapping[tuple[str, str], object]", view.item.gold)
    for one, other in combinations(sorted(boxes), 2):
        right = str(projections(boxes[one], boxes[other]))
        relation = gold.get((one, other))
        if relation is not None and str(relation) != right:
            yield Evidence(Fault.RELATIONS, f"{one} {right} of {other}", str(relation))
            return


# ---- the box -----------------------------------------------------------------------------------


def _boxes(view: View) -> Iterator[tuple[Ltrb, Pixels]]:
    """Yield the boxes of a reference, each with its picture."""
    own = view.picture
    if own is None:
        return
    if view.target is not None:
        yield view.target, own
    if view.item.line.item.answer_format.kind is AnswerKind.BOXED_TEXTS:
        raters = cast("list[list[tuple[Ltrb, str]]]", view.item.gold)
        for box in dict.fromkeys(box for rater in raters for box, _ in rater):
            yield box, own


def _seen(view: View) -> Iterator[Evidence]:
    """Check the content of a reference's box."""
    for box, own in _boxes(view):
        if not _can_be_seen(own, box):
            continue
        content = seen_in(own, box)
        if content is None:
            yield Evidence(Fault.FLAT, "something to be seen", f"one color at {written_box(box)}")
        elif iou(content, box) < _most_loose(view):
            yield Evidence(Fault.LOOSE, written_box(content), written_box(box))
        elif crosses(own, box):
            yield Evidence(Fault.CUT, "an edge that nothing crosses", written_box(box))


def _drawn(view: View) -> Iterator[Evidence]:
    """Check that the boxes in the record are not empty."""
    own = view.picture
    if own is None or view.target is not None:
        return
    for box in view.boxes:
        if _can_be_seen(own, box) and seen_in(own, box) is None:
            yield Evidence(Fault.FLAT, "something to be seen", f"one color at {written_box(box)}")
            return


def _calls(view: View) -> Iterator[Evidence]:
    """Check that the most important button is filled, and that nothing looks the same."""
    own, boxes = view.picture, view.boxes
    if view.task != "webrssbench/color" or own is None or not boxes or shown_after(view):
        return
    box, part = boxes[0], cut(own, grown(boxes[0], -_INSET))
    colors, counts = np.unique(part, return_counts=True)
    outer = cut(own, grown(box, 2))
    if colors[counts.argmax()] in (outer[0, 0], outer[-1, -1]):
        yield Evidence(Fault.FLAT, "a filled button", f"the color around {written_box(box)}")
    elif len(places := find(own, part)) > 1:
        yield Evidence(Fault.TWO_PLACES, written_box(box), ", ".join(map(str, places[:3])))


def _can_be_seen(own: Pixels, box: Ltrb) -> bool:
    part, around = cut(own, box), cut(own, grown(box, 3))
    return part.size >= _LEAST_CROP and around.size > part.size


def _most_loose(view: View) -> float:
    """Return the minimum overlap of a box and its visible content.

    It is 0 for an element that paints a shape, since faint shapes are visible, too.
    """
    painted = box_of(view.record.get("painted"))
    if painted is not None and view.target is not None and iou(painted, view.target) > LOOSE:
        return 0.0
    if any(element.painted for element in view.elements):
        return 0.0
    boxes = {AnswerKind.BOX, AnswerKind.BOXED_TEXTS}
    return LOOSE if view.item.line.item.answer_format.kind in boxes else LOOSE_POINT


def _copies(view: View) -> Iterator[Evidence]:
    """Check that no second place in the picture looks the same as the target."""
    box, own = view.target, view.picture
    # The heading of a card tells equal buttons apart.
    if box is None or own is None or _looks_empty(view) or "For “" in view.prompt:
        return
    # The box of a copy may differ by some pixels.
    part = cut(own, grown(box, -_INSET))
    if part.size < _LEAST_CROP**2 or len(np.unique(part)) < 8:
        return
    own_place = int(box[0]) + _INSET, int(box[1]) + _INSET
    others = [
        position
        for position in find(own, part)
        if max(abs(a - b) for a, b in zip(position, own_place, strict=True)) > 2
        and stands_alone(own, part, position) >= stands_alone(own, part, own_place)
    ]
    if others:
        yield Evidence(Fault.TWO_PLACES, written_box(box), ", ".join(map(str, others[:3])))


def _looks_empty(view: View) -> bool:
    """Whether the target is distinguished from similar elements by the text beside it."""
    role = str(view.record.get("role", ""))
    elements = view.elements
    if elements:
        role = elements[0].role
    noun = view.item.tags.get("kind", "")
    if role or noun:
        return role in _EMPTY_KINDS or any(part in noun for part in _EMPTY_NOUNS)
    return view.item.tags.get("data_type") == "icon" or not view.quoted


def _letters_at_elements(view: View) -> Iterator[Evidence]:
    """Check that the letter of each candidate is at its element."""
    own, screen = view.picture, view.screen
    candidates: object = view.record.get("candidates")
    is_lettered = view.task in _LETTERED_TASKS and isinstance(candidates, list)
    if own is None or screen is None or not is_lettered:
        return
    for index, element_id in enumerate(cast("list[object]", candidates)[: len(COLORS)]):
        if not isinstance(element_id, int) or element_id >= len(screen.elements):
            continue
        element = screen.elements[element_id]
        # The exact position depends on the visible part: of the element, or of what it holds.
        near = (
            cut(own, grown(part.box, _AROUND)) == color_number(COLORS[index])
            for part in (element, *screen.inside(element))
        )
        if not any(np.count_nonzero(mark) >= _DRAWN_PIXELS for mark in near):
            wanted = f"{_name(index)} at {written_box(element.box)}"
            yield Evidence(Fault.WRONG_MARK, wanted, "none")
            return


CHECKS: tuple[Check, ...] = (
    _size,
    _page,
    _pairs,
    _marks,
    _letters_at_elements,
    _named_place,
    _crops,
    _seen,
    _drawn,
    _copies,
    _calls,
)
"""The checks of this module."""
