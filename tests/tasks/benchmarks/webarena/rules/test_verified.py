"""The verdicts of the package webarena-verified 1.2.3 on 16 of its tasks, and what `robust` fixes.

The tasks in tests/fixtures/webarena/verdicts.json are WebArena-Verified's (Apache 2.0); the answers
and logs were made of the references, with one change each, and graded by the package.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.models.scores import Outcome, Score
from snellen.tasks.benchmarks.webarena.rules.golds import simplest

TASK = "webarena/verified"
FIXTURE = Path(__file__).parents[4] / "fixtures" / "webarena" / "verdicts.json"


@cache
def fixture() -> Mapping[str, Any]:
    return json.loads(FIXTURE.read_text(encoding="utf-8"))


@cache
def references() -> Mapping[str, Any]:
    return {
        str(task["task_id"]): {"sites": task["sites"], "eval": task["eval"]}
        for task in fixture()["tasks"]
    }


def graded(task: int, response: object, protocol: str = "verified") -> Score:
    name = str(task)
    (score,) = sdk.grade(
        [{"item_id": name, "response": response}],
        task=TASK,
        references={name: references()[name]},
        protocol=protocol,
        progress=False,
    ).scores
    return score


def verdict_of(score: Score) -> str:
    if score.crashed:
        return "error"
    return "success" if score.value == 1 else "failure"


@pytest.mark.parametrize("task", sorted(map(int, references())))
def test_every_answer_has_the_verdict_of_the_package(task: int) -> None:
    cases = [case for case in fixture()["cases"] if case[1] == task]
    assert len(cases) > 15
    differing = [
        (name, verdict, found)
        for name, _, verdict, said in cases
        if (
            found := verdict_of(graded(task, said if "network" in said else said["agent_response"]))
        )
        != verdict
    ]
    assert not differing


def retrieved(*data: object, status: str = "SUCCESS") -> Mapping[str, Any]:
    return {"task_type": "RETRIEVE", "status": status, "retrieved_data": list(data)}


@pytest.mark.parametrize(
    ("task", "data", "verified", "robust"),
    [
        # A regular expression, or a list of guesses, is right by the published rule.
        (75, ["^.*$"] * 3, 1, 0),
        (52, [["7min", "5h"]], 1, 0),
        # A comma before three last digits separates decimals by the published rule.
        (94, ["$36.39"], 1, 1),
    ],
)
def test_robust_takes_an_answer_for_plain_text(
    task: int, data: Sequence[object], verified: float, robust: float
) -> None:
    if task == 75:
        data = data[: len(references()["75"]["eval"][0]["expected"]["retrieved_data"])]
        verified = graded(75, retrieved(*data)).value
    assert graded(task, retrieved(*data)).value == verified
    assert graded(task, retrieved(*data), "robust").value == robust


def test_robust_reads_thousands_and_every_alternative_of_an_amount() -> None:
    reference = {
        "sites": ["shopping"],
        "eval": [
            {
                "evaluator": "AgentResponseEvaluator",
                "results_schema": {"type": "array", "items": {"format": "currency"}},
                "expected": {
                    "task_type": "retrieve",
                    "status": "SUCCESS",
                    "retrieved_data": [[1234, 99]],
                },
            }
        ],
    }
    for said, verified, robust in (("$1,234", 0, 1), ("$99", 0, 1), ("$1,234.00", 1, 1)):
        for protocol, value in (("verified", verified), ("robust", robust)):
            report = sdk.grade(
                [{"item_id": "a", "response": retrieved(said)}],
                task=TASK,
                references={"a": reference},
                protocol=protocol,
                progress=False,
            )
            assert report.value == value


def test_a_task_that_no_answer_passes_as_published_can_be_passed_under_robust() -> None:
    expected = references()["319"]["eval"][0]["expected"]
    assert "retrieved_data" not in expected
    right = {**expected, "retrieved_data": None}
    assert graded(319, right).value == 0
    assert graded(319, right, "robust").value == 1


def test_an_answer_may_be_fenced_or_come_in_an_apis_object() -> None:
    text = json.dumps(retrieved("7 minutes"))
    message = {"choices": [{"message": {"role": "assistant", "content": f"```json\n{text}\n```"}}]}
    assert graded(52, f"Done:\n```json\n{text}\n```").value == 1
    assert graded(52, message).value == 1


@pytest.mark.parametrize("said", ["It takes 7 minutes.", "[1]", {}, [], "{"])
def test_an_answer_that_is_no_object_is_unparsed(said: object) -> None:
    score = graded(52, said)
    assert (score.outcome, score.value) == (Outcome.UNPARSED, 0)


def test_an_expression_that_could_take_forever_is_not_tried() -> None:
    for pattern in (r"^(\w+\s?)+!$", "^.*.*.*.*!$", "^(a$"):
        assert graded(75, retrieved(*[pattern] * 3)).value == 0


@pytest.mark.parametrize(
    "log",
    [
        [{"request": {"url": "http://["}, "response": None}],
        [{"request": {"url": "x", "headers": 5, "postData": [1]}, "response": {"cookies": "a"}}],
        [{"request": {"url": "http://a/b?%zz=%", "headers": [None, {"name": 1}]}}],
    ],
)
@pytest.mark.parametrize("environments", [None, {"gitlab": 5}, {"gitlab": {"urls": [None, ""]}}])
def test_a_log_of_odd_values_is_wrong_and_breaks_nothing(log: object, environments: object) -> None:
    answer = {"task_type": "navigate", "status": "SUCCESS", "retrieved_data": None}
    for task in (45, 411, 679):
        said = {"agent_response": answer, "network": log, "environments": environments}
        assert graded(task, said).value == 0


def test_an_unknown_status_and_a_regular_expression_are_counted_in_the_report() -> None:
    answers = [
        {"item_id": "52", "response": retrieved("7min", status="DONE")},
        {"item_id": "94", "response": retrieved("^.*$")},
    ]
    report = sdk.grade(
        answers,
        task=TASK,
        references={name: references()[name] for name in ("52", "94")},
        progress=False,
    )
    said = " ".join(report.input.warnings)
    assert "1 answers have a status that is none of SUCCESS" in said
    assert "1 answers hold a regular expression" in said


def test_without_a_log_the_task_is_an_error_and_never_a_zero() -> None:
    answer = {"task_type": "navigate", "status": "SUCCESS"}
    for said in (answer, {"agent_response": answer}):
        assert graded(45, said).outcome is Outcome.ERROR
    broken: object = {"agent_response": answer, "network": [{"request": None}]}
    assert graded(45, broken).outcome is Outcome.ERROR
    assert graded(45, {"agent_response": answer, "network": []}).outcome is Outcome.ERROR
    assert graded(45, {"agent_response": answer, "network": "x.har"}).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^__REDDIT__/f/books/\d+/to-kill$", "__REDDIT__/f/books/1/to-kill"),
        (r"^(all|)$", "all"),
        (r"^file_path|file_name$", "file_path"),
        (r"^.*(?=.*white)(?=.*desk).* has been$", "xwhitedeskx has been"),
        (r"^(?!main$).+$", "x"),
        (r"^[a-f]{3}$", r"^[a-f]{3}$"),
    ],
)
def test_a_simple_text_of_a_pattern_is_found_or_the_pattern_is_kept(
    pattern: str, text: str
) -> None:
    assert simplest(pattern) == text
