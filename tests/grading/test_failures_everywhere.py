"""Failure tags: what holds for every task and any response."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from miniatures import references

from snellen.grading.failures.tagging import failure_tags
from snellen.grading.failures.tags import FailureTag
from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Context, Protocol
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of

T = FailureTag
SHORT, LISTS, BOXES = "screenqa/short", "screenqa/ui_contents", "screenqa/ui_contents_boxes"
POINT, BOX = "visualwebbench/element_ground_point", "visualwebbench/element_ground_bbox"
GROUND, POSITION = "visualwebbench/element_ground", "webrssbench/position"
L1, L2, L3 = "mmbench-gui/l1", "mmbench-gui/l2_basic", "mmbench-gui/l3"
FULL_HD = Context(width=1920, height=1080)
REFERENCES: dict[str, object] = {task: found[0] for task, found in references().items()}
EVERY = [
    pytest.param(protocol, id=f"{task}-{protocol.id}")
    for task, protocols in PROTOCOLS.items()
    for protocol in protocols
]


@pytest.mark.parametrize("protocol", EVERY)
def test_a_reference_given_as_the_answer_has_no_tag(protocol: Protocol) -> None:
    shape = gold_shape(protocol.task)
    gold = shape.read(REFERENCES[protocol.task])
    write = protocol.write or shape.responses
    for response in write(gold):
        assert failure_tags(protocol, response, gold, context=shape.context(gold)) == ()


def graded(protocol: Protocol, gold: object, response: object, context: Context) -> Columns:
    answers = Answers(np.zeros(1, dtype=np.int64), [0], [response])
    return Grader.of(protocol, [gold], [context]).batch(answers)


PIECES = (
    *("12", "13", "a", "Sign in", "B", "left", "<no answer>", "sorry", "answer:", "(0.5, 0.5)"),
    *("{", "}", "[", "]", "```", '"', "**", "\n", " ", "[1, 2, 30, 40]", "<answer>", "</think>"),
    *("a is left of b", "\\boxed{B}", '{"answer": "12"}', '{"success": 0, "cost": 3}', "1e9"),
)
written = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | written,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["answer", "x", "y", "success", "cost"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", EVERY)
@settings(max_examples=15)
@given(response=values)
def test_any_response_gets_tags_exactly_where_it_could_score_more(
    protocol: Protocol, response: object
) -> None:
    shape = gold_shape(protocol.task)
    gold = shape.read(REFERENCES[protocol.task])
    context = shape.context(gold)
    found = failure_tags(protocol, response, gold, context=context)
    assert list(found) == [tag for tag in FailureTag if tag in found]
    columns = graded(protocol, gold, response, context)
    value = columns.values[0, protocol.metric.keys.index(protocol.metric.primary)]
    outcome = OUTCOMES[int(columns.outcomes[0])]
    if value >= protocol.metric.best:
        assert found == ()
    elif outcome is not Outcome.ANSWERED:
        # Whatever else may be said, there is something to say of a response without an answer.
        assert found


@pytest.mark.slow
@pytest.mark.parametrize("task", [SHORT, LISTS, BOXES, POINT, BOX, GROUND, L1, L2, L3, POSITION])
@pytest.mark.parametrize(
    "response",
    [
        10**5000,
        "<answer>" * 20_000,
        "[" * 50_000,
        "```" * 20_001,
        "answer" + " " * 100_000,
        "answer is " * 10_000,
        "\\boxed{" * 20_000,
        [[[[[[[["x"]]]]]]]],
        float("1e308"),
        "(1e308, -1e308)",
    ],
    ids=lambda response: str(type(response).__name__),
)
def test_strange_responses_end_soon_and_raise_nothing(task: str, response: object) -> None:
    gold = gold_shape(task).read(REFERENCES[task])
    assert isinstance(failure_tags(protocol_of(task), response, gold, context=FULL_HD), tuple)


def test_a_protocol_of_a_task_outside_the_table_still_tags_outcomes() -> None:
    mine = replace(protocol_of(SHORT), task="mine/own")
    assert failure_tags(mine, "", ["12"]) == (T.EMPTY,)
    assert failure_tags(mine, "13", ["12"]) == ()
    assert failure_tags(mine, '{"answer": "12"}', ["12"]) == (T.FORMAT,)
