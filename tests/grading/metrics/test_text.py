import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snellen.grading import normalize
from snellen.grading.errors import MetricError
from snellen.grading.metrics.text import (
    anls,
    charset_f1,
    contains,
    multiset_f1,
    multiui_f1,
    set_f1,
    vqa_accuracy,
    vqa_form,
)

tokens = st.lists(st.sampled_from("abcde"), max_size=6)
texts = st.text(max_size=10) | st.text("abcAB 01.,!é", max_size=10)
answers = st.sampled_from(["2", "two", "a dog", "dog", "Dog.", "dont", "yes", "", "1,000", "x-y"])

Metric = Callable[[str, Sequence[str]], float]
OF_REFERENCES: tuple[Metric, ...] = (multiui_f1, charset_f1, contains, anls)


@given(tokens, tokens)
def test_multiset_f1_is_the_harmonic_mean_of_precision_and_recall(
    one: list[str], other: list[str]
) -> None:
    shared = sum((Counter(one) & Counter(other)).values())
    if shared:
        precision, recall = shared / len(one), shared / len(other)
        expected = 2 * precision * recall / (precision + recall)
    else:
        expected = 0.0
    assert multiset_f1(one, other) == pytest.approx(expected, abs=1e-12)
    assert multiset_f1(other, one) == multiset_f1(one, other)


@given(tokens, tokens)
def test_set_f1_is_multiset_f1_without_repetitions(one: list[str], other: list[str]) -> None:
    assert set_f1(one, other) == multiset_f1(sorted(set(one)), sorted(set(other)))


@given(tokens)
def test_tokens_match_themselves_unless_there_are_none(one: list[str]) -> None:
    assert set_f1(one, one) == multiset_f1(one, one) == float(bool(one))


# PROTOCOLS 2, ScreenQA short: a set, and punctuation counts.
@pytest.mark.parametrize(
    ("prediction", "references", "f1"),
    [
        ("yes", ["Yes"], 1),
        (" Yes ", ["yes"], 1),
        ("yes.", ["yes"], 2 / 3),
        ("$4", ["4"], 2 / 3),
        ("a a a b", ["a b"], 1),
        ("the cat", ["cat"], 2 / 3),
        ("b a", ["a b"], 1),
        ("", [""], 0),
        ("", ["a"], 0),
        ("4.3", ["3.4"], 1),
        ("a b", ["c", "a", "a b c"], 0.8),
        ("中文", ["中文"], 1),
    ],
)
def test_multiui_f1_of(prediction: str, references: list[str], f1: float) -> None:
    assert multiui_f1(prediction, references) == pytest.approx(f1, abs=1e-12)


# PROTOCOLS 2, ScreenQA short: a set of characters.
@pytest.mark.parametrize(
    ("prediction", "references", "f1"),
    [
        ("listen", ["silent"], 1),
        ("LISTEN!", ["si-lent"], 1),
        ("book", ["book"], 0.75),
        ("bok", ["book"], 6 / 7),
        ("abc", ["xyz"], 0),
        ("", [""], 0),
        ("中文", ["中文"], 0),
        ("ab", ["xy", "abc"], 0.8),
    ],
)
def test_charset_f1_of(prediction: str, references: list[str], f1: float) -> None:
    assert charset_f1(prediction, references) == pytest.approx(f1, abs=1e-12)


@given(texts, texts)
def test_charset_f1_is_the_published_arithmetic(prediction: str, reference: str) -> None:
    one = re.sub("[^a-zA-Z0-9]", "", prediction.lower())
    other = re.sub("[^a-zA-Z0-9]", "", reference.lower())
    expected = 0.0
    if one and other and set(one) & set(other):
        precision = len(set(one) & set(other)) / len(one)
        recall = len(set(one) & set(other)) / len(other)
        expected = 2 * precision * recall / (precision + recall)
    assert charset_f1(prediction, [reference]) == pytest.approx(expected, abs=1e-12)


@given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(OF_REFERENCES))
def test_scores_are_the_best_over_the_references_and_between_zero_and_one(
    prediction: str, references: list[str], metric: Metric
) -> None:
    score = metric(prediction, references)
    assert 0.0 <= score <= 1.0
    assert score == max(metric(prediction, [reference]) for reference in references)


@pytest.mark.parametrize("metric", OF_REFERENCES)
def test_no_reference_is_an_error_and_not_a_zero(metric: Metric) -> None:
    with pytest.raises(MetricError, match="no reference to compare the answer with"):
        metric("cat", [])


# BENCHMARKS 6: prefixes that a plain substring accepts.
@pytest.mark.parametrize(
    ("prediction", "reference", "words", "substring"),
    [
        ("It rose to 1200", "120", 0, 1),
        ("See Q30", "Q3", 0, 1),
        ("Sales peaked in Q3.", "q3", 1, 1),
        ("12.5 percent", "12", 0, 1),
        ("1,200 units", "200", 0, 1),
        ("1,200 units", "1,200", 1, 1),
        ("It is 12.", "12", 1, 1),
        ("Q1, Q2, Q3, Q4", "Q2, Q3", 1, 1),
        ("about 15 % higher", "15% higher", 1, 0),
        ("the United  States", "united states", 1, 0),
        ("united kingdom states", "united states", 0, 0),
        ("costs $4", "$4", 1, 1),
        ("anything", "", 0, 1),
        ("", "", 0, 1),
        ("", "a", 0, 0),
        ("中文测试", "中文", 0, 1),
    ],
)
def test_contains(prediction: str, reference: str, words: float, substring: float) -> None:
    assert contains(prediction, [reference]) == words
    assert contains(prediction, [reference], whole_words=False) == substring


def test_contains_compares_the_form_it_is_given() -> None:
    assert contains("It is OK", ["ok"], normalize.identity) == 0
    assert contains("It is OK", ["no", "OK"], normalize.identity) == 1


@given(texts, texts, texts)
def test_a_reference_between_spaces_is_contained(before: str, middle: str, after: str) -> None:
    assume(middle.strip())
    assert contains(f"{before} {middle} {after}", [middle], normalize.identity) == 1.0


def levenshtein(one: str, other: str) -> int:
    """The textbook table, row by row."""
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        corner, row[0] = row[0], i
        for j, theirs in enumerate(other, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (mine != theirs))
    return row[-1]


@given(texts, texts)
def test_anls_is_one_minus_the_normalized_distance(prediction: str, reference: str) -> None:
    one, other = (" ".join(text.lower().split()) for text in (prediction, reference))
    longest = max(len(one), len(other))
    similarity = 1 - levenshtein(one, other) / longest if longest else 1.0
    expected = similarity if similarity >= 0.5 else 0.0
    assert anls(prediction, [reference]) == pytest.approx(expected, abs=1e-12)
    assert anls(reference, [prediction]) == anls(prediction, [reference])


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("cat", "CAT ", 1),
        ("", "", 1),
        ("", "cat", 0),
        ("ab", "ac", 0.5),
        ("abc", "axy", 0),
        ("hello", "hallo", 0.8),
        ("a  b", "a b", 1),
    ],
)
def test_anls_of(prediction: str, reference: str, score: float) -> None:
    assert anls(prediction, [reference]) == pytest.approx(score)


def test_anls_takes_its_threshold_by_name() -> None:
    assert anls("abc", ["axy"], threshold=0.0) == pytest.approx(1 / 3)
    assert anls("hello", ["hallo"], threshold=0.9) == 0.0


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Two", "2"),
        ("none", "0"),
        ("TEN", "10"),
        ("eleven", "eleven"),
        ("the dog", "dog"),
        ("A an THE", ""),
        ("dont", "don't"),
        ("Couldnt've", "couldn't've"),
        ("yalld've", "yalld've"),
        ("somebody'd", "somebodyd"),
        ("lets", "lets"),
        ("o'clock", "o'clock"),
        ("dog.", "dog"),
        ("3.5", "3.5"),
        ("3.", "3"),
        (".5", ".5"),
        ("x-y", "x y"),
        ("x -y", "x y"),
        ("x- y", "x y"),
        ("well-known, yes", "well known yes"),
        ("1,000", "1000"),
        ("x-y 1,000", "xy 1000"),
        ("a/b\nc\td", "b c d"),
        ("", ""),
        ("." * 40, "." * 8),
    ],
)
def test_the_vqa_form_of(text: str, form: str) -> None:
    assert vqa_form(text) == form


@pytest.mark.parametrize(
    ("matching", "score"), [(0, 0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1), (9, 1), (10, 1)]
)
def test_vqa_accuracy_of_ten_annotators(matching: int, score: float) -> None:
    references = ["yes"] * matching + ["no"] * (10 - matching)
    assert vqa_accuracy("Yes", references) == pytest.approx(score)


@given(answers, st.lists(answers, min_size=2, max_size=10), st.booleans())
def test_vqa_accuracy_is_the_mean_over_subsets_without_one_annotator(
    prediction: str, references: list[str], published: bool
) -> None:
    if not published:
        prepared = [vqa_form(text) for text in references]
    elif len(set(references)) > 1:
        # In these answers, what the script removes is what lies outside letters and digits.
        prepared = [{"Dog.": "Dog", "1,000": "1000", "x-y": "x y"}.get(x, x) for x in references]
    else:
        prepared = references
    subsets = list(combinations(prepared, len(prepared) - 1))
    scores = [min(subset.count(vqa_form(prediction)) / 3, 1) for subset in subsets]
    expected = sum(scores) / len(scores)
    score = vqa_accuracy(prediction, references, published=published)
    assert score == pytest.approx(expected, abs=1e-12)


def test_published_vqa_accuracy_expects_references_in_the_form() -> None:
    assert vqa_accuracy("Two", ["Two"] * 10) == 0.0
    assert vqa_accuracy("Two", ["Two"] * 10, published=False) == 1.0


@pytest.mark.parametrize("references", [[], ["yes"]])
def test_vqa_accuracy_needs_an_annotator_to_leave_out(references: list[str]) -> None:
    with pytest.raises(MetricError, match="needs two or more answers"):
        vqa_accuracy("yes", references)
