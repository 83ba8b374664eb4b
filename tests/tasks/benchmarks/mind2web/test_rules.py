"""Mind2Web under every implementation: what their own code made of the same answers."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import Answers, Columns, Grader
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally

TASK = "mind2web/website"
SHAPE = gold_shape(TASK)
BOX, OTHER = [128, 72, 384, 144], [700, 72, 900, 144]


def step(operation: str, value: str = "", **fields: Any) -> Gold:
    action: dict[str, Any] = {"type": operation, "text": value}
    if not fields.get("lost"):
        action["point"] = [256, 108]
        fields.setdefault("boxes", [BOX, OTHER])
    return SHAPE.read({"action": action, "image_size": [1280, 720], **fields})


def said(operation: str, value: str = "", x: float = 256, y: float = 108) -> dict[str, Any]:
    return {"action": operation, "text": value, "x": x, "y": y}


def graded(protocol: str, response: object, gold: Gold) -> Columns:
    grader = Grader.of(protocol_of(TASK, protocol), [gold], [SHAPE.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


def metrics(protocol: str, pairs: Sequence[tuple[object, Gold]]) -> dict[str, float | None]:
    golds = [gold for _, gold in pairs]
    rule = protocol_of(TASK, protocol)
    tally = Tally(rule, golds)
    given = Answers(np.arange(len(pairs)), [0] * len(pairs), [answer for answer, _ in pairs])
    tally.add(given, Grader.of(rule, golds, [SHAPE.context(gold) for gold in golds]).batch(given))
    return {key: metric.as_published for key, metric in tally.metrics(1).items()}


CLICK = step("click")
CLASS = step("select", "Economy", name="Class")
# Element, F1 and step by uground; element and F1 by seeclick and by showui; the average by
# screensuite.
ROWS: list[tuple[object, Gold, str]] = [
    (said("click"), CLICK, "1 1 1  1 1  1 1  1"),
    (said("click", x=500), CLICK, "0 1 0  0 1  0 1  0"),
    (said("type", "x"), CLICK, "1 0 0  1 0  1 0  1"),
    (said("type", "new york"), step("type", "New York"), "1 1 1  1 1  1 1  1"),
    (said("type", "New York"), step("type", "New York City"), "1 .86 0  1 .86  1 .86  .75"),
    (said("type", "Paris France"), step("type", "Paris , France"), "1 1 1  1 .86  1 .86  .75"),
    (said("select", "Economy"), CLASS, "1 1 1  1 1  1 .5  1"),
    (said("select", "Class"), CLASS, "1 .5 0  1 .5  1 1  1"),
    (said("click", x=800), CLICK, "1 1 1  0 1  0 1  0"),
    (said("type", "big sale"), step("type", "big big sale"), "1 1 1  1 1  1 1  .75"),
    (said("type", ""), step("type", ""), "1 1 1  1 1  1 1  .75"),
]


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda row: str(row + 1))
def test_one_answer_is_worth_what_each_published_code_printed(row: int) -> None:
    response, gold, expected = ROWS[row]
    ground = graded("uground", response, gold).values[0].tolist()
    click = graded("seeclick", response, gold).values[0].tolist()
    show = graded("showui", response, gold).values[0].tolist()
    suite = metrics("screensuite", [(response, gold)])["average"]
    found = [ground[1], ground[2], ground[0], click[1], click[2], show[1], show[2], suite]
    assert found == pytest.approx([float(number) for number in expected.split()], abs=0.005)


LOST = step("click", lost=True)


@pytest.mark.parametrize("protocol", ["seeclick", "showui", "screensuite"])
def test_a_step_without_a_box_is_dropped_and_alone_prints_nothing(protocol: str) -> None:
    assert metrics(protocol, [(said("click"), LOST)])["step"] is None
    kept = [(said("click"), step("click", episode="1")), (said("click"), LOST)]
    assert metrics(protocol, kept)["step"] == 1


def test_a_step_without_a_box_counts_as_wrong_to_uground() -> None:
    assert metrics("uground", [(said("click"), CLICK), (said("click"), LOST)])["step"] == 0.5


def test_json_of_a_protocols_own_vocabulary_need_not_be_text() -> None:
    own = {"action": "TYPE", "value": "New York", "grounding": "(256, 108)"}
    gold = step("type", "New York")
    assert graded("uground", own, gold).values[0].tolist() == [1, 1, 1]
    assert graded("uground", json.dumps(own), gold).values[0].tolist() == [1, 1, 1]


def test_prose_is_worth_nothing() -> None:
    for protocol in ("uground", "seeclick", "showui", "screensuite"):
        assert graded(protocol, "I would click.", CLICK).values[0].tolist() == [0, 0, 0]


def test_screensuite_cuts_an_episode_where_a_step_has_no_box() -> None:
    pairs = [
        (said("click"), step("click", episode="1", step=0)),
        (said("click"), step("click", episode="1", step=1, lost=True)),
        (said("click", x=1), step("click", episode="1", step=2)),
        (said("click"), step("click", episode="2", boxes=[[1200, 0, 1300, 9]])),
    ]
    assert metrics("screensuite", pairs)["average"] == 1


def test_a_type_counts_twice_to_screensuite() -> None:
    pairs = [(said("type", "a"), step("type", "b")), (said("click"), CLICK)]
    assert metrics("screensuite", pairs)["average"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_the_means_of_episodes_and_of_operations() -> None:
    pairs = [
        (said("click"), step("click", episode="1", step=0)),
        (said("click", x=1), step("click", episode="1", step=1)),
        (said("type", "a"), step("type", "b", episode="2")),
        (said("click"), step("click", episode="3")),
    ]
    found = metrics("seeclick", pairs)
    assert found["step"] == 0.5
    assert found["macro_step"] == 0.5
    assert found["macro_element"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert found["episode_success"] == pytest.approx(1 / 3)
    assert found["operation_f1_by_type"] == pytest.approx((1 + 0.5) / 2)
    show = metrics("showui", pairs)
    assert show["macro_step"] == show["episode_success"] == show["step"] == 0.5


@pytest.mark.parametrize(
    ("answer", "choice", "chat", "f1"),
    [
        ("C.\nAction: TYPE\nValue: New York", 1, 0, 1 / 3),
        ("Answer: C. x\nAction: TYPE\nValue: new york", 0, 1, 1),
        ("B. Answer: C\nAction: TYPE\nValue: new york ", 0, 1, 1),
        ("Answer: G", 0, 0, 0),
    ],
)
def test_the_official_code_has_two_readers_of_letters(
    answer: str, choice: float, chat: float, f1: float
) -> None:
    """Mind2Web 1b7c323: `postprocess_action` and `postprocess_action_llm`."""
    gold = step("type", "new york", letters="C")
    assert graded("official", answer, gold).values[0].tolist()[1:] == pytest.approx([choice, f1])
    assert graded("official-chat", answer, gold).values[0].tolist()[1:] == pytest.approx([chat, f1])


def test_an_empty_answer_ends_the_official_run_and_is_none_of_the_elements_to_a_chat_model() -> (
    None
):
    """Mind2Web 1b7c323: `text[0]` raises; without `Answer: ` the letter is A."""
    assert graded("official", " \n", step("click", letters="C")).crashed[0]
    chat = graded("official-chat", " \n", step("click", letters="A"))
    assert (chat.values[0].tolist(), bool(chat.crashed[0])) == ([0, 1, 0], False)


@pytest.mark.parametrize(
    ("answer", "gold", "element", "f1"),
    [
        ('{"action_type": 1, "click_point": (0.2, 0.15)}', CLICK, 1, 0),
        ('{"action_type": "4", "click_point": (0.2, 0.15)}', CLICK, 1, 1),
        ('{"action_type": "3", "click_point": (0.2, 0.15)}', step("type", "x"), 1, 2 / 3),
        ('{"action_type": 3, "click_point": (0.2, 0.15)}', step("type", "x"), 1, 0),
        ('{"action_type": 4}', CLICK, 0, 0),
        ('{"action_type": 4, "click_point": (0.9,)}', CLICK, 0, 1),
        ('{"action_type": 4, "click_point": (0.2,)}', CLICK, 0, 0),
        ('{"action_type": 4, "click_point": (0.2, "x")}', CLICK, 0, 0),
        ('I do {"action_type": 4, "click_point": (0.2, 0.15)}', CLICK, 0, 0),
        ("[4]", CLICK, 0, 0),
    ],
)
def test_what_seeclick_scores_before_it_raises_stays(
    answer: str, gold: Gold, element: float, f1: float
) -> None:
    """SeeClick 0ef37ac, agent_tasks/mind2web_test.py: `literal_eval`, then flag by flag."""
    assert graded("seeclick", answer, gold).values[0].tolist()[1:] == pytest.approx([element, f1])


@pytest.mark.parametrize(
    ("answer", "gold", "element", "f1"),
    [
        ("{'action': 'SCROLL', 'value': None, 'position': [0.2, 0.15]}", CLICK, 1, 0),
        ("{'action': 'TYPE', 'value': '', 'position': [0.2, 0.15]}", step("type", "x"), 1, 2 / 3),
        ("{'action': 'TYPE', 'value': None, 'position': [0.2, 0.15]}", step("type", "x"), 1, 0),
        ("{'action': 'CLICK', 'value': None, 'position': None}", CLICK, 0, 0),
        ("{'action': 'CLICK', 'value': 'x', 'position': [0.2, 0.15]}", CLICK, 1, 1),
        ('{"action": "CLICK", "value": None, "position": [0.2,0.15]}', CLICK, 1, 1),
        ("{'action': 'CLICK', 'position': [0.2, 0.15], 'value': None}", CLICK, 0, 0),
        ("{'action': 'CLICK', 'value': None, 'position': [0.2.1, 0.15]}", CLICK, 0, 0),
    ],
)
def test_showui_counts_the_element_of_an_unknown_operation_and_an_empty_value(
    answer: str, gold: Gold, element: float, f1: float
) -> None:
    """ShowUI 21ed7cb, main/eval_mind2web.py: only None ends the comparison of values."""
    assert graded("showui", answer, gold).values[0].tolist()[1:] == pytest.approx([element, f1])


@pytest.mark.parametrize(
    ("plan", "gold", "element", "f1"),
    [
        ({"action": "SCROLL DOWN", "value": "x", "grounding": "(256, 108)"}, CLICK, 1, 0),
        ({"action": "", "value": "x", "grounding": "(256, 108)"}, step("type", "x"), 1, 2 / 3),
        ({"action": "hover", "value": "NONE", "grounding": "256, 108"}, CLICK, 1, 0),
        ({"action": "CLICK", "value": "None"}, CLICK, 0, 1),
        ({"action": "CLICK", "value": "None", "grounding": ""}, CLICK, 0, 1),
        (
            {"action": "CLICK", "value": "None", "grounding": None},
            step("click", boxes=[[0, 0, 9, 9]]),
            1,
            1,
        ),
    ],
)
def test_uground_counts_the_element_of_an_unknown_operation_and_no_point_as_the_corner(
    plan: dict[str, object], gold: Gold, element: float, f1: float
) -> None:
    """UGround 3a9b9f2, offline_evaluation/Multimodal-Mind2Web/eval.py."""
    found = graded("uground", json.dumps(plan), gold).values[0].tolist()
    assert found[1:] == pytest.approx([element, f1])


@pytest.mark.parametrize("point", ["(1,2)", "1", "no", "(1, x)"])
def test_uground_ends_the_run_on_a_point_that_it_cannot_read(point: str) -> None:
    """UGround 3a9b9f2: one blank after the comma, or `float` raises."""
    plan = {"action": "CLICK", "value": "None", "grounding": point}
    assert graded("uground", json.dumps(plan), CLICK).crashed[0]
    assert metrics("uground", [(json.dumps(plan), CLICK), (said("click"), CLICK)])["step"] is None


@pytest.mark.parametrize(
    ("answer", "gold", "average", "element"),
    [
        ("I click(256, 108, 3)", CLICK, 1, 1),
        ("click(-256, 108)", CLICK, 1, 1),
        ("click(1281, 108)", step("click", boxes=[[0, 0, 1280, 720]]), 0, 0),
        ("type('a b')", step("type", "A b"), 0.25, 0),
        ('click(256, 108); type("  ")', step("type", ""), 1, 1),
        ("click(256, 108)", step("type", ""), 0.75, 1),
        ('click(256, 108); type("it\'s")', step("type", "it's"), 0.75, 1),
        # 7 / 1280 + 137 / 1280 is less than 144 / 1280.
        ("click(144, 150)", step("click", boxes=[[7, 142, 144, 156]]), 0, 0),
    ],
)
def test_what_screensuite_reads(answer: str, gold: Gold, average: float, element: float) -> None:
    """ScreenSuite 0.0.1: `parse_click_action`, `parse_type_action` and its boxes in fractions."""
    found = graded("screensuite", answer, gold).values[0].tolist()
    assert found[:2] == pytest.approx([average, element])


def test_the_official_rule_needs_the_letters_that_were_shown() -> None:
    assert "letters" in graded("official", "C.\nAction: CLICK", CLICK).notes[0]
