"""Resources and the prompt."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import INVALID_PARAMS

Agent = Any
Exam = Callable[..., Any]


async def page(agent: Agent, uri: str) -> str:
    (content,) = (await agent.client.read_resource(uri)).contents
    return content.text


async def test_the_rules_are_those_of_the_server(exam: Exam) -> None:
    async with exam(views=1, minutes=30, submissions=3, counting="best", contexts="fresh") as agent:
        rules = await page(agent, "exam://rules")
        assert "You may take 1 view of an item's images" in rules
        assert "An attempt lasts 30 minutes." in rules
        assert "3 answers to an item are taken; the best counts." in rules
        assert "One item a context" in rules
        (listed,) = (await agent.client.list_resources()).resources
        assert (str(listed.uri), listed.mime_type) == ("exam://rules", "text/markdown")


async def test_a_task_has_a_card(exam: Exam) -> None:
    async with exam(sample=5) as agent:
        (task,) = (await agent.call("list_benchmarks"))["tasks"]
        card = await page(agent, task["card"])
        assert "# screenqa/short" in card
        assert "Items in an attempt: 5" in card
        assert "CC BY 4.0" in card


async def test_the_templates_name_the_cards_and_the_report(exam: Exam) -> None:
    async with exam() as agent:
        found = (await agent.client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in found] == [
            "exam://benchmarks/{+task}",
            "exam://attempts/{attempt}/report",
        ]


async def test_the_report_is_there_once_the_attempt_is_finished(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        await agent.start()
        uri = f"exam://attempts/{agent.attempt}/report"
        with pytest.raises(MCPError, match="there is no report yet; finish_attempt makes it"):
            await page(agent, uri)
        report = await agent.call("finish_attempt", attempt=agent.attempt)
        assert report["details"] == uri
        whole = json.loads(await page(agent, uri))
        assert {name: whole[name] for name in ("value", "total", "signature")} == {
            name: report[name] for name in ("value", "total", "signature")
        }


@pytest.mark.parametrize(
    "uri",
    [
        "exam://nowhere",
        "exam://benchmarks/screenqa/long",
        "exam://benchmarks/../references.jsonl",
        "exam://attempts/att_0/items",
        "file:///etc/passwd",
    ],
)
async def test_what_is_not_there_is_answered_with_what_is(exam: Exam, uri: str) -> None:
    async with exam() as agent:
        with pytest.raises(MCPError, match="no such resource; there are exam://rules") as refused:
            await page(agent, uri)
        assert refused.value.code == INVALID_PARAMS
        assert refused.value.data == {"uri": uri}


async def test_a_forged_handle_opens_no_report(exam: Exam) -> None:
    async with exam() as agent:
        with pytest.raises(MCPError, match="no attempt of yours has this handle"):
            await page(agent, f"exam://attempts/att_{'0' * 48}/report")


async def test_the_prompt_has_an_agent_take_the_exam(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        (listed,) = (await agent.client.list_prompts()).prompts
        assert listed.name == "take_exam"
        (message,) = (await agent.client.get_prompt("take_exam")).messages
        assert "Call start_attempt and keep the handle" in message.content.text
        asked = await agent.client.get_prompt("take_exam", {"tasks": "screenqa/short, webqa"})
        assert "with tasks screenqa/short, webqa" in asked.messages[0].content.text


async def test_a_misspelt_prompt_or_argument_is_refused(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        with pytest.raises(MCPError, match="there is take_exam"):
            await agent.client.get_prompt("take_exams")
        with pytest.raises(MCPError, match="takes tasks, not 'task'"):
            await agent.client.get_prompt("take_exam", {"task": "x"})
