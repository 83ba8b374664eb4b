"""Tasks for Inspect AI: its providers ask, our protocols judge, and both say the same number."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from model_server import Model, model_server, said

from snellen import sdk
from snellen.tasks.samples import exam_folder

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

pytestmark = pytest.mark.slow

SCREENQA = Path(__file__).parents[3] / "examples/screen_qa"
BLIND = ("-T", "blind=true")
NAMED = {"model": "m"}
Evaluate = Callable[..., "EvalLog"]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    pytest.importorskip("inspect_ai")
    with model_server() as found:
        # Inspect's own provider refuses replies in which the model has no name.
        found.reply = lambda question: (200, said("stop", "12 exercises") | NAMED)
        monkeypatch.setenv("LOCAL_BASE_URL", found.url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        yield found


@pytest.fixture
def evaluate(model: Model, tmp_path: Path) -> Evaluate:
    """Return what has Inspect's command evaluate a task, and returns its log."""
    from inspect_ai.log import read_eval_log

    def run(task: str, data: Path, *options: str) -> "EvalLog":
        command = [
            *(sys.executable, "-m", "inspect_ai", "eval", f"snellen/{task}"),
            *("--model", "openai-api/local/m", "-T", f"data={data}", *options),
            *("--display", "none", "--log-dir", str(tmp_path), "--max-retries", "0"),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        (file,) = tmp_path.glob("*.eval")
        log = read_eval_log(str(file))
        assert (done.returncode, log.status) == (0, "success"), done.stdout + done.stderr
        return log

    return run


def numbers(log: "EvalLog") -> dict[str, float]:
    assert log.results is not None
    (score,) = log.results.scores
    return {name: one.value for name, one in score.metrics.items()}


def test_a_log_has_the_numbers_and_the_signature_of_the_report(evaluate: Evaluate) -> None:
    log = evaluate("screenqa_short", SCREENQA, *BLIND)
    report = sdk.grade(log.location, task="screenqa/short", data=SCREENQA)
    found = numbers(log)
    assert found["f1"] == report.metrics["f1"].value > 0
    interval = report.numbers.estimates["f1"].interval
    assert interval is not None
    assert (found["f1_low"], found["f1_high"]) == (interval.low, interval.high)
    assert log.eval.metadata is not None
    assert log.eval.metadata["signature"] == report.signature


def test_some_items_are_a_report_of_those(evaluate: Evaluate) -> None:
    log = evaluate("screenqa_short", SCREENQA, *BLIND, "--limit", "3")
    asked = [str(sample.id) for sample in log.samples or ()]
    assert len(asked) == 3
    report = sdk.grade(log.location, task="screenqa/short", data=SCREENQA, items=asked)
    assert numbers(log)["f1"] == report.metrics["f1"].value


@pytest.mark.parametrize("finish", ["abort", "network_error"])
def test_an_answer_that_was_not_finished_is_a_fault_and_no_score(
    evaluate: Evaluate, model: Model, finish: str
) -> None:
    model.reply = lambda question: (200, said(finish, "12 exer") | NAMED)
    log = evaluate("screenqa_short", SCREENQA, *BLIND)
    assert all(sample.error and not sample.scores for sample in log.samples or ())
    report = sdk.grade(log.location, task="screenqa/short", data=SCREENQA)
    assert {kind.value: n for kind, n in report.input.outcomes.items() if n} == {"error": 8}


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY"])
def test_a_filter_is_a_refusal(evaluate: Evaluate, model: Model, finish: str) -> None:
    model.reply = lambda question: (200, said(finish, None) | NAMED)
    log = evaluate("screenqa_short", SCREENQA, *BLIND)
    scores = [score for sample in log.samples or () for score in (sample.scores or {}).values()]
    assert [(score.metadata or {})["outcome"] for score in scores] == ["refused"] * 8
    report = sdk.grade(log.location, task="screenqa/short", data=SCREENQA)
    assert {kind.value: n for kind, n in report.input.outcomes.items() if n} == {"refused": 8}


def test_a_call_of_a_tool_is_an_answer_to_an_item_of_a_pack(
    evaluate: Evaluate, model: Model
) -> None:
    arguments = json.dumps({"action": "left_click", "coordinate": [100, 100]})
    call = {"name": "computer_use", "arguments": arguments}
    calls = [{"id": "1", "type": "function", "function": call}]
    model.reply = lambda question: (200, said("tool_calls", None, tool_calls=calls) | NAMED)
    log = evaluate("mmbench_gui_l2_basic", exam_folder("sample"))
    scores = [score for sample in log.samples or () for score in (sample.scores or {}).values()]
    assert [(score.metadata or {})["outcome"] for score in scores] == ["answered"] * 2
    data = exam_folder("sample")
    report = sdk.grade(log.location, task="mmbench-gui/l2_basic", data=data)
    assert report.metrics["accuracy"].value == numbers(log)["accuracy"]
    parts = model.asked[0]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["image_url", "text"]
    assert parts[0]["image_url"]["url"].startswith("data:image/")


def test_a_benchmark_of_one_task_has_its_name_and_faulty_data_is_said(
    model: Model, tmp_path: Path
) -> None:
    command = [
        *(
            sys.executable,
            "-m",
            "inspect_ai",
            "eval",
            "snellen/screenspot_pro",
            "--display",
            "none",
        ),
        *("--model", "openai-api/local/m", "-T", f"data={tmp_path}", "--log-dir", str(tmp_path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"{tmp_path}: " in done.stdout + done.stderr
