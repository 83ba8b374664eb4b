import math
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError, MissingExtraError
from snellen.grading.metrics.captions import Variant, bleu, cider_d, corpus_bleu

sentence = st.lists(
    st.sampled_from(["a", "red", "blue", "car", "dog", "on", "the"]), max_size=9
).map(" ".join)
items = st.lists(
    st.tuples(sentence, st.lists(sentence, min_size=1, max_size=3)), min_size=2, max_size=5
)
variants = st.sampled_from(["paper", "code"])


# BLEU


def test_a_perfect_caption_has_bleu_one_and_a_signature() -> None:
    result = bleu("the cat sat on the mat", ["a dog", "the cat sat on the mat"])
    assert result.value == 1.0
    assert result.signature.startswith("nrefs:2|case:mixed|eff:yes|tok:13a|smooth:exp|version:")


def test_a_short_caption_can_be_right() -> None:
    assert bleu("red car", ["red car"]).value == 1.0


@pytest.mark.parametrize(("prediction", "reference"), [("", "a"), ("a", ""), ("x y", "a b")])
def test_nothing_in_common_is_zero(prediction: str, reference: str) -> None:
    assert bleu(prediction, [reference]).value == 0.0


def test_bleu_of_a_caption_worked_by_hand() -> None:
    # "the the the cat" / "the cat sat": 1-grams 2/4, 2-grams 1/3, 3-grams 0/2 -> 1/(2*2),
    # 4-grams 0/1 -> 1/(4*1) by exponential smoothing; the brevity penalty is 1.
    expected = (2 / 4 * 1 / 3 * 1 / 4 * 1 / 4) ** 0.25
    assert bleu("the the the cat", ["the cat sat"]).value == pytest.approx(expected, abs=1e-12)


def test_brevity_is_punished() -> None:
    expected = math.exp(1 - 6 / 4)
    value = bleu("the cat sat on", ["the cat sat on the mat"]).value
    assert value == pytest.approx(expected, abs=1e-12)


def test_a_corpus_sums_counts_before_it_divides() -> None:
    predictions = ["a b c d e", "x y"]
    # 1-grams 5/7, 2-grams 4/5, 3-grams 3/3, 4-grams 2/2; lengths 7 and 7.
    expected = (5 / 7 * 4 / 5) ** 0.25
    result = corpus_bleu(predictions, [["a b c d e"], ["q r", "q r s t"]])
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert result.signature.startswith("nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:")


def test_bleu_without_references_or_items_is_not_defined() -> None:
    with pytest.raises(MetricError, match="at least one reference"):
        bleu("a", [])
    with pytest.raises(MetricError, match="item 0 has no reference"):
        corpus_bleu(["a"], [[]])
    with pytest.raises(MetricError, match="not defined on 0 items"):
        corpus_bleu([], [])
    with pytest.raises(MetricError, match="1 predictions for 2 items"):
        corpus_bleu(["a"], [["a"], ["b"]])


def test_bleu_without_sacrebleu_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[captions\]'"):
        bleu("a", ["a"])


# CIDEr-D


def slow_cider_d(predictions: list[str], references: list[list[str]], variant: Variant) -> float:
    """The paper's formula term by term, on white-space tokens, on the scale of 10."""

    def grams(text: str, n: int) -> list[str]:
        words = text.split()
        return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]

    def vector(text: str, n: int) -> dict[str, float]:
        counts = Counter(grams(text, n))
        weights: dict[str, float] = {}
        for gram, count in counts.items():
            having = sum(any(gram in grams(r, n) for r in own) for own in references)
            share = count / sum(counts.values()) if variant == "paper" else count
            weights[gram] = share * math.log(len(references) / max(1, having))
        return weights

    def norm(weights: dict[str, float]) -> float:
        return math.sqrt(sum(weight**2 for weight in weights.values()))

    def length(text: str) -> int:
        return len(text.split()) if variant == "paper" else len(grams(text, 2))

    scores: list[float] = []
    for prediction, own in zip(predictions, references, strict=True):
        for_n: list[float] = []
        for n in (1, 2, 3, 4):
            total = 0.0
            for reference in own:
                c, s = vector(prediction, n), vector(reference, n)
                if norm(c) * norm(s) == 0:
                    continue
                clipped = sum(min(c.get(gram, 0.0), s[gram]) * s[gram] for gram in s)
                penalty = math.exp(-((length(prediction) - length(reference)) ** 2) / (2 * 6.0**2))
                total += penalty * clipped / (norm(c) * norm(s))
            for_n.append(10 * total / len(own))
        scores.append(sum(for_n) / 4)
    return sum(scores) / len(scores)


@given(corpus=items, variant=variants)
def test_values_equal_the_formula_written_out(
    corpus: list[tuple[str, list[str]]], variant: Variant
) -> None:
    predictions, references = [p for p, _ in corpus], [r for _, r in corpus]
    result = cider_d(predictions, references, variant=variant)
    expected = slow_cider_d(predictions, references, variant)
    assert result.published == pytest.approx(expected, abs=1e-9)


def test_a_small_corpus_worked_by_hand() -> None:
    # Two items, so every n-gram of one item weighs ln 2 and those of both weigh 0: "a" drops out.
    result = cider_d(["a red dog", "blue sky"], [["a red car"], ["a blue sky"]])
    # Item 1: of red, dog / red, car: 1/2; of (a red), (red dog) / (a red), (red car): 1/2;
    # no shared 3-gram; no 4-gram. Lengths equal.
    first = (1 / 2 + 1 / 2) / 4
    # Item 2: shares 1/2, 1/2 against 1/3, 1/3: clipped to 1/3, so (2/9) / (sqrt(1/2) sqrt(2/9));
    # 2-grams: (blue sky) with share 1 against (a blue), (blue sky) with 1/2: (1/4) / sqrt(1/2).
    unigrams = (2 / 9) / math.sqrt(1 / 2 * 2 / 9)
    bigrams = (1 / 4) / math.sqrt(1 / 2)
    second = math.exp(-1 / 72) * (unigrams + bigrams) / 4
    assert result.items == pytest.approx((first, second), abs=1e-12)
    assert result.value == pytest.approx((first + second) / 2, abs=1e-12)
    assert result.published == pytest.approx(5 * (first + second), abs=1e-12)


def test_the_released_code_counts_where_the_paper_takes_shares() -> None:
    predictions, references = ["blue sky", "x"], [["a blue sky"], ["a x"]]
    # Counts: (blue, sky) / (blue, sky) = 1; (blue sky) / (a blue), (blue sky): 1/sqrt(2). Lengths
    # in bigrams: 1 and 2.
    expected = math.exp(-1 / 72) * (1 + 1 / math.sqrt(2)) / 4
    assert cider_d(predictions, references, variant="code").items[0] == pytest.approx(expected)
    assert cider_d(predictions, references).items[0] < expected


def test_published_values_of_the_released_code() -> None:
    # Computed once with pycocoevalcap 1.2's CiderScorer on the same white-space tokens.
    predictions = ["a red car on the road", "two dogs play", "the cat"]
    references = [
        ["a red car on a road", "the red car"],
        ["two dogs are playing", "dogs play in the park"],
        ["a cat sleeps on the sofa"],
    ]
    result = cider_d(predictions, references, variant="code")
    theirs = [4.23052868709785, 2.315751806743025, 1.1066116216333584]
    assert [10 * item for item in result.items] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.slow
@given(corpus=items, variant=variants)
def test_every_item_is_in_range(corpus: list[tuple[str, list[str]]], variant: Variant) -> None:
    result = cider_d([p for p, _ in corpus], [r for _, r in corpus], variant=variant)
    assert all(0.0 <= item <= 1.0 for item in result.items)
    assert 0.0 <= result.value <= 1.0


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_the_reference_itself_scores_one(variant: Variant) -> None:
    texts = ["a red car on the road", "two dogs play in snow", "the cat sat there quietly"]
    result = cider_d(texts, [[text] for text in texts], variant=variant)
    assert result.items == pytest.approx((1.0, 1.0, 1.0), abs=1e-12)
    assert result.published == pytest.approx(10.0, abs=1e-11)


def test_repeating_a_rare_word_gains_nothing() -> None:
    references = [["a red car here"], ["a blue dog there"]]
    once, often = (
        cider_d([text, "x"], references).items[0]
        for text in ("a red car here", "car car car car car car car car")
    )
    assert once == pytest.approx(1.0)
    assert often < 0.2


def test_case_and_punctuation_do_not_matter() -> None:
    references = [["A red car."], ["A dog's bowl!"]]
    result = cider_d(["a RED, car", "a dog’s bowl"], references)
    assert result.items[0] == pytest.approx(0.75)
    assert cider_d(["a red car", "a dog's bowl"], references).items[1] == pytest.approx(0.75)


def test_the_order_of_items_and_references_does_not_matter() -> None:
    references = [["a red car", "one car"], ["a dog", "the dog runs"]]
    forth = cider_d(["red car", "a dog runs"], references)
    back = cider_d(["a dog runs", "red car"], [own[::-1] for own in references[::-1]])
    assert back.items[::-1] == pytest.approx(forth.items, abs=1e-15)


def test_an_empty_caption_scores_zero() -> None:
    assert cider_d(["", "a dog"], [["a red car"], ["a dog"]]).items[0] == 0.0


@pytest.mark.parametrize(
    ("predictions", "references", "complaint"),
    [
        ([], [], "not defined on 0 items"),
        (["a"], [["a"]], "not defined on 1 items; it needs 2"),
        (["a", "b"], [["a"]], "2 predictions for 1 items"),
        (["a", "b"], [["a"], []], "item 1 has no reference"),
    ],
)
def test_cider_d_without_a_corpus_is_not_defined(
    predictions: list[str], references: list[list[str]], complaint: str
) -> None:
    with pytest.raises(MetricError, match=complaint):
        cider_d(predictions, references)
