"""The page: one file that loads nothing, shows what there is, and lets no text become code."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from snellen.grading.errors import MissingExtraError
from snellen.grading.models.estimates import Estimate, Interval
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome
from snellen.grading.report import html
from snellen.grading.report.html import plain_html, render_html
from snellen.grading.report.page import (
    CalibrationKind,
    CalibrationRow,
    FailureCount,
    ItemList,
    ItemRow,
    Page,
    ProtocolValue,
)
from snellen.grading.table import Column, Kind, Table

MakePage = Callable[..., Page]


def written(page: Page) -> str:
    return b"".join(render_html(page)).decode()


SECTIONS = {
    "number": "The number",
    "next": "What next",
    "metrics": "Metrics",
    "summary": "As the paper prints it",
    "calibration": "Where it stands",
    "published": "Published results",
    "tags": "By tag",
    "changes": "Before and after",
    "curve": "Budget",
    "protocols": "Protocols",
    "failures": "What went wrong",
    "run": "How it was made",
    "items": "Items",
}


class Reader(HTMLParser):
    """Reads a page as a browser would, as far as these tests ask."""

    void = frozenset({"meta", "link", "input", "img", "br"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.text.append(data)


def read(page: Page) -> Reader:
    reader = Reader()
    reader.feed(b"".join(render_html(page)).decode())
    reader.close()
    assert not reader.open
    return reader


def test_the_page_says_the_number_and_all_that_it_rests_on(full_page: MakePage) -> None:
    reader = read(full_page())
    text = " ".join(" ".join(reader.text).split())
    for part in (
        "a model on screenqa/short",
        "60.0 % f1",
        "57.0 – 63.0",
        "95 % interval (t), 300 items in 120 clusters by screen",
        "chance 10.0 %",
        "lift over chance +50.0",
        "raters 90.0 %",
        "Incomplete. 10 of 300 answers are missing or failed",
        "260 answered 86.7 %",
        "screenqa/short|data:v1.2:sha256:abababababababab|protocol:official@1|n:300",
        "extra-words",
        "1,000,000",
    ):
        assert part in text.replace("\N{NO-BREAK SPACE}", " "), part


def words(page: Page) -> str:
    """Return a page's text with plain spaces."""
    return " ".join(" ".join(read(page).text).replace("\N{NO-BREAK SPACE}", " ").split())


@pytest.mark.slow
def test_the_sentence_of_where_it_stands_names_what_is_there(full_page: MakePage) -> None:
    run, chance, *published = full_page().calibration
    raters = CalibrationRow("raters", 0.9, CalibrationKind.RATERS)
    said = words(full_page(calibration=(run, chance, *published)))
    assert "The run beside what blind guessing scores and what papers print." in said
    assert "raters reach" not in said.split("Where it stands")[2].split("By tag")[0]
    assert "The run beside what the raters reach against one another." in words(
        full_page(calibration=(run, raters))
    )
    alone = full_page(calibration=(run, chance))
    assert "Where it stands" not in words(alone)


def test_an_interval_names_wilson_with_a_capital(bare_page: MakePage) -> None:
    interval = Interval(low=0.5, high=0.7, level=0.95, method="wilson")
    estimate = Estimate(value=0.6, items=1, clusters=1, interval=interval)
    metric = MetricValue(value=0.6, value_answered=0.6, as_published=0.6)
    said = words(bare_page(metrics={"f1": metric}, estimates={"f1": estimate}))
    assert "95 % interval (Wilson), 1 independent item " in said


def test_the_primary_metric_is_the_first_in_the_table(full_page: MakePage) -> None:
    table = words(full_page()).split("raters f1 60.00")
    assert len(table) == 2
    assert "exact_match" in table[1]


@pytest.mark.slow
def test_tags_that_are_not_broken_down_are_named(full_page: MakePage) -> None:
    said = "Not broken down, for too few values with enough items or too many values: site, kind."
    assert said in words(full_page(not_broken_down=("site", "kind")))
    assert said in words(full_page(not_broken_down=("site", "kind"), breakdowns=()))
    assert "Not broken down" not in words(full_page())


@pytest.mark.slow
def test_a_faults_advice_in_the_table_names_only_a_protocol_that_gains(
    full_page: MakePage,
) -> None:
    fault = FailureCount("format", 90, "Not read.", "Ask again, or report the robust protocol too.")
    gains = full_page(failures=(fault,), alternatives=(ProtocolValue("kind@1", "f1", 0.61, 0),))
    same = full_page(failures=(fault,), alternatives=(ProtocolValue("kind@1", "f1", 0.609, 0),))
    assert "Not read. Ask again, or report kind@1 too." in words(gains)
    assert "Not read. Ask again." in words(same)


@pytest.mark.slow
def test_other_protocols_of_episodes_show_their_eqa(full_page: MakePage) -> None:
    others = (ProtocolValue("exact@2", "sr", 0.5, 0, 0.5, 0.3125),)
    assert "EQA, %" in words(shown := full_page(alternatives=others))
    assert "31.25" in words(shown)
    assert "EQA, %" not in words(full_page())


def sections(page: Page) -> list[str | None]:
    return [attributes.get("id") for tag, attributes in read(page).tags if tag == "section"]


@pytest.mark.slow
def test_a_page_with_all_data_has_all_sections(full_page: MakePage) -> None:
    assert sections(full_page()) == list(SECTIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "empty"),
    [
        ("summary", {"summaries": ()}),
        ("calibration", {"calibration": ()}),
        ("published", {"published": ()}),
        ("tags", {"breakdowns": ()}),
        ("changes", {"changes": ()}),
        ("curve", {"curves": ()}),
        ("protocols", {"alternatives": (), "differences": ()}),
        ("failures", {"failures": ()}),
        ("items", {"item_list": ItemList()}),
    ],
)
def test_a_section_without_data_is_left_out(
    full_page: MakePage, section: str, empty: dict[str, object]
) -> None:
    assert sections(full_page(**empty)) == [name for name in SECTIONS if name != section]


def test_a_bare_number_makes_a_page(bare_page: MakePage) -> None:
    assert sections(bare_page()) == ["number", "metrics", "run"]
    assert "no interval is known" in words(bare_page())


def test_every_contents_link_leads_to_a_section(full_page: MakePage) -> None:
    reader = read(full_page())
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    links = [attributes["href"] for tag, attributes in reader.tags if tag == "a"]
    assert len(ids) == len(set(ids))
    assert {f"#{name}" for name in SECTIONS} <= set(links)
    assert all(link is not None and link[1:] in ids for link in links)


def test_nothing_is_loaded_and_only_the_pages_own_code_may_run(full_page: MakePage) -> None:
    reader = read(full_page())
    for tag, attributes in reader.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img", "form", "video"}
        assert not {"src", "srcset", "action", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    meta = [attributes for tag, attributes in reader.tags if tag == "meta"]
    policy = next(each["content"] for each in meta if each.get("http-equiv"))
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    scripts = [attributes for tag, attributes in reader.tags if tag == "script"]
    assert [each.get("type") for each in scripts] == ["application/json", None]
    for name, text in (
        ("script-src", reader.raw["script"][-1]),
        ("style-src", reader.raw["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def elements(reader: Reader) -> list[tuple[str, list[str]]]:
    """Return each element with the names of its attributes; code is looked through."""
    return [(tag, sorted(attributes)) for tag, attributes in reader.tags if tag != "code"]


@pytest.fixture(scope="module")
def tame(full_page: MakePage) -> Reader:
    return read(full_page("tame", count=8))


@pytest.mark.slow
def test_any_text_stays_text_wherever_it_stands(
    full_page: MakePage, tame: Reader, nasty: str
) -> None:
    found, expected = read(full_page(nasty, count=8)), tame
    # The same elements with the same attributes' names, in the same order: nothing was let in.
    # Backticks set a piece of advice as code, which does no harm.
    assert elements(found) == elements(expected)
    assert found.raw["style"] == expected.raw["style"]
    assert found.raw["script"][-1] == expected.raw["script"][-1]
    json.loads(found.raw["script"][0])


def test_headings_do_not_skip_a_level(full_page: MakePage) -> None:
    levels = [int(heading[1]) for heading in read(full_page()).headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_every_table_has_headers_with_a_scope_and_every_drawing_a_label(
    full_page: MakePage,
) -> None:
    tags = read(full_page()).tags
    assert all(each.get("scope") in {"col", "row"} for tag, each in tags if tag == "th")
    drawings = [each for _, each in tags if each.get("role") == "img"]
    assert len(drawings) == 6
    assert all(each.get("aria-label") for each in drawings)
    assert all(each.get("aria-hidden") == "true" for tag, each in tags if tag == "svg")


@pytest.mark.slow
def test_references_show_only_where_the_page_says_so(full_page: MakePage) -> None:
    row = ItemRow("a", 0, Outcome.ANSWERED, (1.0,), reference="the secret")
    hidden = ItemList([row], ("f1",))
    shown = ItemList([row], ("f1",), with_references=True)
    assert b"the secret" not in b"".join(render_html(full_page(item_list=hidden)))
    assert b"the secret" in b"".join(render_html(full_page(item_list=shown)))


@pytest.mark.slow
def test_a_page_of_8419_items_stays_under_three_megabytes(full_page: MakePage) -> None:
    page = full_page(count=8419)
    rows = [
        row._replace(answer=f"{row.answer} {'long answer ' * 60}") for row in page.item_list.rows
    ]
    items = ItemList(rows, page.item_list.metrics, page.item_list.tags)
    assert sum(map(len, render_html(full_page(item_list=items)))) < 3_000_000


def test_a_missing_package_names_the_extra(
    bare_page: MakePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "NEEDED", ("a_package_that_is_not_there",))
    with pytest.raises(MissingExtraError, match=r"snellen\[html\]"):
        render_html(bare_page())


def test_a_plain_page_shows_foreign_text_as_text_and_leads_back() -> None:
    page = b"".join(
        plain_html("t<i>", "# <b>x</b>\n\n| a |\n|---|\n| 1 |\n", (("/", "Exam"),))
    ).decode()
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<title>t&lt;i&gt;</title>" in page
    assert "<td>1</td>" in page
    assert '<a href="/">Exam</a>' in page
    assert "<script" not in page


@pytest.mark.slow
def test_importing_the_page_imports_nothing_heavy() -> None:
    code = "import sys, snellen.grading.report.html; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"altair", "vl_convert", "jinja2", "scipy", "PIL"} & set(run.stdout.split())


def _luminance(color: str) -> float:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_stands_out_by_day_by_night_and_on_paper(bare_page: MakePage) -> None:
    style = read(bare_page()).raw["style"][0]
    schemes = [
        dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    ]
    assert len(schemes) == 3
    for scheme in schemes:
        colors = {
            name: color if len(color) == 7 else "#" + "".join(2 * each for each in color[1:])
            for name, color in scheme.items()
        }
        for text in ("ink", "muted", "accent", "bad", "warn", "good"):
            for ground in ("paper", "card", "wash"):
                assert _contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
        assert _contrast(colors["ink"], colors["warn-wash"]) >= 4.5


def summary_table(title: str = "Positions", name: str = "easy") -> Table:
    columns = (Column("pages", Kind.TEXT), Column("right pairs"))
    return Table(title, columns, ((name, 0.25),), "WebRSSBench table 2", "By `pair`.")


def test_what_the_paper_prints_and_the_published_numbers_have_sections(bare_page: MakePage) -> None:
    tables = (summary_table("Among"), summary_table("Every number"))
    text = written(bare_page(summaries=(summary_table(),), published=tables))
    for anchor in ("summary", "published"):
        assert f'<a href="#{anchor}">' in text
        assert f'<section id="{anchor}">' in text
    assert '<th scope="row">easy</th><td class="figure">25.00</td>' in text
    assert "By <code>pair</code>. Source: WebRSSBench table 2." in text
    assert "<summary>Every number</summary>" in text


def test_why_there_is_no_summary_is_said(bare_page: MakePage) -> None:
    text = written(bare_page(no_summary="it needs the tag `pair`"))
    assert "Not known here: it needs the tag <code>pair</code>." in text


def test_a_warning_stands_beneath_the_number(bare_page: MakePage) -> None:
    text = written(bare_page(warnings=("Read as <b>pixels</b>: take `pixels@1`.",)))
    assert "Read as &lt;b&gt;pixels&lt;/b&gt;: take <code>pixels@1</code>." in text


def test_the_cells_of_a_summary_are_escaped(bare_page: MakePage) -> None:
    page = bare_page(summaries=(summary_table("<i>x</i>", "<script>1</script>"),))
    text = written(page)
    assert "<i>x</i>" not in text
    assert "<script>1" not in text
