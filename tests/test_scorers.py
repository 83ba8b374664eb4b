"""The page on what scorers change has what the published runs score."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def scorers() -> ModuleType:
    """Import docs/scorers.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("scorers", DOCS / "scorers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scorers"] = module
    spec.loader.exec_module(module)
    return module


def test_every_run_has_its_table(scorers: ModuleType) -> None:
    text = scorers.PAGE.read_text(encoding="utf-8")
    assert text.count("\n### ") == len(scorers.RUNS)


@pytest.mark.slow
@pytest.mark.realdata
def test_a_runs_table_is_what_its_file_scores(scorers: ModuleType) -> None:
    if not Path(os.environ["SNELLEN_DATA"], "real", "predictions").is_dir():
        pytest.skip("SNELLEN_DATA has no folder real/predictions")
    (run,) = [one for one in scorers.RUNS if one.task == "osworld-g/original"]
    scored = scorers.score(run)
    text = scorers.PAGE.read_text(encoding="utf-8")
    for row in scored.rows:
        shares = [scorers._signed(row.shares[name]) for name in scorers.COLUMNS if row.shares]
        assert " | ".join([f"| `{row.protocol}`", f"{row.value:.2f}", *shares]) in text
        assert sum(row.shares.values()) == pytest.approx(
            row.value - scored.rows[0].value if row.shares else 0
        )
