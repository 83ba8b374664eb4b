"""Adding up: fixed denominators, what published code drops, corpus metrics."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.grade import CODES, Answers, Columns, Grader
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.metrics.eqa import eqa
from snellen.grading.models.reports import MetricValue
from snellen.grading.models.scores import Outcome
from snellen.grading.protocols.base import STOP_ON_CRASH, Denominator, Gold, Protocol
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally

Responses = list[list[object]]
"""What was said in each attempt, item by item."""


def tally_of(chosen: Protocol, golds: list[Gold], said: Responses, pass_mark: float = 1.0) -> Tally:
    read = [gold_shape(chosen.task).read(gold) for gold in golds]
    tally = Tally(chosen, read, pass_mark)
    grader = Grader.of(chosen, read)
    for attempt, responses in enumerate(said):
        errors = ["gone" if response is None else None for response in responses]
        items = np.arange(len(responses), dtype=np.int64)
        answers = Answers(items, [attempt] * len(responses), responses, errors)
        tally.add(answers, grader.batch(answers))
    return tally


def total(
    task: str, golds: list[Gold], responses: list[object], protocol: str | None = None
) -> dict[str, MetricValue]:
    return tally_of(protocol_of(task, protocol), golds, [responses]).metrics(1)


@pytest.mark.parametrize("protocol", ["robust", "pixels"])
def test_points_have_a_distance_in_pixels_beside_their_score(protocol: str) -> None:
    target = {"bbox": [100, 100, 300, 200], "image_size": [1000, 800]}
    said: list[object] = ["(200, 150)", "(203, 154)", "(900, 750)", "nowhere", None]
    found = tally_of(protocol_of("showdown/clicks", protocol), [target] * 5, [said]).measures()
    away = np.linalg.norm(np.array([(0, 0), (3, 4), (700, 600)]), axis=1)
    one = found["distance"]
    assert (one.unit, one.better, one.answers) == ("px", "lower", 3)
    assert (one.mean, one.median) == (pytest.approx(away.mean()), np.median(away))


def test_a_point_in_fractions_is_measured_on_its_image() -> None:
    (task, inside) = ("screenspot-v2/point", [0.1, 0.1, 0.3, 0.3])
    (known, unknown) = (
        tally_of(protocol_of(task, "unit"), [gold], [["(0.5, 0.2)"]]).measures()
        for gold in ({"bbox": inside, "image_size": [1000, 500]}, {"bbox": inside})
    )
    assert known["distance"].mean == pytest.approx(300)
    assert unknown == {}


def test_what_has_no_target_has_no_distance() -> None:
    size = {"image_size": [1000, 500]}
    golds: list[Gold] = [
        {"bbox": [0, 0, 0, 0], "refused": True, **size},
        {"bbox": [100, 100, 200, 200], **size},
        {"bbox": [100, 100, 200, 200], **size},
    ]
    said: list[object] = ["(700, 300)", "(-1, -1)", "(150, 180)"]
    found = tally_of(protocol_of("osworld-g/original", "official"), golds, [said]).measures()
    assert (found["distance"].answers, found["distance"].mean) == (1, 30)


def test_episodes_say_what_they_took() -> None:
    records: list[object] = [
        {"status": "done", "cost": 4, "seconds": 10.5},
        {"status": "done", "cost": 9},
        {"status": "done"},
    ]
    found = tally_of(protocol_of("desk/l3"), [{"limit": 20}] * 3, [records]).measures()
    assert (found["steps"].mean, found["steps"].answers) == (6.5, 2)
    assert (found["seconds"].mean, found["seconds"].unit, found["seconds"].answers) == (
        10.5,
        "s",
        1,
    )
    assert "image_tokens" not in found


def column(values: list[float], *, start: int = 0) -> tuple[Answers, Columns]:
    """A batch of F1 values of answered items."""
    size = len(values)
    answers = Answers(np.arange(start, start + size), [0] * size, [""] * size)
    columns = Columns(
        np.column_stack((np.zeros(size), values)),
        np.full(size, CODES[Outcome.ANSWERED], dtype=np.uint8),
        np.zeros(size, dtype=np.bool_),
        {},
    )
    return answers, columns


def test_webqa_drops_the_items_that_raise_and_keeps_them_in_value() -> None:
    # BENCHMARKS 2.5: ["Paris", ".", ".."] against Paris, London, Rome gives 99.9999995, not 33.3.
    found = total("visualwebbench/webqa", [["Paris"], ["London"], ["Rome"]], ["Paris", ".", ".."])[
        "f1"
    ]
    assert found.as_published == pytest.approx(0.999999995, abs=1e-12)
    assert found.value == pytest.approx(0.999999995 / 3, abs=1e-12)


def test_webqa_has_no_published_number_when_every_item_raises() -> None:
    found = total("visualwebbench/webqa", [["Paris"], ["London"]], [".", ".."])["f1"]
    assert found.as_published is None
    assert found.value == 0


def test_one_caption_of_dots_leaves_no_published_number_at_all() -> None:
    found = total("visualwebbench/web_caption", ["Buy shoes", "Read news"], ["Buy shoes", "..."])
    assert found["rougeL"].as_published is None
    assert found["rougeL"].value == pytest.approx(0.999999995 / 2, abs=1e-12)


def test_screensuite_leaves_failed_responses_out_of_its_mean() -> None:
    found = total("screenqa/short", [["a b"], ["c"]], ["a b", None], "screensuite")["f1"]
    assert (found.as_published, found.value, found.value_answered) == (1.0, 0.5, 1.0)
    official = total("screenqa/short", [["a b"], ["c"]], ["a b", None])["f1"]
    assert official.as_published == 0.5


def test_eqa_is_over_the_data_in_order_and_no_mean_over_items() -> None:
    # BENCHMARKS 5.3, V6: S5 F15 S3 S10 of at most 15.
    runs = [(1, 5), (0, 15), (1, 3), (1, 10)]
    responses: list[object] = [{"success": s, "cost": t} for s, t in runs]
    golds: list[Gold] = [{"limit": 15}] * 4
    for protocol, expected in {
        "paper": 50 / 101,
        "exact": 119 / 240,
        "half_open": 199 / 404,
    }.items():
        found = total("mmbench-gui/l3", golds, responses, protocol)
        assert found["eqa"].value == pytest.approx(expected, abs=1e-15)
        assert found["sr"].value == 0.75


def test_a_missing_episode_failed_and_used_up_its_limit() -> None:
    golds: list[Gold] = [{"limit": 15}, {"limit": 15}]
    found = total("mmbench-gui/l3", golds, [{"success": 1, "cost": 5}, None])["eqa"]
    assert found.value == eqa([Episode(1, 5), Episode(0, 15)], 15)
    assert found.value_answered == eqa([Episode(1, 5)], 15)


def test_an_unparsed_episode_is_answered_and_used_up_its_limit() -> None:
    golds: list[Gold] = [{"limit": 15}] * 3
    found = total("mmbench-gui/l3", golds, [{"success": 1, "cost": 5}, "I did it", None])
    failed = Episode(0, 15)
    assert found["sr"].value_answered == 1 / 2
    assert found["eqa"].value_answered == eqa([Episode(1, 5), failed], 15)
    assert found["eqa"].value == eqa([Episode(1, 5), failed, failed], 15)
    assert found["eqa"].as_published == found["eqa"].value


@pytest.mark.parametrize("said", [[], [[]], [[None, None]]])
def test_eqa_stands_in_a_report_without_any_answer(said: Responses) -> None:
    golds: list[Gold] = [{"limit": 15}, {"limit": 15}]
    found = tally_of(protocol_of("mmbench-gui/l3"), golds, said).metrics(1)
    assert found["eqa"] == MetricValue(value=0, value_answered=None, as_published=0)


def test_eqa_is_the_mean_over_all_attempts_even_those_without_an_answer() -> None:
    golds: list[Gold] = [{"limit": 10}, {"limit": 10}]
    said: Responses = [
        [{"success": 1, "cost": 4}, {"success": 1, "cost": 4}],
        [{"success": 1, "cost": 4}],
    ]
    tally = tally_of(protocol_of("mmbench-gui/l3", "exact"), golds, said)
    # u = 4/20 and 8/20, then 4/20 alone; a third attempt has no row at all.
    first, second = (16 / 20 + 12 / 20) / 2, (16 / 20) / 2
    found = tally.metrics(3)["eqa"]
    assert found.value == pytest.approx((first + second) / 3, abs=1e-15)
    assert found.value_answered == pytest.approx((first + (1 - 4 / 10)) / 2, abs=1e-15)
    with pytest.raises(MetricError, match="answers of 2 attempts were added, not of 1"):
        tally_of(protocol_of("mmbench-gui/l3"), golds, [said[1], said[1]]).metrics(1)


def test_eqa_without_a_limit_is_left_out_and_sr_stays() -> None:
    found = total("mmbench-gui/l4", [None, None], [{"success": 1, "cost": 5}, None])
    assert found.keys() == {"sr"}
    assert found["sr"].value == 1 / 2


def test_eqa_is_left_out_where_one_attempt_leaves_it_undefined() -> None:
    said: Responses = [[{"success": 1, "cost": 5, "limit": 15}], [{"success": 1, "cost": 5}]]
    tally = tally_of(protocol_of("mmbench-gui/l4"), [None], said)
    assert tally.metrics(2).keys() == {"sr"}


def test_the_published_eqa_is_over_what_the_denominator_keeps() -> None:
    golds: list[Gold] = [{"limit": 15}] * 3
    said: list[object] = [{"success": 1, "cost": 5}, "?", None]
    chosen = protocol_of("mmbench-gui/l3")
    drops = replace(chosen, denominator=Denominator("x", frozenset(Outcome) - {Outcome.ANSWERED}))
    found = tally_of(drops, golds, [said]).metrics(1)["eqa"]
    assert found.as_published == eqa([Episode(1, 5)], 15)
    assert found.value == eqa([Episode(1, 5), Episode(0, 15), Episode(0, 15)], 15)
    nothing = tally_of(drops, golds, [[None] * 3]).metrics(1)["eqa"]
    assert (nothing.as_published, nothing.value) == (None, 0)


def test_a_run_that_stops_prints_no_eqa_either() -> None:
    chosen = replace(protocol_of("mmbench-gui/l3"), denominator=STOP_ON_CRASH)
    golds: list[Gold] = [gold_shape(chosen.task).read({"limit": 15})]
    answers = Answers(np.array([0]), [0], [{"success": 1, "cost": 5}])
    columns = Grader.of(chosen, golds).batch(answers)
    tally = Tally(chosen, golds)
    tally.add(answers, columns._replace(crashed=np.array([True])))
    found = tally.metrics(1)
    assert found["eqa"].as_published is None
    assert found["sr"].as_published is None
    assert found["eqa"].value == eqa([Episode(1, 5)], 15)


def test_a_perfect_answer_passes_although_the_published_rouge_keeps_it_below_one() -> None:
    # A perfect caption scores 0.999999995 with rouge 1.0.1.
    chosen = protocol_of("visualwebbench/web_caption")
    said: Responses = [["Buy shoes", "Read news"], ["Buy shoes", "Sell news"]]
    tally = tally_of(chosen, ["Buy shoes", "Read news"], said)
    assert tally.passes(2) == ({1: 0.75, 2: 1.0}, {1: 0.75, 2: 0.5})


def test_the_pass_mark_is_a_share_of_the_best() -> None:
    said: Responses = [["a b c d", "a"], ["a b", "c"]]
    tally = tally_of(protocol_of("screenqa/short"), [["w x y z c d"], ["c"]], said, pass_mark=0.5)
    assert tally.passes(2)[0] == {1: 0.25, 2: 0.5}


def test_more_answers_than_items_times_attempts_are_refused() -> None:
    tally = tally_of(protocol_of("screenqa/short"), [["a"], ["b"]], [["a", "b"], ["a", "b"]])
    assert tally.outcomes(3)[Outcome.MISSING] == 2
    with pytest.raises(MetricError, match="4 answers were added, more than 2 items x 1 attempts"):
        tally.outcomes(1)
    with pytest.raises(MetricError, match="came twice"):
        tally.metrics(1)


def test_no_items_and_no_attempts_are_refused() -> None:
    with pytest.raises(MetricError, match="no items"):
        Tally(protocol_of("screenqa/short"), [])
    with pytest.raises(MetricError, match="no attempts"):
        Tally(protocol_of("screenqa/short"), [["a"]]).metrics(0)


def test_a_value_that_is_no_number_is_refused() -> None:
    tally = Tally(protocol_of("screenqa/short"), [["a"]])
    with pytest.raises(MetricError, match="official@1 returned a value that is not a number"):
        tally.add(*column([math.nan]))


@given(
    values=st.lists(st.floats(0, 1), min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=4),
)
def test_neither_batches_nor_order_show_in_a_mean(values: list[float], cuts: list[int]) -> None:
    # Second witness: the sum in fractions, rounded once.
    exact = float(sum(map(Fraction, values))) / len(values)
    ordered = sorted(values, reverse=True)
    for given_order in (values, ordered):
        tally = Tally(protocol_of("screenqa/short"), [["a"]] * len(values))
        edges = sorted({0, *(min(cut, len(values)) for cut in cuts), len(values)})
        for start, end in pairwise(edges):
            tally.add(*column(given_order[start:end], start=start))
        found = tally.metrics(1)["f1"]
        assert found.value == found.as_published == exact
