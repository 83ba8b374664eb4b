"""How ShowDown's clicks are scored: a point in pixels in the target's box, edges included."""

from collections.abc import Mapping

from snellen.grading.coordinates import PIXELS
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.pointing import point_protocols, points_of_adapters

CLICKS = "showdown/clicks"
_OFFICIAL = points_of_adapters(
    CLICKS, PIXELS, "showdown clicks/src/clicks/evaluate/utils.py (86cbd20)"
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {CLICKS: point_protocols(_OFFICIAL)}
GOLDS: Mapping[str, GoldShape] = {CLICKS: golds.TARGET_IN_IMAGE}
