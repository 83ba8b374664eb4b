"""A judge's verdicts in the rows and sentences of a report, separate from the score."""

from collections.abc import Iterator, Mapping

from snellen.grading.judging.summary import JUDGE, LABELS
from snellen.grading.models.auxiliary import Agreement, Auxiliary
from snellen.grading.models.estimates import Estimate
from snellen.grading.table import Table, figures, interval_text

HEADING = "Auxiliary, not part of the score"

_VERDICT_COLUMNS = ("judge", "mean verdict", "95 % interval", "judged", "no verdict", "no response")

_AGREEMENT_COLUMNS = (
    *("raters", "rated", "agree", "kappa", "95 %"),
    *("both", "first", "second", "neither"),
)
"""How many responses both rated, the share in percent on which they agree, Cohen's kappa with its
interval, and how many responses are right for both, for the first or second alone, for neither."""

_FEW_FAULTS = 3
_LONGER = 0.2


def verdict_table(given: Mapping[str, Auxiliary]) -> Table:
    """Return each judge's mean verdict, in percent, and its basis."""
    rows = (
        [
            name.removeprefix("judge:"),
            f"{100 * one.value:.2f}",
            interval_text(one.estimate.interval),
            f"{one.judged:,}",
            f"{one.unjudged:,}",
            f"{one.unanswered:,}",
        ]
        for name, one in given.items()
    )
    return figures(_VERDICT_COLUMNS, rows)


def agreement_table(one: Auxiliary) -> Table:
    """Return the agreement of judge, metric and people on the correct responses."""
    rows = (
        [
            f"{_rater(agreement.first)}, {_rater(agreement.second)}",
            f"{agreement.responses:,}",
            f"{100 * agreement.raw.value:.2f}",
            _kappa(agreement.kappa),
            interval_text(agreement.kappa and agreement.kappa.interval, scale=1),
            f"{agreement.both:,}",
            f"{agreement.first_only:,}",
            f"{agreement.second_only:,}",
            f"{agreement.neither:,}",
        ]
        for agreement in one.agreements
    )
    return figures(_AGREEMENT_COLUMNS, rows)


def remarks(one: Auxiliary) -> Iterator[str]:
    """Yield the caveats of these numbers, in sentences."""
    for note in one.notes:
        yield f"Note: {note}."
    if one.unjudged:
        low, high = f"{100 * one.lowest:.2f}", f"{100 * one.highest:.2f}"
        yield (
            f"{one.unjudged:,} of {one.judged + one.unjudged:,} responses have no verdict and are"
            f" in no mean; were they all wrong or all right, it would be {low} or {high}."
        )
        for fault, count in sorted(one.faults.items(), key=lambda pair: -pair[1])[:_FEW_FAULTS]:
            yield f"No verdict, {count:,} times: {fault}"
    for agreement in one.agreements:
        yield from _weighted(agreement)
    if one.unanimous is not None:
        yield f"All {one.votes} votes agree on {100 * one.unanimous:.2f} % of the judged responses."
    length = one.length_correlation
    if length is not None and abs(length) >= _LONGER:
        kind = "Longer" if length > 0 else "Shorter"
        yield (
            f"{kind} responses please the judge more than the metric: the rank correlation of"
            f" length with verdict less metric is {length:+.2f}."
        )


def _weighted(agreement: Agreement) -> Iterator[str]:
    if agreement.weighted is not None:
        yield (
            f"By level, {agreement.first} and {agreement.second} agree with a kappa of"
            f" {agreement.weighted.value:.2f} (quadratic weights)."
        )


def _rater(name: str) -> str:
    return {JUDGE: "judge", LABELS: "people"}.get(name, name)


def _kappa(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.value:.2f}"
