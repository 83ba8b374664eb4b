"""The same questions before and after a perturbation: WebRSSBench's color, text and layout tasks.

Everything here takes columns, one value an item, in the order of the task's items: the values of
the primary metric, tags (`page`, `state`, `mode`, `site`), and responses, None where there is none.
Values lie in 0..1; R alone is on the paper's scale of 0..100.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from snellen.grading.errors import MetricError
from snellen.grading.metrics.robustness import Flips, Robustness, flips, robustness, unchanged_share
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.tags import TagColumn
from snellen.grading.normalize import button
from snellen.grading.stats.paired import mcnemar, paired_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POOLED = "pooled"
"""What all modes together are called."""

Texts: TypeAlias = Sequence[str | None]
Values: TypeAlias = "Sequence[float] | NDArray[np.float64]"
_Both: TypeAlias = list[tuple[str | None, str | None]]

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Pairs:
    """Which items are the same question before and after a perturbation."""

    before: tuple[int, ...]  # the index of each pair's item on the clean page; pairs may share it
    after: tuple[int, ...]  # the index of its item on the perturbed page
    modes: tuple[str | None, ...]  # how each pair's page was perturbed; None where nobody says

    def of_mode(self, mode: str) -> "Pairs":
        """Return the pairs of one mode."""
        kept = [index for index, other in enumerate(self.modes) if other == mode]
        return Pairs(
            tuple(self.before[index] for index in kept),
            tuple(self.after[index] for index in kept),
            tuple(self.modes[index] for index in kept),
        )


@dataclass(frozen=True, slots=True)
class Shift:
    """What a perturbation did to the items of one mode, or of all.

    Attributes:
        mode: `partial`, `all`, `low_contrast`, or `pooled`.
        robustness: Δ, R, sensitivity and unchanged share; see there.
        delta: Δ = before - after with its interval, clustered by site.
        flips: How many answers broke and how many were fixed; None where values are not all 0
            or 1.
        p: McNemar's p-value (mid-p) that breaking and fixing are equally likely, as if pairs were
            independent; None where `flips` is.
        p_by_site: The same for whole sites: the differences' signs are flipped site by site.
        likeness: The mean similarity of the responses before and after; None if not asked for.
    """

    mode: str
    robustness: Robustness
    delta: Estimate
    flips: Flips | None
    p: float | None
    p_by_site: float | None
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class Responses:
    """The items' responses, for what compares them with each other and not with a reference.

    Attributes:
        texts: One an item; None where there is none.
        same: Whether two texts are the same answer. The paper does not say when a free text
            counts as unchanged.
        likeness: The similarity of two texts; for WebRSSBench's text task the cosine of their
            embeddings, for layout that of TF-IDF (appendix C.4 (3)).
    """

    texts: Texts
    same: Callable[[str, str], bool] | None = None
    likeness: Callable[[str, str], float] | None = None


def pair_up(pages: Sequence[str], states: TagColumn, modes: TagColumn | None = None) -> Pairs:
    """Find the two items of every page and mode.

    A clean page without a mode is the other half of each of the page's perturbed items that has
    none of its own mode.

    Args:
        pages: What the items of a pair share: the page and, where a page has several questions,
            the marked element.
        states: `before` or `after`.
        modes: How a page was perturbed; None where there is but one way.

    Raises:
        MetricError: A page lacks one of its halves, or has two items of one state and mode.

    >>> pair_up(["a", "a", "a"], ["before", "after", "after"], [None, "all", "partial"])
    Pairs(before=(0, 0), after=(1, 2), modes=('all', 'partial'))
    """
    modes = [None] * len(pages) if modes is None else modes
    clean: dict[tuple[str, str | None], int] = {}
    perturbed: dict[tuple[str, str | None], int] = {}
    sides = {"before": clean, "after": perturbed}
    for index, (page, state, mode) in enumerate(zip(pages, states, modes, strict=True)):
        if state not in sides:
            raise MetricError(f"item {index} of the page {page!r} is neither before nor after")
        if (page, mode) in sides[state]:
            raise MetricError(f"the page {page!r} has two items {state} of the mode {mode}")
        sides[state][page, mode] = index
    # The clean half of each perturbed item: of its own mode, else the one without.
    halves = [(page, mode) if (page, mode) in clean else (page, None) for page, mode in perturbed]
    lonely = [page for page, mode in halves if (page, mode) not in clean]
    lonely += [page for page, _ in clean.keys() - set(halves)]
    if lonely:
        shown = ", ".join(map(repr, sorted(set(lonely))[:_SHOWN]))
        raise MetricError(f"{len(lonely)} items have no other half, before or after: {shown}")
    return Pairs(
        tuple(clean[half] for half in halves),
        tuple(perturbed.values()),
        tuple(mode for _, mode in perturbed),
    )


def shifts(
    values: Values,
    pairs: Pairs,
    *,
    sites: TagColumn | None = None,
    responses: Responses | None = None,
) -> tuple[Shift, ...]:
    """Say what the perturbations did: mode by mode where there are several, then pooled.

    Pooled counts each pair once, so a clean page counts as often as it was perturbed.

    Args:
        values: The primary metric's value of every item.
        pairs: From `pair_up`.
        sites: The website of every item, whose pages hang together; None: every pair is its own.
        responses: For the unchanged share and the likeness.

    Raises:
        MetricError: There are no pairs, or a value is out of range.
    """
    names = [mode for mode in dict.fromkeys(pairs.modes) if mode is not None]
    parts = [(mode, pairs.of_mode(mode)) for mode in names] if len(names) > 1 else []
    only = names[0] if len(names) == 1 and None not in pairs.modes else POOLED
    return tuple(
        _shift(mode, values, part, sites, responses) for mode, part in [*parts, (only, pairs)]
    )


def _shift(
    mode: str,
    values: Values,
    pairs: Pairs,
    sites: TagColumn | None,
    responses: Responses | None,
) -> Shift:
    before = [float(values[index]) for index in pairs.before]
    after = [float(values[index]) for index in pairs.after]
    texts = None if responses is None else _both(responses.texts, pairs)
    unchanged = None if texts is None or responses is None else _unchanged(texts, responses)
    found = robustness(before, after, unchanged=unchanged)
    # Both halves of a pair are of one page; pairs that share a clean page hang together.
    groups = pairs.before if sites is None else [sites[index] for index in pairs.after]
    clusters = _codes(groups)
    binary = {*before, *after} <= {0.0, 1.0}
    like = None if responses is None else responses.likeness
    return Shift(
        mode=mode,
        robustness=found,
        delta=paired_difference(after, before, clusters),
        flips=flips([value == 1 for value in before], [value == 1 for value in after])
        if binary
        else None,
        p=mcnemar(before, after) if binary else None,
        p_by_site=mcnemar(before, after, clusters) if binary else None,
        likeness=None if texts is None or like is None else _likeness(texts, like),
    )


def _both(texts: Texts, pairs: Pairs) -> _Both:
    return [(texts[a], texts[b]) for a, b in zip(pairs.before, pairs.after, strict=True)]


def _unchanged(texts: _Both, responses: Responses) -> float:
    """Return the unchanged share; an item without a response on either side has changed."""
    same = responses.same or same_button
    return unchanged_share(
        [before for before, _ in texts],
        [after for _, after in texts],
        lambda before, after: before is not None and after is not None and same(before, after),
    )


def _likeness(texts: _Both, like: Callable[[str, str], float]) -> float:
    """Return the mean similarity; a pair that lacks a response adds 0."""
    values = [0.0 if a is None or b is None else like(a, b) for a, b in texts]
    return math.fsum(values) / len(values)


def same_button(first: str, second: str) -> bool:
    """Tell whether two texts are one, as button texts are compared: case and edges do not count."""
    return button(first) == button(second)


def _codes(groups: Sequence[object]) -> list[int]:
    """Number groups by their first appearance; an item of no group is one by itself."""
    codes: dict[object, int] = {}
    return [
        codes.setdefault(("none", index) if group is None else group, len(codes))
        for index, group in enumerate(groups)
    ]
