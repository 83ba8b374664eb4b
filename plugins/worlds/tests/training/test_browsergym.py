"""The desk in BrowserGym: its own environment, browser and actions do the tasks."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import gymnasium
import pytest
from desk_oracle import selector_of

from snellen.tasks.browser.finding import HEADLESS, find_browser
from snellen.worlds.desk.tasks import Step, Task
from snellen.worlds.desk.templates.table import TEMPLATES
from snellen.worlds.training.splits import FIRST_SEED

core = pytest.importorskip("browsergym.core")
pytestmark = [pytest.mark.browser, pytest.mark.slow]
SEED = 3
PROGRAMS: dict[str, Any] = {"action_mapping": None, "use_raw_page_output": True}
_SEND = """async (port) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const over = new Promise((done) => (socket.onerror = socket.onopen = done));
  await Promise.allSettled([fetch(`http://127.0.0.1:${port}`, { mode: "no-cors" }), over]);
}"""
_CLICK_AROUND = """
for index in range(40):
    if page.locator(".dock-item").count():
        with page.expect_response("**/act"): page.locator(".dock-item").nth(index % 2).click()
"""


@pytest.fixture(scope="module")
def desk() -> Iterator[Callable[..., Any]]:
    """Open a template's environment, in the browser that is installed."""
    playwright = core._get_global_playwright()
    chromium = playwright.chromium
    # BrowserGym names no program for the browser of its chat.
    launch = partial(chromium.launch, executable_path=find_browser(HEADLESS).program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chromium, "launch", launch)
        with ExitStack() as envs:

            def opened(template: str, infeasible: float = 0.0, **more: Any) -> Any:
                envs.close()
                name = f"snellen.worlds.browsergym:browsergym/snellen.desk.{template}"
                more |= {"disable_env_checker": True, "pre_observation_delay": 0}
                env = gymnasium.make(name, task_kwargs={"infeasible": infeasible}, **more)
                envs.callback(env.close)
                env.reset(seed=SEED)
                return env

            yield opened
    playwright.stop()
    core._set_global_playwright(None)


def task_of(template: str, *, feasible: bool = True) -> Task:
    return TEMPLATES[template].make(FIRST_SEED["desk"] + SEED, "medium", feasible=feasible)


def act_of(step: Step, env: Any) -> str:
    bid = env.page.locator(selector_of(env.task.desk, step)).get_attribute("bid")
    return f"click({bid!r})" if step.text is None else f"fill({bid!r}, {step.text!r})"


@pytest.mark.parametrize("template", ["notes-line", "travel-price"])
def test_the_oracle_succeeds_by_browsergyms_actions(desk: Any, template: str) -> None:
    env, task = desk(template), task_of(template)
    for step in task.oracle:
        seen, *ended, _, info = env.step(act_of(step, env.unwrapped))
        assert (seen["last_action_error"], ended) == ("", [0.0, False])
        assert {*info["task_info"]} == {"template", "seed", "difficulty", "step", "limit"}
    answer = str(task.answer.value) if task.answer else "done"
    _, *ended, _, info = env.step(f"send_msg_to_user({answer!r})")
    record, clicks = info["task_info"]["record"], sum(step.text is None for step in task.oracle)
    assert (ended, record["door"], record["cost"]) == ([1.0, True], "url", clicks)


def test_who_does_nothing_fails_and_an_unreadable_end_is_no_end(desk: Any) -> None:
    env = desk("mail-delete")
    seen, *ended, _, _ = env.step('send_msg_to_user(\'{"status": "perhaps"}\')')
    assert ended == [0.0, False]
    assert "the status must be done or infeasible" in seen["chat_messages"][-1]["message"]
    assert env.step("send_msg_to_user('done')")[1:3] == (0.0, True)


@pytest.mark.parametrize("named", [True, False])
def test_what_cannot_be_done_is_reported_with_its_reason(desk: Any, named: bool) -> None:
    reason = task_of("mail-delete", feasible=False).reason if named else "I can not do it"
    said = f"report_infeasible('{reason}: nothing is there.')"
    assert desk("mail-delete", infeasible=1.0).step(said)[1:3] == (float(named), True)


def test_the_limit_counts_what_the_page_sends_and_ends_the_task(desk: Any) -> None:
    _, *ended, _, info = desk("mail-delete", **PROGRAMS).step(_CLICK_AROUND)
    record = info["task_info"]["record"]
    assert (ended, record["end"]) == ([0.0, True], "limit")
    assert record["cost"] == record["limit"] == task_of("mail-delete").limit


def test_the_page_reaches_nothing_outside(desk: Any) -> None:
    env = desk("mail-delete", **PROGRAMS)
    with socket.create_server(("127.0.0.1", 0)) as outside:
        outside.setblocking(False)
        port = outside.getsockname()[1]
        env.unwrapped.page.evaluate(_SEND, port)
        for address in (f"http://127.0.0.1:{port}", "file:///etc/hostname"):
            assert "ERR_ABORTED" in env.step(f"page.goto({address!r})")[0]["last_action_error"]
        env.unwrapped.page.goto("data:text/html,without a policy")
        env.unwrapped.page.evaluate(_SEND, port)
        with pytest.raises(BlockingIOError):
            outside.accept()


def test_equal_seeds_give_equal_goals(desk: Any) -> None:
    env = desk("mail-delete", **PROGRAMS)
    goals = [env.reset(seed=seed)[0]["goal"] for seed in (1, 1, 2)]
    assert goals[0] == goals[1] != goals[2]
