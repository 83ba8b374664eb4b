"""Removing hints, for WebRSSBench's questions about forms without them."""

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from snellen.build.perturb.base import Attempted, ChangeMaker, Check, Declined
from snellen.build.screen.elements import MARKED, After, Element, Screen
from snellen.build.screen.fields import (
    NO_FIELD,
    NO_LANGUAGE,
    NO_RULE,
    OPEN,
    hintable_fields,
    kind_of,
    text_fields,
)
from snellen.build.screen.words.reading import words_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

NO_HINT = "no hint that the rest of the page lets infer"
STILL_HINTS = "a field still shows its hint"

_MOST = 2
_REMOVE = """(selectors) => {
  for (const selector of selectors) {
    const field = document.querySelector(selector);
    field.removeAttribute("placeholder");
  }
}"""


def remove_hints(page: "Page", screen: Screen, random: Random) -> Attempted | Declined:
    """Remove the placeholders of up to two fields whose hints can be inferred."""
    if not text_fields(screen):
        return Declined(NO_FIELD)
    fields = hintable_fields(screen)
    if not fields:
        return Declined(NO_HINT)
    return _remove(page, fields, random)


def remove_help(page: "Page", screen: Screen, random: Random) -> Attempted | Declined:
    """Remove the placeholders of up to two fields whose values are known."""
    hinting = [field for field in text_fields(screen) if field.placeholder]
    if not hinting:
        return Declined(NO_FIELD)
    if words_of(screen.language) is None:
        return Declined(NO_LANGUAGE)
    fields = [
        field
        for field in hinting
        if field.label and (kind_of(screen, field) or NO_RULE) not in {*OPEN, NO_RULE}
    ]
    if not fields:
        return Declined(NO_RULE)
    # One of several fields is not changed, for the easy question.
    return _remove(page, fields, random, most=max(1, min(_MOST, len(fields) - 1)))


def _remove(page: "Page", found: Sequence[Element], random: Random, most: int = _MOST) -> Attempted:
    chosen = sorted(field.id for field in random.sample(found, min(most, len(found))))
    page.evaluate(_REMOVE, [MARKED % number for number in chosen])
    return Attempted(
        elements=chosen,
        record={"placeholders": {str(n): _hint(found, n) for n in chosen}},
        checks=[_gone(chosen), _in_place(found, chosen)],
    )


def _hint(found: Sequence[Element], number: int) -> str:
    return next(field.placeholder for field in found if field.id == number)


def _gone(chosen: Sequence[int]) -> Check:
    def check(after: After) -> str | None:
        fields = (after.elements.get(number) for number in chosen)
        return STILL_HINTS if any(field is None or field.placeholder for field in fields) else None

    return check


def _in_place(found: Sequence[Element], chosen: Sequence[int]) -> Check:
    boxes = {field.id: field.box for field in found}

    def check(after: After) -> str | None:
        for number in chosen:
            now = after.elements[number].box
            if any(abs(a - b) > 2 for a, b in zip(boxes[number], now, strict=True)):
                return "a field moved"
        return None

    return check


HINT_CHANGES = (
    ChangeMaker("webrssbench/hint_text", "removed", remove_hints),
    ChangeMaker("webrssbench/form_filling", "removed", remove_help),
)
