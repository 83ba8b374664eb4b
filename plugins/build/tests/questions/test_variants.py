"""Forms of short answers: each rule by itself, and that no two forms mean different things."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.build.questions import variants as rules
from snellen.build.questions.variants import MOST, RULES, day_of, joined, time_of, variants
from snellen.grading.metrics.squad import exact_match
from snellen.grading.normalize import squad
from snellen.tasks.item_audit.faults import contradictory

EN_DASH = "\N{EN DASH}"


@pytest.mark.parametrize(
    ("rule", "answer", "language", "forms"),
    [
        ("spelled_numbers", "3", "en", ["three"]),
        ("spelled_numbers", "twelve rooms", "en", ["12 rooms"]),
        ("spelled_numbers", "21", "en", []),
        ("spelled_numbers", "07", "en", []),
        ("spelled_numbers", "12 June", "en", []),
        ("spelled_numbers", "5 pm", "en", []),
        ("spelled_numbers", "3 Zimmer", "de", []),
        ("without_groups", "11,025", "en", ["11025"]),
        ("without_groups", "69.451.040", "de", ["69451040"]),
        ("without_groups", "1.5", "en", []),
        ("without_groups", "12 000 €", "fr", ["12000 €"]),
        ("without_zeros", "$75.00", "en", ["$75"]),
        ("without_zeros", "2.600,00 €", "de", ["2600 €"]),
        ("without_zeros", "8:00", "en", []),
        ("without_zeros", "$75.50", "en", []),
        ("currencies", "$75", "en", ["75", "75 dollars"]),
        ("currencies", "18 €", "de", ["18", "€18", "18 euros", "18 EUR"]),
        ("currencies", "¥540", "zh", ["540", "540 yuan", "540 CNY", "540 RMB", "540 元"]),
        ("currencies", "¥540", "en", ["540"]),
        ("currencies", "from $5 to $9", "en", []),
        ("percents", "72 Prozent", "de", ["72%", "72 percent", "72"]),
        ("percents", "4.2%", "en", ["4.2%", "4.2 percent", "4.2"]),
        ("units", "426 GB", "en", ["426", "426 GB", "426GB", "426 gigabytes"]),
        ("units", "70 m²", "de", ["70", "70 m²", "70m²", "70 square meters"]),
        ("units", "15 million", "en", []),
        ("units", "5 pm", "en", []),
        ("hedges", "about 25 minutes", "en", ["25 minutes"]),
        ("hedges", "up to 46 people", "en", []),
        ("dates", "12/06/2026", "en", []),
        ("times", "9:15", "en", []),
        ("phones", "(212) 555-0151", "en", ["212 555 0151", "2125550151"]),
        ("phones", "2026-06-12", "en", []),
        ("phones", "75.50", "en", []),
        ("ampersands", "Castellan & Sons", "en", ["Castellan and Sons"]),
        ("lists", "Leonie, Mara and Yuki", "en", ["Leonie, Mara, Yuki", "Leonie Mara Yuki"]),
        ("lists", "cash and card", "en", ["cash, card", "cash card"]),
        ("lists", "Harrow Bay, Maine", "en", []),
        ("plain_signs", "Weaver\N{RIGHT SINGLE QUOTATION MARK}s Walk", "en", ["Weaver's Walk"]),
    ],
)
def test_a_rule_gives_these_forms(rule: str, answer: str, language: str, forms: list[str]) -> None:
    assert list(RULES[rule](answer, language)) == forms


@pytest.mark.parametrize(
    "answer", ["June 12, 2026", "12 June 2026", "25. Juni 2026", "2008/11/28", "2026年10月21日"]
)
def test_every_form_of_a_date_is_that_day(answer: str) -> None:
    forms = list(rules.dates(answer, "en"))
    assert len(forms) == 7
    assert {day_of(form) for form in forms} == {day_of(answer)}


def test_a_date_without_a_year_stays_without() -> None:
    assert set(rules.dates("Feb 14", "en")) == {
        "February 14",
        "14 February",
        "Feb 14",
        "14 Feb",
    }


@given(st.dates(min_value=date(1900, 1, 1)))
def test_a_date_is_read_back_from_all_its_forms(day: date) -> None:
    shown = f"{day:%B} {day.day}, {day.year:04}"
    for form in (shown, *rules.dates(shown, "en")):
        found = day_of(form)
        assert found is not None
        assert (found.year, found.month, found.day) == (day.year, day.month, day.day)


@pytest.mark.parametrize("text", ["June 31, 2026", "Foo 3, 2026", "2026-13-01", "Room 12", "3"])
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert day_of(text) is None


@given(st.times())
def test_a_time_is_read_back_from_all_its_forms_but_the_bare_one(moment: time) -> None:
    half = "am" if moment.hour < 12 else "pm"
    shown = f"{moment.hour % 12 or 12}:{moment.minute:02} {half}"
    wanted = time(moment.hour, moment.minute)
    assert time_of(shown) == wanted
    for form in rules.times(shown, "en"):
        assert time_of(form) in {wanted, None}
        if time_of(form) is None:
            assert form.replace(":", "").lstrip("0").isdecimal()


@pytest.mark.parametrize("text", ["13 pm", "25:00", "9:75 am", "9:15", "11 h", "12", "0 am"])
def test_what_is_no_certain_time_is_not_read(text: str) -> None:
    assert time_of(text) is None


def test_a_span_is_written_with_other_signs_and_by_24_hours() -> None:
    found = list(rules.spans(f"7:15 am {EN_DASH} 5:15 pm", "en"))
    assert found[:2] == ["7:15 am - 5:15 pm", "7:15 am-5:15 pm"]
    assert "07:15-17:15" in found
    assert list(rules.spans("card-or-invoice", "en")) == []


def test_a_span_is_written_in_the_words_of_its_language() -> None:
    found = list(rules.spans(f"9:45 Uhr {EN_DASH} 13:30 Uhr", "de"))
    assert "von 9:45 Uhr bis 13:30 Uhr" in found
    assert not any(" to " in one for one in found)


def test_numbers_are_spelled_in_english_alone() -> None:
    assert list(rules.spelled_numbers("19", "en")) == ["nineteen"]
    assert list(rules.spelled_numbers("19", "fr")) == []


@pytest.mark.parametrize(
    ("answer", "language", "given"),
    [
        ("$1,200.00", "en", "1200"),
        ("2.600,00 €", "de", "2600 euros"),
        ("about 25 minutes", "en", "25 min"),
        ("5:00 pm", "en", "17:00"),
        ("3 people", "en", "three"),
        ("40 percent", "en", "40%"),
        ("26.90 درهم", "ar", "26.90"),
        ("2026年10月21日", "zh", "21 October 2026"),
        (f"Monday {EN_DASH} Thursday", "en", "Monday to Thursday"),
    ],
)
def test_rules_work_together(answer: str, language: str, given: str) -> None:
    assert exact_match(given, variants(answer, language)) == 1


@pytest.mark.parametrize(
    ("answer", "language", "given"),
    [
        ("15 million", "en", "15"),
        ("9:15", "en", "9:15 pm"),
        ("11 hours", "en", "11 am"),
        ("12 June", "en", "12"),
        ("June 12, 2026", "en", "12 June"),
        ("from $5", "en", "5 dollars"),
    ],
)
def test_what_means_something_else_is_not_accepted(answer: str, language: str, given: str) -> None:
    assert exact_match(given, variants(answer, language)) == 0


TEXTS = st.one_of(
    st.from_regex(r"[$€£]?[1-9]\d{0,2}(,\d{3})?(\.\d\d)?( [a-z]{1,8})?", fullmatch=True),
    st.from_regex(r"1?\d:[0-5]\d( [ap]m)?", fullmatch=True),
    st.text(max_size=30),
)


@given(TEXTS.filter(squad))
def test_the_shown_form_comes_first_and_no_two_forms_are_the_same_or_contradict(text: str) -> None:
    found = variants(text)
    assert found[0] == text
    assert len(found) <= MOST
    assert len({squad(form) for form in found}) == len(found)
    assert not contradictory(found, None)


def test_fragments_are_joined_with_the_usual_separators() -> None:
    assert joined(["3 rooms"]) == variants("3 rooms")
    assert joined(["a", "b", "c"])[:2] == ["a, b, c", "a, b and c"]
