from pathlib import Path

from miniatures import written

from snellen import sdk
from snellen.grading.models.actions import Action, ActionType
from snellen.tasks.benchmarks.cagui.load import load
from snellen.tasks.data.check import recognize

AGENT = "cagui/agent"


def test_every_kind_of_action(tmp_path: Path) -> None:
    folder = written("cagui", tmp_path)
    for place in (folder, folder / "CAGUI_agent"):
        data = load(AGENT, place)
        assert AGENT in recognize(place)
        assert [gold.action.type.value for gold in data.golds] == [
            *("click", "scroll", "long_press", "type", "navigate", "wait", "finish")
        ]
    assert data.golds[3].action == Action(ActionType.TYPE, text="北京")
    assert data.golds[6].action.status == "infeasible"
    assert [node.box for node in data.golds[0].nodes or ()][1] == (0, 0, 90, 200)


def test_rows_of_the_published_evaluation_are_graded_as_they_are(tmp_path: Path) -> None:
    said = [
        {"POINT": [250, 500]},
        {"POINT": [500, 500], "to": "up"},
        {"POINT": [900, 100], "duration": 1000},
        {"TYPE": "北京"},
        {"PRESS": "BACK"},
        {"duration": 2000},
        {"STATUS": "impossible"},
    ]
    rows = [
        {"episode_id": "7", "step_id": step, "subset": "domestic", "pred": {"thought": "x", **one}}
        for step, one in enumerate(said)
    ]
    data = load(AGENT, written("cagui", tmp_path))
    for protocol in ("agentcpm", "guievalkit", "robust"):
        report = sdk.grade(rows, data=data, protocol=protocol, progress=False)
        assert report.value == 1
        assert report.metrics["type"].value == 1
