"""How VenusBench-GD is scored: by its own evaluation, which knows refusals, and by VLMEvalKit's."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.coordinates import UNIT
from snellen.grading.pointing.screenspot import vlmevalkit_point
from snellen.grading.protocols import areas, base, golds, pointing, spaces
from snellen.grading.protocols.golds import AreaTarget, GoldShape

KINDS = ("element", "spatial", "visual", "reasoning", "functional", "refusal")
_ELEMENT = "venusbench-gd/element"


def _in_box(answer: base.AnswerValue, gold: AreaTarget, _: object) -> tuple[float]:
    return (0.0,) if gold.refused else spaces.point_hit(answer, gold, None)


_OFFICIAL = replace(
    pointing.points_of_adapters(
        _ELEMENT,
        UNIT,
        "UI-Venus eval.py, branch VenusBench-GD, `eval_sample_positive_gt` and"
        " `eval_sample_negative_gt`",
    ),
    version=1,
    special="the published code gets a point in fractions of the image, or a refusal, from each"
    " model's adapter; a refusal is a point with both coordinates below 0",
    metric=spaces.point_metric(
        "the point in the box, edges included; below 0 where nothing is there", areas.published_hit
    ),
    write=areas.writes("({x}, {y})"),
)
_VLMEVALKIT = replace(
    _OFFICIAL,
    id="vlmevalkit",
    source="VLMEvalKit vlmeval/dataset/GUI/venusbench.py (e8e78f0)",
    special="requires `x=.., y=..`, anything else is the point (0, 0); pixels if either number"
    " exceeds 1; it has no rule for refusals, so that none is right",
    parser=pointing.point_parser(
        "VLMEvalKit's `x=.., y=..`", vlmevalkit_point, pointing.pixels_above_one
    ),
    metric=spaces.point_metric("the point in the box, edges included; never a refusal", _in_box),
    write=areas.writes("x={x}, y={y}", "x=-1, y=-1"),
)
_ALL = areas.area_protocols(_OFFICIAL, _VLMEVALKIT)

PROTOCOLS: Mapping[str, tuple[base.Protocol, ...]] = {
    task: tuple(replace(one, task=task) for one in _ALL)
    for task in (f"venusbench-gd/{kind}" for kind in KINDS)
}
GOLDS: Mapping[str, GoldShape] = dict.fromkeys(PROTOCOLS, golds.ANY_AREA)
