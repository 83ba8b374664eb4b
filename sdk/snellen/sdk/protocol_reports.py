"""One set of stored answers under several protocols: the differences and their causes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snellen.grading.errors import UnknownNameError
from snellen.grading.explain import Explanation
from snellen.grading.explain import explain as explain_pair
from snellen.grading.grade import Answers
from snellen.grading.metrics.code import CodeExecutor
from snellen.grading.models.base import Closed
from snellen.grading.protocols.table import protocols_of
from snellen.grading.report.render import protocols_table
from snellen.grading.table import Printable, Table
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.selection import Data, References, select, with_corrections
from snellen.sdk.local import choose, grade_answers
from snellen.sdk.progress import watched
from snellen.sdk.report import Report
from snellen.sdk.submissions import Source
from snellen.tasks.corrections.overlay import read_corrections

_SAME = 1e-6
"""Values closer than this are one: a perfect answer is 0.999999995 under rouge 1.0.1."""


class Parting(Closed):
    """An item on which two protocols disagree about the same response."""

    item_id: str
    attempt: int
    response: object
    first: float
    second: float


@dataclass(frozen=True, repr=False)
class ProtocolReports(Printable):
    """The reports of one set of answers, by protocol."""

    reports: dict[str, Report]  # protocol id to report, the task's default first
    _intake: Intake
    _answers: Sequence[Answers]
    _executor: CodeExecutor | None = None

    def pieces(self) -> Iterator[Table | str]:
        """Yield the numbers of each protocol, and notices."""
        yield protocols_table(self.reports)
        yield from self.notices

    @property
    def notices(self) -> Sequence[str]:
        """Notices on guessed field names of the answers, and on scrolls right the other way."""
        found = (one for report in self.reports.values() for one in report.input.notices)
        return [*self._intake.notices, *(one.message for one in found if one.code == "direction")]

    def explain(self, first: str, second: str, key: str | None = None) -> Explanation:
        """Divide the difference between two protocols' numbers among their four parts.

        Args:
            first: The first protocol.
            second: The second protocol.
            key: The metric; None: each protocol's primary metric.
        """
        selection = self._intake.selection
        return explain_pair(
            choose(selection.task, first, None, self._executor),
            choose(selection.task, second, None, self._executor),
            golds=selection.golds,
            contexts=selection.contexts,
            answers=self._answers,
            attempts=len(self._intake.attempts),
            key=key,
        )

    def partings(self, first: str, second: str, key: str | None = None) -> Iterator[Parting]:
        """Yield the items with different values under two protocols, the largest gap first."""
        tables = [self._report(name).scores for name in (first, second)]
        columns = [table.columns() for table in tables]
        for table in tables:
            if key is not None and key not in table.keys:
                raise UnknownNameError("metric of the protocol", key, table.keys)
        a, b = (
            column.values[:, column.keys.index(key or table.primary)]
            for table, column in zip(tables, columns, strict=True)
        )
        apart: list[float] = np.abs(a - b).tolist()
        parted = [cell for cell, gap in enumerate(apart) if gap > _SAME]
        for cell in sorted(parted, key=lambda cell: -apart[cell]):
            score = tables[0][cell]
            yield Parting(
                item_id=score.item_id or "",
                attempt=score.attempt,
                response=score.response,
                first=float(a[cell]),
                second=float(b[cell]),
            )

    def _report(self, name: str) -> Report:
        if name not in self.reports:
            raise UnknownNameError("protocol compared", name, self.reports)
        return self.reports[name]


def explain(
    submissions: Source,
    *,
    task: str | None = None,
    data: Data | None = None,
    protocols: Iterable[str] | None = None,
    references: References | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    executor: CodeExecutor | None = None,
    progress: bool | None = None,
    corrections: str | Path | None = None,
    answer: str | None = None,
) -> ProtocolReports:
    """Score one set of stored answers under several protocols of its task.

    Args:
        submissions: As for `grade`.
        task: As for `grade`.
        data: As for `grade`.
        protocols: The ids; None takes every protocol of the task.
        references: As for `grade`.
        split: As for `grade`.
        items: As for `grade`.
        columns: As for `grade`.
        executor: As for `grade`.
        progress: As for `grade`.
        corrections: As for `grade`, but without the scores without them.
        answer: As for `grade`.
    """
    selection = select(task, data, references, split, items)
    if corrections is not None:
        selection = with_corrections(selection, read_corrections(corrections))
    known = [protocol.id for protocol in protocols_of(selection.task)]
    chosen = [
        choose(selection.task, name, None, executor)
        for name in (known if protocols is None else protocols)
    ]
    intake = Intake(selection, answer=answer)
    answers = list(watched(intake.batches(submissions, columns), progress))
    reports = {
        protocol.id: grade_answers(answers, intake, protocol, beside=False) for protocol in chosen
    }
    return ProtocolReports(reports, intake, answers, executor)
