"""Episodes as an agent plays them over MCP, and what becomes of them when something breaks."""

import asyncio
import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lamps import lit, middle

from snellen.grading.protocols.golds import OutcomeGold
from snellen.server.attempts.register import Clock
from snellen.server.exam.rules import Door

Play = Callable[..., Any]


async def begun(played: Any, **rules: Any) -> str:
    """Start an attempt, open its first item and return it."""
    await played.agent.start(**rules)
    return (await played.agent.item())["item"]


async def press(played: Any, item: str, lamp: int) -> dict[str, Any]:
    """Click a lamp."""
    return await played.agent.call(
        "act",
        attempt=played.agent.attempt,
        item=item,
        action="left_click",
        coordinate=list(middle(lamp)),
    )


async def report(played: Any) -> dict[str, Any]:
    """Finish, and return what the report says of the task."""
    found = await played.agent.finish()
    return found["tasks"][0]


async def test_an_exam_to_act_in_has_one_tool_more_and_says_its_rules(play: Play) -> None:
    async with play() as played:
        tools = (await played.agent.client.list_tools()).tools
        assert [tool.name for tool in tools][-2:] == ["act", "finish_attempt"]
        assert len(tools) == 8
        (act,) = (tool for tool in tools if tool.name == "act")
        assert len(json.dumps(act.input_schema)) < 1_500
        assert act.input_schema["type"] == "object"
        assert {"anyOf", "oneOf", "allOf"}.isdisjoint(act.input_schema)
        assert act.input_schema["required"] == ["attempt", "item", "action"]
        started = await played.agent.call("start_attempt")
        assert any("reason_code" in rule for rule in started["rules"])
        assert "do their task with act" in (played.agent.client.instructions or "")
        (message,) = (await played.agent.client.get_prompt("take_exam")).messages
        assert "do their task with act" in message.content.text


async def test_what_is_lit_as_asked_succeeds_and_nothing_else_does(play: Play) -> None:
    async with play() as played:
        await played.agent.start()
        for _ in range(4):
            item = await played.agent.item()
            number = int(item["prompt"].split()[1])
            wanted = {0: [0], 1: [1, 2], 2: [], 3: [3, 4]}[number]
            for lamp in wanted:
                await press(played, item["item"], lamp)
            answer = {"status": "infeasible", "reason_code": "conflict"} if number == 2 else "7"
            await played.agent.answer(item["item"], answer)
        found = await report(played)
        # The last one lit a lamp too many.
        assert found["metrics"]["sr"] == 0.75
        assert found["metrics"]["state"] == 0.75
        assert found["metrics"]["said"] == 1.0


async def test_each_input_is_a_step_and_looking_is_none(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        agent = played.agent
        said = await press(played, item, 8)
        assert (said["step"], said["steps_left"], said["ended"]) == (1, 4, False)
        said = await agent.call("act", attempt=agent.attempt, item=item, action="clik")
        assert (said["step"], said["steps_left"]) == (2, 3)
        assert "did you mean 'click'" in said["note"]
        said = await agent.call("act", attempt=agent.attempt, item=item, action="screenshot")
        assert said["step"] == 2
        said = await agent.call("get_screenshot", attempt=agent.attempt, item=item, zoom=2)
        assert "steps_left" not in said
        several = [{"type": "wait"}, {"type": "wait"}, {"type": "wait"}, {"type": "wait"}]
        said = await agent.call("act", attempt=agent.attempt, item=item, actions=several)
        assert (said["step"], said["steps_left"], said["ended"]) == (5, 0, True)
        assert "1 further inputs were left out" in said["note"]
        assert "all 5 steps are used" in await agent.refused(
            "act", attempt=agent.attempt, item=item, action="wait"
        )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "fly", "coordinate": [5, 5]}, "there is no action 'fly'"),
        (
            {"action": "left_click", "coordinate": [60.5, 5]},
            "outside the screen, which is 60 by 60",
        ),
        ({"action": "left_click", "coordinate": [5, -1]}, "outside the screen"),
        ({"action": "left_click", "coordinate": [float("nan"), 5]}, "[x, y] in finite numbers"),
        ({"action": "left_click", "coordinate": [5, 10**400]}, "finite number"),
        ({"action": "left_click", "coordinate": ["NaN", 5]}, "[x, y] in finite numbers"),
        ({"action": "mouse_move"}, "the action needs a coordinate"),
        (
            {"action": "type", "text": "x" * 1_000_000},
            "1,000,000 characters; the limit is 2,000",
        ),
        ({"action": "key", "text": "hyper+q"}, "there is no key 'hyper'"),
    ],
)
async def test_what_cannot_be_done_is_a_step_that_says_why_and_does_nothing(
    play: Play, given: dict[str, Any], said: str
) -> None:
    async with play() as played:
        item = await begun(played)
        this = {"attempt": played.agent.attempt, "item": item}
        before = await played.agent.result("get_screenshot", **this)
        acted = await played.agent.result("act", **this, **given)
        told = json.loads(played.agent.text(acted))
        assert (told["step"], told["steps_left"]) == (1, 4)
        assert said in told["note"]
        assert len(told["note"]) < 1_000
        assert played.agent.images(acted)[0].data == played.agent.images(before)[0].data
        assert played.lamps.running[0].lamps == "0" * 9
        # It is on disk as any step is.
        assert (await played.agent.item(item=item))["step"] == 1


async def test_every_step_shows_the_screen_as_it_is_now(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        agent = played.agent
        before = await agent.result("get_screenshot", attempt=agent.attempt, item=item)
        after = await agent.result(
            "act", attempt=agent.attempt, item=item, type="click", x=30, y=30
        )
        (image,) = agent.images(after)
        assert image.data != agent.images(before)[0].data
        assert base64.b64decode(image.data) == await played.lamps.running[0].view()


async def test_coordinates_count_what_the_attempt_was_started_with(play: Play) -> None:
    async with play() as played:
        item = await begun(played, space="thousand")
        await played.agent.call(
            "act", attempt=played.agent.attempt, item=item, type="click", x=999, y=999
        )
        assert played.lamps.running[0].lamps == "000000001"


async def test_nobody_hears_how_it_went_before_the_report(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        await press(played, item, 0)
        stored = await played.agent.answer(item, "done")
        assert stored["stored"] == {"status": "done"}
        assert "changes" not in json.dumps(stored)


async def test_the_same_end_again_changes_nothing(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        assert (await played.agent.answer(item, "done"))["again"] is False
        assert (await played.agent.answer(item, "done"))["again"] is True
        said = await played.agent.refused(
            "act", attempt=played.agent.attempt, item=item, action="wait"
        )
        assert "has ended" in said


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"status": "won"}, "done or infeasible"),
        ({"status": "infeasible"}, "no_such_item"),
        ({"status": "infeasible", "reason_code": "bored"}, "no_such_item"),
        ({"state": "done"}, "no field 'state'"),
        ('{"status"', "not valid JSON"),
    ],
)
async def test_an_end_that_cannot_be_read_is_sent_back(
    play: Play, answer: object, said: str
) -> None:
    async with play() as played:
        item = await begun(played)
        assert said in await played.agent.refused(
            "submit_answer", attempt=played.agent.attempt, item=item, answer=answer
        )


async def test_a_page_that_ends_the_task_takes_no_further_step(play: Play) -> None:
    async with play([lit(*range(9), limit=20)]) as played:
        item = await begun(played)
        said = [await press(played, item, lamp) for lamp in range(9)]
        assert [each["ended"] for each in said] == [False] * 8 + [True]
        assert "the page has ended" in await played.agent.refused(
            "act", attempt=played.agent.attempt, item=item, action="wait"
        )


async def test_what_stands_at_the_limit_is_graded_and_what_is_left_before_is_not(
    play: Play,
) -> None:
    golds = [lit(0, limit=1), lit(0, limit=2)]
    async with play(golds) as played:
        await played.agent.start()
        for _ in golds:
            items = await played.agent.call("list_items", attempt=played.agent.attempt)
            for each in items["items"]:
                item = each["item"]
                opened = await played.agent.result(
                    "get_item", attempt=played.agent.attempt, item=item
                )
                if not opened.is_error and json.loads(played.agent.text(opened))["step"] == 0:
                    await press(played, item, 0)
        found = await report(played)
        assert found["metrics"]["sr"] == 0.5


async def test_a_world_that_breaks_once_is_made_again_as_it_was(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        await press(played, item, 0)
        played.lamps.faults = 1
        said = await press(played, item, 1)
        assert said["step"] == 2
        assert played.lamps.opened == [None, "100000000"]
        assert played.lamps.running[-1].lamps == "110000000"
        assert played.lamps.running[0].closed


async def test_a_world_that_breaks_twice_is_an_error_and_never_a_failure(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        played.lamps.faults = 2
        said = await played.agent.refused(
            "act",
            attempt=played.agent.attempt,
            item=item,
            action="click",
            coordinate=[5, 5],
        )
        assert "never as a failure" in said
        assert "exploded" not in said
        # It may be begun anew, once.
        assert (await played.agent.item(item=item))["step"] == 0
        played.lamps.faults = 2
        await played.agent.refused(
            "act", attempt=played.agent.attempt, item=item, action="click", coordinate=[5, 5]
        )
        assert "never as a failure" in await played.agent.refused(
            "get_item", attempt=played.agent.attempt, item=item
        )
        await played.agent.answer(item, "done")
        found = await report(played)
        assert found["outcomes"] == {"error": 1, "missing": 3}


async def test_a_server_that_comes_back_goes_on_where_the_store_stands(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        await press(played, item, 4)
        handle = played.agent.attempt
    async with play() as played:
        played.agent.attempt = handle
        assert (await played.agent.item(item=item))["step"] == 1
        said = await press(played, item, 5)
        assert said["step"] == 2
        assert played.lamps.opened == ["000010000"]
        assert played.lamps.running[0].lamps == "000011000"


async def test_two_calls_at_once_are_done_one_after_the_other(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        said = await asyncio.gather(*(press(played, item, lamp) for lamp in range(3)))
        assert sorted(each["step"] for each in said) == [1, 2, 3]
        assert played.lamps.running[0].lamps == "111000000"


async def test_another_client_can_neither_act_nor_look(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        for tool, more in (("act", {"action": "wait"}), ("get_screenshot", {})):
            said = await played.agent.refused(
                tool, attempt=played.agent.attempt, item=item, client="other", **more
            )
            assert "another client's" in said


async def test_who_acts_or_looks_keeps_the_item(play: Play) -> None:
    now = [1_700_000_000_000]
    async with play(clock=Clock(now=lambda: now[0]), lease_minutes=2) as played:
        item = await begun(played)
        agent = played.agent
        for lamp in range(4):
            now[0] += 90_000
            await (
                press(played, item, lamp)
                if lamp % 2
                else agent.result("get_screenshot", attempt=agent.attempt, item=item)
            )
            refused = await agent.refused(
                "get_item", attempt=agent.attempt, item=item, client="other"
            )
            assert "another client's" in refused
        now[0] += 121_000
        assert (await agent.item(item=item, client="other"))["item"] == item


async def test_an_episode_starts_again_for_another_client_and_its_record_says_so(
    play: Play,
) -> None:
    now = [1_700_000_000_000]
    async with play([lit(1)], clock=Clock(now=lambda: now[0]), lease_minutes=1) as played:
        item = await begun(played)
        agent = played.agent
        await press(played, item, 0)
        await agent.result("get_screenshot", attempt=agent.attempt, item=item)
        now[0] += 61_000
        opened = await agent.item(item=item, client="other")
        assert (opened["step"], opened["steps_left"]) == (0, 5)
        assert played.lamps.opened == [None, None]
        this = {"attempt": agent.attempt, "item": item}
        assert "another client's" in await agent.refused("act", **this, action="wait")
        click = {"action": "left_click", "coordinate": list(middle(1))}
        assert (await agent.call("act", **this, **click, client="other"))["step"] == 1
        # The world is the second one, also for the client that comes back to it.
        assert (await agent.item(item=item, client="other"))["step"] == 1
        now[0] += 4_000
        await agent.answer(item, "done", client="other")
        assert (await report(played))["metrics"]["sr"] == 1.0
        service = played.host.service
        (answers,) = service.export(service.register.numbered(1))
        record = json.loads(answers.lines())["response"]
        assert (record["tries"], record["cost"], record["seconds"]) == (2, 1, 4)


async def test_an_episode_that_nobody_played_goes_on_for_another_client(play: Play) -> None:
    now = [1_700_000_000_000]
    async with play([lit(1)], clock=Clock(now=lambda: now[0]), lease_minutes=1) as played:
        item = await begun(played)
        now[0] += 61_000
        assert (await played.agent.item(item=item, client="other"))["step"] == 0
        assert played.lamps.opened == [None]


async def test_looking_has_an_end(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        for _ in range(15):
            await played.agent.call("get_screenshot", attempt=played.agent.attempt, item=item)
        assert "limit of 15 screenshots" in await played.agent.refused(
            "get_screenshot", attempt=played.agent.attempt, item=item
        )


async def test_after_the_end_of_the_attempt_nothing_is_done(play: Play) -> None:
    async with play() as played:
        item = await begun(played)
        await report(played)
        assert "finished" in await played.agent.refused(
            "act", attempt=played.agent.attempt, item=item, action="wait"
        )


async def test_what_an_agent_hears_is_the_same_whatever_is_right(play: Play, store: Path) -> None:
    heard: list[str] = []
    # One handle of each run is its own, and so is what is made of it.
    for golds in ([lit(0), lit(1)], [lit(5, answer="x"), OutcomeGold(limit=5, reason="conflict")]):
        async with play(golds) as played:
            said: list[Any] = []
            await played.agent.start()
            for lamp in (0, 1):
                item = await played.agent.item()
                said += [item["prompt"], item["steps_left"]]
                said.append(await press(played, item["item"], lamp))
                ended = await played.agent.answer(item["item"], "7")
                said.append({**ended, "item": ""})
            heard.append(json.dumps(said))
        shutil.rmtree(store.with_name("other"))
    assert heard[0] == heard[1]


async def test_an_attempt_goes_on_through_the_door_that_it_was_begun_at(
    play: Callable[..., Any],
) -> None:
    async with play() as played:
        handle = await played.agent.start()
    async with play(door=Door.TOOLS) as played:
        said = await played.agent.refused("get_item", attempt=handle)
        assert "begun with door screen" in said
