"""AndroidControl under every implementation: what their own code printed for the same answers."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.errors import DataError
from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.parse.vocabularies.agentcpm import AGENTCPM, GUIEVALKIT
from snellen.grading.parse.vocabularies.base import Vocabulary
from snellen.grading.parse.vocabularies.gui_r1 import GUI_R1
from snellen.grading.parse.vocabularies.os_atlas import OS_ATLAS
from snellen.grading.parse.vocabularies.plain import PLAIN
from snellen.grading.parse.vocabularies.pyautogui import PYAUTOGUI
from snellen.grading.parse.vocabularies.qwen import QWEN
from snellen.grading.parse.vocabularies.screensuite import SCREENSUITE
from snellen.grading.parse.vocabularies.uground import UGROUND
from snellen.grading.parse.vocabularies.web import (
    SCREENSUITE_WEB,
    SEECLICK,
    SHOWUI,
    UGROUND_WEB,
)
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.step_rules import words_f1
from snellen.grading.protocols.table import gold_shape, protocol_of, protocols_of
from snellen.grading.tally import Tally
from snellen.tasks.benchmarks.androidcontrol.rules import UI_R1
from snellen.tasks.benchmarks.gui_odyssey.rules import ODYSSEY

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
NEW_YORK = step("type", text="New York")
DOWN = step("scroll", direction="down")
BACK = step("navigate", button="back")
WAIT = step("wait")
FINISH = step("finish", status="success")


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


def verdict(protocol: str, response: object, gold: Gold) -> float | str:
    columns = graded(protocol, response, gold)
    if columns.crashed[0]:
        return "X"
    return round(float(columns.values[0, 0]), 3)


ORDER = ("os-atlas", "qwen", "ui-s1", "agentcpm", "guievalkit", "gui-r1", "uground", "screensuite")

# One answer a row in plain JSON, which every protocol first writes in its own vocabulary. `d` and
# `n` are steps that a protocol drops, `-` ones that it does not know; X is where its code raises.
# A scroll down is a finger that moves up, which the code behind `qwen` compares with the word.
ROWS: list[tuple[object, Gold, str]] = [
    (click(330, 1310), CLICK, "1 1 1 1 1 1 1 .840"),
    (click(460, 1260), CLICK, "0 0 0 1 1 0 0 .673"),
    (click(210, 1550), CLICK, "1 0 0 1 1 1 0 .829"),
    (click(210, 1353), CLICK, "1 1 1 1 1 1 0 .945"),
    (click(700, 1260), CLICK, "0 0 0 1 1 0 0 .358"),
    (click(210, 1260, "long_press"), CLICK, "0 0 0 0 0 1 0 0"),
    (typed("new york"), NEW_YORK, "1 1 1 1 1 1 0 1"),
    (typed("New Delhi trains"), NEW_YORK, "1 0 0 0 0 0 0 0"),
    (typed("York"), NEW_YORK, "0 1 1 1 1 1 0 0"),
    (typed(""), NEW_YORK, "0 1 1 1 1 0 0 0"),
    (opened("Google Maps"), step("open_app", app="Maps"), "0 1 1 d 1 1 0 0"),
    (opened("Google Maps"), step("open_app", app="Google Chrome"), "1 0 0 d 0 1 0 0"),
    (click(210, 1260), step("open_app", app="Save"), "0 0 0 d 0 0 1 0"),
    (
        {"action": "open_app", "app": "Gmail", "x": 540, "y": 1200},
        CLICK,
        "0 0 0 0 0 0 1 0",
    ),
    ({"action": "scroll", "direction": "down"}, DOWN, "1 0 1 1 1 1 1 1"),
    ({"action": "scroll", "direction": "up"}, DOWN, "0 1 1 0 0 0 0 0"),
    ({"action": "navigate", "button": "back"}, BACK, "1 1 1 1 1 n 1 0"),
    (click(70, 150), BACK, "0 0 0 0 0 n 1 0"),
    ({"action": "wait"}, WAIT, "1 1 1 1 1 n 1 1"),
    ({"action": "finish"}, WAIT, "0 0 0 1 0 n 0 0"),
    ({"action": "finish"}, FINISH, "1 - X 1 1 n 1 -"),
    ("I would press the button.", CLICK, "0 0 X 0 d 0 X 0"),
]


@pytest.mark.parametrize(
    ("row", "protocol"),
    [(row, protocol) for row in range(len(ROWS)) for protocol in ORDER],
    ids=lambda value: str(value + 1) if isinstance(value, int) else value,
)
def test_one_answer_is_worth_what_each_published_code_printed(row: int, protocol: str) -> None:
    response, gold, expected = ROWS[row]
    want = expected.split()[ORDER.index(protocol)]
    found = verdict(protocol, response, gold)
    if want in "dn":
        assert mean_of(protocol, [(response, gold), (click(210, 1260), CLICK)]) == 1
    elif want == "-":
        return
    elif want == "X":
        assert found == "X"
    else:
        assert found == float(want)


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


def test_gui_r1_has_the_point_of_a_list_in_double_quotes_and_not_its_action() -> None:
    answer = '<answer>[{"action": "click", "point": [212, 1264]}]</answer>'
    assert graded("gui-r1", answer, CLICK).values[0].tolist() == [1, 0]


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


@pytest.mark.parametrize("answer", ["actions:\n", "actions:\nTYPE", "actions:\nOPEN_APP"])
def test_os_atlas_ends_the_run_on_an_answer_without_a_second_word(answer: str) -> None:
    gold = step("open_app", app="Maps") if "OPEN" in answer else NEW_YORK
    assert mean_of("os-atlas", [(answer, gold), (RIGHT, CLICK)]) is None


@pytest.mark.parametrize(
    ("answer", "type_", "right"),
    [
        ("actions:\nPRESS_BACK", 1, 1),
        ("actions:\nPRESS_BACK\n<|im_end|>", 1, 0),
        ("PRESS_BACK", 0, 0),
        ("actions:\npress_back", 0, 0),
    ],
)
def test_os_atlas_compares_whole_texts(answer: str, type_: int, right: int) -> None:
    columns = graded("os-atlas", answer, BACK)
    assert columns.values[0].tolist() == [right, type_]


@pytest.mark.parametrize(
    ("inside", "right"),
    [
        ("CLICK\nactions:\nCLICK <point>[[194,525]]</point>", 0),
        ("CLICK 194 525 9", 1),
        ("CLICK -194,525", 1),
        ("CLICK 194.525", 1),
        (f"CLICK {'9' * 5000} 525", 0),
    ],
)
def test_os_atlas_reads_two_runs_of_digits_between_the_first_two_markers(
    inside: str, right: int
) -> None:
    """OS-Atlas bad0840, eval_scripts/android_control/evaluation_unify.py."""
    assert graded("os-atlas", f"actions:\n{inside}", CLICK).values[0].tolist() == [right, 1]


@pytest.mark.parametrize("answer", ["actions:\n  ", f"actions:\nCLICK {'9' * 400} 1"])
def test_os_atlas_ends_the_run_on_blanks_and_on_a_distance_that_no_float_holds(
    answer: str,
) -> None:
    """OS-Atlas bad0840: `split()[0]` and `math.sqrt` raise."""
    assert graded("os-atlas", answer, CLICK).crashed[0]


def test_os_atlas_rounds_a_half_as_the_published_sums_do() -> None:
    """OS-Atlas bad0840, `calculate_f1_score`."""
    assert words_f1("abcde", "abcdfghijkl") > 0.5


CALL = '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [212, 1264]}}'


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (CALL, 1),
        (f"I press it. {CALL} Done.<conclusion>pressed", 1),
        (f"<tool_call>\n{CALL}\n</tool_call>", 1),
        (f"<tool_call>{CALL}", 1),
        (f"<think>{CALL.replace('212', '9')}</think><tool_call>{CALL}</tool_call>", 1),
        (f"<tool_call>{CALL}</tool_call><tool_call>{CALL.replace('212', '9')}</tool_call>", 1),
        # Between the first two opening tags; without a closing one up to the last two braces.
        (f"<tool_call>{CALL}<tool_call>{CALL.replace('212', '9')}", 1),
        (f"<tool_call>{CALL} tail", 1),
        (f"prose {CALL} tail}}", 1),
        (f"```json\n{CALL}\n```", 1),
        (f"<tool_call>```json\n{CALL}\n```</tool_call>", 0),
        (CALL.replace("1264]", "1264, 3]"), 1),
        (CALL.replace("1264]", '1264, "x"]'), 1),
        (CALL.replace('"', "'"), 0),
        (CALL.replace(', "coordinate": [212, 1264]', ""), 0),
        (CALL.replace('"click", ', '"click", "candidate_bbox": [1], '), 0),
        ("", 0),
    ],
)
def test_what_qwens_parser_reads(answer: str, value: int) -> None:
    assert graded("qwen", answer, CLICK).values[0, 0] == value


def call(**arguments: object) -> str:
    return json.dumps({"name": "mobile_use", "arguments": arguments})


def swipe(*end: float) -> str:
    return call(action="swipe", coordinate=[500, 1000], coordinate2=list(end))


@pytest.mark.parametrize(
    ("end", "way"),
    [
        # The image that is seen is 1092 wide and 2408 high: 100 across are more than 200 down.
        ((600, 800), "right"),
        ((590, 800), "up"),
        ((500, 1000), "up"),
        ((400, 1100), "left"),
    ],
)
def test_qwen_takes_a_swipes_axis_in_fractions_of_the_image(
    end: tuple[float, float], way: str
) -> None:
    """InfiGUI-R1 d280ab8: `norm_coordinate` stands before `predict_direction`."""
    gold = step("scroll", direction=way)
    assert graded("qwen", swipe(*end), gold).values[0].tolist() == [1, 1]
    assert graded("ui-s1", swipe(*end), gold).values[0].tolist() == [1, 1]


RAISES: list[tuple[str, Gold]] = [
    (call(action="click"), CLICK),
    (call(action="wait", coordinate=None), WAIT),
    (call(action="wait", coordinate=[5]), CLICK),
    (call(action="wait", coordinate=[10**320, 1]), WAIT),
    (call(action="type", text=5), NEW_YORK),
    (call(action="type"), NEW_YORK),
    (call(action="system_button", button=None), BACK),
    (call(coordinate=[212, 1264]), CLICK),
    (call(action="terminate", status="success"), FINISH),
    (call(action="key", text="x"), step("key", button="x")),
]


@pytest.mark.parametrize(("answer", "gold"), RAISES)
def test_what_qwens_code_catches_is_wrong_and_what_ui_s1_raises_is_a_crash(
    answer: str, gold: Gold
) -> None:
    """InfiGUI-R1 d280ab8, `compute_scores`; UI-S1 (X-PLUG MobileAgent 11cea57), qwenvl_utils."""
    caught = graded("qwen", answer, gold)
    assert (caught.values[0].tolist(), bool(caught.crashed[0])) == ([0, 0], False)
    assert graded("ui-s1", answer, gold).crashed[0]


@pytest.mark.parametrize(
    "answer",
    [call(action="swipe"), call(action="swipe", coordinate=[1, 2])],
)
def test_ui_s1_takes_any_swipe(answer: str) -> None:
    """UI-S1 (X-PLUG MobileAgent 11cea57): a swipe's coordinates are not looked at."""
    assert graded("ui-s1", answer, DOWN).values[0].tolist() == [1, 1]
    assert graded("qwen", answer, DOWN).values[0].tolist() == [0, 0]


def test_what_raises_leaves_qwens_grounding() -> None:
    """InfiGUI-R1 d280ab8: the counter of clicks stands behind the comparison."""
    lost = call(action="click")
    unknown = call(action="tap", coordinate=[212, 1264])
    assert metrics("qwen", [(RIGHT, CLICK), (lost, CLICK)])["grounding"] == 1
    assert metrics("qwen", [(RIGHT, CLICK), (unknown, CLICK)])["grounding"] == 0.5


def test_a_click_without_a_place_has_not_even_qwens_type() -> None:
    answer = CALL.replace(', "coordinate": [212, 1264]', "")
    assert graded("qwen", answer, CLICK).values[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("inside", "value"),
    [
        ("[{'action': 'click', 'point': [212, 1264], 'input_text': 'no input text'}]", 1),
        ("[{'action': 'click', 'point': [9, 9]}, {'action': 'x', 'point': [212, 1264]}]", 1),
        ("[{'action': 'click', 'point': [212.5, 1264]}]", 0),
        ("[{'action': 'click', 'point': (212, 1264)}]", 0),
        ("[{'action':'click','point':[212,1264]}]", 1),
    ],
)
def test_what_gui_r1s_parser_reads(inside: str, value: int) -> None:
    assert graded("gui-r1", f"<answer>{inside}</answer>", CLICK).values[0, 0] == value


@pytest.mark.parametrize("answer", ["", "[{'action': 'click', 'point': [900, 900]}]", "<answer>"])
def test_what_gui_r1_cannot_read_is_a_point_in_the_corner(answer: str) -> None:
    """GUI-R1 d43eea2, `extract_coord` and `extract_action`: [0, 0, 0, 0], and no action."""
    columns = graded("gui-r1", answer, step("click", point=[2, 58]))
    assert columns.values[0].tolist() == [1, 0]
    assert "the published code goes on" in columns.notes[0]


def test_gui_r1_compares_the_text_whatever_the_action_and_has_a_default() -> None:
    """GUI-R1 d43eea2, eval_omni.py and `extract_input_text`."""
    said = "<answer>[{'action': 'scroll', 'point': [1, 1], 'input_text': 'york'}]</answer>"
    assert graded("gui-r1", said, step("type", text="York")).values[0].tolist() == [1, 0]
    silent = "<answer>[{'action': 'type', 'point': [1, 1]}]</answer>"
    assert graded("gui-r1", silent, step("type", text="input text")).values[0].tolist() == [1, 1]


def test_gui_r1_has_back_and_home_as_two_categories() -> None:
    """GUI-R1 d43eea2: names are compared, and a category is a group and a name."""
    home = step("navigate", button="home")
    said = "<answer>[{'action':'press_back','point':[1,1],'input_text':'no'}]</answer>"
    assert graded("gui-r1", said, home).values[0].tolist() == [0, 0]
    assert mean_of("gui-r1", [(said, BACK), (said, home), (RIGHT, CLICK)], "type") == 1


@pytest.mark.parametrize(
    ("answer", "gold", "agentcpm", "guievalkit"),
    [
        ({"PRESS": "APPSELECT"}, BACK, [0, 1], [0, 1]),
        ({"PRESS": "BACK"}, step("key", button="enter"), [0, 1], [0, 1]),
        ({"POINT": [500, 500], "to": [500, 500]}, DOWN, [0, 1], [0, 1]),
        ({"POINT": [500, 500], "to": "Up"}, DOWN, [0, 0], [0, 0]),
        ({"POINT": [194, 525], "STATUS": "finish"}, CLICK, [0, 0], [0, 0]),
        ({"POINT": [194, 525], "TYPE": "x"}, CLICK, [0, 0], [0, 0]),
        ({"POINT": [194, 525], "duration": 100}, WAIT, [1, 1], [1, 1]),
        ({"CLEAR": None}, WAIT, [1, 1], [1, 1]),
        ({"OPEN_APP": "Maps", "STATUS": "finish"}, FINISH, [0, 0], [1, 1]),
        ({"TYPE": "york", "thought": "x"}, NEW_YORK, [1, 1], [1, 1]),
    ],
)
def test_the_schema_and_the_order_of_agentcpms_actions(
    answer: dict[str, object], gold: Gold, agentcpm: list[float], guievalkit: list[float]
) -> None:
    """AgentCPM-GUI acbaf50 and guievalkit d5e954e: the schema for extraction and `action_map`."""
    said = json.dumps(answer)
    assert graded("agentcpm", said, gold).values[0].tolist() == agentcpm
    assert graded("guievalkit", said, gold).values[0].tolist() == guievalkit


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        (" wait()", WAIT, 0),
        ("wait()", WAIT, 1),
        ("type(NEW YORK)", NEW_YORK, 1),
        ('type("New York")', NEW_YORK, 1),
        ("type()", NEW_YORK, 0),
        ("click(-210, -1260)", CLICK, 1),
        ("click(210.0, 1260, 5)", CLICK, 1),
        ("click(2100, 1260)", CLICK, 0),
        ("click(210\n, 1260)", CLICK, 0),
        ("long_press(210, 1260)", CLICK, 0),
        ("scroll(('down'))", DOWN, 0),
    ],
)
def test_what_screensuite_reads(answer: str, gold: Gold, value: int) -> None:
    """ScreenSuite 0.0.1: `score_single_output`, `parse_click_action` and `parse_type_action`."""
    assert graded("screensuite", answer, gold).values[0, 0] == value


def test_screensuite_ends_the_run_on_a_scroll_without_brackets() -> None:
    """ScreenSuite 0.0.1: `split("(")[1]` raises."""
    assert graded("screensuite", "scroll", DOWN).crashed[0]


@pytest.mark.parametrize(
    ("plan", "gold", "value"),
    [
        ({"action_type": "click", "grounding": "210, 1260"}, CLICK, 1),
        ({"action_type": "click", "grounding": "(105, 630)", "scale": 0.5}, CLICK, 1),
        ({"action_type": "scroll", "direction": "Down"}, DOWN, 0),
        ({"action_type": "status", "goal_status": "successful"}, FINISH, 1),
        ({"action_type": "status", "goal_status": "infeasible"}, FINISH, 0),
        ({"action_type": "input_text", "text": "A"}, step("type", text="A", point=[210, 1260]), 0),
    ],
)
def test_uground_compares_a_plan_key_by_key(
    plan: dict[str, object], gold: Gold, value: int
) -> None:
    """UGround 3a9b9f2, offline_evaluation/AndroidControl/eval.py."""
    assert graded("uground", json.dumps(plan), gold).values[0, 0] == value


def test_uground_wants_typed_text_equal_at_the_right_node() -> None:
    gold = step("type", text="A", point=[210, 1260])
    said = {"action_type": "type_text", "text": "A", "grounding": "(210, 1260)"}
    of = {"format": "uground"}
    assert verdict("uground", {**of, "response": json.dumps(said)}, gold) == 1
    assert verdict("uground", {**of, "response": json.dumps({**said, "text": "a"})}, gold) == 0


@pytest.mark.parametrize(
    "answer",
    [
        '{"action": "click"}',
        '{"action_type": "click"}',
        '{"action_type": "click", "grounding": "(1,2)"}',
    ],
)
def test_uground_ends_the_run_without_a_type_or_a_point(answer: str) -> None:
    assert mean_of("uground", [(answer, CLICK), (RIGHT, CLICK)]) is None


def test_a_protocol_of_nodes_says_that_the_data_has_none() -> None:
    gold = SHAPE.read({"action": {"type": "click", "point": [1, 2]}, "image_size": [10, 20]})
    columns = graded("agentcpm", click(1, 2), gold)
    assert OUTCOMES[columns.outcomes[0]] is Outcome.ERROR
    assert "accessibility nodes" in columns.notes[0]


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("<answer>[{'action': 'click', 'coordinate': [125, 779]}]</answer>", 1),
        # 151.2 pixels to the right, and just less.
        ("click 215 779", 1),
        ("click 216 779", 0),
        ("click 0 779", 0),
        ("click, not open_app, at 125, 779", 1),
        # `scroll` stands behind `click` in its list of names, wherever they stand in the text.
        ("I scroll, then click at 125, 779", 0),
        # Scaled coordinates lose their decimals: 215.9 + 151 is not 151.2 away from 210.
        ("click 125.5 779", 0),
    ],
)
def test_ui_r1_takes_the_last_of_its_names_and_the_first_two_numbers(
    answer: str, value: int
) -> None:
    """UI-R1 2fe9bf0, evaluation/eval_ac.py."""
    assert graded("ui-r1", answer, CLICK).values[0, 0] == value


def test_ui_r1_raises_on_a_number_that_python_does_not_read() -> None:
    """UI-R1 2fe9bf0, evaluation/eval_ac.py."""
    assert graded("ui-r1", f"click {'9' * 5000} 779", CLICK).crashed[0]


def test_ui_r1_counts_clicks_alone() -> None:
    assert mean_of("ui-r1", [(RIGHT, CLICK), (WRONG, CLICK), ({"action": "wait"}, WAIT)]) == 0.5


# ---- ours --------------------------------------------------------------------------------------


WRITTEN = (
    QWEN, OS_ATLAS, GUI_R1, UGROUND, GUIEVALKIT, AGENTCPM, PYAUTOGUI, SCREENSUITE, SEECLICK, SHOWUI,
    UGROUND_WEB, SCREENSUITE_WEB, ODYSSEY, PLAIN, UI_R1,
)  # fmt: skip


@pytest.mark.parametrize("shape", WRITTEN, ids=lambda shape: shape.name)
def test_robust_takes_a_click_in_every_vocabulary_that_is_written(shape: Vocabulary) -> None:
    points = {
        "pixels": (210, 1260),
        "thousand": (194, 525),
        "unit": (0.1944, 0.525),
        "view": (212, 1264),
    }
    text = shape.write(step("click", point=points[shape.space.id]).action)
    assert verdict("robust", {"format": shape.name, "response": text}, CLICK) == 1


def test_robust_gives_nothing_for_empty_text() -> None:
    assert verdict("robust", typed(""), NEW_YORK) == 0
    assert verdict("robust", typed("  new\tYORK "), NEW_YORK) == 1


@pytest.mark.parametrize(
    "response",
    [
        '{"action": "click", "x": 210, "y": 1260, "format": "plain"}',
        {"action": "click", "x": 210, "y": 1260},
        {"type": "click", "point": [210, 1260], "thought": "the button"},
        '```json\n{"format": "plain", "action": "click", "x": 210, "y": 1260}\n```',
    ],
)
def test_plain_json_is_known_in_any_order(response: object) -> None:
    assert [verdict(name, response, CLICK) for name in ("qwen", "os-atlas", "robust")] == [1] * 3


def test_a_format_that_there_is_not_is_named() -> None:
    columns = graded("qwen", {"format": "quen", "response": "x"}, CLICK)
    assert OUTCOMES[columns.outcomes[0]] is Outcome.UNPARSED
    assert "quen" in columns.notes[0]
    assert "os-atlas" in columns.notes[0]


@pytest.mark.parametrize("point", [["a", 1], [float("nan"), 1], [1], None, [1e400, 0]])
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
