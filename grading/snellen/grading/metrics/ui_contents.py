"""ScreenQA's UI contents: the texts that answer a question, with and without their boxes.

An answer is a list of UI elements in reading order; an empty list means that the screen has no
answer. Each metric is the maximum over the raters, separately. Texts are compared unchanged unless
the caller normalizes them.

Source: screen_qa code/metrics.py (`sqa_uic_metrics`, `sqa_uic_bb_metrics`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from snellen.grading.errors import MetricError
from snellen.grading.metrics.boxes import (
    Edge,
    Ltrb,
    Matching,
    check_threshold,
    count_matches,
    f1_of_matches,
)

BoxedText: TypeAlias = tuple[Ltrb, str]
"""One UI element: its box (left, top, right, bottom) and its text."""

Normalize: TypeAlias = Callable[[str], str]

ORDERED_IOU = 0.1
"""The IoU that the ordered exact match asks for, whatever the threshold: so the published code."""


class UiContentsScore(NamedTuple):
    """The agreement of a list of UI texts with the raters' lists, each 0..1."""

    exact_match: float
    f1: float


class UiBoxesScore(NamedTuple):
    """The agreement of a list of UI elements with boxes with the raters' lists, each 0..1."""

    bbox_f1: float
    exact_match: float
    f1: float


class Element(NamedTuple):
    """A UI element prepared for comparison."""

    left: float
    top: float
    right: float
    bottom: float
    area: float
    text: str


class UiBoxesRule(NamedTuple):
    """The rule for the comparison of UI elements with boxes.

    Attributes:
        iou_threshold: Smallest IoU of two boxes that match, greater than 0 and up to 1.
        matching: The quantity that the assignment maximizes; "iou" is published.
        ordered: Whether the exact match compares the lists index by index, as published, always
            with IoU 0.1. Otherwise every element needs its own partner, in any order, at the
            threshold.
        normalize: Applied to every text before comparison; None leaves texts unchanged.
    """

    iou_threshold: float = 0.1
    matching: Matching = "iou"
    ordered: bool = True
    normalize: Normalize | None = None


def ui_contents(
    prediction: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    ordered: bool = True,
    normalize: Normalize | None = None,
) -> UiContentsScore:
    """Compare a list of UI texts with each rater's list.

    An empty prediction is correct (1, 1) if any rater gave an empty list, otherwise wrong (0, 0).
    For other predictions, empty references are ignored. F1 counts equal texts in any order.

    Args:
        prediction: The predicted texts, in reading order.
        references: One list of texts per rater.
        ordered: Whether the exact match respects the order, as published.
        normalize: Applied to every text before comparison; None (published) leaves it unchanged.

    Raises:
        MetricError: There are no references.

    >>> ui_contents(["b", "a"], [["a", "b"]])
    UiContentsScore(exact_match=0.0, f1=1.0)
    """
    if not references:
        raise MetricError("UI contents need at least one rater's list to compare with")
    if not prediction:
        right = float(any(not reference for reference in references))
        return UiContentsScore(right, right)
    texts = _normalized(prediction, normalize)
    bag = Counter(texts)
    exact, best = False, 0.0
    for reference in references:
        if not reference:
            continue
        gold = _normalized(reference, normalize)
        gold_bag = Counter(gold)
        exact = exact or (texts == gold if ordered else bag == gold_bag)
        best = max(best, f1_of_matches((bag & gold_bag).total(), len(texts), len(gold)))
    return UiContentsScore(float(exact), best)


def ui_contents_boxes(
    prediction: Sequence[BoxedText],
    references: Sequence[Sequence[BoxedText]],
    *,
    iou_threshold: float = 0.1,
    matching: Matching = "iou",
    ordered: bool = True,
    normalize: Normalize | None = None,
) -> UiBoxesScore:
    """Compare a list of UI elements with boxes with each rater's list.

    An empty prediction is correct (1, 1, 1) if any rater gave an empty list, otherwise wrong. For
    other predictions, empty references are ignored. `bbox_f1` matches boxes and ignores texts. `f1`
    matches only pairs of equal text, in a separate assignment. IoUs below the threshold become 0
    before the assignment. A box without area, or with a side that is NaN or infinite, matches
    nothing.

    Args:
        prediction: The predicted elements, in reading order; boxes left, top, right, bottom.
        references: One list of elements per rater, boxes in the same space.
        iou_threshold: Smallest IoU of two boxes that match (>=), greater than 0 and up to 1.
        matching: The quantity that the assignment maximizes: the sum of IoU, as published, or the
            number of matches.
        ordered: Whether the exact match compares index by index, as published, always with IoU 0.1;
            otherwise in any order, at the threshold.
        normalize: Applied to every text before comparison; None (published) leaves it unchanged.

    Raises:
        MetricError: There are no references, or the threshold is out of range.

    >>> reference = [((0, 0, 10, 10), "OK"), ((10, 0, 20, 10), "OK")]
    >>> prediction = [((0, 0, 13, 10), "OK"), ((-8, 0, 2.9, 10), "OK")]
    >>> ui_contents_boxes(prediction, [reference]).f1
    0.5
    >>> ui_contents_boxes(prediction, [reference], matching="count").f1
    1.0
    """
    rule = UiBoxesRule(iou_threshold, matching, ordered, normalize)
    check_threshold(iou_threshold)
    return score_elements(prediction, [elements(each, normalize) for each in references], rule)


def elements(boxed: Iterable[BoxedText], normalize: Normalize | None) -> list[Element]:
    """Prepare elements for comparison."""
    return [
        Element(*box, (box[2] - box[0]) * (box[3] - box[1]), normalize(text) if normalize else text)
        for box, text in boxed
    ]


def score_elements(
    prediction: Sequence[BoxedText], references: Sequence[Sequence[Element]], rule: UiBoxesRule
) -> UiBoxesScore:
    """Compare a prediction with prepared references, under a rule with a valid threshold.

    Raises:
        MetricError: There are no references.
    """
    if not references:
        raise MetricError("UI contents need at least one rater's list to compare with")
    if not prediction:
        right = float(any(not reference for reference in references))
        return UiBoxesScore(right, right, right)
    best = UiBoxesScore(0.0, 0.0, 0.0)
    for reference in references:
        if not reference:
            continue
        score = _score_rater(prediction, reference, rule)
        if score == (1, 1, 1):
            return score
        best = UiBoxesScore(*map(max, best, score))
    return best


def _score_rater(
    prediction: Sequence[BoxedText], reference: Sequence[Element], rule: UiBoxesRule
) -> UiBoxesScore:
    """Score against one rater's list, neither list empty."""
    edges: list[Edge] = []
    same: list[Edge] = []
    threshold, normalize = rule.iou_threshold, rule.normalize
    in_place = 0
    for i, ((left, top, right, bottom), text) in enumerate(prediction):
        area = (right - left) * (bottom - top)
        said = normalize(text) if normalize else text
        for j, (left2, top2, right2, bottom2, area2, text2) in enumerate(reference):
            # Calls of min and max would be slower; this takes nine tenths of the time.
            width = (right if right < right2 else right2) - (left if left > left2 else left2)
            if width <= 0:
                continue
            height = (bottom if bottom < bottom2 else bottom2) - (top if top > top2 else top2)
            overlap = width * height
            if height <= 0 or overlap <= 0:
                continue
            value = overlap / (area + area2 - overlap)
            if value >= threshold:
                edges.append((i, j, value))
                if said == text2:
                    same.append((i, j, value))
            if i == j and value >= ORDERED_IOU and said == text2:
                in_place += 1
    sizes = (len(prediction), len(reference))
    boxes = count_matches(edges, sizes, rule.matching)
    both = boxes if len(same) == len(edges) else count_matches(same, sizes, rule.matching)
    if sizes[0] != sizes[1]:
        exact = False
    elif rule.ordered:
        exact = in_place == sizes[0]
    else:
        exact = both == sizes[0] or count_matches(same, sizes, "count") == sizes[0]
    return UiBoxesScore(f1_of_matches(boxes, *sizes), float(exact), f1_of_matches(both, *sizes))


def _normalized(texts: Iterable[str], normalize: Normalize | None) -> list[str]:
    return list(map(normalize, texts)) if normalize else list(texts)
