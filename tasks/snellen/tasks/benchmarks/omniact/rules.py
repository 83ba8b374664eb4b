"""How OmniACT's clicks are scored: by how far a point is from its box, in pixels.

Source: UGround offline_evaluation/OmniACT (3a9b9f2), extract_grounding_query.py and eval_action.py,
which follow the paper (arXiv 2402.17553).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import hypot

from snellen.grading.coordinates import PIXELS
from snellen.grading.metrics.boxes import point_in_box
from snellen.grading.pointing.points import ReadPoint
from snellen.grading.protocols import base, golds, pointing, spaces
from snellen.grading.protocols.golds import GoldShape

CLICK = "omniact/click"

_CALL = re.compile(r"pyautogui\.click\(([^,)]*)(?:,([^,)]*))?")


def _script(text: str) -> ReadPoint | None:
    """Read the one line of a script; coordinates that are no numbers are the point (0, 0)."""
    lines = [line.strip() for line in text.split("\n") if line.strip().startswith("pyautogui")]
    call = _CALL.match(lines[0]) if len(lines) == 1 else None
    if call is None:
        return None
    try:
        return ReadPoint(float(call[1]), float(call[2] or ""))
    except ValueError:
        return ReadPoint(0.0, 0.0)


def _pixels(point: ReadPoint, _: base.Context) -> base.Parsed:
    # Never in fractions, in which a distance is another one.
    return pointing.pixels(point, base.Context())


def closeness(answer: base.AnswerValue, gold: base.Gold, _: object) -> tuple[float, float]:
    """Return mu / (mu + distance) of a point, and whether it lies in its box, edges included.

    The distance is that of the point from the box, 0 inside, and mu the length of the box's
    diagonal, both in pixels. Source: `dynamic_dirichlet_l2_penalty` in eval_action.py; this is 1
    less the penalty.

    Raises:
        PublishedCrashError: The box is one point, and the answer is that point.
    """
    (x, y), box = answer, spaces.box_in(PIXELS, gold)
    left, top, right, bottom = box
    distance = hypot(max(left - x, x - right, 0.0), max(top - y, y - bottom, 0.0))
    mu = hypot(right - left, bottom - top)
    if mu + distance == 0:
        raise base.PublishedCrashError
    return mu / (mu + distance), float(point_in_box(x, y, box))


def _our_closeness(
    answer: base.AnswerValue, gold: base.Gold, normalize: object
) -> tuple[float, float]:
    """As `closeness`, of a point in fractions or in pixels; one in the box, exactly, is 1."""
    (hit,) = spaces.point_hit(answer, gold, normalize)
    if hit:
        return 1.0, 1.0
    point = answer
    if not isinstance(answer, spaces.InPixels):
        if gold.image_size is None:
            raise base.UnjudgeableError("a distance in pixels needs image_size in the reference")
        point = answer[0] * gold.image_size[0], answer[1] * gold.image_size[1]
    return closeness(point, gold, normalize)[0], 0.0


def _penalty(compare: base.Compare, measure: base.Measure) -> base.Metric:
    keys = ("action_score", "accuracy")
    return base.pairwise("1 less the click penalty, in pixels", keys, keys[0], compare, (measure,))


_OFFICIAL = replace(
    pointing.robust_pointing(CLICK),
    id="official",
    version=1,
    source="UGround offline_evaluation/OmniACT/eval_action.py (3a9b9f2)",
    special="requires one line `pyautogui.click(x, y)` in pixels; a point beside the box has a part"
    " of its score",
    parser=pointing.point_parser(
        "the one line of a script, `pyautogui.click(x, y)`", _script, _pixels
    ),
    metric=_penalty(closeness, spaces.DISTANCE_OF_PIXELS),
    write=pointing.writes("pyautogui.click({x}, {y})", PIXELS),
)

_ROBUST = replace(
    pointing.robust_pointing(CLICK),
    special="like `official`, in any format; in the unit that the answer or its format declares,"
    " else fractions if it has decimals in 0..1, else pixels",
    metric=_penalty(_our_closeness, spaces.DISTANCE),
)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    CLICK: (_ROBUST, *pointing.point_protocols(_OFFICIAL)[1:])
}
GOLDS: Mapping[str, GoldShape] = {CLICK: golds.TARGET_IN_IMAGE}
