"""Episodes in worlds: the state, the answer by its kind, and how they ended."""

from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import SnellenError


def judged(gold: dict[str, Any], **record: Any) -> dict[str, float]:
    """Return the metrics of one episode that ended as done after three steps."""
    response: dict[str, Any] = {"status": "done", "changes": {}, "cost": 3, **record}
    score = sdk.score("desk/l3", response=response, reference={"limit": 15, **gold})
    return dict(score.metrics)


def test_a_report_says_how_many_episodes_were_abandoned() -> None:
    record: dict[str, Any] = {"status": "done", "changes": {}, "cost": 3}
    answers = [
        {"item_id": f"a{number}", "response": {**record, "end": end}}
        for number, end in enumerate(("abandoned", "submitted", "abandoned"))
    ]
    report = sdk.grade(
        answers, task="desk/l3", references={f"a{number}": {"limit": 15} for number in range(3)}
    )
    assert any("2 of the episodes were abandoned" in warning for warning in report.input.warnings)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({"answer": 5, "kind": "color"}, "color"),
        ({"answer": "soon", "kind": "date"}, "'soon' is no date"),
        ({"answer": {"a": 1}, "kind": "list"}, "is no list"),
    ],
)
def test_a_reference_that_no_answer_could_match_is_refused(
    gold: dict[str, Any], message: str
) -> None:
    with pytest.raises(SnellenError, match=message):
        judged(gold, answer=5)
