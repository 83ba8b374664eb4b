"""WebRSSBench's layout task: the purpose of a page, before and after it was rearranged."""

from collections.abc import Iterator
from random import Random

from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.screen.purpose import page_kind, purpose
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.webrssbench.rows import (
    Ask,
    changes_of,
    dropped,
    image_name,
    made,
    refused,
    sized,
)

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
