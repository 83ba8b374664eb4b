import re
from random import Random

import pytest

from snellen.build.sites.kinds import KINDS
from snellen.build.sites.language import LANGUAGES, language
from snellen.build.sites.writer import Writer

KNOWN = {"site": "S", "place": "P", "year": "1950", "host": "H", "email": "M", "phone": "0",
         "opens": "8", "closes": "9"}  # fmt: skip
THING = {"item": "I", "other": "O", "category": "C", "count": "9"}
PRICED = {"low": "1", "high": "2", "cheapest": "I", "dearest": "O"}
UI = {"name": "N", "heading": "H", "total": "9", "date": "D", "person": "Q", "stars": "4",
      "topic": "T", "label": "L", "price": "1"}  # fmt: skip


def writer(code: str = "en", seed: int = 1) -> Writer:
    return Writer(language(code), Random(seed), KNOWN)


def test_one_of_several_is_taken_and_they_may_be_nested() -> None:
    found = {writer(seed=seed).text("[a|b[1|2]] {site}") for seed in range(40)}
    assert found == {"a S", "b1 S", "b2 S"}


def test_numbers_lie_between_the_limits_and_both_are_reached() -> None:
    found = {writer(seed=seed).text("{n 3 5}") for seed in range(60)}
    assert found == {"3", "4", "5"}


def test_a_price_is_written_as_the_language_writes_it() -> None:
    assert writer("de").text("{price 5 6}")[:2] == "5,"
    assert writer("de").text("{price 5 6}").endswith(" €")


def test_what_is_not_known_is_named() -> None:
    with pytest.raises(KeyError, match="nobody"):
        writer().text("{nobody}")


def test_no_sentence_is_said_twice_of_one_subject() -> None:
    wrote = writer()
    said = [wrote.paragraph(["one {n 1 900}", "two {n 1 900}"], 1, "a") for _ in range(3)]
    assert sorted(text[:3] for text in said) == ["", "one", "two"]
    assert wrote.paragraph(["one {n 1 900}"], 1, "b")


def test_equal_slots_give_equal_numbers_where_they_speak_of_one_subject() -> None:
    wrote = writer()
    first = wrote.text("{n 1 90000} seats, {price 5 900}", "inn")
    assert wrote.text("{n 1 90000} seats, {price 5 900}", "inn") == first
    assert len({wrote.text("{n 1 90000}") for _ in range(9)}) > 5
    assert wrote.text("{n 1 90000}", "other inn") != wrote.text("{n 1 90000}", "inn")


def test_what_is_kept_by_a_name_is_the_same_everywhere() -> None:
    wrote = writer()
    assert wrote.text("{coming:council}", "a") == wrote.text("{coming:council}")
    assert len({wrote.text("{coming}") for _ in range(20)}) > 5


def test_spanish_and_changes_before_the_sound_of_an_i() -> None:
    spanish = writer("es")
    assert spanish.text("Ibarra y Ibarra y Hijos y hierro") == "Ibarra e Ibarra e Hijos y hierro"


def test_a_site_keeps_to_one_wording() -> None:
    wrote = writer()
    assert len({wrote.wording("[a|b|c|d] {place}") for _ in range(20)}) == 1


def test_a_heading_has_a_short_form_for_links() -> None:
    assert writer().heading("[Plans|Plans] of {site}") == ("Plans of S", "Plans")
    assert writer().heading("Invite to {site}") == ("Invite to S", "Invite to S")
    assert writer().heading("[{place}|{site}]")[1] in ("P", "S")


@pytest.mark.parametrize(
    ("number", "noun"),
    [(3, "أيام"), (10, "أيام"), (11, "يومًا"), (99, "يومًا"), (100, "يوم"), (103, "أيام")],
)
def test_arabic_nouns_agree_with_the_number_before_them(number: int, noun: str) -> None:
    assert writer("ar").text(f"{{n {number} {number}}} يوم") == f"{number} {noun}"


def test_days_and_numbers_follow_the_rules_of_the_language() -> None:
    spanish = language("es")
    assert all(day.islower() for day in spanish.weekdays)
    assert spanish.date(4, 3, 2026, "full") == "miércoles, 4 de marzo de 2026"
    assert (language("de").number(12345), language("en").time(0)) == ("12.345", "12:00 AM")


def test_months_are_those_of_the_language_whatever_was_loaded_before() -> None:
    first = {code: (language(code).months[2], language(code).short_months[2]) for code in LANGUAGES}
    assert first == {"en": ("March", "Mar"), "de": ("März", "März"), "es": ("marzo", "mar"),
                     "zh": ("三月", "3月"), "ar": ("مارس", "مارس")}  # fmt: skip


@pytest.mark.parametrize("code", ["en", "de", "es"])
def test_no_number_before_a_noun_can_be_one(code: str) -> None:
    for said in language(code).kinds.values():
        for template in (*said.about, *said.says, *said.fields.values(), *said.facts.values()):
            assert not re.search(r"(?<![.,\]}]){n [01] \d+}[ ~][^\W\d_]", template), template


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_template_can_be_filled(code: str) -> None:
    wrote, spoken = writer(code), language(code)
    for said in spoken.kinds.values():
        plain = [*said.names, *said.slogans, *said.about, *said.items.values(),
                 *said.fields, *said.fields.values(), *said.facts, *said.facts.values(),
                 *said.items, *said.measures, *said.topics, *said.titles.values(), *said.act,
                 *(text for pair in said.danger for text in pair), *said.safe]  # fmt: skip
        for template in plain:
            assert not set(wrote.text(template)) & set("{}[]|"), template
        for template in said.says:
            assert not set(wrote.text(template, **THING)) & set("{}[]|"), template
    for texts in (*spoken.words.lists.values(), spoken.words.ui.values()):
        for template in texts:
            filled = wrote.text(template, **THING, **PRICED, **UI)
            assert not set(filled) & set("{}[]|"), template


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_category_has_different_things_enough(code: str) -> None:
    wrote = writer(code)
    for kind in KINDS:
        for category, template in language(code).kinds[kind].items.items():
            assert len(wrote.several(template, 4)) >= 3, (kind, category)


def test_years_have_no_separators() -> None:
    assert writer().text("{digits 1985 1985} {n 1985 1985}") == "1985 1,985"
