"""AndroidControl under every implementation: what their own code printed for the same answers."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.errors import DataError
from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.step_rules import words_f1
from snellen.grading.protocols.table import gold_shape, protocol_of, protocols_of
from snellen.grading.tally import Tally

HIGH = "androidcontrol/high"
SHAPE = gold_shape(HIGH)
SAVE = [60, 1200, 360, 1320]
NODES = [
    {"box": [0, 0, 1080, 2400]},
    {"box": SAVE, "text": "Save"},
    {"box": [400, 1200, 1020, 1320], "text": "Cancel"},
    {"box": [0, 80, 140, 220], "description": "Navigate up, back"},
    {"box": [540, 300, 1020, 420], "text": "Search"},
]


def step(type_: str, **fields: Any) -> Gold:
    more = {name: fields.pop(name) for name in ("episode", "step", "group") if name in fields}
    boxes = [SAVE] if type_ == "click" else []
    return SHAPE.read(
        {
            "action": {"type": type_, **fields},
            "image_size": [1080, 2400],
            "boxes": boxes,
            "nodes": NODES,
            **more,
        }
    )


CLICK = step("click", point=[210, 1260])
BACK = step("navigate", button="back")
WAIT = step("wait")


def click(x: float, y: float, kind: str = "click") -> dict[str, Any]:
    return {"action": kind, "x": x, "y": y}


def typed(text: str) -> dict[str, Any]:
    return {"action": "type", "text": text}


def opened(app: str) -> dict[str, Any]:
    return {"action": "open_app", "app": app}


def graded(protocol: str, response: object, gold: Gold) -> Columns:
    answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    grader = Grader.of(protocol_of(HIGH, protocol), [gold], [SHAPE.context(gold)])
    return grader.batch(answers)


def mean_of(protocol: str, pairs: Sequence[tuple[object, Gold]], key: str = "step") -> float | None:
    return metrics(protocol, pairs)[key]


def metrics(protocol: str, pairs: Sequence[tuple[object, Gold]]) -> dict[str, float | None]:
    golds = [gold for _, gold in pairs]
    answers = Answers(np.arange(len(pairs)), [0] * len(pairs), [said for said, _ in pairs])
    rule = protocol_of(HIGH, protocol)
    tally = Tally(rule, golds)
    tally.add(
        answers, Grader.of(rule, golds, [SHAPE.context(gold) for gold in golds]).batch(answers)
    )
    return {key: metric.as_published for key, metric in tally.metrics(1).items()}


RIGHT, WRONG = click(210, 1260), click(1000, 60)
PROSE = "I would press the button."


def test_gui_r1_leaves_out_categories_without_a_hit() -> None:
    texts = [(typed("a"), step("type", text="b")), (typed("c"), step("type", text="d"))]
    taps = [(RIGHT, CLICK), (WRONG, CLICK)]
    assert metrics("gui-r1", taps + texts) == {"step": 0.5, "type": 1, "grounding": 0.5}
    one_right = [(typed("b"), step("type", text="b")), texts[1]]
    assert mean_of("gui-r1", taps + one_right) == 0.5


def test_gui_r1_leaves_a_wait_that_was_answered_by_a_click_out_of_its_type() -> None:
    assert mean_of("gui-r1", [(RIGHT, WAIT), (RIGHT, CLICK)], "type") == 1


def test_gui_r1_prints_nothing_without_a_hit_on_the_screen() -> None:
    assert mean_of("gui-r1", [(WRONG, CLICK), (typed("b"), step("type", text="b"))]) is None


def test_a_category_of_gui_r1_is_a_group_and_an_action() -> None:
    golds = [step("click", point=[210, 1260], group=group) for group in ("web", "web", "phone")]
    assert mean_of("gui-r1", list(zip([RIGHT, WRONG, WRONG], golds, strict=True))) == 0.5


def test_guievalkit_drops_what_it_cannot_map() -> None:
    pairs = [
        (RIGHT, step("click", point=[210, 1260], episode="1", step=0)),
        (PROSE, step("click", point=[210, 1260], episode="1", step=1)),
        (opened("Maps"), step("open_app", app="Maps", episode="1", step=2)),
        (RIGHT, step("click", point=[210, 1260], episode="2", step=0)),
        ({"action": "wait"}, step("click", point=[210, 1260], episode="2", step=1)),
    ]
    found = metrics("guievalkit", pairs)
    assert (found["step"], found["episode_progress"]) == (0.75, 0.25)


def test_agentcpm_counts_how_far_an_episode_gets() -> None:
    pairs = [
        (RIGHT, step("click", point=[210, 1260], episode="1", step=0)),
        ({"action": "wait"}, step("click", point=[210, 1260], episode="1", step=1)),
        (RIGHT, step("click", point=[210, 1260], episode="1", step=2)),
        (RIGHT, step("click", point=[210, 1260], episode="2", step=0)),
    ]
    found = metrics("agentcpm", pairs)
    assert found["step"] == 0.75
    assert found["episode_success"] == 0.5
    assert found["episode_progress"] == pytest.approx(0.6667, abs=1e-4)


def test_ui_s1_stops_an_episode_at_its_first_miss_and_loses_one_that_raises() -> None:
    def of(episode: str, *answers: object) -> list[tuple[object, Gold]]:
        return [
            (said, step("click", point=[210, 1260], episode=episode, step=place))
            for place, said in enumerate(answers)
        ]

    found = metrics("ui-s1", of("1", RIGHT, WRONG, RIGHT, RIGHT) + of("2", RIGHT, PROSE))
    assert (found["episode_success"], found["episode_progress"]) == (0, 0.125)


def test_os_atlas_divides_its_grounding_by_the_clicks_of_the_right_type() -> None:
    pairs = [
        (RIGHT, CLICK),
        (WRONG, CLICK),
        ({"action": "wait"}, CLICK),
        ({"action": "wait"}, WAIT),
    ]
    assert metrics("os-atlas", pairs) == {"step": 0.5, "type": 0.75, "grounding": 0.5}


def test_os_atlas_rounds_a_half_as_the_published_sums_do() -> None:
    """OS-Atlas bad0840, `calculate_f1_score`."""
    assert words_f1("abcde", "abcdfghijkl") > 0.5


def call(**arguments: object) -> str:
    return json.dumps({"name": "mobile_use", "arguments": arguments})


def test_what_raises_leaves_qwens_grounding() -> None:
    """InfiGUI-R1 d280ab8: the counter of clicks stands behind the comparison."""
    lost = call(action="click")
    unknown = call(action="tap", coordinate=[212, 1264])
    assert metrics("qwen", [(RIGHT, CLICK), (lost, CLICK)])["grounding"] == 1
    assert metrics("qwen", [(RIGHT, CLICK), (unknown, CLICK)])["grounding"] == 0.5


def test_gui_r1_has_back_and_home_as_two_categories() -> None:
    """GUI-R1 d43eea2: a category is a group and a name."""
    home = step("navigate", button="home")
    said = "<answer>[{'action':'press_back','point':[1,1],'input_text':'no'}]</answer>"
    assert mean_of("gui-r1", [(said, BACK), (said, home), (RIGHT, CLICK)], "type") == 1


def test_a_protocol_of_nodes_says_that_the_data_has_none() -> None:
    gold = SHAPE.read({"action": {"type": "click", "point": [1, 2]}, "image_size": [10, 20]})
    columns = graded("agentcpm", click(1, 2), gold)
    assert OUTCOMES[columns.outcomes[0]] is Outcome.ERROR
    assert "accessibility nodes" in columns.notes[0]


def test_ui_r1_raises_on_a_number_that_python_does_not_read() -> None:
    """UI-R1 2fe9bf0, evaluation/eval_ac.py."""
    assert graded("ui-r1", f"click {'9' * 5000} 779", CLICK).crashed[0]


def test_ui_r1_counts_clicks_alone() -> None:
    assert mean_of("ui-r1", [(RIGHT, CLICK), (WRONG, CLICK), ({"action": "wait"}, WAIT)]) == 0.5


# ---- ours --------------------------------------------------------------------------------------


def test_a_format_that_there_is_not_is_named() -> None:
    columns = graded("qwen", {"format": "quen", "response": "x"}, CLICK)
    assert OUTCOMES[columns.outcomes[0]] is Outcome.UNPARSED
    assert "quen" in columns.notes[0]
    assert "os-atlas" in columns.notes[0]


@pytest.mark.parametrize("point", [[float("nan"), 1], [1e400, 0]])
@pytest.mark.parametrize("protocol", [one.id for one in protocols_of(HIGH)])
def test_a_point_that_is_none_is_never_right_and_never_raises(protocol: str, point: object) -> None:
    columns = graded(protocol, {"format": "plain", "action": "click", "point": point}, CLICK)
    assert columns.values[0, 0] == 0


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ({"action": {"type": "tap"}, "image_size": [1, 1]}, "tap"),
        ({"action": {"type": "click"}, "image_size": [1, 1]}, "needs a point"),
        ({"action": {"type": "wait"}, "image_size": [0, 1]}, "image_size"),
        ({"action": {"type": "unknown"}, "image_size": [1, 1]}, "needs a type"),
        ({"action": {"type": "wait"}, "image_size": [1, 1], "boxes": [[2, 0, 1, 1]]}, "box"),
    ],
)
def test_a_reference_that_is_none_is_refused(reference: object, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        SHAPE.read(reference)
