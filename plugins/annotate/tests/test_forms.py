"""The forms of raters' answers: what is an answer, and what is graded of it."""

from collections.abc import Callable
from typing import Any

import pytest

from snellen.annotate import forms
from snellen.grading.errors import DataError
from snellen.grading.models.geometry import Space
from snellen.grading.models.items import AnswerFormat, AnswerKind, Image, Item
from snellen.grading.protocols.base import NO_CONTEXT, Protocol
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.tasks.benchmarks.matrix.rules.golds import MatrixGold
from snellen.tasks.models import TaskData
from snellen.tasks.pack.read import Pack

PICTURE = (Image(name="screen", width=1000, height=500),)


def item(kind: AnswerKind, options: tuple[str, ...] = (), space: Space | None = None) -> Item:
    """Return an item that asks for a form of answer."""
    form = AnswerFormat(kind=kind, example="x", options=options, space=space)
    return Item(id="a", task="t", prompt="?", images=PICTURE, answer_format=form)


CHOICE = item(AnswerKind.CHOICE, ("red", "Blue sky"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [("B", "B"), ("b", "B"), ("blue  SKY", "B"), ("red", "A"), (" A ", "A")],
)
def test_an_option_is_named_by_its_letter_or_its_text(given: str, kept: str) -> None:
    assert forms.checked(CHOICE, NO_CONTEXT, given) == kept


def test_a_label_is_answered_by_its_name() -> None:
    label = item(AnswerKind.LABEL, ("top bar", "other"))
    assert [choice.value for choice in forms.choices_of(label)] == ["top bar", "other"]
    assert forms.checked(label, NO_CONTEXT, "Other") == "other"


def test_lines_are_texts_and_none_is_an_answer() -> None:
    lines = item(AnswerKind.UI_TEXTS)
    assert forms.checked(lines, NO_CONTEXT, "one\n\n two \n") == ["one", "two"]
    assert forms.checked(lines, NO_CONTEXT, "") == []
    assert forms.checked(lines, NO_CONTEXT, ["one"]) == ["one"]


BOX = item(AnswerKind.BOX, space=Space.PIXELS)


def test_a_box_that_a_browser_rounds_over_the_edge_is_cut() -> None:
    assert forms.checked(BOX, NO_CONTEXT, [-0.4, 0, 1000.6, 20]) == [0, 0, 1000, 20]


BAD: list[tuple[Item, Any, str]] = [
    (CHOICE, "C", "no option; there are: A, B"),
    (CHOICE, None, "no option"),
    (item(AnswerKind.TEXT), "  ", "give a text"),
    (item(AnswerKind.TEXT), None, "give a text"),
    (item(AnswerKind.TEXT), "a\0b", "give a text"),
    (item(AnswerKind.TEXT), "x" * (forms.LONGEST + 1), "4,000 characters"),
    (item(AnswerKind.UI_TEXTS), [1], "texts, one a line"),
    (BOX, "1,2,3,4", "left, top, right, bottom"),
    (BOX, [1, 2, 3], "left, top, right, bottom"),
    (BOX, [1, 2, 3, True], "left, top, right, bottom"),
    (BOX, [3, 2, 1, 4], "left of right"),
    (BOX, [1, 2, 1, 4], "left of right"),
    (BOX, [1, 2, float("inf"), 4], "no finite number"),
    (BOX, [1, 2, 1002, 4], "inside of it"),
]


@pytest.mark.parametrize(
    ("asked", "given", "message"), BAD, ids=[f"{m} {g!r:.20}" for _, g, m in BAD]
)
def test_what_is_no_answer_is_refused(asked: Item, given: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        forms.checked(asked, NO_CONTEXT, given)


@pytest.mark.parametrize(
    ("kind", "space", "response"),
    [
        (AnswerKind.BOX, Space.PIXELS, [100, 50, 300, 150]),
        (AnswerKind.BOX, None, [100, 50, 300, 150]),
        (AnswerKind.BOX, Space.UNIT, [0.1, 0.1, 0.3, 0.3]),
        (AnswerKind.BOX, Space.THOUSAND, [100, 100, 300, 300]),
        (AnswerKind.POINT, Space.PIXELS, [200, 100]),
        (AnswerKind.POINT, Space.UNIT, [0.2, 0.2]),
    ],
)
def test_a_box_is_graded_in_the_items_space_or_by_its_middle(
    kind: AnswerKind, space: Space | None, response: list[float]
) -> None:
    found = forms.response_of(item(kind, space=space), NO_CONTEXT, [100, 50, 300, 150])
    assert found == pytest.approx(response, abs=1e-12)


def test_fractions_of_an_image_of_no_size_are_refused() -> None:
    bare = item(AnswerKind.BOX, space=Space.UNIT).model_copy(update={"images": ()})
    with pytest.raises(DataError, match="how large"):
        forms.response_of(bare, NO_CONTEXT, [1, 2, 3, 4])


def test_an_episode_is_not_answered_by_raters() -> None:
    with pytest.raises(DataError, match="environment"):
        forms.form_of(item(AnswerKind.EPISODE))


def given_for(rule: Protocol, asked: Item, gold: Any) -> Any:
    """Return what a rater gives who sees what the reference says."""
    if forms.form_of(asked) is forms.Form.BOX:
        return list(gold.answer if isinstance(gold, MatrixGold) else gold.bbox)
    if asked.answer_format.kind is AnswerKind.LABEL:
        values = [choice.value for choice in forms.choices_of(asked)]
        return max(values, key=lambda value: score_one(rule, value, gold).value)
    return gold_shape(asked.task).responses(gold)[0]


def test_a_rater_who_says_what_the_reference_says_is_right_in_every_task(
    exam: Pack, data_of: Callable[[str], TaskData]
) -> None:
    tried = 0
    for task in exam.index:
        data = data_of(task)
        rule = protocol_of(task, exam.task(task).protocol.partition("@")[0])
        for name in exam.index[task]:
            place = data.index[name]
            line, gold = exam.line(task, name), data.golds[place]
            said = given_for(rule, line.item, gold)
            if forms.form_of(line.item) is forms.Form.TEXT and not isinstance(said, str):
                continue
            kept = forms.checked(line.item, line.context, said)
            response = forms.response_of(line.item, line.context, kept)
            worth = score_one(rule, response, gold, line.context).value
            assert worth >= rule.metric.best - 1e-6, (task, name)
            # And the reference that is made of the answer makes the same answer right.
            shape = gold_shape(task)
            shape = gold_shape(task)
            made = shape.read(shape.made_of([kept], forms.sized(line.item, line.context), gold))
            assert score_one(rule, response, made, line.context).value >= rule.metric.best - 1e-6
            tried += 1
    assert tried > 100
