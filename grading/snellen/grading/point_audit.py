"""Coordinate audit: the score of a run's answers in every coordinate space.

Models answer in the space that they were trained on: fractions, hundredths or thousandths of the
image, its pixels, or the pixels of a resized view; a few put y first. A protocol reads only one of
these, so a model that points well can score close to 0. The audit reads every answer in every
space, plausible or not. A point hits if it lies in the target, edges included; a box hits if its
IoU is at least 0.5.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import comb, prod
from typing import NamedTuple

import numpy as np

from snellen.grading.actions.declaring import undeclared
from snellen.grading.coordinates import (
    HUNDRED,
    PIXELS,
    THOUSAND,
    UNIT,
    VIEW,
    CoordinateSpace,
)
from snellen.grading.errors import MetricError
from snellen.grading.grade import CODES, Answers, Columns, Grader
from snellen.grading.models.geometry import Size, Space
from snellen.grading.models.scores import TOO_LONG, Outcome
from snellen.grading.parse.envelope import answer_in
from snellen.grading.parse.responses import as_python_text
from snellen.grading.pointing.points import (
    box_four_numbers,
    robust_box,
    robust_point,
)
from snellen.grading.protocols.base import (
    NO_CONTEXT,
    BoolArray,
    Context,
    FloatArray,
    Gold,
    IntArray,
    Protocol,
)
from snellen.grading.protocols.golds import TARGET_BOX, Target, sized, unit_target
from snellen.grading.protocols.table import gold_shape, protocols_of
from snellen.grading.stats.paired import sign_test

LEAST_GAIN = 0.05
"""Another space is worth a warning from this gain in the score on."""

LEVEL = 0.01
"""The level of the test behind a warning, over all readings together (Bonferroni)."""

FEWEST = 3
"""So many independent answers that gain, and none that loses, can be told from chance hits."""


MOST_FEW = 100
"""With more answers the sign test suffices."""

SPACES = (UNIT, HUNDRED, THOUSAND, PIXELS, VIEW)
"""The spaces that answers are read in: those that protocols declare, and two that none does.

`VIEWS` come after these, x first only.

Of two that explain answers equally well the earlier is named.
"""

LONGEST_SIDES = (1024, 1280, 1568, 2000, 2048)
"""To what APIs and their users scale the longest side of a screenshot down.

If a run's view is unknown, answers are read in pixels of each of these views too.
"""

VIEWS = {
    side: CoordinateSpace(f"view_{side}", f"pixels of a view of which the longest side is {side}")
    for side in LONGEST_SIDES
}


class Targets(NamedTuple):
    """The items of a grounding task, as columns.

    Attributes:
        golds: The targets.
        contexts: The items' contexts for parsers; empty: derived from the golds.
        views: The size of the resized image that the model saw; None and empty: the size to which
            UI-TARS and Qwen2-VL resize the original.
    """

    golds: Sequence[Target]
    contexts: Sequence[Context] = ()
    views: Sequence[Size | None] = ()

    def seen_in(self, longest: float) -> "Targets":
        """Return these targets with views whose longest side is scaled down to `longest`."""
        contexts = self.contexts or [NO_CONTEXT] * len(self.golds)
        sizes = scaled(_extents(PIXELS, self._replace(contexts=contexts)), longest).tolist()
        views = [None if wide != wide else Size(width=wide, height=high) for wide, high in sizes]
        return self._replace(views=views)

    def of(self, items: Sequence[int]) -> "Targets":
        """Return the targets with these indices, in this order."""
        return Targets(
            *([column[item] for item in items] if column else () for column in self)  # pyright: ignore[reportArgumentType]  # columns keep their types
        )


@dataclass(frozen=True, slots=True)
class SpaceReading:
    """The score of all answers read in one space."""

    space: CoordinateSpace  # the coordinate space
    swapped: bool  # whether y comes first
    score: float  # the share of hits
    p: float  # the p-value of the gain over the protocol's reading; see `gain_p`

    @property
    def words(self) -> str:
        """A short description of the reading."""
        return f"{self.space.words}, y first" if self.swapped else self.space.words


@dataclass(frozen=True, slots=True)
class CoordinateAudit:
    """The scores of a run's answers in every space.

    Attributes:
        answers: The number of answers that contain numbers; scores are means over these.
        unread: The number of them that the protocol cannot read.
        as_read: Their score as the protocol reads them.
        readings: Their score in each space, the best first. Pixel spaces are included if the size
            of every image is known.
        warning: One or two sentences if another space explains a low score; else empty.
        protocol: The protocol of the task that grades in that space, if there is one.
        space: The space to declare for these answers, if another explains them.
    """

    answers: int
    unread: int
    as_read: float
    readings: tuple[SpaceReading, ...]
    warning: str = ""
    protocol: str = ""
    space: str = ""


class Plainly(NamedTuple):
    """The score of numbers written in the form that a protocol reads best."""

    score: float
    form: str


class _ScoredAnswer(NamedTuple):
    """A response, its score under the protocol, and whether the protocol could not read it."""

    item: int
    response: object
    value: float
    unread: bool


class _Numbers(NamedTuple):
    """The numbers of one answer, alternating x and y.

    `fixed` means that the text states them as fractions (percent).
    """

    numbers: tuple[float, ...]
    fixed: bool


def audit_coordinates(
    protocol: Protocol,
    targets: Targets,
    batches: Iterable[Answers],
    *,
    clusters: IntArray | None = None,
) -> CoordinateAudit | None:
    """Score a run's answers in every space, and warn if another space explains a low score.

    The numbers come from robust parsers (`robust_point`, `robust_box`). So answers that a strict
    parser misreads or cannot read gain too; `unread` counts the latter. A warning requires a gain
    of at least `LEAST_GAIN`, significant at `LEVEL` (`gain_p`).

    Args:
        protocol: A protocol that grades points or boxes.
        targets: The items.
        batches: The answers; missing ones and errors are left out.
        clusters: A code for each item, equal for dependent items (of a screenshot); None: items are
            independent.

    Returns:
        The audit; None if no answer contains numbers.

    Raises:
        MetricError: The protocol's references are not targets.
    """
    if not auditable(protocol, targets.golds):
        raise MetricError(f"{protocol.task} has no coordinates to audit")
    if not targets.contexts:
        shape = gold_shape(protocol.task)
        targets = targets._replace(contexts=[shape.context(gold) for gold in targets.golds])
    grader = Grader.of(protocol, targets.golds, targets.contexts)
    auditor = Auditor(protocol, targets)
    for batch in batches:
        auditor.add(batch, grader.batch(batch))
    return auditor.result(clusters)


def auditable(protocol: Protocol, golds: Sequence[Gold]) -> bool:
    """Whether a task's references are targets, and the protocol reads coordinates."""
    return any(key in ("accuracy", "iou") for key in protocol.metric.keys) and all(
        isinstance(gold, Target) for gold in golds
    )


class Auditor:
    """Audits answers while they are graded, batch by batch.

    Args:
        protocol: The protocol that grades them.
        targets: The items, each with a context.
        most: The approximate number of answers to keep, at evenly spaced items; None: all.
    """

    def __init__(self, protocol: Protocol, targets: Targets, *, most: int | None = None) -> None:
        self._protocol = protocol
        self._targets = targets
        self._stride = 1 if most is None else max(1, -(-len(targets.golds) // most))
        self._seen: list[_ScoredAnswer] = []

    def add(self, answers: Answers, columns: Columns) -> None:
        """Add a batch and its scores under the protocol."""
        metric = self._protocol.metric
        primary = metric.keys.index(metric.primary)
        errors = answers.errors
        for row in np.flatnonzero(answers.items % self._stride == 0).tolist():
            response = answer_in(answers.responses[row])
            if response is None or (errors is not None and errors[row] is not None):
                continue
            self._seen.append(
                _ScoredAnswer(
                    int(answers.items[row]),
                    response,
                    float(columns.values[row, primary]),
                    int(columns.outcomes[row]) == CODES[Outcome.UNPARSED],
                )
            )

    def advice(self, clusters: IntArray | None = None) -> CoordinateAudit | None:
        """Return the audit if another space explains a low score; else None, fast if it is high."""
        if not self._seen or np.mean([one.value for one in self._seen]) > 1 - LEAST_GAIN:
            return None
        found = self.result(clusters)
        return found if found is not None and found.warning else None

    def directions(self) -> None:
        """Return no warning: a point or a box has no direction."""

    def result(self, clusters: IntArray | None = None) -> CoordinateAudit | None:
        """Return the audit of all answers so far; None if none contains numbers."""
        boxes = gold_shape(self._protocol.task) is TARGET_BOX
        read = [(_numbers(one.response, boxes=boxes), one) for one in self._seen]
        known = [(numbers, one) for numbers, one in read if numbers is not None]
        if not known:
            return None
        items = np.array([one.item for _, one in known], dtype=np.int64)
        as_read = np.array([one.value for _, one in known])
        codes = None if clusters is None else clusters[items]
        targets = self._targets.of(items.tolist())
        numbers, areas = [one for one, _ in known], _areas(targets)
        readings = [
            SpaceReading(
                space, swapped, float(hits.mean()), gain_p(as_read, hits, areas, clusters=codes)
            )
            for space, swapped, hits in _readings(numbers, targets)
        ]
        found = CoordinateAudit(
            answers=len(known),
            unread=sum(one.unread for _, one in known),
            as_read=float(as_read.mean()),
            readings=tuple(sorted(readings, key=lambda reading: -reading.score)),
        )
        if not gains(found):
            return found
        best, points = found.readings[0], np.array([one.numbers for one in numbers])
        fixed = np.array([one.fixed for one in numbers], dtype=np.bool_)
        # Percentages are already fractions; write them in the best space, like all others.
        counted = np.tile(_extents(best.space, targets), points.shape[1] // 2)
        plain = Plainly(0.0, "")
        if not best.swapped:
            said = np.where(fixed[:, None], points * counted, points)
            plain = plainly(self._protocol, targets.golds, targets.contexts, said)
        form = form_of([one.response for _, one in known], percent=fixed.tolist(), boxes=boxes)
        return _warned(found, self._protocol, plain, form, sampled=self._stride > 1)


def _numbers(response: object, *, boxes: bool) -> _Numbers | None:
    """Return the point or the box in a response, or None."""
    if response is TOO_LONG:
        return None
    text = as_python_text(undeclared(response))
    if text is None:
        return None
    if boxes:
        box = box_four_numbers(text) or robust_box(text)
        return None if box is None else _Numbers(box.ltrb, box.space is Space.UNIT)
    if plain := _PLAIN.fullmatch(text):
        return _Numbers((float(plain[1]), float(plain[2])), fixed=False)
    point = robust_point(text)
    return None if point is None else _Numbers((point.x, point.y), point.space is Space.UNIT)


# The form of most models, for a fast path.
_PLAIN = re.compile(r"[(\[](\d{1,6}(?:\.\d{1,9})?), (\d{1,6}(?:\.\d{1,9})?)[)\]]")


def _readings(
    answers: Sequence[_Numbers], targets: Targets
) -> Iterable[tuple[CoordinateSpace, bool, FloatArray]]:
    """Yield the hits in each space in which all targets, one per answer, are known."""
    pairs = zip(targets.golds, targets.contexts, strict=True)
    boxes = [unit_target(gold, context) for gold, context in pairs]
    if None in boxes:
        return
    golds = np.array(boxes, dtype=np.float64)
    numbers = np.array([answer.numbers for answer in answers], dtype=np.float64)
    fixed = np.array([answer.fixed for answer in answers], dtype=np.bool_)
    hit = _points_hit if numbers.shape[1] == 2 else _boxes_hit
    whole = _extents(PIXELS, targets)
    extents = {space: _extents(space, targets) for space in SPACES}
    views = {} if targets.views else {one: scaled(whole, side) for side, one in VIEWS.items()}
    views = {one: extent for one, extent in views.items() if (extent < whole).any()}
    for swapped in (False, True):
        order = [index ^ int(swapped) for index in range(numbers.shape[1])]
        for space, extent in {**extents, **({} if swapped else views)}.items():
            if np.isnan(extent).any():
                continue
            own = np.where(fixed[:, None], 1.0, extent)
            moved = numbers[:, order] / np.tile(own, numbers.shape[1] // 2)
            yield space, swapped, hit(moved, golds).astype(np.float64)


def gain_p(
    as_read: FloatArray, read: FloatArray, areas: FloatArray, *, clusters: IntArray | None = None
) -> float:
    """Return the p-value of a reading's gain over the protocol's.

    It is that of the sign test, answers that gain against answers that lose. A few answers can't
    win that test. So if the reading is right on at least half of them, gains on `FEWEST` and loses
    on none, it is also the probability that as many groups of them hit by chance.

    Args:
        as_read: The answers' scores as the protocol reads them.
        read: Their scores in another reading.
        areas: The probability of each that a point anywhere on the image is right.
        clusters: A code for each answer, equal for dependent ones; None: they are independent.
    """
    p = sign_test(as_read, read, clusters)
    if len(read) > MOST_FEW or (read < as_read).any() or read.mean() < 0.5:
        return p
    codes = np.arange(len(read)) if clusters is None else clusters
    gained = read > as_read
    groups = {code: float(areas[gained & (codes == code)].max()) for code in codes[gained].tolist()}
    if len(groups) < FEWEST:
        return p
    return min(p, comb(len(set(codes.tolist())), len(groups)) * prod(groups.values()))


def _areas(targets: Targets) -> FloatArray:
    """Return the share of the image that each target takes; 1 where it is unknown."""
    pairs = zip(targets.golds, targets.contexts, strict=True)
    boxes = [unit_target(gold, context) or (0.0, 0.0, 1.0, 1.0) for gold, context in pairs]
    sides = np.clip(np.array(boxes, dtype=np.float64), 0.0, 1.0)
    return (sides[:, 2:] - sides[:, :2]).prod(axis=1)


def _points_hit(points: FloatArray, golds: FloatArray) -> BoolArray:
    """Whether each point lies in its box, edges included."""
    return np.logical_and.reduce((golds[:, :2] <= points) & (points <= golds[:, 2:]), axis=1)


def _boxes_hit(boxes: FloatArray, golds: FloatArray) -> BoolArray:
    """Whether each box reaches an IoU of 0.5 with its target; one without area never does."""
    sides = np.minimum(boxes[:, 2:], golds[:, 2:]) - np.maximum(boxes[:, :2], golds[:, :2])
    common = np.clip(sides, 0.0, None).prod(axis=1)
    areas = [np.clip(each[:, 2:] - each[:, :2], 0.0, None).prod(axis=1) for each in (boxes, golds)]
    return (common > 0) & (2 * common >= areas[0] + areas[1] - common)


def _extents(space: CoordinateSpace, targets: Targets) -> FloatArray:
    """Return the size of each whole image in a space, items x 2; NaN if unknown."""
    extents = np.full((len(targets.golds), 2), np.nan)
    for item, (gold, context) in enumerate(zip(targets.golds, targets.contexts, strict=True)):
        image = sized(gold, context).image_size
        extent = space.extent(image, targets.views[item] if targets.views else None)
        if extent is not None:
            extents[item] = extent
    return extents


def scaled(sizes: FloatArray, longest: float) -> FloatArray:
    """Return the sizes of images after their longest side is scaled down to `longest` pixels.

    Args:
        sizes: Widths and heights, images x 2; NaN if unknown.
        longest: The maximum of the longest side; a smaller image keeps its size.
    """
    factors = np.minimum(1.0, longest / sizes.max(axis=1, keepdims=True))
    return sizes * factors


def gains(audit: CoordinateAudit) -> bool:
    """Whether a reading explains a low score."""
    if not audit.readings:
        return False
    best = audit.readings[0]
    return best.score - audit.as_read >= LEAST_GAIN and best.p * len(audit.readings) <= LEVEL


def _warned(
    audit: CoordinateAudit, protocol: Protocol, plain: Plainly, form: str, *, sampled: bool
) -> CoordinateAudit:
    """Add the advice: about the answers' form if that causes the loss, else about the space."""
    best = audit.readings[0]
    known = {other.id: other.name for other in protocols_of(protocol.task)}
    name = "" if best.swapped else known.get(best.space.id, "")
    name = "" if name == protocol.name else name
    graded = f" grade by `{name}`," if name else ""
    if best.swapped and best.space is THOUSAND:
        graded = " say format='gemini' (--format gemini), whose points have y first,"
    elif best.space in SPACES and not best.swapped:
        graded += f" say space={best.space.id!r} (--space {best.space.id}),"
    unread = (
        f" In {audit.unread:,} of them the protocol reads no answer at all." if audit.unread else ""
    )
    answers = f"{audit.answers:,} answers score"
    whose = f"a sample of {audit.answers:,} answers scores" if sampled else f"the {answers}"
    if plain.score > best.score - LEAST_GAIN:
        named = f" ({form})" if form else ""
        advice = (
            f"It reads that space, but not the form of these answers{named}: ask for"
            f" `{plain.form}` in the prompt{f', or grade by `{name}`' if name else ''}."
        )
    else:
        advice = (
            f"State in the prompt which space is wanted,{graded} or convert this model's"
            " coordinates."
        )
    warning = (
        f"Read as {best.words}, {whose} {best.score:.1%}; as"
        f" `{protocol.name}` reads them, {audit.as_read:.1%}.{unread} {advice}"
    )
    space = best.space.id if best.space in SPACES and not best.swapped else ""
    return replace(audit, warning=warning, protocol=name, space=space)


# ---- the form of the answers, independent of the coordinate space -----------------------------

_JSON = re.compile(r"[\"']\w+[\"']\s*:")
_MOST = 0.5
# The forms that published parsers of points and boxes read, the simplest first.
_POINTS = ("({}, {})", "[{}, {}]", "x={}, y={}", "click({}, {})", "Answer: [{}, {}]")
_BOXES = ("({}, {}, {}, {})", "[{}, {}, {}, {}]")


def plainly(
    protocol: Protocol, golds: Sequence[Gold], contexts: Sequence[Context], numbers: FloatArray
) -> Plainly:
    """Return the score of numbers under a protocol when they are written in the simplest forms.

    Args:
        protocol: A protocol that grades points or boxes.
        golds: A target for each answer.
        contexts: The context of each for the parser.
        numbers: The points or boxes in the space of their answers, answers x 2 or 4.

    Returns:
        The mean of the primary metric in the form with the highest score, and that form.
    """
    grader = Grader.of(protocol, golds, contexts)
    primary = protocol.metric.keys.index(protocol.metric.primary)
    rows = np.arange(len(golds), dtype=np.int64)
    written = [[_plain(number) for number in row] for row in numbers.tolist()]
    point = numbers.shape[1] == 2
    names = ("x", "y") if point else ("left", "top", "right", "bottom")

    def score(form: str) -> float:
        texts = [form.format(*row) for row in written]
        columns = grader.batch(Answers(rows, [0] * len(rows), texts))
        return float(columns.values[:, primary].mean())

    found = [Plainly(score(form), form.format(*names)) for form in (_POINTS if point else _BOXES)]
    return max(found, key=lambda one: one.score)


def form_of(responses: Sequence[object], *, percent: Sequence[bool], boxes: bool) -> str:
    """Return the form of most responses if published parsers do not read it.

    Args:
        responses: The responses.
        percent: Whether each states its numbers in percent.
        boxes: Whether the task requests boxes, so that a box is the expected form.

    Returns:
        `percent`, `JSON` or `boxes`; empty if most have another form.

    >>> form_of(['{"x": 0.5, "y": 0.2}'], percent=[False], boxes=False)
    'JSON'
    """
    texts = [as_python_text(response) or "" for response in responses]
    shares = {
        "percent": np.mean(percent),
        "JSON": np.mean([_JSON.search(text) is not None for text in texts]),
        "boxes": 0.0 if boxes else np.mean([robust_box(text) is not None for text in texts]),
    }
    return next((name for name, share in shares.items() if share > _MOST), "")


def _plain(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
