"""What can be reached: by the references themselves, and by the raters against one another."""

from collections.abc import Callable, Sequence

import numpy as np

from snellen.grading.grade import Answers, Grader
from snellen.grading.models.base import Closed
from snellen.grading.protocols.base import Context, Gold, Protocol
from snellen.grading.protocols.golds import sized


class Ceiling(Closed):
    """The raters' own scores: the mean over items of the mean over raters, and how many items."""

    metrics: dict[str, float]
    items: int


def leave_one_rater_out(
    protocol: Protocol,
    raters: Sequence[Sequence[Gold]],
    contexts: Sequence[Context] = (),
) -> Ceiling:
    """Score each rater's answer with the other raters' answers as the references.

    Args:
        protocol: The rule.
        raters: For each item, each rater's answer in the shape of a response.
        contexts: What parsers may know of the items, or empty.

    Returns:
        The ceiling over the items that have at least two raters; no metrics where none has.
    """
    golds: list[Gold] = []
    answers: list[object] = []
    weights: list[float] = []
    kept: list[Context] = []
    items = 0
    for item, given in enumerate(raters):
        if len(given) < 2:
            continue
        items += 1
        for left_out, answer in enumerate(given):
            golds.append([other for rater, other in enumerate(given) if rater != left_out])
            answers.append(answer)
            weights.append(1 / len(given))
            if contexts:
                kept.append(contexts[item])
    if not items:
        return Ceiling(metrics={}, items=0)
    columns = Grader.of(protocol, golds, kept).batch(
        Answers(np.arange(len(golds)), [0] * len(golds), answers)
    )
    means = np.array(weights) @ columns.values / items
    return Ceiling(
        metrics=dict(zip(protocol.metric.keys, means.tolist(), strict=True)), items=items
    )


_NOISE = 1e-9
"""What a cosine of a text with itself may miss 1 by."""


class Attainable(Closed):
    """What a perfect agent scores: the references themselves, given as answers.

    Attributes:
        metrics: Each metric's mean over the items, every item by its best reference.
        below: The indices of the items that have a reference which, given as the answer, misses
            the protocol's best value of the primary metric by more than rounding.
        best: The best value that any reference reaches: 1, or 0.999999995 for rouge 1.0.1.
    """

    metrics: dict[str, float]
    below: tuple[int, ...]
    best: float


def attainable_maximum(
    protocol: Protocol,
    responses: Callable[[Gold], Sequence[object]],
    golds: Sequence[Gold],
    contexts: Sequence[Context] = (),
) -> Attainable:
    """Give every reference as the answer to its own item.

    Args:
        protocol: The rule.
        responses: Turns a gold into the responses that it makes right (`GoldShape.responses`),
            unless the protocol has its own way (`write`).
        golds: The references of every item.
        contexts: What parsers may know of the items, or empty.
    """
    items: list[int] = []
    given: list[object] = []
    write = protocol.write or responses
    for item, gold in enumerate(golds):
        for response in write(sized(gold, contexts[item]) if contexts else gold):
            items.append(item)
            given.append(response)
    rows = np.array(items, dtype=np.int64)
    columns = Grader.of(protocol, golds, contexts).batch(Answers(rows, [0] * len(items), given))
    reached = np.zeros((len(golds), columns.values.shape[1]))
    np.maximum.at(reached, rows, columns.values)
    primary = columns.values[:, protocol.metric.keys.index(protocol.metric.primary)]
    best = float(primary.max())
    return Attainable(
        metrics=dict(zip(protocol.metric.keys, reached.mean(axis=0).tolist(), strict=True)),
        below=tuple(sorted(set(rows[primary < best - _NOISE].tolist()))),
        best=best,
    )
