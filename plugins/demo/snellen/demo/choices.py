"""Choosing one of several options by the text on the screen."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from snellen.demo.findings import Finding, first, no_idea
from snellen.demo.lookup import look_up
from snellen.demo.marks import red_box
from snellen.demo.ocr.pictures import Line, Picture
from snellen.demo.phrases import agreement, content, hits, overlap, words
from snellen.demo.quotes import read_inside
from snellen.sdk.exam.client import ExamItem
from snellen.sdk.exam.page import subject

_NOT = re.compile(r"\b(?:not|except|isn't|aren't|doesn't|nicht|kein\w*|no)\b", re.IGNORECASE)
_LETTERED = re.compile(r"^([A-Z])[.)] (.+)$", re.MULTILINE)


def page_after_click(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Choose the page whose title matches the text of the element in the red box."""
    picture, options = first(question, pictures), options_of(question)
    box = red_box(picture.pixels)
    if box is None or not options:
        return no_idea("there is no red box to be seen, or nothing to choose from")
    text = read_inside(picture, box)
    own = _own_words(options)
    scores = [overlap(text, one) + agreement(text, one) for one in own]
    best = max(range(len(options)), key=scores.__getitem__)
    if scores[best] < 0.5:
        return no_idea(f"no title has anything of {text!r}")
    return Finding(ascii_uppercase[best], f"the red box says {text!r}", box)


def option(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Choose the option that the screen shows near the question's words."""
    options = options_of(question)
    if not options:
        return no_idea("there is nothing to choose from")
    lines = first(question, pictures).lines()
    asked = _question(question)
    present = [_presence(one, lines) for one in options]
    if _NOT.search(asked):
        missing = min(range(len(options)), key=present.__getitem__)
        others = sorted(present)[1]
        if others - present[missing] < 0.15:
            return no_idea("every option, or none, is on the screen")
        return Finding(ascii_uppercase[missing], "the one that is not on the screen")
    found = look_up(asked, lines)
    scores = [_near(one, asked, lines) + 0.4 * present[place] for place, one in enumerate(options)]
    if found is not None:
        scores = [
            score + 0.8 * found.score * agreement(found.text, one)
            for score, one in zip(scores, options, strict=True)
        ]
    best = max(range(len(options)), key=scores.__getitem__)
    second = sorted(scores)[-2] if len(scores) > 1 else 0.0
    if scores[best] < 0.35 or scores[best] - second < 0.02:
        return no_idea("the screen says no option, or several")
    return Finding(ascii_uppercase[best], f"the screen says {options[best]!r}")


def options_of(question: ExamItem) -> Sequence[str]:
    """Return the options: the item's own, else the lettered ones of the prompt."""
    if any(len(one) > 1 for one in question.options):
        return question.options
    found = _LETTERED.findall(question.prompt)
    return [text for letter, text in found if letter in ascii_uppercase[: len(found)]]


def _own_words(options: Sequence[str]) -> list[str]:
    """Return options without the words that most of them have, such as the name of the site."""
    counts = Counter(word for one in options for word in set(words(one)))
    common = {word for word, count in counts.items() if count > len(options) / 2}
    return [" ".join(word for word in words(one) if word not in common) or one for one in options]


def _question(question: ExamItem) -> str:
    # The options follow the question and are not a part of it.
    return subject(question.prompt.split("\nOptions:")[0] + "\n\n")


def _presence(option: str, lines: Sequence[Line]) -> float:
    return max((agreement(option, line.text) for line in lines), default=0.0)


def _near(option: str, asked: str, lines: Sequence[Line]) -> float:
    """Return how close an option is to the words of the question on the screen, 0..1."""
    wanted = set(content(asked)) - set(content(option))
    holders = [line for line in lines if agreement(option, line.text) > 0.8]
    best = 0.0
    for line in lines:
        share = len(hits(wanted, line.text)) / max(len(wanted), 1)
        if not share:
            continue
        if set(content(option)) and len(hits(content(option), line.text)) == len(content(option)):
            best = max(best, share)
        for holder in holders:
            if holder is line:
                continue
            across = abs(holder.box.center[0] - line.box.center[0])
            down = abs(holder.box.center[1] - line.box.center[1])
            best = max(best, share * max(0.0, 1 - (across / 600 + down / 120)))
    return best
