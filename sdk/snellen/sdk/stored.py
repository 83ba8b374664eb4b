"""Grading stored answers again: `regrade`."""

from collections.abc import Iterator
from pathlib import Path

from snellen.grading.errors import InputError, SubmissionError
from snellen.grading.score_table import ScoreTable
from snellen.sdk.intake import Intake
from snellen.sdk.local import choose, grade, grade_answers
from snellen.sdk.reports import Report
from snellen.sdk.saved import read_saved
from snellen.sdk.selection import Data, References, select
from snellen.sdk.submissions import Batch


def regrade(
    source: Report | str | Path,
    *,
    protocol: str | None = None,
    task: str | None = None,
    data: Data | None = None,
    references: References | None = None,
    split: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Grade stored answers again, asking no model.

    Args:
        source: A report that kept its scores, a report saved as JSON, or any file of
            submissions.
        protocol: The protocol's id; the task's first one when None.
        task: The task's id; a report knows its own.
        data: The published data; a report knows where it was.
        references: Instead of data, as for `grade`.
        split: As for `grade`; a report knows its own.
        embedder: As for `grade`.

    Raises:
        InputError: The report kept no scores, is of another task, or does not say what it was
            graded against.
    """
    if not isinstance(source, Report):
        return _regrade_file(Path(source), protocol, task, data, references, split, embedder)
    if task is not None and task != source.task:
        raise InputError(f"the report is of {source.task}, not of {task}")
    table, intake = source.scores, source.intake
    if intake is not None and data is None and references is None:
        chosen = choose(intake.selection.task, protocol, embedder)
        return grade_answers(table.answers(), intake, chosen, pass_mark=source.pass_mark)
    items = table.ids if source.subset else None
    selection = select(task or source.task, data, references, split or source.split, items)
    again = Intake(selection)
    return grade_answers(
        (answers for answers, _ in again.resolve(_stored(table))),
        again,
        choose(selection.task, protocol, embedder),
        pass_mark=source.pass_mark,
    )


def _stored(table: ScoreTable) -> Iterator[Batch]:
    ids: list[str] = list(table.ids)
    for answers in table.answers():
        yield Batch(
            item_ids=[ids[item] for item in answers.items.tolist()],
            responses=list(answers.responses),
            attempts=list(answers.attempts),
            errors=None if answers.errors is None else list(answers.errors),
            models=None if answers.models is None else list(answers.models),
            lines=range(1, len(answers.responses) + 1),
            problems=[],
        )


def _regrade_file(
    path: Path,
    protocol: str | None,
    task: str | None,
    data: Data | None,
    references: References | None,
    split: str | None,
    embedder: str | None,
) -> Report:
    if str(path) != "-" and not path.exists():
        raise SubmissionError("there is no such file", file=str(path))
    saved = read_saved(path)
    items: list[str] | None = None
    if saved is not None:
        task, split = task or saved.task, split or saved.split
        items = saved.item_ids() if saved.subset else None
        if data is None and references is None:
            if saved.data.is_references:
                references = saved.data_path(path)
            else:
                data = saved.data_path(path)
    return grade(
        path,
        task=task,
        data=data,
        references=references,
        split=split,
        items=items,
        protocol=protocol,
        embedder=embedder,
        pass_mark=1.0 if saved is None else saved.pass_mark,
    )
