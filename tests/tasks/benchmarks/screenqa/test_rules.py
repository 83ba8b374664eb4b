"""ScreenQA's protocols, each rule of their reference sheet through the public door."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from snellen.grading.grade import Answers, Grader
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.grading.tally import Tally

pytestmark = pytest.mark.compat

NO_ANSWER = "<no answer>"


def score(task: str, response: Any, reference: Any, protocol: str | None = None) -> Score:
    name = f"screenqa/{task}"
    return score_one(protocol_of(name, protocol), response, gold_shape(name).read(reference))


def total(
    task: str, responses: Sequence[Any], references: Sequence[Any], protocol: str | None = None
) -> dict[str, MetricValue]:
    name = f"screenqa/{task}"
    chosen = protocol_of(name, protocol)
    golds = [gold_shape(name).read(reference) for reference in references]
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally = Tally(chosen, golds)
    tally.add(answers, Grader.of(chosen, golds).batch(answers))
    return dict(tally.metrics(1))


# ---- short answers

# BENCHMARKS 2.4, the SQuAD column, and whether the normalized texts are equal.
SQUAD = [
    ("the cat sat", "the cat sat", 1, 1),
    ("The cat sat", "the cat sat", 1, 1),
    ("cat", "the cat", 1, 1),
    ("4.3 stars", "4.3", 0, 2 / 3),
    ("3.4", "4.3", 0, 0),
    ("$4", "4", 1, 1),
    ("yes", "Yes", 1, 1),
    ("Yes, it is", "Yes", 0, 0.5),
    ("a a a b", "a b", 1, 1),
    ("the the the the", "the cat", 0, 0),
    ("1,000", "1000", 1, 1),
    ("hello world", "world hello", 0, 1),
    ("a. b. c", "c. b. a", 0, 1),
    ("buy now. buy now", "buy now", 0, 2 / 3),
    ("U.S. dollar", "US dollar", 1, 1),
    ("中文测试", "中文测试", 1, 1),
    (" ", "Hello world. ", 0, 0),
]


@pytest.mark.parametrize("protocol", ["official", "screensuite", "robust"])
@pytest.mark.parametrize("task", ["short", "complex"])
@pytest.mark.parametrize(("prediction", "reference", "exact", "f1"), SQUAD)
def test_short_answers_compare_as_squad_does(
    task: str, prediction: str, reference: str, exact: float, f1: float, protocol: str
) -> None:
    found = score(task, prediction, ["unlike", reference], protocol)
    assert found.metrics == {"exact_match": exact, "f1": pytest.approx(f1, abs=1e-12)}
    assert found.value == found.metrics["f1"]


# BENCHMARKS 3.3: prediction, references, (exact match, F1).
NO_ANSWERS = [
    (NO_ANSWER, ["REST", NO_ANSWER], (1, 1)),
    (NO_ANSWER, ["REST"], (0, 0)),
    ("REST", [NO_ANSWER], (0, 0)),
    ("no answer", [NO_ANSWER], (0, 0)),
    ("answer", ["REST", NO_ANSWER], (0, 0)),
    ("<No answer>", [NO_ANSWER], (0, 0)),
    ("<No answer>", ["no answer"], (1, 1)),
    (f" {NO_ANSWER}", [NO_ANSWER], (0, 0)),
    # Texts that normalize to nothing.
    ("A", ["A"], (1, 0)),
    ("the", ["a"], (1, 0)),
    ("$", ["+"], (1, 0)),
    ("", ["$"], (1, 0)),
    ("x", ["$"], (0, 0)),
]


@pytest.mark.parametrize(("prediction", "references", "values"), NO_ANSWERS)
def test_official_takes_no_answer_literally_and_leaves_empty_forms_alone(
    prediction: str, references: list[str], values: tuple[float, float]
) -> None:
    assert tuple(score("short", prediction, references).metrics.values()) == values


@pytest.mark.parametrize(
    ("prediction", "references", "values"),
    [
        ("<No answer>", [NO_ANSWER], (1, 1)),
        ("No answer.", ["REST", NO_ANSWER], (1, 1)),
        ("no_answer", ["REST"], (0, 0)),
        ("A", ["A"], (1, 1)),
        ("$", ["+"], (0, 0)),
        ("the", ["a"], (0, 0)),
        ("", ["$"], (0, 0)),
    ],
)
def test_robust_reads_every_spelling_and_compares_empty_forms_as_they_are(
    prediction: str, references: list[str], values: tuple[float, float]
) -> None:
    assert tuple(score("short", prediction, references, "robust").metrics.values()) == values


def test_two_other_f1s_have_a_protocol_each() -> None:
    # PROTOCOLS 2: sets of words and marks; sets of characters over lengths.
    assert score("short", "a a b", ["a b"], "multiui").metrics == {"f1": 1.0}
    assert score("short", "listen", ["silent"], "charset").metrics == {"f1": 1.0}
    assert score("short", "book", ["book"], "charset").metrics == {"f1": 0.75}


def test_only_screensuite_leaves_failures_out_of_the_mean() -> None:
    given = total("short", ["a b", None], [["a b"], ["c"]], "screensuite")["f1"]
    assert (given.value, given.as_published) == (0.5, 1.0)
    given = total("short", ["a b", None], [["a b"], ["c"]])["f1"]
    assert (given.value, given.as_published) == (0.5, 0.5)


# ---- full sentences

# BENCHMARKS 2.4, the columns of rouge-score.
ROUGE = [
    ("the cat sat", "the cat sat", (1, 1, 1)),
    ("The cat sat", "the cat sat", (1, 1, 1)),
    ("cat", "the cat", (0.6667, 0, 0.6667)),
    ("4.3 stars", "4.3", (0.8, 0.6667, 0.8)),
    ("3.4", "4.3", (1, 0, 0.5)),
    ("$4", "4", (1, 0, 1)),
    ("yes", "Yes", (1, 0, 1)),
    ("Yes, it is", "Yes", (0.5, 0, 0.5)),
    ("a a a b", "a b", (0.6667, 0.5, 0.6667)),
    ("the the the the", "the cat", (0.3333, 0, 0.3333)),
    ("1,000", "1000", (0, 0, 0)),
    ("hello world", "world hello", (1, 0, 0.5)),
    ("a. b. c", "c. b. a", (1, 0, 0.3333)),
    ("buy now. buy now", "buy now", (0.6667, 0.5, 0.6667)),
    ("U.S. dollar", "US dollar", (0.4, 0, 0.4)),
    ("中文测试", "中文测试", (0, 0, 0)),
    (" ", "Hello world. ", (0, 0, 0)),
]


@pytest.mark.parametrize("protocol", ["official", "robust"])
@pytest.mark.parametrize(("prediction", "reference", "columns"), ROUGE)
def test_full_sentences_are_scored_by_rouge_score(
    prediction: str, reference: str, columns: tuple[float, ...], protocol: str
) -> None:
    found = score("long", prediction, [reference], protocol)
    assert tuple(found.metrics.values()) == pytest.approx(columns, abs=5e-5)
    assert found.value == found.metrics["rougeL"]


def test_stems_are_compared_under_their_own_name() -> None:
    # PROTOCOLS 1.1.
    assert score("long", "running dogs", ["run dog"]).value == 0
    assert score("long", "running dogs", ["run dog"], "stemmed").value == 1


@pytest.mark.parametrize(
    ("prediction", "references", "value"),
    [
        ("No answer here", [NO_ANSWER, "It is blue"], 0),
        ("There is no answer here", [NO_ANSWER], 0),
        ("No answer", [NO_ANSWER], 1),
        ("No answer", [NO_ANSWER, "It is blue"], 1),
        ("No answer", ["It is blue"], 0),
        ("It is blue", [NO_ANSWER, "It is blue"], 1),
        ("It is blue", [NO_ANSWER], 0),
    ],
)
def test_robust_gives_no_credit_for_the_words_of_no_answer(
    prediction: str, references: list[str], value: float
) -> None:
    found = score("long", prediction, references, "robust")
    assert tuple(found.metrics.values()) == (value, value if value == 0 else 1, value)


def test_robust_compares_other_answers_with_the_other_references() -> None:
    said = "There is no answer here"
    mixed = score("long", said, [NO_ANSWER, "It is blue"], "robust").metrics
    assert mixed == score("long", said, ["It is blue"]).metrics
    assert mixed != score("long", said, [NO_ANSWER, "It is blue"]).metrics


# ---- UI contents

# BENCHMARKS 3.3: prediction, raters' lists, (exact match, F1).
CONTENTS: list[tuple[list[str], list[list[str]], tuple[float, float]]] = [
    ([], [["a"], []], (1, 1)),
    ([], [["a"]], (0, 0)),
    (["a"], [[], []], (0, 0)),
    (["b", "a"], [["a", "b"]], (0, 1)),
    (["1"], [["1", "1"]], (0, 2 / 3)),
    (["A"], [["a"]], (0, 0)),
    (["a", "b"], [["a"], ["a", "b"]], (1, 1)),
]


@pytest.mark.parametrize(("prediction", "raters", "values"), CONTENTS)
def test_ui_texts_compare_in_order_and_letter_by_letter(
    prediction: list[str], raters: list[list[str]], values: tuple[float, float]
) -> None:
    found = score("ui_contents", prediction, raters)
    assert tuple(found.metrics.values()) == pytest.approx(values, abs=1e-12)
    assert score("ui_contents", repr(prediction), raters).metrics == found.metrics


def test_robust_ignores_order_and_case_of_ui_texts() -> None:
    found = score("ui_contents", [" B", "a"], [["A", "b"]], "robust")
    assert found.metrics == {"exact_match": 1.0, "f1": 1.0}


@pytest.mark.parametrize("task", ["ui_contents", "ui_contents_boxes"])
def test_an_empty_text_holds_no_list_and_is_not_the_empty_list(task: str) -> None:
    found = score(task, "", [[]])
    assert (found.outcome, found.value) == (Outcome.EMPTY, 0.0)
    assert score(task, "[]", [[]]).value == 1
    for protocol in ("official", "robust"):
        assert "snellen's own" in protocol_of("screenqa/ui_contents").special
        assert score(task, {"texts": []}, [[]], protocol).outcome is Outcome.UNPARSED


# ---- UI contents with boxes

OK: list[Any] = [[0, 0, 10, 10], "OK"]


def boxed(*elements: tuple[tuple[float, float, float, float], str]) -> list[Any]:
    return [[list(box), text] for box, text in elements]


# BENCHMARKS 3.3, y from 0 to 10, the same text everywhere.
PREDICTIONS = boxed(((0, 0, 13, 10), "x"), ((-8, 0, 2.9, 10), "x"))
REFERENCES = boxed(((0, 0, 10, 10), "x"), ((10, 0, 20, 10), "x"))


def test_boxes_are_matched_by_the_sum_of_iou_or_by_their_number() -> None:
    task = "ui_contents_boxes"
    assert score(task, PREDICTIONS, [REFERENCES]).metrics["f1"] == 0.5
    assert score(task, PREDICTIONS, [REFERENCES], "robust").metrics["f1"] == 1.0


# Prediction, raters' lists, (box F1, exact match, F1).
BOXED: list[tuple[list[Any], list[list[Any]], tuple[float, float, float]]] = [
    ([], [[OK], []], (1, 1, 1)),
    ([], [[OK]], (0, 0, 0)),
    ([OK], [[], []], (0, 0, 0)),
    ([OK], [[OK]], (1, 1, 1)),
    # The box F1 ignores the text, and case counts.
    ([[[0, 0, 10, 10], "ok"]], [[OK]], (1, 0, 0)),
    # IoU of exactly 0.1 counts.
    ([[[0, 0, 1, 10], "OK"]], [[OK]], (1, 1, 1)),
    ([[[0, 0, 0.9, 10], "OK"]], [[OK]], (0, 0, 0)),
    # Zero-area boxes match nothing, not even themselves.
    ([[[5, 5, 5, 9], "OK"]], [[[[5, 5, 5, 9], "OK"]]], (0, 0, 0)),
    # Exact match is by place.
    (REFERENCES[::-1], [REFERENCES], (1, 0, 1)),
    # Each metric has its own best rater.
    ([OK], [[OK, [[50, 50, 60, 60], "b"]], [[[0, 0, 10, 10], "no"]]], (1, 0, 2 / 3)),
]


@pytest.mark.parametrize(("prediction", "raters", "values"), BOXED)
def test_boxed_texts_follow_the_published_rules(
    prediction: list[Any], raters: list[list[Any]], values: tuple[float, float, float]
) -> None:
    found = score("ui_contents_boxes", prediction, raters)
    assert list(found.metrics) == ["bbox_f1", "exact_match", "f1"]
    assert tuple(found.metrics.values()) == pytest.approx(values, abs=1e-12)


def test_robust_ignores_the_order_of_boxed_texts() -> None:
    found = score("ui_contents_boxes", REFERENCES[::-1], [REFERENCES], "robust")
    assert found.metrics == {"bbox_f1": 1.0, "exact_match": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("response", "note"),
    [
        ([[[0, 0, 10], "OK"]], "expected a list of [[left, top, right, bottom], text]; "),
        ([[[0, 0, 10**400, 10], "OK"]], "expected a list of [[left, top, right, bottom], text]; "),
        ("no boxes", "no list of boxes with texts in it"),
    ],
)
def test_a_box_that_is_none_makes_the_response_unparsed(response: Any, note: str) -> None:
    found = score("ui_contents_boxes", response, [[OK]])
    assert (found.outcome, found.value) == (Outcome.UNPARSED, 0.0)
    assert found.note.startswith(note)


# By hand: one of two predicted boxes matches the one box of the reference. Precision 1/2, recall 1.
@pytest.mark.parametrize("box", [[10, 0, 0, 10], [0, 10, 10, 0], [10, 10, 0, 0]])
@pytest.mark.parametrize("protocol", ["official", "robust"])
def test_a_box_that_is_none_matches_nothing_and_the_others_count(
    box: list[float], protocol: str
) -> None:
    found = score("ui_contents_boxes", [OK, [box, "b"]], [[OK]], protocol)
    assert found.outcome is Outcome.ANSWERED
    assert tuple(found.metrics.values()) == pytest.approx((2 / 3, 0, 2 / 3))
    assert found.note.startswith("element 1 can match nothing: a box ")


def test_a_text_with_an_inverted_box_is_read() -> None:
    found = score("ui_contents_boxes", '[[[0, 10, 10, 0], "OK"]]', [[OK]])
    assert (found.outcome, found.value) == (Outcome.ANSWERED, 0.0)
    assert "inverted" in found.note


@pytest.mark.parametrize("protocol", ["official", "robust"])
def test_no_box_is_so_large_that_it_ends_a_grade(protocol: str) -> None:
    found = score("ui_contents_boxes", [[[0, 0, 1e200, 1e200], "OK"]], [[OK]], protocol)
    assert (found.outcome, found.value) == (Outcome.ANSWERED, 0.0)
