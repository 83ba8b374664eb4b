"""The table of skills: the rule for each kind of question, by the information that the agent has.

A skill looks at the images of a question and returns an answer with a reason, or no answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from snellen.demo import choices, controls, points, quotes
from snellen.demo.findings import Finding, no_idea
from snellen.demo.ocr.pictures import Picture
from snellen.sdk.exam.client import ExamItem

Skill: TypeAlias = Callable[[ExamItem, Mapping[str, Picture]], Finding]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a pattern of tasks' names with `*`, a skill, and the images it needs."""

    tasks: str
    skill: Skill
    every_image: bool = False


TABLE: Sequence[Row] = (
    Row("visualwebbench/web_caption", quotes.caption),
    Row("visualwebbench/heading_ocr", quotes.heading),
    Row("visualwebbench/webqa", quotes.short_answer),
    Row("visualwebbench/element_ocr", quotes.marked_text),
    Row("visualwebbench/action_prediction", choices.page_after_click),
    Row("visualwebbench/*_ground", points.letter),
    Row("visualwebbench/*_bbox", points.box),
    Row("visualwebbench/*_point", points.point),
    Row("screenqa/short", quotes.short_answer),
    Row("screenqa/complex", quotes.short_answer),
    Row("screenqa/long", quotes.sentence),
    Row("screenqa/ui_contents", quotes.elements),
    Row("screenqa/ui_contents_boxes", quotes.boxed_elements),
    Row("webrssbench/position", points.parts, every_image=True),
    Row("webrssbench/ui_grouping", points.region),
    Row("webrssbench/form_filling", controls.value),
    Row("webrssbench/hint_text", controls.hint),
    Row("webrssbench/color", controls.most_important),
    Row("webrssbench/text", controls.purpose),
    Row("webrssbench/layout", quotes.caption),
    Row("webrssbench/safety", controls.irreversible),
    Row("mmbench-gui/l1*", choices.option),
    Row("mmbench-gui/l2*", points.point),
    Row("screenspot*", points.point),
)
"""The skills by task; the first matching row applies. Other tasks use `BY_FORM`."""

BY_FORM: Mapping[str, Row] = {
    "choice": Row("*", choices.option),
    "point": Row("*", points.point),
    "box": Row("*", points.box),
    "ui_texts": Row("*", quotes.elements),
    "boxed_texts": Row("*", quotes.boxed_elements),
    "relations": Row("*", points.parts, every_image=True),
    "text": Row("*", quotes.text),
}
"""The skill for each answer format, for tasks that the table does not name."""


def row_for(question: ExamItem) -> Row | None:
    """Return the row of the table for a question, or None if no rule answers such questions."""
    for row in TABLE:
        if fnmatchcase(question.task, row.tasks):
            return row
    return BY_FORM.get(question.kind)


def answer(question: ExamItem, pictures: Mapping[str, Picture]) -> Finding:
    """Answer a question from its images; the result may have no answer.

    Args:
        question: The question.
        pictures: Its images by their names: at least the first, or all if the skill needs all.
    """
    row = row_for(question)
    if row is None:
        return no_idea(f"no rule answers in the form {question.kind}")
    if not pictures:
        return no_idea("there is no image to look at")
    return row.skill(question, pictures)
