"""Cosines of texts: TF-IDF on a frozen corpus, and sentence embeddings of any kind.

WebRSSBench (appendix C.4) scores layout robustness by TF-IDF cosine, form filling, hint text and
text robustness by the cosine of sentence embeddings. It publishes neither the TF-IDF corpus nor the
embedding model. So both are arguments here, and each has a name or digest to report.
"""

import hashlib
import json
import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError

Clip = Literal["raw", "zero"]
"""What becomes of a negative cosine: kept (`raw`, the published reading) or 0 (`zero`)."""

_words = re.compile(r"(?u)\b\w\w+\b").findall


# TF-IDF


@dataclass(frozen=True, slots=True, eq=False)
class TfidfCorpus:
    """Word weights learned once from the union of the reference texts.

    Predictions are not used, because adding a model must not change the scores of another. The rule
    is scikit-learn's TfidfVectorizer with its default settings: lower-cased words of two or more
    characters, raw counts, idf = ln((1 + n) / (1 + df)) + 1, rows of length 1. Words that are not
    in the corpus are ignored.

    >>> corpus = TfidfCorpus.fit(["search the shop", "read the news"])
    >>> round(corpus.cosine("search the news", "search the shop"), 4)
    0.601
    """

    documents: int  # the number of texts in the corpus
    document_frequency: Mapping[str, int]  # for each word, the number of texts that contain it
    idf: Mapping[str, float]  # the weight of each word

    @classmethod
    def fit(cls, texts: Iterable[str]) -> "TfidfCorpus":
        """Count the words of the texts.

        Raises:
            MetricError: There is no text, or no text has a word of two characters.
        """
        documents = 0
        frequency: Counter[str] = Counter()
        for text in texts:
            documents += 1
            frequency.update(set(_words(text.lower())))
        if not frequency:
            raise MetricError(f"{documents} texts have no words to learn TF-IDF weights from")
        words = sorted(frequency)
        return cls(
            documents,
            {word: frequency[word] for word in words},
            {word: math.log((1 + documents) / (1 + frequency[word])) + 1 for word in words},
        )

    @property
    def digest(self) -> str:
        """The SHA-256 of the corpus, for reports: equal digests mean equal scores.

        The input is the words with their document frequencies. They determine every weight and,
        unlike logarithms, are the same on every machine.
        """
        content = {"documents": self.documents, "words": self.document_frequency}
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(b"tfidf/1 " + canonical.encode()).hexdigest()

    def weigh(self, text: str) -> dict[str, float]:
        """Return each corpus word's count times its idf, not scaled to length 1."""
        idf = self.idf
        weights: dict[str, float] = {}
        for word in _words(text.lower()):
            if word in idf:
                weights[word] = weights.get(word, 0.0) + idf[word]
        return weights

    def cosine(self, a: str, b: str) -> float:
        """Return the cosine of two texts, in 0..1; 0 if either has no word of the corpus."""
        return _dot(self.weigh(a), self._direction(b))

    def prepare(self, references: Sequence[str]) -> "TfidfReferences":
        """Weigh the references once, to score many predictions against them."""
        return TfidfReferences(self, tuple(map(self._direction, references)))

    def _direction(self, text: str) -> dict[str, float]:
        weights = self.weigh(text)
        length = math.hypot(*weights.values())
        return {word: weight / length for word, weight in weights.items()}


@dataclass(frozen=True, slots=True, eq=False)
class TfidfReferences:
    """References weighted by a corpus, ready to score predictions.

    Attributes:
        corpus: The corpus.
        directions: The weights of each reference's words, as a vector of length 1 or 0.
    """

    corpus: TfidfCorpus
    directions: tuple[Mapping[str, float], ...]

    def score(self, item_index: Sequence[int], predictions: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each prediction with its item's reference.

        Args:
            item_index: For each prediction, the index of its reference, from 0.
            predictions: The predicted texts.

        Returns:
            Shape (n,), in 0..1; 0 if either text has no word of the corpus.

        Raises:
            MetricError: The lengths differ, or there is no such reference.
        """
        if len(item_index) != len(predictions):
            raise MetricError(f"{len(predictions)} predictions for {len(item_index)} items")
        if len(item_index) and not 0 <= min(item_index) <= max(item_index) < len(self.directions):
            raise MetricError(f"items are numbered 0 to {len(self.directions) - 1}")
        weigh, directions = self.corpus.weigh, self.directions
        scores = [
            _dot(weigh(text), directions[item])
            for item, text in zip(item_index, predictions, strict=True)
        ]
        return np.array(scores, dtype=np.float64)


def _dot(weights: Mapping[str, float], direction: Mapping[str, float]) -> float:
    product = 0.0
    for word, weight in weights.items():
        if word in direction:
            product += weight * direction[word]
    # The rounded quotient can exceed 1 in its last digit.
    return min(1.0, product / math.hypot(*weights.values())) if product else 0.0


# Embeddings


class Embedder(Protocol):
    """Turns texts into vectors that can be compared by angle."""

    @property
    def name(self) -> str:
        """The name in reports: the model and its version."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return one row per text, shape (n, d), each of length 1, or 0 for a text without content.

        Equal texts give equal rows, independent of the rest of the batch.
        """
        ...


def embedding_cosine(
    prediction: str, reference: str, embedder: Embedder, *, clip: Clip = "raw"
) -> float:
    """Return the cosine of two texts' embeddings; 0 if either is blank.

    In -1..1, or in 0..1 with `clip="zero"`. WebRSSBench has no rule for negative values, and its
    formula is the raw cosine. So clipping is off by default; report it if you use it.

    Raises:
        MetricError: The embedder violates its contract.
    """
    return float(embedding_cosines([prediction], [reference], embedder, clip=clip)[0])


def embedding_cosines(
    predictions: Sequence[str],
    references: Sequence[str],
    embedder: Embedder,
    *,
    clip: Clip = "raw",
) -> NDArray[np.float64]:
    """Return `embedding_cosine` for pairs of texts, embedding each distinct text once.

    A blank text is not embedded, because models often place "" close to short answers.

    Args:
        predictions: The texts to score.
        references: The references, one per prediction.
        embedder: The model that embeds texts.
        clip: The treatment of negative values.

    Returns:
        Shape (n,).

    Raises:
        MetricError: The lengths differ, or the embedder violates its contract.
    """
    if len(predictions) != len(references):
        raise MetricError(f"{len(predictions)} predictions for {len(references)} references")
    cosines = np.zeros(len(predictions))
    pairs = [
        (index, prediction, reference)
        for index, (prediction, reference) in enumerate(zip(predictions, references, strict=True))
        if prediction.strip() and reference.strip()
    ]
    if not pairs:
        return cosines
    texts = list(dict.fromkeys(text for _, *both in pairs for text in both))
    row = {text: number for number, text in enumerate(texts)}
    rows = _unit_rows(embedder, texts)
    left = rows[[row[prediction] for _, prediction, _ in pairs]]
    right = rows[[row[reference] for _, _, reference in pairs]]
    lowest = 0.0 if clip == "zero" else -1.0
    products = np.clip(np.einsum("ij,ij->i", left, right), lowest, 1.0)
    cosines[[index for index, _, _ in pairs]] = products
    return cosines


def _unit_rows(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float64]:
    rows = np.asarray(embedder.embed(texts), dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise MetricError(f"{embedder.name} gave {rows.shape} for {len(texts)} texts, not (n, d)")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise MetricError(f"{embedder.name} returned a vector that is not finite")
    # Models use single precision, so their rows have length 1 only to seven digits.
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


@dataclass(frozen=True, slots=True)
class CharNgramEmbedder:
    """Hashed counts of character n-grams: an offline stand-in, not a semantic model.

    It compares spelling only: "e-mail" is close to "email address" and far from "inbox". With it,
    everything runs without a model and gives the same result everywhere. Its scores are not
    comparable with those of a sentence model, and carry its name.

    Texts are NFKC-normalized and lower-cased, white space is collapsed, and a space is added at
    both ends. A gram that occurs c times adds 1 + ln c to the cell given by the CRC-32 of its UTF-8
    bytes. Rows have length 1. Cosines are 0 or more.

    Raises:
        MetricError: The lengths or the number of cells are less than 1, or the lengths descend.

    >>> round(embedding_cosine("Enter e-mail", "enter  E-MAIL", CharNgramEmbedder()), 12)
    1.0
    """

    n: tuple[int, int] = (2, 4)  # the lengths of the shortest and the longest gram
    dimensions: int = 1024  # the number of cells

    def __post_init__(self) -> None:
        if not (1 <= self.n[0] <= self.n[1] and self.dimensions >= 1):
            raise MetricError(
                "n must be two ascending lengths from 1 and dimensions at least 1,"
                f" not {self.n} and {self.dimensions}"
            )

    @property
    def name(self) -> str:
        """`char-ngram/1` and its settings."""
        return f"char-ngram/1(n={self.n[0]}-{self.n[1]},d={self.dimensions})"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return one row per text, shape (n, dimensions); blank texts give zero rows."""
        rows = np.zeros((len(texts), self.dimensions))
        for row, text in zip(rows, texts, strict=True):
            for gram, count in self._grams(text).items():
                cell = zlib.crc32(gram.encode("utf-8", "surrogatepass")) % self.dimensions
                row[cell] += 1.0 + math.log(count)
            length = math.sqrt(row @ row)
            if length:
                row /= length
        return rows

    def _grams(self, text: str) -> Counter[str]:
        words = unicodedata.normalize("NFKC", text).lower().split()
        if not words:
            return Counter()
        line = f" {' '.join(words)} "
        shortest, longest = self.n
        return Counter(
            line[start : start + size]
            for size in range(shortest, longest + 1)
            for start in range(len(line) - size + 1)
        )
