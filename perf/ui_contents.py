"""UI contents with boxes against the published algorithm."""

import random
from collections.abc import Sequence

import numpy as np
from _timing import options, race, show
from scipy.optimize import linear_sum_assignment

from snellen.grading.metrics.ui_contents import BoxedText, UiBoxesRule, elements, score_elements

Elements = list[BoxedText]
WORDS = ["OK", "Cancel", "Save", "7:30 AM", "Settings", "Off", "100%", "Next", "Sign in", "2"]


def main() -> None:
    """Check that the values agree, then time."""
    given = options(__doc__ or "")
    predictions, references = make(500 if given.quick else 8000, random.Random(11))
    rule = UiBoxesRule()
    gold = [[elements(rater, None) for rater in raters] for raters in references]

    def published() -> list[tuple[float, float, float]]:
        return [_published(*pair) for pair in zip(predictions, references, strict=True)]

    def ours() -> list[tuple[float, float, float]]:
        return [
            score_elements(prediction, raters, rule)
            for prediction, raters in zip(predictions, gold, strict=True)
        ]

    np.testing.assert_allclose(ours(), published(), rtol=0, atol=1e-12)
    boxes = [len(prediction) for prediction in predictions if prediction]
    print(
        f"{len(predictions)} items, {np.mean(boxes):.2f} boxes a prediction; values agree to 1e-12"
    )
    rounds = given.rounds or (3 if given.quick else 7)
    show([race("one by one", ours, published, rounds=rounds, target=3.5)])


def make(items: int, rng: random.Random) -> tuple[list[Elements], list[list[Elements]]]:
    """Screens with rows of elements; up to three raters; a prediction that is often right."""
    predictions: list[Elements] = []
    references: list[list[Elements]] = []
    for _ in range(items):
        truth = [_element(rng) for _ in range(min(1 + int(rng.expovariate(0.46)), 15))]
        raters = [_retold(truth, rng, 0.1) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.08:
            raters[-1] = []
        references.append(raters)
        predictions.append([] if rng.random() < 0.08 else _retold(truth, rng, 0.3))
    return predictions, references


def _element(rng: random.Random) -> BoxedText:
    left, top = rng.randrange(0, 900), 80 * rng.randrange(0, 24)
    return (left, top, left + rng.randrange(60, 500), top + 70), rng.choice(WORDS)


def _retold(truth: Elements, rng: random.Random, noise: float) -> Elements:
    told: Elements = []
    for (left, top, right, bottom), text in truth:
        if rng.random() < noise / 3:
            continue
        move = [rng.gauss(0, 60 * noise) for _ in range(4)]
        box = (left + move[0], top + move[1], right + move[2], bottom + move[3])
        told.append((box, text if rng.random() > noise / 2 else rng.choice(WORDS)))
        if rng.random() < noise / 5:
            told.append(_element(rng))
    return told


def _published(prediction: Elements, raters: list[Elements]) -> tuple[float, float, float]:
    """The published algorithm in the plainest form: every pair, a solver for every rater."""
    if not prediction:
        return (1, 1, 1) if any(not rater for rater in raters) else (0, 0, 0)
    raters = [rater for rater in raters if rater]
    if not raters:
        return 0, 0, 0
    return (
        max(_f1(prediction, rater, check_text=False) for rater in raters),
        max(_exact(prediction, rater) for rater in raters),
        max(_f1(prediction, rater, check_text=True) for rater in raters),
    )


def _f1(prediction: Elements, rater: Elements, *, check_text: bool) -> float:
    matrix = np.zeros((len(prediction), len(rater)))
    for i, (box, text) in enumerate(prediction):
        for j, (box2, text2) in enumerate(rater):
            value = _iou(box, box2) if text == text2 or not check_text else 0
            matrix[i, j] = value if value >= 0.1 else 0
    rows, columns = linear_sum_assignment(-matrix)
    matches = int((matrix[rows, columns] >= 0.1).sum())
    if not matches:
        return 0
    precision, recall = matches / len(prediction), matches / len(rater)
    return 2 * precision * recall / (precision + recall)


def _exact(prediction: Elements, rater: Elements) -> bool:
    return len(prediction) == len(rater) and all(
        text == text2 and _iou(box, box2) >= 0.1
        for (box, text), (box2, text2) in zip(prediction, rater, strict=True)
    )


def _iou(a: Sequence[float], b: Sequence[float]) -> float:
    overlap = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    if overlap == 0:
        return 0
    area, area2 = (a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])
    return overlap / (area + area2 - overlap)


if __name__ == "__main__":
    main()
