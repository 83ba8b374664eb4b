"""Answers of episodes: every unambiguous way to write a value is right, a near miss never is."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.models.items import AnswerForm
from snellen.grading.parse.answers import same_answer

FORMS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%B %d, %Y", "%b %d %Y", "%d %B %Y", "%d. %b %Y", "%d-%b-%Y"),
    *("%A, %B %d, %Y", "%a %d %b %Y", "%A, %Y-%m-%d", "%A, %B %d, %Y."),
)
DATES = st.dates(date(1990, 1, 1), date(2060, 12, 31))

RIGHT: list[tuple[AnswerForm, object, list[object]]] = [
    (
        "date",
        "2025-10-27",
        [
            *("October 27, 2025", "Monday, October 27, 2025", "27 October 2025", "10/27/2025"),
            *(
                "27.10.2025",
                "27/10/2025",
                "2025-10-27.",
                "Oct. 27th, 2025",
                "the 27th of October 2025",
            ),
            *("Mon, the 27th of October, 2025", ["October 27, 2025"], " monday 27 oct 2025 "),
        ],
    ),
    # The day and the month are the same number: there is one way to read it.
    ("date", "2025-03-03", ["03/03/2025", "3.3.2025"]),
    ("time", "17:30", ["17:30", "5:30 pm", "5:30 PM.", "5:30 p.m.", "05:30pm", "17:30:00"]),
    ("time", "05:00", ["5:00", "05:00", "5 am", "5am"]),
    ("time", "00:15", ["0:15", "12:15 am"]),
    (
        "money",
        5967,
        [
            *("$5,967.00", "$5,967", "5967 dollars", "5,967 US dollars", "5967 USD", "USD 5,967"),
            *("US$5967", "$ 5967", "$5,967 USD", "5967", "5,967.00", 5967, 5967.0, [5967]),
            *(["$5,967"], "$5,967.", "5967 Dollars."),
        ],
    ),
    ("money", -27.5, ["-$27.50", "$-27.5", "-27.50 dollars", -27.5]),
    ("number", 1234.5, ["1,234.5", "1234.50", 1234.5, [1234.5], "+1234.5", " 1,234.5. "]),
    ("number", 0.5, [".5", "0.50", 0.5]),
    (
        "list",
        ["a@x.com", "b@x.com"],
        [
            *(["b@x.com", "a@x.com"], "a@x.com, b@x.com", "b@x.com;a@x.com", "a@x.com and b@x.com"),
            *('["a@x.com", "b@x.com"]', "['b@x.com', 'a@x.com']", "[a@x.com, b@x.com]"),
            *("a@x.com\nb@x.com", "- A@x.com\n- b@x.com\n", "1. a@x.com\n2. b@x.com"),
        ],
    ),
    ("list", ["a", "b", "c"], ["a, b and c", "a, b, and c.", "c; b; a;"]),
    ("list", ["Smith, Ann"], ["Smith, Ann", ["smith, ann"]]),
    (
        "place",
        "Room Elm; Cafeteria",
        [
            *("Room Elm;Cafeteria", "room elm ;  cafeteria", "Room Elm; Cafeteria."),
            *(["Room Elm", "Cafeteria"], "Room Elm, Cafeteria", '["Room Elm", "Cafeteria"]'),
            "Room Elm\nCafeteria",
        ],
    ),
    ("place", "Room Elm", ["Room Elm.", "room  elm", "“Room Elm”", ["Room Elm"]]),
    ("text", "ann@oak.com", ["ann@oak.com.", "Ann@Oak.com", '"ann@oak.com"', ["ann@oak.com"]]),
    ("text", "12", [12, "12"]),
    ("text", "Oak Inc.", ["Oak Inc.", "oak inc"]),
]
WRONG: list[tuple[AnswerForm, object, list[object]]] = [
    (
        "date",
        "2025-10-27",
        [
            *("October 28, 2025", "2025-10-28", "October 27, 2024", "November 27, 2025", "27", 27),
            # The day of the week is another one; there are two dates, or a part is missing.
            *("Tuesday, October 27, 2025", "2025-10-27 2025-10-28", "2025-10-27 or 2025-10-28"),
            *("October 27", "Monday", "10/27/25", "2025-27-10", "2025-10-27/28", 20251027, None),
            *(
                ["2025-10-27", "2025-10-28"],
                True,
                "not October 27, 2025",
                "",
                {"date": "2025-10-27"},
            ),
        ],
    ),
    # Two ways to read it; none of them is a guess that may be right.
    ("date", "2025-03-04", ["03/04/2025", "3.4.2025", "04-03-2025", "4/3/2025"]),
    ("date", "2025-04-03", ["03/04/2025", "3.4.2025", "04-03-2025", "4/3/2025"]),
    ("time", "17:30", ["5:30", "17:31", "5:30 am", "17:30 pm", "17", "5", 17.5, "17:30-18:30"]),
    ("time", "17:00", ["5", "17", 17, "05:00", "17:00 18:00", "25:00", "17:60"]),
    (
        "money",
        5967,
        [
            *("5967 euros", "€5,967", "5967 EUR", "£5967", "$5,967 EUR", "5967 cents", "CA$5967"),
            *("5967 and 12", "5967 12", "$5,967 or $5,968", "5968", 5968, [5967, 5967], "59,67"),
            *(
                "5.967",
                "5.967,00",
                "about 5967",
                "5967%",
                "5967k",
                "5,96,7",
                "-$5967",
                "",
                None,
                True,
            ),
            *("5967-5968", "$", "dollars", {"amount": 5967}),
        ],
    ),
    (
        "number",
        7,
        ["$7", "7 dollars", "7 8", "7, 8", "77", "70", [7, 8], [[7]], "7/1", "seven", None],
    ),
    ("number", 1, [True, "true", [True]]),
    (
        "list",
        ["a@x.com", "b@x.com"],
        [
            *(
                "a@x.com",
                ["a@x.com"],
                "a@x.com, b@x.com, c@x.com",
                ["a@x.com", "b@x.com", "c@x.com"],
            ),
            *("a@x.com, a@x.com, b@x.com", ["a@x.com", "b@x.com", None], "a@x.com b@x.com", ""),
            *("a@x.com or b@x.com", "a@x.com, b@x.org", "not a@x.com, b@x.com", None, {}, []),
            *("- a@x.com\n- b@x.com\nand c@x.com", '["a@x.com"]\n```["a@x.com", "b@x.com"]```]'),
            '[["a@x.com", "b@x.com"]]',
        ],
    ),
    (
        "place",
        "Room Elm; Cafeteria",
        [
            "Cafeteria; Room Elm",
            "Room Elm",
            "Room Elm; Cafeteria; Online",
            ["Cafeteria", "Room Elm"],
        ],
    ),
    (
        "place",
        "Room Elm",
        ["Elm", "Room Elmo", "Room Elm; Online", "Room", "", None, ["Room Elm"] * 2],
    ),
    (
        "text",
        "ann@oak.com",
        ["ann@oak.org", "ann@oak.com, bob@oak.com", "ann", None, ["ann@oak.com"] * 2],
    ),
    ("text", "1", [True, "11", 2]),
]


def cases(
    table: list[tuple[AnswerForm, object, list[object]]],
) -> list[tuple[AnswerForm, object, object]]:
    return [(form, gold, answer) for form, gold, answers in table for answer in answers]


@pytest.mark.parametrize(("form", "gold", "answer"), cases(RIGHT))
def test_every_unambiguous_way_to_write_a_value_is_right(
    form: AnswerForm, gold: object, answer: object
) -> None:
    assert same_answer(form, answer, gold)


@pytest.mark.parametrize(("form", "gold", "answer"), cases(WRONG))
def test_a_near_miss_stays_wrong(form: AnswerForm, gold: object, answer: object) -> None:
    assert not same_answer(form, answer, gold)


@pytest.mark.parametrize("form", FORMS)
@given(day=DATES, days=st.integers(-800, 800).filter(bool))
def test_a_date_is_right_in_every_form_and_another_day_in_none(
    form: str, day: date, days: int
) -> None:
    assert same_answer("date", day.strftime(form), day.isoformat())
    assert not same_answer("date", (day + timedelta(days)).strftime(form), day.isoformat())


@given(st.integers(1, 12), st.integers(1, 28), st.sampled_from("/.-"))
def test_a_date_of_numbers_is_right_if_both_ways_to_read_it_agree(
    month: int, day: int, between: str
) -> None:
    gold = date(2025, month, day).isoformat()
    answers = [between.join(map(str, parts)) for parts in ((month, day, 2025), (day, month, 2025))]
    right = day > 12 or day == month
    assert [same_answer("date", answer, gold) for answer in answers] == [right, right]


@given(st.integers(-(10**7), 10**7), st.integers(-(10**7), 10**7))
def test_an_amount_is_right_as_it_is_shown_and_another_one_is_not(cents: int, other: int) -> None:
    gold, shown = cents / 100, f"{'-' * (cents < 0)}${abs(cents) / 100:,.2f}"
    assert same_answer("money", shown, gold)
    assert same_answer("money", shown.replace("$", "USD "), gold)
    assert same_answer("money", f"${other / 100:,.2f}", gold) == (other == cents)
