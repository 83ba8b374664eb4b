"""The task `snellen/judge`: Inspect asks the model, and the log has verdicts that are compared."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from model_server import Model, model_server, said
from PIL import Image

from snellen import sdk
from snellen.sdk.runs import logged

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

pytestmark = pytest.mark.slow

Evaluate = Callable[..., "EvalLog"]


def texts(request: dict[str, Any]) -> str:
    """Return the user's texts of a request."""
    content: Any = request["messages"][1]["content"]
    parts = [{"text": content}] if isinstance(content, str) else content
    return "".join(part.get("text", "") for part in parts)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    pytest.importorskip("inspect_ai")
    with model_server() as found:
        # WebVoyager's judge fails the map, WebJudge the train.
        def reply(question: str) -> tuple[int, dict[str, Any]]:
            text = texts(found.asked[-1])
            if "Your verdict" in text:
                verdict = "NOT SUCCESS" if "map" in text else "SUCCESS"
            elif "snapshot of the web page" in text:
                verdict = "**Reasoning**: seen\n**Score**: 4"
            elif "User Task" in text:
                verdict = 'Status: "failure"' if "train" in text else 'Status: "success"'
            else:
                verdict = "**Key Points**:\n1. It"
            return 200, said("stop", verdict) | {"model": "m"}

        found.reply = reply
        monkeypatch.setenv("LOCAL_BASE_URL", found.url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        yield found


@pytest.fixture
def run(tmp_path: Path) -> Path:
    root = tmp_path / "run"
    for item, task in (("1a", "a coat"), ("2b", "a map"), ("3c", "a train")):
        shots = root / item / "trajectory"
        shots.mkdir(parents=True)
        for number in (1, 2):
            Image.new("RGB", (30, 20)).save(shots / f"{number}.png")
        fields = {"task": task, "action_history": ["click"], "final_result_response": "it"}
        (root / item / "result.json").write_text(json.dumps(fields))
    (root / "4d").mkdir()
    (root / "4d/result.json").write_text("{")
    return root


@pytest.fixture
def evaluate(model: Model, run: Path, tmp_path: Path) -> Evaluate:
    """Return what has Inspect's command judge the run, and returns its log."""
    from inspect_ai.log import read_eval_log

    def evaluated(profile: str, *options: str) -> "EvalLog":
        logs = tmp_path / f"logs-{profile}"
        command = [
            *(sys.executable, "-m", "inspect_ai", "eval", "snellen/judge"),
            *("-T", f"run={run}", "-T", f"profile={profile}", *options),
            *("--model", "openai-api/local/m", "--display", "none", "--log-dir", str(logs)),
            *("--max-retries", "0"),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        (file,) = logs.glob("*.eval")
        log = read_eval_log(str(file))
        assert log.status == "success", log.error
        return log

    return evaluated


def samples(log: "EvalLog") -> dict[str, "EvalSample"]:
    return {str(sample.id): sample for sample in log.samples or ()}


def test_judges_are_compared_with_people_and_with_each_other(
    evaluate: Evaluate, model: Model, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("task_id,human_label\n1a,1\n2b,1\n3c,0\n4d,1\n")
    log = evaluate("webvoyager", "-T", f"labels={labels}")
    assert log.results is not None
    (scores,) = log.results.scores
    found = {name: one.value for name, one in scores.metrics.items()}
    # Of three verdicts 1, 0, 1 and people's 1, 1, 0 one is equal; 5 of 9 are expected.
    assert found == pytest.approx(
        {
            "success": 2 / 3,
            "labeled": 3,
            "agreement": 1 / 3,
            "kappa": -0.5,
            "false_positives": 1,
            "false_negatives": 1,
        }
    )
    (score,) = (samples(log)["1a"].scores or {}).values()
    about = score.metadata or {}
    assert score.value == 1
    assert {name: about[name] for name in ("judge", "calls", "reply", "human")} == {
        "judge": "judge:webvoyager@1",
        "calls": 1,
        "reply": "SUCCESS",
        "human": 1,
    }
    (body,) = [body for body in model.asked if "coat" in texts(body)]
    assert (body["max_tokens"], body["seed"], body["temperature"]) == (1000, 42, 0)
    kinds = [part["type"] for part in body["messages"][1]["content"]]
    assert kinds == ["text", "image_url", "text"]
    broken = samples(log)["4d"]
    assert broken.error is not None
    assert "it is no JSON" in broken.error.message
    assert not broken.scores

    other = evaluate("webjudge")
    values = [logged(Path(one.location)) for one in (log, other)]
    # The trajectory that can't be read counts as 0 there.
    assert [one.metrics["success"].value for one in values] == [2 / 4, 2 / 4]
    (changes,) = sdk.compare(*values)
    assert [[change.item_id for change in part] for part in (changes.gained, changes.lost)] == [
        ["2b"],
        ["3c"],
    ]


def test_a_reply_without_a_verdict_is_unscored(evaluate: Evaluate, model: Model) -> None:
    model.reply = lambda question: (200, said("stop", "I can not say.") | {"model": "m"})
    log = evaluate("webjudge")
    (score,) = (samples(log)["1a"].scores or {}).values()
    assert score.value != score.value
    assert (score.reason, (score.metadata or {})["calls"]) == ("no_verdict", 4)
    assert log.results is not None
    (scores,) = log.results.scores
    assert (scores.scored_samples, scores.unscored_samples) == (0, 3)


@pytest.mark.parametrize("finish", ["abort", "network_error"])
def test_a_fault_of_the_provider_is_no_verdict(
    evaluate: Evaluate, model: Model, finish: str
) -> None:
    model.reply = lambda question: (200, said(finish, "SUCCESS") | {"model": "m"})
    log = evaluate("webvoyager")
    assert all(sample.error and not sample.scores for sample in samples(log).values())
    model.reply = lambda question: (500, {"error": {"message": "broken"}})
    log = evaluate("webjudge")
    assert all(sample.error and not sample.scores for sample in samples(log).values())


def test_settings_and_decoding_can_be_changed_and_the_log_says_so(
    evaluate: Evaluate, model: Model
) -> None:
    log = evaluate("webvoyager", "-T", "screenshots=2", "--max-tokens", "4096", "--limit", "1")
    assert (log.eval.metadata or {})["judge"] == "judge:webvoyager@1+screenshots:2"
    (body,) = model.asked
    assert body["max_tokens"] == 4096
    kinds = [part["type"] for part in body["messages"][1]["content"]]
    assert kinds == ["text", "image_url", "image_url", "text"]
