import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snellen.grading.metrics.stemmer import stem

pytestmark = pytest.mark.compat

PORTER: Any = import_module("nltk.stem.porter").PorterStemmer()

# The examples of Porter 1980, step by step. Where a later step goes on, the stem is that of the
# whole algorithm.
PAPER = {
    "1a": "caresses caress ponies poni caress caress cats cat",
    "1b": (
        "feed feed agreed agre plastered plaster bled bled motoring motor sing sing conflated"
        " conflat troubled troubl sized size hopping hop tanned tan falling fall hissing hiss"
        " fizzed fizz failing fail filing file"
    ),
    "1c": "happy happi",
    "2": (
        "relational relat conditional condit rational ration valency valenc hesitancy hesit"
        " digitizer digit conformably conform radically radic differently differ vilely vile"
        " analogously analog vietnamization vietnam predication predic operator oper feudalism"
        " feudal decisiveness decis hopefulness hope callousness callous formality formal"
        " sensitivity sensit sensibility sensibl"
    ),
    "3": (
        "triplicate triplic formative form formalize formal electricity electr electrical electr"
        " hopeful hope goodness good"
    ),
    "4": (
        "revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop"
        " adjustable adjust defensible defens irritant irrit replacement replac adjustment adjust"
        " dependent depend adoption adopt homologous homolog communism commun activate activ"
        " angularity angular effective effect bowdlerize bowdler"
    ),
    "5a": "probate probat rate rate cease ceas",
    "5b": "controlling control roll roll",
    "several": "generalizations gener oscillators oscil connections connect connecting connect",
}
# What NLTK changes, and the three changes of Porter's own.
CHANGED = {
    "irregular": (
        "sky sky skies sky dying die lying lie tying tie news news inning inning innings inning"
        " outing outing outings outing canning canning cannings canning howe howe proceed proceed"
        " exceed exceed succeed succeed"
    ),
    "one letter before the ending": "ties tie dies die tied tie flies fli spied spi ied i ies i",
    "y after a consonant": "enjoy enjoy enjoyment enjoy spy spi fly fli by by say say",
    "a vowel and a consonant are short": "aged age used use owing owe eyed eye",
    "step 2 goes on after -alli": "rationally ration nationally nation",
    "-fulli": "hopefully hope faithfully faith",
    "-logi": "geology geolog theology theolog archaeology archaeolog",
    "-bli": "possibly possibl accessibly access",
    "two letters": "as as is is a a",
}
NO_LETTERS = ["", "1", "12", "2024", "1980s", "10ed", "3d", "'", "dog's", "'s", "don't", "o'clock"]
NO_ASCII = ["café", "cafés", "naïvely", "naïveness", "éing", "éed", "ñandúes", "ßing", "中文"]

SUFFIX_LIST = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness"
    " fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance"
    " ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize s sses ies"
    " ss ed ing eed ied y e ll ly at bl iz"
)
SUFFIXES = SUFFIX_LIST.split()
stems = st.text(alphabet="aeiouybcdlstwxz", max_size=7)
endings = st.lists(st.sampled_from(SUFFIXES), max_size=3).map("".join)
# Asterisks are left out: NLTK takes a word that ends in "*d" for one of its own rules.
characters = st.characters(codec="utf-8", exclude_characters="*")


def pairs(table: dict[str, str]) -> list[Any]:
    """The words and stems of a table, each named by its section."""
    return [
        pytest.param(word, expected, id=f"{section}: {word}")
        for section, line in table.items()
        for word, expected in zip(*[iter(line.split())] * 2, strict=True)
    ]


@pytest.mark.parametrize(("word", "expected"), pairs(PAPER) + pairs(CHANGED))
def test_the_examples_of_the_paper_and_of_the_changes(word: str, expected: str) -> None:
    assert stem(word) == expected == PORTER.stem(word)


@pytest.mark.parametrize("word", NO_LETTERS + NO_ASCII)
def test_every_other_character_is_a_consonant(word: str) -> None:
    assert stem(word) == PORTER.stem(word)


def test_every_suffix_after_a_short_stem() -> None:
    for start in (
        "",
        "b",
        "y",
        "a",
        "ay",
        "ba",
        "by",
        "bay",
        "bab",
        "yab",
        "abab",
        "babbab",
        "tyy",
    ):
        for suffix in SUFFIXES:
            assert stem(start + suffix) == PORTER.stem(start + suffix)


@given(stems, endings)
@example("tyy", "ed")
@example("ayy", "ing")
@example("tyyy", "")
def test_suffixes_go_as_in_nltk(start: str, ending: str) -> None:
    assert stem(start + ending) == PORTER.stem(start + ending)


@given(st.text(alphabet="yaebls", max_size=9), st.sampled_from(["", "y", "ed", "ing", "es", "lle"]))
def test_each_y_is_a_vowel_or_a_consonant_as_in_nltk(start: str, ending: str) -> None:
    assert stem(start + ending) == PORTER.stem(start + ending)


@given(st.text(characters, max_size=9).map(str.lower), endings)
def test_any_characters_go_as_in_nltk(start: str, ending: str) -> None:
    assert stem(start + ending) == PORTER.stem(start + ending)


@pytest.mark.timeout(30)
def test_a_long_run_of_y_takes_no_square_of_its_length() -> None:
    assert stem("y" * 200_000 + "ing") == "y" * 199_999 + "i"


@pytest.mark.slow
@pytest.mark.realdata
def test_the_words_of_screenqa_go_as_in_nltk() -> None:
    folder = Path(os.environ["SNELLEN_DATA"], "screenqa", "short_answers")
    for split in ("validation", "test"):
        records = json.loads((folder / f"{split}.json").read_text(encoding="utf-8"))
        texts = [text for each in records for text in (each["question"], *each["ground_truth"])]
        words = set(re.findall(r"[^\W_]+(?:'[^\W_]+)?", " ".join(texts).lower()))
        assert len(words) > 1000
        assert {word: stem(word) for word in words} == {word: PORTER.stem(word) for word in words}
