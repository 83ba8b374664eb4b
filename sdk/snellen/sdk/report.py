"""`Report`: the result of `sdk.grade` and its methods.

A method imports what it needs: whoever only grades loads no pages, tables or exports.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from snellen.grading.errors import InputError, UnknownNameError
from snellen.grading.table import Printable
from snellen.sdk.scored import ScoredReport

if TYPE_CHECKING:
    import pandas

    from snellen.grading.metrics.eqa import Missing, Reading
    from snellen.grading.point_audit import CoordinateAudit
    from snellen.grading.table import Summary, Table
    from snellen.sdk.analysis.compare import Comparison
    from snellen.sdk.exports import Target
    from snellen.sdk.exports.options import Relationship
    from snellen.sdk.page.thumbnails import ThumbnailBudget
    from snellen.tasks.published.beside import Beside


class Report(Printable, ScoredReport):
    """The result of `sdk.grade`: the numbers, the scores behind them, and methods for both.

    Printed it is the table of the command line; in a notebook, too.
    """

    def pieces(self) -> "Iterator[Table | str]":
        """Yield the table of the numbers, the input's problems, and sentences."""
        from snellen.grading.report.render import report_pieces

        return report_pieces(self)

    def __getitem__(self, key: str) -> float:
        """Return a metric's value, such as `report["f1"]`.

        Raises:
            UnknownNameError: There is no such metric.
        """
        if key not in self.metrics:
            raise UnknownNameError(f"metric of {self.task}", key, self.metrics)
        return self.metrics[key].value

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the numbers must know: the problems of the input, and its warnings."""
        from snellen.grading.report.render import problem_lines

        return *problem_lines(self), *self.input.warnings

    def __repr__(self) -> str:
        provenance = self.provenance
        value = f"{self.numbers.primary} {100 * self.value:.2f} over {provenance.items:,} items"
        return f"<Report of {self.task} by {provenance.protocol_name}: {value}>"

    def __dir__(self) -> list[str]:
        # Without the names of the library that checks the fields.
        own = (one for one in type(self).__mro__ if one.__module__.startswith("snellen."))
        names = {name for one in own for name in vars(one)}
        return sorted(
            name
            for name in names | set(type(self).model_fields)
            if not name.startswith(("_", "model_")) and name not in ("copy", "of")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, without its scores."""
        return {"signature": self.signature, **self.model_dump(mode="json")}

    def to_frame(self) -> "pandas.DataFrame":
        """Return the scores as a pandas frame: a row an item and attempt, a column a metric.

        Measures are columns, too.

        Raises:
            ImportError: pandas is not installed.
            InputError: The report kept no scores.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "a frame of scores needs pandas: pip install 'snellen[pandas]'"
            ) from None
        rows = [
            {**row, **row.pop("metrics"), **row.pop("measures", {})} for row in self.scores.rows()
        ]
        return pandas.DataFrame.from_records(rows)

    def compare(
        self, other: ScoredReport, *, metric: str | None = None, level: float = 0.95, seed: int = 0
    ) -> "Comparison":
        """Compare another run over the same items with this run.

        Args:
            other: The other run; gains and losses are relative to this run.
            metric: The metric's key; None: the primary metric.
            level: The confidence level of the intervals and the verdict.
            seed: The seed of the bootstrap.

        Raises:
            InputError: The reports are of different tasks, share no item, or kept no scores.
        """
        from snellen.sdk.analysis.compare import compare as compare_runs

        return compare_runs([self, other], metric=metric, level=level, seed=seed)[0]

    def summary(
        self,
        *,
        limit: float | None = None,
        missing: "Missing | None" = None,
        reading: "Reading | None" = None,
    ) -> "Summary":
        """Return the tables of the benchmark's paper for this task, as tables and as numbers.

        Args:
            limit: For L3 and L4 of MMBench-GUI: the step limit, if the data has none. With a
                smaller limit, episodes that took more steps count as failures.
            missing: For L3 and L4: whether a platform without runs is left out of the average
                (`skip`) or counts 0 (`zero`); None shows both.
            reading: For L3 and L4: the EQA variant that is compared with published values; None:
                the protocol's.

        Raises:
            InputError: The report lacks data for the summary: its scores, or a tag of the published
                data.
            MetricError: The numbers do not allow a summary: an item lacks its other half.
        """
        from snellen.grading.protocols.summaries import Options
        from snellen.sdk.summaries import summary_of

        return summary_of(self, Options(limit, missing, reading))

    def beside(
        self,
        source: Literal["published"] = "published",
        *,
        limit: float | None = None,
        missing: "Missing | None" = None,
        reading: "Reading | None" = None,
    ) -> "Beside":
        """Compare this run's numbers with published numbers of its task, part by part.

        Each published number names the comparable snellen protocol. `notes` list the reasons why
        this run is not comparable: another protocol, other items, several attempts.

        Args:
            source: The source of the published numbers.
            limit: As for `summary`.
            missing: As for `summary`.
            reading: As for `summary`.

        Raises:
            UnknownNameError: There is no such source.
        """
        from snellen.grading.protocols.summaries import Options
        from snellen.sdk.analysis.published import beside as set_beside
        from snellen.sdk.analysis.published import summarised

        return set_beside(self, source, summarised(self, Options(limit, missing, reading)))

    def audit(self, *, view: float | None = None) -> "CoordinateAudit | None":
        """Score the answers in every coordinate space.

        `input.warnings` has the audit's warning, from a sample if there are many answers. This
        method returns the complete audit of all answers.

        Args:
            view: The longest side, in pixels, of the resized screenshots that the model saw; None:
                try the common sizes and that of UI-TARS and Qwen2-VL.

        Returns:
            The score in each space; None if no answer contains numbers.

        Raises:
            MetricError: The task's answers are not coordinates.
            InputError: The report kept no scores, or was loaded without its data; or `view` is not
                a number above 0.
        """
        from snellen.sdk.analysis.audit import audit_of

        return audit_of(self, view)

    def save(
        self,
        path: str | Path,
        *,
        with_references: bool = False,
        thumbnails: "bool | ThumbnailBudget" = True,
    ) -> Path:
        """Write the report to a file, atomically.

        Args:
            path: The file. Its extension selects the format: `.json` (with scores; can be loaded
                and graded again), `.csv` (the scores), `.md` (the numbers, for reading) or `.html`
                (a self-contained page; it includes the responses. Without the extra `html` it is
                a plain page of the numbers).
            with_references: For a page: show the references next to the responses.
            thumbnails: For a page: show the screenshots, if the data was loaded with them; a budget
                limits their size.

        Returns:
            The path written.

        Raises:
            InputError: The extension is not one of these, CSV is requested without scores, or
                references are requested for another format than a page.
            MissingExtraError: A package that draws the page is not installed, and references are
                requested.
        """
        from snellen.sdk.files import ENDINGS, PAGE, check_ending, write_atomically

        target = Path(path)
        ending = check_ending(target, ENDINGS, "a report")
        if ending == ".csv" and self._table is None:
            raise InputError("CSV holds the scores; grade with keep_scores=True", file=str(target))
        if with_references and ending != PAGE:
            raise InputError(f"only a page ({PAGE}) shows references", file=str(target))
        if with_references:
            from snellen.grading.report.html import ready

            ready()
        if ending == PAGE:
            from snellen.sdk.page.build import page_html

            pieces = page_html(self, with_references=with_references, thumbnails=thumbnails)
        else:
            from snellen.grading.report.render import RENDERERS

            pieces = RENDERERS[ending](self, self._table, self._tags)
        if ending == ".md":
            from snellen.sdk.analysis.breakdowns import more_markdown

            pieces = chain(pieces, more_markdown(self))
        write_atomically(target, pieces)
        return target

    def export(
        self,
        to: "Target",
        path: str | Path,
        *,
        model: str | None = None,
        dataset: str | None = None,
        dataset_task: str = "default",
        organization: str = "",
        relationship: "Relationship" = "other",
        source: str | None = None,
        date: datetime | None = None,
        with_references: bool = False,
    ) -> Path:
        """Write the report in the format of another project, atomically.

        Args:
            to: `inspect` (a log of Inspect AI, `.eval` or `.json`), `eval_results` (a `.yaml` file
                for a model's page on the Hugging Face Hub) or `every_eval_ever` (a `.json` record
                of that database).
            path: The file.
            model: The model's name in the format's form; None: the name in the answers.
            dataset: The data's id on the Hub; None: the id under which the benchmark is published.
            dataset_task: For `eval_results`: the task's id in that data set's `eval.yaml`.
            organization: For `every_eval_ever`: the organization that ran the evaluation.
            relationship: For `every_eval_ever`: its relationship to the model's developer.
            source: The URL of the answers, or of a text about them.
            date: The date of the run, UTC without a time zone; None: now, or no date if the format
                needs none.
            with_references: For `inspect`: include the references as targets, the items' tags, and
                prompts that show references. Otherwise none of them is in the file.

        Returns:
            The path written.

        Raises:
            UnknownNameError: There is no such format.
            InputError: The file's extension is not the format's, or a required field is unknown.
            MissingExtraError: The package that writes the format is not installed.
        """
        from snellen.sdk.exports import export_report
        from snellen.sdk.exports.options import ExportOptions

        options = ExportOptions(
            model=model,
            dataset=dataset,
            dataset_task=dataset_task,
            organization=organization,
            relationship=relationship,
            source=source,
            date=date,
            with_references=with_references,
        )
        return export_report(self, to, path, options)


def load_report(path: str | Path) -> Report:
    """Load a report that `save` wrote as JSON, with its scores and tags.

    Raises:
        InputError: The file can't be read, is not a saved report, or is damaged.
    """
    from snellen.sdk.saved import read_report

    found = read_report(path)
    return Report.of(found, found.scores if found.has_scores else None, None, found.tags)
