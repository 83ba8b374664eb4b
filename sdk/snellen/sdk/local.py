"""Grading on this machine: `grade` and `attainable`; `score` and `read` are in `scoring`."""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from snellen.grading.breakdown import estimate_all, estimate_population, strata_of
from snellen.grading.ceiling import Attainable, attainable_maximum, leave_one_rater_out
from snellen.grading.chance import chance_of, population_chance
from snellen.grading.errors import InputError, InputWarning
from snellen.grading.grade import Answers, Columns, Grader
from snellen.grading.models import reports
from snellen.grading.models.estimates import Chance
from snellen.grading.models.reports import Input, Notice, Numbers, Provenance
from snellen.grading.models.runs import Run
from snellen.grading.protocols.base import (
    IntArray,
    Protocol,
)
from snellen.grading.protocols.golds import StepGold, Target
from snellen.grading.protocols.table import gold_shape
from snellen.grading.score_table import ScoreTable
from snellen.grading.tally import Tally
from snellen.sdk.inputs.intake import Intake
from snellen.sdk.inputs.selection import Data, References, Selection, select, with_corrections
from snellen.sdk.inputs.tags import ITEM, Tags
from snellen.sdk.notices import Agreement, Notices, PublishedReading
from snellen.sdk.progress import watched
from snellen.sdk.report import Report
from snellen.sdk.scored import intake_of
from snellen.sdk.scoring import check_coordinates, choose
from snellen.tasks.benchmarks.table import task_of
from snellen.tasks.models import TaskData

if TYPE_CHECKING:
    from snellen.grading.actions.declaring import ReadAs
    from snellen.grading.metrics.code import CodeExecutor
    from snellen.grading.point_audit import Auditor, CoordinateAudit
    from snellen.grading.step_audit import StepAuditor
    from snellen.sdk.engines import Engine, Graded
    from snellen.sdk.inputs.answers import Given
    from snellen.tasks.corrections.overlay import Corrections

_NAMED = 3
OUTCOMES = "outcomes/run"
"""The task of runs whose verdicts were stored."""
POINTS = "points/point"
"""The task of `points=`."""
_version = cache(version)
"""The lookup takes as long as grading twenty answers."""


def grade(
    submissions: "Given",
    *,
    task: str | None = None,
    data: Data | None = None,
    protocol: str | None = None,
    references: References | None = None,
    split: str | None = None,
    items: Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    keep_scores: bool = True,
    embedder: str | None = None,
    executor: "CodeExecutor | None" = None,
    pass_mark: float = 1.0,
    tags: Tags | None = None,
    cluster: str | None = None,
    progress: bool | None = None,
    engine: "Engine | None" = None,
    format: str | None = None,  # noqa: A002  # what answers call it, too
    space: str | None = None,
    view: tuple[float, float] | None = None,
    answer: str | None = None,
    corrections: str | Path | None = None,
    model: str | None = None,
    points: str | Path | None = None,
) -> Report:
    """Grade a set of answers under one protocol.

    Args:
        submissions: A path (JSONL, JSON, CSV, parquet), a list or iterator of dicts or
            Submissions, or a pandas or polars frame; or item ids to answers, pairs of both, a
            Series or frame indexed by id, or a list or array of answers, one an item, in the data's
            order. An answer may be an object that an API returned. An id may omit the split.
        task: The task's id, such as `screenqa/short`; optional if `data` was loaded, or if the
            lines of a file name it. A run whose verdicts were stored needs neither task nor data.
        data: The published folder or file, the name of an included exam such as `sample`, or the
            result of `sdk.load`.
        protocol: The protocol's id; None: the task's first one (`official` if code was published,
            `robust` for points, boxes, letters and next actions).
        references: Instead of data: item ids to references in the published shape, or a JSON
            file of them.
        split: The split of the data; None: `test` if there is one.
        items: The ids of the items to grade, or a sample from `stratify`; None: all of the split.
        columns: Other names of fields in the submissions: `{"prediction": "response"}`. Usual names
            (`id`, `prediction`, ...) are recognized without it; `report.warnings` lists them.
        keep_scores: Keep every score and response, for `report.scores` and `sdk.regrade`.
        embedder: For a protocol that compares embeddings: `char-ngram`, an installed package with a
            sentence model, or a folder with one.
        executor: Runs the programs in answers to items of the matrix, such as
            `snellen.tasks.sandbox.SandboxExecutor(allow=True)`; None: programs are not run, and
            each counts as an error, not as a wrong answer.
        pass_mark: With several attempts: the primary value from which an attempt counts as passed.
        tags: More tags for the items: a CSV, TSV or JSONL file, a frame or a mapping, joined by
            item id or by an existing tag.
        cluster: The tag whose values are the independent groups of items, for the intervals; None:
            the task's default (ScreenQA: the screenshot); `item`: every item is its own group.
        progress: Show a progress bar; None: on a terminal, for long work.
        engine: Where answers are graded. None: in this process; `processes`: in one process per
            core of this machine; `ray`: on the Ray cluster of `ray.init` or `RAY_ADDRESS`, or on
            this machine. The report is the same.
        format: The format of the answers that declare none, such as `qwen3-vl`; for points, boxes
            and actions.
        space: What the coordinates of these answers count: `unit`, `pixels`, `thousand`, `view`;
            `auto`: what the coordinate audit finds, where one space alone explains the answers;
            None: what the format or the protocol says.
        view: The width and height, in pixels, of the image that the model saw, for `space="view"`.
        answer: Of results that another script stored with a text and what it read in it: `raw`, the
            text, or `parsed`; None: the parsed one.
        corrections: Corrections of the data's references: those that snellen includes by name, such
            as `known-1`, or a file. The report also has the score without them.
        model: Of a file with the answers of several models, as its field `model` names them: whose
            answers count.
        points: Instead of task and data: any set of elements to point at, as a file or a folder of
            JSON, JSON Lines, CSV or parquet. The task is then `points/point`.

    Returns:
        The report. Its `value`s divide by all selected items times the number of attempts.
        Problems of the input are in `warnings`, and are given as one `InputWarning`.

    Raises:
        SubmissionError: Nothing can be graded: the file can't be read, or no item id is known.
        DataError: The data can't be read.
        UnknownNameError: There is no such task, protocol, split, item or engine.
        EngineError: The engine is not available, or lost its workers.
        InputError: There is no such format or space, the task's answers have no coordinates, or
            points was given with another task or other data.
    """
    read_as = _read_as(format, space, view)
    if points is not None:
        if (task or POINTS) != POINTS or data is not None or references is not None:
            raise InputError("points is a set of its own: leave out task, data and references")
        task, data = POINTS, points
    if task is None and references is None and isinstance(submissions, str | os.PathLike):
        task = _task_named(os.fsdecode(submissions), data)
    named = data.task if isinstance(data, TaskData) else task
    if named in (None, OUTCOMES, OUTCOMES.partition("/")[0]):
        # Loaded late: most callers name another task.
        from snellen.sdk.submissions.runs import run_of

        listed = data is not None or references is not None
        run = run_of(submissions, sure=named is not None, listed=listed)
        task = OUTCOMES if named or run else None
        submissions = run or submissions
        data = run.data if run and data is None and references is None else data
    chosen = None if task is None else choose(task, protocol, embedder, executor)
    selection = select(task, data, references, split, items, tags=tags, cluster=cluster)
    if chosen is None:
        chosen = choose(selection.task, protocol, embedder, executor)
    if read_as is not None:
        check_coordinates(selection.task, selection.golds[0])

    def graded_once(batches: Iterable[Answers], given: Intake) -> Report:
        through = None
        if engine is not None:
            from snellen.sdk.engines import graded, spec_of

            spec = spec_of(given.selection, chosen, embedder, executor)
            through = partial(graded, spec=spec, engine=engine)
        report = grade_answers(
            batches,
            given,
            chosen,
            keep_scores=keep_scores or space == "auto",
            pass_mark=pass_mark,
            through=through,
            read_as="" if read_as is None else read_as.words,
        )
        return _in_best_space(report, given, chosen, read_as) if space == "auto" else report

    intake = Intake(selection, chosen, read_as, answer, model)
    answers = watched(intake.batches(submissions, columns), progress)
    if corrections is None:
        report = graded_once(answers, intake)
    else:
        from snellen.tasks.corrections.overlay import read_corrections

        known = read_corrections(corrections)
        report = grade_corrected(list(answers), intake, known, graded_once)
    if report.input.problems:
        from snellen.grading.report.render import problem_lines

        warnings.warn("\n".join(problem_lines(report)), InputWarning, stacklevel=2)
    return report


def _task_named(path: str, data: Data | None) -> str | None:
    """Return the task that the lines of a file name, unless the data says it.

    Raises:
        InputError: They name several.
    """
    if data is None or isinstance(data, TaskData):
        return None
    # Loaded late: most callers say the task.
    from snellen.sdk.submissions.tasks import tasks_named

    tasks = tasks_named(path)
    if len(tasks) > 1:
        raise InputError(
            f"its lines name {len(tasks):,} tasks: give one of them as the task"
            f" ({', '.join(tasks[:_NAMED])}, ...); `snellen grade` without --task grades all",
            file=path,
        )
    return tasks[0] if tasks else None


def grade_corrected(
    answers: Sequence[Answers],
    intake: Intake,
    corrections: "Corrections",
    graded_once: Callable[[Iterable[Answers], Intake], Report],
) -> Report:
    """Grade the answers of an intake with corrected references, with the score without beside.

    Raises:
        InputError: The corrections can't be applied, as for `with_corrections`.
    """
    before = intake.selection
    after = with_corrections(before, corrections)
    indexes = np.array([after.index.get(item_id, -1) for item_id in before.ids], dtype=np.int64)
    plain = graded_once(answers, intake)
    report = graded_once(
        [_moved(batch, indexes) for batch in answers], intake.corrected(after, indexes)
    )
    was = plain.numbers.headline
    found = report.provenance.corrected
    assert found is not None  # of the corrected data
    other = f", for another reference: {found.other}" if found.other else ""
    notice = Notice(
        code="corrections",
        message=f"corrections {found.name}: references replaced: {found.replaced}, items excluded:"
        f" {found.excluded}{other}; without them {plain.numbers.primary} is {100 * was.value:.2f}",
        count=found.replaced + found.excluded,
    )
    notices = (notice, *report.input.notices)
    changed = report.model_copy(
        update={
            "numbers": report.numbers.model_copy(update={"uncorrected": was}),
            "input": report.input.model_copy(
                update={"notices": notices, "warnings": tuple(one.message for one in notices)}
            ),
        }
    )
    table = report.scores if report.has_scores else None
    return Report.of(changed, table, intake_of(report), report.tags)


def _moved(answers: Answers, indexes: IntArray) -> Answers:
    """Return the answers to the items that are left, each with its item's new index."""
    items = indexes[answers.items]
    rows = np.flatnonzero(items >= 0).tolist()
    if len(rows) == len(items):
        return answers._replace(items=items)

    def left(column: Sequence[Any]) -> list[Any]:
        return [column[row] for row in rows]

    return Answers(
        items=items[rows],
        attempts=left(answers.attempts),
        responses=left(answers.responses),
        errors=None if answers.errors is None else left(answers.errors),
        models=None if answers.models is None else left(answers.models),
    )


def _in_best_space(
    report: Report, intake: Intake, protocol: Protocol, read_as: "ReadAs | None"
) -> Report:
    """Grade a report's answers again in the space that alone explains them, if one does."""
    from snellen.grading.actions.declaring import ReadAs, declared
    from snellen.sdk.analysis.audit import best_space

    space = best_space(report)
    if not space:
        return report
    chosen = (read_as or ReadAs())._replace(space=space)

    def said(response: object) -> object:
        own = None if isinstance(response, str) else declared(response)
        if own is not None and own.format is not None and own.counts is None:
            return chosen._replace(format=own.format.name).wrap(own.response)
        return chosen.wrap(response)

    answers = (
        batch._replace(responses=list(map(said, batch.responses)))
        for batch in report.scores.answers()
    )
    return grade_answers(
        answers,
        intake,
        protocol,
        pass_mark=report.provenance.pass_mark,
        read_as=f"{chosen.words},auto",
    )


def _read_as(
    form: str | None, space: str | None, view: tuple[float, float] | None
) -> "ReadAs | None":
    said = form, None if space == "auto" else space, view
    if said == (None, None, None):
        return None
    from snellen.grading.actions.declaring import ReadAs

    return ReadAs(*said).checked()


def grade_answers(
    batches: Iterable[Answers],
    intake: Intake,
    protocol: Protocol,
    *,
    keep_scores: bool = True,
    pass_mark: float = 1.0,
    run: Run | None = None,
    through: "Callable[[Iterable[Answers]], Graded] | None" = None,
    read_as: str = "",
    beside: bool = True,
) -> Report:
    """Grade the answers of an intake, which resolves them lazily or has resolved them before.

    Args:
        batches: The answers.
        intake: Their intake.
        protocol: The protocol.
        keep_scores: As for `grade`.
        pass_mark: As for `grade`.
        run: How snellen ran the model, if it did.
        through: An engine.
        read_as: What was said of the answers' format, for the signature.
        beside: Whether the number as published is told beside that of a default of ours.
    """
    selection = intake.selection
    grader = selection.grader(protocol)
    tally = Tally(protocol, selection.golds, pass_mark)
    kept: list[tuple[Answers, Columns]] = []
    auditor = _auditor(selection, protocol)
    notices = Notices(protocol)
    agreement = Agreement(intake, protocol)
    published = PublishedReading(selection, protocol) if beside else None
    here = ((answers, grader.batch(answers)) for answers in batches)
    for answers, columns in here if through is None else through(batches):
        tally.add(answers, columns)
        notices.add(answers, columns)
        agreement.add(answers, columns)
        if published is not None:
            published.add(answers, columns)
        if auditor is not None:
            auditor.add(answers, columns)
        if keep_scores:
            kept.append((answers, columns))
    attempts = intake.attempts
    keys, primary = protocol.metric.keys, protocol.metric.primary
    table = ScoreTable(keys, primary, selection.ids, attempts, kept) if keep_scores else None
    metrics = tally.metrics(len(attempts))
    means, tagging = tally.item_means(len(attempts)), selection.tagging
    clusters = tagging.clusters()
    advice = None if auditor is None else auditor.advice(clusters)
    directions = None if auditor is None else auditor.directions()
    found = [
        *(Notice(code="input", message=message) for message in intake.notices),
        *([] if advice is None else [_advised(advice)]),
        *([] if directions is None else [directions]),
        *notices.warnings(),
        *agreement.notices(),
    ]
    pass_at, pass_hat = tally.passes(len(attempts))
    ceiling = leave_one_rater_out(protocol, selection.raters, selection.contexts)
    report = reports.Report(
        numbers=Numbers(
            primary=primary,
            metrics=metrics,
            measures=tally.measures(),
            estimates=estimate_all(keys, means, metrics, clusters),
            clustered_by=tagging.cluster or ITEM,
            population=estimate_population(keys, means, selection.sample, tagging.tags),
            chance=_chance(selection, protocol, grader),
            as_published=None if published is None else published.result(len(attempts)),
            ceiling=ceiling.metrics,
            ceiling_items=ceiling.items,
            pass_at=pass_at,
            pass_hat=pass_hat,
        ),
        provenance=Provenance(
            task=selection.task,
            protocol=protocol.id,
            protocol_version=protocol.version,
            data=selection.pin,
            corrected=None if selection.data is None else selection.data.corrected,
            split=selection.split,
            items=len(selection.ids),
            selected=selection.digest,
            sample=selection.sample,
            embedder=protocol.metric.embedder,
            code_run=protocol.metric.runs_code,
            run=run,
            door=notices.condition("door"),
            time=notices.condition("time"),
            read_as=read_as,
            attempts=len(attempts),
            pass_mark=pass_mark,
            snellen=_version("snellen"),
        ),
        input=Input(
            outcomes=tally.outcomes(len(attempts)),
            crashed=tally.crashed,
            tag_coverage=tagging.coverage,
            problems=tuple(intake.problems),
            problem_counts=intake.problem_counts,
            not_selected=intake.not_selected,
            warnings=tuple(notice.message for notice in found),
            notices=tuple(found),
        ),
    )
    return Report.of(report, table, intake, tagging.tags)


def attainable(
    *,
    task: str | None = None,
    data: Data | None = None,
    protocol: str | None = None,
    references: References | None = None,
    split: str | None = None,
    embedder: str | None = None,
    executor: "CodeExecutor | None" = None,
) -> Attainable:
    """Return the score of a perfect agent, which answers every item with its reference.

    Args:
        task: As for `grade`.
        data: As for `grade`.
        protocol: As for `grade`.
        references: As for `grade`.
        split: As for `grade`.
        embedder: As for `grade`.
        executor: As for `grade`.
    """
    selection = select(task, data, references, split, None)
    return attainable_maximum(
        choose(selection.task, protocol, embedder, executor),
        gold_shape(selection.task).responses,
        selection.golds,
        selection.contexts,
    )


def _chance(selection: Selection, protocol: Protocol, grader: Grader) -> Chance | None:
    guess, golds, contexts = task_of(selection.task).guess, selection.golds, selection.contexts
    if selection.sample is None:
        return chance_of(guess, protocol, golds, contexts, grader=grader)
    strata = strata_of(selection.sample, selection.tagging.tags)
    return population_chance(guess, protocol, golds, contexts, strata)


def _advised(advice: "CoordinateAudit") -> Notice:
    return Notice(
        code="space",
        message=advice.warning,
        count=advice.answers,
        protocol=advice.protocol,
        space=advice.space,
    )


def _auditor(selection: Selection, protocol: Protocol) -> "Auditor | StepAuditor | None":
    """Return an auditor of coordinates, if the task has any."""
    if not isinstance(selection.golds[0], (Target, StepGold)):
        return None
    # Most tasks have texts as answers.
    from snellen.sdk.analysis.audit import AUDITED, auditor_of

    return auditor_of(selection, protocol, most=AUDITED)
