"""Buttons, and the call to action."""

from typing import Any

import pytest

from snellen.build.screen.buttons import (
    MENU_ENTRY,
    NEAR_EQUAL,
    NO_BUTTON,
    NOT_FILLED,
    buttons,
    deed_of,
    fill_of,
    labelled_buttons,
    primary_button,
)
from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.words.reading import words_of

BLUE, WHITE = "#0b57d0", "#ffffff"


def button(text: str, left: float = 100, **fields: Any) -> dict[str, Any]:
    shape = {"tag": "button", "role": "button", "text": text, "name": text, "landmark": "main"}
    place = {"box": (left, 300, left + 120, 340), "color": "#000000", "background": WHITE}
    return {**shape, **place, "painted": True, "parent": 0, **fields}


def page(*parts: dict[str, Any]) -> Screen:
    body = Element(0, "main", (0, 0, 1280, 900), role="main", background=WHITE)
    return Screen(
        1280,
        900,
        (body, *(Element(id=number, **part) for number, part in enumerate(parts, 1))),
        language="en",
    )


def test_the_filled_button_of_the_content_is_the_call_to_action() -> None:
    screen = page(
        button("Search", landmark="search", background=BLUE),
        button("Save draft", 300),
        button("Book now", 500, background=BLUE, color=WHITE),
    )
    found = primary_button(screen)
    assert isinstance(found, Element)
    assert found.text == "Book now"


def test_two_that_stand_out_alike_are_refused() -> None:
    screen = page(button("Buy", background=BLUE), button("Rent", 300, background=BLUE))
    assert primary_button(screen) == NEAR_EQUAL


def test_beside_a_link_on_a_picture_nobody_knows_what_stands_out_most() -> None:
    hero = {"tag": "header", "box": (0, 0, 1280, 280), "parent": 0, "background": ""}
    shape: dict[str, Any] = {"tag": "a", "role": "link", "landmark": ""}
    shape["box"] = (100, 100, 220, 140)
    found = button("Find out more", background=BLUE, **{**shape, "parent": 1})
    send = button("Send", background=BLUE)
    assert primary_button(page(hero, found, send)) == NEAR_EQUAL
    assert isinstance(primary_button(page({**hero, "background": WHITE}, send)), Element)


def test_a_label_that_each_row_repeats_calls_for_nothing() -> None:
    rows = [
        button("Paid", background="#1b7f3b", box=(100, top, 160, top + 24))
        for top in range(300, 600, 60)
    ]
    assert primary_button(page(*rows, button("Share", 500))) == NEAR_EQUAL
    (only,) = (found for found in [primary_button(page(rows[0]))] if isinstance(found, Element))
    assert only.text == "Paid"


def test_of_buttons_with_one_text_one_is_filled() -> None:
    plans = [button("Choose plan", left) for left in (100, 500)]
    middle = button("Choose plan", 300, background=BLUE)
    found = primary_button(page(*plans, middle))
    assert isinstance(found, Element)
    assert found.id == 3
    bar = button("Choose plan", 900, background=BLUE, landmark="banner")
    assert primary_button(page(*plans, middle, bar)) == NEAR_EQUAL


def test_a_field_of_another_part_of_the_page_is_not_what_a_button_searches_for() -> None:
    words = words_of("en")
    assert words is not None
    for bottom, does in ((340, "Starts a search for what was typed."), (900, None)):
        box = {"tag": "div", "box": (0, 280, 1280, bottom), "parent": 0}
        field = {"tag": "input", "role": "textbox", "box": (300, 300, 500, 340), "parent": 1}
        screen = page(box, field, button("Search", parent=1))
        assert deed_of(screen, words, screen.elements[3]) == does


@pytest.mark.parametrize(
    ("around", "said"),
    [
        ({"tag": "ul", "role": "list"}, "Home Orders Products"),
        ({"tag": "div"}, "Home Orders Products"),
        ({"tag": "div", "role": "menu"}, "Choose one: Home Orders Products"),
    ],
    ids=["list", "links below each other", "menu"],
)
def test_an_entry_of_a_menu_calls_for_nothing(around: dict[str, Any], said: str) -> None:
    link: dict[str, Any] = {"tag": "a", "role": "link", "parent": 1}
    box = {"box": (100, 300, 220, 460), "parent": 0, "background": WHITE, "text": said}
    entries = [
        button(text, **link, background=fill) | {"box": (100, top, 220, top + 40)}
        for text, top, fill in (
            ("Home", 300, BLUE),
            ("Orders", 360, WHITE),
            ("Products", 420, WHITE),
        )
    ]
    assert primary_button(page({**around, **box}, *entries)) == MENU_ENTRY


def test_a_button_of_a_bar_at_the_top_calls_for_nothing() -> None:
    screen = page(button("Send feedback", background=BLUE, landmark="navigation"))
    assert primary_button(screen) == MENU_ENTRY


def test_a_button_in_a_list_that_says_more_is_no_entry_of_a_menu() -> None:
    texts = ("Teapot", "Buy teapot", "Cup", "Buy cup", "Jug", "Buy jug")
    box: dict[str, Any] = {"box": (100, 300, 900, 460), "parent": 0, "background": WHITE}
    goods = {**box, "tag": "ul", "role": "list", "text": " ".join(texts)}
    entries = [button(text, 100 + 200 * n, parent=1) for n, text in enumerate(texts[1::2])]
    found = primary_button(page(goods, entries[0] | {"background": BLUE}, *entries[1:]))
    assert isinstance(found, Element)
    assert found.text == "Buy teapot"


def test_without_a_fill_nothing_stands_out() -> None:
    assert primary_button(page(button("One"), button("Two", 300))) == NOT_FILLED


def test_without_a_button_there_is_none() -> None:
    assert primary_button(page()) == NO_BUTTON


def test_what_cannot_be_undone_is_not_called_for() -> None:
    screen = page(
        button("Delete account", background="#b3261e"), button("Save", 300, background=BLUE)
    )
    found = primary_button(screen)
    assert isinstance(found, Element)
    assert found.text == "Save"


def test_what_is_paid_for_is_not_the_pages_own() -> None:
    paid = {"tag": "section", "role": "region", "name": "Advertisement", "parent": 0}
    screen = page(
        {**paid, "box": (900, 200, 1200, 500), "background": WHITE},
        button("Ask for a visit", 950, parent=1, background=BLUE),
    )
    assert primary_button(screen) == NO_BUTTON


@pytest.mark.parametrize(
    "fields",
    [{"disabled": True}, {"covered": 0.5}, {"box": (10, 10, 15, 15)}],
    ids=["disabled", "covered", "tiny"],
)
def test_what_cannot_be_pressed_is_no_button(fields: dict[str, Any]) -> None:
    assert buttons(page(button("Buy", **fields))) == []


@pytest.mark.parametrize(
    "fields", [{"text": "→"}, {"cut": True}, {"clipped": True}, {"text": "word " * 12}]
)
def test_a_button_without_a_text_that_can_be_read_is_not_labelled(fields: dict[str, Any]) -> None:
    screen = page({**button("Buy"), **fields})
    assert len(buttons(screen)) == 1
    assert labelled_buttons(screen) == []


def test_a_link_is_a_button_when_it_is_drawn_as_one() -> None:
    link: dict[str, Any] = {"tag": "a", "role": "link"}
    screen = page(
        button("Filled", **link, background=BLUE),
        button("Plain", 300, **link),
        button("In a bar", 500, **link, background=BLUE) | {"landmark": "navigation"},
    )
    assert [one.text for one in buttons(screen)] == ["Filled"]


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("Send feedback", "Sends the feedback."),
        ("Save changes", "Saves the changes that were made."),
        ("Search", "Starts a search for what was typed."),
        ("Edit", "Opens this for editing."),
        ("Edit profile", "Opens the profile for editing."),
        ("Save", None),
        ("Delete", None),
    ],
)
def test_what_a_button_does_is_known_where_it_is_said_to_what(text: str, does: str | None) -> None:
    field = button("", 300, tag="textarea", role="textbox", parent=1)
    for form, sends in (("div", True), ("form", True)):
        around = {"tag": form, "box": (0, 200, 900, 400), "parent": 0}
        screen = page(around, button(text, parent=1), field)
        words = words_of("en")
        assert words is not None
        assert (deed_of(screen, words, screen.elements[2]) == does) is sends
    for said in ("Send feedback", "Search", "Subscribe"):
        alone = page(button(said))
        assert deed_of(alone, words, alone.elements[1]) is None


def test_a_button_in_a_form_does_not_start_what_it_sends() -> None:
    words = words_of("en")
    assert words is not None
    alone = page(button("Apply now"))
    assert deed_of(alone, words, alone.elements[1]) == "Starts an application."
    around = {"tag": "form", "box": (0, 200, 900, 400), "parent": 0}
    sent = page(around, button("Apply now", parent=1))
    assert deed_of(sent, words, sent.elements[2]) is None


def test_reset_beside_a_photo_may_not_empty_the_form() -> None:
    words = words_of("en")
    assert words is not None
    for kind, does in (("reset", "Empties all fields of the form."), ("", None)):
        screen = page(button("Reset", kind=kind))
        assert deed_of(screen, words, screen.elements[1]) == does


def test_a_picture_behind_it_is_no_fill() -> None:
    screen = page(button("Buy", background=""))
    assert fill_of(screen, screen.elements[1]) == 1
