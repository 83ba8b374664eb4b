"""`sdk.grade` on runs whose verdicts their harnesses stored, as the task `outcomes/run`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from snellen import sdk
from snellen.grading.errors import InputError, SubmissionError
from snellen.grading.models.reports import ProblemKind

RUN = "outcomes/run"


def tree(root: Path, files: Mapping[str, Any]) -> Path:
    """Write files by their paths; what is no text is written as JSON."""
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return root


def rows(report: sdk.Report) -> dict[str, list[tuple[str, float, float]]]:
    """Return each item's attempts: the outcome, the success and the partial score."""
    found: dict[str, list[tuple[str, float, float]]] = {}
    for score in report.scores:
        said = (score.outcome.value, score.metrics["success"], score.metrics["partial"])
        found.setdefault(str(score.item_id), []).append(said)
    return found


def errors(report: sdk.Report) -> dict[str, str]:
    return {str(score.item_id): score.error for score in report.scores if score.error}


@pytest.fixture
def osworld(tmp_path: Path) -> Path:
    log = '{"step_num": 1}\n{"step_num": 2}\n{"step_num": 2}\n'
    files = {
        "chrome/a1/result.txt": "1.0\n",
        "chrome/a1/traj.jsonl": log,
        "chrome/a2/result.txt": "0.0\n",
        "gimp/g1/result.txt": "0.5\n",
        "gimp/g2/traj.jsonl": log + '{"Error": "no connection"}\n',
        "vlc/v1/result.txt": "oops",
    }
    below = "pyautogui/screenshot/model"
    return tree(tmp_path / "run", {f"{below}/{name}": text for name, text in files.items()})


def test_osworlds_tree_needs_no_data_and_no_task(osworld: Path) -> None:
    report = sdk.grade(osworld)
    assert report.task == RUN
    assert rows(report) == {
        "chrome/a1": [("answered", 1, 1)],
        "chrome/a2": [("answered", 0, 0)],
        "gimp/g1": [("answered", 0, 0.5)],
        "gimp/g2": [("error", 0, 0)],
        "vlc/v1": [("error", 0, 0)],
    }
    # 1 of 5, and of the 3 that were judged.
    assert report.metrics["success"].value == pytest.approx(1 / 5)
    assert report.metrics["success"].value_answered == pytest.approx(1 / 3)
    assert report.metrics["partial"].value == pytest.approx(1.5 / 5)
    assert report.numbers.measures["steps"].mean == 2
    assert list(report.tags["domain"]) == ["chrome", "chrome", "gimp", "gimp", "vlc"]
    assert {cell.name: cell.items for cell in report.by("domain", least=1).cells}["gimp"] == 2
    for name in (RUN, "outcomes"):
        assert sdk.grade(osworld, task=name).metrics == report.metrics


def test_what_has_no_verdict_is_named(osworld: Path) -> None:
    report = sdk.grade(osworld)
    assert report.input.warnings[0] == (
        "1 of the 5 episodes have no verdict: they count as errors, not as failures of the agent:"
        " gimp/g2"
    )
    assert errors(report)["gimp/g2"] == "no verdict: there is no result.txt"
    assert errors(report)["vlc/v1"].startswith("unreadable result")


def test_with_the_sets_list_what_is_missing_counts_0_and_others_are_named(
    osworld: Path, tmp_path: Path
) -> None:
    known = tmp_path / "test_all.json"
    known.write_text(json.dumps({"chrome": ["a1", "a2", "a3"], "gimp": ["g1"], "os": ["o1"]}))
    loaded = sdk.load(RUN, known)
    for data in (known, loaded):
        report = sdk.grade(osworld, data=data)
        assert report.metrics["success"].value == pytest.approx(1 / 5)
        assert rows(report)["os/o1"] == [("missing", 0, 0)]
        problems = report.input.problems
        assert [problem.kind for problem in problems] == [ProblemKind.UNKNOWN_ITEM] * 2
        assert "has no item 'gimp/g2'" in problems[0].message
        assert str(problems[0].file).endswith("gimp/g2/traj.jsonl")
    references = dict.fromkeys(["a1", "a2"])
    assert sdk.grade(osworld, task=RUN, references=references).metrics["success"].value == 0.5


def test_a_list_and_a_run_are_joined_with_and_without_domains(osworld: Path) -> None:
    flat = sdk.grade(osworld, task=RUN, references={"a1": None, "g1": None})
    assert list(rows(flat)) == ["a1", "g1"]
    listed = {"chrome/a1": None, "gimp/a1": None, "os/b": None}
    bare = [{"task_id": "b", "score": 1}, {"task_id": "a1", "score": 1}]
    report = sdk.grade(bare, task=RUN, references=listed)
    assert rows(report)["os/b"] == [("answered", 1, 1)]
    # Two tasks of the list end in it.
    assert "has no item 'a1'" in report.input.problems[0].message


def test_mobileworlds_folders_say_a_score_and_a_reason(tmp_path: Path) -> None:
    log: dict[str, Any] = {"0": {"tools": None, "traj": [{}, {}, {}]}, "token_usage": {"total": 5}}
    files: dict[str, Any] = {
        "TaskA/result.txt": "score: 1.0\nreason: all there",
        "TaskA/traj.json": log,
        "TaskB/result.txt": "score: 0.5\nreason: half",
        "TaskB/traj.json": {},
        "TaskC/traj.json": log,
        "TaskA_backup_20260102_030405/result.txt": "score: 0.0\nreason: earlier",
    }
    report = sdk.grade(tree(tmp_path / "logs/qwen", files).parent)
    assert rows(report) == {
        "TaskA": [("answered", 1, 1)],
        "TaskB": [("answered", 0, 0.5)],
        "TaskC": [("error", 0, 0)],
    }
    assert report.numbers.measures["steps"].mean == 3


def test_mobileworlds_report_names_what_has_no_result(tmp_path: Path) -> None:
    results = [{"task_name": "TaskA", "score": 1.0}, {"task_name": "TaskB", "score": 0.0}]
    whole = {"summary": {"n": 3}, "tasks_with_results": results, "tasks_with_no_results": ["C"]}
    folder = tree(tmp_path, {"eval_report_20260102_030405.json": whole})
    report = sdk.grade(folder / "eval_report_20260102_030405.json")
    assert rows(report)["TaskA"] == [("answered", 1, 1)]
    assert errors(report) == {"C": "no verdict: the report has no result of it"}


def test_androidworlds_episodes_are_attempts_and_their_exceptions_errors(tmp_path: Path) -> None:
    trace = "Traceback (most recent call last):\n  File x\nValueError: emulator lost"
    table = pd.DataFrame(
        [
            {"task_template": "Clock", "is_successful": 1.0, "episode_length": 7, "seed": 1},
            {"task_template": "Clock", "is_successful": 0.0, "episode_length": 9, "seed": 2},
            {"task_template": "Sms", "exception_info": trace, "seed": 1},
            {"task_template": "Sms", "is_successful": 0.5, "seed": 2, "run_time": 4.0},
            {"task_template": "Files", "is_successful": float("nan"), "seed": 1},
        ]
    )
    table.to_csv(tmp_path / "run.csv")
    for source in (tmp_path / "run.csv", table):
        report = sdk.grade(source, task=RUN)
        assert rows(report) == {
            "Clock": [("answered", 1, 1), ("answered", 0, 0)],
            "Files": [("error", 0, 0), ("missing", 0, 0)],
            "Sms": [("error", 0, 0), ("answered", 0, 0.5)],
        }
        assert errors(report)["Sms"] == "ValueError: emulator lost"
        assert errors(report)["Files"].startswith("no verdict")
        assert report.numbers.pass_at[2] == pytest.approx(1 / 3)


def test_androidworlds_table_of_means_becomes_its_trials(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(
        "task,num_complete_trials,mean_success_rate,mean_episode_length,total_runtime_s,"
        "num_fail_trials\nClock,3,0.6666666667,5,30,0\nSms,2,0.0,9,10,1\n"
        "========= Average =========,2.5,0.33,7,20,0.5\n"
    )
    report = sdk.grade(file)
    assert rows(report)["Clock"] == [("answered", 1, 1)] * 2 + [("answered", 0, 0)]
    assert [outcome for outcome, *_ in rows(report)["Sms"]] == ["answered", "answered", "error"]
    assert list(rows(report)) == ["Clock", "Sms"]


def test_agentlabs_study_has_its_benchmark_seeds_costs_and_errors(tmp_path: Path) -> None:
    done = {"n_steps": 2, "cum_reward": 1.0, "err_msg": None, "stats.cum_cost": 0.25}
    files = {
        "2025_A_on_webarena.310_7/summary_info.json": done,
        "2025_A_on_webarena.311_7_e6d2d5/summary_info.json": {**done, "cum_reward": 0.0},
        "2025_A_on_miniwob.click-test_3/summary_info.json": {**done, "err_msg": "Timeout\nboom"},
        "2025_A_on_miniwob.click-test_4/exp_args.pkl": "",
    }
    report = sdk.grade(tree(tmp_path / "study", files))
    assert rows(report)["webarena.310_7"] == [("answered", 1, 1)]
    assert errors(report) == {
        "miniwob.click-test_3": "boom",
        "miniwob.click-test_4": "no verdict: there is no summary_info.json",
    }
    assert report.numbers.measures["cost"].mean == 0.25
    assert list(report.tags["domain"])[-2:] == ["webarena", "webarena"]
    listed = dict.fromkeys(["310", "311", "312"])
    joined = rows(sdk.grade(tmp_path / "study", task=RUN, references=listed))
    assert [said[0][0] for said in joined.values()] == ["answered", "answered", "missing"]


def trial(name: str, reward: float | None, fault: str = "", **more: object) -> dict[str, Any]:
    exception = {"exception_type": fault, "exception_message": "it broke"}
    return {
        "task_name": name,
        "trial_name": f"{name}__x",
        "source": "terminal-bench",
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": exception if fault else None,
        "agent_result": {"cost_usd": 0.5, "n_input_tokens": 3},
        "agent_info": {"name": "claude-code", "model_info": {"name": "opus"}},
        **more,
    }


def test_harbors_trials_are_attempts_and_a_timeout_is_judged(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "job/result.json": {"id": "x", "n_total_trials": 4, "stats": {}},
        "job/hello__a/result.json": trial("hello", 1.0),
        "job/hello__b/result.json": trial("hello", 0.0, "AgentTimeoutError"),
        "job/bye__a/result.json": trial("bye", 1.0, "DockerError"),
        "job/bye__b/trial.log": "started",
    }
    report = sdk.grade(tree(tmp_path / "jobs", files))
    assert rows(report) == {
        "bye": [("error", 0, 0), ("error", 0, 0)],
        "hello": [("answered", 1, 1), ("answered", 0, 0)],
    }
    assert {score.error for score in report.scores if score.error} == {
        "DockerError: it broke",
        "no verdict: there is no result.json",
    }
    assert {score.model for score in report.scores} == {"claude-code + opus", None}
    assert list(report.tags["domain"]) == ["terminal-bench", "terminal-bench"]
    assert report.numbers.measures["cost"].mean == 0.5


def test_webarenas_logs_say_pass_fail_and_errors_once(tmp_path: Path) -> None:
    config = "INFO - [Config file]: config_files"
    log = (
        f"{config}/1.json\nINFO - [Result] (PASS) config_files/1.json\n"
        f"{config}/2.json\nINFO - [Result] (FAIL) config_files/2.json\n"
        f"{config}/3.json\nINFO - [Unhandled Error] TimeoutError()]\n{config}/4.json\n"
    )
    files = {
        "log_files/one.log": log,
        "merged.txt": log,
        "error.txt": "[Config file]: config_files/3.json\n[Unhandled Error] TimeoutError()\n",
    }
    folder = tree(tmp_path, files)
    for source in (folder, folder / "log_files/one.log"):
        report = sdk.grade(source)
        assert [rows(report)[task] for task in "12"] == [
            [("answered", 1, 1)],
            [("answered", 0, 0)],
        ]
        assert errors(report)["3"].startswith("TimeoutError()")
        assert errors(report)["4"] == "no verdict: its log ends without one"


def test_rollouts_of_hud_and_nemo_gym_say_their_task_inside(tmp_path: Path) -> None:
    rollouts: list[dict[str, Any]] = [
        {"id": "t1", "task": {"slug": "form-1"}, "reward": 1.0, "trace": {"steps": [{}, {}]}},
        {"id": "t2", "task": {"slug": "form-2"}, "reward": 0.0, "isError": True},
        {"id": "t3", "task": {"slug": "form-3"}, "reward": 0.0, "trace": {"status": "error"}},
        {"id": "t4", "task": {"slug": "form-4"}, "reward": 0.0, "status": "cancelled"},
        {
            "reward": 0.5,
            "response": {"id": "r"},
            "verifier_metadata": {"task_id": "b", "domain": "os"},
        },
    ]
    file = tmp_path / "rollouts.jsonl"
    file.write_text("\n".join(map(json.dumps, rollouts)))
    for source in (file, rollouts):
        report = sdk.grade(source, task=RUN)
        assert rows(report)["form-1"] == [("answered", 1, 1)]
        assert rows(report)["b"] == [("answered", 0, 0.5)]
        assert errors(report).keys() == {"form-2", "form-3", "form-4"}
        assert report.numbers.measures["steps"].mean == 2


def test_a_success_beside_a_score_is_the_verdict(tmp_path: Path) -> None:
    stored = [
        {"task_id": "a", "success": True, "score": 0.9},
        {"task_id": "b", "success": False, "score": 0.4},
        {"task_id": "c", "score": "PASS"},
        {"task_id": "d", "score": 85},
    ]
    report = sdk.grade(stored, task=RUN)
    assert [said[0][1:] for said in rows(report).values()] == [(1, 0.9), (0, 0.4), (1, 1), (1, 1)]
    assert "1 of the scores are above 1" in " ".join(report.input.warnings)


def test_numbered_runs_are_attempts_and_others_are_models(tmp_path: Path) -> None:
    scores = {"run_1/chrome/a": "1", "run_2/chrome/a": "0", "run_1/os/b": "1", "run_2/os/b": "1"}
    files = {f"{name}/result.txt": score for name, score in scores.items()}
    report = sdk.grade(tree(tmp_path / "trials", files))
    assert rows(report)["chrome/a"] == [("answered", 1, 1), ("answered", 0, 0)]
    files = {
        name.replace("run_1", "gpt").replace("run_2", "qwen"): said for name, said in files.items()
    }
    both = tree(tmp_path / "models", files)
    with pytest.raises(SubmissionError, match="grade the models apart"):
        sdk.grade(both)
    assert sdk.grade(both, model="gpt").metrics["success"].value == 1


def test_webarena_verifieds_folders_have_seeds_and_sites(tmp_path: Path) -> None:
    files = {
        f"21/control_seed_{seed}/eval_result.json": {"score": score, "sites": ["map"]}
        for seed, score in ((1, 1.0), (2, 0.0))
    }
    report = sdk.grade(tree(tmp_path, files))
    assert rows(report) == {"21": [("answered", 1, 1), ("answered", 0, 0)]}
    assert list(report.tags["domain"]) == ["map"]


def test_what_stores_no_verdict_says_what_was_looked_for(tmp_path: Path) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_text('{"task_id": "a", "result_status": "success"}\n')
    with pytest.raises(SubmissionError, match="no verdict is stored in it"):
        sdk.grade(claims, task=RUN)
    folder = tree(tmp_path / "android", {"Clock_0.pkl.gz": "", "notes.json": {"a": 1}})
    with pytest.raises(SubmissionError, match=r"unpickling can run any code: .* as CSV"):
        sdk.grade(folder)


def test_a_file_of_answers_is_no_run(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    for row in (
        {"item_id": "a", "response": "7", "score": 1},
        {"id": "a", "pred": [1, 2], "bbox": [0, 0, 3, 3], "correctness": "correct", "score": 1},
    ):
        answers.write_text(json.dumps(row))
        with pytest.raises(InputError, match="give what to grade against"):
            sdk.grade(answers)


def test_own_submissions_are_graded_against_a_list(tmp_path: Path) -> None:
    own = [
        {"item_id": "os/a", "response": {"score": 1, "steps": 4}},
        {"item_id": "os/b", "response": "nonsense"},
    ]
    report = sdk.grade(own, task=RUN, references={"os/a": None, "os/b": None})
    assert [said[0][0] for said in rows(report).values()] == ["answered", "unparsed"]
