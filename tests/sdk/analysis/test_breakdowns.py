"""The grid that a report shows unasked: on its page and in its Markdown."""

from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import MetricError, UnknownNameError
from snellen.grading.stats.summary import estimate
from snellen.sdk.analysis.breakdowns import own_grid
from snellen.sdk.page.build import build_page

PAIRS = [(row, level) for row in ("action", "perception") for level in ("L1", "L2")]
IDS = [f"{row}/{level}/{number}" for row, level in PAIRS for number in range(12)]


def make(names: tuple[str, str] = ("dimension", "level"), **options: Any) -> sdk.Report:
    """Grade 48 answers to items in four cells; two in three are right."""
    tags = {item_id: dict(zip(names, item_id.split("/"), strict=False)) for item_id in IDS}
    return sdk.grade(
        [
            {"item_id": item_id, "response": "blue" if place % 3 else "red"}
            for place, item_id in enumerate(IDS)
        ],
        task="screenqa/short",
        references={item_id: ["blue"] for item_id in IDS},
        tags=tags,
        **options,
    )


def test_a_report_crosses_two_tags() -> None:
    report = make()
    grid = report.grid()
    assert (grid.metric, grid.row_names, grid.column_names) == (
        "f1",
        ("perception", "action"),
        ("L1", "L2"),
    )
    values = [score.value for score in report.scores if "action/L2" in str(score.item_id)]
    assert grid.cell("action", "L2").estimate == estimate(values)
    assert report.grid("level", "dimension", "exact_match").metric == "exact_match"
    assert report.grid(least=13).blanked == 4


def test_unknown_tags_and_metrics_are_named() -> None:
    with pytest.raises(UnknownNameError, match="no tag of these items 'levels'"):
        make().grid(columns="levels")
    with pytest.raises(UnknownNameError, match="'f2'"):
        make().grid(metric="f2")


def test_the_page_and_the_markdown_show_the_grid_unasked(tmp_path: Path) -> None:
    report = make()
    assert own_grid(report) == report.grid()
    assert build_page(report).heat_map == report.grid()
    text = report.save(tmp_path / "report.md").read_text()
    assert "f1 by dimension and level:" in text
    platforms = make(("platform", "difficulty"))
    assert own_grid(platforms) == platforms.grid("platform", "difficulty")


def test_items_without_such_tags_or_with_few_answers_have_none(tmp_path: Path) -> None:
    assert own_grid(make(("site", "domain"))) is None
    assert own_grid(make(keep_scores=False)) is None
    assert own_grid(make(items=IDS[:20])) is None
    assert "by dimension" not in make(("a", "b")).save(tmp_path / "report.md").read_text()


def test_a_tag_with_a_value_an_item_shows_no_grid_unasked() -> None:
    ids = [f"{level}/{number}" for number in range(150) for level in ("L1", "L2")]
    report = sdk.grade(
        [{"item_id": item_id, "response": "blue"} for item_id in ids],
        task="screenqa/short",
        references={item_id: ["blue"] for item_id in ids},
        tags={
            item_id: {"dimension": f"d{place}", "level": item_id[:2]}
            for place, item_id in enumerate(ids)
        },
    )
    assert own_grid(report) is None
    with pytest.raises(MetricError, match="'dimension' has 300 values, and a grid shows 200"):
        report.grid()
