"""AITZ and CAGUI's agent part: what the released code and AgentCPM-GUI's made of answers."""

import json
from typing import Any

import numpy as np

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


def test_the_released_code_reads_a_reference_without_words_by_its_action() -> None:
    nameless = {**UP, "name": ""}
    assert graded(AITZ, "official", call("scroll", direction="up"), nameless).values[0, 0] == 1
    home = {**HOME, "name": ""}
    assert graded(AITZ, "official", call("press_home"), home).values[0, 0] == 1


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
