"""The desk at an address: the agent's own browser does the tasks, or a person's."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import httpx2
import msgspec
import pytest
from desk_oracle import ending, goal_of
from mcp import Client
from page_hand import TOKEN, PageHand, plain
from playwright.async_api import async_playwright

from snellen.grading.protocols.golds import Changes, OutcomeGold
from snellen.replay.replay import played_episodes, replay
from snellen.server.episodes import queries
from snellen.server.exam.rules import Door, Rules
from snellen.server.host import Host, lazy_host, open_exam
from snellen.server.http.playing import own_pages
from snellen.server.mcp.server import ExamServer
from snellen.server.settings import Settings
from snellen.tasks.benchmarks.desk.load import Row, write_rows
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.browser.finding import find_browser
from snellen.tasks.pack.write import Part, write_pack
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import TEMPLATES, draw, gold_of, rows_of
from snellen.worlds.desk.toolset import DeskToolset

SEED = 11


@pytest.fixture(scope="module")
def tasks() -> Sequence[Task]:
    """Return one task of each template."""
    return draw(len(TEMPLATES), SEED)


def packed(rows: Sequence[Row], folder: Path) -> Path:
    """Return a pack of tasks."""
    write_rows(rows, folder)
    parts = [Part(load_task(task, folder)) for task in ("desk/l3", "desk/l4")]
    write_pack(parts, folder / "pack", name="desk")
    return folder / "pack"


@pytest.fixture(scope="module")
def desk(tasks: Sequence[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a pack of the tasks."""
    return packed(rows_of(tasks), tmp_path_factory.mktemp("desk"))


def never(name: str) -> NoReturn:
    """Return no environment: a replay of pages needs none."""
    raise AssertionError(name)


class UrlExam:
    """An agent, its browser, and the exam."""

    def __init__(self, agent: Any, http: httpx2.AsyncClient, opened: Callable[[], Host]) -> None:
        self.agent = agent
        self.http = http
        self.opened = opened

    async def at(self, tasks: Sequence[Task]) -> tuple[str, PageHand]:
        """Get the next item, and open its page."""
        item = await self.agent.item()
        task = next(task for task in tasks if task.goal == goal_of(item))
        hand = PageHand(self.http, item["url"], task)
        await hand.open()
        return item["item"], hand

    def row(self, place: int = 0) -> Any:
        """Return the stored episode."""
        database = self.opened().database
        return database.read(lambda c: queries.EPISODE.one(c, {"a": 1, "p": place}))


@pytest.fixture
def serve_at(
    agent_of: Callable[[Client], Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Serve a pack at addresses; the server has no browser."""
    monkeypatch.setenv("SNELLEN_BROWSER", "none-is-installed")

    @asynccontextmanager
    async def serve(pack: Path, store: Path, **rules: Any) -> AsyncGenerator[UrlExam]:
        settings = Settings((pack,), store, Rules.model_validate({"door": Door.URL, **rules}))
        host = lazy_host(settings, lambda: open_exam(settings))
        async with (
            own_pages(host),
            Client(ExamServer(host).server) as client,
            httpx2.AsyncClient(timeout=60) as http,
        ):
            opened = await host.get()
            yield UrlExam(agent_of(client), http, lambda: opened)
        await host.close()

    return serve


@pytest.fixture
def take(desk: Path, store: Path, serve_at: Callable[..., Any]) -> Callable[..., Any]:
    """Serve the desk, again and again on the same store."""
    return partial(serve_at, desk, store)


@pytest.mark.slow
async def test_the_oracle_succeeds_in_every_task_and_leaves_the_state_of_the_other_doors(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    by_goal = {task.goal: task for task in tasks}
    async with take() as played:
        await played.agent.start()
        for place in range(len(tasks)):
            item = await played.agent.item()
            task = by_goal[goal_of(item)]
            hand = PageHand(played.http, item["url"], task)
            await hand.open()
            for step in task.oracle:
                await hand.do(step)
            clicks = [step for step in task.oracle if step.text is None and not step.hovers]
            assert played.row(place).steps == len(clicks)
            await played.agent.answer(item["item"], ending(task))
            made = json.loads(played.row(place).result)["changes"]
            assert msgspec.convert(made, Changes) == gold_of(task).changes
        report = await played.agent.finish()
        service = played.opened().service
        for episode in played_episodes(service, service.register.numbered(1)):
            assert (await replay(episode, never)).fine
    for level in report["tasks"]:
        assert level["metrics"]["sr"] == 1.0
        assert "|door:url" in level["signature"]


async def test_an_agent_that_only_opens_the_pages_succeeds_in_none(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as played:
        await played.agent.start()
        for _ in range(6):
            item, _ = await played.at(tasks)
            await played.agent.answer(item, "done")
        report = await played.agent.finish()
    assert {level["metrics"]["sr"] for level in report["tasks"]} == {0.0}


async def test_a_request_without_a_control_of_the_page_is_no_step(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as played:
        await played.agent.start()
        _, hand = await played.at(tasks)
        stale = TOKEN.findall(hand.page)[0]
        for control in ("", "0" * 16):
            assert (await hand.post(control, {})).status_code == 200
        assert (await hand.open()).status_code == 200
        await hand.post(stale, {})
        assert (await played.http.post(f"{hand.url}/act", content=b"{}")).status_code == 400
        assert (await played.http.get(f"{hand.url}/act")).status_code == 404
        assert played.row().steps == 0


async def test_an_unknown_an_ended_and_another_attempts_address_get_the_same_words(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as played:
        await played.agent.start()
        item, hand = await played.at(tasks)
        await played.agent.answer(item, "done")
        guessed = hand.url[:-1] + ("0" if hand.url[-1] != "0" else "1")
        said = {(await played.http.get(url)).text for url in (hand.url, guessed, f"{hand.url}/x")}
        posted = await hand.post("0" * 16, {})
        assert said == {posted.text}
        assert posted.status_code == 404


async def test_an_address_dies_with_its_lease_and_get_item_revives_it(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take(lease_minutes=0.00001) as played:
        await played.agent.start()
        _, hand = await played.at(tasks)
        assert (await hand.open()).status_code == 404
    async with take() as played:
        await played.agent.start()
        item = await played.agent.item()
        again = await played.agent.item(item=item["item"])
        assert item["url"] == again["url"]


async def test_a_second_browser_is_refused_until_it_takes_the_task_over(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as played, httpx2.AsyncClient(follow_redirects=True) as other:
        await played.agent.start()
        _, hand = await played.at(tasks)
        refused = await other.get(hand.url)
        assert refused.status_code == 409
        assert "open in another browser" in refused.text
        assert 'id="root"' not in refused.text
        assert 'id="root"' in (await other.post(f"{hand.url}/move")).text
        assert (await hand.open()).status_code == 409
        assert played.row().browsers == 2


async def test_an_episode_goes_on_after_the_server_was_restarted(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take() as played:
        handle = await played.agent.start()
        item, hand = await played.at(tasks)
        step = next(step for step in hand.task.oracle if step.text is None)
        await hand.do(step)
        cookies = played.http.cookies
    async with take() as played:
        played.agent.attempt, played.http.cookies = handle, cookies
        again = await played.agent.item(item=item)
        assert again["step"] == 1
        hand.http, hand.url = played.http, again["url"]
        await hand.open()
        assert plain(hand.page) == plain(hand.own.page.html)


async def test_no_step_is_left_after_the_limit_of_steps_or_of_minutes(
    take: Callable[..., Any], tasks: Sequence[Task]
) -> None:
    async with take(episode_minutes=0.00001) as played:
        await played.agent.start()
        item = await played.agent.item()
        over = await played.http.get(item["url"])
        assert over.status_code == 409
        assert "minutes of this task are over: call submit_answer" in over.text


def other_gold(row: Row) -> Row:
    """Return a row with another reference."""
    made = Changes(changed={"mail.messages.m1.read": (False, True)})
    gold = OutcomeGold(limit=row.gold.limit, changes=made, reason="conflict")
    return msgspec.structs.replace(row, gold=gold)


async def crawl(played: UrlExam, count: int, rng: Random) -> AsyncGenerator[tuple[object, ...]]:
    """Send requests to the pages of an attempt, and yield what came back of each.

    What is drawn at random in each attempt (tokens, ids, the cookie, the time) is left out.
    """
    await played.agent.start()
    sent = 0
    while sent < count:
        item = await played.agent.item()
        secret, page = item["url"].rpartition("/")[2], ""
        for turn in range(count // 20):
            controls = [*TOKEN.findall(page), "", "0" * 16, "../act", "__proto__"]
            post = {
                "control": rng.choice(controls),
                "onto": rng.choice(controls),
                "fields": {name: rng.choice(WORDS) for name in FIELD.findall(page)},
            }
            way = rng.choice(WAYS) if turn else "GET"
            answer = await (
                played.http.post(f"{item['url']}/act", json=post)
                if way == "act"
                else played.http.request(way.split()[0], item["url"] + way.partition(" ")[2])
            )
            sent += 1
            if way == "act" and answer.status_code == 200:
                page = answer.text
            told = sorted(
                (name, value.replace(secret, "*"))
                for name, value in answer.headers.items()
                if name not in VOLATILE
            )
            yield way, answer.status_code, told, plain(answer.text).replace(secret, "*")
        answered = await played.agent.answer(item["item"], {"status": "done", "answer": "x"})
        yield "answer", answered["progress"], answered["stored"]


FIELD = re.compile(r'data-f="([^"]+)"')
WORDS = ("", "3", "Anna", "x@y.example", "2025-10-13", "<b>", "é" * 50)
WAYS = ("act",) * 12 + (
    *("GET", "GET /act", "POST", "POST /move", "GET /state", "GET /..%2f", "PUT", "POST /act"),
)
VOLATILE = {"date", "x-request-id", "set-cookie", "content-length"}


@pytest.mark.slow
async def test_two_thousand_requests_show_nothing_that_depends_on_a_reference(
    serve_at: Callable[..., Any], tmp_path: Path
) -> None:
    rows = rows_of(draw(20, SEED))
    heard: list[list[tuple[object, ...]]] = []
    for name, given in (("one", rows), ("other", [other_gold(row) for row in rows])):
        pack = packed(given, tmp_path / name)
        async with serve_at(pack, tmp_path / f"{name}.sqlite") as played:
            heard.append([each async for each in crawl(played, 2_000, Random(SEED))])
    assert len(heard[0]) > 2_000
    assert heard[0] == heard[1]
    pages = "".join(str(each) for each in heard[0]).lower()
    for word in ("oracle", "infeasible", "reward"):
        assert word not in pages


@pytest.mark.browser
@pytest.mark.slow
async def test_a_browser_with_webmcp_calls_the_tools_of_the_page(
    take: Callable[..., Any], tasks: Sequence[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with take(door=Door.WEBMCP) as played, async_playwright() as driver:
        monkeypatch.delenv("SNELLEN_BROWSER")
        chromium = await driver.chromium.launch(
            executable_path=find_browser().program,
            args=["--no-sandbox", "--enable-experimental-web-platform-features"],
        )
        page = await chromium.new_page()
        await played.agent.start()
        for place in range(4):
            item = await played.agent.item()
            task = next(task for task in tasks if task.goal == goal_of(item))
            await page.goto(item["url"])
            assert (
                await page.inner_text("#said") == f"This page has {len(DeskToolset().tools)} tools."
            )
            for name, given in task.calls:
                assert "result" in str(await page.evaluate(CALL, [name, given]))
            assert played.row(place).steps == len(task.calls)
            await played.agent.answer(item["item"], ending(task))
        report = await played.agent.finish()
        service = played.opened().service
        for episode in played_episodes(service, service.register.numbered(1)):
            assert (await replay(episode, never)).fine
        await chromium.close()
    assert "|door:webmcp" in report["tasks"][0]["signature"]
    assert sum(task["metrics"]["sr"] * task["items"] for task in report["tasks"]) == pytest.approx(
        4
    )


CALL = """async ([name, given]) => {
  const tools = await document.modelContext.getTools();
  return document.modelContext.executeTool(tools.find((each) => each.name === name), given);
}"""
