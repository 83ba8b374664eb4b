"""Each rule of AgentCPM-GUI's grounding scripts, on answers worked out by hand."""

import numpy as np
import pytest

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.base import Context
from snellen.grading.protocols.golds import ImageTarget
from snellen.grading.protocols.table import protocol_of

# Row 1 of ocr.jsonl: x from 854.37 to 984.63 thousandths, y from 97.91 to 122.57.
GOLD = ImageTarget((1056.0, 262.0, 1217.0, 328.0), (1236.0, 2676.0))


@pytest.mark.parametrize(
    ("protocol", "response", "value"),
    [
        ("official", '{"POINT":[900,110]}', 1),
        ("official", '\n{"thought": "a b", "POINT": [900, 110], "duration": 200}\n', 1),
        ("official", '{"POINT":[854,110]}', 0),
        ("official", '{"POINT":[855,98]}', 1),
        ("official", 'I click {"POINT":[900,110]}', 0),
        ("official", '{"POINT":["900",110]}', 0),
        ("official", '{"STATUS":"finish"}', 0),
        ("official", "[900, 110]", 0),
        ("qwen", "<1100, 300>", 1),
        ("qwen", "between <1056,262> and <0,0>", 1),
        ("qwen", "<1055,262>", 0),
        ("qwen", "<1100.5,300>", 0),
        ("qwen", "(1100, 300)", 0),
        ("os-atlas", "CLICK <point>[[900, 110]]</point>", 1),
        ("os-atlas", "CLICK <point>[[900.5, 110]]</point>", 0),
        ("os-atlas", "[900, 110]", 0),
        ("ui-tars", "Action: click(start_box='(900,110)')", 1),
        ("ui-tars", "Step 1,2 then (900,110)", 0),
        ("robust", '{"POINT":[900,110]}', 1),
        ("thousand", "(900, 110)", 1),
        ("pixels", "(1100, 300)", 1),
    ],
)
def test_what_each_reader_takes_for_the_point(protocol: str, response: str, value: float) -> None:
    context = Context(width=1236, height=2676)
    grader = Grader.of(protocol_of("cagui/text2point", protocol), [GOLD], [context])
    found = grader.batch(Answers(np.array([0]), [0], [response]))
    assert found.values[0, 0] == value


@pytest.mark.parametrize(
    ("protocol", "gold", "response", "value"),
    [
        ("official", "QQ音乐", "QQ 音乐\n", 1),
        ("official", "QQ音乐", "qq音乐", 0),
        ("official", "QQ音乐", "文本：QQ音乐", 0),
        # The published code deletes the answer's spaces alone.
        ("official", "返回 1", "返回 1", 0),
        ("robust", "返回 1", "返回1", 1),
        ("robust", "QQ音乐", "<think>...</think>**qq音乐**", 1),
        ("robust", "QQ音乐", "音乐", 0),
    ],
)
def test_when_a_text_is_the_same(protocol: str, gold: str, response: str, value: float) -> None:
    grader = Grader.of(protocol_of("cagui/bbox2text", protocol), [gold])
    found = grader.batch(Answers(np.array([0]), [0], [response]))
    assert found.values[0, 0] == value
