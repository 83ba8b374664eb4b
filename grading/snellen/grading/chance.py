"""Chance: what blind guessing scores, so that a score can be read as a lift over it.

A task declares how one would guess at it without looking (its `Guess`); what that scores depends
on the protocol and the items, so `chance_of` works it out for the items at hand.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.guesses import (
    Constant,
    Guess,
    Idle,
    NoGuess,
    NullAgents,
    OneOf,
    OneOfItsOptions,
    OptionOrNothing,
    RandomBox,
    RandomPoint,
)
from snellen.grading.metrics.boxes import Ltrb
from snellen.grading.models.estimates import Chance
from snellen.grading.protocols.base import NO_CONTEXT, Context, FloatArray, Gold, Protocol
from snellen.grading.protocols.golds import Target, unit_target

if TYPE_CHECKING:
    from snellen.grading.stats.stratified import Strata


def chance_of(
    guess: Guess,
    protocol: Protocol,
    golds: Sequence[Gold],
    contexts: Sequence[Context] = (),
    *,
    grader: Grader | None = None,
) -> Chance | None:
    """Work out what a guess scores on the items at hand, in the protocol's primary metric.

    Args:
        guess: How one guesses at the task.
        protocol: The rule.
        golds: The references of every item.
        contexts: What parsers may know of the items, or empty.
        grader: The protocol prepared for these golds, where somebody has done so already.

    Returns:
        The expected mean over the items; None where it can't be known: `OneOfItsOptions` where
        an item's context does not count its options, `RandomPoint` and `RandomBox` where a
        target is in pixels and neither its gold nor its context says how large the image is,
        `NullAgents` where a reference names no page that was played.

    Raises:
        MetricError: There are no items.

    >>> from snellen.grading.protocols.table import protocol_of
    >>> chance_of(OneOf(8), protocol_of("visualwebbench/action_ground"), [0, 7])
    Chance(value=0.125, guess='one of 8 options at random')
    """
    if not golds:
        raise MetricError("no items: chance is not defined")
    if isinstance(guess, NullAgents):
        return _played(guess, grader or Grader.of(protocol, golds, contexts), golds)
    if isinstance(guess, Idle):
        return _idle(grader or Grader.of(protocol, golds, contexts), golds)
    if isinstance(guess, Constant | OptionOrNothing):
        ready = grader or Grader.of(protocol, golds, contexts)
        value = (
            _constant(guess.response, ready, len(golds))
            if isinstance(guess, Constant)
            else _option(ready, contexts) / len(golds)
        )
    else:
        value = _value(guess, golds, contexts)
    return None if value is None else Chance(value=value, guess=_words(guess, contexts))


def population_chance(
    guess: Guess,
    protocol: Protocol,
    golds: Sequence[Gold],
    contexts: Sequence[Context],
    strata: "Strata",
) -> Chance | None:
    """Work out what a guess scores on all items that a stratified sample was drawn from.

    Each stratum of the sample counts with its share of all items, as in `population_estimate`.

    Args:
        guess: As for `chance_of`.
        protocol: The rule.
        golds: The references of the sampled items.
        contexts: What parsers may know of them, or empty.
        strata: How they were drawn.

    Returns:
        The estimated mean over all items; None where `chance_of` has none for a stratum.

    Raises:
        MetricError: A stratum has no item in the sample.
    """
    value = 0.0
    for code, share in enumerate((strata.items / strata.items.sum()).tolist()):
        rows = np.flatnonzero(strata.codes == code).tolist()
        found = chance_of(
            guess,
            protocol,
            [golds[row] for row in rows],
            [contexts[row] for row in rows] if contexts else (),
        )
        if found is None:
            return None
        value += share * found.value
    return Chance(value=value, guess=_words(guess, contexts))


def _words(guess: Guess, contexts: Sequence[Context]) -> str:
    if isinstance(guess, OneOf) and _own_counts(guess, contexts):
        return OneOfItsOptions().words
    return guess.words


def _own_counts(guess: OneOf, contexts: Sequence[Context]) -> Sequence[int | None]:
    """Return how many options each item has; nothing where all have as many as is published."""
    counts = [context.options for context in contexts]
    return counts if any(count not in (None, guess.options) for count in counts) else ()


def _value(
    guess: OneOf | OneOfItsOptions | RandomPoint | RandomBox | NoGuess,
    golds: Sequence[Gold],
    contexts: Sequence[Context],
) -> float | None:
    match guess:
        case OneOf(options) if own := _own_counts(guess, contexts):
            return float(np.mean([1 / (count or options) for count in own]))
        case OneOf(options):
            return 1 / options
        case OneOfItsOptions():
            counts = [context.options for context in contexts]
            known = [count for count in counts if count]
            return float(np.mean([1 / n for n in known])) if len(known) == len(golds) else None
        case RandomPoint():
            targets = _targets(golds, contexts)
            if targets is None:
                return None
            return float((targets[:, 2:] - targets[:, :2]).prod(axis=1).mean())
        case RandomBox(iou):
            targets = _targets(golds, contexts)
            return None if targets is None else float(_box_share(targets, iou).mean())
        case NoGuess():
            return 0.0


def _constant(response: object, grader: Grader, count: int) -> float:
    metric = grader.protocol.metric
    values = grader.batch(Answers(np.arange(count), [0] * count, [response] * count)).values
    return float(values[:, metric.keys.index(metric.primary)].mean())


def _played(guess: NullAgents, grader: Grader, golds: Sequence[Gold]) -> Chance | None:
    values: dict[str, float] = {}
    for agent, pages in guess.episodes().items():
        if any(gold.page not in pages for gold in golds):
            return None
        left = [pages[gold.page] for gold in golds]
        items = np.repeat(np.arange(len(golds)), [len(episodes) for episodes in left])
        responses = [response for episodes in left for response in episodes]
        metric = grader.protocol.metric
        given = Answers(items, [0] * len(items), responses)
        column = grader.batch(given).values[:, metric.keys.index(metric.primary)]
        # Each item counts once, however many episodes were played on its page.
        means = np.bincount(items, column) / np.bincount(items)
        values[agent] = float(means.mean())
    return _best(values)


def _idle(grader: Grader, golds: Sequence[Gold]) -> Chance:
    left: dict[str, object] = {"changes": {}, "cost": 1}
    values = {"doing nothing": _constant({**left, "status": "done"}, grader, len(golds))}
    for reason in sorted({gold.reason for gold in golds if gold.reason}):
        said = {**left, "status": "infeasible", "reason": reason}
        values[f"always {reason}"] = _constant(said, grader, len(golds))
    return _best(values)


def _best(values: Mapping[str, float]) -> Chance:
    """Return what the best of several agents scores, and in words what the others do."""
    best = max(values, key=values.__getitem__)
    others = [f"{agent} {value:.1%}" for agent, value in values.items() if agent != best]
    return Chance(value=values[best], guess=f"{best}; {', '.join(others)}" if others else best)


def _option(grader: Grader, contexts: Sequence[Context]) -> float:
    """Return what random letters score, summed over the items that have options."""
    items: list[int] = []
    letters: list[object] = []
    for item, context in enumerate(contexts):
        items += [item] * (context.options or 0)
        letters += [chr(ord("A") + index) for index in range(context.options or 0)]
    if not items:
        return 0.0
    metric = grader.protocol.metric
    given = Answers(np.array(items, dtype=np.int64), [0] * len(items), letters)
    values = grader.batch(given).values[:, metric.keys.index(metric.primary)]
    counts = np.array([contexts[item].options or 1 for item in items])
    return float((values / counts).sum())


def _targets(golds: Sequence[Target], contexts: Sequence[Context]) -> FloatArray | None:
    """Return items x (left, top, right, bottom) in 0..1, cut at the image's edges."""
    boxes: list[Ltrb] = []
    for item, gold in enumerate(golds):
        box = unit_target(gold, contexts[item] if contexts else NO_CONTEXT)
        if box is None:
            return None
        boxes.append(box)
    return np.clip(np.array(boxes, dtype=np.float64), 0.0, 1.0)


_DRAWS = 2048
_ROOT = 1.1673039782614187


def _box_share(targets: FloatArray, least: float) -> FloatArray:
    """The probability that a random box's IoU with each target reaches `least`.

    A box is two corners, so along each axis a pair (low, high) with density 2. IoU >= t bounds
    the sides: along an axis of length s from a to b, low lies in a - s(1-t)/t .. a + s(1-t) and
    high likewise; these four ranges, cut at the image, are sampled on a fixed lattice (additive
    recurrence by powers of the inverse of the root of x^5 = x + 1: Roberts 2018, the R sequence),
    so that the number is the same every time. Its error is about 1 % of it.

    For t = 1/2 the pairs with a one-dimensional IoU of at least t have the probability 9 s^2 / 4
    (areas s^2/8 inside, s^2/2 around, s^2/4 to either side, times the density 2), and IoU in two
    dimensions is at most IoU in one, hence the bound 81/16 (width x height)^2.
    """
    draws = (0.5 + np.arange(1, _DRAWS + 1)[:, None] * _ROOT ** -np.arange(1.0, 5.0)) % 1.0
    shares = np.zeros(len(targets))
    for item, (left, top, right, bottom) in enumerate(targets.tolist()):
        across = _sides(left, right, least, draws[:, :2])
        down = _sides(top, bottom, least, draws[:, 2:])
        common = across.common * down.common
        union = across.length * down.length + (right - left) * (bottom - top) - common
        hits = (common > 0) & (common >= least * union)
        shares[item] = across.probability * down.probability * hits.mean()
    return shares


class _Sides(NamedTuple):
    """Random boxes along one axis: their lengths and what they share with the target's side.

    `probability` is that of the ranges drawn from; a pair the wrong way round shares nothing.
    """

    length: FloatArray
    common: FloatArray
    probability: float


def _sides(low: float, high: float, least: float, draws: FloatArray) -> _Sides:
    out, into = (high - low) * (1 - least) / least, (high - low) * (1 - least)
    first, second = max(low - out, 0.0), high - into
    width, width2 = low + into - first, min(high + out, 1.0) - second
    starts, ends = first + width * draws[:, 0], second + width2 * draws[:, 1]
    common = np.minimum(ends, high) - np.maximum(starts, low)
    return _Sides(
        length=ends - starts,
        common=np.where(starts < ends, np.clip(common, 0.0, None), 0.0),
        probability=2 * width * width2,
    )
