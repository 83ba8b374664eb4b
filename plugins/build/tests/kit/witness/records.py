"""An item compared with its own record: prompt, reference, tolerance, language."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from snellen.build.questions.text import folded, language_of
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.items import AnswerKind
from snellen.grading.protocols.golds import Target
from snellen.tasks.benchmarks.screenqa.load import NO_ANSWER
from snellen.tasks.item_audit.items import words
from witness.faults import Fault
from witness.views import (
    Check,
    Evidence,
    View,
    page_text,
    same_box,
    texts_of,
    written_box,
)

_CAPTION, _LAYOUT = "visualwebbench/web_caption", "webrssbench/layout"
_SCREENQA = "screenqa/"
_READ = frozenset({"visualwebbench/heading_ocr", "visualwebbench/element_ocr"})
_SORRY = "sorry"


# ---- the record --------------------------------------------------------------------------------


def _record(view: View) -> Iterator[Evidence]:
    gold, record, target = view.item.gold, view.record, view.target
    if target is not None and view.boxes and not same_box(target, view.boxes[0]):
        yield Evidence(Fault.RECORD, written_box(view.boxes[0]), written_box(target))
    image_size = gold.image_size if isinstance(gold, Target) else None
    if image_size and view.size and tuple(image_size) != view.size:
        yield Evidence(Fault.WRONG_SIZE, f"{view.size}", f"{image_size}")
    if view.matrix is not None and (listed := view.matrix.settings.get("image_size")):
        own = list(view.size or ())
        if own and [float(side) for side in listed] != own:
            yield Evidence(Fault.WRONG_SIZE, f"{own}", f"{listed}")
    if isinstance(record.get("relations"), Mapping):
        yield from _relations(view)
    if "title" in record and view.right_text not in (None, record["title"]):
        yield Evidence(Fault.RECORD, str(record["title"]), str(view.right_text))
    yield from _boxed(view)


def _relations(view: View) -> Iterator[Evidence]:
    recorded = cast("Mapping[str, object]", view.record["relations"])
    gold = cast("Mapping[tuple[str, str], object]", view.item.gold)
    if not isinstance(view.item.gold, Mapping):
        return
    own = {"|".join(pair): str(relation) for pair, relation in gold.items()}
    for pair, relation in recorded.items():
        if own.get(pair) != relation:
            yield Evidence(Fault.RECORD, f"{pair}: {relation}", f"{own.get(pair)}")
            return


def _boxed(view: View) -> Iterator[Evidence]:
    """Compare texts with boxes: their number and positions must equal the record's."""
    if view.item.line.item.answer_format.kind is not AnswerKind.BOXED_TEXTS:
        return
    raters = cast("list[list[tuple[Ltrb, str]]]", view.item.gold)
    for rater in raters:
        boxes = [box for box, _ in rater]
        if len(boxes) != len(view.boxes) or not all(map(same_box, boxes, view.boxes)):
            wanted = ", ".join(map(written_box, view.boxes)) or "no box"
            yield Evidence(Fault.RECORD, wanted, ", ".join(map(written_box, boxes)) or "no box")
            return


def _no_answer(view: View) -> Iterator[Evidence]:
    """Compare the presence of an answer with the record."""
    if not view.task.startswith(_SCREENQA):
        return
    texts = texts_of(view.item.gold)
    nothing = not texts or NO_ANSWER in texts
    unanswerable = view.record.get("unanswerable") is True
    if nothing and not unanswerable and view.record:
        yield Evidence(Fault.UNANSWERED, "an answer", NO_ANSWER)
    elif unanswerable and not nothing:
        yield Evidence(Fault.RECORD, NO_ANSWER, "; ".join(texts[:3]))


def _dangerous(view: View) -> Iterator[Evidence]:
    listed: object = view.record.get("dangerous")
    if not isinstance(listed, list):
        return
    named = cast("list[Mapping[str, object]]", listed)
    harmless = _SORRY in texts_of(view.item.gold)
    if harmless == bool(named):
        yield Evidence(
            Fault.RECORD, f"{len(named)} such buttons", "; ".join(texts_of(view.item.gold))
        )
        return
    screen = view.screen
    if screen is None or harmless:
        return
    ids = [entry.get("element") for entry in named]
    texts = {folded(screen.elements[number].text) for number in ids if isinstance(number, int)}
    own = {folded(text) for text in texts_of(view.item.gold)}
    if texts != own:
        yield Evidence(Fault.NOT_ON_PAGE, "; ".join(sorted(texts)), "; ".join(sorted(own)))


# ---- tolerance ---------------------------------------------------------------------------------

_WITHIN = re.compile(r"within (-?[\d.]*\d) of the right")
_LARGEST_SHARE = 0.6
_SETTINGS = ("absolute", "relative", "tolerance")


def _tolerance(view: View) -> Iterator[Evidence]:
    gold = view.matrix
    if gold is None:
        return
    for name in _SETTINGS:
        slack = gold.settings.get(name)
        if not isinstance(slack, int | float):
            continue
        numbers = [abs(value) for value in _numbers(gold.answer)]
        if name == "absolute":
            step = view.record.get("step")
            scale = float(step) if isinstance(step, int | float) else 0.0
            most = max(1.0, _LARGEST_SHARE * max(scale, 0.2 * max(numbers, default=0.0)))
        else:
            most = 0.2
        if not 0 <= slack <= most:
            yield Evidence(Fault.TOLERANCE, f"at most {most:g}", f"{slack:g}")
    match = _WITHIN.search(f"{view.prompt}\n{view.record.get('asked', '')}")
    absolute = gold.settings.get("absolute")
    if match and isinstance(absolute, int | float) and abs(float(match[1]) - absolute) > 1e-2:
        yield Evidence(Fault.TOLERANCE, match[1], f"{absolute:g}")
    if gold.passing is not None and gold.passing <= 0.05:
        yield Evidence(Fault.TOLERANCE, "a score to be reached", f"{gold.passing:g}")


def _numbers(value: object) -> list[float]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, Mapping):
        return [n for part in cast("Mapping[str, object]", value).values() for n in _numbers(part)]
    if isinstance(value, list | tuple):
        return [n for part in cast("Sequence[object]", value) for n in _numbers(part)]
    return []


# ---- language ----------------------------------------------------------------------------------

_SCRIPTS = {
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "ja": re.compile(r"[\u3041-\u30ff\u3400-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "fa": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_LISTED = """
en the of and to in is for with that are from your our by we it at
de der die das und ist mit für von den im nicht ein eine zu wir auf
es el la los las de que y en un una por para con del se su
fr le la les des et est un une pour que dans du sur avec par au
pt o os as de que e em um uma para com do da no na por se
it il lo gli di che e un una per con del della nel sono si
"""
_FREQUENT: Mapping[str, frozenset[str]] = MappingProxyType(
    {name: frozenset(rest) for name, *rest in map(str.split, _LISTED.strip().splitlines())}
)
_WRITTEN = frozenset({_CAPTION, _LAYOUT, *_READ, "webrssbench/hint_text"})
_LEAST_LETTERS = 4
_LEAST_FREQUENT = 3


def _language(view: View) -> Iterator[Evidence]:
    """Compare the language of a displayed text with the page's."""
    screen = view.screen
    declared = (language_of(screen) if screen else "") or view.item.tags.get("language", "")
    language = re.split("[-_]", declared.casefold())[0]
    if view.task not in _WRITTEN or not language:
        return
    text = " ".join(texts_of(view.item.gold))
    letters = [sign for sign in text if sign.isalpha()]
    # Examples of addresses and numbers are the same in all languages; a page may have several.
    shown = screen is not None and folded(text) in page_text(screen)
    if shown or len(letters) < _LEAST_LETTERS or re.search(r"@|://|\d{3}", text):
        return
    for script, pattern in _SCRIPTS.items():
        share = len(pattern.findall(text)) / len(letters)
        if script == language and share < 0.15:
            yield Evidence(Fault.LANGUAGE, language, text)
            return
        if language in _FREQUENT and share > 0.5:
            yield Evidence(Fault.LANGUAGE, language, text)
            return
    counts = {
        name: sum(word in frequent for word in words(text)) for name, frequent in _FREQUENT.items()
    }
    own = counts.get(language)
    if own is None:
        return
    best = max(counts, key=lambda name: counts[name])
    if counts[best] >= _LEAST_FREQUENT and counts[best] > 2 * own + 1:
        yield Evidence(Fault.LANGUAGE, language, f"{best}: {text}")


CHECKS: tuple[Check, ...] = (
    _record,
    _no_answer,
    _dangerous,
    _tolerance,
    _language,
)
