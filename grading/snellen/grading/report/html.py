"""The page as one self-contained HTML file: no network, no fonts, no other file.

The template escapes all external data (answers, questions, tags, model names), or the page gets
them as JSON that its script shows as text. A Content-Security-Policy allows only the script and the
style that are written here, identified by their digests.
"""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.grading.errors import MissingExtraError, where
from snellen.grading.models.estimates import Breakdown
from snellen.grading.report import charts
from snellen.grading.report.advice import advise
from snellen.grading.report.facts import groups, headline_facts, outcome_slices
from snellen.grading.report.faults import fault_advice
from snellen.grading.report.figures import counted, method_name, percent, points, small_share
from snellen.grading.report.heat_map import heat_map
from snellen.grading.report.page import (
    CalibrationKind,
    Curve,
    Difference,
    FailureCount,
    Page,
    ProtocolValue,
)
from snellen.grading.report.payload import items_json
from snellen.grading.report.population import population_table, sample_sentence
from snellen.grading.report.render import metrics_table, own_scale, passes_table
from snellen.grading.table import Table, figures

if TYPE_CHECKING:
    from jinja2 import Environment


NEEDED = ("altair", "jinja2", "vl_convert")
"""The packages of the extra `html`."""
PLAIN = "Without charts, breakdowns and items: pip install 'snellen[html]' for the whole page."
"""The last line of a plain page."""


class Titled(NamedTuple):
    """A drawing with its title and a note."""

    title: str
    drawing: charts.Drawing
    note: str = ""


class Drawings(NamedTuple):
    """All drawings of a page; None or empty if there is nothing to draw."""

    calibration: charts.Drawing | None
    breakdowns: tuple[Titled, ...]
    changes: charts.Drawing | None
    curves: tuple[Titled, ...]
    differences: tuple[Titled, ...]


class FailureBar(NamedTuple):
    """One failure tag with its share of the answers below full marks."""

    failure: FailureCount
    advice: str
    share: str
    width: float


def ready() -> None:
    """Check that all packages for a page are installed.

    Raises:
        MissingExtraError: Altair, vl-convert or Jinja is not.
    """
    if not is_ready():
        raise MissingExtraError("a report's page", "html")


def is_ready() -> bool:
    """Whether all packages for a page are installed."""
    return all(find_spec(name) is not None for name in NEEDED)


def plain_html(
    title: str, markdown: str, site: tuple[tuple[str, str], ...] = ()
) -> Iterator[bytes]:
    """Return a page without charts and items, for which the base install is enough.

    Args:
        title: Its title.
        markdown: What it shows; HTML in it is shown as text.
        site: As in `Page`.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("js-default")
    tokens = reader.parse(markdown)
    for token in tokens:
        # The page's policy allows no style of a cell.
        if token.attrs.pop("style", ""):
            token.attrs["class"] = "figure"
    body = reader.renderer.render(tokens, reader.options, {})
    style = stylesheet()
    links = "".join(f'<li><a href="{escape(to)}">{escape(name)}</a></li>' for to, name in site)
    yield "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n',
            '<meta http-equiv="Content-Security-Policy" content="',
            f"default-src 'none'; style-src '{digest_of(style)}'; base-uri 'none'\">\n",
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title><style>{style}</style></head>\n",
            '<body><div class="frame"><header class="top">',
            '<span class="mark">SNELLEN</span></header>',
            f'<nav class="contents" aria-label="Site"><ul>{links}</ul></nav>' if links else "",
            f"<main>\n{body}\n<p>{escape(PLAIN)}</p></main>",
            "</div></body></html>\n",
        )
    ).encode("utf-8", "backslashreplace")


def render_html(page: Page) -> Iterator[bytes]:
    """Return the page's HTML, in pieces; a missing package raises before the first.

    Raises:
        MissingExtraError: Altair, vl-convert or Jinja is not installed.
    """
    ready()
    template = _environment().get_template("page.html.j2")
    pieces = template.generate(**_context(page))
    # UTF-8 cannot encode a lone surrogate, so it is written as a JSON escape.
    return (piece.encode("utf-8", "backslashreplace") for piece in pieces)


def stylesheet() -> str:
    """Return the style sheet of all pages that snellen writes."""
    return _asset("page.css")


def _context(page: Page) -> dict[str, Any]:
    drawings = _drawings(page)
    advice = advise(page)
    estimate = page.report.numbers.estimate
    style, script = stylesheet(), _asset("page.js")
    outcomes = outcome_slices(page)
    return {
        "page": page,
        "report": page.report,
        "counted": counted,
        "interval": None if estimate is None else estimate.interval,
        "clustering": _clustering(page),
        "facts": headline_facts(page),
        "outcomes": outcomes,
        "outcome_label": ", ".join(f"{each.count:,} {each.name}" for each in outcomes),
        "advice": advice,
        "metrics": metrics_table(page.report, primary_first=True),
        "passes": passes_table(page.report),
        "drawings": drawings,
        "neighbours": _neighbours(page),
        "not_broken_down": ", ".join(page.not_broken_down),
        "alternatives": _alternatives(page),
        "failures": _failure_bars(page),
        "heat_map": heat_map(page.heat_map) if page.heat_map else None,
        "sample": sample_sentence(page.report),
        "population": population_table(page.report),
        "groups": groups(page),
        "problem_summary": _problem_summary(page),
        "problems": _problems(page),
        "item_note": _item_note(page),
        "sections": _sections(page, drawings, has_advice=bool(advice)),
        "payload": items_json(page.item_list, [failure.tag for failure in page.failures]),
        "style": style,
        "script": script,
        "style_digest": digest_of(style),
        "script_digest": digest_of(script),
    }


def _drawings(page: Page) -> Drawings:
    whole = page.report.value
    domain = charts.shared_domain(page.breakdowns, whole)
    return Drawings(
        calibration=charts.calibration_drawing(page.calibration, "calibration")
        if _neighbours(page)
        else None,
        breakdowns=tuple(
            Titled(
                each.tag,
                charts.breakdown_drawing(each, whole, domain, f"tag{number}"),
                _breakdown_note(each),
            )
            for number, each in enumerate(page.breakdowns)
        ),
        changes=charts.changes_drawing(page.changes, "changes") if page.changes else None,
        curves=tuple(
            Titled(
                _curve_title(each),
                charts.curve_drawing(each, f"curve{number}"),
                _curve_note(each, printed=page.printed),
            )
            for number, each in enumerate(page.curves)
        ),
        differences=tuple(
            Titled(
                f"{each.first} → {each.second}",
                charts.difference_drawing(each, f"difference{number}"),
                _difference_note(each),
            )
            for number, each in enumerate(page.differences)
        ),
    )


_NEIGHBOURS = {
    CalibrationKind.CHANCE: "what blind guessing scores",
    CalibrationKind.RATERS: "what the raters reach against one another",
    CalibrationKind.PUBLISHED: "what papers print",
}


def _neighbours(page: Page) -> str:
    """Return what the run is compared with; empty if only chance, which the headline shows."""
    kinds = {row.kind for row in page.calibration}
    if not kinds & {CalibrationKind.RATERS, CalibrationKind.PUBLISHED}:
        return ""
    *before, last = (said for kind, said in _NEIGHBOURS.items() if kind in kinds)
    return f"{', '.join(before)} and {last}" if before else last


def _breakdown_note(given: Breakdown) -> str:
    notes: list[str] = []
    blanked = sum(cell.estimate is None for cell in given.cells)
    if blanked:
        cells = "value is" if blanked == 1 else "values are"
        notes.append(f"{blanked} {cells} blanked: fewer than {given.least} items.")
    if given.covered < given.items:
        notes.append(f"{given.covered:,} of {given.items:,} items have this tag.")
    if len(given.cells) > charts.MOST_CELLS:
        notes.append(f"{len(given.cells):,} values, too many to draw.")
    return " ".join(notes)


def _curve_title(curve: Curve) -> str:
    attempt = "" if curve.attempt is None else f", attempt {curve.attempt}"
    return f"{curve.episodes:,} tasks{attempt}"


def _curve_note(curve: Curve, *, printed: bool) -> str:
    areas = ", ".join(f"{name} {percent(area)}" for name, area in curve.areas.items())
    row = (
        "The tasks of all platforms are in one row, in the data's order; published tables average"
        " the areas of the platforms."
        if printed
        else "The tasks are in the data's order."
    )
    return f"Solved in the end: {percent(curve.success_rate)}; area under the steps: {areas}. {row}"


def _difference_note(given: Difference) -> str:
    gap = given.second_value - given.first_value
    note = f" Note: {given.note}." if given.note else ""
    return f"{given.metric}, as published: {points(gap)} points.{note}"


def _clustering(page: Page) -> str:
    estimate = page.report.numbers.estimate
    if estimate is None:
        return ""
    if page.report.numbers.clustered_by == "item":
        return counted(estimate.items, "independent item")
    items, clusters = counted(estimate.items, "item"), counted(estimate.clusters, "cluster")
    return f"{items} in {clusters} by {page.report.numbers.clustered_by}"


def _failure_bars(page: Page) -> list[FailureBar]:
    whole = max(page.failed, 1)
    return [
        FailureBar(
            failure,
            fault_advice(page, failure),
            small_share(failure.count / whole),
            round(100 * failure.count / whole, 2),
        )
        for failure in sorted(page.failures, key=lambda failure: -failure.count)
        if failure.count
    ]


def _alternatives(page: Page) -> Table:
    """Return the value of each protocol of the task, over all items."""
    efficient = any(other.eqa is not None for other in page.alternatives)
    rows = (
        (
            other.name,
            other.metric,
            _number(other.value),
            *(["" if other.eqa is None else _number(other.eqa)] if efficient else []),
            f"{other.unparsed:,}",
            _its_code_prints(other),
        )
        for other in page.alternatives
    )
    eqa = ["EQA, %"] if efficient else []
    names = ("protocol", "metric", "value, %", *eqa, "could not be read", "its code prints")
    return figures(names, rows, texts=(0, 1))


def _its_code_prints(other: ProtocolValue) -> str:
    if other.own_scale is not None:
        return own_scale(other.own_scale)
    return "nothing: one answer ends the run" if other.printed is None else _number(other.printed)


def _problems(page: Page) -> Table:
    """Return the faults of the input, the first of each kind in full."""
    rows = (
        (each.kind.value, where(each.file, each.line, each.field).removesuffix(": "), each.message)
        for each in page.report.input.problems
    )
    return figures(("kind", "where", "what"), rows, texts=(0, 1, 2))


def _problem_summary(page: Page) -> str:
    given = page.report.input
    count = sum(given.problem_counts.values())
    shown = "" if count == len(given.problems) else f", {len(given.problems):,} of them in full"
    return f"{counted(count, 'problem')} in the input{shown}"


def _item_note(page: Page) -> str:
    items, notes = page.item_list, list[str]()
    if len(items.rows) < page.report.provenance.cells:
        notes.append(f"The {len(items.rows):,} lowest of {page.report.provenance.cells:,}.")
    if items.left_out:
        notes.append(f"{items.left_out:,} are without a picture: the budget for them is spent.")
    if items.unreadable:
        notes.append(f"{items.unreadable:,} are without a picture: it could not be read.")
    if not items.with_references:
        notes.append("References are left out; with_references=True shows them.")
    return " ".join(notes)


def _sections(page: Page, drawings: Drawings, *, has_advice: bool) -> list[tuple[str, str]]:
    found = {
        ("number", "The number"): True,
        ("next", "What next"): has_advice,
        ("metrics", "Metrics"): True,
        ("summary", "As the paper prints it" if page.printed else "Episodes"): bool(
            page.summaries or page.no_summary
        ),
        ("calibration", "Where it stands"): drawings.calibration is not None,
        ("grid", "Grid"): page.heat_map is not None,
        ("published", "Published results"): bool(page.published),
        ("tags", "By tag"): bool(drawings.breakdowns or page.not_broken_down),
        ("changes", "Before and after"): drawings.changes is not None,
        ("curve", "Budget"): bool(drawings.curves),
        ("protocols", "Protocols"): bool(drawings.differences or page.alternatives),
        ("failures", "What went wrong"): bool(page.failures),
        ("run", "How it was made"): True,
        ("items", "Items"): bool(page.item_list.rows),
    }
    return [section for section, there in found.items() if there]


def _number(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def digest_of(text: str) -> str:
    """Return the digest by which a Content-Security-Policy identifies a script or a style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    return files("snellen.grading.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader({"page.html.j2": _asset("page.html.j2")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=False,
    )
    environment.filters.update(percent=percent, coded=_coded, method_name=method_name)
    return environment


def _coded(sentence: str) -> str:
    """Format text between backticks as code; everything is escaped."""
    from markupsafe import Markup, escape

    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(sentence.split("`"))
    )
