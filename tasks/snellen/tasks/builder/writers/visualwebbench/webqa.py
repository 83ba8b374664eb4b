"""VisualWebBench's webqa: questions about what a page shows as data, each with exactly one answer.

Source of the form: VisualWebBench (Liu et al., 2024), section 3: at most five questions a page,
with precise and objective answers. Theirs were written by people; these are made from tables, lists
of labels and values, prices and contacts, by templates in the page's language.
"""

from collections.abc import Iterator
from random import Random

from snellen.tasks.builder.chance import by_turns
from snellen.tasks.builder.items import Made, Refused
from snellen.tasks.builder.questions.names import UNREAD
from snellen.tasks.builder.questions.spatial import rounded
from snellen.tasks.builder.questions.templates import templates_of
from snellen.tasks.builder.questions.text import folded, language_of
from snellen.tasks.builder.questions.wording import Question, questions_of
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.visualwebbench.shared import Reason, made, refused

QUESTION_ITEMS = 5
"""The most questions of one page."""

_ONCE = frozenset({"next", "section", "first", "last"})
"""Kinds of which one question a page is enough: the others would differ in nothing but the name."""

_DIFFICULTY = {
    "reverse": "medium",
    "highest": "hard",
    "lowest": "hard",
    "dearest": "hard",
    "cheapest": "hard",
}


def webqa(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for some of the facts, of as many kinds as there are; no answer is asked for twice."""
    screen = snapshot.screen
    language = language_of(screen)
    templates = templates_of(language)
    if templates is None:
        yield refused("webqa", Reason.NO_TEMPLATES if language else Reason.NO_LANGUAGE)
        return
    chosen: dict[str, Question] = {}
    asked: set[str] = set()
    for question in by_turns(random, questions_of(snapshot, templates), lambda each: each.kind):
        if question.kind in _ONCE & asked:
            continue
        if chosen.setdefault(folded(question.answers[0]), question) is question:
            asked.add(question.kind)
    if not chosen:
        reason = UNREAD if screen.unread else Reason.NO_ANSWER.value
        yield Refused("visualwebbench/webqa", reason)
    for number, question in enumerate(list(chosen.values())[:QUESTION_ITEMS], start=1):
        element = None if question.element is None else screen.elements[question.element]
        yield made(
            snapshot,
            "webqa",
            number,
            {"question": question.text, "answer": list(question.answers)},
            tags={
                "question": question.kind,
                "difficulty": _DIFFICULTY.get(question.kind, "easy"),
            },
            record={
                "element": question.element,
                "box": None if element is None else rounded(element.box),
            },
        )
