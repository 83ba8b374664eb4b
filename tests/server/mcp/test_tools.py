"""The tools as an agent meets them, in both eras of the protocol."""

import base64
import io
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import Implementation, Tool
from PIL import Image

from snellen.server.exam.rules import Rules
from snellen.server.host import LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.mcp.tools import TOOLS
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

pytestmark = pytest.mark.compat

Agent = Any
Exam = Callable[..., Any]

NAMES = [
    "list_benchmarks",
    "start_attempt",
    "list_items",
    "get_item",
    "get_screenshot",
    "submit_answer",
    "finish_attempt",
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_items", {}),
    ("get_item", {}),
    ("get_screenshot", {"item": "abcdefghij"}),
    ("submit_answer", {"item": "abcdefghij", "answer": "x"}),
    ("finish_attempt", {}),
]


async def listed(agent: Agent) -> list[Tool]:
    return (await agent.client.list_tools()).tools


async def test_there_are_seven_tools_always_in_the_same_order(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        assert [tool.name for tool in await listed(agent)] == NAMES
        assert [tool.name for tool in await listed(agent)] == NAMES


async def test_the_list_of_tools_takes_at_most_six_kilobytes(exam: Exam) -> None:
    async with exam() as agent:
        found = await agent.client.list_tools()
        assert len(found.model_dump_json(by_alias=True, exclude_none=True).encode()) <= 6 * 1024


@pytest.mark.parametrize("depth", [3_000, 100_000])
async def test_an_argument_that_is_nested_too_deep_is_named(exam: Exam, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        said = await agent.refused("get_screenshot", attempt=agent.attempt, item=item, region=deep)
        # Some Pythons read 3,000 lists in one another, and then the first is no number.
        assert said.startswith(("region: ", "region.0: "))
        assert len(said) < 500
        said = await agent.refused("start_attempt", tasks=deep)
        assert said.startswith(("tasks: ", "tasks.0: "))


async def test_every_tool_says_whether_it_may_run_without_asking(exam: Exam) -> None:
    async with exam() as agent:
        for tool in await listed(agent):
            assert tool.annotations is not None
            hints = tool.annotations.model_dump(exclude={"title"})
            assert all(isinstance(hint, bool) for hint in hints.values())
            assert (hints["destructive_hint"], hints["open_world_hint"]) == (False, False)
            assert tool.meta == {"anthropic/alwaysLoad": True}


async def test_schemas_are_closed_and_hold_no_titles_and_no_nulls(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        for tool in await listed(agent):
            assert tool.output_schema is None
            assert tool.input_schema["additionalProperties"] is False
            text = json.dumps(tool.input_schema)
            assert '"title"' not in text
            assert "null" not in text
            assert "$" not in text


@pytest.mark.slow
async def test_an_agent_takes_the_whole_exam(exam_of_era: Exam, golds: Mapping[str, str]) -> None:
    async with exam_of_era() as agent:
        offered = await agent.call("list_benchmarks")
        assert [(task["task"], task["items"]) for task in offered["tasks"]] == [
            ("screenqa/short", 12)
        ]
        await agent.start(model="an-agent")
        for answered in range(12):
            item = await agent.item()
            assert item["progress"] == {"answered": answered, "open": 12 - answered}
            stored = await agent.answer(item["item"], golds[item["prompt"]])
            assert stored["stored"] == golds[item["prompt"]]
            assert stored["next"] == ("get_item" if answered < 11 else "finish_attempt")
        assert "every item is answered" in await agent.refused("get_item", attempt=agent.attempt)
        report = await agent.finish(agent.attempt)
        assert report["value"] == 1.0
        assert report["model"] == "an-agent"
        assert report["tasks"][0]["answered"] == 12
        assert report["cost"]["image_bytes"] > 0
        assert report["cost"]["image_tokens"] > 0
        # Finishing again gives the same report.
        assert await agent.finish(agent.attempt) == report


async def test_an_item_comes_with_its_image_as_content_only(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        await agent.start()
        result = await agent.result("get_item", attempt=agent.attempt)
        assert [content.type for content in result.content] == ["text", "image"]
        assert result.structured_content is None
        told = json.loads(agent.text(result))
        assert told["answer_format"] == {"kind": "text", "example": "7:30 PM"}
        assert told["images"] == [{"name": "screen", "width": 720, "height": 1280}]
        assert "720 x 1280" in told["view"]["shows"]
        (image,) = agent.images(result)
        with Image.open(io.BytesIO(base64.b64decode(image.data))) as picture:
            assert picture.size == (720, 1280)
            assert Image.MIME[picture.format or ""] == image.mime_type


async def test_an_item_tells_nothing_of_where_it_comes_from(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item = await agent.item()
        assert "test/" not in json.dumps(item)
        assert "image_id" not in json.dumps(item)
        other = await agent.start()
        assert (await agent.item(client="another"))["item"] != item["item"]
        assert other != ""


async def test_a_region_can_be_enlarged_and_the_text_says_how_it_maps(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        result = await agent.result(
            "get_screenshot",
            attempt=agent.attempt,
            item=item,
            region=[0, 0, 500, 100],
            space="thousand",
            zoom=2,
            format="png",
        )
        told = json.loads(agent.text(result))
        assert told["view"]["id"] == "screen 0,0,360,128 of 720x1280 at 720x256"
        assert "x = x_view * 0.5" in told["view"]["shows"]
        (image,) = agent.images(result)
        assert image.mime_type == "image/png"
        with Image.open(io.BytesIO(base64.b64decode(image.data))) as picture:
            assert picture.size == (720, 256)


@pytest.mark.parametrize(
    ("software", "rule", "asked", "sent"),
    [
        ("mcp", "auto", "auto", "webp"),
        ("llama-webui-mcp", "auto", "auto", "png"),
        ("LM Studio", "auto", "auto", "png"),
        ("mcp", "png", "auto", "png"),
        ("mcp", "png", "webp", "webp"),
        ("llama-webui-mcp", "webp", "auto", "webp"),
    ],
)
async def test_the_rules_and_the_client_decide_how_a_view_is_encoded(
    opening: Exam,
    agent_of: Callable[..., Agent],
    era: str,
    software: str,
    rule: str,
    asked: str,
    sent: str,
) -> None:
    offered = opening(format=rule)
    known = Implementation(name=software, version="1")
    async with Client(ExamServer(offered).server, mode=era, client_info=known) as client:
        agent = agent_of(client)
        handle = await agent.start()
        given = {"attempt": handle, "item": (await agent.item())["item"]}
        # At another size the screen has more colors than a palette holds.
        result = await agent.result("get_screenshot", **given, max_side=700, format=asked)
        (image,) = agent.images(result)
        assert image.mime_type == f"image/{sent}"
        report = await agent.finish(handle)
        assert (f"format:{rule}" in report["tasks"][0]["signature"]) == (rule != "auto")
    await offered.close()


async def test_a_list_that_was_sent_as_text_is_read(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start(tasks='["screenqa/short"]')
        item = (await agent.item())["item"]
        told = await agent.call(
            "get_screenshot", attempt=agent.attempt, item=item, region="[0, 0, 100, 100]"
        )
        assert told["view"]["id"].startswith("screen 0,0,100,100")


async def test_null_in_the_place_of_an_optional_argument_is_as_if_it_were_left_out(
    exam: Exam,
) -> None:
    async with exam() as agent:
        await agent.start(tasks=None, contexts=None, model=None)
        listed = await agent.call("list_items", attempt=agent.attempt, status=None, cursor=None)
        item = await agent.item(item=None, client=None)
        assert item["item"] in [one["item"] for one in listed["items"]]
        names = ("image", "region", "space", "tile", "zoom", "max_side", "format", "client")
        nothing = dict.fromkeys(names)
        looked = await agent.result(
            "get_screenshot", attempt=agent.attempt, item=item["item"], **nothing
        )
        assert not looked.is_error
        await agent.answer(item["item"], "x", space=None, view=None, client=None)


async def test_views_are_counted_and_what_can_not_be_shown_costs_none(exam: Exam) -> None:
    async with exam(views=2) as agent:
        await agent.start()
        item = await agent.item()
        assert item["views_left"] == 2
        ask = {"attempt": agent.attempt, "item": item["item"]}
        assert "not in the image" in await agent.refused(
            "get_screenshot", **ask, region=[0, 0, 9000, 9000]
        )
        assert "has: screen" in await agent.refused("get_screenshot", **ask, image="other")
        assert (await agent.call("get_screenshot", **ask))["views_left"] == 1
        assert (await agent.call("get_screenshot", **ask, tile=1))["views_left"] == 0
        assert "all 2 views" in await agent.refused("get_screenshot", **ask)


async def test_the_same_answer_again_changes_nothing(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        first = await agent.answer(item, "Laura")
        again = await agent.answer(item, "Laura")
        assert (first["again"], again["again"]) == (False, True)
        assert again["progress"] == {"answered": 1, "open": 11}
        refused = await agent.refused(
            "submit_answer", attempt=agent.attempt, item=item, answer="Raphael"
        )
        assert "only one is taken" in refused


async def test_an_exam_says_nothing_about_what_is_right(
    exam: Exam, golds: Mapping[str, str]
) -> None:
    async with exam(submissions=2) as agent:
        await agent.start()
        item = await agent.item()
        right = await agent.answer(item["item"], golds[item["prompt"]])
        wrong = await agent.answer(item["item"], "something else")
        assert right.keys() == wrong.keys()
        assert "score" not in right
        told = {key: right[key] for key in ("item", "again", "progress", "next")}
        assert told == {key: wrong[key] for key in told}


async def test_practice_says_what_each_answer_is_worth(
    exam: Exam, golds: Mapping[str, str]
) -> None:
    async with exam(mode="practice", submissions=2) as agent:
        started = await agent.call("start_attempt")
        assert "never counts" in started["rules"][0]
        agent.attempt = started["attempt"]
        item = await agent.item()
        wrong = await agent.answer(item["item"], "zzz")
        right = await agent.answer(item["item"], golds[item["prompt"]])
        assert (wrong["score"]["value"], right["score"]["value"]) == (0.0, 1.0)
        assert right["score"]["metric"] == "f1"
        report = await agent.finish(agent.attempt)
        assert report["mode"] == "practice"


async def test_a_deferred_exam_records_and_reports_no_number(exam: Exam) -> None:
    async with exam(mode="deferred") as agent:
        await agent.start()
        item = await agent.item()
        await agent.answer(item["item"], "12")
        report = await agent.finish(agent.attempt)
        assert report["value"] is None
        assert report["tasks"][0]["answered"] == 1
        assert report["tasks"][0]["metrics"] == {}


async def test_items_are_listed_by_whether_they_are_answered(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item(client="one"))["item"]
        everything = await agent.call("list_items", attempt=agent.attempt)
        assert len(everything["items"]) == 12
        assert "next_cursor" not in everything
        assert everything["items"][0] == {
            "item": item,
            "task": "screenqa/short",
            "answered": False,
            "held_by": "one",
        }
        await agent.answer(item, "x", client="one")
        for status, count in (("answered", 1), ("open", 11)):
            page = await agent.call("list_items", attempt=agent.attempt, status=status)
            assert len(page["items"]) == count
        rest = await agent.call("list_items", attempt=agent.attempt, cursor="10")
        assert [one["item"] for one in rest["items"]] == [everything["items"][11]["item"]]


@pytest.mark.slow
async def test_clients_of_one_attempt_get_different_items(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        given = [(await agent.item(client=f"agent {n}"))["item"] for n in range(12)]
        assert len(set(given)) == 12
        # Question again, each gets what it holds: it may have lost the result.
        assert (await agent.item(client="agent 3"))["item"] == given[3]
        refused = await agent.refused(
            "submit_answer", attempt=agent.attempt, item=given[0], answer="x", client="agent 5"
        )
        assert "agent 0" in refused


async def test_fresh_contexts_see_one_item_each(exam: Exam) -> None:
    async with exam() as agent:
        started = await agent.call("start_attempt", contexts="fresh")
        agent.attempt = started["attempt"]
        assert any("new context" in rule for rule in started["rules"])
        item = await agent.item(client="first")
        await agent.answer(item["item"], "x", client="first")
        refused = await agent.refused("get_item", attempt=agent.attempt, client="first")
        assert "one question a context" in refused
        assert "client name" not in refused
        assert (await agent.item(client="second"))["item"] != item["item"]


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[tool for tool, _ in CALLS])
async def test_a_forged_handle_and_somebody_elses_are_refused_alike(
    exam: Exam, tool: str, arguments: dict[str, Any]
) -> None:
    async with exam() as agent:
        forged = await agent.refused(tool, attempt="att_" + "0" * 48, **arguments)
        assert forged == "no attempt of yours has this handle; start_attempt returns one"
        assert await agent.refused(tool, attempt="'; drop table", **arguments) == forged


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            "submit_answer",
            {"anwser": "x"},
            "there is no argument 'anwser' (did you mean 'answer'?)",
        ),
        ("submit_answer", {}, "the argument 'answer' is missing"),
        ("submit_answer", {"answer": " "}, "the answer is empty; an answer looks like: 7:30 PM"),
        ("submit_answer", {"answer": None}, "the answer is empty"),
        ("submit_answer", {"answer": "x" * 1_100_000}, "the answer is longer than"),
        (
            "submit_answer",
            {"answer": "x", "client": "c" * 99},
            "client: String should have at most",
        ),
        ("submit_answer", {"answer": "x", "view": "somewhere"}, "no view"),
        ("get_screenshot", {"regio": [0, 0, 1, 1]}, "(did you mean 'region'?)"),
        ("get_screenshot", {"region": [0, 0, 1]}, "region.3: Field required"),
        ("get_screenshot", {"region": "all"}, "region: Input should be a valid tuple"),
        ("get_screenshot", {"tile": 99}, "there is no tile 99"),
        ("get_screenshot", {"zoom": 1e9}, "zoom must be"),
        ("get_screenshot", {"max_side": 3}, "max_side must be at least 64"),
        ("get_screenshot", {"format": "bmp"}, "format: Input should be"),
        ("get_screenshot", {"image": "gold"}, "no image 'gold'"),
        ("get_item", {"seed": 3}, "there is no argument 'seed'"),
        ("list_items", {"item": None}, "there is no argument 'item'"),
    ],
)
async def test_a_malformed_call_is_told_what_is_wrong(
    exam: Exam, tool: str, arguments: dict[str, Any], said: str
) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        named = {} if tool in {"get_item", "list_items"} else {"item": item}
        told = await agent.refused(tool, attempt=agent.attempt, **named, **arguments)
        assert said in told
        assert len(told) < 500
        # Nothing was stored, and the exam goes on.
        assert (await agent.answer(item, "x"))["again"] is False


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["\ud800", "x\0y"])
@pytest.mark.parametrize(
    ("tool", "argument", "said"),
    [
        ("get_item", "attempt", "no attempt of yours has this handle"),
        ("finish_attempt", "attempt", "no attempt of yours has this handle"),
        ("get_item", "item", "this attempt has no item"),
        ("submit_answer", "item", "this attempt has no item"),
        ("get_screenshot", "item", "this attempt has no item"),
        ("get_item", "client", "client"),
        ("list_items", "client", "client"),
        ("submit_answer", "client", "client"),
        ("list_items", "cursor", "cursor"),
        ("get_screenshot", "image", "image"),
        ("submit_answer", "view", "view"),
        ("start_attempt", "model", "model"),
    ],
)
async def test_text_that_no_database_keeps_is_refused_as_any_other(
    exam: Exam, tool: str, argument: str, said: str, odd: str
) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        given: dict[str, Any] = {
            "start_attempt": {},
            "list_items": {"attempt": agent.attempt},
            "get_item": {"attempt": agent.attempt},
            "get_screenshot": {"attempt": agent.attempt, "item": item},
            "submit_answer": {"attempt": agent.attempt, "item": item, "answer": "x"},
            "finish_attempt": {"attempt": agent.attempt},
        }[tool]
        assert said in await agent.refused(tool, **{**given, argument: odd})


async def test_seed_mode_and_sample_are_no_arguments(exam: Exam) -> None:
    async with exam() as agent:
        for argument in ("seed", "mode", "sample", "attempts"):
            assert f"no argument '{argument}'" in await agent.refused(
                "start_attempt", **{argument: 1}
            )


async def test_an_unknown_tool_is_answered_with_the_nearest(exam_of_era: Exam) -> None:
    async with exam_of_era() as agent:
        told = await agent.refused("submit_anwser")
        assert "did you mean 'submit_answer'?" in told
        assert all(name in told for name in TOOLS)


async def test_an_unknown_task_is_answered_with_those_that_are_offered(exam: Exam) -> None:
    async with exam() as agent:
        told = await agent.refused("start_attempt", tasks=["screenqa/long"])
        assert "offered are: screenqa/short" in told


async def test_no_answer_is_taken_after_the_end(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item = (await agent.item())["item"]
        await agent.finish(agent.attempt)
        told = await agent.refused("submit_answer", attempt=agent.attempt, item=item, answer="x")
        assert "start_attempt opens a new one" in told


async def test_attempts_are_limited_by_the_server(exam: Exam) -> None:
    async with exam(attempts=1) as agent:
        await agent.start()
        await agent.item()
        assert "ask the exam's organizer" in await agent.refused("start_attempt")


@pytest.fixture
def sample(store: Path, agent_of: Callable[..., Agent]) -> Callable[..., Any]:
    """Return a function that lets an agent take the exam `sample`, with pairs and small images."""

    @asynccontextmanager
    async def take(**rules: object) -> AsyncGenerator[Agent]:
        settings = Settings((exam_folder("sample"),), store, Rules.model_validate(rules))
        host = LazyHost(lambda: open_exam(settings))
        async with Client(ExamServer(host).server) as client:
            yield agent_of(client)
        await host.close()

    return take


@pytest.mark.slow
async def test_an_answer_brings_the_next_item_so_that_an_item_is_one_call(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        item, images, calls = await agent.item(), 1, 1
        seen = {item["item"]}
        while True:
            given = {"attempt": agent.attempt, "item": item["item"], "answer": "x"}
            result = await agent.result("submit_answer", **given, next=True)
            told, calls, images = (
                json.loads(agent.text(result)),
                calls + 1,
                images + len(agent.images(result)),
            )
            if told["next"] == "finish_attempt":
                break
            assert told["next"] == "submit_answer"
            item = told["next_item"]
            assert {"item", "task", "prompt", "answer_format", "view"} <= item.keys()
            seen.add(item["item"])
        assert (len(seen), images, calls) == (12, 12, 13)
        assert "next_item" not in told
        report = await agent.finish(agent.attempt)
        assert report["tasks"][0]["answered"] == 12


async def test_the_same_answer_again_brings_the_same_next_item(exam: Exam) -> None:
    async with exam() as agent:
        await agent.start()
        given = {"attempt": agent.attempt, "item": (await agent.item())["item"], "answer": "x"}
        first = await agent.call("submit_answer", **given, next=True)
        again = await agent.call("submit_answer", **given, next=True)
        assert again["again"] is True
        assert again["next_item"] == first["next_item"]


async def test_the_next_item_of_a_fresh_exam_is_for_another_context(exam: Exam) -> None:
    async with exam(contexts="fresh") as agent:
        await agent.start()
        given = {"attempt": agent.attempt, "item": (await agent.item())["item"], "answer": "x"}
        result = await agent.result("submit_answer", **given, next=True)
        told = json.loads(agent.text(result))
        assert "next_item" not in told
        assert agent.images(result) == []
        assert told["next"] == "get_item"
        assert "under another client name" in told["note"]
        assert (await agent.item(client="other"))["item"] != given["item"]


@pytest.mark.slow
async def test_a_context_that_sees_several_items_can_answer_all_of_them(sample: Exam) -> None:
    async with sample() as agent:
        started = await agent.call("start_attempt")
        agent.attempt = started["attempt"]
        item, answered = await agent.item(), 0
        while True:
            given = {"attempt": agent.attempt, "item": item["item"]}
            answer = item["answer_format"]["example"]
            told = await agent.call("submit_answer", **given, answer=answer, next=True)
            answered += 1
            if "next_item" not in told:
                break
            item = told["next_item"]
        assert told["next"] == "finish_attempt"
        assert told["progress"] == {"answered": started["items"], "open": 0}
        result = await agent.result("finish_attempt", attempt=agent.attempt)
        text = agent.text(result)
        assert len(text.encode()) <= 4096
        report = json.loads(text)
        values = [task["value"] for task in report["tasks"]]
        total = report["total"]
        assert (report["items"], report["clients"], len(values)) == (answered, 1, 28)
        assert total["name"] == "mean over tasks"
        assert total["value"] == report["value"] == pytest.approx(sum(values) / 28, abs=1e-4)
        assert total["interval"]["low"] <= total["value"] <= total["interval"]["high"]
        assert 0 < total["chance"] < total["baseline"] < 1
        assert "|contexts:continuous|clients:1|" in report["signature"]
        whole = (await agent.finish())["tasks"]
        digests = [sha256(task["signature"].encode()).hexdigest()[:12] for task in whole]
        assert [task["signature"] for task in report["tasks"]] == [
            f"sha256:{one}" for one in digests
        ]


@pytest.mark.slow
async def test_fresh_contexts_see_both_halves_of_a_pair(sample: Exam) -> None:
    async with sample(contexts="fresh") as agent:
        await agent.start(tasks=["webrssbench/color"])
        seen: set[str] = set()
        told: dict[str, Any] = {}
        for client in "abcd":
            item = (await agent.item(client=client))["item"]
            given = {"attempt": agent.attempt, "item": item, "client": client}
            told = await agent.call("submit_answer", **given, answer="#000000", next=True)
            seen.add(item)
        assert len(seen) == 4
        assert told["next"] == "finish_attempt"
        report = await agent.finish()
        assert report["clients"] == 4
        assert "|contexts:fresh|clients:4|" in report["tasks"][0]["signature"]


async def test_small_images_come_with_their_item(sample: Exam) -> None:
    async with sample() as agent:
        await agent.start(tasks=["webrssbench/position"])
        result = await agent.result("get_item", attempt=agent.attempt)
        told = json.loads(agent.text(result))
        names = [image["name"] for image in told["images"]]
        assert len(names) == 5
        assert [view["id"].split()[0] for view in told["views"]] == names
        assert len(agent.images(result)) == 5
        assert "view" not in told


@pytest.mark.slow
async def test_a_long_page_comes_in_tiles_at_full_size(sample: Exam) -> None:
    async with sample() as agent:
        await agent.start(tasks=["screenqa/complex", "screenqa/long"])
        tiled: list[dict[str, Any]] = []
        for client in "abcd":
            result = await agent.result("get_item", attempt=agent.attempt, client=client)
            told = json.loads(agent.text(result))
            tiled += [told] if "views" in told else []
        assert tiled
        for told in tiled:
            assert told["images"][0]["height"] > 2600
            parts = [view["id"].partition(" at ") for view in told["views"]]
            assert len(parts) >= 2
            for where, _, shown in parts:
                left, top, right, bottom = map(int, where.split()[1].split(","))
                assert shown == f"{right - left}x{bottom - top}"


CHOICE, POINT, LIST = "visualwebbench/action_ground", "mmbench-gui/l2_basic", "screenqa/ui_contents"


@pytest.mark.slow
@pytest.mark.parametrize("task", [CHOICE, POINT, LIST])
async def test_an_answer_that_can_not_be_read_is_written_again_once_and_then_kept(
    sample: Exam, task: str
) -> None:
    async with sample() as agent:
        started = await agent.call("start_attempt", tasks=[task])
        assert any("may be written again once" in rule for rule in started["rules"])
        given = {"attempt": started["attempt"], "answer": "no idea", "next": True}
        first = (await agent.call("get_item", attempt=started["attempt"]))["item"]
        said = await agent.refused("submit_answer", **given, item=first)
        assert "Write it again, once: the next answer is kept as it is" in said
        listed = await agent.call("list_items", attempt=started["attempt"], status="open")
        assert len(listed["items"]) == started["items"]
        kept = await agent.call("submit_answer", **given, item=first)
        assert kept["progress"]["answered"] == 1
        second = kept["next_item"]
        example = {CHOICE: "A", POINT: second["answer_format"]["example"], LIST: "[]"}[task]
        again = {**given, "answer": example}
        done = await agent.call("submit_answer", **again, item=second["item"])
        assert done["next"] == "finish_attempt"
        (result,) = (await agent.finish(started["attempt"]))["tasks"]
        assert (result["answered"], result["rewritten"]) == (2, 1)
        assert "rewrites:" not in result["signature"]


async def test_an_answer_that_was_written_again_scores_as_if_it_were_the_first(
    exam: Exam, golds: Mapping[str, str]
) -> None:
    async with exam(sample=1, counting="first") as agent:
        await agent.start()
        item = await agent.item()
        given = {"attempt": agent.attempt, "item": item["item"]}
        assert "is empty" in await agent.refused("submit_answer", **given, answer=" ")
        stored = await agent.call("submit_answer", **given, answer=golds[item["prompt"]])
        assert (stored["again"], stored["submissions_left"]) == (False, 0)
        report = await agent.finish(agent.attempt)
        assert (report["value"], report["tasks"][0]["rewritten"]) == (1.0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rewrites", [0, 2])
async def test_the_organizer_sets_how_often_an_answer_is_written_again(
    sample: Exam, rewrites: int
) -> None:
    async with sample(rewrites=rewrites) as agent:
        await agent.start(tasks=[CHOICE])
        given = {"attempt": agent.attempt, "item": (await agent.item())["item"], "answer": "?"}
        for left in range(rewrites, 0, -1):
            said = await agent.refused("submit_answer", **given)
            assert ("once" if left == 1 else f"at most {left} times") in said
        assert (await agent.call("submit_answer", **given))["progress"]["answered"] == 1
        report = await agent.finish(agent.attempt)
        assert report["tasks"][0]["rewritten"] == min(rewrites, 1)
        assert f"|rewrites:{rewrites}" in report["tasks"][0]["signature"]


@pytest.mark.slow
async def test_what_can_not_be_read_among_shuffled_options_is_never_right(sample: Exam) -> None:
    async with sample(rewrites=0, mode="practice") as agent:
        await agent.start(tasks=[CHOICE])
        item, scores = await agent.item(), list[float]()
        for letter in "AB":
            told = await agent.call(
                "submit_answer",
                attempt=agent.attempt,
                item=item["item"],
                answer=f"It is ({letter}), or ({letter})",
                next=True,
            )
            scores.append(told["score"]["value"])
            item = told.get("next_item", item)
        assert scores == [0.0, 0.0]
