"""Results print as tables and sentences, and as tables of HTML in a notebook."""

from collections.abc import Iterator

from snellen.grading.models.base import Printable
from snellen.grading.table import Table, figures


class Result(Printable):
    def pieces(self) -> Iterator[Table | str]:
        yield "Read <this> first."
        yield figures(("tag", "f1"), [("a & b", "50.00"), ("c", "7.00")])


def test_columns_of_text_stand_on_the_left_and_numbers_on_the_right() -> None:
    lines = ["Read <this> first.", "tag       f1", "a & b  50.00", "c       7.00"]
    assert str(Result()).splitlines() == lines
    assert repr(Result()) == str(Result())


def test_a_notebook_gets_tables_and_no_markup_of_the_results_own() -> None:
    page = getattr(Result(), "_repr_html_")()  # noqa: B009  # the name that notebooks look for
    assert page.startswith("<div>Read &lt;this&gt; first.</div>\n<table><thead><tr><th")
    assert '<td style="text-align: left">a &amp; b</td>' in page
    assert '<td style="text-align: right">50.00</td>' in page
