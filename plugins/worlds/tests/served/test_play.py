"""`snellen play`: a person takes the tasks, and gets the report that an agent gets."""

import asyncio
import os
import re
import sys
from pathlib import Path

import httpx2
from page_hand import PageHand

from snellen.sdk.saved import read_report
from snellen.tasks.samples.generated import generated_exam
from snellen.worlds.desk.tasks import Task
from snellen.worlds.desk.templates.table import draw

PLAY = [sys.executable, "-c", "from snellen.cli import main; main()", "play", "desk"]
COUNT, SEED = 3, 11


async def begun(folder: Path) -> tuple[asyncio.subprocess.Process, str]:
    """Start to play; return the process and the address of its page."""
    # Python's name for the user's browser; this one shows nothing.
    shown = {**os.environ, "BROWSER": "true"}
    process = await asyncio.create_subprocess_exec(
        *PLAY, "-o", str(folder), stderr=asyncio.subprocess.PIPE, env=shown
    )
    assert process.stderr is not None
    while (line := (await process.stderr.readline()).decode()) and "http" not in line:
        pass
    return process, line.split()[-1]


def end_of(task: Task) -> dict[str, str]:
    """Return the form with which a person ends a task rightly."""
    if task.reason:
        return {"reason": task.reason.value}
    return {"answer": str(task.answer.value) if task.answer else ""}


async def test_what_a_person_does_is_graded_and_a_stopped_play_goes_on(tmp_path: Path) -> None:
    tasks = {task.goal: task for task in draw(COUNT, SEED)}
    generated_exam("desk").make(tmp_path / "play" / "pack", seed=SEED, count=COUNT)
    process, home = await begun(tmp_path / "play")
    async with httpx2.AsyncClient(follow_redirects=True, timeout=60) as http:
        for number in range(1, COUNT + 1):
            shown = (await http.get(home)).text
            assert f"<b>{number} of {COUNT}</b>" in shown
            task = next(task for goal, task in tasks.items() if goal in shown)
            found = re.search(r'iframe src="([^"]+)"', shown)
            assert found is not None
            hand = PageHand(http, home + found[1], task)
            assert (
                "frame-ancestors 'self'" in (await hand.open()).headers["content-security-policy"]
            )
            steps = [step for step in task.oracle if not step.hovers]
            for step in steps:
                await hand.do(step)
            if number == 1:
                clicks = sum(step.text is None for step in steps)
                state = (await http.get(f"{home}/state")).json()
                assert state == {"left": task.limit - clicks}
                process.terminate()
                await process.wait()
                process, home = await begun(tmp_path / "play")
                await http.get(home)
            wrong = await http.post(f"{home}/end", data={"reason": "because"})
            assert "no_such_item" in wrong.text
            await http.post(f"{home}/end", data=end_of(task))
        assert 'href="/reports/desk-l3.html"' in (await http.get(home)).text
        assert "door:url" in (await http.get(f"{home}/reports/desk-l3.html")).text
        await http.post(f"{home}/close")
    assert await process.wait() == 0
    reports = [read_report(path) for path in (tmp_path / "play").glob("desk-l*.json")]
    assert {report.value for report in reports} == {1.0}
