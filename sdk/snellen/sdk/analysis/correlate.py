"""Correlations of benchmarks over models, between tasks and with external numbers."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias, cast

from pydantic import Field

from snellen.grading.csv_text import csv_rows
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.markdown import plain_text
from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Interval
from snellen.grading.models.reports import Report
from snellen.grading.stats.correlation import Method
from snellen.grading.stats.correlation import correlate as correlate_rows
from snellen.grading.stats.multiplicity import holm
from snellen.grading.table import figures, interval_text
from snellen.sdk.data.small_tables import Records, SmallTable, cell_text, read_small_table
from snellen.sdk.files import check_ending, write_atomically
from snellen.sdk.saved import read_report

MODEL = "model"
"""The first column of a table of them."""

Scores: TypeAlias = Mapping[str, Mapping[str, float | None]]
"""Model to column to number; None is no number."""


def read_scores(source: Scores | Records) -> Scores:
    """Read the numbers of models on other benchmarks.

    Args:
        source: A path (`.csv`, `.tsv`, `.jsonl`), dicts or a frame. The first column is `model`,
            each other column holds a benchmark's numbers on any scale; empty cells are allowed. Or
            a mapping from model to column to number.

    Raises:
        InputError: It can't be read, the first column is not `model`, a model occurs twice, or a
            cell is not a number; with file, line and column.
    """
    if isinstance(source, Mapping):
        return checked_scores(cast("Mapping[str, object]", source), "external")
    return _of_table(read_small_table(source))


def checked_scores(given: Mapping[str, object], what: str) -> Scores:
    """Check and return numbers given in memory.

    Args:
        given: A mapping from model to column to number.
        what: Its name in error messages.

    Raises:
        InputError: A value is not a number.
    """
    scores: dict[str, dict[str, float | None]] = {}
    for model, row in given.items():
        if not isinstance(row, Mapping):
            raise InputError(
                f"expected numbers by column, not {type(row).__name__}", field=f"{what}[{model!r}]"
            )
        scores[model] = {}
        for name, cell in cast("Mapping[str, object]", row).items():
            try:
                scores[model][name] = _number(cell)
            except ValueError as error:
                raise InputError(str(error), field=f"{what}[{model!r}][{name!r}]") from error
    return scores


def _of_table(table: SmallTable) -> Scores:
    if not table.names or table.names[0] != MODEL:
        found = table.names[0] if table.names else "none"
        raise InputError(
            f"the first column must be {MODEL}, and each further one a benchmark's numbers; the"
            f" first is {found}",
            file=table.file,
        )
    scores: dict[str, dict[str, float | None]] = {}
    lines: dict[str, int] = {}
    for row in table.rows:
        model = table.text(row, MODEL)
        if model is None:
            raise table.fault(row, MODEL, "the model's name is empty")
        if model in lines:
            raise table.fault(row, MODEL, f"{model!r} is also on line {lines[model]}; keep one")
        lines[model] = row.line
        scores[model] = {}
        for name in table.names[1:]:
            try:
                scores[model][name] = _number(row.cells.get(name))
            except ValueError as error:
                raise table.fault(row, name, str(error)) from error
    return scores


def _number(cell: object) -> float | None:
    if isinstance(cell, bool):
        raise ValueError("true and false are not numbers here; write 1 or 0")
    if isinstance(cell, float) and not math.isnan(cell):
        text, value = str(cell), float(cell)
    else:
        text = cell_text(cell)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a number; leave a cell without a number empty")
    return value


_CSV_COLUMNS = (
    "first",
    "second",
    "method",
    "n",
    "coefficient",
    "low",
    "high",
    "level",
    "p",
    "adjusted_p",
    "only_first",
    "only_second",
    "note",
)


class Pair(Closed):
    """The correlation of two columns over their common models.

    Attributes:
        first: The first column.
        second: The second.
        n: The number of common models.
        coefficient: -1..1; None if it is not defined (see `note`).
        interval: None if it is not defined or not informative (see `note`).
        p: The two-sided p-value of the hypothesis of no correlation.
        adjusted: p corrected over all pairs (Holm 1979).
        only_first: The models that only the first column has.
        only_second: The models that only the second column has.
        note: The reason for a missing value; empty if none is missing.
    """

    first: str
    second: str
    n: int
    coefficient: float | None = Field(default=None, ge=-1, le=1)
    interval: Interval | None = None
    p: float | None = None
    adjusted: float | None = None
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    note: str = ""


class Correlations(Closed):
    """The correlations of all pairs of columns of a table of scores.

    Attributes:
        method: `pearson`, `spearman` or `kendall`.
        level: The confidence level of the intervals.
        models: All models with at least one number, in the given order.
        columns: The correlated columns, with the number of models of each.
        left_out: The columns left out, with the reason.
        pairs: One entry per pair of columns, in their order.
        notes: Notes on the columns, such as mixed protocols.
    """

    method: Method
    level: float
    models: tuple[str, ...]
    columns: dict[str, int]
    left_out: dict[str, str]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    def of(self, first: str, second: str) -> Pair:
        """Return the pair of two columns, in either order.

        Raises:
            UnknownNameError: One of them is not a column.
            InputError: They are the same column.
        """
        for name in (first, second):
            if name not in self.columns:
                reason = self.left_out.get(name)
                kind = "column" if reason is None else f"column correlated ({reason})"
                raise UnknownNameError(kind, name, self.columns)
        if first == second:
            raise InputError(f"a column can't be compared with itself: {first!r}")
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})

    def matrix(self) -> dict[str, dict[str, float | None]]:
        """Return the coefficients as a square matrix: column to column, 1 on the diagonal."""
        square: dict[str, dict[str, float | None]] = {
            name: {other: 1.0 if name == other else None for other in self.columns}
            for name in self.columns
        }
        for pair in self.pairs:
            square[pair.first][pair.second] = square[pair.second][pair.first] = pair.coefficient
        return square

    def to_json(self) -> str:
        """Return everything as JSON, which `Correlations.model_validate_json` can read."""
        return f"{self.model_dump_json(indent=2)}\n"

    def to_csv(self) -> str:
        """Return one line per pair, with a header; models are joined by `;`."""
        rows: list[Sequence[object]] = [_CSV_COLUMNS]
        for pair in self.pairs:
            interval = pair.interval
            rows.append(
                (
                    pair.first,
                    pair.second,
                    self.method,
                    pair.n,
                    pair.coefficient,
                    interval and interval.low,
                    interval and interval.high,
                    self.level,
                    pair.p,
                    pair.adjusted,
                    ";".join(pair.only_first),
                    ";".join(pair.only_second),
                    pair.note,
                )
            )
        return b"".join(csv_rows(rows, "\n")).decode()

    def to_markdown(self) -> str:
        """Return a Markdown table of the pairs, strongest first, and the columns left out."""
        lines = [
            f"{self.method.capitalize()} correlation over models, {100 * self.level:g}% intervals,"
            f" p corrected over all pairs (Holm).",
            "",
            *figures(
                ("Pair", "n", "Coefficient", "Interval", "p", "Note"),
                map(_cells, sorted(self.pairs, key=_strength)),
                texts=(0, 3, 5),
            ).markdown_lines(),
        ]
        left_out = (f"{name} is left out: {reason}" for name, reason in self.left_out.items())
        rest = [f"- {plain_text(line)}." for line in (*left_out, *self.notes)]
        return "\n".join([*lines, *([""] if rest else []), *rest, ""])

    def __str__(self) -> str:
        pairs = [_line(pair) for pair in sorted(self.pairs, key=_strength)]
        rest = [f"{name} is left out: {reason}" for name, reason in self.left_out.items()]
        return "\n".join([*pairs, *rest, *self.notes])

    def save(self, path: str | Path) -> Path:
        """Write to a file, atomically.

        Args:
            path: The file. Its extension selects the format: `.json`, `.csv` or `.md`.

        Returns:
            The path written.

        Raises:
            InputError: The extension is not one of these, or the folder can't be written to.
        """
        target = Path(path)
        render = _RENDERERS[check_ending(target, _RENDERERS, "correlations")]
        write_atomically(target, [render(self).encode()])
        return target


_RENDERERS: Mapping[str, Callable[[Correlations], str]] = {
    ".json": Correlations.to_json,
    ".csv": Correlations.to_csv,
    ".md": Correlations.to_markdown,
}


def _strength(pair: Pair) -> float:
    """The sort key of pairs: the distance from 0; those without a coefficient come last."""
    return 2.0 if pair.coefficient is None else -abs(pair.coefficient)


def _line(pair: Pair) -> str:
    parts = [f"{pair.first} ~ {pair.second}: {_coefficient(pair)}"]
    if pair.interval is not None:
        parts.append(f"[{interval_text(pair.interval, '+.2f', scale=1)}]")
    parts.append(f"n={pair.n}")
    if pair.adjusted is not None:
        parts.append("p<0.001" if pair.adjusted < 0.001 else f"p={pair.adjusted:.3f}")
    return " ".join(parts) + (f" ({pair.note})" if pair.note else "")


def _cells(pair: Pair) -> Sequence[str]:
    return (
        f"{pair.first} ~ {pair.second}",
        str(pair.n),
        _coefficient(pair),
        "" if pair.interval is None else interval_text(pair.interval, "+.2f", scale=1),
        _p(pair),
        pair.note,
    )


def _coefficient(pair: Pair) -> str:
    return "-" if pair.coefficient is None else f"{pair.coefficient:+.2f}"


def _p(pair: Pair) -> str:
    if pair.adjusted is None:
        return ""
    return "<0.001" if pair.adjusted < 0.001 else f"{pair.adjusted:.3f}"


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
    """Correlate tasks with each other and with other benchmarks, over models.

    A column is a task, named by its id, or an external benchmark. A model's report on the task
    fills one cell. Each pair of columns is correlated over their common models.

    Args:
        reports: Reports of several models on several tasks. Reports from `evaluate` contain the
            model's name; for others pass a mapping from name to report or reports. Or numbers only:
            a mapping from model to column to number, such as the `cells` of a published table.
        external: Other benchmarks: a path (`.csv`, `.tsv`, `.jsonl`), dicts or a frame. The first
            column is `model`, each other column holds a benchmark's numbers on any scale; empty
            cells are allowed. Or a mapping as above.
        method: `pearson` for a linear relation; `spearman` or `kendall` for the order only.
        metric: The metric of each report; None: its primary metric.
        level: The confidence level of the intervals.

    Returns:
        Each pair's coefficient, interval and p, with p corrected over all pairs (Holm 1979), and
        the models that only one of the two has.

    Raises:
        InputError: A report has no model name, a model has two reports on a task, a column is on
            both sides, a cell is not a number (with file, line and column), no model is on both
            sides, or fewer than two columns remain.
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
    """Return the table of the given reports, and notes on it."""
    single = isinstance(reports, Report | str | Path)
    if single or not isinstance(cast("object", reports), Iterable):
        raise InputError(
            "a correlation is over models: give a list of reports, or a mapping, the model's name"
            f" to its report or reports, not one {type(reports).__name__}"
        )
    if not isinstance(reports, Mapping):
        given = [_read(report) for report in reports]
        named_reports = [(_model(report, number), report) for number, report in enumerate(given, 1)]
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
    """Return one or several reports as an iterable."""
    # A report is also iterable, over its fields, and a path over its characters.
    if isinstance(value, Report | str | Path) or not isinstance(value, Iterable):
        return [_read(cast("object", value))]
    return [_read(one) for one in cast("Iterable[object]", value)]


def _read(given: object) -> object:
    """Read a report that is given as a file."""
    return read_report(given) if isinstance(given, str | Path) else given


def _model(report: object, number: int) -> str:
    model = report.model if isinstance(report, Report) else None
    if model is None:
        raise InputError(
            f"the model of report {number} is unknown: its answers do not all name the same one;"
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
    """Return the conditions of the number other than task and model."""
    parts = report.provenance.parts.items()
    return "|".join(f"{name}:{value}" for name, value in parts if name != "model")


def _beside(own: Scores, outside: Scores) -> Scores:
    """Join two tables by model."""
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
    """Convert model to column into column to model, without missing values."""
    columns: dict[str, dict[str, float]] = {}
    for model, row in table.items():
        for name, value in row.items():
            column = columns.setdefault(name, {})
            if value is not None:
                column[model] = value
    return columns


def _fault(values: Mapping[str, float]) -> str:
    """Return the reason why a column can't be correlated, or an empty text."""
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
    """Return the reason why two rows have no coefficient, or an empty text."""
    common = len(next(iter(rows.values())))
    if common < _ANY:
        models = "model" if common == 1 else "models"
        return f"{common or 'no'} {models} in common: a coefficient says nothing of so few"
    constant = [name for name, row in rows.items() if len(set(row)) == 1]
    return f"{constant[0]} is the same for all models in common" if constant else ""


def _adjusted(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Correct the p-values for the number of pairs."""
    tested = [(index, pair.p) for index, pair in enumerate(pairs) if pair.p is not None]
    corrected = holm([p for _, p in tested]).tolist()
    by_index = dict(zip((index for index, _ in tested), corrected, strict=True))
    return tuple(
        pair.model_copy(update={"adjusted": by_index.get(index)})
        for index, pair in enumerate(pairs)
    )
