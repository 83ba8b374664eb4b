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


def test_an_empty_answer_ends_the_official_run_and_is_none_of_the_elements_to_a_chat_model() -> (
    None
):
    """Mind2Web 1b7c323: `text[0]` raises; without `Answer: ` the letter is A."""
    assert graded("official", " \n", step("click", letters="C")).crashed[0]
    chat = graded("official-chat", " \n", step("click", letters="A"))
    assert (chat.values[0].tolist(), bool(chat.crashed[0])) == ([0, 1, 0], False)


def test_the_official_rule_needs_the_letters_that_were_shown() -> None:
    assert "letters" in graded("official", "C.\nAction: CLICK", CLICK).notes[0]
