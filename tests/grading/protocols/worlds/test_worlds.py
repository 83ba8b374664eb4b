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


@pytest.mark.parametrize(
    ("kind", "gold", "shown", "near"),
    [
        ("date", "2025-10-27", "Monday, October 27, 2025", "Monday, October 28, 2025"),
        ("money", 5967, "$5,967.00", "€5,967.00"),
        ("list", ["a@x", "b@x"], "a@x, b@x", "a@x, b@x, c@x"),
        ("place", "Room Elm; Cafeteria", "Room Elm;Cafeteria", "Cafeteria;Room Elm"),
    ],
)
def test_an_answer_counts_as_the_screen_shows_it_and_a_near_miss_does_not(
    kind: str, gold: object, shown: str, near: str
) -> None:
    assert judged({"answer": gold, "kind": kind}, answer=shown)["sr"] == 1.0
    assert judged({"answer": gold, "kind": kind}, answer=near)["sr"] == 0.0


@pytest.mark.parametrize(
    ("gold", "answers"),
    [
        ("2025-10-27", {"2025-10-27": 1.0, "October 27, 2025": 0.0, "2025-10-27.": 0.0}),
        (5967, {"5,967": 1.0, 5967: 1.0, "59,67": 1.0, "$5,967": 0.0}),
        (["a@x", "b@x"], {"a@x, b@x": 0.0}),
        ("Room Elm; Cafeteria", {"room elm;  cafeteria": 1.0, "Room Elm;Cafeteria": 0.0}),
    ],
)
def test_a_reference_without_a_kind_is_compared_as_before(
    gold: object, answers: dict[object, float]
) -> None:
    found = {answer: judged({"answer": gold}, answer=answer)["said"] for answer in answers}
    assert found == answers


@pytest.mark.parametrize("gold", [{}, {"answer": 5}, {"answer": 5, "kind": "number"}])
def test_an_episode_that_its_agent_did_not_end_says_nothing(gold: dict[str, Any]) -> None:
    left = judged(gold, status=None, answer=5, end="abandoned")
    assert (left["sr"], left["state"], left["said"]) == (0.0, 1.0, 0.0)
    # What stands at the limit is graded as it stands.
    assert judged(gold, status=None, answer=5, end="limit")["sr"] == 1.0


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
