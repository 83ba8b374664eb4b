"""A report as a log of Inspect AI, for `inspect view`. That package itself writes the log.

Every item is a sample and every attempt an epoch. Missing answers and errors have no score, so that
Inspect counts them as not scored. The totals are the report's own.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.grading.errors import InputError, MissingExtraError
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import gold_shape
from snellen.sdk.exports.options import ExportOptions
from snellen.sdk.scored import ScoredReport, intake_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample, EvalSpec

_UNSCORED = (Outcome.MISSING, Outcome.ERROR)


def inspect_log(report: ScoredReport, options: ExportOptions, ending: str) -> bytes:
    """Return the bytes of a log, `.eval` or `.json`.

    Raises:
        InputError: The report has no scores, or references are requested and it lacks its data.
        MissingExtraError: inspect_ai is not installed.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError as error:
        raise MissingExtraError("writing an Inspect log", "models") from error
    log = _log(report, options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{ending}"
        write_eval_log(log, str(path))
        return path.read_bytes()


def _log(report: ScoredReport, options: ExportOptions) -> "EvalLog":
    from inspect_ai.log import EvalLog, EvalStats

    model = options.model or report.model or "none/none"
    moment = options.moment().isoformat(timespec="seconds")
    return EvalLog(
        status="success",
        # A report does not contain the time that its answers took.
        stats=EvalStats(started_at=moment, completed_at=moment),
        eval=_spec(report, options, model),
        results=_results(report),
        samples=list(_samples(report, options, model)),
    )


def _spec(report: ScoredReport, options: ExportOptions, model: str) -> "EvalSpec":
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec

    made_from = report.provenance
    data = made_from.data
    return EvalSpec(
        created=options.moment().isoformat(timespec="seconds"),
        task=report.task,
        task_version=made_from.protocol_version,
        dataset=EvalDataset(
            name=options.dataset_of(report) or report.task.partition("/")[0],
            samples=made_from.items,
            sample_ids=list(report.scores.ids),
        ),
        model=model,
        config=EvalConfig(epochs=made_from.attempts),
        packages={"snellen": made_from.snellen},
        metadata={
            "signature": report.signature,
            "protocol": made_from.protocol_name,
            "data": {"release": data.release, "sha256": data.sha256},
            "outcomes": {one.value: count for one, count in report.input.outcomes.items()},
            "warnings": list(report.input.warnings),
        },
    )


def _results(report: ScoredReport) -> "EvalResults":
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    cells, unscored = report.provenance.cells, report.input.unanswered
    scores: list[EvalScore] = []
    for key, value in report.metrics.items():
        numbers = {"mean": value.value}
        estimate = report.numbers.estimates.get(key)
        if estimate is not None and estimate.standard_error is not None:
            numbers["stderr"] = estimate.standard_error
        if estimate is not None and estimate.interval is not None:
            numbers |= {"ci_low": estimate.interval.low, "ci_high": estimate.interval.high}
        if value.as_published is not None:
            numbers["as_published"] = value.as_published
        scores.append(
            EvalScore(
                name=key,
                scorer=report.provenance.protocol_name,
                scored_samples=cells - unscored,
                unscored_samples=unscored,
                metrics={name: EvalMetric(name=name, value=one) for name, one in numbers.items()},
            )
        )
    return EvalResults(total_samples=cells, completed_samples=cells - unscored, scores=scores)


def _samples(report: ScoredReport, options: ExportOptions, model: str) -> Iterator["EvalSample"]:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    intake = intake_of(report)
    data = None if intake is None else intake.selection.data
    targets = _targets(report) if options.with_references else {}
    for score in report.scores:
        name = str(score.item_id)
        error = score.error if score.outcome is Outcome.ERROR else None
        # A prompt with the correct actions before its step contains references of other items.
        shown = data is not None and (options.with_references or not data.shows_references)
        asked = data.item(name).prompt if data is not None and shown else ""
        given = score.response is not None
        yield EvalSample(
            id=name,
            epoch=score.attempt + 1,
            input=asked,
            target=targets.get(name, ""),
            output=ModelOutput.from_content(score.model or model, _text(score.response))
            if given
            else ModelOutput(model=score.model or model),
            scores=_scores(score, report),
            metadata={"outcome": score.outcome.value, **_tags(report, name, options)},
            error=None
            if error is None
            else EvalError(message=error, traceback="", traceback_ansi=""),
        )


def _scores(score: Score, report: ScoredReport) -> dict[str, Any] | None:
    from inspect_ai.scorer import Score as InspectScore

    if score.outcome in _UNSCORED:
        return None
    value: Any = dict(score.metrics)
    named = report.provenance.protocol_name
    return {
        named: InspectScore(
            value=value, answer=_text(score.response), explanation=score.note or None
        )
    }


def _tags(report: ScoredReport, name: str, options: ExportOptions) -> dict[str, str | None]:
    # A tag may be a part of the reference, such as the type of the correct action.
    if not options.with_references:
        return {}
    index = report.scores.indexes[name]
    return {tag: column[index] for tag, column in report.tags.items()}


def _targets(report: ScoredReport) -> dict[str, list[str]]:
    intake = intake_of(report)
    if intake is None:
        raise InputError(
            "the report does not have its references; give data= or references= when it is read"
        )
    selection, shape = intake.selection, gold_shape(report.task)
    return {
        name: [_text(one) for one in shape.responses(gold)]
        for name, gold in zip(selection.ids, selection.golds, strict=True)
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
