"""A report that keeps its scores and can be saved."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import PrivateAttr

from snellen.grading.errors import InputError
from snellen.grading.models import reports
from snellen.grading.report.render import RENDERERS, Renderer
from snellen.sdk.files import write_atomically

if TYPE_CHECKING:
    from snellen.grading.score_table import ScoreTable
    from snellen.sdk.intake import Intake


class Report(reports.Report):
    """What `sdk.grade` returns: the numbers, the scores behind them, and how to save both."""

    _table: "ScoreTable | None" = PrivateAttr(default=None)
    _intake: "Intake | None" = PrivateAttr(default=None)

    @property
    def scores(self) -> "ScoreTable":
        """One score an item and attempt, in the order of the items; made when asked for.

        Raises:
            InputError: The report was made with keep_scores=False.
        """
        if self._table is None:
            raise InputError("the scores were not kept: grade with keep_scores=True")
        return self._table

    @property
    def intake(self) -> "Intake | None":
        """The items graded against and what was wrong with the input; None when read back."""
        return self._intake

    def save(self, path: str | Path) -> Path:
        """Write the report to a file, whole or not at all.

        Args:
            path: Where to; the ending says how: `.json` (with scores; can be graded again),
                `.csv` (the scores) or `.md` (the numbers, to read).

        Returns:
            The path written.

        Raises:
            InputError: The ending is none of these, or CSV was asked for without scores.
        """
        target = Path(path)
        render = renderer(target)
        if target.suffix.lower() == ".csv" and self._table is None:
            raise InputError("CSV holds the scores; grade with keep_scores=True", file=str(target))
        write_atomically(target, render(self, self._table))
        return target


def renderer(path: Path) -> Renderer:
    """Return what renders a report for a file of this name.

    Raises:
        InputError: The ending is none that a report can be saved under.
    """
    render = RENDERERS.get(path.suffix.lower())
    if render is None:
        ending = repr(path.suffix) if path.suffix else "a file without an ending"
        raise InputError(
            f"can't save a report as {ending}; use one of {', '.join(RENDERERS)}", file=str(path)
        )
    return render


def attach(report: Report, table: "ScoreTable | None", intake: "Intake") -> Report:
    """Give a report its scores and what they were graded against."""
    report._table = table  # pyright: ignore[reportPrivateUsage]  # the one place that fills them
    report._intake = intake  # pyright: ignore[reportPrivateUsage]
    return report
