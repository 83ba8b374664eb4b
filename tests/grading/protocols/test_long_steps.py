"""A long answer of an agent is graded in time: no published rule looks at all of it again."""

from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.table import PROTOCOLS, gold_shape

LENGTH = 200_000
STEPS: dict[str, dict[str, Any]] = {
    "androidcontrol/high": {
        "action": {"type": "type", "text": "New York", "point": [210, 1260]},
        "image_size": [1080, 2400],
        "nodes": [{"box": [0, 0, 1080, 2400]}],
    },
    "gui-odyssey/high": {
        "action": {"type": "click", "point": [500, 500]},
        "image_size": [1000, 1000],
    },
    "aitz/high": {
        "action": {"type": "type", "text": "New York"},
        "image_size": [1080, 2400],
        "nodes": [{"box": [0, 0, 1080, 2400]}],
        "name": "input text",
    },
    "mind2web/task": {
        "action": {"type": "type", "text": "x", "point": [256, 108]},
        "image_size": [1280, 720],
        "boxes": [[128, 72, 384, 144]],
        "letters": "C",
    },
}
# The beginnings of what some published code reads, and pieces that go on without an end.
BEGUN = (
    *("", "CLICK: ", "actions:\nCLICK ", "actions:\nTYPE ", "<answer>", "<tool_call>"),
    *('{"name": "mobile_use", "arguments":', '{"action_type":"click","grounding":"'),
    '{"ACTION":"input","ARGS":{"text":"',
)
PIECES = (
    *("'action': '", "', 'value': '", "', 'value': None, 'position': [1,2", "{[1, 2]", "[1,"),
    *("type(", "click(", "type()", "'", '"', "1", "1,", "1 ", "[", "(", "{1:", "}}", "\\", "\n"),
    *("actions:\n", "'text': '", "Answer: ", "Value: ", "'input_text': '", ":", "-", '{"a":'),
)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("task", STEPS)
def test_a_long_answer_is_graded_in_time(task: str) -> None:
    shape = gold_shape(task)
    gold = shape.read(STEPS[task])
    texts = [before + piece * (LENGTH // len(piece)) for before in BEGUN for piece in PIECES]
    answers = Answers(np.zeros(len(texts), dtype=np.int64), [0] * len(texts), texts)
    for protocol in PROTOCOLS[task]:
        if protocol.source != "ours":
            columns = Grader.of(protocol, [gold], [shape.context(gold)]).batch(answers)
            assert len(columns.values) == len(texts)
