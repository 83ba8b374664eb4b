import pytest

from snellen import sdk

L3 = "mmbench-gui/l3"


def run(*platforms: str) -> sdk.Report:
    """Grade two tasks: the first failed at the limit of 15 steps, the second took 5."""
    said = {"a": {"success": 0, "cost": 15}, "b": {"success": 1, "cost": 5}}
    return sdk.grade(
        [{"item_id": name, "response": response} for name, response in said.items()],
        task=L3,
        protocol="exact",
        references={name: {"limit": 15} for name in said},
        tags={
            name: {"platform": one, "steps": "15 steps"}
            for name, one in zip(said, platforms, strict=True)
        },
    )


def test_the_average_of_platforms_is_told_from_the_metric_that_pools_them() -> None:
    report = run("web", "linux")
    summary = report.summary()
    found = summary.value("eqa", "15 steps")
    assert found is not None
    # Web 0, and linux 1 - 5/15 in a row of its own; pooled (1/2) (1 - 20/30).
    assert found.value == pytest.approx(1 / 3)
    assert report.metrics["eqa"].value == pytest.approx(1 / 6)
    assert "the metric eqa of a report takes all their tasks in one row" in summary.tables[0].note


def test_one_platform_has_nothing_to_pool() -> None:
    report = run("web", "web")
    summary = report.summary()
    found = summary.value("eqa", "15 steps")
    assert found is not None
    assert found.value == pytest.approx(report.metrics["eqa"].value)
    assert summary.tables[0].note == ""
