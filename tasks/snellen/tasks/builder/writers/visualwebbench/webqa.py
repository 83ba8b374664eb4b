"""VisualWebBench's webqa: questions about a page's data, each with exactly one answer.

Source of the form: VisualWebBench (Liu et al., 2024), section 3: at most five questions a page,
with precise and objective answers. The published questions were written by people; these are
generated from tables, pairs of labels and values, prices and contacts, with templates in the page's
language.
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
"""The maximum number of questions of one page."""

_ONCE = frozenset({"next", "section", "first", "last"})
"""Kinds with at most one question a page: others would differ only in the name."""

_DIFFICULTY = {
    "reverse": "medium",
    "highest": "hard",
    "lowest": "hard",
    "dearest": "hard",
    "cheapest": "hard",
}


def webqa(snapshot: Snapshot, random: Random) -> Iterator[Made | Refused]:
    """Ask for facts of as many kinds as possible; no two questions have the same answer."""
    screen = snapshot.screen
    language = language_of(screen)
    templates = templates_of(language)
    if templates is None:
        yield refused("webqa", Reason.NO_TEMPLATES if language else Reason.NO_LANGUAGE)
        return
    chosen: dict[str, Question] = {}
    kinds: set[str] = set()
    for question in by_turns(random, questions_of(snapshot, templates), lambda each: each.kind):
        if question.kind in _ONCE & kinds:
            continue
        if chosen.setdefault(folded(question.answers[0]), question) is question:
            kinds.add(question.kind)
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
