"""MMBench-GUI's tables of L1 and L2: by difficulty, kind, element and platform.

Source: MMBench-GUI (Wang et al., 2025) section 3 and its code (benchmarks/matrics.py); the
arithmetic is in `snellen.grading.metrics.weighted_choice`.

Everything here takes item values and tag columns in the items' order, as `report.item_values()`
and `report.tags` give them. Values are 0..1; the published tables print them times 100.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from snellen.grading.errors import MetricError
from snellen.grading.metrics.weighted_choice import (
    ERROR,
    ChoiceOutcome,
    GroundingCell,
    GroundingSummary,
    Instruction,
    LevelScore,
    grounding_summary,
    plain,
    weighted_eq3,
    weighted_normalized,
)
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.worlds.automation import Values

if TYPE_CHECKING:
    pass

Tags: TypeAlias = Mapping[str, TagColumn]

DIFFICULTIES = ("easy", "medium", "hard")


# ---- L1 ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Understanding:
    """One difficulty of L1, scored in the three ways that are in use.

    Attributes:
        plain: Accuracy, which the published code computes by default.
        normalized: Weighted by (m-1)/m for m options and divided by what is attainable: the
            code's weighted way, and what the published tables hold.
        eq3: Weighted, not divided: Eq. 3 and 4 of the paper; its ceiling is below 1.
    """

    plain: LevelScore
    normalized: LevelScore
    eq3: LevelScore


def understanding(values: Values, tags: Tags, *, attempts: int = 1) -> dict[str, Understanding]:
    """Score L1 by difficulty, each by platform and as a whole.

    There is no overall score across difficulties: neither the paper nor its code has one.

    Args:
        values: Each item's accuracy, 0 or 1, or its mean over attempts.
        tags: `difficulty`, `platform` and `options`, the number of options.
        attempts: How many attempts the values are means over. Counts are of answers, so each
            item counts as often.

    Returns:
        The difficulties that there are, easy first.

    Raises:
        MetricError: There are no items, a tag is missing, or a value is no share of the attempts.

    >>> tags = {"difficulty": ["easy"] * 2, "platform": ["ios"] * 2, "options": ["4", "6"]}
    >>> easy = understanding([1, 0], tags)["easy"]
    >>> easy.plain.level.score, round(easy.normalized.level.score, 4), easy.eq3.level.score
    (0.5, 0.4737, 0.375)
    """
    columns = _columns(values, tags, ("difficulty", "platform", "options"))
    asked: dict[str, list[ChoiceOutcome]] = {}
    for value, difficulty, platform, options in zip(values, *columns, strict=True):
        if not options.isdecimal():
            raise MetricError(f"the tag 'options' counts the options of an item; {options!r}")
        for hit in _outcomes(value, attempts):
            outcome = ChoiceOutcome(platform, int(options), bool(hit))
            asked.setdefault(difficulty, []).append(outcome)
    if not asked:
        raise MetricError("the score of no items is not defined")
    order = [name for name in DIFFICULTIES if name in asked]
    return {
        name: Understanding(
            plain(asked[name]), weighted_normalized(asked[name]), weighted_eq3(asked[name])
        )
        for name in (*order, *sorted(asked.keys() - set(order)))
    }


# ---- L2 ----------------------------------------------------------------------------------------


class Grounded(NamedTuple):
    """The item values of one kind of instruction, basic or advanced.

    Attributes:
        values: Each item's accuracy, 0 or 1, or its mean over attempts.
        tags: `platform` and `data_type`, which is `icon` or `text`.
        unread: Where no point could be read in an answer; such a value must be 0. None: it is
            not distinguished from a miss, which moves no accuracy.
        attempts: How many attempts the values are means over.
    """

    values: Values
    tags: Tags
    unread: Sequence[bool] | None = None
    attempts: int = 1


def grounding(basic: Grounded | None = None, advanced: Grounded | None = None) -> GroundingSummary:
    """Score L2: icons, texts and both, by platform, for each kind of instruction and together.

    `average` is the mean of Basic and Advanced, as the published code prints it; `pooled` is
    over all answers, as the paper's caption says. A platform without icons or without texts has
    None there, and so have `average` and the kind itself where one was not run; the published
    code stops with an error in both cases.

    Raises:
        MetricError: There are no items, a tag is missing or has another value, a value is no
            share of the attempts, or an unread answer has a value.
    """
    cells: list[GroundingCell] = []
    kinds: tuple[tuple[Instruction, Grounded | None], ...] = (
        ("basic", basic),
        ("advanced", advanced),
    )
    for kind, run in kinds:
        if run is not None:
            cells += _cells(kind, run)
    return grounding_summary(cells)


def _cells(kind: Instruction, run: Grounded) -> list[GroundingCell]:
    platforms, types = _columns(run.values, run.tags, ("platform", "data_type"))
    unread = run.unread if run.unread is not None else [False] * len(run.values)
    if len(unread) != len(run.values):
        raise MetricError(f"{len(run.values)} values and {len(unread)} marks of what was unread")
    cells: list[GroundingCell] = []
    for value, platform, element, failed in zip(run.values, platforms, types, unread, strict=True):
        if element not in ("icon", "text"):
            raise MetricError(f"the tag 'data_type' is icon or text, not {element!r}")
        outcomes = _outcomes(value, run.attempts)
        if failed:
            if value:
                raise MetricError(f"an answer without a readable point has the value {value}")
            outcomes = (ERROR,) * run.attempts
        cells.append(GroundingCell(platform, kind, element, outcomes))
    return cells


# ---- columns -----------------------------------------------------------------------------------

_CLOSE = 1e-9


def _outcomes(value: float, attempts: int) -> tuple[int, ...]:
    """Turn a mean over attempts into that many outcomes of 1 and 0."""
    hits = round(value * attempts)
    if attempts < 1 or not 0 <= hits <= attempts or abs(value * attempts - hits) > _CLOSE:
        raise MetricError(f"the value {value} is no share of {attempts} attempts that hit or miss")
    return (1,) * hits + (0,) * (attempts - hits)


def _columns(values: Values, tags: Tags, names: Sequence[str]) -> tuple[Sequence[str], ...]:
    columns: list[Sequence[str]] = []
    for name in names:
        if name not in tags:
            raise MetricError(f"there is no tag {name!r} of these items, only {', '.join(tags)}")
        column = tags[name]
        if len(column) != len(values):
            raise MetricError(f"{len(values)} values and {len(column)} of the tag {name!r}")
        if any(tag is None for tag in column):
            raise MetricError(f"an item has no tag {name!r}")
        columns.append(cast("Sequence[str]", column))
    return tuple(columns)
