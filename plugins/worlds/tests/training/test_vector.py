"""Several worlds at a time: the same as each alone."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from worlds_browser import browsers

from snellen.grading.errors import InputError
from snellen.worlds import VectorWorldEnv

browser = pytest.mark.browser

DONE = {"action": "done"}
LIST: dict[str, Any] = {"tool": "list_contacts", "arguments": {}}


def worlds(count: int, **settings: Any) -> VectorWorldEnv:
    """Return worlds as a user makes them."""
    made = gymnasium.make_vec("snellen/desk-v0", num_envs=count, **settings)
    assert isinstance(made, VectorWorldEnv)
    return made


@pytest.fixture
def three() -> Iterator[VectorWorldEnv]:
    """Three desks by their tools."""
    env = worlds(3, door="tools")
    yield env
    env.close()


def test_each_world_is_the_one_that_its_seed_draws_alone(three: VectorWorldEnv) -> None:
    seen, told = three.reset(seed=11)
    one = gymnasium.make("snellen/desk-v0", door="tools")
    for number in range(3):
        alone, info = one.reset(seed=11 + number)
        assert seen["goal"][number] == alone["goal"]
        assert told["seed"][number] == info["seed"]
    one.close()
    again, _ = three.reset(seed=[13, 12, 11])
    assert again["goal"] == seen["goal"][::-1]


def test_a_world_that_ended_begins_anew_with_the_next_step(
    three: VectorWorldEnv,
) -> None:
    before, _ = three.reset(seed=1)
    _, rewards, ended, cut, told = three.step([DONE, LIST, LIST])
    assert ended.tolist() == [True, False, False]
    assert not cut.any()
    assert rewards.tolist() == [0.0, 0.0, 0.0]
    assert told["record"]["end"][0] == "submitted"
    seen, _, ended, _, told = three.step(["ignored", LIST, LIST])
    assert not ended.any()
    assert told["step"].tolist() == [0, 2, 2]
    assert seen["goal"][0] != before["goal"][0]
    assert seen["goal"][1:] == before["goal"][1:]


def test_a_wrong_action_does_nothing_in_any_world(three: VectorWorldEnv) -> None:
    three.reset(seed=1)
    with pytest.raises(InputError, match=r"actions\[1\]: there is no tool 'fly'"):
        three.step([LIST, {"tool": "fly"}, LIST])
    assert three.step([LIST] * 3)[4]["step"].tolist() == [1, 1, 1]


def test_lists_of_another_length_are_refused(three: VectorWorldEnv) -> None:
    with pytest.raises(InputError, match="2 seeds for 3 worlds"):
        three.reset(seed=[1, 2])
    three.reset(seed=1)
    with pytest.raises(InputError, match="1 actions for 3 worlds"):
        three.step([LIST])
    with pytest.raises(InputError, match="num_envs is at least 1, not 0"):
        worlds(0)


@browser
def test_the_screenshots_are_one_array_and_each_is_the_worlds_own() -> None:
    env = worlds(2, templates=["mail-delete"])
    one = gymnasium.make("snellen/desk-v0", templates=["mail-delete"])
    env.reset(seed=1)
    clicks = [{"action": "left_click", "coordinate": [30 + 300 * n, 60]} for n in range(2)]
    seen = env.step(clicks)[0]
    assert seen["screenshot"].shape == (2, 800, 1280, 3)
    assert seen in cast("Any", env).observation_space
    for number in range(2):
        one.reset(seed=1 + number)
        alone = one.step(clicks[number])[0]
        assert (seen["screenshot"][number] == alone["screenshot"]).all()
    one.close()
    env.close()


@browser
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_a_world_that_broke_is_cut_without_a_number_and_begins_anew() -> None:
    env = worlds(2, templates=["mail-delete"])
    env.reset(seed=1)
    wait = [{"action": "wait", "duration": 0}] * 2
    for process in browsers():
        os.kill(process, signal.SIGKILL)
    seen, rewards, ended, cut, told = env.step(wait)
    assert cut.all()
    assert not ended.any()
    assert np.isnan(rewards).all()
    assert all(told["fault"])
    assert seen in cast("Any", env).observation_space
    assert env.step(wait)[4]["step"].tolist() == [0, 0]
    assert env.step(wait)[4]["step"].tolist() == [1, 1]
    env.close()
