import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.metrics.rouge import (
    RougeColumns,
    RougeReferences,
    RougeScore,
    rouge,
    rouge_best,
    rouge_details,
    stem,
)

pytestmark = pytest.mark.compat

SCORERS: dict[bool, Any] = {
    stemmer: import_module("rouge_score.rouge_scorer").RougeScorer(
        ["rouge1", "rouge2", "rougeL"], use_stemmer=stemmer
    )
    for stemmer in (False, True)
}

# Few words, many repeats; letters whose lower case is or is not ASCII; white space and marks.
FRAGMENTS = [
    *("a", "b", "the", "running", "Runs", "ties", "Skies", "dying", "nationally", "1,000"),
    *(
        "café",
        "İx",
        "\u212aelvin",
        "中文",
        "x-y",
        "\0",
        "a\0b",
        "\n",
        "\u2028",
        "ΑΣ",
        "ß",
        "\ud800",
    ),
]
crafted = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(" ".join)
texts = st.one_of(crafted, st.text(max_size=40), st.text(alphabet="ab \n", max_size=40))


def published(prediction: str, reference: str, *, stemmer: bool = False) -> RougeScore:
    scores = SCORERS[stemmer].score(reference, prediction)
    return RougeScore(*(scores[key].fmeasure for key in ("rouge1", "rouge2", "rougeL")))


def row(columns: RougeColumns, number: int) -> RougeScore:
    return RougeScore(*(float(column[number]) for column in columns))


# BENCHMARKS 2.4, the column of rouge-score.
TABLE = [
    ("the cat sat", "the cat sat", (1, 1, 1)),
    ("The cat sat", "the cat sat", (1, 1, 1)),
    ("cat", "the cat", (2 / 3, 0, 2 / 3)),
    ("4.3 stars", "4.3", (0.8, 2 / 3, 0.8)),
    ("3.4", "4.3", (1, 0, 0.5)),
    ("$4", "4", (1, 0, 1)),
    ("yes", "Yes", (1, 0, 1)),
    ("Yes, it is", "Yes", (0.5, 0, 0.5)),
    ("a a a b", "a b", (2 / 3, 0.5, 2 / 3)),
    ("the the the the", "the cat", (1 / 3, 0, 1 / 3)),
    ("1,000", "1000", (0, 0, 0)),
    ("hello world", "world hello", (1, 0, 0.5)),
    ("a. b. c", "c. b. a", (1, 0, 1 / 3)),
    ("buy now. buy now", "buy now", (2 / 3, 0.5, 2 / 3)),
    ("U.S. dollar", "US dollar", (0.4, 0, 0.4)),
    ("中文测试", "中文测试", (0, 0, 0)),
    (" ", "Hello world. ", (0, 0, 0)),
]

# PROTOCOLS 1.1, the columns of rouge-score without and with stemmer.
STEMMED = [
    ("The cat", "the cat", (1, 1, 1), (1, 1, 1)),
    ("a a a b", "a b", (2 / 3, 0.5, 2 / 3), (2 / 3, 0.5, 2 / 3)),
    ("Sign in", "Sign-in", (1, 1, 1), (1, 1, 1)),
    ("Price: $5.99", "Price $5.99", (1, 1, 1), (1, 1, 1)),
    ("running dogs", "run dog", (0, 0, 0), (1, 1, 1)),
    ("你好 世界", "你好 世界", (0, 0, 0), (0, 0, 0)),
    ("...", "x", (0, 0, 0), (0, 0, 0)),
]


@pytest.mark.parametrize(("prediction", "reference", "expected"), TABLE)
def test_the_worked_values_of_the_reference_sheet(
    prediction: str, reference: str, expected: tuple[float, float, float]
) -> None:
    assert rouge(prediction, reference) == pytest.approx(expected)
    assert row(RougeReferences([[reference]]).score([0], [prediction]), 0) == pytest.approx(
        expected
    )


@pytest.mark.parametrize(("prediction", "reference", "plain", "stemmed"), STEMMED)
def test_the_worked_values_with_and_without_stemmer(
    prediction: str,
    reference: str,
    plain: tuple[float, float, float],
    stemmed: tuple[float, float, float],
) -> None:
    assert rouge(prediction, reference) == pytest.approx(plain)
    assert rouge(prediction, reference, stemmer=True) == pytest.approx(stemmed)


@given(texts, texts, st.booleans())
def test_one_pair_scores_as_the_package_to_the_last_bit(
    prediction: str, reference: str, stemmer: bool
) -> None:
    assert rouge(prediction, reference, stemmer=stemmer) == published(
        prediction, reference, stemmer=stemmer
    )


@given(texts, texts)
def test_precision_and_recall_are_those_of_the_package(prediction: str, reference: str) -> None:
    ours = rouge_details(prediction, reference)
    theirs: dict[str, tuple[float, float, float]] = SCORERS[False].score(reference, prediction)
    assert list(ours) == list(theirs.values())


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), texts), max_size=12),
    st.booleans(),
)
def test_a_batch_takes_the_best_reference_for_each_key(
    references: list[list[str]], answers: list[tuple[int, str]], stemmer: bool
) -> None:
    items = [item % len(references) for item, _ in answers]
    predictions = [text for _, text in answers]
    columns = RougeReferences(references, stemmer=stemmer).score(items, predictions)
    assert all(column.dtype == np.float64 and len(column) == len(items) for column in columns)
    for number, (item, prediction) in enumerate(zip(items, predictions, strict=True)):
        each = [published(prediction, text, stemmer=stemmer) for text in references[item]]
        best = RougeScore(*map(max, zip(*each, strict=True)))
        assert row(columns, number) == best
        assert rouge_best(prediction, references[item], stemmer=stemmer) == best


@given(texts, texts, st.booleans())
def test_scores_lie_between_0_and_1_and_do_not_care_which_side_is_which(
    first: str, second: str, stemmer: bool
) -> None:
    scores = rouge(first, second, stemmer=stemmer)
    assert all(0 <= score <= 1 for score in scores)
    assert scores == pytest.approx(rouge(second, first, stemmer=stemmer))


@given(texts)
def test_a_text_scores_one_against_itself_as_far_as_it_has_tokens(text: str) -> None:
    tokens = len(re.findall("[a-z0-9]+", text.lower()))
    assert rouge(text, text) == (min(tokens, 1), min(max(tokens - 1, 0), 1), min(tokens, 1))


@pytest.mark.parametrize("empty", ["", " ", "\n\n", "...", "中文", "\0"])
def test_a_text_without_tokens_scores_zero(empty: str) -> None:
    for prediction, reference in ((empty, "a b"), ("a b", empty), (empty, empty)):
        assert rouge(prediction, reference) == (0, 0, 0)
        assert row(RougeReferences([[reference]]).score([0], [prediction]), 0) == (0, 0, 0)


def test_a_newline_separates_tokens_only() -> None:
    assert rouge("one two\nthree", "one two three") == (1, 1, 1)


def test_huge_repetition_is_clipped() -> None:
    prediction = "yes " * 50_000
    scores = rouge(prediction, "yes no yes")
    assert scores.rouge1 == scores.rougeL == pytest.approx(4 / 50_003)
    assert scores.rouge2 == 0
    assert row(RougeReferences([["yes no yes"]]).score([0], [prediction]), 0) == scores


@pytest.mark.slow
def test_a_vocabulary_beyond_the_surrogates_keeps_its_tokens_apart() -> None:
    words = [f"w{number}" for number in range(60_000)]
    reference = " ".join(words)
    prediction = " ".join(words[::2])
    scores = rouge(prediction, reference)
    assert scores.rouge1 == scores.rougeL == pytest.approx(2 / 3)
    assert scores.rouge2 == 0
    assert row(RougeReferences([[reference]]).score([0], [prediction]), 0) == scores


def test_a_batch_of_many_chunks_scores_as_its_parts() -> None:
    references = [[f"word{item} of item {item}", "another text"] for item in range(3000)]
    items = [(item * 7) % 3000 for item in range(9000)]
    predictions = [f"word{item} of item {item % 50} and more " * 3 for item in range(9000)]
    columns = RougeReferences(references).score(np.array(items), predictions)
    for number in range(0, 9000, 450):
        assert row(columns, number) == rouge_best(predictions[number], references[items[number]])


def test_an_empty_batch_gives_empty_columns() -> None:
    assert [column.shape for column in RougeReferences([]).score([], [])] == [(0,)] * 3


def test_the_number_of_prepared_items_is_known() -> None:
    assert len(RougeReferences([["a"], ["b", "c"]])) == 2


def test_no_reference_is_an_error() -> None:
    with pytest.raises(MetricError, match="no reference"):
        rouge_best("a", [])
    with pytest.raises(MetricError, match="item 1 has no reference"):
        RougeReferences([["a"], []])


def test_an_item_that_is_not_there_is_an_error() -> None:
    for item in (-1, 1):
        with pytest.raises(IndexError, match="from 0 to 0"):
            RougeReferences([["a"]]).score([item], ["a"])


def test_items_and_predictions_must_be_equally_many() -> None:
    with pytest.raises(ValueError, match="1 items for 2 predictions"):
        RougeReferences([["a"]]).score([0], ["a", "b"])


@pytest.mark.slow
@pytest.mark.realdata
def test_real_screenqa_answers_score_as_the_package() -> None:
    folder = os.environ.get("SNELLEN_DATA")
    if not folder:
        pytest.skip("SNELLEN_DATA is not set")
    path = Path(folder, "screenqa", "short_answers", "validation.json")
    records: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[:1000]
    references: list[list[str]] = [record["ground_truth"] for record in records]
    predictions = [
        record["question"] if n % 3 else references[n][-1] for n, record in enumerate(records)
    ]
    for stemmer in (False, True):
        columns = RougeReferences(references, stemmer=stemmer).score(
            range(len(records)), predictions
        )
        for number, prediction in enumerate(predictions):
            each = [published(prediction, text, stemmer=stemmer) for text in references[number]]
            assert row(columns, number) == RougeScore(*map(max, zip(*each, strict=True)))


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
