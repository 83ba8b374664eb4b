"""Exact match and token F1 of short answers, one at a time and in batches.

Source of both numbers: SQuAD v1.1, evaluate-v1.1.py, and screen_qa code/metrics.py
(sqa_s_metrics), which adds the literal `<no answer>`.

All functions share one preparation. The references of an item become an `_Item`. A text becomes its
key, for exact match, and its words, for F1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from snellen.grading import normalize as forms
from snellen.grading.errors import MetricError
from snellen.grading.normalize import Normalizer

NO_ANSWER = "<no answer>"

_Key: TypeAlias = list[str] | str


class SquadScore(NamedTuple):
    """Exact match and F1 of one prediction, 0 to 1."""

    exact_match: float
    f1: float


class SquadScores(NamedTuple):
    """Exact match and F1 of many predictions: two float64 arrays of one length, 0 to 1."""

    exact_match: NDArray[np.float64]
    f1: NDArray[np.float64]


_RIGHT = SquadScore(1.0, 1.0)
_WRONG = SquadScore(0.0, 0.0)
_EQUAL_BUT_EMPTY = SquadScore(1.0, 0.0)


def exact_match(
    prediction: str, references: Sequence[str], normalize: Normalizer = forms.squad
) -> float:
    """Return 1 if the normalized prediction equals a normalized reference, else 0.

    Raises:
        MetricError: There is no reference.

    >>> exact_match("the cat", ["A dog", "Cat!"])
    1.0
    """
    return squad(prediction, references, normalize).exact_match


def token_f1(
    prediction: str, references: Sequence[str], normalize: Normalizer = forms.squad
) -> float:
    """Return the F1 of whitespace tokens as multisets, the best over the references.

    F1 is twice the number of shared tokens over the tokens of both. No shared token scores 0, also
    if both normalized texts are empty ("the" against "a": exact match 1, F1 0).

    Raises:
        MetricError: There is no reference.

    >>> token_f1("Yes, it is", ["Yes"])
    0.5
    """
    return squad(prediction, references, normalize).f1


def squad(
    prediction: str, references: Sequence[str], normalize: Normalizer = forms.squad
) -> SquadScore:
    """Return exact match and token F1 of one prediction, each the best over the references.

    Raises:
        MetricError: There is no reference.

    >>> squad("4.3 stars", ["4.3"])
    SquadScore(exact_match=0.0, f1=0.6666666666666666)
    """
    return SquadReferences.prepare([references], normalize=normalize).score_one(0, prediction)


def screenqa_short(
    prediction: str, references: Sequence[str], normalize: Normalizer = forms.squad
) -> SquadScore:
    """Score a ScreenQA short answer; the literal `<no answer>` means that there is none.

    A prediction that is exactly `<no answer>` scores (1, 1) if a reference is, else (0, 0). Any
    other prediction, `<No answer>` included, is scored against the other references, and (0, 0)
    if there are none. Source: screen_qa code/metrics.py (sqa_s_metrics).

    Raises:
        MetricError: There is no reference at all.

    >>> screenqa_short("<no answer>", ["REST", "<no answer>"])
    SquadScore(exact_match=1.0, f1=1.0)
    """
    prepared = SquadReferences.prepare([references], normalize=normalize, screenqa=True)
    return prepared.score_one(0, prediction)


class _Bag(NamedTuple):
    """The words of one reference."""

    size: int
    distinct: frozenset[str]
    counts: Mapping[str, int] | None
    """How often each occurs; None where none occurs twice."""


class _Item(NamedTuple):
    """The references of one item, prepared for comparison."""

    keys: tuple[_Key, ...]
    bags: tuple[_Bag, ...]
    no_answer: SquadScore | None
    """What a literal `<no answer>` scores; None where it is an answer like any other."""


class _WordForm(NamedTuple):
    """A normalizer that yields words separated by single spaces, so the words determine the key."""

    words: Callable[[str], list[str]]
    lines: Callable[[Sequence[str]], list[str]]


_WORD_FORMS: Mapping[Normalizer, _WordForm] = {
    forms.squad: _WordForm(forms.squad_words, forms.squad_lines),
    forms.squad_or_raw: _WordForm(forms.squad_or_raw_words, forms.squad_or_raw_lines),
}


@dataclass(frozen=True, slots=True)
class SquadReferences:
    """The references of a whole data set, normalized and counted once.

    It is immutable: threads can share it, processes can pickle it.

    >>> references = SquadReferences.prepare([["Wall Sit", "wall sit"], ["12", "12 exercises"]])
    >>> references.score([1, 0, 1], ["12 exercises", "sit", "ten"]).f1.round(3).tolist()
    [1.0, 0.667, 0.0]
    >>> references.score_one(0, "a wall sit")
    SquadScore(exact_match=1.0, f1=1.0)
    """

    normalize: Normalizer
    _items: tuple[_Item, ...]
    _form: _WordForm | None
    _known: Mapping[str, list[str]]
    """The words of every reference, by its raw text, where words are the key."""

    @classmethod
    def prepare(
        cls,
        references: Iterable[Sequence[str]],
        *,
        normalize: Normalizer = forms.squad,
        screenqa: bool = False,
    ) -> "SquadReferences":
        """Normalize and count the references of every item.

        Args:
            references: The references of item 0, of item 1, and so on.
            normalize: The form in which texts are compared.
            screenqa: Score the literal `<no answer>` as `screenqa_short` does.

        Raises:
            MetricError: An item has no reference.
        """
        form = _WORD_FORMS.get(normalize)
        # Data sets repeat answers ("yes", "12"), so each distinct answer is prepared once.
        prepared: dict[str, tuple[_Key, _Bag]] = {}
        items: list[_Item] = []
        for index, texts in enumerate(references):
            if not texts:
                raise MetricError(f"item {index} has no reference to compare an answer with")
            answers = [text for text in texts if not (screenqa and text == NO_ANSWER)]
            for text in answers:
                if text not in prepared:
                    prepared[text] = _prepare(text, normalize, form)
            no_answer = _RIGHT if len(answers) < len(texts) else _WRONG
            keys, bags = _distinct(prepared[text] for text in answers)
            items.append(_Item(keys, bags, no_answer if screenqa else None))
        known = {text: key for text, (key, _) in prepared.items() if isinstance(key, list)}
        return cls(normalize, tuple(items), form, known)

    def __len__(self) -> int:
        return len(self._items)

    def score_one(self, item: int, prediction: str) -> SquadScore:
        """Score one prediction against the references of one item, counted from 0.

        Raises:
            MetricError: There is no such item.
        """
        if not 0 <= item < len(self._items):
            raise self._no_such_item(item)
        keys, bags, no_answer = self._items[item]
        if no_answer is not None and prediction == NO_ANSWER:
            return no_answer
        key: _Key
        if self._form is None:
            key = self.normalize(prediction)
            words = key.split()
        else:
            known = self._known.get(prediction)
            key = words = self._form.words(prediction) if known is None else known
        if key in keys:
            return _RIGHT if words else _EQUAL_BUT_EMPTY
        f1 = _best_f1(bags, words)
        return SquadScore(0.0, f1) if f1 else _WRONG

    def score(
        self, item: Sequence[int] | NDArray[np.integer[Any]], predictions: Sequence[str]
    ) -> SquadScores:
        """Score many predictions, each against the references of its item.

        The values are those of `score_one`, bit for bit.

        Args:
            item: For each prediction, the index of its item, from 0.
            predictions: The predictions.

        Raises:
            MetricError: The lengths differ, or there is no such item.
        """
        indices = self._indices(item, len(predictions))
        if self._form is None:
            scores = [self.score_one(*pair) for pair in zip(indices, predictions, strict=True)]
            both = np.array(scores, np.float64).reshape(-1, 2)
            return SquadScores(both[:, 0].copy(), both[:, 1].copy())
        known = [self._known.get(prediction) for prediction in predictions]
        new = [text for text, words in zip(predictions, known, strict=True) if words is None]
        lines = iter(self._form.lines(new))
        exact: list[float] = []
        f1: list[float] = []
        for index, prediction, words in zip(indices, predictions, known, strict=True):
            if words is None:
                words = next(lines).split()
            keys, bags, no_answer = self._items[index]
            if no_answer is not None and prediction == NO_ANSWER:
                exact.append(no_answer.exact_match)
                f1.append(no_answer.f1)
            elif words in keys:
                exact.append(1.0)
                f1.append(1.0 if words else 0.0)
            else:
                exact.append(0.0)
                f1.append(_best_f1(bags, words))
        return SquadScores(np.array(exact, np.float64), np.array(f1, np.float64))

    def _indices(
        self, item: Sequence[int] | NDArray[np.integer[Any]], predictions: int
    ) -> list[int]:
        """Check the index of every prediction's item."""
        indices = np.asarray(item)
        if indices.shape != (predictions,):
            raise MetricError(
                f"{predictions} predictions need as many item indices in one dimension, "
                f"not an array of shape {indices.shape}"
            )
        if not predictions:
            return []
        if indices.dtype.kind not in "iu":
            raise MetricError(f"item indices must be integers, not {indices.dtype}")
        low, high = int(indices.min()), int(indices.max())
        if low < 0 or high >= len(self._items):
            raise self._no_such_item(low if low < 0 else high)
        return indices.tolist()

    def _no_such_item(self, item: int) -> MetricError:
        return MetricError(f"no item {item}: there are {len(self._items)}, counted from 0")


def _prepare(text: str, normalize: Normalizer, form: _WordForm | None) -> tuple[_Key, _Bag]:
    """Return a reference's key and its word counts."""
    key = normalize(text) if form is None else form.words(text)
    words = key.split() if isinstance(key, str) else key
    distinct = frozenset(words)
    counts = None if len(distinct) == len(words) else dict(Counter(words))
    return key, _Bag(len(words), distinct, counts)


def _distinct(
    prepared: Iterable[tuple[_Key, _Bag]],
) -> tuple[tuple[_Key, ...], tuple[_Bag, ...]]:
    """Keep one of the references that normalize to the same text."""
    keys: list[_Key] = []
    bags: list[_Bag] = []
    for key, bag in prepared:
        if key not in keys:
            keys.append(key)
            bags.append(bag)
    return tuple(keys), tuple(bags)


def _best_f1(bags: Iterable[_Bag], words: Sequence[str]) -> float:
    """Return the highest multiset F1 of the words over the bags."""
    best = 0.0
    for size, distinct, counts in bags:
        # If no word of the bag repeats, each shared word counts once: a set intersection.
        shared = len(distinct.intersection(words)) if counts is None else _overlap(words, counts)
        if shared:
            f1 = 2.0 * shared / (len(words) + size)
            if f1 > best:
                best = f1
    return best


def _overlap(words: Iterable[str], counts: Mapping[str, int]) -> int:
    """Count the words shared with the multiset `counts`."""
    left = dict(counts)
    shared = 0
    for word in words:
        if left.get(word, 0):
            left[word] -= 1
            shared += 1
    return shared
