"""How UI-I2E-Bench is scored: a point in the target's box; six boxes are empty or inverted."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.coordinates import UNIT
from snellen.grading.protocols import areas, golds, pointing, spaces
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape

POINT = "ui-i2e/point"

_OFFICIAL = replace(
    pointing.points_of_adapters(POINT, UNIT, "UI-Ins evaluation/eval/evaluate.py (6b05752)"),
    version=1,
    metric=spaces.point_metric("the point in the box, edges included", areas.published_hit),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {POINT: areas.area_protocols(_OFFICIAL)}
GOLDS: Mapping[str, GoldShape] = {POINT: golds.ANY_AREA}
