"""ROUGE-1, ROUGE-2 and ROUGE-L as Google's rouge-score 0.1.2 computes them.

ROUGE is due to Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries": ROUGE-N in
section 2, ROUGE-L in section 3. Tokens and empty texts follow rouge_score/tokenize.py,
rouge_scorer.py and scoring.py of the package; scores are equal bit for bit.

The stemmer is Porter's in NLTK's form, which rouge-score uses. Source: Porter 1980, "An algorithm
for suffix stripping", Program 14(3), 130-137; the steps have the paper's numbers. Three changes are
Porter's own, published on tartarus.org/martin/PorterStemmer: a word of one or two letters stays,
-bli becomes -ble, and -logi becomes -log. The other changes are those of NLTK's default mode,
NLTK_EXTENSIONS, and are named where they apply.
"""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import Final, NamedTuple

import numpy as np

from snellen.grading.errors import MetricError
from snellen.grading.metrics import ngrams
from snellen.grading.metrics.lcs import MOST_TOKENS, lcs_length, lcs_lengths

# Ends each text when many are joined; never part of a token.
_END: Final = "\0"
# ASCII letters and digits stay, the end mark stays, every other byte becomes a space.
_TABLE: Final = bytes(
    code if bytes((code,)).isalnum() or code == ord(_END) else ord(" ") for code in range(256)
)


class RougeScore(NamedTuple):
    """F values of one prediction, each from 0 to 1."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815  # the published name


class RougePart(NamedTuple):
    """Precision, recall and F of one kind of ROUGE."""

    precision: float
    recall: float
    f: float


class RougeDetails(NamedTuple):
    """Precision, recall and F of one prediction."""

    rouge1: RougePart
    rouge2: RougePart
    rougeL: RougePart  # noqa: N815  # the published name


class RougeColumns(NamedTuple):
    """F values of a batch of predictions, one float64 column for each kind."""

    rouge1: ngrams.Floats
    rouge2: ngrams.Floats
    rougeL: ngrams.Floats  # noqa: N815  # the published name


def rouge(prediction: str, reference: str, *, stemmer: bool = False) -> RougeScore:
    """Score a prediction against a reference as rouge-score does.

    The text is lower-cased, and every character except a-z and 0-9 separates tokens. So a text
    without Latin letters or digits has no tokens and scores 0. N-grams count by the smaller of the
    two counts. ROUGE-L is one longest common subsequence of the whole texts. F is the harmonic mean
    of precision and recall.

    Args:
        prediction: The predicted text.
        reference: The reference text.
        stemmer: Reduce tokens of more than three characters by Porter's algorithm in NLTK's form.

    Example:
        >>> rouge("the cat sat", "the cat")
        RougeScore(rouge1=0.8, rouge2=0.6666666666666666, rougeL=0.8)
    """
    details = rouge_details(prediction, reference, stemmer=stemmer)
    return RougeScore(details.rouge1.f, details.rouge2.f, details.rougeL.f)


def rouge_details(prediction: str, reference: str, *, stemmer: bool = False) -> RougeDetails:
    """Score as `rouge` does, with precision and recall.

    Example:
        >>> rouge_details("the cat sat", "the cat").rouge2
        RougePart(precision=0.5, recall=1.0, f=0.6666666666666666)
    """
    return _details(_tokens(prediction, stemmer=stemmer), _tokens(reference, stemmer=stemmer))


def rouge_best(prediction: str, references: Sequence[str], *, stemmer: bool = False) -> RougeScore:
    """Return the highest F over the references, separately for each of the three metrics.

    Raises:
        MetricError: If there is no reference.

    Example:
        >>> rouge_best("on the left", ["left", "it is on the left"])
        RougeScore(rouge1=0.7499999999999999, rouge2=0.6666666666666666, rougeL=0.7499999999999999)
    """
    if not references:
        raise MetricError("there is no reference for ROUGE")
    predicted = _tokens(prediction, stemmer=stemmer)
    details = [
        _details(predicted, _tokens(text, stemmer=stemmer)) for text in dict.fromkeys(references)
    ]
    return RougeScore(*(max(part.f for part in parts) for parts in zip(*details, strict=True)))


class RougeReferences:
    """The references of many items, prepared once to score batches of predictions.

    It is immutable, so threads can share it.

    Args:
        references: The reference texts of each item.
        stemmer: As in `rouge`.

    Raises:
        MetricError: If an item has no reference, or all have more than 1,112,063 distinct tokens.

    Example:
        >>> prepared = RougeReferences([["sign in"], ["Paris", "Paris, France"]])
        >>> prepared.score([0, 1], ["Sign-in", "in Paris, France"]).rougeL
        array([1. , 0.8])
    """

    __slots__ = ("_first", "_spelled", "_stemmer", "_texts", "_vocabulary")

    def __init__(self, references: Sequence[Sequence[str]], *, stemmer: bool = False) -> None:
        texts, self._first = ngrams.group(references)
        tokens = _flat_tokens(texts, stemmer=stemmer)
        # Frequent tokens get small numbers, which RapidFuzz looks up in a table.
        ranked = [token for token, _ in Counter(tokens).most_common() if token != _END]
        if len(ranked) > MOST_TOKENS:
            raise MetricError(
                f"the references have {len(ranked)} distinct tokens and ROUGE takes {MOST_TOKENS}:"
                " prepare them in parts"
            )
        self._vocabulary = {token: number for number, token in enumerate(ranked, 1)}
        self._vocabulary[_END] = -1
        self._stemmer = stemmer
        self._texts = _numbered(tokens, self._vocabulary)
        self._spelled = self._texts.spelled()

    def __len__(self) -> int:
        return len(self._first) - 1

    def score(
        self, item_index: Sequence[int] | ngrams.Ints, predictions: Sequence[str]
    ) -> RougeColumns:
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
        for part in ngrams.chunks(items, predictions, self._first, self._texts.starts):
            scores[:, part] = self._score(items[part], predictions[part])
        return RougeColumns(*scores)

    def _score(self, items: ngrams.Ints, predictions: Sequence[str]) -> ngrams.Floats:
        """Score one chunk: an array of (3, predictions)."""
        texts = _numbered(_flat_tokens(predictions, stemmer=self._stemmer), self._vocabulary)
        pairs = ngrams.pair(items, self._first)
        lengths = lcs_lengths(texts.spelled(), pairs.ours, self._spelled, pairs.theirs)
        ours, theirs = texts.pick(pairs.ours), self._texts.pick(pairs.theirs)
        singles, doubles = ngrams.count_ngrams(ours, theirs, len(self._vocabulary))
        sizes = ours.sizes(), theirs.sizes()
        scores = np.stack(
            (
                _f(singles.clipped(), *sizes),
                _f(doubles.clipped(), sizes[0] - 1, sizes[1] - 1),
                _f(lengths, *sizes),
            )
        )
        return np.maximum.reduceat(scores, pairs.starts, axis=1)


def _numbered(tokens: list[str], vocabulary: dict[str, int]) -> ngrams.Texts:
    """Number the tokens of texts, each of which ends with `_END`.

    A token that no reference has is number 0: it counts, but does not match.
    """
    numbers = np.fromiter(map(vocabulary.get, tokens, repeat(0)), np.int64, len(tokens))
    ends = np.flatnonzero(numbers < 0)
    return ngrams.Texts(np.delete(numbers, ends), np.append(0, ends - np.arange(len(ends))))


def _f(common: ngrams.Ints, predicted: ngrams.Ints, expected: ngrams.Ints) -> ngrams.Floats:
    precision = common / np.maximum(predicted, 1)
    recall = common / np.maximum(expected, 1)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)


def _details(predicted: list[str], expected: list[str]) -> RougeDetails:
    sizes = len(predicted), len(expected)
    pairs = list(pairwise(predicted)), list(pairwise(expected))
    return RougeDetails(
        _part(_clipped(predicted, expected), *sizes),
        _part(_clipped(*pairs), *map(len, pairs)),
        _part(lcs_length(predicted, expected), *sizes),
    )


def _part(common: int, predicted: int, expected: int) -> RougePart:
    if not common:
        return RougePart(0.0, 0.0, 0.0)
    precision = common / predicted
    recall = common / expected
    return RougePart(precision, recall, 2 * precision * recall / (precision + recall))


def _clipped(predicted: Sequence[Hashable], expected: Sequence[Hashable]) -> int:
    """Count the shared elements, by the smaller of the two counts."""
    ours, theirs = set(predicted), set(expected)
    shared = ours & theirs
    if len(ours) == len(predicted) or len(theirs) == len(expected):
        return len(shared)
    left, right = Counter(predicted), Counter(expected)
    return sum(min(left[gram], right[gram]) for gram in shared)


def _tokens(text: str, *, stemmer: bool) -> list[str]:
    return _flat_tokens([text], stemmer=stemmer)[:-1]


def _flat_tokens(texts: Sequence[str], *, stemmer: bool) -> list[str]:
    """List the tokens of all texts, with `_END` after each text."""
    mark = f" {_END} "
    joined = mark.join(texts)
    if joined.count(_END) >= len(texts):
        joined = mark.join([text.replace(_END, " ") for text in texts])
    # Lower-casing comes first: it turns some letters, such as the Kelvin sign, into ASCII.
    letters = joined.lower().encode("ascii", "replace").translate(_TABLE).decode("ascii")
    tokens = letters.split()
    if texts:
        tokens.append(_END)
    return list(map(_stem, tokens)) if stemmer else tokens


@lru_cache(maxsize=1 << 17)
def _stem(token: str) -> str:
    return stem(token) if len(token) > 3 else token


# A y after a consonant is a vowel, and any other y is a consonant. So a run of either kind may
# begin with a y, but does not go on with one. The quantifiers are possessive, because a y given
# back by one run would match in the other.
_START: Final = "y?+[^aeiouy]*+"
_VC: Final = "[aeiouy][aeiou]*+[^aeiou]"
_HAS_VOWEL: Final = re.compile(f"{_START}[aeiouy]").match
# The paper's m counts the runs of vowels that have consonants after them.
_M_ABOVE: Final = (
    re.compile(f"{_START}{_VC}").match,
    re.compile(f"{_START}{_VC}[^aeiouy]*+{_VC}").match,
)
# The paper's *o where m is 1: consonants, one vowel, one consonant other than w, x and y. NLTK adds
# one vowel with any consonant.
_SHORT: Final = re.compile(f"(?=[^aeiou]){_START}[aeiouy][^aeiouwxy]|[aeiou][^aeiou]").fullmatch

# NLTK adds these.
_IRREGULAR: Final = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    **{"dying": "die", "lying": "lie", "tying": "tie"},
    **dict.fromkeys(("inning", "innings"), "inning"),
    **dict.fromkeys(("outing", "outings"), "outing"),
    **dict.fromkeys(("canning", "cannings"), "canning"),
    **{word: word for word in ("exceed", "howe", "news", "proceed", "succeed")},
}

# By the last two letters of a suffix: the suffix, how many letters go, what takes their place.
_Rules = Mapping[str, list[tuple[str, int, str]]]


def _rules(lines: str) -> _Rules:
    """Read rules such as "ational>ate", those of a longer suffix before those of a shorter one.

    In "l+ogi>og" the l must be there, but is a part of the stem.
    """
    table: dict[str, list[tuple[str, int, str]]] = {}
    for rule in sorted(lines.split(), key=len, reverse=True):
        left, end = rule.split(">")
        suffix = left.replace("+", "")
        table.setdefault(suffix[-2:], []).append((suffix, len(left.rpartition("+")[2]), end))
    return table


# NLTK applies this rule before the others of step 2, so that one of them can follow it.
_STEP_2_FIRST: Final = _rules("alli>al")
# NLTK adds -fulli, and lets the l of -logi count as a part of the stem.
_STEP_2: Final = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble entli>ent eli>e ousli>ous"
    " ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al"
    " iviti>ive biliti>ble fulli>ful l+ogi>og"
)
_STEP_3: Final = _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4: Final = _rules(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> s+ion> t+ion> ou> ism> ate> iti>"
    " ous> ive> ize>"
)
_STEP_5B: Final = _rules("l+l>")


def stem(word: str) -> str:
    """Reduce an English word to its stem, which need not be a word.

    Args:
        word: The word in lower case. Every character except a, e, i, o, u and y is a consonant.

    Example:
        >>> [stem(word) for word in ("nationally", "hopping", "flies", "dies")]
        ['nation', 'hop', 'fli', 'die']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1b(_step_1a(word))
    # Step 1c. The paper asks for a vowel in the stem; NLTK for a consonant at the end of the stem,
    # and another letter.
    if word[-1:] == "y" and len(word) > 2 and _ends_in_consonant(word[:-1]):
        word = word[:-1] + "i"
    word = _apply(_STEP_2_FIRST, word, 0)
    word = _apply(_STEP_2, word, 0)
    word = _apply(_STEP_3, word, 0)
    word = _apply(_STEP_4, word, 1)
    # Step 5a.
    without = len(word) - 1
    if word[-1:] == "e" and _M_ABOVE[0](word, 0, without) and not _SHORT(word, 0, without):
        word = word[:-1]
    return _apply(_STEP_5B, word, 1)


def _step_1a(word: str) -> str:
    """Take the ending of a plural off."""
    if word[-1] != "s" or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        # NLTK parts ties, which gives tie, from flies.
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _step_1b(word: str) -> str:
    """Take -ed or -ing off, and repair the stem."""
    if word.endswith("ied"):
        # NLTK adds this rule, which does to tied and cried what step 1a does to ties and cries.
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _M_ABOVE[0](word, 0, len(word) - 3) else word
    cut = 2 if word.endswith("ed") else 3
    if not word.endswith(("ed", "ing")) or not _HAS_VOWEL(word, 0, len(word) - cut):
        return word
    word = word[:-cut]
    if word.endswith(("at", "bl", "iz")) or _SHORT(word):
        return word + "e"
    if word[-1] == word[-2:-1] and word[-1] not in "lsz" and _ends_in_consonant(word):
        return word[:-1]
    return word


def _apply(rules: _Rules, word: str, least: int) -> str:
    """Apply the rule of the longest suffix, if m of what stands before it is above a number."""
    for suffix, cut, end in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            return word[:-cut] + end if _M_ABOVE[least](word, 0, len(word) - cut) else word
    return word


def _ends_in_consonant(word: str) -> bool:
    """Whether the last letter is a consonant; in a run of y, every second one is."""
    before = word.rstrip("y")
    after_vowel = not before or before[-1] in "aeiou"
    return after_vowel == ((len(word) - len(before)) % 2 == 1)
