"""Items from the same row, or of one pair, compared with each other."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

import msgspec

from snellen.build.audit.views import (
    Evidence,
    View,
    record_of,
    same_box,
    texts_of,
    written_box,
)
from snellen.build.questions.text import folded
from snellen.grading.protocols.golds import Target
from snellen.tasks.audit.items import AuditItem
from snellen.tasks.audit.models import Fault

_SCREENQA = "screenqa/"


# ---- twins -------------------------------------------------------------------------------------

_WAYS = ("", "_bbox", "_point")


def twins_of(view: View, at_fault: Collection[tuple[str, str]]) -> Iterator[Evidence]:
    """Compare an item with the items from the same row, or with the other one of its pair.

    An item that disagrees with most of them is faulty. Items with other faults are ignored, and the
    check is not needed if the page is known.
    """
    item = view.item
    others = [
        other
        for other in view.sight.items
        if other is not item and (other.task, other.item) not in at_fault and _kin(item, other)
    ]
    said = [found for other in others if (found := _contradiction(item, other)) is not None]
    if 2 * len(said) > len(others) and view.sight.page is None:
        yield Evidence(Fault.TWIN, *said[0])


def _kin(item: AuditItem, other: AuditItem) -> bool:
    if other.task == item.task:
        return item.line.pair is not None and other.line.pair == item.line.pair
    return other.item == item.item and _family(other.task) == _family(item.task)


def _contradiction(item: AuditItem, other: AuditItem) -> tuple[str, str] | None:
    if other.task == item.task:
        texts = _plain(other.gold), _plain(item.gold)
        return texts if texts[0] != texts[1] else None
    if record_of(other) != record_of(item):
        return _plain(record_of(other)), _plain(record_of(item))
    return _disagree(item.gold, item.task, other.gold, other.task)


def _family(task: str) -> str:
    if task.startswith(_SCREENQA):
        return "screenqa" if task != "screenqa/short" and task != "screenqa/complex" else task
    return re.sub(r"_(bbox|point)$", "", task)


def _disagree(gold: object, task: str, other: object, other_task: str) -> tuple[str, str] | None:
    if isinstance(gold, Target) and isinstance(other, Target):
        if not same_box(gold.bbox, other.bbox):
            return written_box(other.bbox), written_box(gold.bbox)
        return None
    pair = {task, other_task}
    if pair == {"screenqa/ui_contents", "screenqa/ui_contents_boxes"}:
        texts = [
            [texts_of(rater) for rater in cast("Sequence[object]", one)] for one in (other, gold)
        ]
        return (_plain(texts[0]), _plain(texts[1])) if texts[0] != texts[1] else None
    if "screenqa/long" in pair:
        long, contents = (gold, other) if task == "screenqa/long" else (other, gold)
        said = [folded(text) for text in texts_of(long)]
        for text in texts_of(contents):
            if not all(folded(text) in sentence for sentence in said):
                return text, "; ".join(said)
    return None


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        relations = cast("Mapping[object, object]", value)
        return "; ".join(f"{key}: {relation}" for key, relation in relations.items())
    return msgspec.json.encode(value).decode()
