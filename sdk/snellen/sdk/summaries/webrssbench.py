"""WebRSSBench's summaries of reports."""

from collections.abc import Callable, Sequence

from snellen.grading.metrics.similarity import CharNgramEmbedder, TfidfCorpus, embedding_cosines
from snellen.grading.parse.regions import Region
from snellen.grading.protocols.webrssbench.before_after import Responses, pair_up, shifts
from snellen.grading.protocols.webrssbench.tables import (
    ALL,
    PositionScore,
    grouping_summary,
    parts_summary,
    position,
    position_summary,
    safety,
    safety_summary,
    shift_summary,
    ui_grouping,
)
from snellen.grading.table import PartValue, Summary
from snellen.sdk.scored import ScoredReport, intake_of
from snellen.sdk.summaries.cells import Cells, Options, cells_of

_DIFFICULTIES = ("easy", "medium", "hard")


def positions(report: ScoredReport, _: Options) -> Summary:
    """Summarize positions: by pair, by page and by whole page, and by difficulty."""
    cells = cells_of(report)
    pairs = [int(count or 0) for count in cells.tag("pairs")]
    found: dict[str, PositionScore] = {
        name: position(cells.values[rows], [pairs[row] for row in rows])
        for name, rows in _by_difficulty(cells)
    }
    return cells.of_items(position_summary(found))


def groups(report: ScoredReport, _: Options) -> Summary:
    """Summarize UI grouping by class."""
    cells = cells_of(report)
    golds = [Region(name) for name in cells.tag("region") if name is not None]
    answers = [said if isinstance(said, Region) else None for said in cells.answers]
    return cells.of_items(grouping_summary(ui_grouping(answers, golds)))


def dangers(report: ScoredReport, _: Options) -> Summary:
    """Summarize safety: recall, refusals, precision and false alarms."""
    cells = cells_of(report)
    found = safety(cells.values, cells.answers, cells.tag("dangerous"))
    return cells.of_items(safety_summary(found))


def perturbed(report: ScoredReport, _: Options) -> Summary:
    """Summarize color, text or layout before and after."""
    cells = cells_of(report)
    slots = list(range(cells.attempts)) * report.provenance.items
    pages = [f"{pair}, attempt {slot}" for pair, slot in zip(cells.tag("pair"), slots, strict=True)]
    pairs = pair_up(pages, cells.tag("state"), cells.tag_if_there("mode"))
    texts = [said if isinstance(said, str) else None for said in cells.answers]
    sites = cells.tag_if_there("site") or cells.tag("pair")
    said = Responses(texts, likeness=_likeness(report))
    found = shifts(cells.values, pairs, sites=sites, responses=said)
    return cells.of_items(shift_summary(report.task, report.numbers.primary, found))


def _likeness(report: ScoredReport) -> Callable[[str, str], float] | None:
    """Return how like two answers are, as the task compares texts (appendix C.4 (3)).

    None for buttons, for another embedder than the one at hand, and for layout where the
    references, on which TF-IDF is fitted, are not at hand.
    """
    if report.task == "webrssbench/text":
        embedder = CharNgramEmbedder()
        if report.provenance.embedder == embedder.name:
            return lambda a, b: float(embedding_cosines([a], [b], embedder, clip="zero")[0])
    intake = intake_of(report)
    if report.task == "webrssbench/layout" and intake is not None:
        selection = intake.selection
        return TfidfCorpus.fit((selection.whole or selection).golds).cosine
    return None


def by_difficulty(report: ScoredReport, _: Options) -> Summary:
    """Summarize a metric by difficulty, as the paper prints form filling."""
    cells = cells_of(report)
    parts = [
        PartValue(
            report.task,
            report.numbers.primary,
            "" if name == ALL else name,
            float(cells.values[rows].mean()),
            len(rows),
        )
        for name, rows in _by_difficulty(cells)
    ]
    return cells.of_items(parts_summary(report.task, report.numbers.primary, parts))


def _by_difficulty(cells: Cells) -> Sequence[tuple[str, list[int]]]:
    """Return the rows of each difficulty that there is, then all of them."""
    column = cells.tag_if_there("difficulty") or ()
    names = [name for name in _DIFFICULTIES if name in column]
    names += sorted({name for name in column if name is not None} - set(names))
    parts = [(name, [row for row, one in enumerate(column) if one == name]) for name in names]
    return [*parts, (ALL, list(range(len(cells.values))))]
