"""GUI-Odyssey under every implementation: what their own code made of the same answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import OUTCOMES, Answers, Columns, Grader
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally

TASK = "gui-odyssey/high"
SHAPE = gold_shape(TASK)
SIZE = (1440, 3120)
ORDER = ("official", "official-2024", "os-atlas", "agentcpm", "guievalkit", "gui-r1")


def step(kind: str, **fields: Any) -> Gold:
    more = {
        name: fields.pop(name) for name in ("boxes", "episode", "step", "group") if name in fields
    }
    return SHAPE.read({"action": {"type": kind, **fields}, "image_size": SIZE, **more})


def place(x: float, y: float) -> list[float]:
    return [x * SIZE[0] / 1000, y * SIZE[1] / 1000]


CLICK = step("click", point=place(500, 500))
BOXED = step("click", point=place(500, 500), boxes=[place(50, 450) + place(950, 550)])
NEW_YORK = step("type", text="New York")
UP = step("scroll", direction="down")
RECENT = step("navigate", button="recent")

ROWS: list[tuple[str, Gold, str]] = [
    ("CLICK: (500, 639)", CLICK, "1 1 1 1 1 1"),
    ("CLICK: (800, 500)", BOXED, "1 0 0 0 0 0"),
    ("CLICK: (641, 500)", CLICK, "0 0 0 0 0 0"),
    ("LONG_PRESS: (500, 500)", CLICK, "0 0 0 0 0 1"),
    ("TYPE: new york", NEW_YORK, "1 1 1 1 1 1"),
    ("TYPE: 10:45", step("type", text="10:30"), "1 1 0 0 0 0"),
    ("TYPE: ", NEW_YORK, "1 1 0 1 1 0"),
    ("TYPE: New Delhi", NEW_YORK, "0 0 1 0 0 1"),
    ("TYPE: colo\u0075r picker", step("type", text="color picker"), "1 1 1 0 0 1"),
    # As an answer of OS-Atlas it is written anew, and has lost its case.
    ("SCROLL: Up", UP, "1 1 1 1 1 1"),
    ("PRESS_HOME", RECENT, "0 0 0 1 1 n"),
    ("PRESS_RECENT", RECENT, "1 1 1 0 d n"),
    ("COMPLETE", step("finish", status="infeasible"), "0 0 0 1 1 n"),
    ("CLICK: (500, 500, 3)", CLICK, "0 0 0 0 d 0"),
]


def graded(protocol: str, response: object, gold: Gold) -> Columns:
    grader = Grader.of(protocol_of(TASK, protocol), [gold], [SHAPE.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


@pytest.mark.parametrize(
    ("row", "protocol"),
    [(row, protocol) for row in range(len(ROWS)) for protocol in ORDER],
    ids=lambda value: str(value + 1) if isinstance(value, int) else value,
)
def test_one_answer_is_worth_what_each_published_code_printed(row: int, protocol: str) -> None:
    answer, gold, expected = ROWS[row]
    want = expected.split()[ORDER.index(protocol)]
    response = {"format": "gui-odyssey", "response": answer}
    found = graded(protocol, response, gold)
    if want == "d":
        assert OUTCOMES[found.outcomes[0]] is Outcome.UNPARSED
    elif want == "n":
        right = "CLICK: (500, 500)"
        assert metrics(protocol, [(answer, gold), (right, CLICK)])["step"] == 1
    else:
        assert found.values[0, 0] == float(want)


@pytest.mark.parametrize(("protocol", "value"), [("agentcpm", 1), ("guievalkit", 0)])
def test_a_wait_is_an_end_for_agentcpm_alone(protocol: str, value: float) -> None:
    """AgentCPM-GUI acbaf50 maps `duration` to "stop"; guievalkit d5e954e to "wait"."""
    end = step("finish", status="success")
    assert graded(protocol, '{"duration": 500}', end).values[0].tolist() == [value, value]


@pytest.mark.parametrize(
    ("answer", "gold", "values"),
    [
        ("CLICK: 500, 639.5", CLICK, [1, 1]),
        ("CLICK : (500, 500)", CLICK, [1, 1]),
        ("CLICK: 500", CLICK, [1, 1]),
        ("CLICK: [[500, 500]]", CLICK, [1, 1]),
        ("CLICK: '(500, 500)'", CLICK, [1, 1]),
        (f"CLICK: {'(' * 150}500, 500{')' * 150}", CLICK, [1, 1]),
        ("CLICK: (500, 500, 3)", BOXED, [1, 1]),
        ("CLICK: 500", BOXED, [0, 1]),
        (f"CLICK: ({'9' * 5000}, 1)", CLICK, [0, 1]),
        ("CLICK: {1, 2}", CLICK, [0, 1]),
        ("CLICK", CLICK, [0, 1]),
        ("CLICK:", RECENT, [0, 1]),
        ("CLICK: open('x')", RECENT, [0, 1]),
        ("SCROLL", UP, [0, 1]),
        ("SCROLL : UP", UP, [1, 1]),
        ("SCROLL: UP now", UP, [0, 1]),
    ],
)
def test_the_official_code_evaluates_what_follows_a_clicks_colon(
    answer: str, gold: Gold, values: list[float]
) -> None:
    """GUI-Odyssey fefcbe9, `simple_decode` and `click_matching`; literals alone are evaluated."""
    assert graded("official", answer, gold).values[0].tolist() == values


@pytest.mark.parametrize(
    ("answer", "gold", "values"),
    [
        ("actions:\nCLICK <point>[[500,500]]</point>", CLICK, [1, 1]),
        ("CLICK <point>[[500,500]]</point>", CLICK, [0, 0]),
        ("actions:\nCLICK: [[500,-500]]", CLICK, [1, 1]),
        ("actions:\nCLICK [500,500,3]", CLICK, [0, 1]),
        ("actions:\nCLICK 5", step("click", point=place(3, 4)), [1, 1]),
        ("actions:\nSCROLL [UP]", UP, [1, 1]),
        ("actions:\nSCROLL [Up]", UP, [0, 1]),
        ("actions:\nSCROLL: [UP]", UP, [0, 1]),
        ("actions:\nTYPE: []", step("type", text="x"), [0, 1]),
        ("actions:\nTYPE [new york]", NEW_YORK, [1, 1]),
        ("actions:\nCOMPLETE<|im_end|>", step("finish", status="success"), [1, 1]),
        ("actions:\nCOMPLETE\n", step("finish", status="success"), [1, 1]),
    ],
)
def test_os_atlas_reads_its_own_text_behind_its_own_marker(
    answer: str, gold: Gold, values: list[float]
) -> None:
    """OS-Atlas bad0840, eval_scripts/odyssey/evaluation_unify.py."""
    said = {"format": "os-atlas", "response": answer}
    assert graded("os-atlas", answer, gold).values[0].tolist() == values
    assert graded("os-atlas", said, gold).values[0].tolist() == values


def test_os_atlas_ends_the_run_on_a_number_that_python_does_not_read() -> None:
    """OS-Atlas bad0840: here `int` stands outside of what is caught."""
    assert graded("os-atlas", f"actions:\nCLICK {'9' * 5000} 1", CLICK).crashed[0]


@pytest.mark.parametrize("protocol", ["agentcpm", "guievalkit"])
def test_all_that_is_pressed_is_one_type(protocol: str) -> None:
    """AgentCPM-GUI acbaf50 and guievalkit d5e954e, `action_map`."""
    gold = step("key", button="enter")
    assert graded(protocol, '{"PRESS": "HOME"}', gold).values[0].tolist() == [0, 1]
    assert graded(protocol, '{"PRESS": "HOME"}', RECENT).values[0].tolist() == [1, 1]
    assert graded(protocol, '{"PRESS": "APPSELECT"}', RECENT).values[0].tolist() == [0, 1]


def test_a_malformed_click_has_the_right_type() -> None:
    assert graded("official", "CLICK: (500, 500, 3)", CLICK).values[0].tolist() == [0, 1]
    assert graded("official", "CLICK: ???", CLICK).values[0].tolist() == [0, 1]
    assert graded("official", "prose: x", CLICK).values[0].tolist() == [0, 0]


def metrics(protocol: str, pairs: Sequence[tuple[str, Gold]]) -> dict[str, float | None]:
    golds = [gold for _, gold in pairs]
    rule = protocol_of(TASK, protocol)
    said = [{"format": "gui-odyssey", "response": answer} for answer, _ in pairs]
    given = Answers(np.arange(len(pairs)), [0] * len(pairs), said)
    tally = Tally(rule, golds)
    tally.add(given, Grader.of(rule, golds, [SHAPE.context(gold) for gold in golds]).batch(given))
    return {key: metric.as_published for key, metric in tally.metrics(1).items()}


def test_an_episode_is_right_when_all_of_it_is() -> None:
    def click(episode: str, place_: int) -> Gold:
        return step("click", point=place(500, 500), episode=episode, step=place_)

    found = metrics(
        "official",
        [
            ("CLICK: (500, 500)", click("a", 0)),
            ("CLICK: (500, 500)", click("a", 1)),
            ("prose: x", click("b", 0)),
            ("CLICK: ???", click("b", 1)),
        ],
    )
    assert (found["step"], found["type"], found["episode_success"]) == (0.5, 0.75, 0.5)
    assert found["text"] == 0
    assert "category_mean" not in found


def test_the_mean_of_six_categories_is_of_their_rounded_means() -> None:
    right, wrong = "CLICK: (500, 500)", "CLICK: (1, 1)"
    golds = [step("click", point=place(500, 500), group=str(number)) for number in range(6)]
    pairs = [(right, gold) for gold in golds] + [(wrong, golds[0]), (wrong, golds[0])]
    assert metrics("official", pairs)["category_mean"] == pytest.approx((0.3333 + 5) / 6)
