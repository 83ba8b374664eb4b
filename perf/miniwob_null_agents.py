"""Have agents that understand nothing play every page of MiniWoB++, and write what they reach.

    python perf/miniwob_null_agents.py

It takes a quarter of an hour on two cores. What it writes is printed beside every result: the score
of agents that ignore the goal shows how lenient a success rule is. Two of them read the places of
buttons from the page, which an agent under test can't do. All act by inputs only.
"""

import argparse
import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

from pydantic import JsonValue

from snellen.grading.models.actions import Point
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.worlds.miniwob.episodes import MiniWoB, MiniWoBEpisode
from snellen.worlds.miniwob.site import installed_version

LIMIT: Final = 20
"""The maximum number of inputs: the largest limit of the published rules."""

Agent: TypeAlias = Callable[[MiniWoBEpisode, random.Random], AsyncIterator[Input]]
"""Yields its inputs, one after the other."""

# Where a button is that can be seen, in CSS pixels; the one with a text, or the first.
_BUTTON: Final = """(text) => {
  const inside = document.querySelector("#area") ?? document.body;
  const all = inside.querySelectorAll("button, input[type=submit], input[type=button]");
  for (const each of all) {
    const box = each.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const said = (each.textContent || each.value || "").trim().toLowerCase();
    if (box.width && box.height && x >= 0 && y >= 0 && x < 160 && y < 210
        && (!text || said === text)) return [x, y];
  }
  return null;
}"""
_BELOW: Final = "() => document.querySelector('#query')?.getBoundingClientRect().bottom ?? 50"


async def nothing(episode: MiniWoBEpisode, chance: random.Random) -> AsyncIterator[Input]:
    """Wait."""
    for _ in range(LIMIT):
        yield Input(InputKind.WAIT, seconds=5)


async def first_button(episode: MiniWoBEpisode, chance: random.Random) -> AsyncIterator[Input]:
    """Click the first button, once."""
    if place := await _button(episode, ""):
        yield Input(InputKind.CLICK, (place,))


async def submit(episode: MiniWoBEpisode, chance: random.Random) -> AsyncIterator[Input]:
    """Click the button that says Submit, once."""
    if place := await _button(episode, "submit"):
        yield Input(InputKind.CLICK, (place,))


async def random_clicks(episode: MiniWoBEpisode, chance: random.Random) -> AsyncIterator[Input]:
    """Click anywhere below the goal."""
    width, height = episode.stage.size
    top = await episode.stage.run(_BELOW)
    top = min(4 * top, height - 1) if isinstance(top, int | float) else height / 4
    for _ in range(LIMIT):
        yield Input(
            InputKind.CLICK, ((chance.uniform(0, width - 1), chance.uniform(top, height - 1)),)
        )


AGENTS: Final[Mapping[str, Agent]] = MappingProxyType(
    {
        "nothing": nothing,
        "Submit": submit,
        "first button": first_button,
        "random clicks": random_clicks,
    }
)
"""By the name that reports print."""


async def play(
    environment: MiniWoB, world: JsonValue, agent: Agent, seed: int
) -> dict[str, JsonValue]:
    """Play one episode.

    Args:
        environment: The environment that opens it.
        world: Its world.
        agent: The agent that plays.
        seed: With `world`, the seed of the agent's random choices: they differ in each world.

    Returns:
        The record of the episode, as an answer to `miniwob/episode`.

    Raises:
        EpisodeError: The environment broke.
    """
    episode = await environment.open(world)
    steps = 0
    try:
        async for given in agent(episode, random.Random(f"{seed} {world}")):
            await episode.act(given)
            steps += 1
            if episode.ended or steps == LIMIT:
                break
        result = episode.result
    finally:
        await episode.close()
    end = "page" if result["ended"] else "limit" if steps == LIMIT else "submitted"
    return {
        "status": "done",
        "cost": steps,
        "limit": LIMIT,
        "end": end,
        "reward": result["reward"],
        "ended": result["ended"],
    }


async def _button(episode: MiniWoBEpisode, text: str) -> Point | None:
    place = await episode.stage.run(_BUTTON, text)
    if not isinstance(place, list):
        return None
    x, y = (4 * float(str(each)) for each in place)
    return x, y


AT_ONCE = 4
FILE = Path(__file__).parent.parent / "tasks/snellen/tasks/benchmarks/miniwob/null_agents.json"


async def played(
    seeds: int, pages: int | None, agents: Sequence[str] = tuple(AGENTS)
) -> dict[str, dict[str, list[JsonValue]]]:
    """Return reward, end and cost of every episode, by agent and page."""
    environment = MiniWoB(Browser())
    free = asyncio.Semaphore(AT_ONCE)

    async def one(agent: str, page: str, seed: int) -> JsonValue:
        async with free:
            record = await play(environment, {"page": page, "seed": seed}, AGENTS[agent], seed)
        return [record["reward"], record["ended"], record["cost"]]

    async def several(agent: str, page: str) -> list[JsonValue]:
        return list(await asyncio.gather(*(one(agent, page, seed) for seed in range(seeds))))

    try:
        return {
            agent: {page: await several(agent, page) for page in environment.pages[:pages]}
            for agent in agents
        }
    finally:
        await environment.close()


def main() -> None:
    """Play, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="episodes of each page")
    parser.add_argument(
        "--agent",
        choices=list(AGENTS),
        help="play this one again and keep the rows of the others; all when left out",
    )
    parser.add_argument("--output", type=Path, default=FILE, help="where to")
    parser.add_argument("--quick", action="store_true", help="three pages, and write nothing")
    options = parser.parse_args()
    if options.quick:
        print(asyncio.run(played(1, 3)))
        return
    agents = [options.agent] if options.agent else list(AGENTS)
    file = json.loads(FILE.read_bytes())
    if options.agent and file["seeds"] != options.seeds:
        parser.error(f"the others played {file['seeds']} episodes of each page: give --seeds so")
    kept: dict[str, dict[str, list[JsonValue]]] = file["agents"] if options.agent else {}
    new = asyncio.run(played(options.seeds, None, agents))
    episodes = {agent: (new if agent in new else kept)[agent] for agent in AGENTS}
    head = {
        "command": "python perf/miniwob_null_agents.py",
        "seeds": options.seeds,
        "package": f"miniwob {installed_version()}",
        "time": "stepped",
        "limit": LIMIT,
        "columns": ["reward", "ended", "cost"],
    }
    # A line a page, so that what changes can be read.
    rows_by_agent = ",\n".join(
        f"  {json.dumps(agent)}: {{\n"
        + ",\n".join(f"   {json.dumps(page)}: {json.dumps(rows)}" for page, rows in pages.items())
        + "\n  }"
        for agent, pages in episodes.items()
    )
    text = (
        json.dumps(head, indent=1).removesuffix("\n}")
        + f',\n "agents": {{\n{rows_by_agent}\n }}\n}}\n'
    )
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
