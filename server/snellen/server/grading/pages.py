"""The page of a submission's report, with the exam's questions."""

from functools import cache

from snellen.server.grading.exam import read_exam
from snellen.server.settings import Settings


class ReportPages:
    """Creates the pages of saved reports.

    The exam is opened with its references for the first page.

    Args:
        settings: The settings of the exam.
    """

    def __init__(self, settings: Settings) -> None:
        self._exam = cache(lambda: read_exam(settings))

    def render(
        self,
        saved: bytes,
        task: str,
        site: tuple[tuple[str, str], ...],
        *,
        with_references: bool,
    ) -> bytes:
        """Return the page of a report as HTML.

        Args:
            saved: The report as JSON.
            task: The task.
            site: The addresses and names of the pages that it leads back to.
            with_references: Whether references are shown beside the answers.

        Raises:
            SnellenError: The libraries for drawing are not installed.
        """
        # A server starts without what draws its first page of a report.
        from snellen.sdk.page.build import page_html
        from snellen.sdk.report import Report
        from snellen.sdk.saved import parse_report
        from snellen.sdk.stored import reopen

        parsed = parse_report(saved, "the report")
        assert parsed is not None
        report = Report.of(parsed, parsed.scores, None, parsed.tags)
        whole = reopen(report, data=self._exam().data(task))
        # Other protocols would grade what strangers sent once more, in the server's process.
        pieces = page_html(whole, with_references=with_references, explain=False, site=site)
        return b"".join(pieces)
