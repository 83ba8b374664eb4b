"""Regrading of stored answers, and loading of saved reports with their data."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from snellen.grading.breakdown import estimate_all
from snellen.grading.errors import InputError, SubmissionError
from snellen.grading.grade import Answers
from snellen.grading.metrics.code import CodeExecutor
from snellen.grading.protocols.base import Protocol
from snellen.grading.score_table import ScoreTable
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.selection import (
    REFERENCES,
    Data,
    References,
    Selection,
    select,
    with_corrections,
)
from snellen.sdk.inputs.tags import ITEM, Tagging, Tags
from snellen.sdk.local import choose, grade, grade_answers, grade_corrected
from snellen.sdk.report import Report, load_report
from snellen.sdk.saved import parse_report
from snellen.sdk.scored import intake_of
from snellen.sdk.submissions import Batch
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.corrections.overlay import Corrections, read_corrections


def regrade(
    source: Report | str | Path,
    *,
    protocol: str | None = None,
    task: str | None = None,
    data: Data | None = None,
    references: References | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
    embedder: str | None = None,
    executor: CodeExecutor | None = None,
    corrections: str | Path | None = None,
) -> Report:
    """Grade stored answers again, without a model.

    Args:
        source: A report that kept its scores, a report saved as JSON, or any file of
            submissions.
        protocol: The protocol's id; the task's first one when None.
        task: The task's id; a report knows its own.
        data: The published data; a report knows its location.
        references: Instead of data, as for `grade`.
        split: As for `grade`; a report knows its own.
        columns: As for `grade`, for a file of submissions.
        embedder: As for `grade`.
        executor: As for `grade`.
        corrections: As for `grade`; a report keeps its own.

    Raises:
        InputError: The report kept no scores, is of another task, does not name its data, or has
            other corrections.
    """
    if not isinstance(source, Report):
        path = Path(source)
        if str(path) != "-" and not path.exists():
            raise SubmissionError("there is no such file", file=str(path))
        saved = read_saved(path)
        if saved is None:
            return grade(
                path,
                task=task,
                data=data,
                references=references,
                split=split,
                columns=columns,
                protocol=protocol,
                embedder=embedder,
                executor=executor,
                corrections=corrections,
            )
        source = saved
    if task is not None and task != source.task:
        raise InputError(f"the report is of {source.task}, not of {task}")
    if embedder is None:
        _check_embedder(source, choose(source.task, protocol, None))
    _check_executor(source, choose(source.task, protocol, None, executor))
    table, intake = source.scores, intake_of(source)
    found = _corrections_of(source, corrections)

    def graded_once(answers: Iterable[Answers], given: Intake) -> Report:
        return grade_answers(
            answers,
            given,
            choose(given.selection.task, protocol, embedder, executor),
            pass_mark=source.provenance.pass_mark,
            run=source.provenance.run,
            read_as=source.provenance.read_as,
        )

    if intake is not None and data is None and references is None:
        answers = list(table.answers())
        if found is None or source.provenance.corrected is not None:
            return graded_once(answers, intake)
        return grade_corrected(answers, intake, found, graded_once)
    if data is None and references is None:
        data, references = _found_again(source)
    selection = select(
        source.task,
        data,
        references,
        split or source.provenance.split,
        table.ids if source.provenance.subset else None,
    )
    if found is not None and source.provenance.corrected is not None:
        # It has lost the answers to what they exclude: a score without them is not known.
        selection = with_corrections(selection, found)
    again = Intake(_with_tags_of(source, selection))
    answers = [answers for answers, _ in again.resolve(_stored(table))]
    return (
        graded_once(answers, again)
        if found is None or source.provenance.corrected is not None
        else grade_corrected(answers, again, found, graded_once)
    )


def _corrections_of(report: Report, given: str | Path | None) -> Corrections | None:
    """Return the corrections to apply: those given, or the report's own.

    Raises:
        InputError: The report has other ones, or its own can't be found again as they were.
    """
    own = report.provenance.corrected
    if own is None:
        return None if given is None else read_corrections(given)
    found = read_corrections(given or own.path or own.name)
    if found.sha256 != own.sha256:
        raise InputError(
            f"the report has the corrections {own.name} (sha256 {own.sha256[:16]}), not these"
            f" ({found.sha256[:16]}): grade the answers again",
            file=found.path,
        )
    return found


def reopen(
    path: Report | str | Path,
    *,
    data: Data | None = None,
    references: References | None = None,
    images: str | Path | None = None,
    tags: Tags | None = None,
    cluster: str | None = None,
) -> Report:
    """Load a saved report with its data; no number changes.

    If its data is missing or has changed, the report has its numbers, scores and tags, but no
    questions; `data.note` says so.

    Args:
        path: A report saved as JSON, or a loaded report.
        data: The location of its data; None: the recorded location.
        references: As for `grade`, for a report graded against references.
        images: A folder of images, if the data has none.
        tags: More tags, as for `grade`.
        cluster: The tag whose values are the independent groups; None: the report's own.

    Raises:
        InputError: It is not a saved report, the tags can't be joined, or the given data is not the
            report's data (`regrade` grades again).
        DataError: The data can't be read.
    """
    saved = path.model_copy() if isinstance(path, Report) else load_report(path)
    file = None if isinstance(path, Report) else str(path)
    if not saved.has_scores:
        asked = (data, references, images, tags, cluster)
        if any(one is not None for one in asked):
            raise InputError("the report was saved without scores", file=file)
        return saved
    given = data is not None or references is not None
    selection = _selection_of(saved, data, references, images)
    if selection is not None and (corrections := _corrections_of(saved, None)) is not None:
        selection = with_corrections(selection, corrections)
    if selection is not None and _is_of(saved, selection):
        intake = Intake.reopened(
            _with_tags_of(saved, selection), saved.input, saved.scores.attempts
        )
        saved = Report.of(saved, saved.scores, intake, saved.tags)
    elif selection is not None and given:
        raise InputError(
            "the report was graded against other data (sha256"
            f" {saved.provenance.data.sha256[:16]}, not {selection.pin.sha256[:16]});"
            " grade the answers again to use this",
            file=file,
        )
    else:
        gone = "was not found again" if selection is None else "has changed since"
        data_pin = saved.provenance.data
        note = f"{data_pin.note}; " if data_pin.note else ""
        data_pin = data_pin.model_copy(update={"note": f"{note}the data {gone}"})
        provenance = saved.provenance.model_copy(update={"data": data_pin})
        changed = saved.model_copy(update={"provenance": provenance})
        saved = Report.of(changed, saved.scores, None, saved.tags)
    return retagged(saved, tags=tags, cluster=cluster)


def _check_embedder(report: Report, protocol: Protocol) -> None:
    """Raise InputError if the report's embedder would be replaced without a request."""
    was, default = report.provenance.embedder, protocol.metric.embedder
    if was and default and was != default:
        raise InputError(f"it was graded with embedder:{was}; give embedder=, the one to use now")


def _check_executor(report: Report, protocol: Protocol) -> None:
    """Raise InputError if programs that were run for the report would become errors."""
    made_with = report.provenance
    if made_with.code_run and protocol.id == made_with.protocol and not protocol.metric.runs_code:
        raise InputError("programs were run for it; give executor= (--run-code) to run them again")


def _selection_of(
    saved: Report, data: Data | None, references: References | None, images: str | Path | None
) -> Selection | None:
    """Load the items and references of a report; None if their location is unknown."""
    if data is None and references is None:
        if saved.provenance.data.path is None or not Path(saved.provenance.data.path).exists():
            return None
        data, references = _found_again(saved)
    if isinstance(data, str | Path):
        data = load_task(saved.task, data, split=saved.provenance.split, images=images)
    items = saved.scores.ids if saved.provenance.subset else None
    return select(saved.task, data, references, saved.provenance.split, items)


def _is_of(saved: Report, selection: Selection) -> bool:
    known = selection.pin.sha256 == saved.provenance.data.sha256
    return known and list(selection.ids) == list(saved.scores.ids)


def retagged(report: Report, *, tags: Tags | None = None, cluster: str | None = None) -> Report:
    """Return a report whose items have more tags, or other groups for its intervals.

    Args:
        report: A report that kept its scores.
        tags: As for `grade`; None adds none.
        cluster: As for `grade`; None keeps the groups.

    Raises:
        InputError: The tags can't be read or joined, or the report kept no scores.
        UnknownNameError: There is no such tag to cluster by.
    """
    if tags is None and cluster is None:
        return report
    table, intake = report.scores, intake_of(report)
    given = Tagging(
        report.tags, None if report.numbers.clustered_by == ITEM else report.numbers.clustered_by
    )
    found = given.extended(table.ids, tags, cluster)
    clusters = found.clusters()
    keys = table.keys
    values = np.stack([report.item_values(key) for key in keys], axis=1)
    numbers = report.numbers.model_copy(
        update={
            "clustered_by": found.cluster or ITEM,
            "estimates": estimate_all(keys, values, report.metrics, clusters),
        }
    )
    given_input = report.input.model_copy(
        update={"tag_coverage": found.coverage or report.input.tag_coverage}
    )
    if intake is not None:
        intake = intake.of(replace(intake.selection, tagging=found))
    changed = report.model_copy(update={"numbers": numbers, "input": given_input})
    return Report.of(changed, table, intake, found.tags)


def read_saved(path: Path) -> Report | None:
    """Load a saved report; None if the file is not a report.

    Raises:
        InputError: The report was saved without scores, or is damaged.
    """
    if path.suffix.lower() != ".json" or not path.is_file():
        return None
    if parse_report(path.read_bytes(), str(path)) is None:
        return None
    report = load_report(path)
    if not report.has_scores:
        raise InputError(
            "the report was saved without scores; grade the answers again", file=str(path)
        )
    return report


def _with_tags_of(report: Report, selection: Selection) -> Selection:
    """Return reloaded items with the tags and groups of a report."""
    indexes = report.scores.indexes
    cells = [indexes.get(item_id) for item_id in selection.ids]
    added = {
        tag: [None if index is None else column[index] for index in cells]
        for tag, column in report.tags.items()
        if tag not in selection.tagging.tags
    }
    cluster = None if report.numbers.clustered_by == ITEM else report.numbers.clustered_by
    tags = {**selection.tagging.tags, **added}
    tagging = Tagging(tags, cluster, report.input.tag_coverage)
    # Weights are valid only for the data that the sample was drawn from.
    sample = (
        report.provenance.sample if selection.pin.sha256 == report.provenance.data.sha256 else None
    )
    return replace(selection, tagging=tagging, sample=sample)


def _found_again(report: Report) -> tuple[Data | None, References | None]:
    path = report.provenance.data.path
    if path is None:
        raise InputError("it was graded against references given in memory; give references= again")
    return (None, path) if report.provenance.data.release == REFERENCES else (path, None)


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
