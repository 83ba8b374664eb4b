"""How WebClick is scored: a point in the target's box. No scorer of its own was found."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.coordinates import PIXELS
from snellen.grading.pointing.screenspot import screensuite_click
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.pointing import (
    declared_points,
    pixels,
    point_parser,
    robust_pointing,
    takes_declared,
    writes,
)

POINT = "webclick/point"

_ROBUST = robust_pointing(POINT)
_PAPER = replace(
    _ROBUST,
    id="paper",
    version=1,
    source="the model cards that print WebClick; its prompt asks for `Click(x, y)` in pixels",
    special="a point in pixels in the box, including edges; unverified, because no "
    "scorer is published",
    parser=point_parser("the first `click(x, y)`, in pixels", screensuite_click, pixels),
    write=writes("Click({x}, {y})", PIXELS),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {
    POINT: (takes_declared(_PAPER), _ROBUST, *declared_points(POINT))
}
GOLDS: Mapping[str, GoldShape] = {POINT: golds.TARGET_IN_IMAGE}
