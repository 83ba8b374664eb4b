"""Packs of two interactive tasks, and the way through one of them."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from desk_oracle import ending, inputs, written
from miniwob_hand import Hand, pixels

from snellen.tasks.benchmarks.desk.load import write_rows
from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.benchmarks.table import load_task
from snellen.tasks.environments.browser import Browser
from snellen.tasks.pack.write import Part, write_pack
from snellen.worlds.desk.environment import Desk
from snellen.worlds.desk.templates.table import TEMPLATES, draw, rows_of
from snellen.worlds.miniwob.episodes import MiniWoB, make_episodes


class Way(NamedTuple):
    """A task's goal, the arguments of `act` that do it, and the answer at its end."""

    goal: str
    acts: Sequence[Mapping[str, Any]]
    answer: Mapping[str, Any]


async def on_the_desk(folder: Path) -> Way:
    """Write a pack of two of the desk's tasks, and find the way through the first."""
    tasks = draw(len(TEMPLATES), seed=7)
    done = next(task for task in tasks if any(step.text for step in task.oracle))
    left = next(task for task in tasks if task.tags["level"] == "L4")
    assert done.tags["level"] == "L3"
    rows = folder.with_name("rows")
    write_rows(rows_of([done, left]), rows)
    parts = [Part(load_task(task, rows)) for task in ("desk/l3", "desk/l4")]
    write_pack(parts, folder, name="desk")
    acts: list[Mapping[str, Any]] = []
    browser = Browser()
    try:
        own = await Desk(browser).open({"state": done.state})
        for step in done.oracle:
            for each in await inputs(own, step):
                await own.act(each)
                acts.append(written(each))
    finally:
        await browser.close()
    return Way(done.goal, acts, ending(done))


async def on_miniwob(folder: Path) -> Way:
    """Write a pack of two pages of MiniWoB++, and find what the first one is done with."""
    starts = [Start("enter-text", 5), Start("click-test-2", 5)]
    rows = folder.with_name("rows")
    await asyncio.to_thread(make_episodes, starts, rows)
    write_pack([Part(load_task("miniwob/episode", rows))], folder, name="miniwob")
    environment = MiniWoB(Browser())
    try:
        own = await environment.open({"page": starts[0].page, "seed": starts[0].seed})
        hand = Hand(own)
        (wanted,) = hand.quoted
        box, button = pixels(await hand.find("#tt")), pixels(await hand.find("#subbtn"))
    finally:
        await environment.close()
    acts: list[Mapping[str, Any]] = [
        {"action": "left_click", "coordinate": box},
        {"action": "type", "text": wanted},
        {"action": "left_click", "coordinate": button},
    ]
    return Way(own.goal, acts, {"status": "done"})
