"""The tables of episodes, against values worked by hand."""

import pytest

from snellen.grading.errors import MetricError
from snellen.grading.protocols.worlds.automation import READINGS
from snellen.grading.protocols.worlds.tables import Record, episodes_of, episodes_tables

# BENCHMARKS 5.3 and 5.4, V6: its limit is 15, and its failed task used it up.
V6 = [
    Record(1, 15, there=True, steps=5, seconds=10, image_tokens=6_000),
    Record(0, 15),
    Record(1, 15, there=True, steps=3, seconds=2, image_tokens=4_000),
    Record(1, 15, there=True, steps=10, image_tokens=11_000),
]
TAGS = {"app": ["mail", "mail", "shop", "shop"]}


def test_a_task_without_an_episode_used_up_its_limit_in_every_reading_of_eqa() -> None:
    (whole,) = episodes_of([V6], TAGS, ("app",), "exact").wholes
    assert (whole.value, whole.tasks, whole.steps) == (0.75, 4, 6)
    assert whole.eqa == {
        "paper": 50 / 101,
        "exact": 119 / 240,
        "half_open": 199 / 404,
        "budget": 9 / 20,
        "expected": 81 / 160,
        "linear": pytest.approx(32 / 60, abs=0.01),
    }
    assert whole.eqa.keys() == READINGS.keys()


def test_what_episodes_took_is_over_those_that_say() -> None:
    spent = episodes_of([V6], TAGS, (), "exact").spent
    # Of four tasks three have an episode, and none of these failed.
    assert [(one.name, one.episodes) for one in spent] == [("all", 3), ("succeeded", 3)]
    assert (spent[0].steps.total, spent[0].image_tokens.total) == (18, 21_000)
    assert (spent[0].seconds.total, spent[0].seconds.known, spent[0].seconds.mean) == (12, 2, 6)
    table = episodes_tables("desk/l3", "sr", episodes_of([V6], TAGS, (), "exact"))[1]
    assert table.written()[-1] == ("total", "18.0", "12.0", "21,000", "3")
    assert "1 of the episodes do not say their seconds." in table.note


def test_tasks_that_cannot_be_done_are_set_apart_and_in_no_breakdown() -> None:
    tags = {**TAGS, "feasible": ["yes", "yes", "no", "yes"]}
    found = episodes_of([V6], tags, ("app", "feasible", "page"), "exact")
    assert [(one.name, one.tasks, one.value) for one in found.wholes] == [
        ("can be done", 3, 2 / 3),
        ("can't be done", 1, 1.0),
        ("all", 4, 0.75),
    ]
    assert found.by.keys() == {"app"}
    mail, shop = found.by["app"]
    assert [(one.name, one.tasks, one.value, one.steps) for one in (mail, shop)] == [
        ("mail", 2, 0.5, 5),
        ("shop", 1, 1.0, 10),
    ]
    # One task of 15 steps, done in 10: a third of its budget is left.
    assert shop.eqa["exact"] == pytest.approx(1 / 3)
    assert "Only tasks that can be done." in episodes_tables("desk/l3", "sr", found)[2].note


def test_limits_may_differ_and_where_one_is_not_known_there_is_no_eqa() -> None:
    half = Record(1, 10, there=True, steps=5)
    quarter = Record(1, 40, there=True, steps=10)
    (whole,) = episodes_of([[half, quarter]], {}, (), "budget").wholes
    assert whole.eqa["budget"] == (1 / 2 + 3 / 4) / 2
    found = episodes_of([[half, quarter._replace(limit=None)]], {}, (), "budget")
    assert found.wholes[0].eqa == {}
    assert episodes_tables("desk/l3", "sr", found)[0].written()[0][1:3] == ("100.00", "–")


def test_several_attempts_are_averaged_and_their_episodes_counted_once_each() -> None:
    failed = [record._replace(success=0) for record in V6]
    both = episodes_of([V6, failed], TAGS, (), "exact")
    assert both.wholes[0].value == 0.375
    assert both.wholes[0].eqa["exact"] == pytest.approx(119 / 480)
    assert [(one.name, one.episodes) for one in both.spent] == [
        ("all", 6),
        ("succeeded", 3),
        ("failed", 3),
    ]


def test_a_task_whose_success_has_no_eqa_shows_none() -> None:
    found = episodes_of([V6], TAGS, ("app",), None)
    titles = [table.title for table in episodes_tables("miniwob/episode", "sr", found)]
    assert titles == ["miniwob/episode, what the episodes took", "miniwob/episode, sr by app"]


@pytest.mark.parametrize("attempts", [[], [[]], [V6, V6[:2]]])
def test_attempts_that_are_empty_or_of_other_tasks_are_refused(
    attempts: list[list[Record]],
) -> None:
    with pytest.raises(MetricError, match="differ in length"):
        episodes_of(attempts, {}, (), "exact")
