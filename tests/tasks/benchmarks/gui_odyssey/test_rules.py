"""GUI-Odyssey under every implementation: what their own code made of the same answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import Answers, Columns, Grader
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally

TASK = "gui-odyssey/high"
SHAPE = gold_shape(TASK)
SIZE = (1440, 3120)


def step(kind: str, **fields: Any) -> Gold:
    more = {
        name: fields.pop(name) for name in ("boxes", "episode", "step", "group") if name in fields
    }
    return SHAPE.read({"action": {"type": kind, **fields}, "image_size": SIZE, **more})


def place(x: float, y: float) -> list[float]:
    return [x * SIZE[0] / 1000, y * SIZE[1] / 1000]


CLICK = step("click", point=place(500, 500))


def graded(protocol: str, response: object, gold: Gold) -> Columns:
    grader = Grader.of(protocol_of(TASK, protocol), [gold], [SHAPE.context(gold)])
    return grader.batch(Answers(np.zeros(1, dtype=np.int64), [0], [response]))


def test_os_atlas_ends_the_run_on_a_number_that_python_does_not_read() -> None:
    """OS-Atlas bad0840: here `int` stands outside of what is caught."""
    assert graded("os-atlas", f"actions:\nCLICK {'9' * 5000} 1", CLICK).crashed[0]


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
