"""VisualWebBench's tasks whose answer is a text of the page: caption, heading and element OCR.

Source of the rules: VisualWebBench (Liu et al., 2024), section 3: the meta description, the first
h1, and elements of more than 20 words. Its captions were rewritten by a model and checked by
people. Here, a description that the page does not confirm is refused; without one, another text of
the page's author is used, the first paragraph as the last choice. The tag `source` distinguishes
them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from snellen.build.items import Made, Refused
from snellen.build.questions.marks import mark_box
from snellen.build.questions.spatial import (
    SITE_PARTS,
    fractions,
    is_outranked,
    is_readable,
    meet,
    rounded,
)
from snellen.build.questions.text import count_words, folded, is_plain, one_line, stems
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.prose import is_prose, sentences
from snellen.build.screen.purpose import descriptions_of, is_generic
from snellen.build.screen.seen import seen
from snellen.build.snapshots import Snapshot
from snellen.build.writers.visualwebbench.shared import Reason, made, refused

CAPTION_WORDS = (5, 80)
"""The minimum and the maximum number of words of a description."""

NEW_WORDS = 3
"""The minimum number of words of a description that the title has not."""

SHARED_WORDS = 0.6
"""The minimum share of the words of each sentence of a description that the page must show."""

OCR_WORDS = (20, 200)
"""A text for element OCR has more words than the first number and at most the second."""

OCR_ITEMS = 3
"""The maximum number of texts of one page."""

_FIELDS = frozenset({"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider"})
_RUNNING = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "i", "ins",
     "kbd", "mark", "q", "s", "samp", "span", "strong", "time", "u", "var", "p", "li"}
)  # fmt: skip
_NOTES = frozenset({"small", "sub", "sup"})
_PICTURES = frozenset({"img", "canvas", "svg", "video", "iframe", "picture", "object"})
_PICTURE_SIDE = 32
_COLON = re.compile(r"[:\uff1a]")


def web_caption(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the author's description of the page, if the page confirms it."""
    screen = snapshot.screen
    reasons: list[Reason] = []
    for source, text in descriptions_of(screen).items():
        reason = _caption_fault(screen, text)
        if reason is None:
            record = {"shared_words": round(_shared(screen, text), 3)}
            tags = {"source": source}
            yield made(snapshot, "web_caption", 1, {"answer": text}, tags=tags, record=record)
            return
        reasons.append(reason)
    yield refused("web_caption", next(iter(reasons), Reason.NO_DESCRIPTION))


def _caption_fault(screen: Screen, text: str) -> Reason | None:
    if not CAPTION_WORDS[0] <= count_words(text) <= CAPTION_WORDS[1]:
        return Reason.SHORT_DESCRIPTION
    titled = stems(screen.title)
    if is_generic(text) or len(stems(text) - titled) < NEW_WORDS or not is_plain(text):
        return Reason.GENERIC_DESCRIPTION
    if not is_prose(text, screen.language):
        return Reason.LISTED_DESCRIPTION
    # A text that a site has on all its pages describes none of them.
    unseen = any(_shared(screen, each) < SHARED_WORDS for each in sentences(text) if stems(each))
    if unseen or (titled and not titled & stems(text)):
        return Reason.OTHER_DESCRIPTION
    return None


def _shared(screen: Screen, text: str) -> float:
    """Return the share of a text's words that a page's own part shows; 0 if a number is missing."""
    wanted = stems(text)
    texts = [
        element.own or element.name
        for element in screen.elements
        if element.landmark not in SITE_PARTS or element.role == "heading"
    ]
    shown = {unit for each in texts for unit in stems(each)}
    numbers = {*re.findall(r"\d+", text)} - {*re.findall(r"\d+", " ".join(texts))}
    return len(wanted & shown) / len(wanted) if wanted and not numbers else 0.0


def heading_ocr(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the first visible h1, if it also looks like the main heading."""
    heading = main_heading(snapshot.screen)
    if isinstance(heading, Reason):
        yield refused("heading_ocr", heading)
        return
    where = seen(snapshot.screen, heading, snapshot.pixels)
    record = {"element": heading.id, "box": rounded(heading.box), **(where.record if where else {})}
    yield made(snapshot, "heading_ocr", 1, {"answer": one_line(heading.text)}, record=record)


def main_heading(screen: Screen) -> Element | Reason:
    """Return the first visible h1, or the reason why it can't be used."""
    headings = [element for element in screen.elements if element.role == "heading"]
    first = next((each for each in headings if each.tag == "h1" or each.level == 1), None)
    if first is None:
        return Reason.NO_HEADING
    text = one_line(first.text)
    if not any(map(str.isalnum, text)):
        return Reason.PICTURE_HEADING
    parts = [first, *screen.inside(first)]
    controls = any(part.role in _FIELDS or part.role == "button" for part in parts)
    if controls or not all(map(is_readable, parts)) or not is_plain(text) or len(text) < 2:
        return Reason.CUT_HEADING
    size = max(part.font_size for part in parts)
    if any(part.own and (part.tag in _NOTES or part.font_size < size) for part in parts):
        return Reason.NOTED_HEADING
    return Reason.UNCLEAR_HEADING if is_outranked(screen, first) else first


def element_ocr(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for the texts of elements with more than 20 words, each in a red box."""
    screen = snapshot.screen
    elements = long_texts(screen)
    if isinstance(elements, Reason):
        yield refused("element_ocr", elements)
        return
    chosen = random.sample(elements, min(OCR_ITEMS, len(elements)))
    for number, element in enumerate(sorted(chosen, key=lambda each: each.id), start=1):
        text = one_line(element.text)
        yield made(
            snapshot,
            "element_ocr",
            number,
            {"bbox": fractions(element.box, screen), "answer": text},
            marked=mark_box(snapshot.image(), element.box),
            record={
                "element": element.id,
                "box": rounded(element.box),
                "words": count_words(text),
            },
        )


def long_texts(screen: Screen) -> Sequence[Element] | Reason:
    """Return the innermost elements of more than 20 words whose boxes contain only their text.

    None has a colon: the published code treats the text before an answer's first colon as a
    lead-in.
    """
    long = [each for each in screen.elements if count_words(each.text) > OCR_WORDS[0]]
    outer = {above.id for each in long for above in screen.ancestors(each)}
    deepest = [each for each in long if each.id not in outer]
    if not deepest:
        return Reason.NO_LONG_TEXT
    texts: dict[str, Element] = {}
    for each in deepest:
        if _stands_alone(screen, each):
            texts.setdefault(folded(each.text), each)
    return list(texts.values()) or Reason.CUT_TEXT


def _stands_alone(screen: Screen, element: Element) -> bool:
    text = one_line(element.text)
    long = count_words(text) > OCR_WORDS[1]
    if long or _COLON.search(text) or not is_plain(text) or element.split:
        return False
    parts = [element, *screen.inside(element)]
    within = {part.id for part in parts}
    if not all(map(is_readable, parts)) or any(map(_holds_more, parts)):
        return False
    if not _runs_on(parts):
        return False
    return not any(
        other.id not in within and other.own and meet(element.box, other.ink or other.box)
        for other in screen.elements
        if not any(above.id == other.id for above in screen.ancestors(element))
        or (other.ink is not None and meet(element.box, other.ink))
    )


def _runs_on(parts: Sequence[Element]) -> bool:
    """Whether a text is read from start to end: a paragraph or a list, not a grid of pieces."""
    element, *rest = parts
    if any(part.text and part.tag not in _RUNNING for part in rest):
        return False
    blocks = [part for part in parts if part.tag in {"p", "li"} or part.id == element.id]
    word_count = sum(count_words(part.own) for part in blocks)
    apart = all(
        upper.box[3] <= lower.box[1] + 1
        for upper, lower in pairwise(blocks)
        if upper.id != element.id
    )
    return apart and 2 * word_count >= count_words(element.text)


def _holds_more(part: Element) -> bool:
    """Whether a part may show content that is not in its text."""
    picture = part.tag in _PICTURES or part.role == "img"
    control = part.role in {"button", "link"} and not part.text
    seen = picture and min(part.width, part.height) >= _PICTURE_SIDE
    return part.role in _FIELDS or control or seen
