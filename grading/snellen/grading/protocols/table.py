"""Every protocol of every task, and the shape of every task's references, in one place.

The first protocol of a task is its default: `official` where code was published, else `paper`.
Installed packages can add benchmarks (`snellen.grading.protocols.plugins`); their tasks follow.
"""

from collections.abc import Mapping

from snellen.grading.errors import UnknownNameError
from snellen.grading.protocols import golds
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.golds import GoldShape
from snellen.grading.protocols.plugins import InModules, WithPlugins

_HERE = "snellen.grading.protocols"

PROTOCOLS: Mapping[str, tuple[Protocol, ...]] = WithPlugins(
    InModules(
        {
            "visualwebbench": f"{_HERE}.visualwebbench:PROTOCOLS",
            "screenqa": f"{_HERE}.screenqa:PROTOCOLS",
            "webrssbench": f"{_HERE}.webrssbench:PROTOCOLS",
            "mmbench-gui": f"{_HERE}.mmbench_gui:PROTOCOLS",
            "matrix": f"{_HERE}.matrix:PROTOCOLS",
            "screenspot-v2": f"{_HERE}.screenspot:PROTOCOLS",
            "screenspot-pro": f"{_HERE}.screenspot:PROTOCOLS",
        }
    ),
    lambda rules: rules.protocols,
)
"""Each task's protocols by its id."""

_SHAPES: Mapping[str, GoldShape] = {
    "visualwebbench/web_caption": golds.TEXT,
    "visualwebbench/heading_ocr": golds.TEXT,
    "visualwebbench/webqa": golds.TEXTS,
    "visualwebbench/element_ocr": golds.TEXT,
    "visualwebbench/element_ground": golds.INDEX,
    "visualwebbench/action_prediction": golds.INDEX,
    "visualwebbench/action_ground": golds.INDEX,
    "visualwebbench/element_ground_bbox": golds.TARGET_BOX,
    "visualwebbench/element_ground_point": golds.TARGET_POINT,
    "visualwebbench/action_ground_bbox": golds.TARGET_BOX,
    "visualwebbench/action_ground_point": golds.TARGET_POINT,
    "screenqa/short": golds.TEXTS,
    "screenqa/long": golds.TEXTS,
    "screenqa/ui_contents": golds.RATER_TEXTS,
    "screenqa/ui_contents_boxes": golds.RATER_BOXES,
    "screenqa/complex": golds.TEXTS,
    "webrssbench/position": golds.RELATIONS,
    "webrssbench/ui_grouping": golds.REGION,
    "webrssbench/form_filling": golds.TEXT,
    "webrssbench/hint_text": golds.TEXT,
    "webrssbench/color": golds.BUTTONS,
    "webrssbench/text": golds.TEXT,
    "webrssbench/layout": golds.TEXT,
    "webrssbench/safety": golds.BUTTONS,
    "mmbench-gui/l1": golds.LETTER,
    "mmbench-gui/l2_basic": golds.TARGET_IN_IMAGE,
    "mmbench-gui/l2_advanced": golds.TARGET_IN_IMAGE,
    "mmbench-gui/l3": golds.EPISODE,
    "mmbench-gui/l4": golds.EPISODE,
    "screenspot-v2/point": golds.TARGET_IN_IMAGE,
    "screenspot-pro/point": golds.TARGET_IN_IMAGE,
}

GOLDS: Mapping[str, GoldShape] = WithPlugins(
    InModules({"matrix": f"{_HERE}.matrix:GOLDS"}, _SHAPES),
    lambda rules: rules.golds,
)
"""The shape of each task's references by its id."""


def protocols_of(task: str) -> tuple[Protocol, ...]:
    """Return the protocols of a task, its default first.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return PROTOCOLS[task]
    except KeyError:
        raise UnknownNameError("task", task, PROTOCOLS) from None


def protocol_of(task: str, name: str | None = None) -> Protocol:
    """Return a task's protocol by its id (`official`) or id and version (`official@1`).

    Raises:
        UnknownNameError: There is no such task, protocol or version.
    """
    protocols = protocols_of(task)
    if name is None:
        return protocols[0]
    for protocol in protocols:
        if name in (protocol.id, protocol.name):
            return protocol
    raise UnknownNameError(f"protocol of {task}", name, [protocol.id for protocol in protocols])


def gold_shape(task: str) -> GoldShape:
    """Return the published shape of a task's references.

    Raises:
        UnknownNameError: There is no such task.
    """
    try:
        return GOLDS[task]
    except KeyError:
        raise UnknownNameError("task", task, GOLDS) from None
