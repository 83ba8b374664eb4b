"""An oracle that takes an exam of the desk over MCP, by mouse and keyboard.

It knows a way through the pages. Where what it clicks is on the screen it finds on a desktop of its
own, to which it does what it does in the exam.
"""

import asyncio
import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from mcp import Client
from mcp.types import CallToolResult, ImageContent, TextContent, TextResourceContents

from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.desk.environment import UNCHANGED, Desk, DeskEpisode
from snellen.worlds.desk.tasks import PathError, Step, Task
from snellen.worlds.desk.toolset import DeskToolset

_FIND = """(selector) => {
  const found = document.querySelector(selector);
  if (!found) return null;
  const { c, m, b, k } = found.dataset;
  const how = k ? "key" : selector.includes(m) ? "menu" : selector.includes(b) ? "double" : "click";
  if (k) return { how, keys: k.split("+") };
  const box = found.getBoundingClientRect();
  const point = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  // A menu stands in the list of what it belongs to, and does not scroll with it.
  const list = found.closest("[data-s], [popover]");
  const frame = list?.dataset.s && list.getBoundingClientRect();
  let scroll = null;
  if (frame && (point[1] < frame.top + 8 || point[1] > frame.bottom - 8)) {
    const middle = [Math.round(frame.x + frame.width / 2), Math.round(frame.y + frame.height / 2)];
    const most = list.scrollHeight - list.clientHeight - list.scrollTop;
    const down = Math.round(Math.min(Math.max(point[1] - middle[1], -list.scrollTop), most));
    scroll = { middle, down };
    point[1] -= down;
  }
  const hit = document.elementFromPoint(...point);
  // An event is dropped where its top edge is.
  const above = found.closest(".week-body") && found.dataset.c ? point[1] - box.top - 14 : 0;
  const covered = !scroll && !found.dataset.d && !(hit && (found === hit || found.contains(hit)));
  return { how, point, scroll, above, covered };
}"""

SEED = 7
"""The seed of the exam."""


@dataclass
class OracleRun:
    """What came of an exam.

    Attributes:
        report: Its report.
        steps: How many steps were taken.
        differing: How many screenshots were not its own desktop's, to the last byte.
    """

    report: dict[str, Any]
    steps: int = 0
    differing: int = 0


class DeskOracle:
    """Plays each task of an exam as its oracle says.

    Args:
        client: Of the exam.
        tasks: The tasks that its pack was made of; no two have the same goal.
        desk: Opens the oracle's own desktops.
    """

    def __init__(self, client: Client, tasks: Sequence[Task], desk: Desk) -> None:
        self._client = client
        self._desk = desk
        self._tasks = {task.goal: task for task in tasks}
        assert len(self._tasks) == len(tasks)

    async def take(self) -> OracleRun:
        """Take the whole exam."""
        started = told(await self._client.call_tool("start_attempt", {"model": "oracle"}))
        given, taken = {"attempt": started["attempt"]}, OracleRun({})
        following = started["next"]
        while following == "get_item":
            opened = await self._client.call_tool("get_item", given)
            item = told(opened)
            task = self._tasks[goal_of(item)]
            of_item = {**given, "item": item["item"]}
            await self._play(task, of_item, opened, taken)
            answered = {**of_item, "answer": ending(task)}
            following = told(await self._client.call_tool("submit_answer", answered))["next"]
        summary = told(await self._client.call_tool("finish_attempt", given))
        page = (await self._client.read_resource(summary["details"])).contents[0]
        assert isinstance(page, TextResourceContents)
        taken.report = json.loads(page.text)
        return taken

    async def _play(
        self, task: Task, given: dict[str, str], opened: CallToolResult, taken: OracleRun
    ) -> None:
        own = await self._desk.open({"state": task.state})
        try:
            await _compare(own, opened, taken)
            for step in task.oracle:
                for each in await inputs(own, step):
                    # Each browser waits for the frames of its page.
                    acted, note = await asyncio.gather(
                        self._client.call_tool("act", {**given, **written(each)}), own.act(each)
                    )
                    assert told(acted).get("note", "") == note
                    # A click into a field that has the focus changes nothing.
                    assert note in ("", UNCHANGED)
                    taken.steps += 1
                    await _compare(own, acted, taken)
        finally:
            await own.close()


def goal_of(item: dict[str, Any]) -> str:
    """Return the goal that an item's prompt ends with."""
    return item["prompt"].partition("\n\nTask: ")[2]


def app_of(verb: str) -> str:
    """Return the application that a verb belongs to: the name of its tool."""
    return next(tool.app for tool in DeskToolset().tools if tool.name == verb)


def ending(task: Task) -> dict[str, Any]:
    """Return what a task is rightly ended with."""
    if task.reason is not None:
        return {"status": "infeasible", "reason_code": task.reason.value}
    return {"status": "done"} | ({"answer": task.answer.value} if task.answer else {})


def told(result: CallToolResult) -> dict[str, Any]:
    """Return the JSON of a result."""
    text = next(part.text for part in result.content if isinstance(part, TextContent))
    assert not result.is_error, text
    return json.loads(text)


def written(given: Input) -> dict[str, Any]:
    """Write an input as Anthropic's computer use does."""
    if given.kind is InputKind.CLICK:
        name = "double_click" if given.count == 2 else f"{given.button}_click"
        return {"action": name, "coordinate": list(given.path[0])}
    if given.kind is InputKind.DRAG:
        start, end = map(list, given.path)
        return {"action": "left_click_drag", "start_coordinate": start, "coordinate": end}
    if given.kind is InputKind.SCROLL:
        down = int(given.scroll[1])
        return {"action": "scroll", "coordinate": list(given.path[0]), "scroll_y": down}
    if given.kind is InputKind.KEY:
        return {"action": "key", "text": "+".join(given.keys).replace("Control", "ctrl")}
    if given.kind is InputKind.MOVE:
        return {"action": "mouse_move", "coordinate": list(given.path[0])}
    return {"action": "type", "text": given.text}


async def _compare(own: DeskEpisode, result: CallToolResult, taken: OracleRun) -> None:
    image = next(part for part in result.content if isinstance(part, ImageContent))
    taken.differing += base64.b64decode(image.data) != await own.view()


async def locate(episode: DeskEpisode, step: Step) -> tuple[float, float]:
    """Return the middle of the control that a step clicks, in pixels of the screenshot.

    Raises:
        PathError: The page does not show it, or something covers it.
    """
    found = await _found(episode, selector_of(episode, step), step.control)
    x, y = cast(list[float], found["point"])
    return x, y


async def inputs(episode: DeskEpisode, step: Step) -> list[Input]:
    """Return the inputs of a step on the current page.

    Raises:
        PathError: The page does not show its control, or something covers it.
    """
    if step.typed:
        return [Input(InputKind.TYPE, text=step.text or "")]
    if step.hovers:
        over = await _found(episode, f'[data-h="{step.control}"]', step.control)
        before = [_scrolled(over)] if over["scroll"] else []
        return [*before, Input(InputKind.MOVE, ((over["point"][0], over["point"][1]),))]
    found = await _found(episode, selector_of(episode, step), step.control)
    if found["how"] == "key":
        return [Input(InputKind.KEY, keys=tuple(found["keys"]))]
    point = (found["point"][0], found["point"][1])
    before = [_scrolled(found)] if found["scroll"] else []
    if step.onto:
        place = episode.desktop.page.place(step.onto)
        end = await _found(episode, f'[data-d="{place}"]', step.onto)
        before += [_scrolled(end)] if end["scroll"] else []
        ends = (end["point"][0], end["point"][1] + found["above"])
        return [*before, Input(InputKind.DRAG, (point, ends))]
    click = Input(
        InputKind.CLICK,
        (point,),
        button="right" if found["how"] == "menu" else "left",
        count=2 if found["how"] == "double" else 1,
    )
    if step.text is None:
        return [*before, click]
    delete = Input(InputKind.KEY, keys=("Delete",))
    written = Input(InputKind.TYPE, text=step.text) if step.text else delete
    return [*before, click, Input(InputKind.KEY, keys=("Control", "a")), written]


def selector_of(episode: DeskEpisode, step: Step) -> str:
    if step.text is not None:
        return f'[data-f="{step.control}"]'
    token = episode.desktop.page.token(step.control)
    return ", ".join(f'[data-{name}="{token}"]' for name in "cmb")


def _scrolled(found: dict[str, Any]) -> Input:
    x, y = found["scroll"]["middle"]
    return Input(InputKind.SCROLL, ((x, y),), scroll=(0, found["scroll"]["down"]))


async def _found(episode: DeskEpisode, selector: str, name: str) -> dict[str, Any]:
    found = await episode.stage.run(_FIND, selector)
    if not isinstance(found, dict):
        raise PathError(f"the page shows no {name}")
    if found.get("covered"):
        raise PathError(f"{name} is covered or outside the screen")
    return cast(dict[str, Any], found)
