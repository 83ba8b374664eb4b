"""The desk by the marks on its screenshots, and by its accessibility tree."""

import json
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from desk_oracle import ending, goal_of, selector_of
from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent

from snellen.replay.replay import played_episodes, replay
from snellen.server.episodes.seeing import Seeing, see, seed_of
from snellen.server.exam.rules import Door, Rules
from snellen.server.host import Host, lazy_host, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.environments.aiming import aimed
from snellen.tasks.environments.browser import Browser
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.environment import Desk, DeskEpisode
from snellen.worlds.desk.tasks import Step
from snellen.worlds.desk.templates.table import draw

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

COUNT, SEED = 6, 28
DOORS = pytest.mark.parametrize("door", [Door.MARKS, Door.TREE])
_PATH = """(selector) => {
  const found = document.querySelector(selector);
  const path = (each) => each?.parentElement
    ? [...path(each.parentElement), [...each.parentElement.children].indexOf(each)] : [];
  const list = found.closest("[data-s]");
  const [box, frame] = [found, list ?? found].map((each) => each.getBoundingClientRect());
  const middle = [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
  return [
    path(found), path(list), Math.round(box.top + box.bottom - frame.top - frame.bottom) / 2,
    middle, found.contains(document.elementFromPoint(...middle)),
  ];
}"""


def given(result: CallToolResult) -> tuple[dict[str, Any], str, bytes]:
    """Return what a call returned: its JSON, the tree, the screenshot."""
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    images = [b64decode(part.data) for part in result.content if isinstance(part, ImageContent)]
    assert not result.is_error, texts
    return json.loads(texts[0]), "".join(texts[1:]), b"".join(images)


class Acting:
    """An oracle that acts by ids: it knows those of an equal page of its own."""

    def __init__(
        self, agent: Any, host: Host, door: Door, own: DeskEpisode, place: int, item: str
    ) -> None:
        self.agent = agent
        self.own = own
        self.item = item
        self._secret = host.service.register.numbered(1).secret
        self._door = door
        self._place = place
        self.step = 0

    async def do(self, step: Step) -> None:
        """Do a step here and there, and compare what is shown."""
        if step.typed:
            await self.act(action="type", text=step.text)
            return
        if step.hovers:
            await self.act(f'[data-h="{step.control}"]', action="mouse_move")
            return
        if step.onto:
            await self._drag(step)
            return
        token = None if step.text is not None else self.own.desktop.page.token(step.control)
        keys = await self.own.stage.run(
            "(token) => document.querySelector(`[data-c='${token}'][data-k]`)?.dataset.k", token
        )
        if keys:
            text = str(keys).replace("Control", "ctrl")
            await self.act(action="key", text=text)
            return
        selector = selector_of(self.own, step)
        how = await self.own.stage.run(
            "(s) => { const d = document.querySelector(s).dataset;"
            " return s.includes(d.c) || d.f ? 'click' : s.includes(d.m) ? 'right_click' :"
            " 'double_click'; }",
            selector,
        )
        await self.act(selector, **({"action": how} if step.text is None else {"text": step.text}))

    async def _drag(self, step: Step) -> None:
        page = self.own.desktop.page
        selector = f'[data-g="{page.token(f"{step.control}.drag")}"]'
        onto = f'[data-d="{page.place(step.onto)}"]'
        if self._door is Door.TREE:
            path = (await self._found(onto))[0]
            end = next(ref for ref, each in (await self._ids()).items() if each == path)
            await self.act(selector, action="left_click_drag", end_ref=end)
            return
        for each in (onto, selector):
            await self._reach(each)
        middle = (await self._found(onto))[3]
        await self.act(selector, action="left_click_drag", coordinate=middle)

    async def _found(
        self, selector: str
    ) -> tuple[tuple[int, ...], tuple[int, ...], float, Any, bool]:
        found = cast("list[Any]", await self.own.stage.run(_PATH, selector))
        return tuple(found[0]), tuple(found[1]), found[2], found[3], found[4]

    async def _ids(self) -> Mapping[str, tuple[int, ...]]:
        return (await see(self.own, self._seeing())).elements

    async def _reach(self, selector: str) -> None:
        """Scroll to what has no mark, over what has one in the same list."""
        _, around, down, _, seen = await self._found(selector)
        if self._door is Door.MARKS and not seen:
            ids = await self._ids()
            inside = next(mark for mark, each in ids.items() if each[: len(around)] == around)
            await self.act(action="scroll", mark=inside, scroll_y=down)

    async def act(self, selector: str = "", **said: Any) -> None:
        """Act on an element, by its id, there; and here by its place in the page."""
        word: Literal["mark", "ref"] = "mark" if self._door is Door.MARKS else "ref"
        if selector:
            await self._reach(selector)
            path = (await self._found(selector))[0]
            said[word] = next(key for key, each in (await self._ids()).items() if each == path)
        seen = await see(self.own, self._seeing())
        came = await self.agent.result("act", attempt=self.agent.attempt, item=self.item, **said)
        for each in aimed(said, seen.elements, word).inputs:
            await self.own.act(each)
            self.step += 1
        state, tree, png = given(came)
        assert state["step"] == self.step
        await self.compare(tree, png)

    async def compare(self, tree: str, png: bytes) -> None:
        """Check that an agent sees what is seen here."""
        seen = await see(self.own, self._seeing())
        assert (tree, png) == (seen.text, seen.frame or b"")

    def _seeing(self) -> Seeing:
        return Seeing(self._door, seed_of(self._secret, self._place, 1, self.step))


@pytest.fixture
def take(
    tmp_path: Path, store: Path, agent_of: Callable[[Client], Any], browser: Browser
) -> Callable[..., Any]:
    """Serve the desk at a door, again and again on the same store."""
    pack = tmp_path / "desk"
    generated_exam("desk").make(pack, seed=SEED, count=COUNT)

    @asynccontextmanager
    async def take(door: Door) -> AsyncGenerator[tuple[Any, Host]]:
        settings = Settings((pack,), store, Rules(door=door))
        host = lazy_host(settings, lambda: open_exam(settings))
        async with Client(ExamServer(host).server) as client:
            yield agent_of(client), await host.get()
        await host.close()

    return take


@DOORS
@pytest.mark.thorough
async def test_the_oracle_succeeds_by_ids_and_sees_what_its_own_page_shows(
    take: Callable[..., Any], browser: Browser, door: Door
) -> None:
    tasks = {task.goal: task for task in draw(COUNT, SEED)}
    async with take(door) as (agent, host):
        await agent.start()
        for place in range(COUNT):
            came = given(await agent.result("get_item", attempt=agent.attempt))
            task = tasks[goal_of(came[0])]
            own = await Desk(browser).open({"state": task.state})
            oracle = Acting(agent, host, door, own, place, came[0]["item"])
            await oracle.compare(*came[1:])
            for step in task.oracle:
                await oracle.do(step)
            await own.close()
            await agent.answer(oracle.item, ending(task))
        report = await agent.finish()
        desks = Desk(browser)
        for episode in played_episodes(host.service, host.service.register.numbered(1)):
            assert (await replay(episode, lambda _: desks)).fine
    assert {task["metrics"]["sr"] for task in report["tasks"]} == {1.0}
    assert all(f"|door:{door}" in task["signature"] for task in report["tasks"])


@DOORS
async def test_an_old_id_and_a_coordinate_are_steps_that_do_nothing(
    take: Callable[..., Any], door: Door
) -> None:
    word = "mark" if door is Door.MARKS else "ref"
    async with take(door) as (agent, _):
        await agent.start()
        item, *_ = given(await agent.result("get_item", attempt=agent.attempt))
        here = {"attempt": agent.attempt, "item": item["item"], "action": "click"}
        for said in ({word: "e1"}, {"coordinate": [5, 5]}):
            state, tree, png = given(await agent.result("act", **here, **said))
            assert f"{word}" in state["note"]
            assert tree or png
        state, tree, png = given(await agent.result("act", **{**here, "action": "screenshot"}))
        assert tree or png
        assert state["step"] == 2


async def test_ids_are_the_same_after_the_server_was_restarted(take: Callable[..., Any]) -> None:
    async with take(Door.TREE) as (agent, _):
        handle = await agent.start()
        item, tree, _ = given(await agent.result("get_item", attempt=handle))
    async with take(Door.TREE) as (agent, _):
        again = await agent.result("get_item", attempt=handle, item=item["item"])
        assert given(again)[1] == tree
        agent.attempt = handle
        ref = tree.partition("[ref=")[2].partition("]")[0]
        state, after, _ = given(
            await agent.result("act", attempt=handle, item=item["item"], ref=ref)
        )
        assert state["step"] == 1
        assert after != tree
        assert "there is no screen" in await agent.refused(
            "get_screenshot", attempt=handle, item=item["item"]
        )
