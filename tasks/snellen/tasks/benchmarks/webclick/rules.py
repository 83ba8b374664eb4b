"""How WebClick is scored: a point in the target's box. No scorer of its own was found."""

from collections.abc import Mapping
from dataclasses import replace

from snellen.grading.coordinates import PIXELS
from snellen.grading.pointing.screenspot import screensuite_click
from snellen.grading.protocols import golds, pointing
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape

POINT = "webclick/point"

_PAPER = replace(
    pointing.robust_pointing(POINT),
    id="paper",
    version=1,
    source="the model cards that print WebClick; its prompt asks for `Click(x, y)` in pixels",
    special="a point in pixels in the box, including edges; unverified, because no "
    "scorer is published",
    parser=pointing.point_parser(
        "the first `click(x, y)`, in pixels", screensuite_click, pointing.pixels
    ),
    write=pointing.writes("Click({x}, {y})", PIXELS),
)

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = {POINT: pointing.point_protocols(_PAPER)}
GOLDS: Mapping[str, GoldShape] = {POINT: golds.TARGET_IN_IMAGE}
