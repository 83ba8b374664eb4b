"""Have agents that understand nothing play every page of MiniWoB++, and write what they reach.

    python perf/miniwob_null_agents.py

It takes a quarter of an hour on two cores. What it writes is printed beside every result.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.miniwob.agents import AGENTS, LIMIT, play
from snellen.tasks.environments.miniwob.episodes import MiniWoB
from snellen.tasks.environments.miniwob.site import installed_version

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
