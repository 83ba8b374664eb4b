"""A report's scores as columns, one row an item and attempt, for what makes summaries of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from snellen.grading.errors import InputError
from snellen.grading.grade import read_response
from snellen.grading.metrics.eqa import Missing, Reading
from snellen.grading.models.scores import Outcome
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import NO_CONTEXT, AnswerValue, FloatArray
from snellen.grading.protocols.table import protocol_of
from snellen.grading.table import Summary
from snellen.sdk.scored import ScoredReport, intake_of


class Options(NamedTuple):
    """What is asked of a summary of episodes.

    Attributes:
        limit: The limit of steps, where the data does not say one, or a smaller one: an episode
            that took more has failed then.
        missing: What a platform of which no task was run counts as; None: both ways are shown.
        reading: Which EQA is set beside published ones; None: the protocol's own, else `exact`.
    """

    limit: float | None = None
    missing: Missing | None = None
    reading: Reading | None = None


DEFAULT = Options()


_LOST = (Outcome.MISSING, Outcome.ERROR)


@dataclass(frozen=True)
class Cells:
    """The scores of a report, item by item and attempt by attempt.

    Attributes:
        report: The report; it kept its scores.
    """

    report: ScoredReport

    @property
    def attempts(self) -> int:
        """How many rows an item has."""
        return len(self.report.scores.attempts)

    @cached_property
    def values(self) -> FloatArray:
        """The primary metric."""
        columns = self.report.scores.columns()
        return columns.values[:, columns.keys.index(self.report.numbers.primary)]

    @cached_property
    def answers(self) -> Sequence[AnswerValue | None]:
        """What the report's protocol reads in each response; None where nothing."""
        report = self.report
        protocol = protocol_of(report.task, report.provenance.protocol)
        intake = intake_of(report)
        contexts = () if intake is None else intake.selection.contexts
        found: list[AnswerValue | None] = []
        for number, row in enumerate(report.scores.rows()):
            lost = row["outcome"] in _LOST
            context = contexts[number // self.attempts] if contexts else NO_CONTEXT
            said = None if lost else row.get("response")
            found.append(None if said is None else read_response(protocol, said, context).answer)
        return found

    def tag(self, name: str) -> TagColumn:
        """Return a tag's column.

        Raises:
            InputError: The items do not have it.
        """
        column = self.tag_if_there(name)
        if column is None:
            raise InputError(
                f"the summary of {self.report.task} needs the tag {name!r}, which these items lack:"
                " grade against the published data, or give it with tags="
            )
        return column

    def tag_if_there(self, name: str) -> TagColumn | None:
        """Return a tag's column; None where the items do not have it."""
        column = self.report.tags.get(name)
        return None if column is None else [one for one in column for _ in range(self.attempts)]

    def tags(self, *names: str) -> Mapping[str, TagColumn]:
        """Return several tags' columns.

        Raises:
            InputError: The items lack one of them.
        """
        return {name: self.tag(name) for name in names}

    def of_items(self, summary: Summary) -> Summary:
        """Return a summary that was made of these rows, with its numbers of items counted once."""
        if self.attempts == 1:
            return summary
        noted = with_note(summary, f"Counts are of answers, {self.attempts} attempts an item.")
        values = tuple(one._replace(n=one.n // self.attempts) for one in summary.values)
        return replace(noted, values=values)


def with_note(summary: Summary, text: str) -> Summary:
    """Return a summary with a sentence more in the note of each table."""
    tables = (
        replace(table, note=" ".join(filter(None, (table.note, text)))) for table in summary.tables
    )
    return replace(summary, tables=tuple(tables))


def of_sample(summary: Summary, reports: Iterable[ScoredReport]) -> Summary:
    """Say so where reports are of samples: papers' tables are of items counted once each."""
    if all(report.provenance.sample is None for report in reports):
        return summary
    return with_note(
        summary,
        "The items are a stratified sample, and each counts once here; report.population and"
        " report.by count each as often as it stands for.",
    )


def cells_of(report: ScoredReport) -> Cells:
    """Return a report's scores as columns.

    Raises:
        InputError: The report kept no scores.
    """
    if not report.has_scores:
        raise InputError(
            f"the summary of {report.task} is made of the items' scores, which this report did not"
            " keep: grade with keep_scores=True"
        )
    return Cells(report)
