"""The text read at a reference's place, compared with the reference.

A reader makes mistakes, so a reference is compared with the common result of two readings: of a
part of a picture as it is, and enlarged.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from rapidfuzz.distance import Indel
from rapidfuzz.fuzz import partial_ratio

from snellen.build.audit.charts import chart_of
from snellen.build.audit.views import Evidence, View, written_box
from snellen.grading.metrics.boxes import Ltrb
from snellen.tasks.audit.models import Fault

Reader: TypeAlias = Callable[[str, Ltrb, float], str]
"""Reads a part of a picture, by its digest, the box in pixels and the factor of enlargement."""

SIMILAR = 0.75
"""The minimum similarity of a text to readings that differ; below it, it is another text."""

_SCALES = (1.0, 2.0)
_READABLE = frozenset({"en", "de", "es", "fr", "pt", "it", "nl", "zh", "ja"})
_EXACT = frozenset({"visualwebbench/heading_ocr", "visualwebbench/element_ocr"})
_POINTED = frozenset(
    {
        "visualwebbench/element_ground",
        "visualwebbench/element_ground_bbox",
        "visualwebbench/element_ground_point",
        "mmbench-gui/l2_basic",
    }
)
_FIELDS = ("field", "box", "list", "radio", "switch", "slider", "picture")
_LOOKED_UP = frozenset({"cell", "row", "reverse", "pair", "price", "read", "two steps"})
_FOUND = 80.0
_IN_TEXT = frozenset({"phone", "email"})


def check_reading(view: View, reader: Reader) -> Iterator[Evidence]:
    """Compare a text reference with the text read at the place in its record."""
    texts, box = _said(view), _where(view)
    digest = _digest(view)
    if box is None or not texts or digest is None:
        return
    readings = [_plain(reader(digest, box, scale)) for scale in _SCALES]
    whole = view.kind not in _IN_TEXT and view.task not in _POINTED
    # One of several accepted forms is the displayed one.
    if all(_differs(_plain(text), readings, whole=whole) for text in texts):
        yield Evidence(Fault.MISREAD, f"{readings[0]} at {written_box(box)}", "; ".join(texts[:3]))


def check_page(view: View, texts: Callable[[str], str]) -> Iterator[Evidence]:
    """Check that the text of a whole picture contains the names that the item needs."""
    digest, chart = _digest(view), chart_of(view)
    if digest is None:
        return
    if chart is not None:
        wanted = [*chart.labels, *(chart.series if len(chart.series) > 1 else ())]
    elif view.kind in _LOOKED_UP and not view.record.get("unanswerable"):
        wanted = view.quoted
    else:
        return
    page = _plain(texts(digest))
    named = [name for name in wanted if _plain(name)]
    missing = [name for name in named if partial_ratio(_plain(name), page) < _FOUND]
    if named and 2 * len(missing) >= len(named):
        fault = Fault.NOT_READ if chart is not None else Fault.NOT_ASKED_HERE
        yield Evidence(fault, "; ".join(missing))


def _digest(view: View) -> str | None:
    """Return the digest of the first picture; None if its language can't be read."""
    images = view.item.line.item.images
    language = view.item.tags.get("language", "en").split("-")[0]
    if not images or language not in _READABLE:
        return None
    return view.item.line.images[images[0].name].sha256


def _said(view: View) -> Sequence[str]:
    """Return the accepted texts of one place, one of which must be read there."""
    gold = view.item.gold
    if view.record.get("unanswerable"):
        return []
    if view.task in _EXACT:
        return [str(gold)]
    if view.task == "webrssbench/color" and view.item.tags.get("state") == "before":
        return [str(text) for text in cast("Sequence[object]", gold)]
    if view.kind == "text in a box" and view.matrix is not None:
        answer = view.matrix.answer
        return [answer] if isinstance(answer, str) else [str(text) for text in answer]
    if view.kind == "press what is marked" and view.matrix is not None:
        return [str(view.matrix.answer["arguments"]["text"])]
    if view.task in _POINTED:
        shown = view.item.tags.get("seen", view.item.tags.get("data_type")) == "text"
        field = any(part in view.item.tags.get("kind", view.prompt) for part in _FIELDS)
        return view.quoted[-1:] if shown and not field else []
    single = len(view.boxes) == 1
    if view.task == "screenqa/short" and single:
        return [str(text) for text in cast("Sequence[object]", gold)]
    if view.task == "screenqa/ui_contents" and single:
        return [" ".join(map(str, rater)) for rater in cast("Sequence[Sequence[object]]", gold)]
    if view.task == "screenqa/ui_contents_boxes" and single:
        raters = cast("Sequence[Sequence[tuple[Ltrb, str]]]", gold)
        return [" ".join(text for _, text in rater) for rater in raters]
    looked_up = view.task == "visualwebbench/webqa" or (
        view.matrix is not None and view.matrix.metric == "exact_match"
    )
    if looked_up and single:
        answers = view.matrix.answer if view.matrix is not None else gold
        return [str(text) for text in cast("Sequence[object]", answers)]
    return []


def _where(view: View) -> Ltrb | None:
    if view.task == "screenqa/ui_contents_boxes":
        raters = cast("Sequence[Sequence[tuple[Ltrb, str]]]", view.item.gold)
        return raters[0][0][0] if raters and raters[0] else None
    if view.target is not None:
        return view.target
    return view.boxes[0] if view.boxes else None


def _plain(text: str) -> str:
    """Return the part of a text that readers do not confuse: no spaces, accents or case."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if sign.isalnum())


def _differs(text: str, readings: Sequence[str], *, whole: bool) -> bool:
    """Whether a text differs from the readings; if both agree, every letter counts.

    Args:
        text: The text.
        readings: The two readings.
        whole: Whether it is the whole text of the place; a phone number may be in a sentence.
    """
    if not text or not all(readings):
        return False
    if any(text == reading or (text in reading and not whole) for reading in readings):
        return False
    agreed = len(set(readings)) == 1
    return agreed or all(
        Indel.normalized_similarity(text, reading) < SIMILAR for reading in readings
    )
