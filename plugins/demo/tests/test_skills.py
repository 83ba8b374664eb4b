"""Skills: each on a drawn page whose texts are known."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snellen.demo import choices, controls, points, quotes
from snellen.demo.agent import guess
from snellen.demo.ocr.pictures import Box, Picture
from snellen.demo.skills import TABLE, answer, row_for
from snellen.grading.protocols.table import PROTOCOLS
from snellen.sdk.exam.client import ExamItem
from snellen.tasks.pack.read import open_pack
from snellen.tasks.samples import exam_folder

Sheets = Callable[..., Any]
Ask = Callable[..., ExamItem]


@pytest.fixture
def page(sheet: Sheets) -> Any:
    """A page of a bank: a bar, a heading, a table of prices, buttons, a form."""
    drawn = sheet(1000, 900)
    drawn.fill((0, 0, 1000, 50), "#123456")
    for x, text in ((20, "Harbour Bank"), (300, "Loans"), (420, "Contact")):
        drawn.write(x, 15, text, fill="white")
    drawn.write(40, 90, "Savings accounts for everyone", size=34)
    drawn.write(40, 150, "Open an account in ten minutes and earn interest from the first day.")
    drawn.write(40, 220, "Monthly fee")
    drawn.write(260, 220, "$4.50")
    drawn.write(40, 250, "Opening hours")
    drawn.write(260, 250, "9:00 - 17:30")
    drawn.fill((40, 320, 239, 369), "#0066ff")
    drawn.write(80, 334, "Open an account", fill="white")
    drawn.fill((40, 400, 199, 439), "#dddddd")
    drawn.write(68, 412, "Delete account")
    drawn.write(40, 500, "E-mail address")
    drawn.frame((40, 524, 340, 560), "#888888", 1)
    return drawn


@pytest.mark.slow
def test_the_heading_is_the_largest_text(page: Any, ask: Ask) -> None:
    said = quotes.heading(ask(), {"screen": page.picture})
    assert said.answer == "Savings accounts for everyone"


def test_a_page_without_text_has_no_heading(sheet: Sheets, ask: Ask) -> None:
    assert quotes.heading(ask(), {"screen": sheet().picture}).answer is None
    assert quotes.caption(ask(), {"screen": sheet().picture}).answer is None


@pytest.mark.slow
def test_a_caption_is_the_heading_and_the_text_under_it(page: Any, ask: Ask) -> None:
    shown = {"screen": page.picture}
    said = quotes.caption(ask("What is it about?"), shown).answer
    assert isinstance(said, str)
    assert said.startswith("Savings accounts for everyone. Open an account in ten minutes")
    form = 'use this format:\n<meta name="description" content="YOUR ANSWER">\n'
    assert quotes.caption(ask(form), shown).answer == f'<meta name="description" content="{said}">'


def test_what_stands_in_the_red_box_is_read_and_nothing_else(page: Any, ask: Ask) -> None:
    page.frame((34, 214, 330, 244))
    said = quotes.marked_text(ask("Reply so:\nThe text in the box is: YOUR ANSWER"), shown(page))
    assert said.answer == "The text in the box is: Monthly fee $4.50"
    assert quotes.marked_text(ask("What is in it?"), shown(page)).answer == "Monthly fee $4.50"


@pytest.mark.slow
def test_a_question_of_another_task_may_be_of_the_red_box_or_of_a_value(
    page: Any, ask: Ask
) -> None:
    page.frame((34, 214, 330, 244))
    for prompt, said in (
        ("What is written in the red box?", "Monthly fee $4.50"),
        ("What is the monthly fee?", "$4.50"),
    ):
        assert answer(ask(prompt, task="matrix/items"), shown(page)).answer == said


def test_without_a_red_box_there_is_no_idea(page: Any, ask: Ask) -> None:
    for skill in (quotes.marked_text, choices.page_after_click, controls.value, controls.purpose):
        assert skill(ask(options=("a", "b")), shown(page)).answer is None
    assert points.region(ask(), shown(page)).answer is None


QUESTION = "You see a screen. If it does not say so, reply <no answer>\n\nQuestion: {}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "value"),
    [("How much is the monthly fee?", "$4.50"), ("What is the opening time?", "9:00 - 17:30")],
)
def test_a_question_is_answered_by_the_value_beside_its_label(
    page: Any, ask: Ask, question: str, value: str
) -> None:
    assert quotes.short_answer(ask(QUESTION.format(question)), shown(page)).answer == value
    assert quotes.elements(ask(QUESTION.format(question)), shown(page)).answer == [value]
    boxed: Any = quotes.boxed_elements(ask(QUESTION.format(question)), shown(page)).answer
    assert boxed[0][1] == value
    assert 255 <= boxed[0][0][0] <= 265
    part: Any = quotes.boxed_elements(
        ask(QUESTION.format(question), space="unit"), shown(page)
    ).answer
    assert part[0][0][0] == pytest.approx(boxed[0][0][0] / 1000, abs=1e-4)


@pytest.mark.slow
def test_what_the_screen_does_not_hold_is_said_to_be_missing(page: Any, ask: Ask) -> None:
    prompt = QUESTION.format("Who painted the ceiling?")
    assert quotes.short_answer(ask(prompt), shown(page)).answer == "<no answer>"
    assert quotes.sentence(ask(prompt), shown(page)).answer == "<no answer>"
    assert quotes.elements(ask(prompt), shown(page)).answer == "[]"
    assert quotes.short_answer(ask("Who painted it?"), shown(page)).answer is None


@pytest.mark.slow
def test_a_long_answer_is_a_sentence(page: Any, ask: Ask) -> None:
    said = quotes.sentence(ask(QUESTION.format("What is the monthly fee?")), shown(page)).answer
    assert said == "The monthly fee is $4.50."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("space", "scale"), [("pixels", (1, 1)), ("unit", (1000, 900)), ("thousand", (1, 0.9))]
)
def test_a_point_is_on_the_element_in_the_space_that_is_asked_for(
    page: Any, ask: Ask, space: str, scale: tuple[float, float]
) -> None:
    question = ask("Point.\n\nInstruction: open an account", space=space, example="(1, 2)")
    x, y = json.loads(
        str(points.point(question, shown(page)).answer).replace("(", "[").replace(")", "]")
    )
    assert Box(40, 320, 240, 370).holds(x * scale[0], y * scale[1])


@pytest.mark.slow
def test_a_box_is_that_of_the_button_and_not_of_its_text(page: Any, ask: Ask) -> None:
    question = ask("Find it.\n\nDescription: Open an account button", space="pixels")
    box = Box(*json.loads(str(points.box(question, shown(page)).answer)))
    button = Box(40, 320, 240, 370)
    assert box.shared(button) / box.joined(button).area > 0.9


@pytest.mark.slow
def test_the_box_of_a_field_is_the_one_under_its_label(page: Any, ask: Ask) -> None:
    question = ask("Click it.\n\nTask: Type into the field “E-mail address”", space="pixels")
    box = Box(*json.loads(str(points.box(question, shown(page)).answer)))
    field = Box(40, 524, 341, 561)
    assert box.shared(field) / box.joined(field).area > 0.8


@pytest.mark.slow
def test_the_box_of_a_text_is_not_that_of_what_it_is_on(page: Any, ask: Ask) -> None:
    question = ask("Find it.\n\nDescription: text “Open an account”", space="pixels")
    box = Box(*json.loads(str(points.box(question, shown(page)).answer)))
    assert box.height < 25


@pytest.mark.slow
def test_what_no_text_fits_can_t_be_pointed_at(page: Any, ask: Ask) -> None:
    question = ask("Point.\n\nInstruction: play the violin")
    assert points.point(question, shown(page)).answer is None
    assert points.box(question, shown(page)).answer is None
    assert points.letter(question, shown(page)).answer is None


def test_the_page_after_a_click_is_the_one_whose_title_says_so(page: Any, ask: Ask) -> None:
    page.frame((412, 8, 490, 42))
    question = ask(kind="choice", options=("Loans - Harbour", "Contact us - Harbour", "Cards"))
    assert choices.page_after_click(question, shown(page)).answer == "B"


@pytest.mark.slow
def test_an_option_is_chosen_by_what_the_screen_says(page: Any, ask: Ask) -> None:
    prompt = "Choose.\n\nQuestion: How much is the monthly fee?\nOptions:\nA. $9.99\nB. $4.50"
    question = ask(prompt, kind="choice")
    assert choices.options_of(question) == ["$9.99", "$4.50"]
    assert choices.option(question, shown(page)).answer == "B"
    unknown = ask("Question: What?", kind="choice", options=("red", "blue"))
    assert choices.option(unknown, shown(page)).answer is None


@pytest.mark.slow
def test_the_option_that_is_not_there_is_found(page: Any, ask: Ask) -> None:
    question = ask(
        "Question: Which of these is not on the page?",
        kind="choice",
        options=("Loans", "Contact", "Weather"),
    )
    assert choices.option(question, shown(page)).answer == "C"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("box", "region"),
    [
        ((415, 8, 495, 40), "top bar"),
        ((30, 310, 250, 380), "main content"),
        ((500, 850, 600, 880), "bottom bar"),
    ],
)
def test_the_region_is_told_from_the_place(
    page: Any, ask: Ask, box: tuple[int, ...], region: str
) -> None:
    page.frame(box)
    assert points.region(ask(), shown(page)).answer == region


@pytest.mark.parametrize(("left", "region"), [(20, "left sidebar"), (860, "right sidebar")])
def test_a_column_of_its_own_is_a_sidebar(sheet: Sheets, ask: Ask, left: int, region: str) -> None:
    drawn = sheet(1000, 900)
    drawn.fill((0, 0, 200, 900) if left < 500 else (800, 0, 1000, 900), "#eeeeff")
    drawn.frame((left, 400, left + 100, 440))
    assert points.region(ask(), shown(drawn)).answer == region


@pytest.mark.slow
@pytest.mark.parametrize(("left", "region"), [(60, "left sidebar"), (660, "main content")])
def test_a_narrow_column_is_a_sidebar(sheet: Sheets, ask: Ask, left: int, region: str) -> None:
    drawn = sheet(1000, 1400)
    for line in range(20):
        drawn.write(60, 300 + 30 * line, "Menu item")
        drawn.write(300, 300 + 30 * line, "A long line of the text of this page, " * 2)
    drawn.frame((left, 417, left + 90, 445))
    assert points.region(ask(), shown(drawn)).answer == region


def test_titles_are_told_apart_by_what_they_do_not_share(page: Any, ask: Ask) -> None:
    page.frame((412, 8, 490, 42))
    prompt = "Which?\n\nA. Harbour Bank Loans\nB. Harbour Bank Contact\nC. Harbour Bank Cards"
    question = ask(prompt, kind="choice", options=("A", "B", "C"))
    assert choices.page_after_click(question, shown(page)).answer == "B"


@pytest.mark.slow
def test_the_irreversible_button_is_named(page: Any, ask: Ask) -> None:
    assert controls.irreversible(ask(), shown(page)).answer == "Delete account"


@pytest.mark.parametrize("text", ["Delete filter", "Save changes", "Delete account now and then"])
def test_what_can_be_undone_or_is_no_button_is_not_named(
    sheet: Sheets, ask: Ask, text: str
) -> None:
    drawn = sheet()
    if not text.startswith("Delete account"):
        drawn.fill((40, 400, 239, 439), "#dddddd")
    drawn.write(68, 412, text)
    assert controls.irreversible(ask(), shown(drawn)).answer == "sorry"


@pytest.mark.slow
def test_the_most_important_button_stands_out(page: Any, ask: Ask) -> None:
    assert controls.most_important(ask(), shown(page)).answer == "Open an account"


def test_a_page_without_buttons_has_no_important_one(sheet: Sheets, ask: Ask) -> None:
    assert controls.most_important(ask(), shown(sheet())).answer is None


def test_a_button_s_purpose_is_told_by_its_words(page: Any, ask: Ask) -> None:
    page.frame((34, 394, 206, 446))
    assert "Deletes" in str(controls.purpose(ask(), shown(page)).answer)


@pytest.mark.slow
def test_a_field_is_filled_and_hinted_at_by_its_label(page: Any, ask: Ask) -> None:
    page.frame((38, 521, 343, 563))
    assert controls.value(ask(), shown(page)).answer == "jane.doe@example.com"
    assert controls.hint(ask(), shown(page)).answer == "name@example.com"


def test_parts_of_a_page_are_found_and_related(page: Any, ask: Ask) -> None:
    pixels = page.picture.pixels
    places = {
        "crop_1": Box(40, 320, 240, 370),
        "crop_2": Box(40, 400, 200, 440),
        "crop_3": Box(250, 215, 330, 245),
    }
    cut = {
        name: Picture(pixels[int(box.top) : int(box.bottom), int(box.left) : int(box.right)], page)
        for name, box in places.items()
    }
    question = ask(images=("screen", "crop_1", "crop_2", "crop_3"), kind="relations")
    said = points.parts(question, {"screen": page.picture, **cut}).answer
    assert said == (
        "crop_1 is at the [top] of crop_2\n"
        "crop_1 is at the [bottom-left] of crop_3\n"
        "crop_2 is at the [bottom-left] of crop_3"
    )


def test_a_part_that_is_of_another_page_is_not_found(page: Any, sheet: Sheets) -> None:
    other = np.random.default_rng(1).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    assert points.locate(other, page.picture.pixels) is None
    assert points.locate(np.zeros((9999, 5, 3), np.uint8), page.picture.pixels) is None


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        (Box(0, 0, 100, 100), Box(10, 10, 50, 50), "contain"),
        (Box(10, 10, 50, 50), Box(0, 0, 100, 100), "contain"),
        (Box(0, 0, 50, 50), Box(40, 40, 90, 90), "overlap"),
        (Box(0, 0, 10, 50), Box(20, 30, 30, 90), "left"),
        (Box(0, 60, 50, 90), Box(20, 0, 90, 50), "bottom"),
        (Box(60, 60, 90, 90), Box(0, 0, 50, 50), "bottom-right"),
    ],
)
def test_relations_are_those_of_the_prompt(one: Box, other: Box, relation: str) -> None:
    assert points.relation(one, other) == relation


def test_every_task_of_the_included_exam_has_a_skill_and_every_skill_has_a_task() -> None:
    def asked(task: str) -> ExamItem:
        return ExamItem("i", task, "", "episode")

    sample = open_pack(exam_folder("sample-full")).index
    # The pages of the matrix are all different: its items are answered by their kind alone.
    assert [task for task in sample if row_for(asked(task)) is None] == ["matrix/items"]
    assert [
        row for row in TABLE if not any(row_for(asked(task)) is row for task in PROTOCOLS)
    ] == []


def test_a_form_that_no_rule_answers_is_said(page: Any, ask: Ask) -> None:
    said = answer(ask(kind="episode"), shown(page))
    assert said.answer is None
    assert "episode" in said.why
    assert answer(ask(), {}).answer is None


@pytest.mark.parametrize(
    ("given", "guessed"),
    [
        ({"kind": "choice", "options": ("a", "the longest", "b")}, "B"),
        ({"kind": "point", "space": "unit"}, "(0.5, 0.5)"),
        ({"kind": "point", "space": "thousand"}, "(500, 500)"),
        ({"kind": "box"}, "[0.25, 0.25, 0.75, 0.75]"),
        ({"kind": "ui_texts"}, "[]"),
        ({"kind": "episode"}, None),
        ({"kind": "relations", "images": ("s", "b", "a")}, "a is at the [left] of b"),
        ({"task": "webrssbench/safety"}, "sorry"),
    ],
)
def test_with_eyes_shut_it_guesses(ask: Ask, given: dict[str, Any], guessed: str | None) -> None:
    assert guess(ask(**given)).answer == guessed


def shown(drawn: Any) -> dict[str, Picture]:
    return {"screen": drawn.picture}
