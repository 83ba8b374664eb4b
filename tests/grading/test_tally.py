"""Adding up: fixed denominators, what published code drops, corpus metrics."""

import numpy as np
import pytest

from snellen.grading.errors import MetricError
from snellen.grading.grade import Answers, Grader
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.metrics.eqa import eqa
from snellen.grading.models.reports import MetricValue
from snellen.grading.protocols.base import Gold
from snellen.grading.protocols.table import gold_shape, protocol_of
from snellen.grading.tally import Tally


def total(
    task: str, golds: list[Gold], responses: list[object], protocol: str | None = None
) -> dict[str, MetricValue]:
    chosen = protocol_of(task, protocol)
    read = [gold_shape(task).read(gold) for gold in golds]
    tally = Tally(chosen, read)
    errors = ["gone" if response is None else None for response in responses]
    answers = Answers(
        np.arange(len(responses), dtype=np.int64), [0] * len(responses), responses, errors
    )
    tally.add(answers, Grader.of(chosen, read).batch(answers))
    return tally.metrics(1)


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


def test_eqa_without_any_limit_is_refused() -> None:
    with pytest.raises(MetricError, match="needs one limit"):
        total("mmbench-gui/l4", [None, None], [{"success": 1, "cost": 5}, None])
