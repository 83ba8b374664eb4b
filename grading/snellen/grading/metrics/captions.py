"""Caption metrics: BLEU through sacrebleu, and CIDEr-D."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from snellen.grading.errors import MetricError, MissingExtraError

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

Ngram = tuple[str, ...]
Variant = Literal["paper", "code"]
"""Whose arithmetic CIDEr-D follows; see `cider_d`."""

_ORDERS = (1, 2, 3, 4)
_SIGMA = 6.0
_words = re.compile(r"\w+(?:['\u2019-]\w+)*").findall


# BLEU


@dataclass(frozen=True, slots=True)
class Bleu:
    """A BLEU value and its signature.

    Attributes:
        value: In 0..1; sacrebleu prints 100 times this value.
        signature: sacrebleu's signature, such as
            `nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|...`.
    """

    value: float
    signature: str


def bleu(prediction: str, references: Sequence[str]) -> Bleu:
    """Return the sentence BLEU of one prediction: 13a tokens, exponential smoothing.

    It uses the effective order (`eff:yes`), so that a caption of fewer than four words can reach 1.
    Source: sacrebleu's sentence_bleu; Papineni et al. 2002.

    Raises:
        MetricError: There are no references.
        MissingExtraError: sacrebleu is not installed.
    """
    if not references:
        raise MetricError("BLEU needs at least one reference")
    metric = _metric(effective_order=True)
    return _bleu(metric, metric.sentence_score(prediction, list(references)).score)


def corpus_bleu(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Bleu:
    """Return the corpus BLEU: counts are summed over items before the division.

    Args:
        predictions: One text per item.
        references: The references of each item, one or more; the numbers may differ.

    Raises:
        MetricError: There are no items, the lengths differ, or an item has no reference.
        MissingExtraError: sacrebleu is not installed.
    """
    _check(predictions, references, least=1)
    most = max(map(len, references))
    # sacrebleu expects one stream per reference, with None where an item has fewer.
    streams = [
        [own[number] if number < len(own) else None for own in references] for number in range(most)
    ]
    metric = _metric(effective_order=False)
    score = metric.corpus_score(list(predictions), streams).score  # pyright: ignore[reportArgumentType]  # None is documented, not annotated
    return _bleu(metric, score)


def _metric(*, effective_order: bool) -> "BLEU":
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError as error:
        raise MissingExtraError("BLEU", "captions") from error
    return BLEU(effective_order=effective_order)


def _bleu(metric: "BLEU", score: float) -> Bleu:
    # sacrebleu returns 100.00000000000004 for a perfect match.
    return Bleu(min(1.0, score / 100.0), str(metric.get_signature()))


# CIDEr-D


@dataclass(frozen=True, slots=True)
class CiderD:
    """CIDEr-D of a corpus."""

    items: tuple[float, ...]  # each item's value in 0..1: a tenth of the published value
    variant: Variant  # the source of the arithmetic: the paper or the released code

    @property
    def value(self) -> float:
        """The mean over items, in 0..1."""
        return math.fsum(self.items) / len(self.items)

    @property
    def published(self) -> float:
        """The mean on the papers' scale, 0..10."""
        return 10.0 * self.value


def cider_d(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    variant: Variant = "paper",
) -> CiderD:
    """Score captions by their consensus with the references, over a whole corpus.

    For n = 1..4, texts become vectors of n-gram frequency times ln(items / items whose references
    have the n-gram). An item scores the mean over n and references of exp(-(l_c - l_r)^2 / (2 *
    6^2)) * min(g_c, g_r) . g_r / (|g_c| |g_r|), where l is a length in words: the CIDEr-D equation
    of Vedantam et al. 2015. An n-gram that occurs in the references of every item has weight 0. One
    that occurs in no reference is weighted as if one item had it.

    The released code (tylin/coco-caption, cider_scorer.py) differs from the paper; both variants
    are available. The paper's frequency is an n-gram's share of its text's n-grams, the code's is
    its count. They differ if the lengths differ, because the minimum is taken before the division.
    The code measures lengths in bigrams, so a text of one word has length 0.

    Words are lower-cased runs of letters and digits, joined by inner apostrophes and hyphens. The
    evaluation server's Stanford tokenizer is not reproduced, so compare values only within this
    project. Scores depend on the corpus: an item's value changes with the other items' references.

    Args:
        predictions: One text per item.
        references: The references of each item, one or more.
        variant: `paper`, or `code` for the released arithmetic.

    Raises:
        MetricError: Fewer than two items (every weight would be ln(1) = 0), the lengths differ,
            or an item has no reference.

    >>> cider_d(["a red car", "two dogs"], [["a red car"], ["a cat"]]).items
    (0.75, 0.0)
    """
    _check(predictions, references, least=2)
    cooked = [[_Counts.of(text) for text in own] for own in references]
    documents: Counter[Ngram] = Counter()
    for own in cooked:
        documents.update({ngram for counts in own for order in counts.orders for ngram in order})
    weigh = _Weights(len(predictions), documents, variant)
    items: list[float] = []
    for prediction, own in zip(predictions, cooked, strict=True):
        candidate = weigh(_Counts.of(prediction))
        total = math.fsum(candidate.likeness(weigh(counts)) for counts in own)
        items.append(min(1.0, total / len(own)))
    return CiderD(tuple(items), variant)


@dataclass(frozen=True, slots=True)
class _Counts:
    """The n-gram counts of a text, one table per order."""

    words: int
    orders: tuple[Counter[Ngram], ...]

    @classmethod
    def of(cls, text: str) -> "_Counts":
        words = _words(text.lower())
        return cls(len(words), tuple(Counter(zip(*_shifted(words, n))) for n in _ORDERS))  # noqa: B905  # the shifted lists differ in length on purpose


@dataclass(frozen=True, slots=True)
class _Weighted:
    """The weighted vectors of a text, one per order, with their lengths."""

    length: int
    vectors: tuple[dict[Ngram, float], ...]
    norms: tuple[float, ...]

    def likeness(self, reference: "_Weighted") -> float:
        """The clipped cosine, averaged over the orders, times the length penalty."""
        penalty = math.exp(-((self.length - reference.length) ** 2) / (2 * _SIGMA**2))
        total = 0.0
        for order in range(len(_ORDERS)):
            norms = self.norms[order] * reference.norms[order]
            if norms:
                theirs = reference.vectors[order]
                product = sum(
                    min(weight, theirs[ngram]) * theirs[ngram]
                    for ngram, weight in self.vectors[order].items()
                    if ngram in theirs
                )
                total += product / norms
        return penalty * total / len(_ORDERS)


@dataclass(frozen=True, slots=True)
class _Weights:
    """Turns counts into weights, from the references of all items."""

    items: int
    documents: Counter[Ngram]
    variant: Variant

    def __call__(self, counts: _Counts) -> _Weighted:
        vectors = tuple(map(self._vector, counts.orders))
        norms = tuple(math.hypot(*vector.values()) for vector in vectors)
        length = counts.words if self.variant == "paper" else counts.orders[1].total()
        return _Weighted(length, vectors, norms)

    def _vector(self, order: Counter[Ngram]) -> dict[Ngram, float]:
        whole = order.total() if self.variant == "paper" else 1
        return {
            ngram: count / whole * math.log(self.items / max(1, self.documents[ngram]))
            for ngram, count in order.items()
        }


def _shifted(words: list[str], n: int) -> list[list[str]]:
    return [words[start:] for start in range(n)]


def _check(predictions: Sequence[str], references: Sequence[Sequence[str]], *, least: int) -> None:
    if len(predictions) != len(references):
        raise MetricError(f"{len(predictions)} predictions for {len(references)} items")
    if len(predictions) < least:
        raise MetricError(f"not defined on {len(predictions)} items; it needs {least} or more")
    for index, own in enumerate(references):
        if not own:
            raise MetricError(f"item {index} has no reference")
