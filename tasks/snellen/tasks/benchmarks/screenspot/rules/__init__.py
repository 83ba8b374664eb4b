"""How ScreenSpot, v2 and Pro are scored: a point in the target's box, edges included.

Source: SeeClick's and ScreenSpot-Pro's own code, and the harnesses that run them. They differ in
what numbers count, in which of an answer's numbers they take, and by a pixel in the box.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from snellen.grading.coordinates import PIXELS
from snellen.grading.metrics.boxes import Ltrb, point_in_box
from snellen.grading.pointing import screenspot
from snellen.grading.pointing.points import ReadPoint, seeclick_point_or_box
from snellen.grading.protocols import base, golds, pointing, spaces
from snellen.grading.protocols.golds import GoldShape, Target, is_in_fractions, without_unknowns

V1, V2, PRO = "screenspot-v1/point", "screenspot-v2/point", "screenspot-pro/point"

# ---- what an answer's numbers count ------------------------------------------------------------


def _by_magnitude(point: ReadPoint, context: base.Context) -> base.Parsed:
    largest = max(point.x, point.y)
    if largest > 1000:
        parsed = pointing.pixels(point, context)
    else:
        extent = 1 if largest <= 1 else 1000
        parsed = base.Parsed((point.x / extent, point.y / extent))
    if isinstance(parsed.answer, spaces.InPixels):
        return parsed
    # The harness writes the point with six decimals and reads it again.
    x, y = (float(f"{number:.6f}") for number in parsed.answer)
    return base.Parsed((x, y), None, "read by its size: up to 1, to 1000, or above")


def _whole_pair(text: str) -> ReadPoint | None:
    try:
        x, y = map(int, text.strip("()").split(", "))
        return ReadPoint(float(x), float(y))
    except (ValueError, OverflowError):
        return None


# ---- where the box lies ------------------------------------------------------------------------


def _box_less_a_pixel(gold: Target) -> Ltrb:
    left, top, right, bottom = spaces.unit_box(gold)
    if gold.image_size is None:
        raise base.UnjudgeableError("a box in fractions needs image_size beside it to lose a pixel")
    width, height = gold.image_size
    if not is_in_fractions(gold.bbox):
        # As published, in this order: the last digits can decide on an edge.
        less = without_unknowns((*gold.bbox[:2], gold.bbox[2] - 1, gold.bbox[3] - 1))
        return left, top, less[2] / width, less[3] / height
    return left, top, right - 1 / width, bottom - 1 / height


def _hit_in_image(name: str, box_of: Callable[[Target], Ltrb]) -> base.Metric:
    """Make a metric that wants the box to lie in the image, which takes the image's size."""

    def hit(answer: base.AnswerValue, gold: base.Gold, _: object) -> tuple[float]:
        box = box_of(gold)
        if not is_in_fractions(box):
            raise base.PublishedCrashError
        x, y = spaces.in_fractions(answer, gold)
        return (float(point_in_box(x, y, box)),)

    return spaces.point_metric(name, hit)


def _hit_by_size(answer: base.AnswerValue, gold: base.Gold, _: object) -> tuple[float]:
    (x, y), (left, top, right, bottom) = spaces.held(answer, gold)
    box = (left, top, left + (right - left), top + (bottom - top))
    return (float(point_in_box(x, y, box)),)


# ---- the protocols -----------------------------------------------------------------------------


_OFFICIAL = base.Protocol(
    V2,
    "official",
    1,
    "SeeClick pretrain/screenspot_test.py (661ff1b)",
    "reads a text with the word box as <box>(l,t),(r,b)</box> in thousandths; "
    "any other text must have exactly two or four numbers, in fractions",
    pointing.point_parser(
        "SeeClick's: a point, or the middle of a box", seeclick_point_or_box, pointing.fractions
    ),
    base.AS_IS,
    pointing.POINT_HIT,
    write=pointing.writes("({x}, {y})"),
)
_UGROUND = replace(
    _OFFICIAL,
    id="uground",
    source="UGround offline_evaluation/ScreenSpot/eval.py (3a9b9f2)",
    special="requires `(x, y)`, whole numbers in pixels, and no other text; the published code"
    " divides them by the row's `scale` first",
    parser=pointing.point_parser("UGround's `(x, y)`", _whole_pair, pointing.pixels),
    write=pointing.writes("({x}, {y})", PIXELS, 0),
)
_LMMS_EVAL = replace(
    _OFFICIAL,
    id="lmms-eval",
    source="lmms-eval tasks/screenspot_v2/utils.py (6c3e853)",
    special="assumes a 1 x 1 image, because its data has no size: an answer in pixels "
    "never hits; reads the first numbers of any text",
    parser=pointing.point_parser(
        "lmms-eval's: the first pair that it finds", screenspot.lmms_eval_point, pointing.fractions
    ),
)
_LMMS_EVAL_PRO = replace(
    _LMMS_EVAL,
    source="lmms-eval tasks/screenspot_pro/utils.py (226ba42)",
    special="pixels if either number exceeds 1; reads the first numbers of any text",
    parser=pointing.point_parser(
        "lmms-eval's: the first pair that it finds, pixels above 1",
        screenspot.lmms_eval_point,
        pointing.pixels_above_one,
    ),
)
_VLMEVALKIT = replace(
    _OFFICIAL,
    id="vlmevalkit",
    source="VLMEvalKit vlmeval/dataset/GUI/screenspot.py, screenspot_v2.py (055911d, 516d2ba)",
    special="requires `x=.., y=..`, anything else is the point (0, 0); pixels if either"
    " number exceeds 1; the box ends a pixel early: x+w-1, y+h-1",
    parser=pointing.point_parser(
        "VLMEvalKit's `x=.., y=..`", screenspot.vlmevalkit_point, pointing.pixels_above_one
    ),
    metric=_hit_in_image(
        "the point in the box less its last pixels, edges included", _box_less_a_pixel
    ),
    denominator=base.STOP_ON_CRASH,
    write=pointing.writes("x={x}, y={y}"),
)
_VLMEVALKIT_PRO = replace(
    _VLMEVALKIT,
    source="VLMEvalKit vlmeval/dataset/GUI/screenspot_pro.py (055911d)",
    special="requires `x=.., y=..`, anything else is the point (0, 0); pixels if either"
    " number exceeds 1",
    metric=_hit_in_image("the point in the box, edges included, in the image", spaces.unit_box),
)
_EVALSCOPE = replace(
    _OFFICIAL,
    id="evalscope",
    source="evalscope benchmarks/screenspot_pro/utils.py (3e5e7d9), screenspot_pro_adapter.py"
    " (0db6d7f)",
    special="the line after the last `Answer:`, else the last pair in brackets; fractions up to 1,"
    " thousandths up to 1000, pixels above; six decimals",
    parser=pointing.point_parser(
        "evalscope's: the line after `Answer:`", screenspot.evalscope_point, _by_magnitude
    ),
    write=pointing.writes("Answer: [{x}, {y}]"),
)
_SCREENSUITE = replace(
    _OFFICIAL,
    id="screensuite",
    source="ScreenSuite 0.0.1 benchmarks/perception/screenspot, benchmarks/utils.py"
    " (the click prompt in pixels)",
    special="requires click(x, y) in pixels; an unanswered item is omitted, an "
    "unreadable one scores 0",
    parser=pointing.point_parser(
        "ScreenSuite's `click(x, y)`", screenspot.screensuite_click, pointing.pixels
    ),
    metric=spaces.point_metric(
        "the point in the box, edges included, by width and height", _hit_by_size
    ),
    denominator=base.DROP_FAILED,
    write=pointing.writes("click({x}, {y})", PIXELS),
)
_OFFICIAL_PRO = replace(
    _OFFICIAL,
    source="ScreenSpot-Pro eval_screenspot_pro.py (588f1f2), with SeeClick's reading",
    special="the published code gets a point in fractions from each model's adapter; "
    "the parser here is SeeClick's: two or four numbers in fractions, or a "
    "<box> in thousandths",
)


def _of(task: str, *protocols: base.Protocol) -> tuple[base.Protocol, ...]:
    own = tuple(pointing.takes_declared(replace(protocol, task=task)) for protocol in protocols)
    return (*own, *pointing.declared_points(task))


PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    V1: _of(V1, pointing.robust_pointing(V1), _OFFICIAL, _UGROUND, _VLMEVALKIT),
    V2: _of(V2, pointing.robust_pointing(V2), _OFFICIAL, _LMMS_EVAL, _VLMEVALKIT, _SCREENSUITE),
    PRO: _of(
        PRO,
        pointing.robust_pointing(PRO),
        _OFFICIAL_PRO,
        _LMMS_EVAL_PRO,
        _VLMEVALKIT_PRO,
        _EVALSCOPE,
        _SCREENSUITE,
    ),
}

GOLDS: Mapping[str, GoldShape] = {
    V1: golds.TARGET_IN_IMAGE,
    V2: golds.TARGET_IN_IMAGE,
    PRO: golds.TARGET_IN_IMAGE,
}
