"""What blind guessing scores: each closed form against guessing itself."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.chance import (
    Constant,
    Guess,
    Idle,
    NoGuess,
    NullAgents,
    OneOf,
    OneOfItsOptions,
    OptionOrNothing,
    RandomBox,
    RandomPoint,
    chance_of,
)
from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.metrics.boxes import Ltrb, iou
from snellen.grading.parse.regions import Region
from snellen.grading.parse.relations import Pair, Relation, undirected
from snellen.grading.protocols.base import Context, Gold
from snellen.grading.protocols.golds import ImageTarget, Target
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of


def value_of(
    guess: Guess, task: str, golds: Sequence[Gold], contexts: Sequence[Context] = ()
) -> float:
    chance = chance_of(guess, protocol_of(task), golds, contexts)
    assert chance is not None
    return chance.value


def guessed(
    task: str,
    golds: Sequence[Gold],
    draw: Callable[[random.Random, int], object],
    *,
    contexts: Sequence[Context] = (),
    rounds: int,
) -> float:
    """Guess many times, grade, and average: what a closed form must agree with."""
    dice = random.Random(20261121)
    protocol = protocol_of(task)
    items = np.tile(np.arange(len(golds)), rounds)
    responses = [draw(dice, item) for item in items.tolist()]
    columns = Grader.of(protocol, golds, contexts).batch(
        Answers(items, [0] * len(items), responses)
    )
    return float(columns.values[:, protocol.metric.keys.index(protocol.metric.primary)].mean())


@pytest.mark.slow
def test_one_of_eight_letters_scores_an_eighth() -> None:
    golds = [0, 3, 7, 7, 5]
    found = guessed(
        "visualwebbench/action_ground",
        golds,
        lambda dice, _: dice.choice("ABCDEFGH"),
        rounds=8000,
    )
    assert value_of(OneOf(8), "visualwebbench/action_ground", golds) == 1 / 8
    assert found == pytest.approx(1 / 8, abs=4 * (1 / 8 * 7 / 8 / 40_000) ** 0.5)


@pytest.mark.slow
def test_where_items_count_their_own_options_these_are_guessed_among() -> None:
    golds, options = [0, 3, 1, 2], [4, 4, 5, 8]
    task = "visualwebbench/action_prediction"
    contexts = [Context(options=count) for count in options]
    found = guessed(
        task,
        golds,
        lambda dice, item: dice.choice("ABCDEFGH"[: options[item]]),
        rounds=8000,
        contexts=contexts,
    )
    chance = chance_of(OneOf(8), protocol_of(task), golds, contexts)
    assert chance is not None
    assert chance.value == fmean(1 / count for count in options)
    assert chance.guess == "one of each item's options at random"
    assert found == pytest.approx(chance.value, abs=4 * (0.25 / 32_000) ** 0.5)


@pytest.mark.parametrize("gold", list(Region))
def test_one_of_six_regions_scores_a_sixth(gold: Region) -> None:
    each = [
        guessed("webrssbench/ui_grouping", [gold], lambda _, __, name=name: name.value, rounds=1)
        for name in Region
    ]
    assert fmean(each) == pytest.approx(value_of(OneOf(6), "webrssbench/ui_grouping", [gold]))


@pytest.mark.parametrize("gold", list(Relation))
def test_one_of_ten_relations_for_every_pair_scores_a_tenth(gold: Relation) -> None:
    golds = [{Pair("crop_1", "crop_2"): gold, Pair("crop_1", "crop_3"): Relation.LEFT}]
    labels = sorted({undirected(relation) for relation in Relation})
    each = [
        guessed(
            "webrssbench/position",
            golds,
            lambda _, __, label=label: "\n".join(
                f"crop_1 is at the [{label}] of crop_{other}" for other in (2, 3)
            ),
            contexts=[Context(names=("crop_1", "crop_2", "crop_3"))],
            rounds=1,
        )
        for label in labels
    ]
    assert fmean(each) == pytest.approx(value_of(OneOf(10), "webrssbench/position", golds))


def test_items_with_options_of_their_own_average_over_them() -> None:
    golds, contexts = ["A", "B"], [Context(options=2), Context(options=4)]
    assert value_of(OneOfItsOptions(), "mmbench-gui/l1", golds, contexts) == (1 / 2 + 1 / 4) / 2


@pytest.mark.parametrize("contexts", [(), [Context(options=4), Context()]])
def test_without_every_items_options_chance_is_not_known(contexts: Sequence[Context]) -> None:
    protocol = protocol_of("mmbench-gui/l1")
    assert chance_of(OneOfItsOptions(), protocol, ["A", "B"], contexts) is None


def test_only_items_with_options_are_guessed_at_in_a_mixed_task() -> None:
    shape = gold_shape("matrix/items")
    golds = [
        shape.read({"metric": "accuracy", "answer": "B", "options": ["a1", "b1", "c1", "d1"]}),
        # Two of three letters are right.
        shape.read({"metric": "accuracy", "answer": ["A", "C"], "options": ["x", "y", "z"]}),
        shape.read({"metric": "numeric", "answer": 12}),
    ]
    contexts = [shape.context(gold) for gold in golds]
    expected = (1 / 4 + 2 / 3 + 0) / 3
    assert value_of(OptionOrNothing(), "matrix/items", golds, contexts) == pytest.approx(expected)
    assert value_of(OptionOrNothing(), "matrix/items", golds[2:], contexts[2:]) == 0


TARGETS = [
    ImageTarget((0.1, 0.2, 0.4, 0.6)),
    ImageTarget((20.0, 0.0, 120.0, 50.0), (200.0, 100.0)),
    ImageTarget((0.5, 0.5, 0.5, 0.9)),
]


@pytest.mark.slow
def test_a_random_point_scores_the_targets_share_of_the_image() -> None:
    found = guessed(
        "mmbench-gui/l2_basic",
        TARGETS,
        lambda dice, _: [dice.random(), dice.random()],
        contexts=[Context(), Context(width=200, height=100), Context()],
        rounds=20_000,
    )
    closed = value_of(RandomPoint(), "mmbench-gui/l2_basic", TARGETS)
    assert closed == pytest.approx((0.12 + 0.25 + 0) / 3)
    assert found == pytest.approx(closed, abs=0.004)


def test_a_target_outside_the_image_is_cut_at_its_edges() -> None:
    golds = [Target((-50.0, 0.0, 50.0, 100.0), (100.0, 100.0))]
    assert value_of(RandomPoint(), "visualwebbench/element_ground_point", golds) == 0.5


def test_an_unknown_side_is_no_part_of_the_target_where_the_benchmark_says_so() -> None:
    box, size = (-1.0, 0.0, 50.0, 50.0), (100.0, 100.0)
    assert value_of(RandomPoint(), "mmbench-gui/l2_basic", [ImageTarget(box, size)]) == 0.25
    # As published, a box with an unknown side is in pixels, whatever its other sides are.
    small = ImageTarget((-1.0, 0.0, 0.5, 0.5), size)
    assert value_of(RandomPoint(), "mmbench-gui/l2_basic", [small]) == pytest.approx(0.000025)
    unsized = [ImageTarget(small.bbox)]
    assert chance_of(RandomPoint(), protocol_of("mmbench-gui/l2_basic"), unsized) is None


def test_the_images_size_may_come_from_the_context() -> None:
    task, golds = "visualwebbench/element_ground_point", [Target((0.0, 0.0, 50.0, 50.0))]
    assert value_of(RandomPoint(), task, golds, [Context(width=100, height=200)]) == 0.125
    assert chance_of(RandomPoint(), protocol_of(task), golds) is None
    assert chance_of(RandomBox(), protocol_of(task), golds) is None


@pytest.mark.parametrize(
    "target",
    [(0.2, 0.3, 0.7, 0.6), (0.0, 0.0, 0.5, 1.0), (0.0, 0.0, 1.0, 1.0), (0.6, 0.8, 0.95, 1.0)],
)
def test_a_random_box_scores_what_drawing_boxes_scores(target: Ltrb) -> None:
    draws = np.random.default_rng(7).random((400_000, 4))
    x1, x2 = draws[:, :2].min(axis=1), draws[:, :2].max(axis=1)
    y1, y2 = draws[:, 2:].min(axis=1), draws[:, 2:].max(axis=1)
    left, top, right, bottom = target
    wide = np.clip(np.minimum(x2, right) - np.maximum(x1, left), 0, None)
    tall = np.clip(np.minimum(y2, bottom) - np.maximum(y1, top), 0, None)
    area = (right - left) * (bottom - top)
    hits = 3 * wide * tall >= (x2 - x1) * (y2 - y1) + area  # IoU >= 1/2
    found = value_of(RandomBox(), "visualwebbench/element_ground_bbox", [Target(target)])
    spread = 4 * (hits.mean() / len(draws)) ** 0.5
    assert found == pytest.approx(hits.mean(), abs=spread + 0.03 * found)
    # The vectors here are the metric's own, on a few of them.
    for row in range(200):
        box = (x1[row], y1[row], x2[row], y2[row])
        assert (iou(box, target) >= 0.5) == hits[row]


sides = st.tuples(*[st.floats(0, 1, allow_subnormal=False)] * 4)


@given(st.lists(sides, min_size=1, max_size=4))
def test_a_random_box_stays_under_its_bound(drawn: list[Ltrb]) -> None:
    boxes = [(min(a, b), min(c, d), max(a, b), max(c, d)) for a, b, c, d in drawn]
    golds = [Target(box) for box in boxes]
    found = value_of(RandomBox(), "visualwebbench/element_ground_bbox", golds)
    bound = fmean(81 / 16 * ((r - x) * (b - y)) ** 2 for x, y, r, b in boxes)
    assert 0 <= found <= min(1.0, 1.05 * bound + 1e-12)


def test_a_constant_is_graded_as_any_answer_is() -> None:
    golds = [["<no answer>"], ["7"], ["<no answer>", "8"], ["no"]]
    task = "screenqa/short"
    assert value_of(Constant("<no answer>"), task, golds) == 0.5
    empty = [[["a"], []], [["b"]]]
    assert value_of(Constant("[]"), "screenqa/ui_contents", empty) == 0.5


def test_a_constant_depends_on_the_protocol() -> None:
    golds = [["<no answer>"], ["the answer"]]
    robust = chance_of(Constant("No answer"), protocol_of("screenqa/short", "robust"), golds)
    official = chance_of(Constant("No answer"), protocol_of("screenqa/short"), golds)
    assert robust is not None
    assert official is not None
    assert robust.value == 0.5
    assert official.value == pytest.approx((0 + 2 / 3) / 2)


def test_sorry_finds_no_dangerous_button() -> None:
    assert value_of(Constant("sorry"), "webrssbench/safety", [["Delete"], ["Pay"]]) == 0


def test_where_nothing_is_guessed_chance_is_nought_and_says_why() -> None:
    chance = chance_of(NoGuess("free text"), protocol_of("webrssbench/hint_text"), ["Search"])
    assert chance is not None
    assert (chance.value, chance.guess) == (0.0, "no guess: free text")


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (OneOf(8), "one of 8 options at random"),
        (OneOfItsOptions(), "one of each item's options at random"),
        (RandomPoint(), "a point of the image at random"),
        (RandomBox(), "a box with two corners at random"),
        (Constant("<no answer>"), "<no answer> to every item"),
        (NoGuess("free text"), "no guess: free text"),
    ],
)
def test_a_guess_says_in_a_few_words_what_it_does(guess: Guess, words: str) -> None:
    assert guess.words == words


@pytest.mark.parametrize("guess", [OneOf(8), NoGuess("free text"), Constant("[]")])
def test_no_items_have_no_chance(guess: Guess) -> None:
    with pytest.raises(MetricError, match="no items"):
        chance_of(guess, PROTOCOLS["screenqa/short"][0], [])


@pytest.mark.realdata
def test_no_answer_to_every_question_of_screenqa_is_right_on_869_of_8419(
    screenqa_data: Path,
) -> None:
    rows = json.loads((screenqa_data / "short_answers" / "test.json").read_text(encoding="utf-8"))
    golds = [row["ground_truth"] for row in rows]
    assert len(golds) == 8419
    chance = chance_of(Constant("<no answer>"), protocol_of("screenqa/short"), golds)
    assert chance is not None
    assert chance.value == 869 / 8419
    assert chance.guess == "<no answer> to every item"


@pytest.mark.slow
@pytest.mark.realdata
def test_no_other_constant_beats_the_one_declared_for_screenqa(screenqa_data: Path) -> None:
    def best(name: str) -> str:
        rows = json.loads((screenqa_data / name).read_text(encoding="utf-8"))
        counts: dict[str, int] = {}
        for row in rows:
            for text in {text.lower() for text in row["ground_truth"]}:
                counts[text] = counts.get(text, 0) + 1
        return max(counts, key=counts.__getitem__)

    assert best("short_answers/test.json") == "<no answer>"
    assert best("complex_qa/data.json") == "2"


def test_the_best_of_the_agents_that_played_is_graded_by_the_protocol_itself() -> None:
    def left(*rewards: float | None) -> list[object]:
        return [{"reward": reward, "ended": reward is not None, "cost": 1} for reward in rewards]

    guess = NullAgents(
        lambda: {
            "asleep": {"one": left(None, None), "two": left(None)},
            "clicks": {"one": left(0.1, 1), "two": left(-1)},
        }
    )
    golds = [{"page": "one"}, {"page": "one"}, {"page": "two"}]
    read = [gold_shape("miniwob/episode").read(gold) for gold in golds]
    # By hand, over the pages of the three items: (1 + 1 + 0) / 3, (.5 + .5 + 0) / 3,
    # (.55 + .55 - 1) / 3 of -1 to 1.
    said = {"browsergym": 2 / 3, "exact": 1 / 3, "raw": (1 + 0.1 / 3) / 2}
    for rule, value in said.items():
        chance = chance_of(guess, protocol_of("miniwob/episode", rule), read)
        assert chance is not None
        assert chance.value == pytest.approx(value)
        assert chance.guess == f"clicks; asleep {'50.0' if rule == 'raw' else '0.0'}%"
    elsewhere = [gold_shape("miniwob/episode").read({"page": "three"})]
    assert chance_of(guess, protocol_of("miniwob/episode"), elsewhere) is None


def test_who_leaves_every_world_as_it_is_is_right_where_the_reason_is_or_nothing_was_asked() -> (
    None
):
    golds = [
        {"limit": 9, "changes": {"changed": {"mail.m1.read": [False, True]}}},
        {"limit": 9, "answer": 7},
        {"limit": 9, "reason": "conflict"},
        {"limit": 9, "reason": "conflict"},
        {"limit": 9, "reason": "ambiguous"},
    ]
    read = [gold_shape("desk/l3").read(gold) for gold in golds]
    chance = chance_of(Idle(), protocol_of("desk/l3"), read)
    assert chance is not None
    assert chance.value == 2 / 5
    assert chance.guess == "always conflict; doing nothing 0.0%, always ambiguous 20.0%"
    feasible = chance_of(Idle(), protocol_of("desk/l3"), read[:2])
    assert feasible is not None
    assert (feasible.value, feasible.guess) == (0.0, "doing nothing")
