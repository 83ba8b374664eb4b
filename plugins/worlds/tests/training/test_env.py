"""Worlds as Gymnasium environments: one at a time, by their screen and by their tools."""

import json
import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from worlds_browser import browsers

from snellen.grading.errors import InputError, UnknownNameError
from snellen.tasks.environments.base import EpisodeError
from snellen.worlds import WorldEnv
from snellen.worlds.desk.templates.table import TEMPLATES
from snellen.worlds.training.splits import FIRST_SEED

browser = pytest.mark.browser

MIDDLE = {"action": "left_click", "coordinate": [640, 400]}
DONE = {"action": "done"}


def world(name: str = "desk", **settings: Any) -> WorldEnv:
    """Return an environment as a user makes it, without Gymnasium's wrappers."""
    made = gymnasium.make(f"snellen/{name}-v0", **settings).unwrapped
    assert isinstance(made, WorldEnv)
    return made


@pytest.fixture
def tools() -> Iterator[WorldEnv]:
    """A desk by its tools, which needs no browser."""
    env = world(door="tools", infeasible=0)
    yield env
    env.close()


@pytest.fixture(scope="module")
def desk() -> Iterator[WorldEnv]:
    """A desk by its screen, in one browser for all tests."""
    env = world(templates=["mail-delete", "notes-pin"], difficulties=["easy"], infeasible=0)
    yield env
    env.close()


def calls_of(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tool calls that do a task, as its template knows them."""
    task = TEMPLATES[info["template"]].make(
        info["seed"], info["difficulty"], feasible=info["feasible"]
    )
    return [{"tool": name, "arguments": dict(given)} for name, given in task.calls]


def end_of(info: dict[str, Any]) -> dict[str, Any]:
    """Return the right end of a task."""
    task = TEMPLATES[info["template"]].make(
        info["seed"], info["difficulty"], feasible=info["feasible"]
    )
    if task.reason is not None:
        return {"action": "infeasible", "reason_code": task.reason.value}
    return DONE if task.answer is None else {"action": "done", "answer": task.answer.value}


def play(env: WorldEnv, actions: list[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    """Do all actions, and return the last turn."""
    for action in actions[:-1]:
        _, reward, terminated, truncated, _ = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
    return env.step(actions[-1])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("desk", {"door": "tools"}),
        pytest.param("desk", {"templates": ["mail-delete"]}, marks=browser),
        pytest.param("miniwob", {"templates": ["click-test", "enter-text"]}, marks=browser),
    ],
)
def test_gymnasium_finds_nothing_wrong(name: str, settings: dict[str, Any]) -> None:
    env = world(name, **settings)
    check_env(env, skip_render_check=True)
    env.close()


# That each template's oracle passes is shown by the templates' own tests.
@pytest.mark.parametrize("template", sorted(TEMPLATES)[::6])
def test_what_a_task_asks_for_is_rewarded_and_nothing_is_not(
    tools: WorldEnv, template: str
) -> None:
    _, info = tools.reset(seed=5, options={"template": template})
    _, reward, terminated, truncated, told = play(tools, [*calls_of(info), end_of(info)])
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert told["record"]["end"] == "submitted"
    tools.reset(seed=5, options={"template": template})
    assert tools.step(DONE)[1] == 0.0


def test_an_infeasible_task_is_rewarded_for_its_reason_alone(tools: WorldEnv) -> None:
    options = {"template": "mail-reply", "feasible": False}
    _, info = tools.reset(seed=1, options=options)
    assert play(tools, [end_of(info)])[1] == 1.0
    tools.reset(seed=1, options=options)
    assert tools.step(DONE)[1] == 0.0


def test_partial_credit_is_the_share_of_the_right_facts() -> None:
    env = world(door="tools", infeasible=0, partial=True)
    options = {"template": "mail-label", "difficulty": "hard"}
    _, info = env.reset(seed=2, options=options)
    calls = calls_of(info)
    assert len(calls) == 3
    earned: list[float] = []
    for count in range(4):
        env.reset(seed=2, options=options)
        earned.append(play(env, [*calls[:count], DONE])[1])
    assert earned == pytest.approx([0, 1 / 3, 2 / 3, 1])
    env.reset(seed=2, options=options)
    more = {"tool": "add_sheet", "arguments": {"name": "Mine"}}
    assert play(env, [*calls, more, DONE])[1] == pytest.approx(3 / 4)
    env.close()


def test_a_call_that_is_refused_costs_a_step_and_says_why(tools: WorldEnv) -> None:
    tools.reset(seed=1)
    seen, reward, *_, info = tools.step({"tool": "read_message", "arguments": {"message": "none"}})
    assert reward == 0.0
    assert info["step"] == 1
    assert seen["note"]


def test_the_answer_of_a_tool_is_seen_as_json(tools: WorldEnv) -> None:
    tools.reset(seed=1)
    seen = tools.step({"tool": "list_contacts", "arguments": {}})[0]
    assert json.loads(seen["result"])


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ({"tool": "fly", "arguments": {}}, "there is no tool 'fly'"),
        ({"tool": 3}, "an action is a call"),
        ("list", "an action is a call"),
        ({"action": "infeasible"}, "needs a reason_code"),
    ],
)
def test_a_call_outside_the_space_raises_and_does_nothing(
    tools: WorldEnv, action: Any, reason: str
) -> None:
    tools.reset(seed=1)
    assert action not in tools.action_space
    with pytest.raises(InputError, match=reason):
        tools.step(action)
    assert tools.step({"tool": "list_contacts", "arguments": {}})[4]["step"] == 1


def test_equal_seeds_draw_equal_tasks_and_each_reset_another(tools: WorldEnv) -> None:
    def goals(seed: int) -> list[str]:
        first = tools.reset(seed=seed)[0]["goal"]
        return [first, *(tools.reset()[0]["goal"] for _ in range(4))]

    found = goals(3)
    assert found == goals(3)
    assert len(set(found)) == 5
    assert found != goals(4)


def test_the_seed_of_make_counts_for_the_first_reset_only() -> None:
    def goals(**given: Any) -> list[str]:
        env = world(door="tools", **given)
        found = [env.reset()[0]["goal"], env.reset()[0]["goal"]]
        env.close()
        return found

    assert goals(seed=3) == goals(seed=3)
    assert len(set(goals(seed=3))) == 2
    assert goals(seed=3) != goals(seed=4)


def test_tasks_are_drawn_of_the_chosen_templates_alone() -> None:
    env = world(door="tools", templates=["notes-pin"], difficulties=["hard"], infeasible=1)
    for _ in range(3):
        info = env.reset()[1]
        assert (info["template"], info["difficulty"], info["feasible"]) == (
            "notes-pin",
            "hard",
            False,
        )
        assert info["seed"] >= FIRST_SEED["desk"]
    env.close()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"templates": ["mail-fly"]}, "no template of desk 'mail-fly'"),
        ({"templates": []}, "templates has no names"),
        ({"difficulties": ["huge"]}, "difficulties are of easy, medium, hard"),
        ({"infeasible": 2}, "a share from 0 to 1, not 2"),
        ({"door": "window"}, "door is screen or tools, not 'window'"),
        ({"unreadable": "ignore"}, "unreadable is raise or step, not 'ignore'"),
        ({"protocol": "fair"}, "no protocol of desk/l3 'fair'"),
        ({"render_mode": "human"}, "render_mode is None or 'rgb_array', not 'human'"),
    ],
)
def test_settings_that_are_none_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        WorldEnv("desk", **settings)


def test_only_the_desk_has_tools() -> None:
    with pytest.raises(InputError, match="miniwob has no tools"):
        WorldEnv("miniwob", door="tools")
    with pytest.raises(UnknownNameError, match="no environment for training 'wiki'"):
        WorldEnv("wiki")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"task_seed": 7}, "7 is no seed for training"),
        ({"template": "mail-fly"}, "no template of desk 'mail-fly'"),
        ({"difficulty": "huge"}, "difficulty is easy, medium or hard, not 'huge'"),
        ({"speed": 3}, "there is no option 'speed'"),
        ({"snapshot": {"task": 3}}, "that is no snapshot"),
    ],
)
def test_options_that_are_none_are_refused(
    tools: WorldEnv, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        tools.reset(options=options)


def test_a_step_needs_an_episode_that_goes_on(tools: WorldEnv) -> None:
    with pytest.raises(InputError, match="there is no world: call reset first"):
        tools.step(DONE)
    tools.reset(seed=1)
    tools.step(DONE)
    with pytest.raises(InputError, match="the episode is over: call reset"):
        tools.step(DONE)
    with pytest.raises(InputError, match="no episode is going on"):
        tools.snapshot()


def test_a_fork_goes_on_alone(tools: WorldEnv) -> None:
    _, info = tools.reset(seed=5, options={"template": "mail-label", "difficulty": "hard"})
    first, *rest = calls_of(info)
    tools.step(first)
    other = tools.fork()
    assert play(tools, [DONE])[1] == 0.0
    _, reward, *_, told = play(other, [*rest, DONE])
    assert (reward, told["step"]) == (1.0, 3)
    other.close()


def test_a_snapshot_is_json_and_opens_the_same_state_elsewhere(tools: WorldEnv) -> None:
    _, info = tools.reset(seed=5, options={"template": "mail-label", "difficulty": "hard"})
    first, *rest = calls_of(info)
    tools.step(first)
    kept = json.loads(json.dumps(tools.snapshot()))
    other = world(door="tools")
    assert other.reset(options={"snapshot": kept})[1] == {**info, "step": 1}
    assert play(other, [*rest, DONE])[1] == 1.0
    other.close()


def _step_in_another_process(env: WorldEnv, told: Any) -> None:
    try:
        env.step(DONE)
    except InputError as error:
        told.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_another_process_is_told_to_make_its_own(tools: WorldEnv) -> None:
    tools.reset(seed=1)
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    process = context.Process(target=_step_in_another_process, args=(tools, told))
    process.start()
    assert "make one in each process" in told.get(timeout=30)
    process.join()


@browser
def test_equal_seeds_and_actions_give_equal_screenshots(desk: WorldEnv) -> None:
    def shots() -> list[bytes]:
        seen = [desk.reset(seed=9)[0]]
        for x, y in ((30, 60), (400, 300), (700, 500)):
            seen.append(desk.step({"action": "left_click", "coordinate": [x, y]})[0])
        return [one["screenshot"].tobytes() for one in seen]

    first = shots()
    assert first == shots()
    assert len(set(first)) > 1


@browser
def test_a_screenshot_is_of_the_declared_space(desk: WorldEnv) -> None:
    seen, _ = desk.reset(seed=1)
    assert seen["screenshot"].shape == (800, 1280, 3)
    assert seen["screenshot"].dtype == np.uint8
    assert desk.observation_space.contains(seen)


@browser
def test_an_episode_is_cut_at_its_limit_and_judged_as_it_stands(desk: WorldEnv) -> None:
    _, info = desk.reset(seed=1)
    wait = {"action": "wait", "duration": 0}
    _, reward, terminated, truncated, told = play(desk, [wait] * info["limit"])
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert told["record"]["end"] == "limit"


@browser
def test_an_action_of_any_vocabulary_is_done(desk: WorldEnv) -> None:
    desk.reset(seed=1)
    for action in ("click(400, 300)", {"type": "click", "x": 40, "y": 30}, {"action": "wait"}):
        assert action in desk.action_space
        desk.step(action)
    assert desk.action_space.sample() in desk.action_space


@browser
@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ({"action": "fly"}, "there is no action 'fly'"),
        ({"action": "left_click", "coordinate": [9000, 1]}, "lies outside the screen"),
        (7, "an action is an object or a text, not 7"),
        ({"action": "terminate"}, "an end is written"),
    ],
)
def test_an_action_outside_the_space_raises_or_costs_a_step(
    desk: WorldEnv, action: Any, reason: str
) -> None:
    desk.reset(seed=1)
    assert action not in desk.action_space
    with pytest.raises(InputError, match=reason):
        desk.step(action)
    as_in_an_exam = world(templates=["mail-delete"], unreadable="step")
    as_in_an_exam.reset(seed=1)
    seen, reward, *_, info = as_in_an_exam.step(action)
    assert reason in seen["note"]
    assert (reward, info["step"]) == (0.0, 1)
    as_in_an_exam.close()


@browser
def test_a_fork_shows_the_same_screen(desk: WorldEnv) -> None:
    desk.reset(seed=4)
    seen = desk.step({"action": "left_click", "coordinate": [30, 60]})[0]
    other = desk.fork()
    again = other.step({"action": "wait", "duration": 0})[0]
    assert (again["screenshot"] == seen["screenshot"]).all()
    other.close()


@browser
def test_miniwob_ends_with_its_page_and_partial_credit_is_its_raw_reward() -> None:
    env = world("miniwob", templates=["click-test"], partial=True, render_mode="rgb_array")
    seen, _ = env.reset(seed=1)
    assert seen["goal"] == "Click the button."
    image = env.render()
    assert image is not None
    assert (image == seen["screenshot"]).all()
    earned = {env.step(DONE)[1]}
    env.reset(seed=1)
    _, reward, terminated, *_ = env.step(button_in(seen["screenshot"]))
    assert terminated
    assert earned | {reward} == {0.0, 1.0}
    env.close()


def button_in(shot: np.ndarray) -> dict[str, Any]:
    """Return a click on the button of `click-test`: what is gray below the goal."""
    gray = (shot[200:, :, :] > 200).all(axis=2) & (shot[200:, :, :] < 250).all(axis=2)
    ys, xs = np.nonzero(gray)
    return {"action": "left_click", "coordinate": [int(np.median(xs)), int(np.median(ys)) + 200]}


@browser
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_a_browser_that_dies_ends_the_episode_and_not_the_environment(desk: WorldEnv) -> None:
    desk.reset(seed=1)
    for process in browsers():
        os.kill(process, signal.SIGKILL)
    with pytest.raises(EpisodeError, match=r"the world broke: .*; call reset"):
        desk.step(MIDDLE)
    with pytest.raises(InputError, match="call reset first"):
        desk.step(MIDDLE)
    desk.reset(seed=1)
    assert desk.step(MIDDLE)[4]["step"] == 1
