"""A report warns of coordinates in another space, keeps the warning, and audits itself."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from snellen import sdk
from snellen.cli.app import app
from snellen.grading.errors import InputError, MetricError
from snellen.grading.point_audit import VIEW
from snellen.grading.protocols.base import OUTSIDE
from snellen.grading.report.html import render_html
from snellen.sdk.analysis.audit import AUDITED
from snellen.sdk.page.build import build_page

L2 = "mmbench-gui/l2_basic"
POINT = "visualwebbench/element_ground_point"
BOX = "visualwebbench/element_ground_bbox"


def center(number: int) -> tuple[float, float]:
    return 0.05 + 0.9 * (number * 0.377 % 1), 0.05 + 0.9 * (number * 0.618 % 1)


def thousandths(task: str = L2, count: int = 60, **options: Any) -> sdk.Report:
    """Grade points or boxes in thousandths against targets of a hundredth of the image."""
    references: dict[str, object] = {}
    answers: list[dict[str, object]] = []
    for number in range(count):
        x, y = center(number)
        box = [x - 0.01, y - 0.01, x + 0.01, y + 0.01]
        if task != L2:
            box = [side * (800 if place % 2 else 1280) for place, side in enumerate(box)]
        size = [2560, 1440] if task == L2 else [1280, 800]
        references[f"i{number}"] = {"bbox": box, "image_size": size}
        numbers = (x, y) if task != BOX else (x - 0.01, y - 0.01, x + 0.01, y + 0.01)
        said = ", ".join(f"{1000 * one:.1f}" for one in numbers)
        answers.append({"item_id": f"i{number}", "response": f"[{said}]"})
    return sdk.grade(answers, task=task, references=references, **options)


@pytest.mark.slow
@pytest.mark.parametrize("task", [L2, POINT, BOX])
def test_a_run_in_another_space_is_warned_of(task: str) -> None:
    report = thousandths(task)
    assert report.value < 0.1
    (warning,) = (one for one in report.input.warnings if not one.endswith(OUTSIDE))
    assert warning.startswith("Read as thousandths of the image, 0 to 1000, the 60 answers score")
    # An image of 1280 by 800 has no row 950: these are noted one by one, too.
    assert (len(report.input.warnings) == 2) is (task != L2)
    audit = report.audit()
    assert audit is not None
    assert (audit.warning, audit.readings[0].score) == (warning, 1.0)


def test_the_protocol_that_the_warning_names_gives_what_it_says() -> None:
    report = thousandths()
    audit = report.audit()
    assert audit is not None
    again = sdk.regrade(report, protocol=audit.protocol)
    assert (again.value, again.input.warnings) == (audit.readings[0].score, ())


def test_a_warning_needs_no_kept_scores_and_is_saved(tmp_path: Path) -> None:
    report = thousandths(keep_scores=False)
    assert report.input.warnings == thousandths().input.warnings
    saved = sdk.load_report(report.save(tmp_path / "r.json"))
    assert saved.input.warnings == report.input.warnings
    text = report.save(tmp_path / "r.md").read_text(encoding="utf-8")
    assert f"**Warning:** {report.input.warnings[0]}" in text


@pytest.mark.slow
def test_a_page_shows_it_beneath_the_number() -> None:
    page = build_page(thousandths())
    html = b"".join(render_html(page)).decode()
    assert "<strong>Mind this.</strong> Read as thousandths of the image" in html
    assert "<code>thousand@3</code>" in html


@pytest.mark.slow
def test_of_many_answers_a_sample_is_audited_while_grading_and_all_of_them_after() -> None:
    report = thousandths(count=AUDITED + 1)
    assert "a sample of 1,001 answers scores 100.0%" in report.input.warnings[0]
    audit = report.audit()
    assert audit is not None
    assert audit.answers == AUDITED + 1


def test_the_terminal_shows_it(tmp_path: Path) -> None:
    saved = thousandths().save(tmp_path / "r.json")
    result = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["report", str(saved)])
    assert "Read as thousandths of the image, 0 to 1000, the 60 answers" in result.stdout


def test_only_grounding_is_audited() -> None:
    report = sdk.grade(
        [{"item_id": "a", "response": "12"}], task="screenqa/short", references={"a": ["12"]}
    )
    assert report.input.warnings == ()
    with pytest.raises(MetricError, match="no coordinates to audit"):
        report.audit()


def test_a_saved_report_says_what_its_audit_lacks(tmp_path: Path) -> None:
    saved = sdk.load_report(thousandths().save(tmp_path / "r.json"))
    with pytest.raises(InputError, match="needs the references, which no report holds"):
        saved.audit()


def test_the_longest_side_of_the_view_is_asked_about() -> None:
    report = thousandths()
    audit = report.audit(view=700)
    assert audit is not None
    seen = next(one for one in audit.readings if one.space is VIEW and not one.swapped)
    # No point is where it would be in a view of 700 by 394.
    assert seen.score < 0.1
    for view in (0, -1, float("nan")):
        with pytest.raises(
            InputError, match="view= must be the longest side in pixels, greater than 0"
        ):
            report.audit(view=view)
