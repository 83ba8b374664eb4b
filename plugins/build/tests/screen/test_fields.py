"""Form fields: which are used in questions, and plausible values."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.screen.elements import Element, Screen
from snellen.build.screen.fields import (
    hintable_fields,
    kind_of,
    plausible_value,
    says_hint,
    text_fields,
    write_date,
)
from snellen.build.screen.words.reading import LANGUAGES, words_of


def form(*fields: dict[str, Any], language: str = "en") -> Screen:
    elements: list[Element] = []
    for row, field in enumerate(fields):
        top = 100 + 60 * row
        label = str(field.get("label", ""))
        elements.append(Element(2 * row, "label", (100, top, 200, top + 16), own=label, text=label))
        shape: dict[str, Any] = {"role": "textbox", "kind": "text"}
        shape |= {"box": (100, top + 20, 400, top + 50), **field}
        elements.append(Element(2 * row + 1, "input", **shape))
    return Screen(1280, 800, tuple(elements), language=language)


def test_empty_fields_that_can_be_typed_into_are_asked_about() -> None:
    screen = form(
        {"label": "Name"},
        {"label": "Taken", "value": "Anna"},
        {"label": "Secret", "kind": "password"},
        {"label": "Day", "kind": "date"},
        {"label": "Off", "disabled": True},
        {"label": "Hidden", "covered": 0.5},
        {"label": "Choice", "role": "combobox"},
    )
    assert [field.label for field in text_fields(screen)] == ["Name"]


def test_a_field_between_a_sign_and_a_fraction_is_a_part_of_what_is_typed() -> None:
    beside: dict[str, Any] = {"tag": "span", "painted": True, "text": "$", "own": "$"}
    for box, fields in (
        ((60, 120, 101, 150), []),  # Before the first field, flush with it.
        ((399, 120, 440, 150), []),  # After it.
        ((40, 120, 80, 150), ["Amount"]),  # Apart from it.
        ((60, 60, 101, 150), ["Amount"]),  # Not of its height.
    ):
        screen = form({"label": "Amount"})
        sign = Element(len(screen.elements), box=box, **beside)
        joined = msgspec.structs.replace(screen, elements=(*screen.elements, sign))
        assert [field.label for field in text_fields(joined)] == fields
        pressed = msgspec.structs.replace(sign, role="button")
        searched = msgspec.structs.replace(screen, elements=(*screen.elements, pressed))
        assert len(text_fields(searched)) == 1


def test_the_type_says_more_than_the_label() -> None:
    screen = form({"label": "Where to write", "kind": "email"}, {"label": "Company"})
    assert [kind_of(screen, field) for field in text_fields(screen)] == ["email", "company"]


def test_a_value_is_of_the_pages_language() -> None:
    for language, label, letters in (
        ("zh", "城市", "南京成都杭州"),
        ("de", "Ort", "KölnLeipzigWienZürich"),
    ):
        screen = form({"label": label}, language=language)
        value = plausible_value(screen, screen.elements[1], Random(0))
        assert value is not None
        assert value in letters


@given(st.integers(0, 1000), st.sampled_from(LANGUAGES))
def test_what_one_person_types_is_that_persons(seed: int, language: str) -> None:
    words = words_of(language)
    assert words is not None
    for person in words.persons:
        for kind, label in (("email", "email"), ("phone", "tel"), ("website", "url")):
            screen = form({"label": "?", "kind": label}, language=language)
            field = screen.elements[1]
            assert plausible_value(screen, field, Random(seed), person) == person[kind]


def test_a_date_is_written_as_its_hint_asks() -> None:
    screen = form({"label": "Date", "placeholder": "DD/MM/YYYY"}, {"label": "Date of birth"})
    first, second = (plausible_value(screen, one, Random(4)) for one in text_fields(screen))
    assert first is not None
    assert second is not None
    day, month, year = map(int, first.split("/"))
    assert (1 <= day <= 28, 1 <= month <= 12, year) == (True, True, 2027)
    assert 1962 <= int(second.split("/")[2]) <= 2003


@given(st.integers(0, 1000))
def test_a_value_is_never_the_hint(seed: int) -> None:
    screen = form({"label": "Number of people", "placeholder": "2", "role": "spinbutton"})
    assert plausible_value(screen, screen.elements[1], Random(seed)) not in {None, "2"}


@pytest.mark.parametrize("label", ["Message", "Your account number", "Coupon"])
def test_without_a_rule_there_is_no_value(label: str) -> None:
    screen = form({"label": label})
    assert plausible_value(screen, screen.elements[1], Random(0)) is None


def test_without_words_for_the_language_there_is_no_value() -> None:
    screen = form({"label": "Name"}, language="fi")
    assert plausible_value(screen, screen.elements[1], Random(0)) is None


@pytest.mark.parametrize(
    ("form_", "written"),
    [
        ("MM/DD/YYYY", "03/09/2026"),
        ("DD/MM/YYYY", "09/03/2026"),
        ("TT.MM.JJJJ", "09.03.2026"),
        ("DD/MM/AAAA", "09/03/2026"),
        ("JJ/MM/AAAA", "09/03/2026"),
        ("YYYY-MM-DD", "2026-03-09"),
        ("年-月-日", "2026-03-09"),
        ("يوم/شهر/سنة", "09/03/2026"),
        ("MM/YY", "03/26"),
    ],
)
def test_dates_are_written_in_the_letters_of_each_language(form_: str, written: str) -> None:
    assert write_date(form_, 9, 3, 2026) == written


def test_a_hint_can_be_inferred_where_a_label_is_shown_and_the_hint_is_not() -> None:
    screen = form(
        {"label": "City", "placeholder": "Your city"},
        {"label": "Street", "placeholder": "Street that your house stands in"},
        {"label": "Digits of your meter", "placeholder": "23 digits"},
        {"label": "Town", "placeholder": "Fernbrook"},
        {"label": "Search", "placeholder": "Search"},
        {"label": "E-mail", "placeholder": "name@example.org"},
        {"label": "Work e-mail", "placeholder": "name@example.org"},
        {"label": "Code", "placeholder": "1234"},
    )
    assert [field.label for field in hintable_fields(screen)] == ["City"]
    assert says_hint(screen, screen.elements[9])
    assert not says_hint(screen, screen.elements[1])


def test_a_short_word_in_common_lets_nobody_infer_a_hint() -> None:
    label, hint = "Was möchten Sie sagen?", "Erzählen Sie uns davon"
    assert hintable_fields(form({"label": label, "placeholder": hint}, language="de")) == []


def test_a_label_that_nobody_sees_helps_nobody() -> None:
    field = Element(0, "input", (100, 120, 400, 150), role="textbox", kind="text", label="City",
                    placeholder="Where you live")  # fmt: skip
    assert hintable_fields(Screen(1280, 800, (field,), language="en")) == []


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"label": "E-mail", "kind": "email", "autocomplete": "email", "key": "mail"}, "email"),
        ({"label": "E-mail", "kind": "email", "autocomplete": "username"}, "email"),
        ({"label": "E-mail", "autocomplete": "section-a billing email"}, "email"),
        ({"label": "Where to?", "autocomplete": "address-level2"}, "city"),
        ({"label": "?", "key": "contactPhone"}, "phone"),
        ({"label": "Company", "kind": "email"}, None),
        ({"label": "Phone", "autocomplete": "email"}, None),
        ({"label": "City", "key": "company_name"}, None),
        ({"label": "Name", "autocomplete": "one-time-code"}, None),
        ({"label": "Date of birth", "autocomplete": "bday-day"}, None),
    ],
)
def test_what_a_field_is_for_contradicts_none_of_what_it_declares(
    fields: dict[str, Any], kind: str | None
) -> None:
    screen = form(fields)
    assert kind_of(screen, screen.elements[1]) == kind


def test_the_boxes_of_a_date_are_its_parts() -> None:
    screen = form(*({"label": label, "font_size": 19.0} for label in ("Day", "Month", "Year")))
    assert [kind_of(screen, field) for field in text_fields(screen)] == [None] * 3
    for width, kind in ((52, None), (160, "birth")):
        box = (100, 100, 100 + width, 140)
        screen = form({"label": "Day of birth", "font_size": 19.0, "box": box})
        (field,) = text_fields(screen)
        assert kind_of(screen, field) == kind


def test_what_is_typed_into_a_field_of_numbers_is_a_number() -> None:
    for label, typed in (("Phone", False), ("Number of people", True)):
        screen = form({"label": label, "role": "spinbutton", "kind": "number"})
        assert bool(plausible_value(screen, screen.elements[1], Random(0))) is typed
