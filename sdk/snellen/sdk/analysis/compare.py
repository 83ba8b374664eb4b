"""Comparison of runs over the same items: significant differences, and the items behind them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import cast, overload

import numpy as np
from pydantic import PrivateAttr

from snellen.grading.breakdown import strata_of
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models import comparisons
from snellen.grading.models.comparisons import ComparedCell, ComparedCost, ItemChange
from snellen.grading.models.estimates import Estimate
from snellen.grading.models.samples import SampleDesign
from snellen.grading.models.scores import Outcome
from snellen.grading.models.tags import natural
from snellen.grading.protocols.base import SCREEN, FloatArray, IntArray
from snellen.grading.report.comparison import COMPARISON_RENDERERS, pieces_of
from snellen.grading.stats.clusters import SAME, varies
from snellen.grading.stats.compare import Correction, Pair, Procedure, adjust
from snellen.grading.stats.compare import compare as compare_pair
from snellen.grading.stats.paired import paired_difference
from snellen.grading.table import Printable, Table
from snellen.sdk.files import check_ending, write_atomically
from snellen.sdk.saved import read_report
from snellen.sdk.scored import ScoredReport

Runs = Mapping[str, ScoredReport | str | Path] | Iterable[ScoredReport | str | Path]


class Comparison(Printable, comparisons.Comparison):
    """The comparison of two runs, with the items on which they differ."""

    _changes: list[ItemChange] = PrivateAttr(default_factory=list[ItemChange])

    def pieces(self) -> Iterator[Table | str]:
        """Yield the scores, the difference and its verdict, and what a reader must know."""
        return pieces_of(self)

    def with_changes(self, changes: list[ItemChange]) -> "Comparison":
        """Return this comparison with the items on which its runs differ."""
        copy = self.model_copy()
        copy._changes = changes
        return copy

    @property
    def changes(self) -> Sequence[ItemChange]:
        """Every item on which the runs differ, the greatest difference first."""
        return self._changes

    @property
    def gained(self) -> Sequence[ItemChange]:
        """The items on which the second run is better, the greatest gain first."""
        return [change for change in self._changes if change.second > change.first]

    @property
    def lost(self) -> Sequence[ItemChange]:
        """The items on which the second run is worse, the greatest loss first."""
        return [change for change in self._changes if change.second < change.first]


class Comparisons(Printable, Sequence[Comparison]):
    """Comparisons made together, with p-values corrected for multiple tests."""

    def __init__(self, found: Sequence[Comparison]) -> None:
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> Comparison: ...

    @overload
    def __getitem__(self, index: slice) -> "Comparisons": ...

    def __getitem__(self, index: int | slice) -> "Comparison | Comparisons":
        if isinstance(index, slice):
            return Comparisons(self._found[index])
        return self._found[index]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def pieces(self) -> Iterator[Table | str]:
        """Yield each comparison in turn."""
        return chain.from_iterable(one.pieces() for one in self._found)

    def save(self, path: str | Path) -> Path:
        """Write the comparisons to a file, atomically.

        Args:
            path: The file. Its extension selects the format: `.json` (everything), `.csv` (one row
                per item on which two runs differ) or `.md` (for reading).

        Raises:
            InputError: The extension is not one of these.
        """
        target = Path(path)
        render = COMPARISON_RENDERERS[check_ending(target, COMPARISON_RENDERERS, "comparisons")]
        write_atomically(target, render(self._found, [one.changes for one in self._found]))
        return target


def compare(
    runs: Runs | ScoredReport | str | Path,
    *others: ScoredReport | str | Path,
    metric: str | None = None,
    baseline: str | None = None,
    correction: Correction = "holm",
    level: float = 0.95,
    seed: int = 0,
    by: Sequence[str] = (),
) -> Comparisons:
    """Compare runs over the same items, pair by pair, item by item.

    Differences are computed within items and clustered like the reports (by screenshot for
    ScreenQA), so that the difficulty of an item cancels out. In a stratified sample, items are
    weighted by the number of items that they represent, so that the verdict applies to all items.

    Args:
        runs: Two or more reports or files of saved reports. A mapping gives their names. Otherwise
            a run is named by its file, or by its model if all its submissions name the same one.
        others: The other runs, where the first argument is one run: `compare(a, b)`.
        metric: The metric's key; None: the primary metric.
        baseline: Compare each run with the run of this name; None: compare every pair.
        correction: The correction of p-values for several comparisons: `holm` bounds the
            probability of any false finding, `benjamini-hochberg` bounds the share of false
            findings, `none` applies no correction.
        level: The confidence level of the intervals and the verdicts.
        seed: The seed of the bootstrap.
        by: Tags; `cells` compares the runs by their values as well.

    Returns:
        One comparison per pair, in the order of the runs.

    Raises:
        InputError: There are fewer than two runs, they are of different tasks, share no item, kept
            no scores, or are of samples with incompatible weights.
        UnknownNameError: There is no such metric, run or tag.
    """
    named = _named([runs, *others] if isinstance(runs, ScoredReport | str | Path) else runs)
    _check(named)
    key = metric or next(iter(named.values())).numbers.primary
    pairs = [_Pairing(named, one, other, key, by) for one, other in _pairs(named, baseline)]
    together = 1 if correction == "none" else len(pairs)
    procedure = Procedure(level=level, seed=seed, together=together)
    found = adjust([pairing.compared(procedure) for pairing in pairs], correction, procedure)
    made_with = (
        f"{len(pairs)} comparison(s), correction {correction}; level {level:g}; {procedure.draws:,}"
        f" draws from seed {seed}"
    )
    return Comparisons(
        [pairing.finished(one, made_with) for pairing, one in zip(pairs, found, strict=True)]
    )


def _pairs(named: Mapping[str, ScoredReport], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(named, 2))
    if baseline not in named:
        raise UnknownNameError("run", baseline, named)
    return [(baseline, name) for name in named if name != baseline]


class _Pairing:
    """Two runs on their common items."""

    def __init__(
        self,
        named: Mapping[str, ScoredReport],
        first: str,
        second: str,
        key: str,
        by: Sequence[str] = (),
    ) -> None:
        self.names = first, second
        self.reports = one, other = named[first], named[second]
        self.key = key
        indexes = other.scores.indexes
        self.ids = [item_id for item_id in one.scores.ids if item_id in indexes]
        if not self.ids:
            raise InputError(
                f"{first} and {second} share no item of {one.task}; nothing can be compared"
            )
        self.values = [self._aligned(report) for report in self.reports]
        self.clusters = self._clusters()
        self.weighting = common_weights(self.names, self.reports, self.ids)
        self.cells = tuple(cell for tag in by for cell in self._cells(tag))

    def compared(self, procedure: Procedure) -> comparisons.Comparison:
        first, second = self.reports
        pair = Pair(
            first=self.names[0],
            second=self.names[1],
            metric=self.key,
            only_first=len(first.scores.ids) - len(self.ids),
            only_second=len(second.scores.ids) - len(self.ids),
            note="; ".join([*_warnings(first, second), *self._sampled(), *self._constant()]),
            attempts_differ=first.provenance.attempts != second.provenance.attempts,
        )
        first_values, second_values = self.values
        return compare_pair(
            first_values, second_values, self.clusters, pair, procedure, weights=self.weighting
        )

    def _sampled(self) -> Iterator[str]:
        if self.weighting is not None:
            yield (
                f"{len(self.ids):,} sampled items stand for {self.weighting.sum():,.0f}; each"
                " counts as often as it stands for"
            )

    def _constant(self) -> Iterator[str]:
        apart = self.values[1] - self.values[0]
        if len(apart) > 1 and not varies(apart):
            yield (
                f"all {len(apart):,} differences are {apart[0]:+.3g}, so the interval has no spread"
                " to rest on: it is that of a metric between its bounds"
            )

    def finished(self, found: comparisons.Comparison, made_with: str) -> Comparison:
        """Add the items on which the runs differ and the reports' signatures to a comparison."""
        first, second = self.reports
        update = {
            "clustered_by": first.numbers.clustered_by,
            "first_signature": first.signature,
            "second_signature": second.signature,
            "made_with": made_with,
            "cells": self.cells,
            "costs": tuple(self._costs(found.difference)),
        }
        done = Comparison.model_validate({**found.model_dump(), **update})
        return done.with_changes(self._changes())

    def _costs(self, tested: Estimate) -> Iterator[ComparedCost]:
        """Yield the measures that both runs have, on the items of which both state them."""
        first, second = self.reports
        level = tested.interval.level if tested.interval else 0.95
        for name, stated in first.numbers.measures.items():
            if name not in second.numbers.measures:
                continue
            before, after = (self._in_order(one, one.item_measures(name)) for one in self.reports)
            both = np.isfinite(before) & np.isfinite(after)
            if not both.any():
                continue
            groups = None if self.clusters is None else self.clusters[both]
            before, after = before[both], after[both]
            yield ComparedCost(
                measure=name,
                unit=stated.unit,
                items=int(both.sum()),
                first=float(before.mean()),
                second=float(after.mean()),
                difference=paired_difference(before, after, groups, level=level, bounds=None),
            )

    def _cells(self, tag: str) -> Iterator[ComparedCell]:
        """Yield both runs' means over the common items, for each value of a tag."""
        report = next((one for one in self.reports if tag in one.tags), None)
        if report is None:
            raise UnknownNameError("tag of these items", tag, self.reports[0].tags)
        names = [report.tags[tag][report.scores.indexes[item_id]] for item_id in self.ids]
        before, after = self.values
        for name in sorted({name for name in names if name is not None}, key=natural):
            rows = np.array([each == name for each in names])
            weights = None if self.weighting is None else self.weighting[rows]
            gaps = (after - before)[rows]
            yield ComparedCell(
                tag=tag,
                name=name,
                items=int(rows.sum()),
                first=float(np.average(before[rows], weights=weights)),
                second=float(np.average(after[rows], weights=weights)),
                wins=int((gaps > SAME).sum()),
                losses=int((gaps < -SAME).sum()),
            )

    def _changes(self) -> list[ItemChange]:
        before, after = self.values
        gaps = np.abs(after - before)
        order = np.argsort(-gaps, kind="stable")
        indexes: list[int] = order[: int((gaps > SAME).sum())].tolist()
        return [
            ItemChange(
                item_id=self.ids[index], first=float(before[index]), second=float(after[index])
            )
            for index in indexes
        ]

    def _aligned(self, report: ScoredReport) -> "FloatArray":
        return self._in_order(report, report.item_values(self.key))

    def _in_order(self, report: ScoredReport, values: "FloatArray") -> "FloatArray":
        indexes = report.scores.indexes
        return values[[indexes[item_id] for item_id in self.ids]]

    def _clusters(self) -> "IntArray | None":
        """Number the common items' groups, by the run with the larger groups."""
        found: list[IntArray] = []
        for report in self.reports:
            indexes = report.scores.indexes
            rows = [indexes[item_id] for item_id in self.ids]
            whole = None if report.provenance.sample is None else report.provenance.sample.whole
            kinds = (report.clusters(), report.clusters(whole) if whole else None)
            found += [codes[rows] for codes in kinds if codes is not None]
        return min(found, key=lambda codes: len(np.unique(codes)), default=None)


def _named(runs: Runs) -> dict[str, ScoredReport]:
    if isinstance(runs, Mapping):
        given = cast("Mapping[str, object]", runs)
        return {name: _report(run) for name, run in given.items()}
    if isinstance(runs, str | Path | ScoredReport):
        raise InputError("give two or more runs to compare, as a list")
    return named_runs([(run, _report(run)) for run in cast("Iterable[object]", runs)])


def named_runs(runs: Sequence[tuple[object, ScoredReport]]) -> dict[str, ScoredReport]:
    """Return reports by the names of the files that they were read from, or of their models."""
    names = _file_names([Path(run) for run, _ in runs if isinstance(run, str | Path)])
    named: dict[str, ScoredReport] = {}
    for run, report in runs:
        name = names[Path(run)] if isinstance(run, str | Path) else report.model or "run"
        number, free = 1, name
        while free in named:
            number += 1
            free = f"{name} #{number}"
        named[free] = report
    return named


def _file_names(paths: Sequence[Path]) -> dict[Path, str]:
    """Name each file by the shortest end of its path that distinguishes it from the others.

    >>> list(_file_names([Path("a/report.json"), Path("b/report.json")]).values())
    ['a/report', 'b/report']
    """
    # A folder's name may have a dot: `gpt-4.1`.
    ends = {path: (path if path.is_dir() else path.with_suffix("")).parts for path in paths}
    names: dict[Path, str] = {}
    for path, parts in ends.items():
        others = [other for rival, other in ends.items() if rival != path]
        length = 1
        while length < len(parts) and any(other[-length:] == parts[-length:] for other in others):
            length += 1
        names[path] = "/".join(parts[-length:])
    return names


def _report(run: object) -> ScoredReport:
    if isinstance(run, ScoredReport):
        return run
    if isinstance(run, str | Path):
        return read_report(run)
    raise InputError(f"a run is a report or the file of one, not {type(run).__name__}")


def _check(named: Mapping[str, ScoredReport]) -> None:
    if len(named) < 2:
        raise InputError(f"give two or more runs to compare, not {len(named)}")
    (name, first), *others = named.items()
    for other_name, other in others:
        if other.task != first.task:
            raise InputError(
                f"{name} is of {first.task} and {other_name} of {other.task}; runs are compared"
                " on the items of one task"
            )


_MUST_AGREE = {
    "data": "graded against different data",
    "protocol": "scored by different protocols",
    "embedder": "scored with different embedders",
    "attempts": "given different numbers of attempts",
    "prompt": "asked with different prompts",
    "view": "shown images of different sizes",
    "decoding": "decoded differently",
    "door": "acted through different interfaces",
    "time": "acted in while time passed differently",
}
_UNSAID = {"door": SCREEN}


def _warnings(first: ScoredReport, second: ScoredReport) -> Iterator[str]:
    """Yield warnings about differences that bias a comparison of two runs."""
    one, other = first.provenance.parts, second.provenance.parts
    for part, words in _MUST_AGREE.items():
        if one.get(part) != other.get(part):
            unsaid = _UNSAID.get(part, "not said")
            yield f"{words} ({one.get(part, unsaid)} and {other.get(part, unsaid)})"
    if first.numbers.clustered_by != second.numbers.clustered_by:
        yield f"clustered by {first.numbers.clustered_by} and {second.numbers.clustered_by}"
    for name, report in (("first", first), ("second", second)):
        faults = report.input.outcomes[Outcome.MISSING] + report.input.outcomes[Outcome.ERROR]
        if faults:
            yield f"the {name} run lacks {faults} response(s), which count as 0"


def common_weights(
    names: tuple[str, str], reports: tuple[ScoredReport, ScoredReport], ids: Sequence[str]
) -> "FloatArray | None":
    """Return the number of items that each common item represents; None without a sample.

    If both runs have c_h items of a stratum of N_h items, each represents N_h / c_h items. The
    common items of two samples, or of a sample and a run on all items, are a sample too.

    Args:
        names: The names of the runs.
        reports: The runs.
        ids: The common items.

    Raises:
        InputError: The runs are of samples drawn from different strata, or a stratum has no item
            in common.
    """
    sampled = [one for one in reports if one.provenance.sample is not None]
    designs = [one.provenance.sample for one in sampled if one.provenance.sample is not None]
    if not designs:
        return None
    named = " and ".join(names)
    if len({_strata(design) for design in designs}) > 1:
        raise InputError(
            f"{named} are of samples drawn from different strata, so the weights of their common"
            " items are unknown; grade both on one sample"
        )
    report, design = sampled[0], designs[0]
    rows = [report.scores.indexes[item_id] for item_id in ids]
    tags = {tag: [column[row] for row in rows] for tag, column in report.tags.items()}
    strata = strata_of(design, tags)
    drawn = np.bincount(strata.codes, minlength=len(strata.items))
    if not drawn.all():
        lacking = design.strata[int(drawn.argmin())].name
        raise InputError(
            f"{named} have no item of the stratum {lacking!r} in common, so the items they share"
            " don't represent all items; grade both on one sample"
        )
    return strata.weights


def _strata(design: "SampleDesign") -> object:
    return design.by, frozenset((one.values, one.items) for one in design.strata)
