"""Null agents, which ignore the goal: their score shows how lenient a success rule is.

Two of them read the places of buttons from the page, which an agent under test can't do. All act by
inputs only.
"""

import random
from collections.abc import AsyncIterator, Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from pydantic import JsonValue

from snellen.grading.models.actions import Point
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.miniwob.episodes import MiniWoB, MiniWoBEpisode

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
