"""AITZ and CAGUI's agent part: what the released code and AgentCPM-GUI's made of answers."""

import json
from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.grade import Answers, Columns, Grader
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of

AITZ, CAGUI = "aitz/high", "cagui/agent"
SIZE = (1080, 2400)
NODES = [{"box": [0, 0, 400, 300]}, {"box": [200, 1200, 600, 1300]}]


def step(words: str, kind: str = "click", **fields: Any) -> dict[str, Any]:
    if kind == "click":
        fields = {"point": [432, 1320], **fields}
    return {
        "action": {"type": kind, **fields},
        "image_size": SIZE,
        "nodes": NODES,
        "name": words,
        "episode": "7",
    }


CLICK = step("click on the clock")
UP = step("scroll up", "scroll", direction="down")
CATS = step('input text "cats"', "type", text="cats")
HOME = step("press the home button", "navigate", button="home")
STOP = step("stop and set the query as completed", "finish", status="success")


def call(name: object, **arguments: Any) -> str:
    return json.dumps({"ACTION": name, "ARGS": arguments})


def graded(task: str, protocol: str, response: object, reference: object) -> Columns:
    shape = gold_shape(task)
    gold: Gold = shape.read(reference)
    grader = Grader.of(protocol_of(task, protocol), [gold], [shape.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


@pytest.mark.parametrize(
    ("response", "reference", "values"),
    [
        # The reference's point is (0, 0), whatever was touched.
        (call("click_element", bbox=[350, 500, 450, 600]), CLICK, [0, 1]),
        (call("CLICK", bbox=[0, 0, 30, 30]), CLICK, [1, 1]),
        # The first node, enlarged, holds the corner, and this box covers half of it.
        (call("click", bbox=[50, 20, 370, 125]), CLICK, [1, 1]),
        (call("click", bbox=[200, 50, 370, 125]), CLICK, [0, 1]),
        (call("click_element", idx=4), CLICK, [0, 1]),
        (call("scroll", direction="up"), UP, [1, 1]),
        (call("scroll", direction="Up"), UP, [0, 1]),
        (call("swipe", direction="up"), UP, [0, 0]),
        (call("input", text="CATS"), CATS, [0, 1]),
        (call("input", text="cats and dogs"), CATS, [1, 1]),
        (call("input", text=""), CATS, [1, 1]),
        (call("input"), CATS, [1, 1]),
        (call("input_text", text="cats"), CATS, [0, 0]),
        (call("type", text="cat s"), CATS, [1, 1]),
        (call("type", text="cxxs"), CATS, [0, 1]),
        (call("press_home"), HOME, [1, 1]),
        (call("PRESS_BACK"), HOME, [0, 1]),
        (call("press_enter"), step("press enter", "key", button="enter"), [1, 1]),
        (call("stop", status="x"), STOP, [1, 1]),
        (call(None), STOP, [0, 0]),
        ("{}", STOP, [0, 0]),
        ("I can't", STOP, [0, 0]),
    ],
)
def test_the_released_code_compares_clicks_with_the_corner(
    response: str, reference: Any, values: list[float]
) -> None:
    """CoAT 9ab1a9f: 1,100 outcomes of this code agree; these are a table by hand of its rule."""
    columns = graded(AITZ, "official", response, reference)
    assert columns.values[0].tolist() == values
    assert not columns.crashed.any()


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        (call("press"), HOME),
        (call("press home"), HOME),
        (call(5), HOME),
        (call("click", bbox=[1, 2]), CLICK),
        (call("scroll", bbox=[1, 2], direction="up"), UP),
        (call("click", bbox=[1, 2, 3, "4"]), CLICK),
        (call("input", text=5), CATS),
        # Without a node there is nothing to enlarge.
        (call("click", bbox=[500, 500, 600, 600]), {**CLICK, "nodes": []}),
        (call("stop"), step("wait for it", "wait")),
        (call("scroll", direction="up"), {**UP, "name": "scroll"}),
    ],
)
def test_where_the_released_code_raises_its_run_ends(response: str, reference: Any) -> None:
    assert graded(AITZ, "official", response, reference).crashed.all()
    report = sdk.grade(
        [{"item_id": "a", "response": response}],
        task=AITZ,
        protocol="official",
        references={"a": reference},
        progress=False,
    )
    assert report.metrics["step"].as_published is None


def test_the_released_code_reads_a_reference_without_words_by_its_action() -> None:
    nameless = {**UP, "name": ""}
    assert graded(AITZ, "official", call("scroll", direction="up"), nameless).values[0, 0] == 1
    home = {**HOME, "name": ""}
    assert graded(AITZ, "official", call("press_home"), home).values[0, 0] == 1


POINT = '{{"POINT": [{}, {}]}}'
ROWS: list[tuple[str, dict[str, Any], str]] = [
    (POINT.format(400, 550), CLICK, "1 1"),
    # The second node, enlarged, does not hold the reference; the distance does the rest.
    (POINT.format(400, 689), CLICK, "1 1"),
    (POINT.format(400, 691), CLICK, "0 0"),
    (
        POINT.format(900, 550),
        {**CLICK, "nodes": [{"box": [100, 1300, 1000, 1400]}]},
        "1 1",
    ),
    ('{"POINT": [400, 550], "duration": 1000}', CLICK, "0 0"),
    ('{"POINT": [500, 500], "to": "up"}', UP, "1 1"),
    ('{"POINT": [500, 500], "to": [500, 900]}', UP, "0 0"),
    ('{"TYPE": "CATS and dogs"}', CATS, "1 1"),
    ('{"PRESS": "HOME"}', HOME, "1 1"),
    ('{"STATUS": "impossible"}', STOP, "1 1"),
    # A wait is an end for AgentCPM-GUI, and for guievalkit a class of its own.
    ('{"duration": 500}', STOP, "1 0"),
    ('{"STATUS": "finish"}', step("", "wait"), "1 0"),
]


@pytest.mark.parametrize("task", [AITZ, CAGUI])
@pytest.mark.parametrize(("response", "reference", "expected"), ROWS)
def test_the_common_mode_takes_a_box_that_holds_the_reference_or_14_percent(
    task: str, response: str, reference: Any, expected: str
) -> None:
    """AgentCPM-GUI acbaf50 and guievalkit d5e954e, without --eval_android_control."""
    for protocol, value in zip(("agentcpm", "guievalkit"), expected.split(), strict=True):
        assert graded(task, protocol, response, reference).values[0, 0] == float(value)


def test_robust_reads_coats_format_by_its_marks() -> None:
    answers = {
        "a": (call("click_element", bbox=[390, 540, 410, 560]), CLICK),
        "b": (call("scroll", direction="up"), UP),
        "c": (call("input", text="Cats"), CATS),
        "d": (call("press_home"), HOME),
        "e": (call("stop", task_status="success"), STOP),
    }
    report = sdk.grade(
        [{"item_id": name, "response": answer} for name, (answer, _) in answers.items()],
        task=AITZ,
        protocol="robust",
        references={name: reference for name, (_, reference) in answers.items()},
        progress=False,
    )
    assert report.value == 1
    failed = call("stop", task_status="failure")
    assert graded(AITZ, "robust", failed, STOP).values[0].tolist() == [0, 1]
