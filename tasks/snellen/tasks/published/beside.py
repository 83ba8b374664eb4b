"""A run's numbers beside the printed ones of the same task, metric and part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from snellen.grading.table import PartValue
from snellen.tasks.published.tables import PublishedRow, Standing, standing


@dataclass(frozen=True, slots=True)
class BesideGroup:
    """One metric of one part of a task: this run's number and the printed ones.

    Attributes:
        task: The task's id, or what an average is of.
        metric: The metric's key.
        part: The part of the task, as in a breakdown; empty: all of it.
        value: This run's number, 0..1; None where it has none.
        n: How many items that is over.
        rows: The printed numbers, the best first: of a drop the smallest.
        standing: Between which of them the run stands, by value; None where it has no number.
        notes: What keeps the two from being compared.
    """

    task: str
    metric: str
    part: str
    value: float | None
    n: int | None
    rows: tuple[PublishedRow, ...]
    standing: Standing | None
    notes: tuple[str, ...]

    @property
    def rank(self) -> int | None:
        """1 where no printed number is better; None where the run has no number."""
        if self.standing is None:
            return None
        if self.metric in LESS_IS_BETTER:
            return self.standing.of - self.standing.rank - len(self.standing.equal) + 2
        return self.standing.rank

    @property
    def same_items(self) -> bool:
        """Whether the paper counts as many items, or does not say."""
        return self.rows[0].n in (None, self.n)


LESS_IS_BETTER = frozenset({"drop"})
"""Metrics of which a smaller number is better."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A run beside what papers print."""

    protocol: str  # what the run was graded by, with its version
    groups: tuple[BesideGroup, ...]  # one a metric and part, in the order of the printed tables
    notes: tuple[str, ...] = ()  # what keeps any of the run's numbers from being compared

    @property
    def rows(self) -> tuple[PublishedRow, ...]:
        """Every printed number."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def compared(self) -> tuple[BesideGroup, ...]:
        """The groups in which the run has a number."""
        return tuple(group for group in self.groups if group.value is not None)


def set_beside(
    values: Iterable[PartValue],
    rows: Iterable[PublishedRow],
    *,
    protocol: str,
    notes: Sequence[str] = (),
) -> Beside:
    """Set a run's numbers beside printed ones.

    Args:
        values: The run's numbers.
        rows: The printed numbers.
        protocol: What the run was graded by: `official@1`.
        notes: What keeps any of its numbers from being compared.
    """
    own = {(one.task, one.metric, one.part): one for one in values}
    groups: dict[tuple[str, str, str], list[PublishedRow]] = {}
    for row in rows:
        groups.setdefault((row.task, row.metric, row.part), []).append(row)
    return Beside(
        protocol,
        tuple(_group(own.get(name), found, protocol) for name, found in groups.items()),
        tuple(notes),
    )


def _group(own: PartValue | None, rows: list[PublishedRow], protocol: str) -> BesideGroup:
    first = rows[0]
    sign = 1 if first.metric in LESS_IS_BETTER else -1
    notes = [*dict.fromkeys(row.note for row in rows if row.note)]
    if own is not None and protocol not in first.protocols:
        notes.append(_other_rule(first, protocol))
    return BesideGroup(
        task=first.task,
        metric=first.metric,
        part=first.part,
        value=None if own is None else own.value,
        n=None if own is None else own.n,
        rows=tuple(sorted(rows, key=lambda row: sign * row.value)),
        standing=None if own is None else standing(rows, own.value),
        notes=tuple(notes),
    )


def _other_rule(row: PublishedRow, protocol: str) -> str:
    if not row.protocols:
        return "no protocol is known whose numbers compare with the printed ones"
    known = " or ".join(f"`{name}`" for name in row.protocols)
    return f"graded by `{protocol}`; the printed numbers compare with {known}"
