"""Stratified samples: the allocation to strata and the selection of items."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from snellen.grading.errors import MetricError

Group = TypeVar("Group", bound=tuple[str, ...])

LEAST = 2
"""How many items are drawn from a stratum at the least: one alone shows no variance."""


def proportional(sizes: Mapping[str, int], total: int, *, least: int = LEAST) -> dict[str, int]:
    """Allocate a number of items to strata in proportion to their sizes.

    Source: Cochran 1977, Sampling Techniques, section 5.5 (proportional allocation). The rest after
    rounding down goes to the largest remainders.

    Args:
        sizes: The number of items of each stratum.
        total: The number of items to draw in total.
        least: The minimum per stratum; a stratum with fewer items is drawn whole.

    Raises:
        MetricError: The total exceeds the number of items, or is less than the sum of the minimums.

    >>> proportional({"easy": 700, "hard": 240, "rare": 60}, 20)
    {'easy': 13, 'hard': 5, 'rare': 2}
    """
    return _allocate(sizes, {name: Fraction(size) for name, size in sizes.items()}, total, least)


def fixed(sizes: Mapping[str, int], quota: int) -> dict[str, int]:
    """Allocate the same number of items to each stratum; a smaller stratum is drawn whole.

    Raises:
        MetricError: The quota is below 1, or a stratum is empty.

    >>> fixed({"easy": 700, "rare": 6}, 10)
    {'easy': 10, 'rare': 6}
    """
    _check_sizes(sizes)
    if quota < 1:
        raise MetricError(f"at least one item must be drawn from each stratum, not {quota}")
    return {name: min(size, quota) for name, size in sizes.items()}


def neyman(
    sizes: Mapping[str, int],
    deviations: Mapping[str, float],
    total: int,
    *,
    least: int = LEAST,
) -> dict[str, int]:
    """Allocate a number of items so that the overall mean has the smallest variance.

    The allocation is proportional to size times standard deviation. A stratum never gets more items
    than it has; the rest goes to the others. Source: Neyman 1934, Journal of the Royal Statistical
    Society 97; Cochran 1977, section 5.5, equation 5.26.

    Args:
        sizes: The number of items of each stratum.
        deviations: The standard deviation of the values of each stratum, from an earlier run.
        total: The number of items to draw in total.
        least: The minimum per stratum.

    Raises:
        MetricError: As `proportional`; or a deviation is missing, negative or not finite.

    >>> neyman({"easy": 700, "hard": 300}, {"easy": 0.2, "hard": 0.5}, 29)
    {'easy': 14, 'hard': 15}
    """
    missing = [name for name in sizes if name not in deviations]
    if missing:
        raise MetricError(f"there is no standard deviation for stratum {missing[0]!r}")
    for name in sizes:
        if not 0 <= deviations[name] < math.inf:
            raise MetricError(
                f"a standard deviation can't be {deviations[name]}, as in stratum {name!r}"
            )
    shares = {name: size * Fraction(deviations[name]) for name, size in sizes.items()}
    return _allocate(sizes, shares, total, least)


def draw(names: Iterable[str], count: int, seed: int) -> list[str]:
    """Draw names at random without replacement, and return them in their order.

    Every name gets a number from its digest and the seed; the lowest numbers are drawn. So the
    order of the names does not matter, a larger draw contains every smaller one, and names added
    later do not change the numbers of the others: Ohlsson 1995, "Coordination of samples using
    permanent random numbers".

    Args:
        names: Distinct names, such as item ids.
        count: The number of names to draw.
        seed: The same seed gives the same names.

    Raises:
        MetricError: There are fewer names than `count`, or two names are equal.

    >>> draw(["c", "a", "b", "d"], 2, seed=7) == draw(["a", "b", "c", "d"], 2, seed=7)
    True
    """
    known = sorted(names)
    twice = next((one for one, other in pairwise(known) if one == other), None)
    if twice is not None:
        raise MetricError(f"{twice!r} occurs twice among the names to draw from")
    if not 0 <= count <= len(known):
        raise MetricError(f"{count} can't be drawn from {len(known)} without replacement")
    return sorted(random_order(known, seed)[:count])


def draw_groups(groups: Mapping[Group, Sequence[object]], size: int, seed: int) -> list[Group]:
    """Draw whole groups at random, as long as their members fit.

    Groups that are too large for the rest are skipped. If no group fits, the first of the smallest
    groups is drawn, so that the result is never empty.

    Args:
        groups: The members of each group; the last part of a group's key, such as the id of an
            item or of a pair, is the name by which it is drawn.
        size: The maximum number of members to draw.
        seed: The same seed gives the same groups, as in `draw`.

    Returns:
        The keys of the groups, in the order in which `draw` takes them.

    >>> draw_groups({("a",): [1, 2], ("b",): [3], ("c",): [4, 5, 6]}, 3, seed=0)
    [('c',)]
    >>> draw_groups({("a",): [1, 2], ("c",): [4, 5, 6]}, 1, seed=0)
    [('a',)]
    """
    if not groups:
        return []
    room = max(size, min(map(len, groups.values())))
    drawn: list[Group] = []
    for key in sorted(groups, key=lambda key: (_number(key[-1], seed), key)):
        if len(groups[key]) <= room:
            drawn.append(key)
            room -= len(groups[key])
        if not room:
            break
    return drawn


def random_order(names: Iterable[str], seed: int) -> list[str]:
    """Return names in the order in which `draw` takes them."""
    return sorted(names, key=lambda name: (_number(name, seed), name))


def _number(name: str, seed: int) -> bytes:
    text = f"{seed}\0{name}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()


def _check_sizes(sizes: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise MetricError(f"stratum {name!r} has no items")


def _allocate(
    sizes: Mapping[str, int], shares: Mapping[str, Fraction], total: int, least: int
) -> dict[str, int]:
    """Return every stratum's share of the total, between the minimum and the stratum's size."""
    _check_sizes(sizes)
    floors = {name: min(size, least) for name, size in sizes.items()}
    lowest, highest = sum(floors.values()), sum(sizes.values())
    if not lowest <= total <= highest:
        raise MetricError(
            f"{total} items can't be drawn from {len(sizes)} strata: the minimum is"
            f" {lowest} ({least} of each), the maximum {highest}"
        )
    exact = _filled(sizes, shares, floors, total)
    found = {name: math.floor(value) for name, value in exact.items()}
    # Largest remainder first; ties go to the larger stratum, then to the first by name.
    order = sorted(sizes, key=lambda name: (found[name] - exact[name], -sizes[name], name))
    for name in order[: total - sum(found.values())]:
        found[name] += 1
    return found


def _filled(
    sizes: Mapping[str, int],
    shares: Mapping[str, Fraction],
    floors: Mapping[str, int],
    total: int,
) -> dict[str, Fraction]:
    """Return the multiple of the shares that adds up to the total after clipping to the bounds.

    The sum is a piecewise linear function of the multiple, with a knot where a stratum leaves its
    minimum or is full. So the multiple is computed exactly.
    """

    def at(multiple: Fraction) -> dict[str, Fraction]:
        return {
            name: min(Fraction(size), max(Fraction(floors[name]), multiple * shares[name]))
            for name, size in sizes.items()
        }

    corners = {Fraction(0)}
    for name, size in sizes.items():
        if shares[name]:
            corners |= {floors[name] / shares[name], size / shares[name]}
    low, low_sum = Fraction(0), Fraction(sum(floors.values()))
    for corner in sorted(corners):
        reached = Fraction(sum(at(corner).values()))
        if reached >= total:
            if reached == low_sum:
                return at(corner)
            return at(low + (corner - low) * (total - low_sum) / (reached - low_sum))
        low, low_sum = corner, reached
    return _spilled(at(low), sizes, shares, total - low_sum)


def _spilled(
    found: dict[str, Fraction],
    sizes: Mapping[str, int],
    shares: Mapping[str, Fraction],
    rest: Fraction,
) -> dict[str, Fraction]:
    """Allocate the rest, after all others are full, to the strata without a share, by size."""
    idle: Sequence[str] = [name for name in sizes if not shares[name]]
    room = sum(sizes[name] - found[name] for name in idle)
    for name in idle:
        found[name] += rest * (sizes[name] - found[name]) / room
    return found
