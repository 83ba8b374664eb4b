"""Episodes are written with what their pages ask for, and loaded without a browser."""

import json
from pathlib import Path

import pytest
from miniatures import written
from pydantic import JsonValue

from snellen import sdk
from snellen.grading.errors import DataError
from snellen.tasks.benchmarks.miniwob.load import FILE, load, rows_of, write_rows
from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.models import World

TASK = "miniwob/episode"


def test_an_item_asks_what_its_page_asks_and_knows_its_world(tmp_path: Path) -> None:
    starts = [Start("click-test", 5), Start("click-test", 5), Start("click-link", 6)]
    rows = rows_of(starts, ["Click.", "Click.", "Link."], "real", 10)
    data = load(TASK, write_rows(rows, tmp_path / "exam"))
    assert data.ids == ["real/click-test/5", "real/click-test/5/2", "real/click-link/6"]
    assert data.split == "real"
    item = data.item("real/click-link/6")
    assert "Link." in item.prompt
    assert "10 steps" in item.prompt
    world: JsonValue = {"page": "click-link", "seed": 6, "time": "real"}
    assert data.worlds[2] == World(environment="miniwob", start=world, limit=10)
    assert data.tags["page"] == ["click-test", "click-test", "click-link"]


def test_one_way_of_time_is_graded_at_a_time(tmp_path: Path) -> None:
    starts = [Start("click-test", 5)]
    rows = [*rows_of(starts, ["Click."], "real"), *rows_of(starts, ["Click."], "stepped")]
    file = write_rows(rows, tmp_path)
    with pytest.raises(DataError, match="choose one by split"):
        load(TASK, file)
    assert load(TASK, file, "stepped").ids == ["stepped/click-test/5"]
    with pytest.raises(DataError, match="of the split 'both'"):
        load(TASK, file, "both")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": -1}, r"line 2: .*seed"),
        ({"limit": 0}, r"line 2: .*limit"),
        ({"time": "slow"}, r"line 2: .*time"),
        ({"id": "stepped/click-test/1"}, "there twice"),
    ],
)
def test_a_line_that_is_not_as_described_is_named(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    file = written("miniwob", tmp_path) / FILE
    lines = file.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    file.write_text("\n".join(lines))
    with pytest.raises(DataError, match=said):
        load(TASK, file)


def test_a_report_says_what_agents_that_understand_nothing_reach(tmp_path: Path) -> None:
    folder = written("miniwob", tmp_path)
    answers = tmp_path / "answers.jsonl"
    record = {"reward": 1.0, "ended": True, "cost": 2, "time": "stepped"}
    answers.write_text(
        "".join(
            json.dumps({"item_id": f"stepped/{name}", "response": record}) + "\n"
            for name in ("click-test/1", "click-test/2", "click-button/3")
        )
    )
    report = sdk.grade(answers, task=TASK, data=folder)
    assert report.value == 1
    assert "|data:stepped:sha256:" in report.signature
    assert "|time:stepped|" in report.signature
    assert report.numbers.chance is not None
    # On click-test there is one button, and whoever clicks it has done the task.
    assert 2 / 3 < report.numbers.chance.value <= 1
    assert report.numbers.chance.guess.startswith("first button; nothing 0.0%, Submit ")


def test_a_comparison_says_that_time_passed_differently(tmp_path: Path) -> None:
    folder = written("miniwob", tmp_path)

    def graded(time: str) -> sdk.Report:
        answers = tmp_path / f"{time}.jsonl"
        record = {"reward": 1, "ended": True, "cost": 2, "time": time}
        answers.write_text(json.dumps({"item_id": "stepped/click-test/1", "response": record}))
        return sdk.grade(answers, task=TASK, data=folder)

    stepped, real = graded("stepped"), graded("real")
    assert "|time:real|" in real.signature
    said = stepped.compare(real).note
    assert "acted in while time passed differently (stepped and real)" in said


def test_rewards_below_zero_have_an_interval_and_a_page(tmp_path: Path) -> None:
    folder = written("miniwob", tmp_path)
    answers = tmp_path / "answers.jsonl"
    lines = [
        {"item_id": f"stepped/{name}", "response": {"reward": reward, "ended": True, "cost": 2}}
        for name, reward in (("click-test/1", -1), ("click-test/2", -0.5), ("click-button/3", 1))
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = sdk.grade(answers, task=TASK, data=folder, protocol="raw")
    assert report.numbers.metrics["raw_reward"].value == pytest.approx(-0.5 / 3)
    assert report.value == pytest.approx((1 - 0.5 / 3) / 2)
    assert report.numbers.estimate is not None
    explained = sdk.explain(answers, task=TASK, data=folder)
    shares = explained.explain("browsergym", "raw").shares
    assert [str(share.part) for share in shares if share.share] == ["metric"]
