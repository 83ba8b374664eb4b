"""WebRSSBench's makers, and its items as the manifest that our loader reads."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from snellen.tasks.builder.items import Made, Maker, PageItems
from snellen.tasks.builder.writers.base import Side, side_of, write_images, write_sides
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
)
from snellen.tasks.builder.writers.webrssbench.layout import LAYOUT, make_layout
from snellen.tasks.builder.writers.webrssbench.position import POSITION, make_position
from snellen.tasks.builder.writers.webrssbench.regions import GROUPING, make_ui_grouping
from snellen.tasks.sources.files import DEFAULT_SPLIT
from snellen.tasks.sources.webrssbench_manifest import FILES, FORMAT
from snellen.tasks.sources.webrssbench_rows import BENCHMARK

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
"""By task."""


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write the items of this benchmark as `webrssbench.json`, their images below `images/`.

    Beside them `made.jsonl` has a line for each item of the loader's, by its id: the task, the
    page, the site, the tags and the record. Equal items give equal bytes.

    Args:
        pages: What was made, of any benchmark, in the order of the rows.
        folder: Where to; made if it is not there.
    """
    encoder = msgspec.json.Encoder(order="sorted")
    rows: list[Mapping[str, Any]] = []
    sides: list[Side] = []
    for page in pages:
        for one in page.made:
            if not one.task.startswith(f"{BENCHMARK}/"):
                continue
            rows.append(one.row)
            write_images(one, folder)
            sides += [side_of(page, one, item) for item in item_ids(one)]
    if not rows:
        return
    manifest = encoder.encode({"format": FORMAT, "rows": rows})
    (folder / FILES[0]).write_bytes(msgspec.json.format(manifest, indent=1) + b"\n")
    write_sides(sides, folder)


def item_ids(one: Made) -> Iterator[str]:
    """Yield the ids that the loader gives what was made: one, or a pair's two or more."""
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
