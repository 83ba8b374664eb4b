"""Exact attribution of the difference between two protocols on the same stored answers.

A protocol has four parts: parser, normalization, metric, denominator. If both parsers find a point
and then say what its numbers count, the unit is a fifth. Every mixture of the two protocols' parts
is also a protocol and can score the answers. The Shapley values of the parts over all mixtures
divide the difference among them (Shapley, 1953: A value for n-person games). The shares add up to
the difference.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import combinations

from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.base import Closed
from snellen.grading.models.reports import MetricValue
from snellen.grading.protocols import base
from snellen.grading.table import Printable, Table, figures
from snellen.grading.tally import Tally


class Part(StrEnum):
    """A part of a protocol. Parsers of points have two: which numbers, and what they count."""

    PARSER = "parser"
    UNIT = "unit"
    NORMALIZATION = "normalization"
    METRIC = "metric"
    DENOMINATOR = "denominator"


class Share(Closed):
    """The contribution of one part to the difference, and the part's name in both protocols."""

    part: Part
    share: float
    first: str
    second: str


class Explanation(Printable, Closed):
    """The difference between two protocols on one set of answers, divided among their parts.

    Attributes:
        first: The first protocol, with its version.
        second: The second protocol, with its version.
        key: The metric compared; the two primary metrics can have different names.
        first_value: The published value under the first protocol.
        second_value: The published value under the second protocol.
        difference: second_value - first_value.
        shares: One share per part; they add up to the difference.
        residual: The difference minus the shares' sum: 0 except for rounding.
        note: A note if a published run prints no number and the value over all items replaces it.
    """

    first: str
    second: str
    key: str
    first_value: float
    second_value: float
    difference: float
    shares: tuple[Share, ...]
    residual: float
    note: str = ""

    def pieces(self) -> Iterator[Table | str]:
        """Yield the two values, and the share of each part, in points."""
        yield (
            f"{self.first} -> {self.second} ({self.key}): {100 * self.first_value:.2f} ->"
            f" {100 * self.second_value:.2f}, difference {100 * self.difference:+.2f}"
        )
        yield figures(
            ("part", "points", "change"),
            (
                (
                    each.part.value,
                    f"{100 * each.share:+.2f}",
                    each.first if each.first == each.second else f"{each.first} -> {each.second}",
                )
                for each in self.shares
            ),
            texts=(0, 2),
        )
        yield from filter(None, [self.note])


PARTS: tuple[Part, ...] = (Part.PARSER, Part.NORMALIZATION, Part.METRIC, Part.DENOMINATOR)
"""The parts that every protocol has."""

_UNPRINTED = (
    "a published run prints no number for these answers, because it crashes or drops them all;"
    " the value over all items stands in for it"
)


def mixture(first: base.Protocol, second: base.Protocol, taken: Iterable[Part]) -> base.Protocol:
    """Return the first protocol with the named parts taken from the second."""
    parts = set(taken)
    reader = second.parser if Part.PARSER in parts else first.parser
    if Part.UNIT in parts_of(first, second):
        reader = _counted(reader, second.parser if Part.UNIT in parts else first.parser)
    return replace(
        first,
        parser=reader,
        normalizer=second.normalizer if Part.NORMALIZATION in parts else first.normalizer,
        metric=second.metric if Part.METRIC in parts else first.metric,
        denominator=second.denominator if Part.DENOMINATOR in parts else first.denominator,
    )


def parts_of(first: base.Protocol, second: base.Protocol) -> tuple[Part, ...]:
    """Return the parts in which two protocols can be compared."""
    if first.parser.split is None or second.parser.split is None:
        return PARTS
    return tuple(Part)


def _counted(reader: base.Parser, unit: base.Parser) -> base.Parser:
    """Return a parser that finds points as one does, and has them count what another says."""
    if reader is unit or reader.split is None or unit.split is None:
        return reader
    find, place = reader.split.find, unit.split.place

    def read(response: object, context: base.Context) -> base.Parsed:
        point = find(response, context)
        if point is None or isinstance(point, str | base.Parsed):
            return reader.read(response, context)
        return place(point, context)

    return replace(reader, read=read)


def explain(
    first: base.Protocol,
    second: base.Protocol,
    *,
    golds: Sequence[base.Gold],
    contexts: Sequence[base.Context],
    answers: Sequence[Answers],
    attempts: int,
    key: str | None = None,
) -> Explanation:
    """Divide the difference between two protocols of one task among their parts.

    Args:
        first: The first protocol.
        second: The second protocol.
        golds: The selected items' references.
        contexts: The items' contexts for parsers, or empty.
        answers: The stored answers.
        attempts: The number of attempts per item.
        key: The metric to compare; both protocols must have it. None: each one's primary metric.

    Raises:
        MetricError: The protocols are of different tasks or lack the metric, the metric is not
            defined on these answers, or there are no items or attempts.
    """
    if first.task != second.task:
        raise MetricError(f"{first.task} and {second.task} have no protocol in common")
    for protocol in (first, second):
        metric = protocol.metric
        if key is not None and key not in metric.keys + metric.corpus_keys:
            raise MetricError(f"protocol {protocol.id} of {protocol.task} has no metric {key!r}")
    if not golds:
        raise MetricError("no items: there is no difference to explain")
    values: dict[frozenset[Part], float] = {}
    unprinted = False
    parted = parts_of(first, second)
    graded = [part for part in parted if part is not Part.DENOMINATOR]
    # Equal parts in both protocols give the same mixture more than once.
    known: dict[
        tuple[base.Parser, base.Normalizer, base.Metric], tuple[MetricValue, MetricValue]
    ] = {}
    for taken in _subsets(graded):
        mixed = mixture(first, second, taken)
        parts = (mixed.parser, mixed.normalizer, mixed.metric)
        if parts not in known:
            grader = Grader.of(mixed, golds, contexts)
            known[parts] = _both(grader, golds, (first, second), answers, attempts, key)
        for value, denominators in zip(known[parts], ((), (Part.DENOMINATOR,)), strict=True):
            unprinted = unprinted or value.as_published is None
            values[taken.union(denominators)] = _printed(value)
    empty, everything = frozenset[Part](), frozenset(parted)
    shares = tuple(
        Share(
            part=part,
            share=_shapley(part, parted, values),
            first=part_name(first, part),
            second=part_name(second, part),
        )
        for part in parted
    )
    difference = values[everything] - values[empty]
    return Explanation(
        first=first.name,
        second=second.name,
        key=key or _key_name(first, second),
        first_value=values[empty],
        second_value=values[everything],
        difference=difference,
        shares=shares,
        residual=difference - math.fsum(share.share for share in shares),
        note=_UNPRINTED if unprinted else "",
    )


def part_name(protocol: base.Protocol, part: Part) -> str:
    """Return the name of a protocol's part."""
    return {
        Part.PARSER: protocol.parser.name,
        Part.UNIT: "" if protocol.parser.split is None else protocol.parser.split.unit,
        Part.NORMALIZATION: protocol.normalizer.name,
        Part.METRIC: protocol.metric.name,
        Part.DENOMINATOR: protocol.denominator.name,
    }[part]


def _both(
    grader: Grader,
    golds: Sequence[base.Gold],
    denominators: tuple[base.Protocol, base.Protocol],
    answers: Sequence[Answers],
    attempts: int,
    key: str | None,
) -> tuple[MetricValue, MetricValue]:
    mixed = grader.protocol
    tallies = [
        Tally(replace(mixed, denominator=protocol.denominator), golds) for protocol in denominators
    ]
    for batch in answers:
        columns = grader.batch(batch)
        for tally in tallies:
            tally.add(batch, columns)
    chosen = key or mixed.metric.primary
    found = [tally.metrics(attempts) for tally in tallies]
    if not all(chosen in metrics for metrics in found):
        raise MetricError(f"{chosen} of {mixed.task} is not defined on these items and answers")
    one, other = (metrics[chosen] for metrics in found)
    return one, other


def _key_name(first: base.Protocol, second: base.Protocol) -> str:
    names = dict.fromkeys((first.metric.primary, second.metric.primary))
    return " / ".join(names)


def _printed(metric: MetricValue) -> float:
    return metric.value if metric.as_published is None else metric.as_published


def _subsets(parts: Sequence[Part]) -> Iterable[frozenset[Part]]:
    for size in range(len(parts) + 1):
        for chosen in combinations(parts, size):
            yield frozenset(chosen)


def _shapley(part: Part, parted: Sequence[Part], values: dict[frozenset[Part], float]) -> float:
    others = [other for other in parted if other is not part]
    count = len(parted)
    terms: list[float] = []
    for without in _subsets(others):
        weight = (
            math.factorial(len(without))
            * math.factorial(count - len(without) - 1)
            / math.factorial(count)
        )
        terms += [weight * values[without | {part}], -weight * values[without]]
    return math.fsum(terms)
