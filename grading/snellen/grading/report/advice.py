"""Advice: sentences that follow by rule from the numbers of a page.

Every rule is a function of the page that returns a sentence or an empty text. `RULES` lists them in
the order of the page: reasons not to quote the number come first. A rule returns an empty text if a
number that it needs is missing.
"""

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist
from types import MappingProxyType
from typing import NamedTuple

from snellen.grading.failures.tags import FailureTag
from snellen.grading.models.estimates import Cell, Estimate
from snellen.grading.models.reports import PinVerdict
from snellen.grading.models.scores import Outcome
from snellen.grading.report.faults import POINT, fault_advice, gaining
from snellen.grading.report.figures import counted, number, part, percent, points, two_digits
from snellen.grading.report.page import (
    CalibrationKind,
    CalibrationRow,
    Change,
    Difference,
    Page,
)

NOTABLE = 0.01
"""The share of the answers from which an outcome is worth a sentence."""

LACKING = 0.05
"""Where a larger share of the answers is not there, only `GROUND` speaks: the rest says nothing."""

_ERROR_RATE = 0.05


class Advice(NamedTuple):
    """A sentence and the id of its rule."""

    rule: str
    sentence: str


def advise(page: Page) -> tuple[Advice, ...]:
    """Return the advice for a page's numbers, most urgent first."""
    lacking = page.report.input.unanswered > LACKING * page.report.provenance.cells
    said = ((name, rule(page)) for name, rule in RULES.items() if not lacking or name in GROUND)
    return tuple(Advice(name, sentence) for name, sentence in said if sentence)


def incomplete(page: Page) -> str:
    """Items without an answer count 0: run them again first."""
    given = page.report.input
    if not given.unanswered:
        return ""
    missing, errors = (given.outcomes.get(one, 0) for one in (Outcome.MISSING, Outcome.ERROR))
    parts = [f"{missing:,} missing"] * bool(missing) + [f"{errors:,} failed"] * bool(errors)
    answered = page.report.numbers.headline.value_answered
    rest = "" if answered is None else f"; over the answered alone it is {percent(answered)}"
    return (
        f"{given.unanswered:,} of {counted(page.report.provenance.cells, 'answer')}"
        f" {'is' if given.unanswered == 1 else 'are'} not there ({', '.join(parts)}) and"
        f" count{'s' if given.unanswered == 1 else ''} 0{rest}. Ask for"
        f" {'it' if given.unanswered == 1 else 'them'} again before quoting the number."
    )


def other_data(page: Page) -> str:
    """Data that differs from the release gives a number that is not comparable."""
    data = page.report.provenance.data
    if data.verdict is not PinVerdict.DIFFERS:
        return ""
    note = f" ({data.note.rstrip('.')})" if data.note else ""
    return (
        f"The data is not the published release{note}: don't set this number beside published ones."
    )


def selected(page: Page) -> str:
    """The score of a selection of items is not the benchmark's."""
    made_from = page.report.provenance
    if not made_from.subset:
        return ""
    return (
        f"Only {counted(made_from.items, 'selected item was', 'selected items were')} graded:"
        " published numbers are over the whole split, so set this one beside runs over the same"
        " items only."
    )


def within_chance(page: Page) -> str:
    """A score whose interval contains chance, or lies below it, shows no skill."""
    numbers = page.report.numbers
    estimate, chance = (
        numbers.whole or numbers.estimate,
        numbers.chance,
    )
    if estimate is None or estimate.interval is None or chance is None:
        return ""
    low, high = estimate.interval.low, estimate.interval.high
    if low > chance.value:
        return ""
    if high < chance.value:
        return (
            f"The score lies below chance ({percent(chance.value)}: {chance.guess}): something"
            " works against the model; read some of the items below first."
        )
    return (
        f"The score does not differ from chance ({percent(chance.value)}: {chance.guess}), which"
        f" lies within its interval of {percent(low)} to {percent(high)}."
    )


def unread(page: Page) -> str:
    """Unreadable answers are easy points if another protocol reads them."""
    made_from = page.report.provenance
    count = page.report.input.outcomes.get(Outcome.UNPARSED, 0)
    if count < NOTABLE * made_from.cells:
        return ""
    share = part(count, made_from.cells)
    said = f"{share} of the answers could not be read under `{made_from.protocol_name}`"
    readers = [other for other in gaining(page) if other.unparsed < count]
    reader = min(readers, key=lambda other: (other.unparsed, -other.value), default=None)
    if reader is None:
        return f"{said}: look at some of them, and state the form of the answer in the prompt."
    reads = "reads them all" if not reader.unparsed else f"reads all but {reader.unparsed:,}"
    return (
        f"{said}; `{reader.name}` {reads} and gives {percent(reader.value)}: fix the form of the"
        " answers in the prompt first."
    )


def refused(page: Page) -> str:
    """Refusals depend on the prompt or the model's policy, not on skill."""
    made_from = page.report.provenance
    count = page.report.input.outcomes.get(Outcome.REFUSED, 0)
    if count < NOTABLE * made_from.cells:
        return ""
    return (
        f"{part(count, made_from.cells)} of the answers are refusals: filter the items by `refused`"
        " and see what they have in common."
    )


def published_drops(page: Page) -> str:
    """The published code's number covers fewer items, or there is none."""
    given = page.report.input
    value = page.report.numbers.headline
    if value.as_published is None:
        crashes = f" (it raises on {counted(given.crashed, 'answer')})" if given.crashed else ""
        return f"The published code prints no number for these answers{crashes}: quote ours."
    if abs(value.as_published - value.value) < POINT / 10:
        return ""
    return (
        f"The published code would print {percent(value.as_published)}, not"
        f" {percent(value.value)}, because it leaves answers out of its mean: say which of the"
        " two you quote."
    )


def protocols_part(page: Page) -> str:
    """If another protocol's number differs by more than a point, name the part that causes it."""
    apart = [each for each in page.differences if _gap(each) >= POINT and each.shares]
    if not apart:
        return ""
    widest = max(apart, key=_gap)
    difference = widest.second_value - widest.first_value
    most = max(widest.shares, key=lambda share: share.share * math.copysign(1, difference))
    return (
        f"`{widest.second}` gives the same answers {percent(widest.second_value)}"
        f" ({points(difference)} points; its {most.part} alone {points(most.share)}). Name the"
        " protocol wherever you quote the number."
    )


def uncertain(page: Page) -> str:
    """The items that a narrower interval needs: half the width needs four times the items.

    If all values are equal, there is no standard error to reduce.
    """
    estimate = page.report.numbers.estimate
    if estimate is None or estimate.interval is None or not estimate.standard_error:
        return ""
    half = (estimate.interval.high - estimate.interval.low) / 2
    if half <= POINT:
        return ""
    needed = math.ceil(estimate.items * (half / POINT) ** 2)
    rounded = two_digits(needed)
    return (
        f"The interval is ±{100 * half:.1f} points: a difference of 1 point can't be seen in it."
        f" An interval of ±1 point takes about {rounded:,} items of this kind; comparing two runs"
        " item by item (`report.compare`) can do with fewer."
    )


def without_interval(page: Page) -> str:
    """A number without an interval supports no claim."""
    estimate = page.report.numbers.estimate
    if estimate is None or estimate.interval is not None:
        return ""
    return (
        f"{counted(estimate.clusters, 'independent group')} of items"
        f" {'gives' if estimate.clusters == 1 else 'give'} no interval: how sure the number is, is"
        " not known."
    )


def hangs_together(page: Page) -> str:
    """If items of a cluster are correlated, more clusters help and more items do not."""
    numbers = page.report.numbers
    estimate = numbers.estimate
    if estimate is None or estimate.design_effect is None or numbers.clustered_by == "item":
        return ""
    if estimate.design_effect < 1.5:
        return ""
    return (
        f"Items with the same `{numbers.clustered_by}` hang together: the {estimate.items:,} items"
        f" say as much as {estimate.items / estimate.design_effect:,.0f} independent ones. For a"
        f" surer number add values of `{numbers.clustered_by}`, not items to the ones there are."
    )


def weakest_cell(page: Page) -> str:
    """The tag value that costs the most points and is significantly below the rest."""
    whole = page.report.numbers.estimate
    if whole is None:
        return ""
    found: list[tuple[float, str, Cell, Estimate]] = []
    shown = [
        (breakdown.tag, breakdown.items, cell, cell.estimate)
        for breakdown in page.breakdowns
        if breakdown.metric == page.report.numbers.primary
        for cell in breakdown.cells
        if cell.estimate is not None and cell.items < breakdown.items
    ]
    for tag, items, cell, estimate in shown:
        gap = whole.value - estimate.value
        if gap >= POINT and _beyond_noise(gap, whole, estimate, len(shown)):
            found.append((gap * cell.items / items, tag, cell, estimate))
    if not found:
        return ""
    cost, tag, cell, estimate = max(found, key=lambda each: each[0])
    return (
        f"Items with `{tag}` = {cell.name} ({cell.items:,}) score {percent(estimate.value)},"
        f" {100 * (whole.value - estimate.value):.1f} points below the whole; at the mean of the"
        f" whole they would add {100 * cost:.1f} points to it."
    )


def commonest_failure(page: Page) -> str:
    """The most frequent failure tag and its advice, unless other advice covers it.

    A single answer does not count as frequent.
    """
    covered = [tag for rule, tags in _COVERED.items() if rule(page) for tag in tags]
    left = [failure for failure in page.failures if failure.tag not in covered]
    most = max(left, key=lambda failure: failure.count, default=None)
    if most is None or most.count < 2:
        return ""
    first = max(failure.count for failure in page.failures) == most.count
    return (
        f"{'The' if first else 'Beside that, the'} commonest fault is `{most.tag}`:"
        f" {part(most.count, page.failed)} of the {page.failed:,} answers below full marks."
        f" {fault_advice(page, most)}"
    )


def harmed(page: Page) -> str:
    """The change of the pages that costs the most points, if it is significant."""
    real = [change for change in page.changes if change.gap <= -POINT and _real(change)]
    if not real:
        return ""
    worst = min(real, key=lambda change: change.gap)
    return (
        f"`{worst.label}` falls from {percent(worst.before.value)} to"
        f" {percent(worst.after.value)} when the pages change"
        f" (R = {number(worst.resilience, '.0f')}): the answers depend on what was changed."
    )


def raters_reached(page: Page) -> str:
    """At the level of the raters' own agreement the metric no longer distinguishes models."""
    numbers = page.report.numbers
    ceiling, estimate = numbers.ceiling.get(numbers.primary), numbers.estimate
    if ceiling is None or estimate is None or estimate.interval is None:
        return ""
    if estimate.interval.low > ceiling:
        return (
            f"The score lies above what the raters reach against one another"
            f" ({percent(ceiling)}): ask whether the model knows the references."
        )
    if estimate.interval.high >= ceiling:
        return (
            f"The score does not differ from the raters' own agreement ({percent(ceiling)}):"
            " further points on this metric say little."
        )
    return ""


def among_published(page: Page) -> str:
    """The published rows next to the score, and whether its interval distinguishes them."""
    rows = [row for row in page.calibration if row.kind is CalibrationKind.PUBLISHED]
    estimate = page.report.numbers.estimate
    if not rows:
        return ""
    value = page.report.value
    above = min((row for row in rows if row.value > value), key=_value, default=None)
    below = max((row for row in rows if row.value <= value), key=_value, default=None)
    if above is not None and below is not None:
        place = f"between {_cited(below)} and {_cited(above)}"
    elif above is not None:
        place = f"below every published row; the lowest is {_cited(above)}"
    else:
        place = f"above every published row; the highest is {_cited(max(rows, key=_value))}"
    if estimate is None or estimate.interval is None:
        return f"Among published rows the score stands {place}."
    held = sum(estimate.interval.low <= row.value <= estimate.interval.high for row in rows)
    unsure = (
        f" Its interval holds {counted(held, 'of them', 'of them')}, so the order is open there."
        if held
        else ""
    )
    return f"Among published rows the score stands {place}.{unsure}"


def inconsistent(page: Page) -> str:
    """pass@k and pass^k differ much: the model succeeds, but not reliably."""
    numbers = page.report.numbers
    if not numbers.pass_at:
        return ""
    k = max(numbers.pass_at)
    at, hat = numbers.pass_at[k], numbers.pass_hat[k]
    if k < 2 or at - hat < 10 * POINT:
        return ""
    return (
        f"In {k} attempts {percent(at)} of the items pass at least once and {percent(hat)} every"
        f" time: the difference is luck; quote pass^{k} where reliability counts."
    )


def input_problems(page: Page) -> str:
    """Faults of the input can hide answers."""
    given = page.report.input
    count = sum(given.problem_counts.values())
    if not count:
        return ""
    kinds = ", ".join(f"{number:,} {kind.value}" for kind, number in given.problem_counts.items())
    return f"{counted(count, 'problem')} in the input ({kinds}): see the list below."


Rule = Callable[[Page], str]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "incomplete": incomplete,
        "other-data": other_data,
        "selected": selected,
        "within-chance": within_chance,
        "unread": unread,
        "refused": refused,
        "published-drops": published_drops,
        "without-interval": without_interval,
        "commonest-failure": commonest_failure,
        "weakest-cell": weakest_cell,
        "harmed": harmed,
        "protocols-part": protocols_part,
        "uncertain": uncertain,
        "hangs-together": hangs_together,
        "inconsistent": inconsistent,
        "raters-reached": raters_reached,
        "among-published": among_published,
        "input-problems": input_problems,
    }
)
"""Every rule by its id, in the order in which they speak."""

GROUND = frozenset({"incomplete", "other-data", "selected", "input-problems"})
"""The rules that hold whatever the answers are worth."""

_COVERED: Mapping[Rule, frozenset[str]] = MappingProxyType(
    {
        incomplete: frozenset({FailureTag.MISSING, FailureTag.ERROR}),
        unread: frozenset({FailureTag.UNPARSED, FailureTag.WRONG_SHAPE, FailureTag.TOO_LONG}),
        refused: frozenset({FailureTag.REFUSED}),
    }
)
"""The faults that a rule has already spoken of, counted otherwise."""


def _beyond_noise(gap: float, whole: Estimate, cell: Estimate, looked_at: int) -> bool:
    """Whether a cell is significantly below the whole, corrected for all cells (Bonferroni)."""
    if whole.standard_error is None or cell.standard_error is None:
        return False
    error = math.hypot(whole.standard_error, cell.standard_error)
    return gap > NormalDist().inv_cdf(1 - _ERROR_RATE / (2 * looked_at)) * error


def _real(change: Change) -> bool:
    if change.difference is not None:
        interval = change.difference.interval
        return interval is not None and interval.high < 0
    before, after = change.before.interval, change.after.interval
    return before is not None and after is not None and after.high < before.low


def _gap(difference: Difference) -> float:
    return abs(difference.second_value - difference.first_value)


def _value(row: CalibrationRow) -> float:
    return row.value


def _cited(row: CalibrationRow) -> str:
    return f"{row.label} ({percent(row.value)})"
