"""Correlations: how far columns of scores agree over models, to read, save and plot."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from snellen.grading.csv_text import csv_rows
from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.markdown import plain_text, table_lines
from snellen.grading.models.base import Closed
from snellen.grading.models.estimates import Interval
from snellen.grading.stats.correlation import Method
from snellen.sdk.files import check_ending, write_atomically

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
    """Two columns and how far they agree over the models that both have.

    Attributes:
        first: The first column.
        second: The second.
        n: How many models both have.
        coefficient: -1..1; None where it is not defined, as `note` says.
        interval: None where it is not defined or says nothing, as `note` says.
        p: The p-value of no correlation, two-sided.
        adjusted: p corrected over all pairs (Holm 1979).
        only_first: The models that only the first column has.
        only_second: The models that only the second has.
        note: Why something is missing; empty when nothing is.
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
    """Every pair of columns of a table of scores.

    Attributes:
        method: `pearson`, `spearman` or `kendall`.
        level: Of the intervals.
        models: Every model that has any number, in the order given.
        columns: Each column that was correlated, and how many models it has.
        left_out: Each column that was not, and why.
        pairs: One a pair of columns, in their order.
        notes: What a reader must know of the columns, such as mixed protocols.
    """

    method: Method
    level: float
    models: tuple[str, ...]
    columns: dict[str, int]
    left_out: dict[str, str]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    def of(self, first: str, second: str) -> Pair:
        """Return the pair of two columns, in whichever order.

        Raises:
            UnknownNameError: One of them is no column here.
            InputError: They are one column.
        """
        for name in (first, second):
            if name not in self.columns:
                reason = self.left_out.get(name)
                kind = "column" if reason is None else f"column correlated ({reason})"
                raise UnknownNameError(kind, name, self.columns)
        if first == second:
            raise InputError(f"a column agrees with itself: {first!r}")
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})

    def matrix(self) -> dict[str, dict[str, float | None]]:
        """Return the coefficients as a square: column to column, 1 on the diagonal."""
        square: dict[str, dict[str, float | None]] = {
            name: {other: 1.0 if name == other else None for other in self.columns}
            for name in self.columns
        }
        for pair in self.pairs:
            square[pair.first][pair.second] = square[pair.second][pair.first] = pair.coefficient
        return square

    def to_json(self) -> str:
        """Return everything as JSON, which `Correlations.model_validate_json` reads back."""
        return f"{self.model_dump_json(indent=2)}\n"

    def to_csv(self) -> str:
        """Return one line a pair, with a header; models are joined by `;`."""
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
        """Return a table of the pairs, strongest first, and what was left out, to read."""
        lines = [
            f"{self.method.capitalize()} correlation over models, {100 * self.level:g}% intervals,"
            f" p corrected over all pairs (Holm).",
            "",
            *table_lines(
                ("Pair", "n", "Coefficient", "Interval", "p", "Note"),
                map(_cells, sorted(self.pairs, key=_strength)),
                texts=(0, 3, 5),
            ),
        ]
        left_out = (f"{name} is left out: {reason}" for name, reason in self.left_out.items())
        rest = [f"- {plain_text(line)}." for line in (*left_out, *self.notes)]
        return "\n".join([*lines, *([""] if rest else []), *rest, ""])

    def __str__(self) -> str:
        pairs = [_line(pair) for pair in sorted(self.pairs, key=_strength)]
        rest = [f"{name} is left out: {reason}" for name, reason in self.left_out.items()]
        return "\n".join([*pairs, *rest, *self.notes])

    def save(self, path: str | Path) -> Path:
        """Write to a file, whole or not at all.

        Args:
            path: Where to; the ending says how: `.json`, `.csv` or `.md`.

        Returns:
            The path written.

        Raises:
            InputError: The ending is none of these, or the folder can't be written to.
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
    """Order pairs by how far they are from 0; those without a coefficient come last."""
    return 2.0 if pair.coefficient is None else -abs(pair.coefficient)


def _line(pair: Pair) -> str:
    parts = [f"{pair.first} ~ {pair.second}: {_coefficient(pair)}"]
    if pair.interval is not None:
        parts.append(f"[{_interval(pair)}]")
    parts.append(f"n={pair.n}")
    if pair.adjusted is not None:
        parts.append("p<0.001" if pair.adjusted < 0.001 else f"p={pair.adjusted:.3f}")
    return " ".join(parts) + (f" ({pair.note})" if pair.note else "")


def _cells(pair: Pair) -> Sequence[str]:
    return (
        f"{pair.first} ~ {pair.second}",
        str(pair.n),
        _coefficient(pair),
        _interval(pair),
        _p(pair),
        pair.note,
    )


def _coefficient(pair: Pair) -> str:
    return "-" if pair.coefficient is None else f"{pair.coefficient:+.2f}"


def _interval(pair: Pair) -> str:
    interval = pair.interval
    return "" if interval is None else f"{interval.low:+.2f} to {interval.high:+.2f}"


def _p(pair: Pair) -> str:
    if pair.adjusted is None:
        return ""
    return "<0.001" if pair.adjusted < 0.001 else f"{pair.adjusted:.3f}"
