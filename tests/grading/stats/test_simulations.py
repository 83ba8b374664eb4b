"""What intervals and tests promise, measured on thousands of simulated data sets.

The data are shaped like ScreenQA: one to five questions about a screenshot, answers to the same
screenshot alike (an intraclass correlation of 0.2 to 0.35), values of 0 and 1 or like F1, with
spikes at 0 and 1. `pytest -m slow -s` on this file prints what was measured;
docs/compare.md has it as a table.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from snellen.grading.models.comparisons import Verdict
from snellen.grading.models.estimates import Interval
from snellen.grading.stats.bootstrap import Method, bootstrap_difference, bootstrap_mean
from snellen.grading.stats.compare import Pair, Procedure, compare, compare_all
from snellen.grading.stats.means import mean_estimate
from snellen.grading.stats.paired import (
    mcnemar,
    paired_difference,
    permutation_test,
    sign_test,
    t_test,
)
from snellen.grading.stats.power import Differences, required_items
from snellen.grading.stats.proportions import wilson
from snellen.grading.stats.summary import estimate

pytestmark = pytest.mark.thorough

Values = NDArray[np.float64]
Codes = NDArray[np.int64]

# The share of ScreenQA's screenshots with one to five questions, and their sizes.
SHARES = np.array([1244, 948, 574, 345, 197]) / 3308
SIZES = np.arange(1, 6)
MEAN_SIZE = float(SHARES @ SIZES)
SEEN_SIZE = float(SHARES @ SIZES**2) / MEAN_SIZE

INDEPENDENT, ALIKE = 0.0, 0.5


@dataclass(frozen=True)
class World:
    """A population of items: what their values are like and how alike those of a cluster are."""

    clusters: int
    alike: float
    shape: str = "binary"
    level: float = 0.5
    """How good the model is: its accuracy, or a parameter of its F1."""
    unequal: bool = False
    """Clusters of one to a hundred items, like sites, and not of one to five."""

    def values(self, uniform: Values, level: float | None = None) -> Values:
        """Turn uniform numbers into item values."""
        good = self.level if level is None else level
        if self.shape == "binary":
            return (uniform < good).astype(np.float64)
        none, full = 0.6 * (1 - good), 0.8 * good
        between = 0.1 + 0.8 * np.clip((uniform - none) / (1 - none - full), 0, 1)
        return np.where(uniform < none, 0.0, np.where(uniform > 1 - full, 1.0, between))

    @property
    def mean(self) -> float:
        """The true mean."""
        if self.shape == "binary":
            return self.level
        none, full = 0.6 * (1 - self.level), 0.8 * self.level
        return full + 0.5 * (1 - none - full)

    def __str__(self) -> str:
        kind = "independent" if self.alike == 0 else "clustered"
        sizes = ", unequal" if self.unequal else ""
        return f"{self.shape} {self.mean:.2f}, {self.clusters} clusters, {kind}{sizes}"


class Sample(NamedTuple):
    """One data set."""

    values: Values
    codes: Codes


class Paired(NamedTuple):
    """Two runs over the same items."""

    first: Values
    second: Values
    codes: Codes


def codes_of(world: World, rng: np.random.Generator) -> Codes:
    if world.unequal:
        sizes = np.maximum(1, np.rint(np.exp(rng.normal(1.8, 1.0, world.clusters))))
    else:
        sizes = rng.choice(SIZES, world.clusters, p=SHARES)
    return np.repeat(np.arange(world.clusters), sizes.astype(np.int64))


def samples(world: World, count: int, seed: int) -> Iterator[Sample]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        codes = codes_of(world, rng)
        shared = rng.standard_normal(world.clusters)[codes]
        own = rng.standard_normal(len(codes))
        latent = math.sqrt(world.alike) * shared + math.sqrt(1 - world.alike) * own
        yield Sample(world.values(ndtr(latent)), codes)


def pairs(world: World, count: int, seed: int, second: float | None = None) -> Iterator[Paired]:
    """Two runs that find the same items hard, and the same clusters; each also its own ones."""
    rng = np.random.default_rng(seed)
    common, special = world.alike * 0.4, world.alike * 0.4
    rest = (1 - common - special) / 2
    for _ in range(count):
        codes = codes_of(world, rng)
        items = len(codes)
        shared = math.sqrt(common) * rng.standard_normal(world.clusters)[codes]
        shared += math.sqrt(rest) * rng.standard_normal(items)
        runs = [
            shared
            + math.sqrt(special) * rng.standard_normal(world.clusters)[codes]
            + math.sqrt(rest) * rng.standard_normal(items)
            for _ in range(2)
        ]
        levels = (world.level, second)
        first, other = (
            world.values(ndtr(run), level) for run, level in zip(runs, levels, strict=True)
        )
        yield Paired(first, other, codes)


def covered(found: Iterator[Interval | None], truth: float) -> float:
    """The share of intervals that hold the truth."""
    hits = [interval is not None and interval.low <= truth <= interval.high for interval in found]
    return sum(hits) / len(hits)


def show(what: str, world: object, share: float) -> None:
    print(f"{what:24} {world!s:45} {100 * share:5.1f} %")


def is_nominal(share: float) -> bool:
    return abs(share - 0.95) <= 0.015


MIDDLING = [
    World(clusters, alike, shape, level)
    for clusters in (30, 100)
    for alike in (INDEPENDENT, ALIKE)
    for shape in ("binary", "f1")
    for level in (0.5, 0.8)
]
EXTREME = [
    World(100, alike, shape, 0.95) for alike in (INDEPENDENT, ALIKE) for shape in ("binary", "f1")
]


@pytest.mark.parametrize("world", [*MIDDLING, *EXTREME], ids=str)
def test_the_interval_of_a_report_covers(world: World) -> None:
    found = (estimate(*sample).interval for sample in samples(world, 2000, seed=1))
    share = covered(found, world.mean)
    show("wilson, clustered", world, share)
    # Few clusters of independent items: never narrower than without them, often a little wider.
    most = 0.97 if (world.clusters, world.alike) == (30, INDEPENDENT) else 0.965
    assert 0.935 <= share <= most


@pytest.mark.parametrize(
    "world",
    [world for world in MIDDLING if (world.level == 0.5) == (world.clusters == 30)],
    ids=str,
)
def test_the_t_interval_covers(world: World) -> None:
    found = (mean_estimate(*sample).interval for sample in samples(world, 2000, seed=2))
    share = covered(found, world.mean)
    show("t", world, share)
    assert is_nominal(share)


@pytest.mark.parametrize("n", [100, 1000])
def test_wilsons_interval_covers(n: int) -> None:
    # Coverage goes up and down with p, as counts are whole: p is anything from 0.2 to 0.8.
    rng = np.random.default_rng(3)
    ps = rng.uniform(0.2, 0.8, 4000)
    counts = rng.binomial(n, ps)
    found = [wilson(int(k), n) for k in counts]
    share = sum(one.low <= p <= one.high for one, p in zip(found, ps, strict=True)) / len(ps)
    show("wilson", f"binary, {n} items, independent", share)
    assert is_nominal(share)


@pytest.mark.parametrize(("method", "clusters"), [("percentile", 200), ("bca", 100), ("t", 60)])
@pytest.mark.parametrize("alike", [INDEPENDENT, ALIKE])
@pytest.mark.parametrize("shape", ["binary", "f1"])
def test_the_bootstrap_intervals_cover(
    method: Method, clusters: int, alike: float, shape: str
) -> None:
    world = World(clusters, alike, shape, 0.7)
    data = enumerate(samples(world, 2000, seed=4))
    found = (bootstrap_mean(*one, draws=499, seed=seed, method=method) for seed, one in data)
    share = covered(found, world.mean)
    show(f"bootstrap {method}", world, share)
    assert is_nominal(share)


class Limit(NamedTuple):
    """Where an interval falls short: its coverage is found between these."""

    name: str
    world: World
    least: float
    most: float


INTERVALS: dict[str, Callable[[Sample, int], Interval | None]] = {
    "wilson, clustered": lambda sample, _: estimate(*sample).interval,
    "clusters ignored": lambda sample, _: estimate(sample.values).interval,
    "t": lambda sample, _: mean_estimate(*sample).interval,
    "percentile": lambda sample, seed: bootstrap_mean(*sample, draws=499, seed=seed),
    "bca": lambda sample, seed: bootstrap_mean(*sample, draws=499, seed=seed, method="bca"),
}
FEW, NEAR_ONE = World(10, ALIKE, "f1", 0.8), World(50, ALIKE, "binary", 0.95)
UNEQUAL = World(60, ALIKE, "f1", 0.7, unequal=True)
LIMITS = [
    Limit("clusters ignored", World(100, ALIKE, "binary", 0.7), 0.86, 0.90),
    Limit("clusters ignored", World(139, ALIKE, "binary", 0.7, unequal=True), 0.45, 0.65),
    Limit("wilson, clustered", FEW, 0.93, 0.97),
    Limit("t", FEW, 0.88, 0.92),
    Limit("percentile", FEW, 0.85, 0.89),
    Limit("bca", FEW, 0.88, 0.92),
    Limit("wilson, clustered", NEAR_ONE, 0.94, 0.975),
    Limit("t", NEAR_ONE, 0.86, 0.90),
    Limit("percentile", NEAR_ONE, 0.86, 0.92),
    Limit("bca", NEAR_ONE, 0.90, 0.96),
    Limit("wilson, clustered", UNEQUAL, 0.925, 0.955),
    Limit("t", UNEQUAL, 0.92, 0.95),
    Limit("percentile", UNEQUAL, 0.89, 0.93),
]


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.name}-{limit.world}")
def test_with_few_clusters_or_near_a_bound_the_docs_say_what_is_left(limit: Limit) -> None:
    # The Wilson interval is what a report prints, because the others do this.
    data = enumerate(samples(limit.world, 2000, seed=13))
    found = (INTERVALS[limit.name](sample, seed) for seed, sample in data)
    share = covered(found, limit.world.mean)
    show(limit.name, limit.world, share)
    assert limit.least <= share <= limit.most


@pytest.mark.parametrize("alike", [INDEPENDENT, ALIKE])
@pytest.mark.parametrize("shape", ["binary", "f1"])
@pytest.mark.parametrize("clusters", [30, 100])
def test_the_interval_of_a_paired_difference_covers(
    clusters: int, alike: float, shape: str
) -> None:
    world = World(clusters, alike, shape, 0.7)
    better = World(clusters, alike, shape, 0.8)
    found = (paired_difference(*pair).interval for pair in pairs(world, 2000, seed=5, second=0.8))
    share = covered(found, better.mean - world.mean)
    show("t, paired difference", world, share)
    assert is_nominal(share)


@pytest.mark.parametrize("alike", [INDEPENDENT, ALIKE])
@pytest.mark.parametrize("shape", ["binary", "f1"])
def test_the_bootstrap_interval_of_a_paired_difference_covers(alike: float, shape: str) -> None:
    world = World(100, alike, shape, 0.7)
    better = World(100, alike, shape, 0.8)
    data = enumerate(pairs(world, 2000, seed=6, second=0.8))
    found = (bootstrap_difference(*pair, draws=499, seed=seed) for seed, pair in data)
    share = covered(found, better.mean - world.mean)
    show("bootstrap, paired", world, share)
    assert is_nominal(share)


TESTS: dict[str, Callable[[Paired, int], float]] = {
    "t": lambda pair, _: t_test(*pair),
    "permutation": lambda pair, seed: permutation_test(*pair, draws=999, seed=seed),
    "mcnemar": lambda pair, _: mcnemar(*pair),
    "sign": lambda pair, _: sign_test(*pair),
}


@pytest.mark.parametrize("alike", [INDEPENDENT, ALIKE])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name in TESTS
        for shape in ("binary", "f1")
        if (name, shape) != ("mcnemar", "f1")
    ],
)
def test_every_test_holds_its_level_where_there_is_no_difference(
    name: str, shape: str, alike: float
) -> None:
    world = World(100, alike, shape, 0.7)
    ps = [
        TESTS[name](pair, seed) for seed, pair in enumerate(pairs(world, 2000, seed=8, second=0.7))
    ]
    share = float(np.mean(np.array(ps) < 0.05))
    show(f"level of {name}", world, share)
    assert abs(share - 0.05) <= 0.015


def test_with_one_attempt_against_five_only_the_sign_test_breaks_its_level() -> None:
    rng = np.random.default_rng(14)
    found: dict[str, list[float]] = {"t": [], "permutation": [], "sign": []}
    for seed in range(1000):
        right = rng.beta(4, 1.5, 200)
        once, often = rng.binomial(1, right) / 1, rng.binomial(5, right) / 5
        for name, ps in found.items():
            ps.append(TESTS[name](Paired(once, often, np.arange(200)), seed))
    shares = {name: float(np.mean(np.array(ps) < 0.05)) for name, ps in found.items()}
    for name, share in shares.items():
        show(f"level of {name}", "1 attempt against 5, 200 items", share)
    assert abs(shares["t"] - 0.05) <= 0.015
    assert abs(shares["permutation"] - 0.05) <= 0.015
    assert shares["sign"] > 0.8


def expected_differences(world: World, second: float) -> Differences:
    """What a very large pilot study would find."""
    large = World(100_000, world.alike, world.shape, world.level)
    (pair,) = pairs(large, 1, seed=9, second=second)
    apart = pair.second - pair.first
    apart -= apart.mean()
    sums = np.bincount(pair.codes, apart)
    sizes = np.bincount(pair.codes)
    variance = float(apart @ apart) / len(apart)
    together = (float(sums @ sums) - float(apart @ apart)) / float(sizes @ (sizes - 1))
    return Differences(math.sqrt(variance), SEEN_SIZE, max(0.0, together / variance))


@pytest.mark.parametrize("alike", [INDEPENDENT, ALIKE])
@pytest.mark.parametrize(("shape", "second"), [("binary", 0.8), ("f1", 0.78)])
def test_a_planted_difference_is_found_with_the_promised_power(
    shape: str, second: float, alike: float
) -> None:
    pilot = World(0, alike, shape, 0.7)
    planted = World(0, alike, shape, second).mean - pilot.mean
    items = required_items(planted, expected_differences(pilot, second), power=0.8)
    world = World(round(items / MEAN_SIZE), alike, shape, 0.7)
    ps = [t_test(*pair) for pair in pairs(world, 2000, seed=10, second=second)]
    share = float(np.mean(np.array(ps) < 0.05))
    show("power of t", world, share)
    assert abs(share - 0.8) <= 0.03


def test_compare_finds_a_planted_difference_and_none_where_there_is_none() -> None:
    pilot = World(0, ALIKE, "binary", 0.7)
    items = required_items(0.1, expected_differences(pilot, 0.8), power=0.9)
    world = World(round(items / MEAN_SIZE), ALIKE, "binary", 0.7)
    names, procedure = Pair("old", "new", "accuracy"), Procedure(draws=39)
    verdicts = {
        second: [
            compare(*pair, names, procedure).verdict
            for pair in pairs(world, 1000, seed=11, second=second)
        ]
        for second in (0.7, 0.8)
    }
    found = verdicts[0.8].count(Verdict.BETTER) / 1000
    show("verdict better", world, found)
    assert abs(found - 0.9) <= 0.03
    assert Verdict.WORSE not in verdicts[0.8]
    wrong = 1 - verdicts[0.7].count(Verdict.UNDECIDED) / 1000
    show("verdict where none", world, wrong)
    assert abs(wrong - 0.05) <= 0.015


def test_several_runs_without_differences_are_rarely_told_apart() -> None:
    rng = np.random.default_rng(12)
    procedure = Procedure(draws=39)
    wrong = 0
    for _ in range(500):
        difficulty = rng.standard_normal(150)
        codes = np.repeat(np.arange(50), 3)
        runs = {
            name: (difficulty + rng.standard_normal(150) < ndtri(0.7)).astype(np.float64)
            for name in "abcd"
        }
        found = compare_all(runs, codes, metric="accuracy", procedure=procedure)
        wrong += any(one.verdict is not Verdict.UNDECIDED for one in found)
    show("any of six pairs, holm", "4 equal runs", wrong / 500)
    assert wrong / 500 <= 0.065
