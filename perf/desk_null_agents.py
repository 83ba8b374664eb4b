"""Have agents that understand nothing do tasks of every template of the desk, and print their SR.

    python perf/desk_null_agents.py

Four agents: one does nothing and says done, one says of every task that it can't be done, for the
reason that is right most often, one clicks 25 times anywhere on the screen, and one works 25
controls of the pages, which it knows, with texts of its own. The target is at most 1 % of the tasks
that can be done. It takes three minutes on two cores.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np

from snellen.grading.grade import Answers, Grader
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.inputs import Input, InputKind
from snellen.tasks.environments.reasons import REASONS
from snellen.worlds.desk.changes import changes
from snellen.worlds.desk.desktop import Desktop
from snellen.worlds.desk.environment import SIZE, Desk
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import TEMPLATES, draw, rows_of

AT_ONCE = 4
CLICKS = 25
TEXTS = ("", "3", "Anna", "x@y.example")
TARGET = 0.01


async def clicked(desk: Desk, task: Task, chance: Random) -> dict[str, object]:
    """Click anywhere on the screen, and return the record."""
    episode = await desk.open({"state": task.state})
    clicks = min(CLICKS, task.limit)
    try:
        for _ in range(clicks):
            place = (chance.uniform(0, SIZE[0] - 1), chance.uniform(0, SIZE[1] - 1))
            await episode.act(Input(InputKind.CLICK, (place,)))
        return {"status": "done", "cost": clicks, **episode.result}
    finally:
        await episode.close()


def worked(task: Task, chance: Random) -> dict[str, object]:
    """Work controls at random, in memory, and return the record."""
    desktop = Desktop(task.state)
    clicks = min(CLICKS, task.limit)
    for _ in range(clicks):
        page = desktop.page
        desktop.write({name: chance.choice(TEXTS) for name in page.fields})
        desktop.open_step()
        token = chance.choice(sorted(page.controls))
        place = chance.choice(sorted(page.drops)) if page.drops else ""
        desktop.handle(token, {}, place)
        desktop.close_step()
    return {"status": "done", "cost": clicks, "changes": changes(task.state, desktop.state)}


async def clicked_all(tasks: Sequence[Task]) -> list[object]:
    """Return the records of random clicks."""
    browser = Browser()
    desk, free = Desk(browser), asyncio.Semaphore(AT_ONCE)

    async def one(seed: int, task: Task) -> object:
        async with free:
            return await clicked(desk, task, Random(seed))

    try:
        return list(await asyncio.gather(*(one(*each) for each in enumerate(tasks))))
    finally:
        await browser.close()


def successes(tasks: Sequence[Task], records: Sequence[object]) -> np.ndarray:
    """Return 1 for each task at which the record succeeds, by the protocol that grades exams."""
    protocol = protocol_of("desk/l3")
    grader = Grader.of(protocol, [row.gold for row in rows_of(tasks)])
    answers = Answers(np.arange(len(tasks)), [0] * len(tasks), list(records))
    return grader.batch(answers).values[:, protocol.metric.keys.index("sr")]


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="tasks of each template")
    parser.add_argument("--quick", action="store_true", help="six tasks")
    options = parser.parse_args()
    count = 6 if options.quick else options.seeds * len(TEMPLATES)
    tasks = draw(count, 1)
    left: dict[str, object] = {"changes": {}, "cost": 1}
    common = Counter(task.reason or next(iter(REASONS)) for task in tasks if task.reason)
    reason = common.most_common(1)[0][0] if common else next(iter(REASONS))
    played = {
        "doing nothing": [{**left, "status": "done"}] * len(tasks),
        f"always infeasible, {reason}": [{**left, "status": "infeasible", "reason": reason}]
        * len(tasks),
        f"{CLICKS} random clicks": asyncio.run(clicked_all(tasks)),
        f"{CLICKS} random controls": [worked(task, Random(n)) for n, task in enumerate(tasks)],
    }
    feasible = np.array([task.reason is None for task in tasks])
    print(f"{feasible.sum()} tasks that can be done, {(~feasible).sum()} that can't")
    for agent, records in played.items():
        found = successes(tasks, records)
        done, other = found[feasible], found[~feasible]
        verdict = "" if done.mean() <= TARGET else f"  more than {TARGET:.0%}"
        print(
            f"{agent:40} SR {done.mean():.2%} ({done.sum():.0f} of {len(done)});"
            f" of those that can't be done {other.sum():.0f} of {len(other)}{verdict}"
        )


if __name__ == "__main__":
    main()
