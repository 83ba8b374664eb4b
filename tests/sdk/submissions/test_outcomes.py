"""`sdk.grade` on how episodes ended, as harnesses store it in tables and folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import SubmissionError

L3, PAGES = "mmbench-gui/l3", "miniwob/episode"
NAMES = ("ContactsAdd", "ClockStop", "SendSms")


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    about = {"instruction": "do it", "platform": "android", "apps": ["a"], "type": "single"}
    file = tmp_path / "L3_tasks.jsonl"
    file.write_text("\n".join(json.dumps({"id": name, **about}) for name in NAMES))
    return file


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    said = {"time": "real", "goal": "g", "limit": 10}
    rows = [
        {"id": f"real/{page}/{seed}", "page": page, "seed": seed, **said}
        for page, seed in (("click-test", 3), ("click-test", 30), ("use-slider-2", 3))
    ]
    file = tmp_path / "miniwob.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def outcomes(report: sdk.Report) -> list[tuple[str, str, float]]:
    return [(str(score.item_id), score.outcome.value, score.value) for score in report.scores]


def test_a_table_of_tasks_success_and_steps(apps: Path, tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    table.write_text(
        "task,is_successful,episode_length,exception_info\n"
        "ContactsAdd,1.0,7,\nClockStop,False,15,\nSendSms,,3,emulator lost\n"
    )
    assert outcomes(sdk.grade(table, task=L3, data=apps)) == [
        ("ContactsAdd", "answered", 1),
        ("ClockStop", "answered", 0),
        ("SendSms", "error", 0),
    ]


def test_several_rows_of_an_item_are_attempts(apps: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    rows = [{"task_name": "ContactsAdd", "seed": seed, "reward": seed % 2} for seed in range(4)]
    file.write_text("\n".join(map(json.dumps, rows)))
    report = sdk.grade(file, task=L3, data=apps)
    values = [score.value for score in report.scores if score.item_id == "ContactsAdd"]
    assert values == [0, 1, 0, 1]


def test_a_rate_limit_is_an_error_and_a_claim_is_no_success(apps: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    rows = [
        {"task": "ContactsAdd", "success": False, "status": "rate_limit_error"},
        {"task": "ClockStop", "success": True, "status": "completed"},
    ]
    file.write_text(json.dumps(rows))
    assert outcomes(sdk.grade(file, task=L3, data=apps))[:2] == [
        ("ContactsAdd", "error", 0),
        ("ClockStop", "answered", 1),
    ]
    file.write_text(json.dumps([{"task": "ContactsAdd", "result_status": "success"}]))
    with pytest.raises(SubmissionError, match="result_status"):
        sdk.grade(file, task=L3, data=apps)


@pytest.mark.parametrize(
    ("folder", "fields", "expected"),
    [
        ("x_on_miniwob.click-test_3", {"cum_reward": 1.0, "n_steps": 2}, ("answered", 1)),
        ("x_on_miniwob.click-test_3_e6d2d5", {"cum_reward": 0.0, "n_steps": 9}, ("answered", 0)),
        ("x_on_miniwob.click-test_3", {"cum_reward": 1.0, "n_steps": 11}, ("answered", 0)),
        ("x_on_click-test_3", {"cum_reward": 1.0, "n_steps": 2, "err_msg": "boom"}, ("error", 0)),
    ],
)
def test_agentlabs_folder_names_the_page_and_the_seed(
    pages: Path, tmp_path: Path, folder: str, fields: dict[str, Any], expected: tuple[str, float]
) -> None:
    place = tmp_path / "run" / folder
    place.mkdir(parents=True)
    (place / "summary_info.json").write_text(json.dumps({**fields, "truncated": False}))
    found = outcomes(sdk.grade(tmp_path / "run", task=PAGES, data=pages))
    assert found[0] == ("real/click-test/3", *expected)
    assert {outcome for _, outcome, _ in found[1:]} == {"missing"}


def test_an_episode_that_its_page_did_not_end_says_so(pages: Path, tmp_path: Path) -> None:
    table = tmp_path / "result_df.csv"
    table.write_text(
        "env.task_name,env.task_seed,cum_reward,n_steps,err_msg,terminated\n"
        "miniwob.use-slider-2,3,0.0,10,,False\nminiwob.click-test,30,1.0,1,,True\n"
    )
    report = sdk.grade(table, task=PAGES, data=pages)
    said = {score.item_id: score.response for score in report.scores}
    assert said["real/use-slider-2/3"] == {"reward": 0.0, "ended": False, "cost": 10.0}
    assert said["real/click-test/30"] == {"reward": 1.0, "ended": True, "cost": 1.0}


@pytest.mark.parametrize("task", ["task", "task_id", "task_name", "env_id", "env"])
@pytest.mark.parametrize("name", ["click-test", "miniwob.click-test", "miniwob/click-test-v1"])
def test_rows_of_pages_need_no_steps(pages: Path, tmp_path: Path, task: str, name: str) -> None:
    rows = [
        {task: name, "seed": 3, "success": True, "steps": 11},
        {task: name, "seed": 30, "success": True},
        {task: "use-slider-2", "seed": 3, "success": False},
    ]
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    for source in (file, rows):
        report = sdk.grade(source, task=PAGES, data=pages)
        # The first took more than its limit.
        assert [value for *_, value in outcomes(report)] == [0, 1, 0]
        assert "2 of the episodes did not say their cost" in report.input.warnings[0]


def test_the_steps_of_osworld_are_counted_in_its_log(apps: Path, tmp_path: Path) -> None:
    run = tmp_path / "run" / "pyautogui" / "model" / "ContactsAdd"
    run.mkdir(parents=True)
    (run / "result.txt").write_text("1.0\n")
    # Two actions of one step, and a line that is none.
    steps = [{"step_num": 1}, {"step_num": 1}, {"step_num": 2}, {"Error": "Time limit exceeded"}]
    (run / "traj.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    report = sdk.grade(tmp_path / "run", task=L3, data=apps)
    assert report.scores.of("ContactsAdd")[0].response == {"success": 1.0, "cost": 2}


@pytest.mark.parametrize("name", ["results", "task_results", "tasks", "episodes", "mine"])
def test_records_stand_in_any_container(apps: Path, tmp_path: Path, name: str) -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": "ContactsAdd", "score": 1.0, "steps": [{}, {}], "instruction": "Add it."},
        {"task_id": "ClockStop", "success": False, "n_steps": 3, "reward": 1.0},
    ]
    by_id = {row["task_id"]: row for row in rows}
    wholes: list[Any] = [{"n": 2, name: rows}, {"n": {"all": 2}, name: by_id}, rows]
    for whole in wholes:
        file = tmp_path / "run.json"
        file.write_text(json.dumps(whole))
        report = sdk.grade(file, task=L3, data=apps)
        said = [score.response for score in report.scores][:2]
        assert said == [{"success": 1.0, "cost": 2}, {"success": 0.0, "cost": 3}]
        assert report.input.problems == ()
