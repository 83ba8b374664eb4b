from typing import Any

import pytest

from snellen.tasks.benchmarks.mmbench_gui.episodes import read_record


def test_a_record_becomes_a_submission_that_names_planner_and_grounder() -> None:
    record = {
        "task_id": "linux/gimp-1",
        "success": 0.25,
        "steps": 7,
        "limit": 50,
        "platform": "os_linux",
        "planner": "gpt-4o",
        "grounder": "ui-tars",
        "attempt": 2,
    }
    found = read_record(record)
    assert found.faults == ()
    assert found.submission == {
        "item_id": "linux/gimp-1",
        "attempt": 2,
        "model": "gpt-4o + ui-tars",
        "error": None,
        "response": {"success": 0.25, "cost": 7, "limit": 50, "platform": "os_linux"},
    }


def test_success_may_be_true_or_false_and_the_rest_may_be_left_out() -> None:
    found = read_record({"task_id": "a", "success": True, "other": "ignored"})
    assert (found.submission["response"], found.submission["model"]) == ({"success": 1.0}, None)


@pytest.mark.parametrize(
    ("record", "error", "field", "what"),
    [
        (
            {"success": 1.5},
            "unreadable record: Expected `float` <= 1.0 - at `$.success`",
            "success",
            "expected `float` <= 1.0; the episode counts as an error",
        ),
        (
            {},
            "the record has neither success nor error",
            "success",
            "the record has neither success nor error; the episode counts as an error",
        ),
        ({"error": "the machine went away"}, "the machine went away", None, None),
        ({"success": 0}, None, None, None),
    ],
)
def test_a_faulty_record_is_kept_as_an_error(
    record: dict[str, Any], error: str | None, field: str | None, what: str | None
) -> None:
    found = read_record({"task_id": "a", **record})
    assert (found.submission["item_id"], found.submission["error"]) == ("a", error)
    assert [(one.field, one.what) for one in found.faults] == ([(field, what)] if what else [])


def test_a_faulty_record_keeps_its_attempt_and_its_model() -> None:
    names = {"task_id": "a", "success": 1, "planner": "p", "grounder": "g"}
    for more, attempt, field in (
        ({"steps": -1, "attempt": 2}, 2, "steps"),
        ({"attempt": "first"}, 0, "attempt"),
    ):
        found = read_record({**names, **more})
        assert (found.submission["attempt"], found.submission["model"]) == (attempt, "p + g")
        assert [one.field for one in found.faults] == [field]


def test_a_platform_that_nobody_knows_is_a_problem_and_no_error() -> None:
    unknown, known = (
        read_record({"task_id": "a", "success": 1, "platform": name})
        for name in ("os_beos", "macos")
    )
    assert (unknown.submission["error"], known.submission["error"]) == (None, None)
    assert known.faults == ()
    (fault,) = unknown.faults
    assert (fault.field, fault.what) == (
        "platform",
        "there is no platform 'os_beos'; known: os_windows, os_mac, os_linux, os_ios,"
        " os_android, os_web; its task's counts",
    )
