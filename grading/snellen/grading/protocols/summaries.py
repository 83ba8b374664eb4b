"""The columns that summaries of reports are made of, and how a benchmark names its own summaries.

A benchmark's module of tables makes those of its papers; the `Benchmark` object names it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from snellen.grading.errors import InputError
from snellen.grading.metrics.eqa import Missing, Reading
from snellen.grading.models.golds import Golds
from snellen.grading.models.reports import Report
from snellen.grading.models.tags import TagColumn
from snellen.grading.protocols.base import AnswerValue, FloatArray
from snellen.grading.table import PartValue, Summary

SHOWN = 5e-4
"""What is printed with one decimal place in percent differs from here on."""


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


@dataclass(frozen=True, kw_only=True)
class Cells:
    """A report with its scores and answers as columns, one row an item and attempt.

    Attributes:
        report: The report.
        item_tags: The items' tags.
        by: The tags by which its task is broken down.
        golds: The references of all items of the data; None: they are not at hand.
        load: Returns the primary metric; InputError if the report kept no scores.
        read: Returns what the protocol reads in each response, None where nothing.
    """

    report: Report
    item_tags: Mapping[str, TagColumn]
    by: tuple[str, ...]
    golds: Golds | None
    load: Callable[[], FloatArray]
    read: Callable[[], Sequence[AnswerValue | None]]

    @property
    def attempts(self) -> int:
        """How many rows an item has."""
        return self.report.provenance.attempts

    @cached_property
    def values(self) -> FloatArray:
        """The primary metric.

        Raises:
            InputError: The report kept no scores.
        """
        return self.load()

    @cached_property
    def answers(self) -> Sequence[AnswerValue | None]:
        """What the report's protocol reads in each response; None where nothing."""
        return self.read()

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
        column = self.item_tags.get(name)
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


Summarize: TypeAlias = Callable[[Cells, Options], Summary]


class Joint(NamedTuple):
    """A summary of several tasks of a benchmark.

    Attributes:
        tasks: The tasks; there is one as soon as two reports are of them.
        make: Makes it; None: there is nothing to say of these reports.
        replaces: Whether it stands in place of the reports' own summaries, not behind them.
        repeats: Whether a task may have several reports, which `make` tells apart.
    """

    tasks: tuple[str, ...]
    make: Callable[[Sequence[Cells], Options], Summary | None]
    replaces: bool = False
    repeats: bool = False


@dataclass(frozen=True)
class Summaries:
    """How a benchmark summarizes reports by more than a mean of each metric.

    Attributes:
        by_task: Makes the summary of one report, by its task.
        joint: The summaries of several tasks.
        printed: Whether papers print such tables.
    """

    by_task: Mapping[str, Summarize] = field(default_factory=dict[str, Summarize])
    joint: tuple[Joint, ...] = ()
    printed: bool = True


def with_note(summary: Summary, text: str) -> Summary:
    """Return a summary with a sentence more in the note of each table."""
    tables = (
        replace(table, note=" ".join(filter(None, (table.note, text)))) for table in summary.tables
    )
    return replace(summary, tables=tuple(tables))


def of_sample(summary: Summary, reports: Iterable[Report]) -> Summary:
    """Say so where reports are of samples: papers' tables are of items counted once each."""
    if all(report.provenance.sample is None for report in reports):
        return summary
    return with_note(
        summary,
        "The items are a stratified sample, and each counts once here; report.population and"
        " report.by count each as often as it stands for.",
    )


def metric_values(report: Report) -> tuple[PartValue, ...]:
    """Return a report's metrics over all of its items."""
    return tuple(
        PartValue(report.task, key, "", metric.value, report.provenance.items)
        for key, metric in report.metrics.items()
    )
