"""A judge model's verdicts on a report's responses, separate from the score."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from snellen.grading.errors import DataError, InputError, UnknownNameError
from snellen.grading.judging.rubrics import CORRECT, Rubric, read_rubric, rubric_of
from snellen.grading.judging.summary import NONE, Ratings
from snellen.grading.models.auxiliary import Auxiliary
from snellen.grading.models.base import digest_of
from snellen.grading.models.runs import Run
from snellen.grading.protocols.table import protocol_of
from snellen.sdk.data.labels import Labels, read_labels
from snellen.sdk.data.selection import Data
from snellen.sdk.models.ask import Session
from snellen.sdk.models.clients import client_of
from snellen.sdk.models.endpoints import Endpoint
from snellen.sdk.models.questions import Model
from snellen.sdk.models.settings import Asking, AskingOptions
from snellen.sdk.models.verdicts import (
    Cases,
    JudgeQuestions,
    VerdictClient,
    Verdicts,
    cases_of,
    read_verdicts,
)
from snellen.sdk.report import Report
from snellen.sdk.scored import intake_of
from snellen.sdk.stored import reopen

_RUBRIC_FILE = ".toml"


def judge(
    report: Report | str | Path,
    *,
    judge: Model | str | Endpoint,
    rubric: Rubric | str | Path = CORRECT.name,
    items: Iterable[str] | None = None,
    votes: int = 1,
    labels: Labels | None = None,
    with_images: bool = False,
    data: Data | None = None,
    **options: Unpack[AskingOptions],
) -> Report:
    """Let a judge model grade a report's responses, and add its verdicts to the report.

    The judge gets each question with its references and the response. With a remote judge, the
    references leave this machine.

    Args:
        report: A report with its scores; if it is saved as JSON, the loaded report or its path.
        judge: A model, as for `evaluate`: an `Endpoint`, a base URL, or an async function from a
            `Question`, whose prompt is the rubric's and contains the references.
        rubric: `correct` (0 or 1), `graded` (0 to 4), a `Rubric`, or a TOML file with one.
        items: The ids of the items to judge; None: all.
        votes: The number of verdicts per response, an odd number; the median counts.
        labels: People's labels of the responses, as `item_id` and `label`: a CSV, TSV or JSONL
            file, a frame or a mapping.
        with_images: Also send the items' images.
        data: The location of a saved report's data; None: the recorded location.
        **options: `name`, `max_view_side`, `decoding`, `limits`, `run` (a folder that saves each
            verdict at once), `cache` and `progress`, as for `evaluate`.

    Returns:
        A copy of the report with an additional `auxiliary`, named `judge:MODEL/RUBRIC`. Its value,
        metrics and signature do not change.

    Raises:
        InputError: An argument can't be used; the report has no scores, its data was not found,
            its answers are places instead of texts, or there is no response to judge.
        UnknownNameError: There is no such rubric or item.
        EvaluationStoppedError: As for `evaluate`.
        EvaluationInterrupted: As for `evaluate`.
    """
    given = _opened(report, data)
    rule = _rubric(rubric)
    if votes < 1 or votes % 2 == 0:
        raise InputError(f"it must be odd so that there is a majority, not {votes}", field="votes")
    table = given.scores
    people = (
        np.full(len(table), NONE, dtype=np.int64)
        if labels is None
        else read_labels(labels, table, rule.best)
    )
    asking = Asking(**options)
    cases = cases_of(given, _selected(given, items))
    if with_images and cases.data.load_image is None:
        raise DataError("the judge needs the images, but the data was loaded without them")
    questions = JudgeQuestions(
        cases, rule, with_images=with_images, max_view_side=asking.max_view_side
    )
    digest = digest_of(list(questions.prompts.values()))
    session = Session(
        questions=questions,
        model=VerdictClient(client_of(judge, asking), rule),
        asking=asking,
        attempts=votes,
        prompt=f"{rule.id}{'+images' if with_images else ''}",
        about={"task": given.task, "split": given.provenance.split, "data": digest},
    )
    asked = session.described(rule.id, session.ask_blocking())
    procedure = _Procedure(rule, votes, with_images, digest, asked)
    verdicts = read_verdicts(session.source, cases, rule, votes)
    opinion = _auxiliary(given, cases, procedure, verdicts, people)
    name = f"judge:{asked.model}/{rule.id}"
    others = {key: other for key, other in given.auxiliary.items() if key != name}
    copy = given.model_copy(update={"auxiliary": {**others, name: opinion}})
    return Report.of(copy, table, intake_of(given), given.tags)


@dataclass(frozen=True, slots=True)
class _Procedure:
    """The settings of a judgment.

    Attributes:
        rubric: The rubric.
        votes: The number of verdicts per response.
        with_images: Whether the judge saw the images.
        digest: The SHA-256 of all prompts.
        run: The description of the judge's run.
    """

    rubric: Rubric
    votes: int
    with_images: bool
    digest: str
    run: Run


def _opened(report: Report | str | Path, data: Data | None) -> Report:
    file = None if isinstance(report, Report) else str(report)
    if not isinstance(report, Report) or (report.has_scores and intake_of(report) is None):
        given = reopen(report, data=data)
    elif data is not None:
        raise InputError("data= is for a saved report; this report has its data already")
    else:
        given = report
    if not given.has_scores:
        raise InputError("the report has no scores, so no responses to judge", file=file)
    if intake_of(given) is None:
        raise InputError(
            "a judge needs the questions and references, but the report's data was not found;"
            " give its current location as data=",
            file=file,
        )
    return given


def _rubric(given: Rubric | str | Path) -> Rubric:
    if isinstance(given, Rubric):
        return given
    path = Path(given)
    if isinstance(given, str) and path.suffix.lower() != _RUBRIC_FILE:
        return rubric_of(given)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise InputError(f"can't read the rubric: {reason}", file=str(path)) from error
    return read_rubric(text, str(path))


def _selected(report: Report, items: Iterable[str] | None) -> NDArray[np.bool_]:
    """Return a mask of the items to judge."""
    indexes = report.scores.indexes
    if items is None:
        return np.ones(len(indexes), dtype=np.bool_)
    if isinstance(items, str):
        raise InputError(f"items= takes a list of item ids, not the text {items!r}")
    chosen = np.zeros(len(indexes), dtype=np.bool_)
    for item_id in items:
        if item_id not in indexes:
            raise UnknownNameError("item in the report", item_id, [*list(indexes)[:3], "..."])
        chosen[indexes[item_id]] = True
    if not chosen.any():
        raise InputError("items= has no item ids")
    return chosen


def _auxiliary(
    report: Report,
    cases: Cases,
    procedure: _Procedure,
    verdicts: Verdicts,
    people: NDArray[np.int64],
) -> Auxiliary:
    """Summarize the judge's verdicts."""
    table, rule = report.scores, procedure.rubric
    levels = np.full(len(table), NONE, dtype=np.int64)
    for cell, level in verdicts.levels.items():
        levels[cell] = level
    attempts = len(table.attempts)
    groups = report.clusters()
    codes = np.arange(len(table.ids)) if groups is None else groups
    columns = table.columns()
    ratings = Ratings(
        rubric=rule,
        levels=levels,
        asked=cases.asked,
        selected=cases.selected,
        labels=people,
        metric=report.numbers.primary,
        values=columns.values[:, table.keys.index(report.numbers.primary)],
        passing=report.provenance.pass_mark
        * protocol_of(report.task, report.provenance.protocol).metric.best,
        lengths=cases.lengths,
        clusters=np.repeat(codes, attempts).astype(np.int64),
        attempts=attempts,
    )
    mean = ratings.mean()
    lowest, highest = ratings.mean(0.0), ratings.mean(1.0)
    if mean is None or lowest is None or highest is None:
        raise InputError("the judge gave no verdict")
    judged = levels != NONE
    return Auxiliary(
        rubric=rule.id,
        signature=_signature(procedure),
        run=procedure.run,
        votes=procedure.votes,
        estimate=mean,
        lowest=lowest.value,
        highest=highest.value,
        clustered_by=report.numbers.clustered_by,
        items=int(cases.selected[::attempts].sum()),
        judged=int(judged.sum()),
        unanswered=int((cases.selected & ~cases.asked).sum()),
        unjudged=int((cases.asked & ~judged).sum()),
        faults=verdicts.faults,
        unanimous=verdicts.unanimous if procedure.votes > 1 else None,
        length_correlation=ratings.length_correlation(),
        agreements=ratings.agreements(),
        notes=tuple(_notes(report, cases, procedure, people)),
        levels=tuple(None if level == NONE else level for level in levels.tolist()),
    )


def _signature(procedure: _Procedure) -> str:
    run, rubric = procedure.run, procedure.rubric
    view = "native" if run.max_view_side is None else str(run.max_view_side)
    parts = (
        f"judge:{run.model}",
        f"rubric:{rubric.id}:sha256:{rubric.digest[:16]}",
        f"votes:{procedure.votes}",
        f"images:{view if procedure.with_images else 'none'}",
        f"decoding:{digest_of(run.decoding)[:16]}",
        f"prompts:sha256:{procedure.digest[:16]}",
        f"snellen:{version('snellen')}",
    )
    return "|".join(parts)


def _notes(
    report: Report, cases: Cases, procedure: _Procedure, people: NDArray[np.int64]
) -> Iterator[str]:
    run = procedure.run
    if cases.left_out:
        yield f"{cases.left_out:,} items were left out: their answers are places, not texts"
    if not (people != NONE).any():
        yield "no person's labels stand beside these verdicts: the judge is not validated"
    if report.provenance.sample is not None:
        yield "the mean is over the items drawn, without the sample's weights"
    if report.model is not None and report.model == run.model:
        yield "the judge is the model that answered; models tend to favour their own words"
    if procedure.votes > 1 and run.decoding.get("temperature") == 0:
        yield "at temperature 0 votes repeat one another; they say nothing of the judge"
