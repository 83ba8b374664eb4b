"""A run folder: killed at any moment, it resumes where it was."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from snellen import sdk
from snellen.grading.errors import InputError
from snellen.sdk.models.evaluate import evaluate
from snellen.sdk.models.faults import EvaluationInterrupted, EvaluationStoppedError
from snellen.sdk.models.keepers import Cost, open_run
from snellen.sdk.models.questions import Question
from snellen.sdk.models.settings import Decoding, Limits

Api = Any
Benchmark = Callable[[int], Path]

SETTINGS: dict[str, Any] = {"model": "toy", "decoding": {"temperature": 0.0}}


def answering(api: Api, answer: Callable[[Any], str]) -> None:
    """Let the server answer so."""
    api.answer = answer


def ruling(api: Api, rule: Callable[[Any], Any]) -> None:
    """Let the server do with each request what the rule says; None: answer it."""
    api.rule = rule


def asked(api: Api, folder: Path, run: Path | None, **options: Any) -> sdk.Report:
    options = {"name": "toy", "limits": Limits(concurrency=1, first_wait=0, retries=0)} | options
    return evaluate("screenqa/short", model=api.url, data=folder, images=False, run=run, **options)


def lines_of(run: Path) -> list[dict[str, Any]]:
    text = (run / "answers.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def numbers(report: sdk.Report) -> dict[str, Any]:
    """Return a report's JSON without what differs from run to run: how long it took, and where."""
    plain = report.model_dump(mode="json")
    plain["provenance"]["run"]["usage"].pop("seconds")
    plain["scores"] = [score.model_dump(mode="json") for score in report.scores]
    return plain


def test_a_run_leaves_a_file_that_can_be_graded_as_it_stands(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(4), tmp_path / "runs" / "one"
    api.script(api.step(), api.step(400, body={"error": {"message": "too large"}}))
    report = asked(api, folder, run)
    lines = lines_of(run)
    assert [line["item_id"] for line in lines] == [score.item_id for score in report.scores]
    first, second, *_ = lines
    assert first["response"] == "2"
    assert (first["attempt"], first["model"]) == (0, "toy")
    assert first["meta"].pop("seconds") > 0
    assert first["meta"] == {
        "input_tokens": 100,
        "output_tokens": 5,
        "finish_reason": "stop",
        "tries": 1,
    }
    assert second["error"] == "HTTP 400: too large"
    assert second["meta"]["status"] == 400
    assert "response" not in second
    graded = sdk.grade(run / "answers.jsonl", task="screenqa/short", data=folder)
    assert graded.metrics == report.metrics
    assert graded.input.outcomes == report.input.outcomes
    assert not graded.input.problems


def test_a_finished_run_asks_nothing_and_gives_the_same_report(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(5), tmp_path / "run"
    first = asked(api, folder, run)
    before = (run / "answers.jsonl").read_bytes()
    again = asked(api, folder, run)
    assert again.model_dump() == first.model_dump()
    assert len(api.requests) == 5
    assert (run / "answers.jsonl").read_bytes() == before


def test_errors_are_asked_again_and_the_later_answer_counts(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(5), tmp_path / "run"
    answering(api, lambda seen: seen.question[7:-1])
    api.script(api.step(), api.step(500), api.step(400))
    assert asked(api, folder, run).value == 0.6
    report = asked(api, folder, run)
    assert report.value == 1
    assert not report.input.incomplete
    assert not report.input.problems
    assert api.questions[5:] == ["Number 1?", "Number 2?"]
    assert len(lines_of(run)) == 5


def test_what_errors_cost_is_on_the_bill_of_the_run_that_goes_on(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    limits = Limits(concurrency=1, first_wait=0, retries=1)
    api.script(api.step(), api.step(500), api.step(500))
    asked(api, folder, run, limits=limits)
    api.script(api.step(500), api.step(500))
    asked(api, folder, run, limits=limits)
    report = asked(api, folder, run, limits=limits)
    assert not report.input.incomplete
    assert report.provenance.run is not None
    assert report.provenance.run.usage.requests == len(api.requests) == 7
    assert report.provenance.run.usage.retries == 2
    again = asked(api, folder, run, limits=limits)
    assert again.provenance.run == report.provenance.run


def test_a_crash_between_the_bill_and_the_answers_counts_nothing_twice(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with open_run(run, SETTINGS) as folder:
        meta: dict[str, Any] = {"tries": 4}
        folder.add({"item_id": "a", "error": "HTTP 500", "meta": meta}, Cost(tries=4))
    before = (run / "answers.jsonl").read_bytes()
    for _ in range(2):
        with open_run(run, SETTINGS) as folder:
            assert (folder.bill.requests, folder.bill.retries) == (4, 3)
        # As if the process had been killed before the answers were written anew.
        (run / "answers.jsonl").write_bytes(before)


@pytest.mark.parametrize("cut", [1, 10, 60, -1])
def test_a_half_written_last_line_is_cut_off_and_asked_again(
    api: Api, benchmark: Benchmark, tmp_path: Path, cut: int
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    whole = asked(api, folder, run)
    path = run / "answers.jsonl"
    data = path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(data[: start + cut] if cut > 0 else data[:cut])
    again = asked(api, folder, run)
    assert numbers(again) == numbers(whole)
    assert api.questions[3:] == ["Number 2?"]
    assert [line["item_id"] for line in lines_of(run)] == ["test/0/0", "test/0/1", "test/0/2"]


def test_a_damaged_line_in_the_middle_is_asked_again(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    whole = asked(api, folder, run)
    path = run / "answers.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"\0" * (len(second) - 1) + b"\n" + third)
    assert numbers(asked(api, folder, run)) == numbers(whole)
    assert api.questions[3:] == ["Number 1?"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"name": "toy-2"}, 'model was "toy", is "toy-2"'),
        ({"decoding": Decoding(temperature=0.5)}, "decoding.temperature was 0.0, is 0.5"),
        ({"decoding": Decoding(seed=3)}, "decoding.seed was not set, is 3"),
        ({"max_view_side": 512}, "max_view_side was not set, is 512"),
        ({"items": ["test/0/0"]}, "items was"),
        ({"attempts": 2}, "attempts was 1, is 2"),
    ],
)
def test_other_settings_are_refused_and_named(
    api: Api, benchmark: Benchmark, tmp_path: Path, options: dict[str, Any], difference: str
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    asked(api, folder, run)
    before = (run / "answers.jsonl").read_bytes()
    with pytest.raises(InputError, match="started with other settings") as refused:
        asked(api, folder, run, **options)
    assert difference in str(refused.value)
    assert "; " not in str(refused.value).partition("again: ")[2]
    assert (run / "answers.jsonl").read_bytes() == before


def test_other_data_are_refused_and_every_difference_is_named(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    asked(api, folder, run)
    path = folder / "short_answers" / "test.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"data was .*; model was"):
        asked(api, folder, run, name="toy-2")


def test_limits_may_change_when_a_run_goes_on(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    asked(api, folder, run)
    asked(api, folder, run, limits=Limits(concurrency=9))
    assert len(api.requests) == 3


def test_answers_without_their_settings_are_not_gone_on_with(
    api: Api, benchmark: Benchmark, tmp_path: Path
) -> None:
    folder, run = benchmark(3), tmp_path / "run"
    asked(api, folder, run)
    (run / "run.json").unlink()
    with pytest.raises(InputError, match=r"no run\.json, so it can't be resumed"):
        asked(api, folder, run)
    (run / "run.json").write_bytes(b"{")
    with pytest.raises(InputError, match="can't be read"):
        asked(api, folder, run)


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with (
        open_run(tmp_path / "run", SETTINGS),
        pytest.raises(InputError, match="another process uses this run folder"),
        open_run(tmp_path / "run", SETTINGS),
    ):
        pass
    with open_run(tmp_path / "run", SETTINGS):
        pass


def test_a_file_in_the_folder_s_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"")
    with pytest.raises(InputError, match="can't be created"), open_run(tmp_path / "run", SETTINGS):
        pass


FULL = """
import pathlib, resource, signal, sys
from snellen.sdk.models.keepers import Cost
from snellen.sdk.models.keepers import open_run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_run(pathlib.Path(sys.argv[1]), {}) as run:
    run.add({"item_id": "a", "response": "1"}, Cost())
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))
    run.add({"item_id": "b", "response": "1" * 60}, Cost())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such limit there")
def test_a_disk_that_is_full_is_named_and_what_was_written_is_kept(tmp_path: Path) -> None:
    run = tmp_path / "run"
    child = subprocess.run(
        [sys.executable, "-c", FULL, run], capture_output=True, text=True, check=False
    )
    assert "answers.jsonl: can't write: File too large; what was written" in child.stderr
    assert (run / "answers.jsonl").stat().st_size == 60
    with open_run(run, {}) as again:
        assert again.has("a", 0)
        assert not again.has("b", 0)
        again.add({"item_id": "b", "response": "2"}, Cost())
    assert [line["response"] for line in lines_of(run)] == ["1", "2"]


def test_a_line_is_in_the_file_as_soon_as_it_is_added(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", SETTINGS) as run:
        run.add({"item_id": "a", "response": "1"}, Cost())
        assert [line["item_id"] for line in lines_of(tmp_path / "run")] == ["a"]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Respect Ctrl-C, which a process started in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_asking_keeps_what_came_and_says_how_to_go_on(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    calls: list[str] = []

    async def model(question: Question) -> str:
        calls.append(question.item.id)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return "0"

    def ask(run: Path | None) -> sdk.Report:
        limits = Limits(concurrency=1)
        return evaluate(
            "screenqa/short", model=model, data=folder, images=False, limits=limits, run=run
        )

    folder, run = benchmark(6), tmp_path / "run"
    with pytest.raises(EvaluationInterrupted, match="the same call goes on there"):
        ask(run)
    kept = len(lines_of(run))
    assert 3 <= kept <= 4
    assert not ask(run).input.incomplete
    assert len(calls) - 6 <= 1
    calls.clear()
    with pytest.raises(EvaluationInterrupted, match="`submissions`") as stopped:
        ask(None)
    assert 3 <= len(stopped.value.submissions) <= 4


def test_a_run_that_was_stopped_goes_on(api: Api, benchmark: Benchmark, tmp_path: Path) -> None:
    folder, run = benchmark(12), tmp_path / "run"
    down = True
    ruling(api, lambda seen: api.step(500) if down and int(seen.question[7:-1]) > 3 else None)
    with pytest.raises(EvaluationStoppedError, match="the same call goes on there"):
        asked(api, folder, run, limits=Limits(concurrency=1, retries=0, give_up_after=2))
    down = False
    assert not asked(api, folder, run).input.incomplete
    assert Counter(api.questions) == Counter(
        {f"Number {place}?": 2 if place in (4, 5) else 1 for place in range(12)}
    )


CHILD = """
import sys
from snellen.sdk.models.evaluate import evaluate
from snellen.sdk.models.settings import Limits
url, data, run = sys.argv[1:]
evaluate("screenqa/short", model=url, name="toy", data=data, images=False, run=run,
         limits=Limits(concurrency=4, first_wait=0))
"""


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_run_killed_at_random_asks_nothing_twice_and_gives_the_same_report(
    api: Api, benchmark: Benchmark, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    count = 90
    answering(api, lambda seen: str(int(seen.question[7:-1]) // 2 * 2))
    folder, run = benchmark(count), tmp_path / "run"
    whole = asked(api, folder, None)
    api.requests.clear()
    recorded: set[str] = set()
    for _ in range(3):
        at = len(api.requests) + chance.randrange(1, count // 3)
        reached = threading.Event()
        ruling(
            api,
            lambda seen, at=at, reached=reached: reached.set() if len(api.requests) >= at else None,
        )
        child = subprocess.Popen([sys.executable, "-c", CHILD, api.url, folder, run])
        while not reached.wait(0.01) and child.poll() is None:
            pass
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        ruling(api, lambda seen: None)
        recorded = check_not_asked_again(api, run, recorded)
    whole_again = asked(api, folder, run, limits=Limits(concurrency=4))
    check_not_asked_again(api, run, recorded)
    assert numbers(whole_again) == numbers(whole)


def check_not_asked_again(api: Api, run: Path, recorded: set[str]) -> set[str]:
    """Check that nothing was asked since the last call that was recorded then."""
    since = set(api.questions)
    api.requests.clear()
    assert not since & recorded
    path = run / "answers.jsonl"
    whole = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return {question_of(json.loads(line)) for line in whole if line.endswith(b"\n")}


def question_of(line: dict[str, Any]) -> str:
    """Return the question of a line: three a screen, in order."""
    _, screen, number = line["item_id"].split("/")
    return f"Number {3 * int(screen) + int(number)}?"
