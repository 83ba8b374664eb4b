from random import Random

import pytest

from snellen.tasks.builder.sites.kinds import KINDS
from snellen.tasks.builder.sites.language import LANGUAGES, language
from snellen.tasks.builder.sites.writer import Writer

KNOWN = {"site": "S", "place": "P", "year": "1950"}
THING = {"item": "I", "other": "O", "category": "C"}


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


def test_a_fresh_text_is_new_or_none() -> None:
    wrote = writer()
    assert {wrote.fresh("[a|b]"), wrote.fresh("[a|b]")} == {"a", "b"}
    assert wrote.fresh("[a|b]") is None


def test_sentences_come_from_the_templates_that_were_used_least() -> None:
    wrote = writer()
    templates = ["one {n 1 900}", "two {n 1 900}", "three {n 1 900}"]
    first = wrote.sentences(templates, 2) + wrote.sentences(templates, 1)
    assert {text.split()[0] for text in first} == {"one", "two", "three"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_template_can_be_filled(code: str) -> None:
    wrote, spoken = writer(code), language(code)
    for said in spoken.kinds.values():
        plain = [*said.names, *said.slogans, *said.about, *said.items.values(),
                 *said.fields.values(), *said.facts.values(), *said.titles.values(), *said.act,
                 *(text for pair in said.danger for text in pair), *said.safe]  # fmt: skip
        for template in plain:
            assert not set(wrote.text(template)) & set("{}[]|"), template
        for template in said.says:
            assert not set(wrote.text(template, **THING)) & set("{}[]|"), template
    for texts in spoken.words.lists.values():
        for template in texts:
            assert not set(wrote.text(template)) & set("{}[]|"), template


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_category_has_different_things_enough(code: str) -> None:
    wrote = writer(code)
    for kind in KINDS:
        for category, template in language(code).kinds[kind].items.items():
            assert len(wrote.several(template, 4)) >= 3, (kind, category)


def test_years_have_no_separators() -> None:
    assert writer().text("{digits 1985 1985} {n 1985 1985}") == "1985 1,985"
