"""Results for a model's page on the Hugging Face Hub: `.eval_results/*.yaml`.

The fields are those of the Hub's documentation (huggingface.co/docs/hub/eval-results), written by
huggingface_hub's own class.
"""

from snellen.grading.errors import InputError, MissingExtraError
from snellen.sdk.exports.options import ExportOptions
from snellen.sdk.scored import ScoredReport

_DIGITS = 4


def hub_results(report: ScoredReport, options: ExportOptions, _: str) -> bytes:
    """Return the file of one report: its primary metric in percent, and its scoring.

    Raises:
        InputError: The data is not known to be on the Hub, or the report is over selected items.
        MissingExtraError: huggingface_hub is not installed.
    """
    try:
        import yaml
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as error:
        raise MissingExtraError("exporting results for the Hugging Face Hub", "fetch") from error
    if report.provenance.subset:
        raise InputError(
            f"the report is over {report.provenance.items:,} selected items, and a leaderboard is"
            " over whole splits; grade all of them"
        )
    dataset = options.dataset_of(report)
    if dataset is None:
        raise InputError(
            f"{report.task} has no known dataset on the Hub; give dataset= (--dataset ORG/NAME)"
        )
    entry = EvalResultEntry(
        dataset_id=dataset,
        task_id=options.dataset_task,
        value=round(100 * report.value, _DIGITS),
        date=None if options.date is None else options.moment().isoformat(),
        source_url=options.source,
        notes=_notes(report),
    )
    rows = eval_result_entries_to_yaml([entry])
    return yaml.safe_dump(rows, sort_keys=False, allow_unicode=True, width=10_000).encode()


def _notes(report: ScoredReport) -> str:
    parts = [f"{report.numbers.primary} in percent, {report.signature}"]
    estimate = report.numbers.estimate
    if estimate is not None and estimate.interval is not None:
        interval = estimate.interval
        parts.append(
            f"{100 * interval.level:g} % interval {100 * interval.low:.2f} to"
            f" {100 * interval.high:.2f}"
        )
    if report.input.incomplete:
        cells = report.provenance.cells
        parts.append(f"{report.input.unanswered:,} of {cells:,} answers missing or failed, as 0")
    return "; ".join(parts)
