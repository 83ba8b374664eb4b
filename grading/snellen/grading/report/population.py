"""Estimates for the population of a stratified sample, as text."""

from collections.abc import Iterator

from snellen.grading.markdown import plain_text
from snellen.grading.models.reports import Report
from snellen.grading.table import Table, figures, interval_text


def sample_sentence(report: Report) -> str:
    """Return a sentence on the population of a report's sample; empty if it is not a sample."""
    design = report.provenance.sample
    if design is None:
        return ""
    by = " and ".join(design.by)
    whole = f", each {design.whole} whole" if design.whole else ""
    core = sum(stratum.core for stratum in design.strata)
    kept = f", {core} of them kept whole" if core else ""
    return (
        f"A sample of {report.provenance.items:,} of {design.items:,} items, drawn"
        f" by {by}{whole} from {len(design.strata)} strata{kept} (seed {design.seed})."
    )


def population_table(report: Report) -> Table:
    """Return each metric over the population of a sample, in percent."""
    return figures(
        ("metric", "over all items, %", "95 % interval, %"),
        (
            (key, f"{100 * estimate.value:.2f}", interval_text(estimate.interval))
            for key, estimate in report.numbers.population.items()
        ),
    )


def population_markdown(report: Report) -> Iterator[bytes]:
    """Yield the same as a Markdown table; empty if the items are not a sample."""
    if not report.numbers.population:
        return
    table = "\n".join(population_table(report).markdown_lines())
    yield f"\n{plain_text(sample_sentence(report))}\n\n{table}\n".encode()
