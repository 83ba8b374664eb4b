"""How ShowDown's clicks are scored: a point in pixels in the target's box, edges included."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.coordinates import PIXELS
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.pointing import (
    declared_points,
    in_image,
    our_points,
    robust_pointing,
    takes_declared,
    writes,
)

CLICKS = "showdown/clicks"

_ROBUST = robust_pointing(CLICKS)
_OFFICIAL = replace(
    _ROBUST,
    id="official",
    version=1,
    source="showdown clicks/src/clicks/evaluate/utils.py (86cbd20)",
    special="the published code gets a point in pixels of the screenshot from each model's adapter,"
    " and counts no point as wrong; the point is the one that a human reader would identify",
    parser=our_points(
        "a point in pixels, as each adapter hands it over",
        lambda point, context: in_image(point, PIXELS, context),
    ),
    write=writes("({x}, {y})", PIXELS),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    CLICKS: (takes_declared(_OFFICIAL), _ROBUST, *declared_points(CLICKS))
}
GOLDS: Mapping[str, GoldShape] = {CLICKS: golds.TARGET_IN_IMAGE}
