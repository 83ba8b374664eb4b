"""Do benchmarks agree? Correlations over models, between tasks and with numbers from outside."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias, cast

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.models.reports import Report
from snellen.grading.stats.correlation import Method
from snellen.grading.stats.correlation import correlate as correlate_rows
from snellen.grading.stats.multiplicity import holm
from snellen.sdk.correlations import Correlations, Pair
from snellen.sdk.model_scores import Scores, checked_scores, read_scores
from snellen.sdk.saved import read_report
from snellen.sdk.small_tables import Records

_Given: TypeAlias = Report | str | Path
Reports: TypeAlias = Iterable[_Given] | Mapping[str, _Given | Iterable[_Given]] | Scores
"""Reports (or their files) that know their model, a model's name to its own, or bare numbers."""

_METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")
_ANY = 3
"""Two models always lie on a line."""

_LEAST = 4
"""With fewer models than this no interval is narrower than nearly everything."""


def correlate(
    reports: Reports,
    *,
    external: Scores | Records | None = None,
    method: Method = "pearson",
    metric: str | None = None,
    level: float = 0.95,
) -> Correlations:
    """Correlate tasks with one another and with other benchmarks, over models.

    A column is a task, named by its id, or a benchmark from outside; a model's report on the task
    fills one cell. Each pair of columns is correlated over the models that both have.

    Args:
        reports: Reports of several models on several tasks. A report of a model that was asked
            here knows its name; for others give a mapping, name to report or reports. Or bare
            numbers, model to column to number, such as the `cells` of a published table.
        external: Other benchmarks: a path (`.csv`, `.tsv`, `.jsonl`), dicts or a frame, whose
            first column is `model` and whose others are a benchmark's numbers each, on any scale
            (an empty cell is no number); or a mapping as for bare numbers.
        method: `pearson`, for a linear relation; `spearman` or `kendall`, for the order alone.
        metric: The metric of each report; its primary one when None.
        level: Of the intervals.

    Returns:
        Each pair's coefficient, interval and p, with p corrected over all pairs (Holm 1979), and
        the models that only one of the two has.

    Raises:
        InputError: A report does not say its model, a model has two reports on a task, a column
            stands on both sides, a cell is no number (with file, line and column), no model is
            on both sides, or fewer than two columns are left.
        UnknownNameError: A report has no such metric, or there is no such method.

    >>> models = {"a": (1, 2), "b": (2, 1), "c": (3, 4), "d": (4, 5), "e": (5, 4)}
    >>> print(correlate({model: {"x": x, "y": y} for model, (x, y) in models.items()}))
    x ~ y: +0.77 [-0.35 to +0.98] n=5 p=0.128
    """
    if method not in _METHODS:
        raise UnknownNameError("method", method, _METHODS)
    table, notes = _own(reports, metric)
    if external is not None:
        table = _beside(table, read_scores(external))
    columns = _columns(table)
    left_out = {name: reason for name, values in columns.items() if (reason := _fault(values))}
    kept = {name: values for name, values in columns.items() if name not in left_out}
    if len(kept) < 2:
        said = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InputError(
            f"a correlation needs two columns of numbers that vary; there are {len(kept)}"
            + (f" (left out: {said})" if said else "")
        )
    return Correlations(
        method=method,
        level=level,
        models=tuple(table),
        columns={name: len(values) for name, values in kept.items()},
        left_out=left_out,
        pairs=_adjusted([_pair(kept, *names, method, level) for names in combinations(kept, 2)]),
        notes=notes,
    )


def _own(reports: Reports, metric: str | None) -> tuple[Scores, tuple[str, ...]]:
    """Return the table of what was given as reports, and what to note of it."""
    single = isinstance(reports, Report | str | Path)
    if single or not isinstance(cast("object", reports), Iterable):
        raise InputError(
            "a correlation is over models: give a list of reports, or a mapping, the model's name"
            f" to its report or reports, not one {type(reports).__name__}"
        )
    if not isinstance(reports, Mapping):
        given = [_read(report) for report in reports]
        named_reports = [(_model(report, place), report) for place, report in enumerate(given, 1)]
        return _of_reports(named_reports, metric)
    named = cast("Mapping[str, object]", reports)
    bare = [name for name, value in named.items() if isinstance(value, Mapping)]
    if bare:
        if len(bare) < len(named):
            raise InputError("reports holds bare numbers for some models and reports for others")
        if metric is not None:
            raise InputError("metric= is for reports; bare numbers have none")
        return checked_scores(named, "reports"), ()
    named_reports = [(name, report) for name, value in named.items() for report in _several(value)]
    return _of_reports(named_reports, metric)


def _several(value: object) -> Iterable[object]:
    """Return one or several reports as several."""
    # A report is iterable, too: over its fields; a path over its letters.
    if isinstance(value, Report | str | Path) or not isinstance(value, Iterable):
        return [_read(cast("object", value))]
    return [_read(one) for one in cast("Iterable[object]", value)]


def _read(given: object) -> object:
    """Read a report that is given as a file."""
    return read_report(given) if isinstance(given, str | Path) else given


def _model(report: object, place: int) -> str:
    model = report.model if isinstance(report, Report) else None
    if model is None:
        raise InputError(
            f"report {place} does not say which model it is of: its answers do not all name one;"
            " give a mapping, the model's name to its report or reports"
        )
    return model


def _of_reports(
    named: Sequence[tuple[str, object]], metric: str | None
) -> tuple[Scores, tuple[str, ...]]:
    table: dict[str, dict[str, float | None]] = {}
    ways: dict[str, dict[str, None]] = {}
    incomplete: list[str] = []
    for model, report in named:
        if not isinstance(report, Report):
            raise InputError(f"model {model!r}: expected a report, not {type(report).__name__}")
        key = metric or report.numbers.primary
        if key not in report.metrics:
            raise UnknownNameError(f"metric of {report.task}", key, report.metrics)
        row = table.setdefault(model, {})
        if report.task in row:
            raise InputError(f"model {model!r} has two reports on {report.task}; give one")
        row[report.task] = report.metrics[key].value
        if report.input.incomplete:
            incomplete.append(f"{report.task} of {model}")
        ways.setdefault(report.task, {})[_way(report)] = None
    notes = [
        f"{task} was graded in {len(found)} ways, which need not compare: {'; '.join(found)}"
        for task, found in ways.items()
        if len(found) > 1
    ]
    if incomplete:
        notes.append(f"answers are missing, and count as 0, in: {', '.join(incomplete)}")
    return table, tuple(notes)


def _way(report: Report) -> str:
    """Return what the number rests on beside the task and the model."""
    parts = report.provenance.parts.items()
    return "|".join(f"{name}:{value}" for name, value in parts if name != "model")


def _beside(own: Scores, outside: Scores) -> Scores:
    """Put two tables side by side."""
    if not own.keys() & outside.keys():
        raise InputError(
            f"no model is on both sides: the reports have {_some(own)}, external has"
            f" {_some(outside)}; names must be equal"
        )
    shared = _columns(own).keys() & _columns(outside).keys()
    if shared:
        raise InputError(f"the columns {_some(sorted(shared))} are on both sides; rename them")
    return {
        model: {**own.get(model, {}), **outside.get(model, {})}
        for model in dict.fromkeys((*own, *outside))
    }


def _some(names: Iterable[str]) -> str:
    shown = [*names]
    return ", ".join(map(repr, shown[:5])) + (", ..." if len(shown) > 5 else "")


def _columns(table: Scores) -> dict[str, dict[str, float]]:
    """Turn model to column round: column to model, without what is missing."""
    columns: dict[str, dict[str, float]] = {}
    for model, row in table.items():
        for name, value in row.items():
            column = columns.setdefault(name, {})
            if value is not None:
                column[model] = value
    return columns


def _fault(values: Mapping[str, float]) -> str:
    """Say why a column correlates with nothing, or return nothing."""
    if len(values) < 2:
        return f"it has {len(values)} of the two models that a correlation needs at least"
    if len(set(values.values())) == 1:
        return f"all of its {len(values)} models have the same number"
    return ""


def _pair(
    columns: Mapping[str, Mapping[str, float]],
    first: str,
    second: str,
    method: Method,
    level: float,
) -> Pair:
    one, other = columns[first], columns[second]
    both = [model for model in one if model in other]
    x, y = [one[model] for model in both], [other[model] for model in both]
    pair = Pair(
        first=first,
        second=second,
        n=len(both),
        only_first=tuple(model for model in one if model not in other),
        only_second=tuple(model for model in other if model not in one),
    )
    note = _undefined({first: x, second: y})
    if note:
        return pair.model_copy(update={"note": note})
    found = correlate_rows(x, y, method=method, level=level)
    interval = found.interval if len(both) >= _LEAST else None
    if len(both) < _LEAST:
        note = f"no interval: {len(both)} models are too few"
    elif interval is None:
        note = "no interval is defined here"
    return pair.model_copy(
        update={
            "coefficient": found.coefficient,
            "interval": interval,
            "p": found.p,
            "note": note,
        }
    )


def _undefined(rows: Mapping[str, Sequence[float]]) -> str:
    """Say why two rows over the models in common have no coefficient, or return nothing."""
    common = len(next(iter(rows.values())))
    if common < _ANY:
        models = "model" if common == 1 else "models"
        return f"{common or 'no'} {models} in common: a coefficient says nothing of so few"
    constant = [name for name, row in rows.items() if len(set(row)) == 1]
    return f"{constant[0]} is the same for all models in common" if constant else ""


def _adjusted(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Correct the p-values for how many pairs were looked at."""
    tested = [(place, pair.p) for place, pair in enumerate(pairs) if pair.p is not None]
    corrected = holm([p for _, p in tested]).tolist()
    by_place = dict(zip((place for place, _ in tested), corrected, strict=True))
    return tuple(
        pair.model_copy(update={"adjusted": by_place.get(place)})
        for place, pair in enumerate(pairs)
    )
