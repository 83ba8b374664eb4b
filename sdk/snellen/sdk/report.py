"""`Report`: what `sdk.grade` returns, with all that can be done with one."""

from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Literal

from snellen.grading.audit import CoordinateAudit
from snellen.grading.errors import InputError
from snellen.grading.report.render import RENDERERS
from snellen.grading.tables.mmbench_gui_online import Missing, Reading
from snellen.grading.tables.summary import Summary
from snellen.sdk.analysis.audit import audit_of
from snellen.sdk.analysis.breakdowns import more_markdown
from snellen.sdk.analysis.compare import Comparison
from snellen.sdk.analysis.compare import compare as compare_runs
from snellen.sdk.analysis.published import beside as set_beside
from snellen.sdk.analysis.published import summarised
from snellen.sdk.exports import Target, export_report
from snellen.sdk.exports.options import ExportOptions, Relationship
from snellen.sdk.files import check_ending, write_atomically
from snellen.sdk.page.build import page_html
from snellen.sdk.page.film import film_links
from snellen.sdk.page.thumbnails import ThumbnailBudget
from snellen.sdk.saved import read_report
from snellen.sdk.scored import ScoredReport
from snellen.sdk.summaries.cells import Options
from snellen.sdk.summaries.one import summary_of
from snellen.tasks.published.beside import Beside

PAGE = ".html"
"""The ending of a report's page."""

ENDINGS = (*RENDERERS, PAGE)
"""The endings under which a report can be saved."""


class Report(ScoredReport):
    """What `sdk.grade` returns: the numbers, the scores behind them, and how to read both."""

    def compare(
        self, other: ScoredReport, *, metric: str | None = None, level: float = 0.95, seed: int = 0
    ) -> Comparison:
        """Say whether another run over the same items differs from this one.

        Args:
            other: The run to compare with this one; its gains and losses are over this one.
            metric: The metric's key; the primary one when None.
            level: Of the intervals and the verdict.
            seed: Of the bootstrap.

        Raises:
            InputError: The reports are of different tasks, share no item, or kept no scores.
        """
        return compare_runs([self, other], metric=metric, level=level, seed=seed)[0]

    def summary(
        self,
        *,
        limit: float | None = None,
        missing: Missing | None = None,
        reading: Reading | None = None,
    ) -> Summary:
        """Return what the benchmark's paper prints of this task, as tables and as numbers.

        Args:
            limit: For L3 and L4 of MMBench-GUI: the limit of steps, where the data does not say
                one; a smaller one makes failures of the episodes that took more.
            missing: For L3 and L4: whether a platform of which no task was run is left out of the
                average (`skip`) or counts 0 (`zero`); None shows both.
            reading: For L3 and L4: which EQA is set beside published ones; None: the protocol's.

        Raises:
            InputError: The report lacks what the summary is made of: its scores, or a tag that
                the published data gives.
            MetricError: The numbers make no summary: an item lacks its other half.
        """
        return summary_of(self, Options(limit, missing, reading))

    def beside(
        self,
        source: Literal["published"] = "published",
        *,
        limit: float | None = None,
        missing: Missing | None = None,
        reading: Reading | None = None,
    ) -> Beside:
        """Set this run's numbers beside what papers print of its task, part by part.

        Each printed number says which of snellen's protocols it compares with; `notes` say what
        keeps this run from being compared: another protocol, other items, several attempts.

        Args:
            source: What to stand beside.
            limit: As for `summary`.
            missing: As for `summary`.
            reading: As for `summary`.

        Raises:
            UnknownNameError: There is no such source.
        """
        return set_beside(self, source, summarised(self, Options(limit, missing, reading)))

    def audit(self, *, view: float | None = None) -> CoordinateAudit | None:
        """Score the answers as if their coordinates counted something else.

        `input.warnings` has the audit's warning, of a sample where there are many answers; this
        is all of it, over all answers.

        Args:
            view: The longest side, in pixels, that the screenshots were scaled down to before the
                model saw them; None: the common ones and that of UI-TARS and Qwen2-VL are tried.

        Returns:
            What they score in each space; None where no answer holds numbers.

        Raises:
            MetricError: The task asks for no coordinates.
            InputError: The report kept no scores, or was read back without its data; or `view` is
                no number above 0.
        """
        return audit_of(self, view)

    def save(
        self,
        path: str | Path,
        *,
        with_references: bool = False,
        thumbnails: bool | ThumbnailBudget = True,
        film: str | Path | None = None,
    ) -> Path:
        """Write the report to a file, whole or not at all.

        Args:
            path: Where to; the ending says how: `.json` (with scores; can be read back and
                graded again), `.csv` (the scores), `.md` (the numbers, to read) or `.html` (a
                page that needs nothing else; it holds the responses).
            with_references: For a page: show the references beside the responses.
            thumbnails: For a page: show the screenshots, where the data was loaded with them; a
                budget says how much room they take.
            film: For a page: the filmstrips of the attempt, as `snellen replay -o` writes them;
                each item links to its own.

        Returns:
            The path written.

        Raises:
            InputError: The ending is none of these, CSV was asked for without scores, references
                or filmstrips anywhere but on a page, or the filmstrips are of other episodes.
            MissingExtraError: What draws the page is not installed.
        """
        target = Path(path)
        ending = check_ending(target, ENDINGS, "a report")
        if ending == ".csv" and self._table is None:
            raise InputError("CSV holds the scores; grade with keep_scores=True", file=str(target))
        if with_references and ending != PAGE:
            raise InputError(f"only a page ({PAGE}) shows references", file=str(target))
        if film is not None and ending != PAGE:
            raise InputError(f"only a page ({PAGE}) links to filmstrips", file=str(target))
        if ending == PAGE:
            pieces = page_html(
                self,
                with_references=with_references,
                thumbnails=thumbnails,
                films=None if film is None else film_links(film, target, self.task),
            )
        else:
            pieces = RENDERERS[ending](self, self._table, self._tags)
        if ending == ".md":
            pieces = chain(pieces, more_markdown(self))
        write_atomically(target, pieces)
        return target

    def export(
        self,
        to: Target,
        path: str | Path,
        *,
        model: str | None = None,
        dataset: str | None = None,
        dataset_task: str = "default",
        organization: str = "",
        relationship: Relationship = "other",
        source: str | None = None,
        date: datetime | None = None,
        with_references: bool = False,
    ) -> Path:
        """Write the report in the format of another project, whole or not at all.

        Args:
            to: `inspect` (a log of Inspect AI, `.eval` or `.json`), `eval_results` (a `.yaml` file
                for a model's page on the Hugging Face Hub) or `every_eval_ever` (a `.json` record
                of that database).
            path: Where to.
            model: The model's name as the format wants it; None: as the answers name it.
            dataset: The data's id on the Hub; None: where the benchmark is published there.
            dataset_task: For `eval_results`: the task's id in that data set's `eval.yaml`.
            organization: For `every_eval_ever`: who ran the evaluation.
            relationship: For `every_eval_ever`: what they are to the model's makers.
            source: The address of the answers, or of a text about them.
            date: When it was run, UTC without a time zone; None: now, or no date where the
                format needs none.
            with_references: For `inspect`: the references as targets, the items' tags, and
                prompts that show references. Without, none of them is in the file.

        Returns:
            The path written.

        Raises:
            UnknownNameError: There is no such format.
            InputError: The file's ending is not the format's, or something is not known that the
                format must have.
            MissingExtraError: The package that writes the format is not installed.
        """
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
    """Read back a report that `save` wrote as JSON, with its scores and tags.

    Raises:
        InputError: The file can't be read, is no saved report, or is damaged.
    """
    found = read_report(path)
    return Report.of(found, found.scores if found.has_scores else None, None, found.tags)
