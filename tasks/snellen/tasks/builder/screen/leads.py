"""The lead of a page: the sentence below its main heading that says what the page is about."""

import re
from collections.abc import Sequence

from snellen.tasks.builder.screen.elements import Element, Screen
from snellen.tasks.builder.screen.prose import ends, length, sentences, stems
from snellen.tasks.builder.screen.words.reading import is_definition

FRAME = frozenset({"banner", "contentinfo", "navigation", "search"})
"""The landmarks around a page's content."""
TITLE_LEVELS = 3
"""Headings with a level below this are titles."""

_PART_LEVEL = 2
_WORDS = (8, 50)
_INDENT = 60.0
_UNDER = 240.0
_MOST_COVERED = 0.05
_BEGINNING = 7
_SHARED = 0.35
_LITTLE = 30
_FILLED = frozenset({"form", "input", "label", "select", "textarea"})
_LISTS = frozenset({"dl", "table", "form", "ul", "ol"})
_NOTES = frozenset({"alert", "note", "status"})
# References to other pages, to parts of this page, or to earlier text.
_ELSEWHERE = re.compile(
    r"\b(the )?same (as|way|thing)\b|\b(similar|identical|equal|equivalent) to\b|\bunlike\b"
    r"|\blike (in|on|the|this|that|these|those)\b"
    r"|\bas (in|on|with|for|opposed|before|above|well as in)\b|\bcompared (to|with)\b"
    r"|\b(instead of|rather than|based on|alternative to) (the|this|that|an?)\b"
    r"|\b(this|that|these|those|the|our|an?)( [\w-]+)? (examples?|demos?|samples?|variants?)\b"
    r"|\b(previous|preceding|next|following|last|earlier|first|other|another|above|below)"
    r"( \w+)? (articles?|chapters?|components?|demos?|documents?|examples?|guides?|pages?|parts?"
    r"|posts?|sections?|steps?|tables?|tutorials?|versions?)\b"
    r"|((^|[.,;:(]|\b(and|or|please|should|can|may|must)) *"
    r"(see|visit|read|check|refer to|continue|head (over )?to|consult))\b"
    r"|\b(full|official|complete) (documentation|docs|guide|list)\b"
    r"|\b(mentioned|described|shown|listed|seen|explained) (above|below|earlier|before|here)\b"
    r"|\b(click|tap|press|found|available|documentation|details|more) here\b|\b(again|likewise)\b"
    r"|\b(wie (im|in|bei|auf|oben)|lesen Sie|siehe|gleiche[nrs]?|dasselbe|dieses Beispiel)\b"
    r"|\b(véase|vea|consulte|lea|igual que|este ejemplo|voir|consultez|lisez|comme dans"
    r"|cet exemple|vedi|consulta|leggi|questo esempio|veja|leia|este exemplo)\b"
    # Positions in menus or handbooks, and keyboard shortcuts.
    r"|\b(sections?|chapters?|figures?|fig\.|tables?|appendix|kapitel|abschnitt|abbildung|tabelle"
    r"|secci[oó]n|cap[ií]tulo|figura|tabla|chapitre) \d|§"
    r"|[\u2190-\u21ff\u25b8\u25ba\u279c]|\w *> *\w"
    r"|\b(ctrl|strg|cmd|shift|alt) *[+\u002d] *\w"
    r"|参见|参阅|請參閱|请参阅|请阅读|如上|此示例|本示例|参照|をご覧|この例",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    r"\b(this|the) (page|chapter|document|manual|tutorial|guide|article)\b"
    r"|\bthis (part of the documentation|section|topic)\b"
    r"|^(here|on this page) you (can |will )?(see|find|learn)\b|^hier (sehen|finden) sie\b"
    r"|\bdiese (seite|anleitung)\b|\best[ae] (página|manual|guía|capítulo)\b|هذه الصفحة|本页|本章",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"^(after|although|as|because|before|by|currently|for|if|in|it|like|normally|note|once|since"
    r"|sometimes|there|to|usually|when|while|you)\b",
    re.IGNORECASE,
)
# A subject without a verb, as in `The component and is ...`.
_VERBLESS = re.compile(
    r"^(the|this|an?|our|your) (\w+ ){1,3}and (is|are|was|has|have|can|will)\b", re.IGNORECASE
)


def lead_of(screen: Screen) -> str:
    """Return the first sentence below the main heading if it says what the page is about, or "".

    Either the sentence speaks of the page itself (`This page lists ...`), or its subject is that of
    the heading, by most of the heading's words, and it says what the subject is or does
    (`words.defines`). In the second case it denies and limits nothing, and the rest of the page
    shares its words. Sentences that refer to another page are excluded.
    """
    headings = [
        element
        for element in screen.elements
        if element.role == "heading" and element.landmark not in FRAME
    ]
    titles = (heading for heading in headings if heading.level < TITLE_LEVELS)
    title = next(titles, next(iter(headings), None))
    # If several headings have the level, each is the title of a part.
    if title is None or (title.level == _PART_LEVEL and not _is_alone(title, headings)):
        return ""
    paragraph, sentence = _first_below(screen, title)
    if paragraph is None or points_elsewhere(sentence) or _VERBLESS.search(sentence):
        return ""
    if _OF_ITSELF.search(sentence):
        return sentence
    beginning = " ".join(sentence.split()[:_BEGINNING])
    titled = stems(title.text)
    named = 2 * len(stems(beginning) & titled) > len(titled)
    if not named or _ASIDE.search(sentence) or not is_definition(screen.language, sentence):
        return ""
    rest = " ".join(
        element.own for element in screen.elements if not screen.nested(element, paragraph)
    )
    of_lead, of_rest = stems(sentence), stems(rest)
    shared = len(of_lead & of_rest) >= _SHARED * len(of_lead)
    return sentence if shared or len(of_rest) < _LITTLE else ""


def _is_alone(heading: Element, headings: Sequence[Element]) -> bool:
    """Whether no other heading has the same or a higher level."""
    return not any(other.level <= heading.level for other in headings if other is not heading)


def _first_below(screen: Screen, heading: Element) -> tuple[Element | None, str]:
    """Return the first paragraph under a heading, and its first sentence."""
    for element in screen.elements[heading.id + 1 :]:
        if element.tag in _LISTS:
            return None, ""
        if element.role == "heading" and not screen.nested(element, heading):
            return None, ""
        running = element.tag == "p" or (element.tag == "div" and element.own)
        below = (
            abs(element.box[0] - heading.box[0]) <= _INDENT
            and heading.box[1] <= element.box[1] <= heading.box[3] + _UNDER
        )
        noted = any(outer.role in _NOTES for outer in screen.ancestors(element))
        if running and below and not noted and element.landmark not in FRAME:
            whole = element.covered <= _MOST_COVERED and not element.cut and not element.clipped
            sentence = _first_sentence(element.text) if whole else ""
            # A later paragraph would continue this one.
            if sentence or length(element.text) >= _WORDS[0] or ends(element.text):
                return (None, "") if _is_hint(screen, element) else (element, sentence)
    return None, ""


def _first_sentence(text: str) -> str:
    first = next(iter(sentences(text)), "")
    return first if ends(first) and _WORDS[0] <= length(first) <= _WORDS[1] else ""


def _is_hint(screen: Screen, paragraph: Element) -> bool:
    """Whether a field or a form follows a paragraph, which may be instructions for it."""
    after = (
        element
        for element in screen.elements[paragraph.id + 1 :]
        if not screen.nested(element, paragraph)
    )
    following = next(after, None)
    return following is not None and following.tag in _FILLED


def points_elsewhere(text: str) -> bool:
    """Whether a text refers to something outside the page.

    >>> points_elsewhere("The same as the route example, but a bit cooler.")
    True
    >>> points_elsewhere("This page explains how teapots are fired.")
    False
    """
    return bool(_ELSEWHERE.search(text))
