"""How a set of one's own is scored: a point in a box or a polygon, or a refusal."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.protocols import areas, golds, pointing, spaces
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape

POINT = "points/point"

_OFFICIAL = replace(
    areas.of_areas(pointing.robust_pointing(POINT)),
    id="official",
    version=1,
    source="ScreenSpot-Pro-GUI-Grounding's eval_screenspot_pro.py, which many sets use",
    special="like `robust`, but a box without width or height is hit by a point on it; the"
    " published code gets the point from each model's adapter",
    metric=spaces.point_metric(
        "the point in the box, edges included; below 0 where nothing is there", areas.published_hit
    ),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {POINT: areas.area_protocols(_OFFICIAL)}
GOLDS: Mapping[str, GoldShape] = {POINT: golds.ANY_AREA}
