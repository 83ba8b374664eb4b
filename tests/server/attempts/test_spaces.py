"""Answers in another space than their item's."""

from typing import Any

import pytest

from snellen.grading.models.geometry import Space
from snellen.grading.models.items import Image
from snellen.server.attempts.models import AnswerMeta
from snellen.server.attempts.spaces import in_asked_space
from snellen.server.errors import ExamError
from snellen.server.exam.spec import ExamSpec, Question
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples import exam_folder

SPEC = ExamSpec([open_pack(exam_folder("sample"))])


def question(kind: str) -> Question:
    """Return an item of the sample that is answered in pixels of its image, here 720 x 1280."""
    task = f"visualwebbench/element_ground_{kind}"
    found = SPEC.question(task, SPEC.asked(task)[0], b"")
    asked = found.item.answer_format.model_copy(update={"space": Space.PIXELS})
    update = {"images": (Image(name="screen", width=720, height=1280),), "answer_format": asked}
    return Question(found.item.model_copy(update=update), found.line, None, found.protocol)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([0.5, 0.25], AnswerMeta("unit")),
        ("click(500, 250)", AnswerMeta("thousand")),
        ([180, 160], AnswerMeta("view", "screen 0,0,720,1280 of 720x1280 at 360x640")),
        # A region that begins at its row 300.
        ("(360, 20)", AnswerMeta("view", "screen 0,300,720,1280 of 720x1280 at 720x980")),
    ],
)
def test_a_point_is_brought_into_the_space_of_its_item(answer: Any, said: AnswerMeta) -> None:
    assert in_asked_space(question("point"), answer, said) == [360, 320]


def test_a_box_is_brought_into_the_space_of_its_item() -> None:
    said = AnswerMeta("thousand")
    assert in_asked_space(question("bbox"), [0, 250, 500, 1000], said) == [0, 320, 360, 1280]


def test_an_answer_that_names_no_other_space_stays_as_it_is() -> None:
    assert in_asked_space(question("point"), "(1, 2)", AnswerMeta()) == "(1, 2)"
    assert in_asked_space(question("point"), "(1, 2)", AnswerMeta("pixels")) == "(1, 2)"


@pytest.mark.parametrize(
    ("answer", "said", "words"),
    [
        ("nowhere", AnswerMeta("unit"), "answered in the space 'pixels', not 'unit'"),
        ([1, 2], AnswerMeta("view"), "needs the view's id"),
        ([1, 2], AnswerMeta("view", "screen 0,0,9,9 of 9x9 at 9x9"), "does not show an image"),
    ],
)
def test_what_can_not_be_converted_is_sent_back(answer: Any, said: AnswerMeta, words: str) -> None:
    with pytest.raises(ExamError, match=words):
        in_asked_space(question("point"), answer, said)
