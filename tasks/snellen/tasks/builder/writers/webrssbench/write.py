"""WebRSSBench's makers, and its items as the manifest that our loader reads."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from snellen.tasks.benchmarks.webrssbench.manifest import FILES, FORMAT
from snellen.tasks.builder.items import Made, Maker, PageItems
from snellen.tasks.builder.writers.base import as_json, side_of, write_rows
from snellen.tasks.builder.writers.webrssbench.buttons import (
    COLOR,
    SAFETY,
    TEXT,
    make_color,
    make_safety,
    make_text,
)
from snellen.tasks.builder.writers.webrssbench.fields import (
    FORM_FILLING,
    HINT_TEXT,
    make_form_filling,
    make_hint_text,
    varied,
)
from snellen.tasks.builder.writers.webrssbench.layout import LAYOUT, make_layout
from snellen.tasks.builder.writers.webrssbench.position import POSITION, make_position
from snellen.tasks.builder.writers.webrssbench.regions import GROUPING, evened, make_ui_grouping
from snellen.tasks.io.files import DEFAULT_SPLIT

MAKERS: Mapping[str, Maker] = {
    POSITION: make_position,
    GROUPING: make_ui_grouping,
    FORM_FILLING: make_form_filling,
    HINT_TEXT: make_hint_text,
    COLOR: make_color,
    TEXT: make_text,
    LAYOUT: make_layout,
    SAFETY: make_safety,
}
"""The makers by task."""


def balanced(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Remove items whose answers are too frequent: parts of pages, and hints."""
    return varied(evened(pages, seed), seed)


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write WebRSSBench's items as `webrssbench.json`, images in `images`: see `write_rows`."""
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda _: FILES[0],
        lambda page, item: [side_of(page, item, name) for name in item_ids(item)],
        lambda rows: as_json({"format": FORMAT, "rows": rows}),
    )


def item_ids(one: Made) -> Iterator[str]:
    """Yield the ids that the loader gives an item: one, or two and more for a pair."""
    parts = [DEFAULT_SPLIT, str(one.row["page"])]
    if "element" in one.row:
        parts.append(str(one.row["element"]))
    base = "/".join(parts)
    if "before" not in one.row:
        yield base
        return
    yield f"{base}/before"
    after = cast(Mapping[str, Any], one.row["after"])
    if "path" in after:
        yield f"{base}/after"
    else:
        yield from (f"{base}/after-{mode}" for mode in sorted(after))
