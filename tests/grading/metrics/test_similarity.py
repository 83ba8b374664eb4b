import hashlib
import importlib
import json
import math
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics import similarity

GOLDS = [
    "A landing page for a travel agency that sells flights and hotels.",
    "An online shop for running shoes with filters and reviews.",
    "Sign in page of a bank; sign in, reset the password.",
    "Les nouvelles du café, l'été à Paris.",
    "新聞 網站 首頁",
]
words = st.text(alphabet="abcdeéß新 -_'1.İΣ", max_size=40)


class Sklearn:
    """The second witness: scikit-learn's vectoriser, fitted once on the same corpus."""

    def __init__(self, texts: Sequence[str]) -> None:
        module = importlib.import_module("sklearn.feature_extraction.text")
        self.vectoriser = module.TfidfVectorizer().fit(texts)

    def idf(self) -> dict[str, float]:
        names = self.vectoriser.get_feature_names_out()
        return dict(zip(names, self.vectoriser.idf_, strict=True))

    def cosine(self, a: str, b: str) -> float:
        rows = self.vectoriser.transform([a, b])
        return float((rows[0] @ rows[1].T).toarray()[0, 0])


# TF-IDF


def test_weights_follow_the_smoothed_formula() -> None:
    # BENCHMARKS 1.4 T7: smoothed IDF ln((1+n)/(1+df))+1.
    corpus = similarity.TfidfCorpus.fit(["shop page", "news page", "page"])
    assert corpus.documents == 3
    assert corpus.document_frequency == {"news": 1, "page": 3, "shop": 1}
    assert corpus.idf["page"] == 1.0
    assert corpus.idf["shop"] == pytest.approx(1.6931471805599454, abs=1e-15)


def test_a_cosine_worked_by_hand() -> None:
    corpus = similarity.TfidfCorpus.fit(["shop page", "news page", "page"])
    # (idf_page * idf_page) / (|shop page| * |page|) = 1 / sqrt(1 + 1.6931...^2)
    expected = 1.0 / (1.0 + 1.6931471805599454**2) ** 0.5
    assert corpus.cosine("shop page", "page") == pytest.approx(expected, abs=1e-15)


@pytest.mark.slow
@settings(deadline=None)  # the first example imports scikit-learn
@given(a=words, b=words)
def test_values_equal_scikit_learns_on_the_same_corpus(a: str, b: str) -> None:
    texts = [*GOLDS, "aa bb ab éé"]
    expected = Sklearn(texts).cosine(a, b)
    assert similarity.TfidfCorpus.fit(texts).cosine(a, b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(corpus=st.lists(words, min_size=1, max_size=6), a=words)
def test_any_corpus_that_scikit_learn_can_learn_gives_its_values(corpus: list[str], a: str) -> None:
    try:
        theirs = Sklearn(corpus)
    except ValueError:  # "empty vocabulary"
        with pytest.raises(MetricError, match="have no words"):
            similarity.TfidfCorpus.fit(corpus)
        return
    ours = similarity.TfidfCorpus.fit(corpus)
    assert ours.idf == pytest.approx(theirs.idf(), abs=1e-12)
    for text in corpus:
        assert ours.cosine(a, text) == pytest.approx(theirs.cosine(a, text), abs=1e-12)


@pytest.mark.slow
@pytest.mark.realdata
def test_values_equal_scikit_learns_on_screenqa_answers() -> None:
    folder = os.environ.get("SNELLEN_DATA")
    if folder is None:
        pytest.skip("SNELLEN_DATA does not name the folder of published data")
    path = Path(folder) / "screenqa" / "short_answers" / "validation.json"
    golds = [" ".join(row["ground_truth"]) for row in json.loads(path.read_text("utf-8"))]
    ours, theirs = similarity.TfidfCorpus.fit(golds), Sklearn(golds)
    shifted = golds[1:] + golds[:1]
    predictions = [f"{a} {b}" for a, b in zip(golds, shifted, strict=True)]
    scores = ours.prepare(golds).score(range(len(golds)), predictions)
    left = theirs.vectoriser.transform(predictions)
    expected = np.asarray(left.multiply(theirs.vectoriser.transform(golds)).sum(axis=1)).ravel()
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)


def test_a_batch_gives_the_values_of_single_pairs() -> None:
    corpus = similarity.TfidfCorpus.fit(GOLDS)
    predictions = ["travel agency page", "", "shoes shoes shop", "bank password", GOLDS[4]]
    items = [0, 0, 1, 2, 4]
    scores = corpus.prepare(GOLDS).score(items, predictions)
    assert scores.dtype == np.float64
    expected = [corpus.cosine(p, GOLDS[i]) for i, p in zip(items, predictions, strict=True)]
    assert scores.tolist() == expected
    assert corpus.prepare(GOLDS).score([], []).shape == (0,)


@given(a=words, b=words)
def test_a_cosine_is_symmetric_and_in_range(a: str, b: str) -> None:
    corpus = similarity.TfidfCorpus.fit([*GOLDS, "aa bb ab éé"])
    assert 0.0 <= corpus.cosine(a, b) <= 1.0
    assert corpus.cosine(a, b) == pytest.approx(corpus.cosine(b, a), abs=1e-15)


@pytest.mark.parametrize("text", GOLDS)
def test_a_reference_scores_one_against_itself(text: str) -> None:
    assert similarity.TfidfCorpus.fit(GOLDS).cosine(text, text) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b"),
    [("", ""), ("", GOLDS[0]), (GOLDS[0], ""), ("zzz qqq", GOLDS[0]), ("zz", "zz"), ("a b", "a b")],
)
def test_a_text_without_a_known_word_scores_zero_and_not_nan(a: str, b: str) -> None:
    # BENCHMARKS 1.4 T7: zero vector -> similarity 0 (both empty -> 0, not NaN).
    assert similarity.TfidfCorpus.fit(GOLDS).cosine(a, b) == 0.0


def test_unknown_words_do_not_change_a_score() -> None:
    corpus = similarity.TfidfCorpus.fit(GOLDS)
    assert corpus.cosine("travel zzz", GOLDS[0]) == corpus.cosine("travel", GOLDS[0])


def test_digests_are_equal_only_for_equal_corpora() -> None:
    digest = similarity.TfidfCorpus.fit(GOLDS).digest
    assert digest == similarity.TfidfCorpus.fit(reversed(GOLDS)).digest
    assert digest != similarity.TfidfCorpus.fit([*GOLDS, ""]).digest
    assert digest != similarity.TfidfCorpus.fit(GOLDS[1:]).digest
    assert len(digest) == 64
    canonical = b'tfidf/1 {"documents":2,"words":{"news":1,"page":2,"shop":1}}'
    expected = hashlib.sha256(canonical).hexdigest()
    assert similarity.TfidfCorpus.fit(["shop page", "news page"]).digest == expected


@pytest.mark.parametrize(
    ("texts", "complaint"), [([], "0 texts have no words"), (["a", "!"], "2 texts have no words")]
)
def test_a_corpus_without_words_is_not_defined(texts: list[str], complaint: str) -> None:
    with pytest.raises(MetricError, match=complaint):
        similarity.TfidfCorpus.fit(texts)


@pytest.mark.parametrize(
    ("items", "predictions", "complaint"),
    [
        ([0], [], "0 predictions for 1 items"),
        ([5], ["x"], "items are numbered 0 to 4"),
        ([-1], ["x"], "items are numbered 0 to 4"),
    ],
)
def test_predictions_for_no_item_are_refused(
    items: list[int], predictions: list[str], complaint: str
) -> None:
    with pytest.raises(MetricError, match=complaint):
        similarity.TfidfCorpus.fit(GOLDS).prepare(GOLDS).score(items, predictions)


# Embeddings


class Table:
    """An embedder that looks its rows up and remembers what it was asked for."""

    name = "table"

    def __init__(self, rows: dict[str, list[float]]) -> None:
        self.rows = rows
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([self.rows[text] for text in texts], dtype=np.float32)


def plane() -> Table:
    return Table({"east": [1, 0], "north": [0, 1], "west": [-1, 0], "nowhere": [0, 0]})


@pytest.mark.parametrize(
    ("prediction", "reference", "cosine"),
    [
        ("east", "east", 1.0),
        ("east", "north", 0.0),
        ("east", "west", -1.0),
        ("nowhere", "east", 0.0),
        ("nowhere", "nowhere", 0.0),
    ],
)
def test_the_cosine_of_known_vectors(prediction: str, reference: str, cosine: float) -> None:
    assert similarity.embedding_cosine(prediction, reference, plane()) == cosine


def test_a_negative_cosine_is_kept_unless_clipping_is_asked_for() -> None:
    # BENCHMARKS 1.4 T3: report raw and clipped.
    assert similarity.embedding_cosine("east", "west", plane()) == -1.0
    assert similarity.embedding_cosine("east", "west", plane(), clip="zero") == 0.0


@pytest.mark.parametrize(("prediction", "reference"), [("", "east"), (" \n", "east"), ("east", "")])
def test_a_blank_text_scores_zero_and_is_never_embedded(prediction: str, reference: str) -> None:
    # BENCHMARKS 1.4 T3: empty prediction -> 0 (do not embed "").
    table = plane()
    assert similarity.embedding_cosine(prediction, reference, table) == 0.0
    assert table.asked == []


def test_a_batch_embeds_each_distinct_text_once() -> None:
    table = plane()
    cosines = similarity.embedding_cosines(
        ["east", "", "east", "north"], ["east", "east", "west", "east"], table
    )
    assert cosines.tolist() == [1.0, 0.0, -1.0, 0.0]
    assert table.asked == [["east", "west", "north"]]
    assert similarity.embedding_cosines([], [], table).shape == (0,)


def test_rows_that_are_not_quite_of_length_one_still_give_cosines() -> None:
    table = Table({"a": [2, 0], "b": [3, 4]})
    assert similarity.embedding_cosine("a", "b", table) == pytest.approx(0.6, abs=1e-12)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[float("nan"), 0], [1, 0]], "table returned a vector that is not finite"),
        ([1.0, 2.0], r"table gave \(2,\) for 2 texts"),
    ],
)
def test_an_embedder_that_breaks_its_contract_is_a_fault(
    rows: list[list[float]], complaint: str
) -> None:
    with pytest.raises(MetricError, match=complaint):
        similarity.embedding_cosine("a", "b", Table(dict(zip("ab", rows, strict=True))))


def test_predictions_without_references_are_refused() -> None:
    with pytest.raises(MetricError, match="1 predictions for 0 references"):
        similarity.embedding_cosines(["a"], [], plane())


# The character n-gram stand-in


def test_grams_are_counted_sublinearly_in_cells_of_crc32() -> None:
    row = similarity.CharNgramEmbedder(n=(2, 2), dimensions=97).embed(["Aa\tAA"])[0]
    counts = {" a": 2, "aa": 2, "a ": 2}  # of " aa aa "
    expected = np.zeros(97)
    for gram, count in counts.items():
        expected[zlib.crc32(gram.encode()) % 97] += 1 + math.log(count)
    np.testing.assert_allclose(row, expected / np.linalg.norm(expected), atol=1e-15)


@given(texts=st.lists(st.text(max_size=30), max_size=5))
def test_rows_have_length_one_or_zero_and_do_not_depend_on_the_batch(texts: list[str]) -> None:
    embedder: similarity.Embedder = similarity.CharNgramEmbedder()
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), 1024)
    for row, text in zip(rows, texts, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1.0 if text.strip() else 0.0, abs=1e-12)
        np.testing.assert_array_equal(row, embedder.embed([text])[0])


@given(a=st.text(min_size=1, max_size=30), b=st.text(min_size=1, max_size=30))
def test_character_cosines_are_symmetric_in_range_and_one_for_equal_texts(a: str, b: str) -> None:
    embedder = similarity.CharNgramEmbedder()
    cosine = similarity.embedding_cosine(a, b, embedder)
    assert 0.0 <= cosine <= 1.0
    assert cosine == pytest.approx(similarity.embedding_cosine(b, a, embedder), abs=1e-15)
    if a.strip():
        assert similarity.embedding_cosine(a, a, embedder) == pytest.approx(1.0, abs=1e-12)


def test_spelling_is_all_it_sees() -> None:
    embedder = similarity.CharNgramEmbedder()
    near = similarity.embedding_cosine("Enter your email address", "Enter email address", embedder)
    far = similarity.embedding_cosine("Enter your email address", "Search flights", embedder)
    assert near > 0.8 > 0.2 > far


def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from snellen.grading.metrics.similarity import CharNgramEmbedder\n"
        "rows = CharNgramEmbedder().embed(['Enter e-mail', 'ÉTÉ 新聞', ''])\n"
        "print(hashlib.sha256(rows.round(12).tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_its_name_tells_its_settings() -> None:
    assert similarity.CharNgramEmbedder().name == "char-ngram/1(n=2-4,d=1024)"
    assert similarity.CharNgramEmbedder((1, 3), 64).name == "char-ngram/1(n=1-3,d=64)"


@pytest.mark.parametrize(("n", "dimensions"), [((0, 2), 8), ((3, 2), 8), ((2, 4), 0)])
def test_settings_without_grams_or_cells_are_refused(n: tuple[int, int], dimensions: int) -> None:
    with pytest.raises(MetricError, match="n must be two ascending lengths"):
        similarity.CharNgramEmbedder(n, dimensions)
