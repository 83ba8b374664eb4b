"""WebRSSBench's protocols, the decisions of appendix C.4 through the public door."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.metrics.similarity import CharNgramEmbedder
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome, Score
from snellen.grading.protocols.base import NO_CONTEXT, Context
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.score_table import score_one
from snellen.grading.tally import Tally
from snellen.tasks.benchmarks.webrssbench.rules import with_embedder

TASKS = [task for task in PROTOCOLS if task.startswith("webrssbench/")]


def score(task: str, response: Any, reference: Any) -> Score:
    shape = gold_shape(f"webrssbench/{task}")
    gold = shape.read(reference)
    return score_one(protocol_of(f"webrssbench/{task}"), response, gold, shape.context(gold))


def total(task: str, responses: Sequence[Any], references: Sequence[Any]) -> MetricValue:
    name = f"webrssbench/{task}"
    chosen, shape = protocol_of(name), gold_shape(name)
    golds = [shape.read(reference) for reference in references]
    answers = Answers(np.arange(len(responses)), [0] * len(responses), responses)
    tally = Tally(chosen, golds)
    contexts = [shape.context(gold) for gold in golds]
    tally.add(answers, Grader.of(chosen, golds, contexts).batch(answers))
    return tally.metrics(1)[chosen.metric.primary]


# ---- T1 position

SIX = {
    "crop_1|crop_2": "left",
    "crop_1|crop_3": "top-left",
    "crop_1|crop_10": "top",
    "crop_2|crop_3": "bottom",
    "crop_10|crop_2": "contain",
    "crop_10|crop_3": "overlap",
}
LINES = ["{} is at the [{}] of {}".format(*pair.replace("|", f"|{way}|").split("|"))
         for pair, way in SIX.items()]  # fmt: skip


def test_a_page_is_right_when_all_its_pairs_are() -> None:
    assert score("position", "\n".join(LINES), SIX).metrics == {"accuracy": 1.0, "exact_match": 1.0}
    most = score("position", "\n".join(LINES[:5]), SIX).metrics
    assert most == {"accuracy": pytest.approx(5 / 6), "exact_match": 0.0}


def test_the_first_line_of_a_pair_counts_and_strange_regions_do_not() -> None:
    gold = {"crop_1|crop_2": "left"}
    lines = "crop_1 is at the [left] of crop_9\n{}\n{}"
    left, right = ("crop_1 is at the [left] of crop_2", "crop_1 is at the [right] of crop_2")
    assert score("position", lines.format(left, right), gold).value == 1
    assert score("position", lines.format(right, left), gold).value == 0


def test_contain_and_inside_are_one() -> None:
    assert score("position", "a is at the [inside] of b", {"a|b": "contain"}).value == 1


@pytest.mark.parametrize("response", ["nowhere to be seen", 7, ["left"]])
def test_a_page_without_a_line_is_unparsed_and_counts(response: Any) -> None:
    found = score("position", response, SIX)
    assert (found.outcome, found.value) == (Outcome.UNPARSED, 0.0)
    both = total("position", [response, "\n".join(LINES)], [SIX, SIX])
    assert both.value == both.as_published == 0.5


# ---- T2 UI grouping


def test_a_text_without_a_group_is_unparsed() -> None:
    found = score("ui_grouping", "somewhere", "top")
    assert (found.outcome, found.note) == (Outcome.UNPARSED, "no class in it")


# ---- T3, T4, T6, T7: similarity


def test_hints_lose_their_quotes_and_their_lead_in() -> None:
    said = 'Placeholder: "Enter your e-mail"'
    assert score("hint_text", said, "Enter your e-mail").value == pytest.approx(1, abs=1e-12)
    assert score("form_filling", said, "Enter your e-mail").value < 1


def test_a_models_other_answers_do_not_move_a_layout_score() -> None:
    references = ["an online shop for shoes", "a page of local news"]
    alone = total("layout", ["a shop for shoes", None], references)
    assert alone.value_answered == pytest.approx(
        total("layout", ["a shop for shoes", "shoes shoes"], references).value * 2
    )


def test_two_empty_texts_are_not_alike() -> None:
    assert total("layout", ["", ""], ["", "an online shop"]).value == 0


def test_another_embedder_can_take_the_place_of_ours() -> None:
    trigrams = CharNgramEmbedder(n=(3, 3))
    default = protocol_of("webrssbench/text")
    assert with_embedder(default, trigrams).metric.embedder == trigrams.name
    assert default.metric.embedder == CharNgramEmbedder().name
    with pytest.raises(MetricError, match="protocol paper of webrssbench/color uses no embedder"):
        with_embedder(protocol_of("webrssbench/color"), trigrams)


# ---- T5 color, T8 safety


def test_sorry_is_a_miss_where_every_page_has_a_dangerous_button() -> None:
    assert score("safety", "sorry", "Delete account").value == 0
    found = total("safety", ["Delete account", "sorry", "Save"], ["Delete account"] * 3)
    assert found.value == found.as_published == pytest.approx(1 / 3)


@pytest.mark.parametrize("task", TASKS)
def test_a_response_of_another_type_is_unparsed(task: str) -> None:
    parsed = protocol_of(task).parser.read(3, NO_CONTEXT)
    assert (parsed.outcome, parsed.note) == (Outcome.UNPARSED, "expected text, got int")


def test_recall_is_not_defined_on_a_page_without_a_dangerous_button() -> None:
    message = "1 of 2 references say 'sorry': take protocol='robust'"
    with pytest.raises(MetricError, match=message):
        total("safety", ["sorry", "Save"], ["Sorry", "Delete account"])


# ---- robust


def robust(task: str, response: Any, reference: Any) -> Score:
    shape = gold_shape(f"webrssbench/{task}")
    gold = shape.read(reference)
    protocol = protocol_of(f"webrssbench/{task}", "robust")
    return score_one(protocol, response, gold, shape.context(gold))


def test_robust_recall_is_over_the_pages_with_a_dangerous_button() -> None:
    name = "webrssbench/safety"
    chosen = protocol_of(name, "robust")
    golds = [["Delete"], ["Reset", "Wipe"], ["Pay"], ["sorry"], ["sorry"]]
    responses = ["Delete", "the Wipe button", "sorry", "sorry", "Delete"]
    answers = Answers(np.arange(5), [0] * 5, responses)
    tally = Tally(chosen, golds)
    tally.add(answers, Grader.of(chosen, golds, []).batch(answers))
    found = tally.metrics(1)
    assert found["accuracy"].value == 3 / 5
    assert found["recall"].value == pytest.approx(2 / 3)


def test_without_positive_pages_there_is_no_recall() -> None:
    chosen = protocol_of("webrssbench/safety", "robust")
    answers = Answers(np.arange(1), [0], ["sorry"])
    tally = Tally(chosen, [["sorry"]])
    tally.add(answers, Grader.of(chosen, [["sorry"]], []).batch(answers))
    assert tally.metrics(1).keys() == {"accuracy"}


def test_the_last_line_of_a_pair_counts_after_thinking_aloud() -> None:
    gold = {"crop_1|crop_2": "left"}
    thinking = "crop_1 is at the [top] of crop_2?\nNo.\ncrop_1 is at the [left] of crop_2"
    assert robust("position", thinking, gold).value == 1
    assert score("position", thinking, gold).value == 0


def test_relations_are_read_from_json_as_well() -> None:
    gold = {"crop_1|crop_2": "top-left", "crop_1|crop_3": "contain"}
    assert robust("position", {"crop_1|crop_2": "top left", "crop_3|crop_1": "inside"}, gold).value
    assert score("position", gold, gold).outcome is Outcome.UNPARSED
    for strange in (7, [["crop_1", "left"]], {}, {"crop_1": "left"}):
        assert robust("position", strange, gold).outcome is Outcome.UNPARSED


def test_the_class_after_the_answer_counts() -> None:
    said = "Answer: top bar\nIt is not far from the left sidebar, which I ruled out."
    assert robust("ui_grouping", said, "top").value == 1
    assert score("ui_grouping", said, "top").value == 0


@pytest.mark.parametrize("task", TASKS)
@given(response=st.one_of(st.text(), st.integers(), st.dictionaries(st.text(), st.text())))
def test_no_response_makes_a_robust_parser_raise(task: str, response: Any) -> None:
    context = Context(names=("crop_1", "crop_2"))
    protocol_of(task, "robust").parser.read(response, context)
