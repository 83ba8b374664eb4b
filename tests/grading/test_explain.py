"""The difference between two protocols, shared out exactly."""

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.grading.errors import MetricError
from snellen.grading.explain import PARTS, Part, explain, mixture
from snellen.grading.grade import Answers, Grader
from snellen.grading.models.reports import MetricValue
from snellen.grading.protocols.base import Context, Protocol
from snellen.grading.protocols.table import PROTOCOLS, gold_shape, protocol_of
from snellen.grading.tally import Tally

GOLDS = [["12 exercises", "12"], ["<no answer>"], ["Wall Sit"], ["$"], ["the cat"]]
TEXTS = st.sampled_from(["12", "No answer", "<no answer>", "sit", "$", "", "cat cat", "a", "The"])


def answers_of(responses: Sequence[object]) -> list[Answers]:
    errors = ["gone" if response is None else None for response in responses]
    items = np.arange(len(responses), dtype=np.int64)
    return [Answers(items, [0] * len(responses), responses, errors)]


def printed(protocol: Protocol, responses: list[str | None]) -> float:
    (answers,) = answers_of(responses)
    tally = Tally(protocol, GOLDS)
    tally.add(answers, Grader.of(protocol, GOLDS).batch(answers))
    metric: MetricValue = tally.metrics(1)[protocol.metric.primary]
    return metric.value if metric.as_published is None else metric.as_published


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(
    responses=st.lists(st.none() | TEXTS, min_size=5, max_size=5).filter(
        lambda said: any(response is not None for response in said)
    ),
    names=st.sampled_from(
        list(combinations([protocol.id for protocol in PROTOCOLS["screenqa/short"]], 2))
    ),
)
def test_the_shares_add_up_and_agree_with_the_mean_over_all_orders(
    responses: list[str | None], names: tuple[str, str]
) -> None:
    first, second = (protocol_of("screenqa/short", name) for name in names)
    found = explain(
        first, second, golds=GOLDS, contexts=(), answers=answers_of(responses), attempts=1
    )
    assert abs(found.residual) <= 1e-12
    assert found.first_value == printed(first, responses)
    assert found.second_value == printed(second, responses)
    # Second witness: the Shapley value is the mean marginal contribution over all 24 orders.
    totals = dict.fromkeys(PARTS, 0.0)
    for order in permutations(PARTS):
        taken: set[Part] = set()
        before = printed(first, responses)
        for part in order:
            taken.add(part)
            after = printed(mixture(first, second, taken), responses)
            totals[part] += (after - before) / 24
            before = after
    assert {share.part: share.share for share in found.shares} == pytest.approx(totals, abs=1e-12)


def test_a_part_that_is_the_same_in_both_contributes_nothing() -> None:
    official, screensuite = (protocol_of("screenqa/short", n) for n in ("official", "screensuite"))
    found = explain(
        official,
        screensuite,
        golds=GOLDS,
        contexts=(),
        answers=answers_of(["12", None, "sit", None, "cat"]),
        attempts=1,
    )
    shares = {share.part: share.share for share in found.shares}
    assert shares.pop(Part.DENOMINATOR) == found.difference > 0
    assert set(shares.values()) == {0.0}


def test_protocols_of_different_tasks_have_no_difference_to_explain() -> None:
    with pytest.raises(MetricError, match="no protocol in common"):
        explain(
            protocol_of("screenqa/short"),
            protocol_of("screenqa/long"),
            golds=GOLDS,
            contexts=(),
            answers=[],
            attempts=1,
        )


def test_a_metric_that_one_protocol_lacks_is_named() -> None:
    with pytest.raises(MetricError, match="multiui of screenqa/short has no metric 'exact_match'"):
        explain(
            protocol_of("screenqa/short", "official"),
            protocol_of("screenqa/short", "multiui"),
            golds=GOLDS,
            contexts=(),
            answers=[],
            attempts=1,
            key="exact_match",
        )


RUNS: list[object] = [
    {"success": True, "cost": 5},
    {"success": 0, "cost": 15},
    {"success": 1, "cost": 0},
    None,
    {"success": 0.5, "cost": 40},
    "no episode",
    {"success": 1},
]


@pytest.mark.parametrize("key", ["eqa", "sr"])
@pytest.mark.parametrize(
    "names", list(combinations([protocol.id for protocol in PROTOCOLS["mmbench-gui/l3"]], 2))
)
def test_a_metric_over_the_whole_run_is_shared_out_too(names: tuple[str, str], key: str) -> None:
    first, second = (protocol_of("mmbench-gui/l3", name) for name in names)
    golds = [gold_shape("mmbench-gui/l3").read({"limit": 20})] * len(RUNS)
    found = explain(
        first, second, golds=golds, contexts=(), answers=answers_of(RUNS), attempts=1, key=key
    )
    assert found.key == key
    assert abs(found.residual) <= 1e-12
    for protocol, value in ((first, found.first_value), (second, found.second_value)):
        tally = Tally(protocol, golds)
        (answers,) = answers_of(RUNS)
        tally.add(answers, Grader.of(protocol, golds).batch(answers))
        assert tally.metrics(1)[key].as_published == value


def test_paper_and_exact_differ_by_their_metric_alone() -> None:
    first, second = (protocol_of("mmbench-gui/l3", name) for name in ("paper", "exact"))
    golds = [gold_shape("mmbench-gui/l3").read({"limit": 15})] * 4
    runs: list[object] = [{"success": s, "cost": t} for s, t in ((1, 5), (0, 15), (1, 3), (1, 10))]
    found = explain(
        first, second, golds=golds, contexts=(), answers=answers_of(runs), attempts=1, key="eqa"
    )
    # BENCHMARKS 5.3, V6: 50/101 on the grid, 119/240 as the integral.
    assert found.difference == pytest.approx(119 / 240 - 50 / 101, abs=1e-15)
    shares = {share.part: share.share for share in found.shares}
    assert shares[Part.METRIC] == pytest.approx(found.difference, abs=1e-15)
    assert {shares[part] for part in PARTS if part is not Part.METRIC} == {0.0}


def test_a_metric_that_is_not_defined_on_the_answers_is_refused() -> None:
    first, second = (protocol_of("mmbench-gui/l3", name) for name in ("paper", "exact"))
    golds = [gold_shape("mmbench-gui/l3").read(None)]
    with pytest.raises(MetricError, match="eqa of mmbench-gui/l3 is not defined"):
        explain(
            first,
            second,
            golds=golds,
            contexts=(),
            answers=answers_of([{"success": 1, "cost": 5}]),
            attempts=1,
            key="eqa",
        )


def test_no_items_leave_nothing_to_explain() -> None:
    official, multiui = (protocol_of("screenqa/short", n) for n in ("official", "multiui"))
    with pytest.raises(MetricError, match="no items"):
        explain(official, multiui, golds=[], contexts=(), answers=[], attempts=1)


def test_a_run_that_prints_nothing_is_noted() -> None:
    official, screensuite = (protocol_of("screenqa/short", n) for n in ("official", "screensuite"))
    found = explain(
        official,
        screensuite,
        golds=GOLDS,
        contexts=(),
        answers=answers_of([None] * 5),
        attempts=1,
    )
    assert "prints no number" in found.note
    assert found.difference == 0


POINTS = [
    "(500, 500)",  # fractions: nowhere; pixels: right
    "(0.5, 0.5)",  # fractions: right; pixels: the corner
    "x=500, y=500",  # read by both
    '{"point": [500, 500]}',  # read by one of them only
    "no idea",
]


def target() -> object:
    box = {"bbox": [450, 450, 550, 550], "image_size": [1000, 1000]}
    return gold_shape("screenspot-v2/point").read(box)


def test_the_unit_of_a_point_is_a_part_of_its_own() -> None:
    golds = [target()] * len(POINTS)
    contexts = [Context(width=1000.0, height=1000.0)] * len(POINTS)
    first, second = (protocol_of("screenspot-v2/point", name) for name in ("unit", "pixels"))
    found = explain(
        first,
        second,
        golds=golds,
        contexts=contexts,
        answers=answers_of(POINTS),
        attempts=1,
    )
    shares = {share.part: share.share for share in found.shares}
    # Both find the same points: only what their numbers count differs.
    assert (found.first_value, found.second_value) == (1 / 5, 3 / 5)
    assert shares[Part.UNIT] == pytest.approx(2 / 5)
    assert shares[Part.PARSER] == 0
    harness = protocol_of("screenspot-v2/point", "vlmevalkit")
    found = explain(
        first, harness, golds=golds, contexts=contexts, answers=answers_of(POINTS), attempts=1
    )
    shares = {share.part: share.share for share in found.shares}
    # By hand, of the four mixtures of reader and unit: our reader with fractions 1, with pixels
    # above one 4; the harness's, which reads one of them, 0 and 1 of 5.
    assert shares[Part.PARSER] == pytest.approx(((0 - 1) + (1 - 4)) / 2 / 5)
    assert shares[Part.UNIT] == pytest.approx(((4 - 1) + (1 - 0)) / 2 / 5)


def test_a_point_that_says_what_it_counts_is_read_so_in_every_mixture() -> None:
    task = "screenspot-v2/point"
    said = [{"response": "(500, 500)", "space": "pixels"}]
    for names in combinations([protocol.id for protocol in PROTOCOLS[task]], 2):
        found = explain(
            *(protocol_of(task, name) for name in names),
            golds=[target()],
            contexts=[Context(width=1000.0, height=1000.0)],
            answers=answers_of(said),
            attempts=1,
        )
        assert (found.first_value, found.second_value) == (1, 1), names
        assert {share.share for share in found.shares} == {0}, names
