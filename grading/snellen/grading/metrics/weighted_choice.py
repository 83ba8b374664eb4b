"""MMBench-GUI L1 and L2: scores over platforms with different numbers of questions.

L1, multiple choice. A question with m options has weight alpha = (m-1)/m, the probability that a
random guess is wrong. The paper (section 3, Eq. 3 and 4) uses the weight unchanged, so 1 cannot be
reached. The published code (MMBench-GUI, L1 evaluation) divides by the attainable maximum, and so
do the published tables: InternVL3's 83.57 on easy iOS is above Eq. 3's ceiling of 83.33. The code's
default is plain accuracy. Sums are exact fractions, rounded once.

L2, element grounding. A point in the gold box is a hit. A reply without a readable point is an
error and stays in the denominator, as in the published code (MMBench-GUI, L2 evaluation).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from snellen.grading.errors import MetricError

Instruction = Literal["basic", "advanced"]
"""Basic instructions describe the element, advanced ones its function."""

Element = Literal["icon", "text"]

HIT, MISS, ERROR = 1, 0, -1
"""What became of one reply, in the published code's numbers."""


class ChoiceOutcome(NamedTuple):
    """One answered question: its platform, its number of options, and whether it was correct."""

    platform: str
    options: int
    hit: bool


@dataclass(frozen=True, slots=True)
class ChoiceScore:
    """The score of one platform or of a level."""

    score: float  # 0..1
    ceiling: float  # the score if every answer is correct
    n: int  # number of questions


@dataclass(frozen=True, slots=True)
class LevelScore:
    """The score of one difficulty level.

    Attributes:
        level: Mean of the platforms' scores weighted by their numbers of questions (Eq. 4).
        by_platform: The platforms, by name.
    """

    level: ChoiceScore
    by_platform: Mapping[str, ChoiceScore]


class _Exact(NamedTuple):
    score: Fraction
    ceiling: Fraction
    n: int


def plain(outcomes: Iterable[ChoiceOutcome]) -> LevelScore:
    """Accuracy, per platform and over the level (the published code's default).

    Raises:
        MetricError: If there are no questions, or one has fewer than two options.

    >>> plain([ChoiceOutcome("web", 4, True), ChoiceOutcome("web", 6, False)]).level.score
    0.5
    """
    return _level(
        {
            platform: _Exact(
                Fraction(sum(q.hit for q in asked), len(asked)), Fraction(1), len(asked)
            )
            for platform, asked in _by_platform(outcomes).items()
        }
    )


def weighted_normalized(outcomes: Iterable[ChoiceOutcome]) -> LevelScore:
    """Per platform mean(hit * alpha) / mean(alpha), as in the published code; 1 is attainable.

    Raises:
        MetricError: As `plain`.

    >>> weighted_normalized([ChoiceOutcome("web", 4, True), ChoiceOutcome("web", 6, False)])\
.level.score == 9 / 19
    True
    """
    return _level(
        {
            platform: _Exact(won.score / won.ceiling, Fraction(1), won.n)
            for platform, won in _weighted(outcomes).items()
        }
    )


def weighted_eq3(outcomes: Iterable[ChoiceOutcome]) -> LevelScore:
    """Per platform mean(hit * alpha), as in the paper; its ceiling is mean(alpha).

    Raises:
        MetricError: As `plain`.

    >>> weighted_eq3([ChoiceOutcome("web", 4, True)]).level
    ChoiceScore(score=0.75, ceiling=0.75, n=1)
    """
    return _level(_weighted(outcomes))


def _weighted(outcomes: Iterable[ChoiceOutcome]) -> dict[str, _Exact]:
    scores: dict[str, _Exact] = {}
    for platform, asked in _by_platform(outcomes).items():
        weights = [Fraction(q.options - 1, q.options) for q in asked]
        won = sum((w for w, q in zip(weights, asked, strict=True) if q.hit), Fraction())
        scores[platform] = _Exact(
            won / len(asked), sum(weights, Fraction()) / len(asked), len(asked)
        )
    return scores


def _by_platform(outcomes: Iterable[ChoiceOutcome]) -> dict[str, list[ChoiceOutcome]]:
    grouped: dict[str, list[ChoiceOutcome]] = {}
    for outcome in outcomes:
        if outcome.options < 2:
            raise MetricError(f"a choice needs two options or more, not {outcome.options}")
        grouped.setdefault(outcome.platform, []).append(outcome)
    if not grouped:
        raise MetricError("the score of no questions is not defined")
    return grouped


def _level(platforms: Mapping[str, _Exact]) -> LevelScore:
    n = sum(p.n for p in platforms.values())
    score = sum((p.score * p.n for p in platforms.values()), Fraction()) / n
    ceiling = sum((p.ceiling * p.n for p in platforms.values()), Fraction()) / n
    return LevelScore(
        level=_rounded(_Exact(score, ceiling, n)),
        by_platform={name: _rounded(platforms[name]) for name in sorted(platforms)},
    )


def _rounded(exact: _Exact) -> ChoiceScore:
    return ChoiceScore(float(exact.score), float(exact.ceiling), exact.n)


@dataclass(frozen=True, slots=True)
class GroundingCell:
    """The replies of one platform, kind of instruction and type of element.

    Raises:
        MetricError: If an outcome is none of these.
    """

    platform: str  # the platform, such as "os_windows"
    instruction: Instruction  # see `Instruction`
    element: Element  # see `Element`
    outcomes: tuple[int, ...]  # 1 hit, 0 miss, -1 no readable point; may be empty

    def __post_init__(self) -> None:
        odd = set(self.outcomes) - {HIT, MISS, ERROR}
        if odd:
            raise MetricError(f"an outcome is 1, 0 or -1, not {min(odd)}")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Hits among all replies; `errors` of them had no readable point."""

    hits: int
    errors: int
    n: int

    @property
    def score(self) -> float:
        """Hits divided by n."""
        return self.hits / self.n


@dataclass(frozen=True, slots=True)
class PlatformAccuracy:
    """The accuracies of one platform; None if it has no such elements."""

    icon: Accuracy | None
    text: Accuracy | None
    total: Accuracy


@dataclass(frozen=True, slots=True)
class GroundingSummary:
    """The numbers of MMBench-GUI's L2 table.

    Attributes:
        basic: All basic replies: the platforms' totals weighted by their counts.
        advanced: The same for advanced replies.
        average: Unweighted mean of the two scores, as the published code prints it; None if only
            one kind of instruction was run.
        pooled: All replies, as in the paper's caption and in results of third parties.
        icon: All replies about icons.
        text: All replies about text elements.
        by_platform: Platforms by name, for each kind of instruction that was run.
    """

    basic: Accuracy | None
    advanced: Accuracy | None
    average: float | None
    pooled: Accuracy
    icon: Accuracy | None
    text: Accuracy | None
    by_platform: Mapping[Instruction, Mapping[str, PlatformAccuracy]]


def grounding_summary(cells: Iterable[GroundingCell]) -> GroundingSummary:
    """Summarize element grounding.

    The fields are None for a platform without icons or without texts, and for a run of only one
    kind of instruction; the published code stops with an error.

    Args:
        cells: In any order; cells of the same platform, instruction and element are joined.

    Raises:
        MetricError: If there are no replies.

    >>> only = grounding_summary([GroundingCell("web", "basic", "icon", (1, 0, -1, 1))])
    >>> only.basic, only.average
    (Accuracy(hits=2, errors=1, n=4), None)
    """
    filled = [cell for cell in cells if cell.outcomes]
    if not filled:
        raise MetricError("the grounding accuracy of no replies is not defined")
    basic = _accuracy(filled, lambda cell: cell.instruction == "basic")
    advanced = _accuracy(filled, lambda cell: cell.instruction == "advanced")
    return GroundingSummary(
        basic=basic,
        advanced=advanced,
        average=(basic.score + advanced.score) / 2 if basic and advanced else None,
        pooled=_counted(filled),
        icon=_accuracy(filled, lambda cell: cell.element == "icon"),
        text=_accuracy(filled, lambda cell: cell.element == "text"),
        by_platform=_platforms(filled),
    )


def _platforms(
    cells: list[GroundingCell],
) -> dict[Instruction, dict[str, PlatformAccuracy]]:
    tables: dict[Instruction, dict[str, PlatformAccuracy]] = {}
    kinds: tuple[Instruction, ...] = ("basic", "advanced")
    for kind in kinds:
        for platform in sorted({cell.platform for cell in cells if cell.instruction == kind}):
            mine = [c for c in cells if c.platform == platform and c.instruction == kind]
            tables.setdefault(kind, {})[platform] = PlatformAccuracy(
                icon=_accuracy(mine, lambda cell: cell.element == "icon"),
                text=_accuracy(mine, lambda cell: cell.element == "text"),
                total=_counted(mine),
            )
    return tables


def _accuracy(
    cells: list[GroundingCell], wanted: Callable[[GroundingCell], bool]
) -> Accuracy | None:
    chosen = [cell for cell in cells if wanted(cell)]
    return _counted(chosen) if chosen else None


def _counted(cells: list[GroundingCell]) -> Accuracy:
    """Count the outcomes of cells that are not empty."""
    counts = Counter(outcome for cell in cells for outcome in cell.outcomes)
    return Accuracy(counts[HIT], counts[ERROR], counts.total())
