"""Grading stored answers again, where programs among them were run."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.grading.metrics.code import Execution

pytestmark = pytest.mark.compat

PROGRAM = "def total(numbers):\n    return sum(numbers)"


class SaysYes:
    """Runs nothing and finds everything in order."""

    def run(self, code: str, *, files: Any = None) -> Execution:
        """Pass, with what the program would print."""
        assert code
        assert files is None or files
        return Execution(True, 0, "3\n", "", False, None, 0.0)


@pytest.fixture
def items(tmp_path: Path) -> Path:
    item = {
        "id": "sum",
        "dimension": "action",
        "level": 1,
        "task": "code",
        "question": "Print 1 + 2.",
        "answer": "print(3)",
        "metric": "code",
        "settings": {"prints": "3\n"},
    }
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(item) + "\n", encoding="utf-8")
    return path


def graded(items: Path, **more: Any) -> sdk.Report:
    answers = [{"item_id": "sum", "response": PROGRAM}]
    return sdk.grade(answers, task="matrix/items", data=items, **more)


def test_a_signature_says_that_programs_were_run(items: Path) -> None:
    ran, not_run = graded(items, executor=SaysYes()), graded(items)

    assert (ran.value, not_run.value) == (1.0, 0.0)
    assert "|code:run|" in ran.signature
    assert "code:run" not in not_run.signature
    assert not_run.input.incomplete


def test_programs_that_were_run_are_not_silently_taken_for_errors(
    items: Path, tmp_path: Path
) -> None:
    ran = graded(items, executor=SaysYes())
    saved = ran.save(tmp_path / "report.json")

    for report in (ran, str(saved)):
        with pytest.raises(InputError, match="programs were run for it; give executor="):
            sdk.regrade(report)
        assert sdk.regrade(report, executor=SaysYes()).value == 1.0


def test_a_difference_is_explained_with_programs_run(items: Path) -> None:
    answers = [{"item_id": "sum", "response": PROGRAM}]
    reports = sdk.explain(answers, task="matrix/items", data=items, executor=SaysYes())

    why = reports.explain("items", "published")
    assert reports.reports["items"].value == 1.0
    assert sum(share.share for share in why.shares) == pytest.approx(
        why.second_value - why.first_value
    )
