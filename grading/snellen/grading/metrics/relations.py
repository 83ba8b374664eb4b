"""Accuracy over the pairs of a page."""

from collections.abc import Mapping
from dataclasses import dataclass

from snellen.grading.errors import MetricError


@dataclass(frozen=True, slots=True)
class RelationScore:
    """The correct pairs of a page."""

    accuracy: float  # the share of correct pairs, 0 to 1
    exact_page: float  # 1.0 if every pair is correct, else 0.0
    pairs_right: int  # the number of correct pairs
    pairs: int  # the number of pairs in the reference


def pair_accuracy(
    prediction: Mapping[tuple[str, str], str], reference: Mapping[tuple[str, str], str]
) -> RelationScore:
    """Compare the relation of every pair of the reference with the predicted one.

    A pair that the prediction lacks is wrong; one that the reference lacks is ignored. Both sides
    must use the same order of names and the same vocabulary of relations: see `canonical` and
    `undirected` in `snellen.grading.parse.relations`.

    Raises:
        MetricError: The reference has no pairs.

    Source: WebRSSBench appendix C.4: the mean over predictions of [prediction = reference].

    >>> pair_accuracy({("a", "b"): "left"}, {("a", "b"): "left", ("a", "c"): "top"})
    RelationScore(accuracy=0.5, exact_page=0.0, pairs_right=1, pairs=2)
    """
    if not reference:
        raise MetricError("pair accuracy is not defined for a reference without pairs")
    right = sum(prediction.get(pair) == relation for pair, relation in reference.items())
    return RelationScore(
        accuracy=right / len(reference),
        exact_page=float(right == len(reference)),
        pairs_right=right,
        pairs=len(reference),
    )
