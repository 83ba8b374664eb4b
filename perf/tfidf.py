"""TF-IDF cosines of short texts: a frozen corpus against scikit-learn fitted on every pair.

Fitting a vectoriser on the two texts at hand is the straightforward script, and gives each pair
weights of its own. The values are therefore checked against a vectoriser fitted once on the
corpus, and the time is raced against both.
"""

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import options, race, show
from numpy.typing import NDArray

from snellen.grading.metrics.similarity import TfidfCorpus

# scikit-learn ships no types; as Any it does not spread unknown ones.
_vectoriser: Any = importlib.import_module("sklearn.feature_extraction.text").TfidfVectorizer
_TEXT = """
the page lets users search and compare products sign in read news about travel book flights
watch videos manage their account a landing for an online shop with recent offers contact
support documentation of software company home banking weather forecast recipes community
"""
_WORDS = _TEXT.split()
_TARGET = 200.0


def main() -> None:
    """Check that the values agree, then print the table."""
    quick = options(__doc__ or "").quick
    draw = random.Random(0)
    references = [_sentence(draw) for _ in range(200 if quick else 2000)]
    items = [draw.randrange(len(references)) for _ in range(500 if quick else 5000)]
    predictions = [_sentence(draw) for _ in items]

    corpus = TfidfCorpus.fit(references)
    prepared = corpus.prepare(references)
    frozen = _vectoriser().fit(references)
    expected = _rowwise(frozen.transform, predictions, [references[item] for item in items])
    worst = float(np.abs(prepared.score(items, predictions) - expected).max())
    if worst > 1e-12:
        raise SystemExit(f"values differ from scikit-learn's by {worst}")
    print(f"{len(items)} pairs agree with scikit-learn on the same corpus within {worst:.1e}")

    few = len(items) // 50
    pairs = [(predictions[i], references[items[i]]) for i in range(few)]
    rounds = 3 if quick else 7

    def ours() -> object:
        return prepared.score(items, predictions)

    rows = [
        race(
            "one pair at a time, fitted on the pair",
            ours,
            lambda: [_fitted_on(*pair) for pair in pairs],
            rounds=rounds,
            target=_TARGET,
            scale=len(items) / few,
        ),
        race(
            "one pair at a time, fitted once",
            ours,
            lambda: [_rowwise(frozen.transform, [one], [other]) for one, other in pairs],
            rounds=rounds,
            scale=len(items) / few,
        ),
        race(
            "all pairs in one matrix, fitted once",
            ours,
            lambda: _rowwise(frozen.transform, predictions, [references[item] for item in items]),
            rounds=rounds,
        ),
    ]
    show(rows)
    print(f"ours: {rows[0].ours / len(items) * 1e6:.2f} us a pair")


def _sentence(draw: random.Random) -> str:
    return " ".join(draw.choices(_WORDS, k=draw.randint(4, 14))).capitalize() + "."


def _fitted_on(one: str, other: str) -> float:
    matrix = _vectoriser().fit_transform([one, other])
    return float((matrix[0] @ matrix[1].T).toarray()[0, 0])


def _rowwise(
    transform: Callable[[list[str]], Any], ones: list[str], others: list[str]
) -> NDArray[np.float64]:
    left, right = transform(ones), transform(others)
    return np.asarray(left.multiply(right).sum(axis=1)).ravel()


if __name__ == "__main__":
    main()
