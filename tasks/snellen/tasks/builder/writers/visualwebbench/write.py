"""VisualWebBench's makers by task, and the published layout of its items.

The box and point variants read the items of `element_ground` and `action_ground`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType

from snellen.tasks.builder.chance import by_turns
from snellen.tasks.builder.items import Made, Maker, PageItems, Refused
from snellen.tasks.builder.questions.names import UNREAD
from snellen.tasks.builder.questions.spatial import rounded
from snellen.tasks.builder.questions.templates import templates_of
from snellen.tasks.builder.questions.text import folded, language_of
from snellen.tasks.builder.questions.wording import Question, questions_of
from snellen.tasks.builder.snapshots import Snapshot
from snellen.tasks.builder.writers.base import Side, as_lines, side_of, write_rows
from snellen.tasks.builder.writers.visualwebbench.choices import action_ground, element_ground
from snellen.tasks.builder.writers.visualwebbench.clicks import (
    PREDICTION,
    action_prediction,
    offered,
)
from snellen.tasks.builder.writers.visualwebbench.shared import Reason, made, refused
from snellen.tasks.builder.writers.visualwebbench.texts import element_ocr, heading_ocr, web_caption

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


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "visualwebbench/web_caption": web_caption,
        "visualwebbench/heading_ocr": heading_ocr,
        "visualwebbench/webqa": webqa,
        "visualwebbench/element_ocr": element_ocr,
        "visualwebbench/element_ground": element_ground,
        PREDICTION: action_prediction,
        "visualwebbench/action_ground": action_ground,
    }
)
"""The makers by task; the task seeds a maker's random choices."""

VARIANTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        f"visualwebbench/{name}": tuple(
            f"visualwebbench/{name}{way}" for way in ("_bbox", "_point")
        )
        for name in ("element_ground", "action_ground")
    }
)
"""The tasks that read another task's rows."""

_PREFIX = "visualwebbench/"
_SPLIT = "test"


def balanced(pages: Sequence[PageItems], seed: int) -> Sequence[PageItems]:
    """Give action_prediction items their options, and remove surplus items."""
    return offered(pages, seed)


def write_data(pages: Sequence[PageItems], folder: Path) -> None:
    """Write VisualWebBench's items of all pages, after balancing: see `write_rows`.

    Each configuration is a file of JSON Lines, such as `element_ocr.jsonl`; images are in
    `raw_image` (without marks, one for all items of a page) and `image`.
    """
    write_rows(
        pages,
        folder,
        MAKERS,
        lambda task: f"{task.removeprefix(_PREFIX)}.jsonl",
        _sides,
        as_lines,
    )


def _sides(page: PageItems, one: Made) -> Sequence[Side]:
    item = f"{_SPLIT}/{one.row['id']}"
    return [side_of(page, one, item, task) for task in (one.task, *VARIANTS.get(one.task, ()))]
