"""Perturbing the text of one button so that people can still read it.

WebRSSBench's script also shuffles, reverses and replaces texts, which destroys the meaning. Here
every edit is reversible: without spaces and marks, and with look-alikes replaced by letters, the
text equals the skeleton of the original.
"""

import re
import unicodedata
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from snellen.build.perturb.base import Attempted, ChangeMaker, Check, Declined
from snellen.build.screen.buttons import deed_of, labelled_buttons
from snellen.build.screen.elements import MARKED, After, Element, Screen
from snellen.build.screen.fields import NO_LANGUAGE
from snellen.build.screen.words.reading import words_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

UNKNOWN = "no button with known words"
NO_EDIT = "no edit suits its text"
NOT_READ = "the text is not what it was"
UNREADABLE = "the text can't be read in full"
TOO_WIDE = "the button became too wide"
REFLOWED = "the page's height changed"

LOOKALIKES = {"o": "0", "l": "1", "e": "3", "a": "4", "s": "5", "t": "7", "b": "8"}
"""The replacements of letters, in either case."""

MARKS = ("!", "·", "~", "…")
THIN, WIDE = "\u202f", "\u00a0\u00a0"
# Neither allows a line break.

_LETTERS = {shape: letter for letter, shape in LOOKALIKES.items()}
_JOINED = re.compile("[\u0600-\u06ff\u0900-\u097f]")
# Scripts whose letters join: spaces between them would change their shapes.
_WIDER = 2.5
_HIGHER = 24
_BARS = frozenset({"banner", "contentinfo", "navigation", "search"})

_READ = """(selector) => {
  const element = document.querySelector(selector);
  if (element.tagName === "INPUT") return element.value;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    if (walker.currentNode.data.trim()) texts.push(walker.currentNode.data.trim());
  }
  return texts.length === 1 ? texts[0] : null;
}"""

_WRITE = """({ selector, text }) => {
  const element = document.querySelector(selector);
  if (element.tagName === "INPUT") {
    element.setAttribute("value", text);
    return;
  }
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (walker.currentNode.data.trim()) walker.currentNode.data = text;
  }
}"""


def skeleton(text: str) -> str:
    """Return the part of a text that no edit changes: its letters, with look-alikes replaced.

    >>> skeleton("S\u202fu\u202fb s\u202fc\u202fr\u202fi\u202fb\u202fe!"), skeleton("5ubscrib3")
    ('subscribe', 'subscribe')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(_LETTERS.get(each, each) for each in folded if each.isalnum())


def space_out(text: str, random: Random) -> str | None:
    """Put thin spaces between letters and wide ones between words; None for joining scripts.

    >>> space_out("Buy now", Random(0)).split(WIDE)[0].split(THIN)
    ['B', 'u', 'y']
    """
    if _JOINED.search(text) or len(text) < 2:
        return None
    return WIDE.join(THIN.join(word) for word in text.split())


def punctuate(text: str, random: Random) -> str | None:
    """Append one or two marks, or put one between words."""
    words, mark = text.split(), random.choice(MARKS)
    if len(words) > 1 and random.randrange(2):
        place = random.randrange(1, len(words))
        return " ".join([*words[:place], mark, *words[place:]])
    return f"{' '.join(words)} {mark}" if mark in "·~" else f"{' '.join(words)}{mark * 2}"


def look_alike(text: str, random: Random) -> str | None:
    """Replace up to half of the letters by look-alikes; None if none can be replaced."""
    places = [at for at, letter in enumerate(text) if letter.casefold() in LOOKALIKES]
    letters = sum(letter.isalpha() for letter in text)
    most = min(len(places), letters // 2)
    if most == 0:
        return None
    chosen = set(random.sample(places, random.randrange(1, most + 1)))
    return "".join(
        LOOKALIKES[letter.casefold()] if at in chosen else letter for at, letter in enumerate(text)
    )


OPERATORS = {"spaces": space_out, "punct": punctuate, "lookalike": look_alike}


def describable_buttons(screen: Screen) -> Sequence[Element]:
    """Return the buttons whose effect is known from their text, each text once on the page."""
    words = words_of(screen.language)
    if words is None:
        return []
    candidates = labelled_buttons(screen)
    texts = [button.text.casefold() for button in candidates]
    return [
        button
        for button in candidates
        if deed_of(screen, words, button) is not None
        and texts.count(button.text.casefold()) == 1
        and len(skeleton(button.text)) >= 2
    ]


def disturb(page: "Page", screen: Screen, random: Random) -> Attempted | Declined:
    """Edit the text of one button with one of the operators."""
    if words_of(screen.language) is None:
        return Declined(NO_LANGUAGE)
    candidates = list(describable_buttons(screen))
    random.shuffle(candidates)
    # Buttons in bars are on every page of a site, and most are for a search.
    candidates.sort(key=lambda one: one.landmark in _BARS)
    for button in candidates:
        selector = MARKED % button.id
        text: str | None = page.evaluate(_READ, selector)
        if text is None or skeleton(text) != skeleton(button.text):
            continue
        names = list(OPERATORS)
        random.shuffle(names)
        for name in names:
            edited = OPERATORS[name](text, random)
            if edited is None or edited == text or skeleton(edited) != skeleton(text):
                continue
            page.evaluate(_WRITE, {"selector": selector, "text": edited})
            return Attempted(
                elements=[button.id],
                record={"operator": name, "before": text, "after": edited},
                checks=[_reversible(button), _as_tall(screen)],
            )
    return Declined(NO_EDIT if candidates else UNKNOWN)


def _reversible(button: Element) -> Check:
    def check(after: After) -> str | None:
        now = after.elements.get(button.id)
        if now is None or now.text == button.text:
            return NOT_READ
        if skeleton(now.text) != skeleton(button.text):
            return NOT_READ
        if now.cut or now.clipped or now.covered > 0.2:
            return UNREADABLE
        return TOO_WIDE if now.width > _WIDER * button.width else None

    return check


def _as_tall(screen: Screen) -> Check:
    def check(after: After) -> str | None:
        return REFLOWED if abs(after.screen.height - screen.height) > _HIGHER else None

    return check


TEXT_CHANGES = (ChangeMaker("webrssbench/text", "edit", disturb),)
