"""VisualWebBench's makers by task, and the published layout of its items.

The box and point variants read the items of `element_ground` and `action_ground`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from snellen.tasks.builder.items import Made, Maker, PageItems
from snellen.tasks.builder.writers.base import Side, as_lines, side_of, write_rows
from snellen.tasks.builder.writers.visualwebbench.choices import action_ground, element_ground
from snellen.tasks.builder.writers.visualwebbench.clicks import (
    PREDICTION,
    action_prediction,
    offered,
)
from snellen.tasks.builder.writers.visualwebbench.texts import element_ocr, heading_ocr, web_caption
from snellen.tasks.builder.writers.visualwebbench.webqa import webqa

MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "visualwebbench/web_caption": web_caption,
        "visualwebbench/heading_ocr": heading_ocr,
        "visualwebbench/webqa": webqa,
        "visualwebbench/element_ocr": element_ocr,
        "visualwebbench/element_ground": element_ground,
        PREDICTION: action_prediction,
        "visualwebbench/action_ground": action_ground,
    }
)
"""The makers by task; the task seeds a maker's random choices."""

VARIANTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        f"visualwebbench/{name}": tuple(
            f"visualwebbench/{name}{way}" for way in ("_bbox", "_point")
        )
        for name in ("element_ground", "action_ground")
    }
)
"""The tasks that read another task's rows."""

_PREFIX = "visualwebbench/"
_SPLIT = "test"


def balanced(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Give action_prediction items their options, and remove surplus items."""
    return offered(pages, seed)


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write VisualWebBench's items of all pages, after balancing: see `write_rows`.

    Each configuration is a file of JSON Lines, such as `element_ocr.jsonl`; images are in
    `raw_image` (without marks, one for all items of a page) and `image`.
    """
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda task: f"{task.removeprefix(_PREFIX)}.jsonl",
        _sides,
        as_lines,
    )


def _sides(page: PageItems, one: Made) -> Sequence[Side]:
    item = f"{_SPLIT}/{one.row['id']}"
    return [side_of(page, one, item, task) for task in (one.task, *VARIANTS.get(one.task, ()))]
