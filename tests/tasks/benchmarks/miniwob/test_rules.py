"""MiniWoB++: one stored episode, and what each rule makes of it."""

import json
from typing import Any

import numpy as np
import pytest

from snellen import sdk
from snellen.grading.explain import Explanation, explain
from snellen.grading.grade import Answers, Grader
from snellen.grading.metrics.efficiency import Episode
from snellen.grading.metrics.eqa import eqa
from snellen.grading.models.reports import MetricValue
from snellen.grading.protocols.golds import PageEpisodeGold
from snellen.grading.protocols.table import PROTOCOLS, protocol_of
from snellen.grading.tally import Tally

TASK = "miniwob/episode"
RULES = [protocol.id for protocol in PROTOCOLS[TASK]]
GOLD = {"limit": 50, "page": "click-test"}


def record(
    reward: float | None, *, ended: bool = True, cost: int = 3, **more: Any
) -> dict[str, Any]:
    return {"reward": reward, "ended": ended, "cost": cost, **more}


def values(response: object) -> dict[str, float | None]:
    return {
        rule: sdk.score(TASK, response=response, reference=GOLD, protocol=rule).value
        for rule in RULES
    }


# By hand, from the table of rules: reward, ended, steps, and what the rules say in their order.


def test_a_sum_that_is_one_but_for_rounding_is_exact() -> None:
    assert values(record(sum([1 / 3] * 3) - 1e-12))["exact"] == 1


def test_a_record_can_be_text_and_say_more() -> None:
    text = json.dumps(
        record(1.0, status="done", reason=None, answer=None, limit=50, seconds=2.5, end="page")
    )
    assert sdk.score(TASK, response=text, reference=GOLD).value == 1


def test_a_reward_that_is_no_number_and_another_limit_are_noted() -> None:
    assert "no number" in sdk.score(TASK, response=record(None), reference=GOLD).note
    note = sdk.score(TASK, response=record(1, limit=20), reference=GOLD).note
    assert note.endswith("(20, not 50)")


def graded(records: list[object], rule: str, limit: int | None) -> dict[str, MetricValue]:
    protocol = protocol_of(TASK, rule)
    golds = [PageEpisodeGold(limit, "click-test")] * len(records)
    tally = Tally(protocol, golds)
    answers = Answers(np.arange(len(records)), [0] * len(records), records)
    tally.add(answers, Grader.of(protocol, golds).batch(answers))
    return tally.metrics(1)


@pytest.mark.parametrize(("rule", "limit"), [("browsergym", 10), ("evalscope", 20), ("cube", 50)])
def test_eqa_is_that_of_the_episodes_under_the_rules_own_limit(rule: str, limit: int) -> None:
    pairs = [(1.0, 4), (-1.0, 2), (0.1, 15), (1.0, 30)]
    episodes = [Episode(float(reward > 0 and cost <= limit), cost) for reward, cost in pairs]
    found = graded([record(reward, cost=cost) for reward, cost in pairs], rule, 50)
    assert found["eqa"].value == eqa(episodes, limit, over_limit="clip")
    assert found["sr"].value == sum(episode.success for episode in episodes) / 4


def test_giving_up_at_once_costs_nothing() -> None:
    at_once = graded([record(None, ended=False, cost=0), record(1)], "cube", 20)
    later = graded([record(None, ended=False, cost=9), record(1)], "cube", 20)
    assert at_once["eqa"].value > later["eqa"].value > 0


def test_without_a_limit_there_is_no_eqa() -> None:
    assert set(graded([record(1)], "cube", None)) == {"sr"}


def test_the_mean_raw_reward_may_be_below_zero() -> None:
    records: list[object] = [record(-1), record(-0.5), record(None, ended=False)]
    assert graded(records, "raw", 20)["raw_reward"].value == -0.5
    assert graded(records, "raw", 20)["reward"].value == 0.25
    assert graded(records, "raw_timeout", 20)["raw_reward"].value == pytest.approx(-2.5 / 3)


def test_a_missing_episode_counts_least_under_every_rule() -> None:
    protocol = protocol_of(TASK, "raw")
    golds = [PageEpisodeGold(20, "click-test")] * 2
    answers = Answers(np.arange(1), [0], [record(1)])
    tally = Tally(protocol, golds)
    tally.add(answers, Grader.of(protocol, golds).batch(answers))
    found = tally.metrics(1)
    assert (found["raw_reward"].value, found["reward"].value) == (0, 0.5)


def test_explain_says_what_the_rule_alone_is_worth() -> None:
    # The wrong card passes one rule, the slow episode the other: 2 of 4 under both, but not of
    # the same. Without the slow one it is 2 of 3 against 1 of 3.
    found = explained([record(1), record(0.1), record(1, cost=12), record(-1)])
    assert (found.first_value, found.second_value) == (0.5, 0.5)
    found = explained([record(1), record(0.1), record(-1)])
    assert (found.first_value, found.second_value) == (2 / 3, 1 / 3)
    shares = {str(share.part): share.share for share in found.shares}
    assert shares.pop("metric") == pytest.approx(-1 / 3)
    assert set(shares.values()) == {0}


def explained(records: list[object]) -> Explanation:
    return explain(
        protocol_of(TASK, "browsergym"),
        protocol_of(TASK, "exact"),
        golds=[PageEpisodeGold(20, "click-test")] * len(records),
        contexts=(),
        answers=[Answers(np.arange(len(records)), [0] * len(records), records)],
        attempts=1,
    )
