"""VisualWebBench's protocols, each vector of their reference sheet through the public door."""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from miniatures import golden

from snellen.grading.grade import Answers, Grader, read_response
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.grading.tally import Tally

ONE = 0.999999995
ROUGE = ("web_caption", "heading_ocr", "element_ocr")
CHOICE = ("element_ground", "action_prediction", "action_ground")
BOXES = ("element_ground_bbox", "action_ground_bbox")
OFFERED = "ABCDEFGHI"
POINTS = ("element_ground_point", "action_ground_point")


def score(task: str, response: Any, reference: Any, protocol: str = "official") -> Score:
    name = f"visualwebbench/{task}"
    gold = gold_shape(name).read(reference)
    context = gold_shape(name).context(gold)
    return score_one(protocol_of(name, protocol), response, gold, context)


def total(
    task: str, responses: Sequence[Any], references: Sequence[Any], protocol: str = "official"
) -> dict[str, MetricValue]:
    name = f"visualwebbench/{task}"
    chosen = protocol_of(name, protocol)
    golds = [gold_shape(name).read(reference) for reference in references]
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally = Tally(chosen, golds)
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    return dict(tally.metrics(1))


# ---- letters

# BENCHMARKS 2.3 and PROTOCOLS 1.1; null is wrong whatever the reference is.
LETTERS: list[tuple[str, str | None]] = golden("visualwebbench")["letters"]


@pytest.mark.parametrize("protocol", ["official", "lmms-eval"])
@pytest.mark.parametrize("task", CHOICE)
@pytest.mark.parametrize(("response", "letter"), LETTERS)
def test_the_published_letter_is_right_and_every_other_wrong(
    task: str, response: str, letter: str | None, protocol: str
) -> None:
    found = [score(task, response, index, protocol) for index in range(9)]
    assert [one.metrics["accuracy"] for one in found] == [float(letter == one) for one in OFFERED]
    silent = {Outcome.UNPARSED, Outcome.EMPTY}
    assert {one.outcome for one in found} <= (silent if letter is None else {Outcome.ANSWERED})


def test_a_letter_beyond_the_eight_matches_no_option() -> None:
    assert [score("element_ground", "I. text", index).value for index in range(8)] == [0.0] * 8


def test_screensuite_drops_a_failed_choice() -> None:
    failed = total("action_prediction", ["B", None], [1, 1], "screensuite")["accuracy"]
    assert (failed.value, failed.as_published) == (0.5, 1.0)


# ---- text


@pytest.mark.parametrize("task", [*ROUGE, "webqa"])
def test_the_best_value_of_rouge_101_is_known(task: str) -> None:
    for protocol in ("official", "lmms-eval"):
        chosen = protocol_of(f"visualwebbench/{task}", protocol)
        assert chosen.metric.best == ONE
        reference: Any = ["ab cd"] if task == "webqa" else "ab cd"
        assert score(task, "ab cd", reference, protocol).value == ONE


@pytest.mark.parametrize("task", ROUGE)
@pytest.mark.parametrize("dots", ["..", "..."])
def test_a_text_of_dots_ends_the_run_of_captions_and_ocr(task: str, dots: str) -> None:
    # BENCHMARKS 2.5.
    assert score(task, dots, "Buy shoes").crashed
    found = total(task, ["Buy shoes", dots], ["Buy shoes", "x y"])["rougeL"]
    assert found.as_published is None
    assert found.value == pytest.approx(ONE / 2, abs=1e-12)


def test_webqa_drops_what_raises() -> None:
    # BENCHMARKS 2.5: 99.9999995 instead of 33.3.
    golds = [["Paris"], ["London"], ["Rome"]]
    found = total("webqa", ["Paris", ".", ".."], golds)["f1"]
    assert found.as_published == pytest.approx(ONE, abs=1e-12)
    assert found.value == pytest.approx(ONE / 3, abs=1e-12)
    assert total("webqa", [".", "."], golds[:2])["f1"].as_published is None
    assert total("webqa", ["Paris", "x"], golds[:2], "lmms-eval")["f1"].as_published is not None
    assert total("webqa", ["Paris", "."], golds[:2], "lmms-eval")["f1"].as_published is None


def test_webqa_drops_json_that_is_no_text() -> None:
    found = total("webqa", ["Paris", 4], [["Paris"], ["Paris"]])["f1"]
    assert found.as_published == pytest.approx(ONE, abs=1e-12)
    assert found.value == pytest.approx(ONE / 2, abs=1e-12)
    paper = total("webqa", ["Paris", 4], [["Paris"], ["Paris"]], "paper")["f1"]
    assert paper.as_published == 0.5


# ---- boxes


def rounded(value: float) -> float:
    """Round to the nearest float32; infinite where there is none."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def hit_in_float32(box: Sequence[float], gold: Sequence[float]) -> float:
    """Do torchvision's `box_iou` one operation at a time, each rounded to float32."""
    a, b = [rounded(side) for side in box], [rounded(side) for side in gold]

    def area(sides: Sequence[float]) -> float:
        return rounded(rounded(sides[2] - sides[0]) * rounded(sides[3] - sides[1]))

    wide, high = (max(rounded(min(a[i + 2], b[i + 2]) - max(a[i], b[i])), 0.0) for i in (0, 1))
    common = rounded(wide * high)
    union = rounded(rounded(area(a) + area(b)) - common)
    return float(union != 0 and rounded(common / union) >= 0.5)


sides = st.floats(0, 2, width=64) | st.integers(0, 20).map(lambda side: side / 100)


@pytest.mark.slow
@given(st.tuples(sides, sides, sides, sides), st.tuples(sides, sides, sides, sides))
def test_a_box_is_right_when_the_slow_float32_comparison_says_so(
    box: tuple[float, ...], corners: tuple[float, ...]
) -> None:
    (left, right), (top, bottom) = sorted(corners[::2]), sorted(corners[1::2])
    assume(left < right and top < bottom)
    gold = [left, top, right, bottom]
    for answer in (list(box), gold, [left, top, (left + right) / 2, bottom]):
        assert score("action_ground_bbox", answer, gold).value == hit_in_float32(answer, gold)


@pytest.mark.parametrize("response", ["", "the button", [10**400, 0, 10, 10]], ids=str)
def test_a_malformed_box_ends_nothing(response: Any) -> None:
    both = total("action_ground_bbox", [response, [0, 0, 10, 10]], [[0, 0, 10, 10]] * 2)
    assert both["accuracy"].as_published == both["accuracy"].value == 0.5


# ---- points


@pytest.mark.parametrize(
    ("response", "published"),
    [("", None), ([10, "a"], None), ([30.5, None], 0.5), ([10**400, 1], 0.5)],
)
@pytest.mark.parametrize("task", POINTS)
def test_a_point_that_cannot_be_compared_ends_the_run(
    task: str, response: Any, published: float | None
) -> None:
    both = total(task, [response, [20, 30]], [[10, 20, 30, 40]] * 2)["accuracy"]
    assert (both.value, both.as_published) == (0.5, published)


def test_the_tables_say_what_is_ours_and_what_the_key_is_called() -> None:
    for task in BOXES:
        assert "`precision`" in protocol_of(f"visualwebbench/{task}", "official").source
    for task in (*BOXES, *POINTS):
        assert "snellen's own" in protocol_of(f"visualwebbench/{task}", "official").special


def test_the_seven_tasks_have_lmms_evals_protocol() -> None:
    for task in (*ROUGE, *CHOICE, "webqa"):
        names = [protocol.id for protocol in PROTOCOLS[f"visualwebbench/{task}"]]
        assert names[0] == ("robust" if task in CHOICE else "official")
        assert "lmms-eval" in names


# ---- adapters

CAPTION = "Buy shoes: free delivery"
TAG = '<meta name="description" content="Buy shoes: free delivery">'
LEAD_IN = "Meta Description: Buy shoes: free delivery"
ADAPTERS = ("official", "official-gemini", "official-claude", "official-qwen")

# PROTOCOLS 1.1: what each adapter leaves of a response.
LEFT: list[tuple[str, str, tuple[str, ...]]] = [
    ("web_caption", TAG, (CAPTION, 'free delivery">', TAG, CAPTION)),
    ("web_caption", LEAD_IN, (LEAD_IN, CAPTION, LEAD_IN, LEAD_IN)),
    ("web_caption", 'Meta Description: "Shoes"', ('Meta Description: "Shoes"', "Shoes",
                                                  'Meta Description: "Shoes"',
                                                  'Meta Description: "Shoes"')),
    ("web_caption", CAPTION, (CAPTION, "free delivery", CAPTION, CAPTION)),
    ("heading_ocr", "Now: shoes", ("Now: shoes",) * 4),
    ("element_ocr", "The text is: 'Sign in'", ("Sign in",) * 4),
    ("element_ocr", "Open 10:30", ("30",) * 4),
    ("webqa", "10:30", ("10:30", "10:30", "10:30", "30")),
    ("webqa", 'Answer: "4.3"', ('Answer: "4.3"', 'Answer: "4.3"', 'Answer: "4.3"', "4.3")),
]  # fmt: skip


@pytest.mark.parametrize(("task", "response", "left"), LEFT)
def test_each_adapter_leaves_what_the_published_one_leaves(
    task: str, response: str, left: tuple[str, ...]
) -> None:
    for protocol, text in zip(ADAPTERS, left, strict=True):
        name = f"visualwebbench/{task}"
        assert read_response(protocol_of(name, protocol), response).answer == text


@pytest.mark.parametrize("task", [*ROUGE, "webqa", *CHOICE])
def test_the_seven_tasks_have_every_adapter_and_screensuite(task: str) -> None:
    names = [protocol.id for protocol in PROTOCOLS[f"visualwebbench/{task}"]]
    assert len(names) == len(set(names))
    assert {*ADAPTERS, "lmms-eval", "screensuite"} <= set(names)


@pytest.mark.parametrize("task", [*BOXES, *POINTS])
def test_no_adapter_was_published_for_boxes_and_points(task: str) -> None:
    names = [protocol.id for protocol in PROTOCOLS[f"visualwebbench/{task}"]]
    assert names == ["robust", "official", "unit", "pixels", "thousand"]


@pytest.mark.parametrize("task", CHOICE)
@pytest.mark.parametrize(("response", "letter"), LETTERS)
def test_adapters_that_cut_nothing_score_letters_as_official_does(
    task: str, response: str, letter: str | None
) -> None:
    same = ["official-gemini", "official-claude"]
    if task != "action_prediction":
        same += ["official-qwen", "screensuite"]
    for protocol in same:
        found = [score(task, response, index, protocol).value for index in range(9)]
        assert found == [float(letter == one) for one in OFFERED]


def test_what_is_said_to_score_as_official_does_has_all_its_parts() -> None:
    for task in (*ROUGE, "webqa", *CHOICE):
        official = protocol_of(f"visualwebbench/{task}", "official")
        for one in PROTOCOLS[f"visualwebbench/{task}"]:
            if one.special == "scores as official does":
                same = (one.parser, one.normalizer, one.metric, one.denominator)
                assert same == (
                    official.parser,
                    official.normalizer,
                    official.metric,
                    official.denominator,
                )


def test_the_qwen_adapter_raises_where_there_is_no_letter() -> None:
    # PROTOCOLS 1.1: response[0].upper().
    found = total("action_prediction", ["B", ""], [1, 1], "official-qwen")["accuracy"]
    assert (found.value, found.as_published) == (0.5, None)


def test_a_claude_caption_keeps_its_lead_in() -> None:
    # BENCHMARKS 2.6 (3): the cut is for a task that does not exist.
    values = {name: score("web_caption", LEAD_IN, CAPTION, name).value for name in ADAPTERS}
    assert values["official-gemini"] == ONE
    # 6 words against 4, all 4 of them common: 2 * (4/6) * 1 / (4/6 + 1).
    assert values["official-claude"] == pytest.approx(0.8, abs=1e-7)
    assert values["official"] == values["official-claude"]


@pytest.mark.parametrize("task", ROUGE)
def test_screensuite_scores_an_empty_reference_as_a_space(task: str) -> None:
    # ScreenSuite 0.0.1 perception/visualwebbench/utils.py with rouge 1.0.1: 1, 0 and 1, or 0.
    both = total(task, ["", "x y", "x y"], ["", "", "x y"], "screensuite")["rouge_mean"]
    assert both.as_published == both.value == pytest.approx((2 / 3 + 0 + ONE) / 3, abs=1e-6)
    assert score(task, "", "", "screensuite").metrics == pytest.approx(
        {"rouge_mean": 2 / 3, "rouge1": 1, "rouge2": 0, "rougeL": 1}, abs=1e-6
    )
    assert not score(task, "x y", "", "screensuite").crashed
    assert score(task, "x y", "...", "screensuite").crashed
    for protocol in ("official", "lmms-eval"):
        assert score(task, "x y", "", protocol).crashed


def test_screensuite_drops_failed_responses_and_keeps_the_published_crashes() -> None:
    gold = "Buy shoes"
    failed = total("heading_ocr", [gold, None], [gold, gold], "screensuite")["rouge_mean"]
    assert (failed.value, failed.as_published) == (ONE / 2, ONE)
    assert (
        total("heading_ocr", [gold, ".."], [gold] * 2, "screensuite")["rouge_mean"].as_published
        is None
    )
    qa = total("webqa", ["Paris", None, "..", "no"], [["Paris"]] * 4, "screensuite")["f1"]
    assert qa.as_published == pytest.approx(ONE / 2, abs=1e-12)
    assert qa.value == pytest.approx(ONE / 4, abs=1e-12)
    letters = total("element_ground", ["B", None], [1, 1], "screensuite")["accuracy"]
    assert (letters.value, letters.as_published) == (0.5, 1.0)


def test_protocols_of_adapters_name_the_published_file() -> None:
    for task in (*ROUGE, "webqa", *CHOICE):
        for name in ADAPTERS[1:]:
            source = protocol_of(f"visualwebbench/{task}", name).source
            assert f"model_adapters/{name.removeprefix('official-')}" in source
