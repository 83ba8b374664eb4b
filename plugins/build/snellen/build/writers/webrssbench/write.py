"""WebRSSBench's makers, and its items as the manifest that our loader reads."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

from snellen.build.items import Made, Maker, PageItems, Refused
from snellen.build.screen.purpose import page_kind, purpose
from snellen.build.snapshots import Snapshot
from snellen.build.writers.base import as_json, side_of, write_rows
from snellen.build.writers.webrssbench import buttons, fields
from snellen.build.writers.webrssbench.position import POSITION, make_position
from snellen.build.writers.webrssbench.regions import GROUPING, evened, make_ui_grouping
from snellen.build.writers.webrssbench.rows import (
    Ask,
    changes_of,
    dropped,
    image_name,
    made,
    refused,
    sized,
)
from snellen.tasks.benchmarks.webrssbench.manifest import FILES, FORMAT
from snellen.tasks.io.files import DEFAULT_SPLIT

LAYOUT = "webrssbench/layout"

HARDLY_SEEN = "what was rearranged is hardly seen"
LEAST_SHARE = 0.0005
"""The minimum share of the page's pixels that must differ: some 20 by 30 on a page of 1,000."""


def make_layout(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the purpose of a page before and after it was rearranged: its description."""
    description, reason = purpose(snapshot.screen)
    if reason:
        yield refused("layout", reason)
        return
    changes = changes_of(snapshot, "layout")
    if not changes:
        yield dropped(snapshot, "layout")
        return
    change = changes[0]
    share = change.pixels / (change.width * max(change.height, snapshot.screen.height))
    if share < LEAST_SHARE:
        yield refused("layout", HARDLY_SEEN)
        return
    before, after = image_name(snapshot, "original"), image_name(snapshot, "layout")
    images = {before: snapshot.image(), after: snapshot.image(change)}
    yield made(
        Ask(LAYOUT, snapshot, description, difficulty=str(change.record["level"])),
        {"before": sized(before, images[before]), "after": sized(after, images[after])},
        images,
        {"kind": page_kind(snapshot.screen), "operators": "+".join(change.record["operators"])},
        {"pixels": change.pixels, "changed_share": round(share, 4), **change.record},
    )


MAKERS: Mapping[str, Maker] = {
    POSITION: make_position,
    GROUPING: make_ui_grouping,
    fields.FORM_FILLING: fields.make_form_filling,
    fields.HINT_TEXT: fields.make_hint_text,
    buttons.COLOR: buttons.make_color,
    buttons.TEXT: buttons.make_text,
    LAYOUT: make_layout,
    buttons.SAFETY: buttons.make_safety,
}
"""The makers by task."""


def balanced(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Remove items whose answers are too frequent: parts of pages, and hints."""
    return fields.varied(evened(pages, seed), seed)


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
