"""Grading the answers of an attempt, and the numbers of a part of the items."""

import hmac
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from snellen.grading.grade import OUTCOMES
from snellen.grading.models.estimates import Interval
from snellen.grading.models.scores import Outcome
from snellen.server.exam.file import Phase
from snellen.server.exam.phases import ALL, PUBLIC
from snellen.server.exam.spec import AnswerSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from snellen.sdk.report import Report


class PartNumbers(NamedTuple):
    """The numbers of a part of a task's items.

    Attributes:
        name: The part.
        items: The ids of its items.
        value: The mean of their primary metric; None: it has no items.
        interval: The value's confidence interval.
        outcomes: The number of items by outcome, without outcomes that did not occur.
    """

    name: str
    items: frozenset[str]
    value: float | None = None
    interval: Interval | None = None
    outcomes: dict[Outcome, int] | None = None


def grade_answers(answers: AnswerSet) -> "Report":
    """Grade the answers of one attempt to one task, as `sdk.grade` does, without its warning."""
    # An agent waits for its first item, and grading is needed at the end.
    from snellen.sdk.inputs.intake import Intake
    from snellen.sdk.inputs.selection import select
    from snellen.sdk.local import grade_answers as grade_batches
    from snellen.sdk.scoring import choose
    from snellen.sdk.submissions import Batch

    selection = select(None, answers.data, items=answers.items)
    protocol = choose(selection.task, answers.protocol.partition("@")[0], None)
    intake = Intake(selection, protocol)
    given = answers.submissions
    # The server read them when it stored them: there is nothing to find out about their form.
    stored = Batch(
        item_ids=[one.item_id for one in given],
        responses=[one.response for one in given],
        attempts=None,
        errors=[one.error for one in given],
        models=[one.model for one in given],
        lines=range(1, len(given) + 1),
        problems=[],
    )
    batches = (batch for batch, _ in intake.resolve([stored]))
    return grade_batches(batches, intake, protocol, beside=False)


def grade_public(answers: AnswerSet, secret: bytes, phase: Phase) -> PartNumbers:
    """Grade the answers of one attempt to one task over the public part of a phase's items."""
    report = grade_answers(answers)
    return part_numbers(report, PUBLIC, public_mask(report, secret, phase))


def public_mask(report: "Report", secret: bytes, phase: Phase) -> "NDArray[np.bool_]":
    """Return which items are public: whole screens, drawn as nobody outside can repeat."""
    names = report.tags.get(report.numbers.clustered_by, report.scores.ids)
    limit = (phase.public_share or 0) * 2**64

    def drawn(name: str | None) -> bool:
        said = f"{phase.name}|{report.task}|{name}".encode()
        return int.from_bytes(hmac.digest(secret, said, "sha256")[:8]) < limit

    known = {name: drawn(name) for name in set(names)}
    return np.array([known[name] for name in names])


def part_numbers(report: "Report", part: str, mask: "NDArray[np.bool_]") -> PartNumbers:
    """Return the numbers of a part of a report's items."""
    from snellen.grading.stats.summary import estimate

    items = frozenset(np.array(report.scores.ids)[mask].tolist())
    if not items:
        return PartNumbers(part, items, outcomes={})
    own = report.item_values()[mask]
    found = report.numbers.estimate if part == ALL else None
    if found is None:
        found = estimate(own, clusters_of(report)[mask])
    attempts = len(report.scores.attempts)
    codes = report.scores.columns().outcomes.reshape(-1, attempts)[mask]
    counts = np.bincount(codes.ravel(), minlength=len(OUTCOMES))
    return PartNumbers(
        part,
        items,
        report.value if part == ALL else float(own.mean()),
        found.interval,
        {OUTCOMES[code]: int(count) for code, count in enumerate(counts) if count},
    )


def clusters_of(report: "Report") -> "NDArray[np.int64]":
    """Return the group of each item; without groups, each item is its own."""
    known = report.clusters()
    return np.arange(len(report.scores.ids)) if known is None else known
