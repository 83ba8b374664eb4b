"""Images that can't be shown: the exam goes on, and the item is an error and no wrong answer."""

import json
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from snellen.server.attempts.models import Caller
from snellen.server.exam.rules import Rules
from snellen.server.host import LazyHost, open_exam
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.samples import exam_folder

AgentOf = Callable[[Client], Any]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Return a copy of the sample whose images may be damaged."""
    return Path(shutil.copytree(exam_folder("wireframes"), tmp_path / "pack"))


@pytest.fixture
def take(pack: Path, store: Path, agent_of: AgentOf) -> Callable[..., Any]:
    """Return a function that lets an agent take the pack, by some rules."""

    @asynccontextmanager
    async def taking(**rules: object) -> AsyncGenerator[Any]:
        settings = Settings((pack,), store, Rules.model_validate(rules))
        opening = LazyHost(lambda: open_exam(settings))
        try:
            async with Client(ExamServer(opening).server) as client:
                agent = agent_of(client)
                agent.opening = opening
                yield agent
        finally:
            await opening.close()

    return taking


def image_of(pack: Path, prompt: str) -> Path:
    """Return the image's file of the item with a prompt."""
    for line in (pack / "items.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["item"]["prompt"] == prompt:
            (image,) = record["images"].values()
            return pack / "images" / image["file"]
    raise AssertionError(prompt)


def damage(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


async def first_item(take: Callable[..., Any]) -> tuple[str, str]:
    """Return the id and prompt of an item of an attempt that is abandoned."""
    async with take() as agent:
        await agent.start()
        item = await agent.item()
        return item["item"], item["prompt"]


@pytest.mark.slow
async def test_an_item_with_a_damaged_image_is_handed_out_and_the_attempt_goes_on(
    pack: Path, take: Callable[..., Any], golds: Mapping[str, str]
) -> None:
    _, prompt = await first_item(take)
    file = image_of(pack, prompt)
    damage(file)
    async with take() as agent:
        await agent.start()
        seen: list[str] = []
        while len(seen) < len(golds):
            result = await agent.result("get_item", attempt=agent.attempt)
            item = json.loads(agent.text(result))
            seen.append(item["prompt"])
            if image_of(pack, item["prompt"]) == file:
                assert agent.images(result) == []
                assert "can't be shown" in item["fault"]
                assert "view" not in item
                looked = await agent.call(
                    "get_screenshot", attempt=agent.attempt, item=item["item"], zoom=2
                )
                assert looked == {"item": item["item"], "fault": item["fault"]}
                # A right answer and a wrong one are the same here.
                await agent.answer(item["item"], golds[prompt] if len(seen) % 2 else "no idea")
            else:
                assert "fault" not in item
                assert len(agent.images(result)) == 1
                await agent.answer(item["item"], golds[item["prompt"]])
        assert sorted(seen) == sorted(golds)
        report = await agent.finish()
    (task,) = report["tasks"]
    errors = sum(image_of(pack, one) == file for one in golds)
    assert task["outcomes"] == {"answered": 12 - errors, "error": errors}
    assert task["answered"] == 12
    assert task["value"] == pytest.approx((12 - errors) / 12)


async def test_an_item_that_was_skipped_for_its_image_is_an_error_and_not_missing(
    pack: Path, take: Callable[..., Any]
) -> None:
    shutil.rmtree(pack / "images")
    async with take() as agent:
        await agent.start()
        assert "fault" in await agent.item()
        report = await agent.finish()
    assert report["tasks"][0]["outcomes"] == {"missing": 11, "error": 1}


async def test_an_image_that_could_be_shown_later_is_no_fault(
    pack: Path, take: Callable[..., Any], golds: Mapping[str, str]
) -> None:
    async with take(mode="practice") as agent:
        await agent.start()
        (pack / "images").rename(pack / "elsewhere")
        item = await agent.item()
        assert "fault" in item
        answered = await agent.answer(item["item"], golds[item["prompt"]])
        assert answered["score"]["outcome"] == "error"
        assert answered["score"]["value"] == 0
        (pack / "elsewhere").rename(pack / "images")
        other = await agent.item()
        await agent.answer(other["item"], golds[other["prompt"]])
        shown = await agent.call("get_screenshot", attempt=agent.attempt, item=item["item"])
        assert "view" in shown
        report = await agent.finish()
    assert report["tasks"][0]["outcomes"] == {"answered": 2, "missing": 10}


async def test_an_image_that_can_not_be_shown_costs_no_view(
    pack: Path, take: Callable[..., Any]
) -> None:
    async with take(views=2) as agent:
        await agent.start()
        shutil.rmtree(pack / "images")
        item = await agent.item()
        for _ in range(3):
            await agent.call("get_screenshot", attempt=agent.attempt, item=item["item"])
        assert (await agent.item())["views_left"] == 2


async def test_answers_to_an_item_that_could_not_be_shown_are_exported_as_errors(
    pack: Path, take: Callable[..., Any]
) -> None:
    async with take(mode="deferred") as agent:
        await agent.start()
        shutil.rmtree(pack / "images")
        item = await agent.item()
        await agent.answer(item["item"], "a guess")
        await agent.finish()
        service = (await agent.opening.get()).service
        (exported,) = service.export(service.attempt(agent.attempt, Caller().name))
    lines = [json.loads(line) for line in exported.lines().splitlines()]
    (faulty,) = [line for line in lines if line.get("error")]
    assert faulty["response"] == "a guess"
    assert "could not be shown" in faulty["error"]


@pytest.mark.slow
async def test_the_log_names_the_file_of_an_image_that_can_not_be_shown(
    pack: Path, serve: Callable[..., Any], store: Path, agent_of: AgentOf
) -> None:
    for file in (pack / "images").rglob("*.*"):
        damage(file)
    served = serve(str(pack), "--store", str(store))
    async with Client(streamable_http_client(served.url)) as client:
        agent = agent_of(client)
        await agent.start()
        item = await agent.item()
    log = [json.loads(line) for line in served.stop().splitlines() if line.startswith("{")]
    (fault,) = [line for line in log if line["event"] == "image fault"]
    assert fault["image"] == str(image_of(pack, item["prompt"]))
    assert fault["level"] == "error"
