"""ROUGE-1, ROUGE-2 and ROUGE-L as the `rouge` package 1.0.1 on PyPI computes them.

This is the ROUGE that VisualWebBench reports (utils/eval_utils.py). It is not Google's rouge-score
(see `snellen.grading.metrics.rouge`): case counts, only "." separates sentences, n-grams are sets,
and ROUGE-L joins the common subsequences of all pairs of sentences into one set of words. Rules and
formulas are those of rouge/rouge.py and rouge/rouge_score.py, release 1.0.1.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, repeat
from operator import not_
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import MetricError
from snellen.grading.metrics import ngrams
from snellen.grading.metrics.lcs import MOST_TOKENS, lcs_length, lcs_lengths, trace
from snellen.grading.metrics.rouge import RougeScore

# Added to P + R in the denominator of F, so that a perfect match scores 0.999999995.
_EPSILON: Final = 1e-8

Side = Literal["prediction", "reference"]
# The words of each sentence of a text.
Sentences = list[list[str]]


class EmptyRougeTextError(MetricError):
    """A text has no sentence: it is empty or holds only dots.

    The package raises a ValueError here, which the published graders catch or crash on. A text of
    white space is not empty: it is one sentence of one empty word.
    """

    def __init__(self, side: Side) -> None:
        self.side: Side = side
        super().__init__(f"the {side} has no sentence for ROUGE: it is empty or only dots")


class Rouge101Columns(NamedTuple):
    """Scores of a batch: three float64 columns, and a boolean one.

    If `crashed` is True, the package raises on the prediction or on one of its references, and the
    scores are NaN.
    """

    rouge1: ngrams.Floats
    rouge2: ngrams.Floats
    rougeL: ngrams.Floats  # noqa: N815  # the published name
    crashed: NDArray[np.bool_]


class Rouge101References:
    """The references of many items, prepared once to score batches of predictions.

    It is immutable, so threads can share it.

    Args:
        references: The reference texts of each item.

    Raises:
        MetricError: If an item has no reference, or all have more than 1,112,063 distinct words.

    Example:
        >>> prepared = Rouge101References([["Sign in"], ["Paris", "Paris, France"]])
        >>> prepared.score([0, 1, 1], ["Sign in", "Lyon", "..."]).rouge1.round(3)
        array([ 1.,  0., nan])
    """

    __slots__ = ("_crash", "_first", "_sentences", "_single", "_spelled", "_texts", "_vocabulary")

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        texts, self._first = ngrams.group(references)
        self._sentences = [_sentences(text) for text in texts]
        words = _flat(self._sentences)
        # Frequent words get small numbers, which RapidFuzz looks up in a table.
        ranked = [word for word, _ in Counter(words).most_common()]
        if len(ranked) > MOST_TOKENS:
            raise MetricError(
                f"the references have {len(ranked)} distinct words and ROUGE takes {MOST_TOKENS}:"
                " prepare them in parts"
            )
        self._vocabulary = {word: number for number, word in enumerate(ranked, 1)}
        numbers = np.fromiter(map(self._vocabulary.__getitem__, words), np.int64, len(words))
        self._texts = ngrams.Texts(numbers, _starts(self._sentences))
        self._spelled = self._texts.spelled()
        empty = np.fromiter(map(not_, self._sentences), bool, len(self._sentences))
        self._single = _one_sentence(self._sentences)
        self._crash = np.logical_or.reduceat(empty, self._first[:-1]) if len(self) else empty

    def __len__(self) -> int:
        return len(self._first) - 1

    def score(
        self, item_index: Sequence[int] | ngrams.Ints, predictions: Sequence[str]
    ) -> Rouge101Columns:
        """Score each prediction against the references of its item.

        Each of the three is the maximum over the references, taken separately.

        Args:
            item_index: For each prediction, the index of its item, from 0.
            predictions: The predicted texts.

        Raises:
            ValueError: If the two lengths differ.
            IndexError: If there is no such item.
        """
        items = ngrams.checked(item_index, predictions, len(self))
        scores = np.zeros((3, len(predictions)))
        crashed = np.zeros(len(predictions), dtype=bool)
        for part in ngrams.chunks(items, predictions, self._first, self._texts.starts):
            sentences = [_sentences(text) for text in predictions[part]]
            empty = np.fromiter(map(not_, sentences), bool, len(sentences))
            crashed[part] = empty | self._crash[items[part]]
            scores[:, part] = self._score(items[part], sentences)
        scores[:, crashed] = np.nan
        return Rouge101Columns(scores[0], scores[1], scores[2], crashed)

    def _score(self, items: ngrams.Ints, sentences: Sequence[Sentences]) -> ngrams.Floats:
        """Score one chunk: an array of (3, predictions); crashed ones hold arbitrary numbers."""
        texts, tokens = self._numbered(sentences)
        pairs = ngrams.pair(items, self._first)
        singles, doubles = ngrams.count_ngrams(
            texts.pick(pairs.ours), self._texts.pick(pairs.theirs), tokens
        )
        sizes = singles.lines(singles.predicted > 0), singles.lines(singles.expected > 0)
        both = (singles.predicted > 0) & (singles.expected > 0)
        shared = singles.lines(both)
        repeated = np.minimum(
            singles.lines(both & (singles.predicted > 1)),
            singles.lines(both & (singles.expected > 1)),
        )
        scores = np.stack(
            (
                _column(shared, *sizes),
                _column(
                    doubles.lines((doubles.predicted > 0) & (doubles.expected > 0)),
                    doubles.lines(doubles.predicted > 0),
                    doubles.lines(doubles.expected > 0),
                ),
                _column(self._subsequence_words(texts, sentences, pairs, shared, repeated), *sizes),
            )
        )
        return np.maximum.reduceat(scores, pairs.starts, axis=1)

    def _numbered(self, sentences: Sequence[Sentences]) -> tuple[ngrams.Texts, int]:
        """Number the words of predictions, with new numbers for new words; also return the last."""
        words = _flat(sentences)
        numbers = np.fromiter(map(self._vocabulary.get, words, repeat(0)), np.int64, len(words))
        indexes = np.flatnonzero(numbers == 0)
        strange = [words[index] for index in indexes.tolist()]
        tokens = len(self._vocabulary)
        new = {word: number for number, word in enumerate(dict.fromkeys(strange), tokens + 1)}
        numbers[indexes] = np.fromiter(map(new.__getitem__, strange), np.int64, len(strange))
        return ngrams.Texts(numbers, _starts(sentences)), tokens + len(new)

    def _subsequence_words(
        self,
        texts: ngrams.Texts,
        sentences: Sequence[Sentences],
        pairs: ngrams.Pairs,
        shared: ngrams.Ints,
        repeated: ngrams.Ints,
    ) -> ngrams.Ints:
        """Count the words of the joined subsequences of each pair, as the function of that name.

        Args:
            texts: The predictions as numbers.
            sentences: The predictions as words.
            pairs: The pairs to compare.
            shared: The number of distinct words that each pair shares.
            repeated: The number of shared words that a side repeats; the smaller of both sides.
        """
        single = _one_sentence(sentences)[pairs.ours] & self._single[pairs.theirs]
        # A single shared word is in some subsequence. If both texts are single sentences and one
        # repeats no shared word, a subsequence has as many distinct words as its length.
        counts = shared.copy()
        plain = np.flatnonzero((shared > 1) & single & (repeated == 0))
        known = np.where(texts.numbers > len(self._vocabulary), 0, texts.numbers)
        counts[plain] = lcs_lengths(
            texts._replace(numbers=known).spelled(),
            pairs.ours[plain],
            self._spelled,
            pairs.theirs[plain],
        )
        rest = np.flatnonzero((shared > 1) & ~(single & (repeated == 0)))
        ours: list[int] = pairs.ours[rest].tolist()
        theirs: list[int] = pairs.theirs[rest].tolist()
        for number, our, their in zip(rest.tolist(), ours, theirs, strict=True):
            counts[number] = _subsequence_words(sentences[our], self._sentences[their])
        return counts


def rouge101(prediction: str, reference: str) -> RougeScore:
    """Score a prediction against a reference as `rouge` 1.0.1 does.

    A text is split on ".", and empty pieces are dropped. White space separates the words of a
    piece; a piece of white space is one empty word. ROUGE-1 and ROUGE-2 compare the sets of words
    and of word pairs of the whole text. ROUGE-L takes a longest common subsequence of every pair of
    a reference sentence and a predicted one, and compares the set of all their words with the sets
    of words. With P and R the shares of common words, F = 2 P R / (P + R + 1e-8), so a perfect
    match scores 0.999999995.

    The package uses recursion and raises RecursionError on sentences of about a thousand words;
    this function does not. See `recursion_depth`.

    Raises:
        EmptyRougeTextError: If a text is empty or holds only dots.

    Example:
        >>> rouge101("a. b. c", "c. b. a")
        RougeScore(rouge1=0.999999995, rouge2=0.0, rougeL=0.999999995)
    """
    predicted, expected = _checked_sentences(prediction, reference)
    ours, theirs = _flat([predicted]), _flat([expected])
    our_words, their_words = set(ours), set(theirs)
    our_pairs, their_pairs = _word_pairs(ours), _word_pairs(theirs)
    sizes = len(our_words), len(their_words)
    return RougeScore(
        _f(len(our_words & their_words), *sizes),
        _f(len(our_pairs & their_pairs), len(our_pairs), len(their_pairs)),
        _f(_subsequence_words(predicted, expected), *sizes),
    )


def recursion_depth(prediction: str, reference: str) -> int:
    """Count the nested calls that `rouge` 1.0.1 needs for its deepest subsequence.

    The package raises RecursionError if this exceeds the frames that the interpreter has left. That
    number is not a property of the texts, so this returns a count instead of a boolean. With
    CPython's default limit of 1000, a call of `Rouge().get_scores` from a module's top level has
    993 frames left, and each function in between takes one.

    Raises:
        EmptyRougeTextError: If a text is empty or holds only dots.

    Example:
        >>> recursion_depth("yes " * 980, "yes " * 980)
        981
    """
    predicted, expected = _checked_sentences(prediction, reference)
    return max(_depth(theirs, ours) for theirs in expected for ours in predicted)


def _sentences(text: str) -> Sentences:
    """Split a text into the words of its sentences; none if it holds only dots."""
    return [piece.split() or [""] for piece in text.split(".") if piece]


def _checked_sentences(prediction: str, reference: str) -> tuple[Sentences, Sentences]:
    predicted, expected = _sentences(prediction), _sentences(reference)
    if not predicted:
        raise EmptyRougeTextError("prediction")
    if not expected:
        raise EmptyRougeTextError("reference")
    return predicted, expected


def _flat(texts: Iterable[Sentences]) -> list[str]:
    return list(chain.from_iterable(chain.from_iterable(texts)))


def _word_pairs(words: list[str]) -> set[tuple[str, str]]:
    return set(zip(words, islice(words, 1, None), strict=False))


def _starts(texts: Sequence[Sentences]) -> ngrams.Ints:
    """Return the index of each text's first word among the words of all texts."""
    sizes = (sum(map(len, sentences)) for sentences in texts)
    return ngrams.offsets(np.fromiter(sizes, np.int64, len(texts)))


def _one_sentence(texts: Sequence[Sentences]) -> NDArray[np.bool_]:
    return np.fromiter(map(len, texts), np.int64, len(texts)) == 1


def _column(shared: ngrams.Ints, predicted: ngrams.Ints, expected: ngrams.Ints) -> ngrams.Floats:
    precision = shared / np.maximum(predicted, 1)
    recall = shared / np.maximum(expected, 1)
    return 2.0 * ((precision * recall) / (precision + recall + _EPSILON))


def _f(shared: int, predicted: int, expected: int) -> float:
    if not shared:
        return 0.0
    precision = shared / predicted
    recall = shared / expected
    return 2.0 * ((precision * recall) / (precision + recall + _EPSILON))


def _subsequence_words(predicted: Sentences, expected: Sentences) -> int:
    """Count the words of the longest common subsequences of all pairs of sentences, joined.

    A pair that cannot add a word is skipped; the result is the same.
    """
    if len(predicted) == len(expected) == 1:
        return _single_subsequence_words(predicted[0], expected[0])
    found: set[str] = set()
    sides = [(words, frozenset(words)) for words in predicted]
    everything = set(chain.from_iterable(predicted))
    for theirs in expected:
        common = everything.intersection(theirs)
        missing = common - found
        for ours, our_words in sides:
            if not missing:
                break
            if not missing.isdisjoint(our_words):
                picked = _picked(theirs, ours, common & our_words)
                found |= picked
                missing -= picked
    return len(found)


def _single_subsequence_words(ours: list[str], theirs: list[str]) -> int:
    common = set(theirs).intersection(ours)
    columns = [word for word in ours if word in common]
    rows = [word for word in theirs if word in common]
    if len(columns) == len(common) or len(rows) == len(common):
        return lcs_length(columns, rows)
    return len(set(trace(rows=theirs, columns=columns, common=common).tokens))


def _picked(theirs: list[str], ours: list[str], common: AbstractSet[str]) -> AbstractSet[str]:
    """Return the words of the subsequence of two sentences that the package's walk picks.

    If the common words form the same sequence on both sides, that sequence is the only longest one
    and no walk is needed.
    """
    if len(common) < 2:
        return common
    columns = [word for word in ours if word in common]
    if columns == [word for word in theirs if word in common]:
        return common
    return set(trace(theirs, columns, common).tokens)


def _depth(theirs: list[str], ours: list[str]) -> int:
    """Count the cells of the table that the package's walk visits, both ends included.

    Above and left of the subsequence's first token the table holds only zeros. There the walk goes
    left, unless it is in row 0.
    """
    common = set(theirs) & set(ours)
    rows = [index for index, word in enumerate(theirs) if word in common]
    columns = [index for index, word in enumerate(ours) if word in common]
    tokens, row, column = trace(theirs, [ours[index] for index in columns], common)
    last_row = rows[row - 1] if tokens else len(theirs)
    last_column = 0 if last_row else columns[column - 1]
    return 1 + len(theirs) - last_row + len(ours) - last_column - len(tokens)
