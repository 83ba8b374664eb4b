"""Questions that a screen does not answer: questions of other screens without a hint on this one.

An unanswerable question has the same form and subject as an answerable one, so that the two can't
be distinguished without the screen.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from snellen.tasks.builder.chance import draw
from snellen.tasks.builder.questions.text import folded
from snellen.tasks.builder.questions.variants import day_of, time_of
from snellen.tasks.builder.screen.elements import Screen

SHARE = 0.25
"""The share of a task's questions without an answer, if other screens have enough questions."""

_STEM = 5
_LEAST = 4
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3041-\u30ff\u3400-\u9fff]+")
_ARTICLE = "ال"
# Screens show places in many ways, mostly without the word address.
_PLACE = re.compile(r"address|anschrift|adresse|dirección|endereço|morada|العنوان|地址")
_KINDS = (
    re.compile(r"[\w.+-]+@[\w-]+\.\w+"),
    re.compile(r"(?:\d[ ()./+-]*){7,}"),
    re.compile(r"[$€£¥₹]|درهم"),
)
_TIME = re.compile(r"\d{1,2}[:.]\d{2}|\d ?[ap]m\b|uhr", re.IGNORECASE)
_DATE = re.compile(r"\b20\d\d\b|年")


class ScreenQuestion(NamedTuple):
    """An answerable question of a screen, as other screens need it.

    Attributes:
        site: The screen's site.
        screen: The screen's id.
        language: The screen's language.
        layout: The kind of the page.
        number: Its index in the list.
        kind: The kind of its fact.
        names: The names in its question.
        answer: Its answer.
    """

    site: str
    screen: str
    language: str
    layout: str
    number: int
    kind: str
    names: Sequence[str]
    answer: str


def shown_text(screen: Screen) -> str:
    """Return all text of a screen, hidden text included, for `is_absent`."""
    parts: dict[str, None] = {}
    for each in screen.elements:
        texts = (each.own, each.name, each.label, each.placeholder, each.value, each.alt)
        for text in (*texts, *each.options):
            parts[text] = None
    return "\n".join(part for part in parts if part)


def is_absent(asked: ScreenQuestion, shown: str) -> bool:
    """Whether a screen neither answers a question nor seems to.

    The name of a thing (a row, a product) must not be on the screen, nor all its words, nor a text
    of some of its words. For a label, none of its words may be on the screen, and no value of its
    kind: any phone number may seem to be the answer. The answer must not be on the screen either,
    since the footer may show it without a label.
    """
    page = f" {folded(shown)} "
    name = folded(asked.names[0])
    if f" {name} " in page or (_UNSPACED.search(name) and name.replace(" ", "") in page):
        return False
    if asked.kind not in {"pair", "field"}:
        lines = (set(folded(line).split()) for line in shown.splitlines())
        # Someone who asks for `Small utilities` may mean `Utilities`.
        nearly = any(line and line < set(name.split()) for line in lines)
        return not nearly and not all(word in page for word in name.split())
    if len(asked.answer) >= _LEAST and folded(asked.answer) in page:
        return False
    return (
        not _PLACE.search(name)
        and not any(part in page for part in _parts(name))
        and not _has_kind(asked.answer, shown)
    )


def choose(
    asked: Iterable[ScreenQuestion], screen: ScreenQuestion, shown: str, seed: int
) -> ScreenQuestion | None:
    """Return another screen's question for a screen: preferably of its site, then of its page kind.

    Args:
        asked: The questions of other screens.
        screen: Any question of the screen.
        shown: The text of the screen.
        seed: The seed of random choices.
    """
    others = [
        each
        for each in asked
        if each.screen != screen.screen
        and each.language == screen.language
        and each.names
        and is_absent(each, shown)
    ]

    def rank(each: ScreenQuestion) -> tuple[bool, bool, float]:
        lot = draw(seed, screen.screen, each.screen, *each.names).random()
        return (each.site != screen.site, each.layout != screen.layout, lot)

    return min(others, key=rank, default=None)


def screen_question(site: str, screen: str, number: int, row: Mapping[str, Any]) -> ScreenQuestion:
    """Return the question of a maker's row."""
    about = row["about"]
    return ScreenQuestion(
        site,
        screen,
        row["language"],
        row["layout"],
        number,
        about["kind"],
        about["names"],
        about["answer"],
    )


def _parts(label: str) -> Sequence[str]:
    """Return the parts of a label's words that suffice to suggest it.

    >>> _parts("application deadline"), _parts("营业时间")
    (['appli', 'deadl'], ['营业', '业时', '时间'])
    """
    unspaced = "".join(_UNSPACED.findall(label))
    pairs = [unspaced[place : place + 2] for place in range(len(unspaced) - 1)]
    words = [word.removeprefix(_ARTICLE) for word in _UNSPACED.sub(" ", label).split()]
    long = [word[:_STEM] for word in words if len(word) >= _LEAST]
    return [*pairs, *(long or [f" {word} " for word in words])]


def _has_kind(answer: str, shown: str) -> bool:
    """Whether a screen shows any value of the answer's kind."""
    for pattern in _KINDS:
        if pattern.search(answer):
            return bool(pattern.search(shown))
    if day_of(answer) is not None or _DATE.search(answer):
        return bool(_DATE.search(shown))
    if time_of(answer) is not None or _TIME.search(answer):
        return bool(_TIME.search(shown))
    return False
