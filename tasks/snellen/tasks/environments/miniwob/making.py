"""Generate the episodes of an exam; each page is opened once to read its goal."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from snellen.tasks.benchmarks.miniwob.load import LIMIT, Time, rows_of, write_rows
from snellen.tasks.benchmarks.miniwob.schedule import Start
from snellen.tasks.environments.browser import Browser
from snellen.tasks.environments.miniwob.episodes import MiniWoB


def make_episodes(
    starts: Sequence[Start], folder: Path, *, time: Time = "stepped", limit: int = LIMIT
) -> Path:
    """Write the file of an exam's episodes, which `miniwob/episode` loads.

    Args:
        starts: Their pages and seeds: `drawn`, or `browsergym_schedule`.
        folder: The folder for the file.
        time: `stepped`, time passes with inputs only, or `real`.
        limit: The maximum number of steps.

    Returns:
        The file.

    Raises:
        MissingExtraError: The package `miniwob`, or Playwright, is not installed.
        InputError: There is no Chromium.
        EpisodeError: A page can't be opened.
        DataError: There is no such page.
    """
    worlds: list[JsonValue] = [
        {"page": start.page, "seed": start.seed, "time": time} for start in starts
    ]
    return write_rows(rows_of(starts, asyncio.run(_goals(worlds)), time, limit), folder)


async def _goals(worlds: Sequence[JsonValue]) -> list[str]:
    environment = MiniWoB(Browser())
    try:
        return await environment.goals(worlds)
    finally:
        await environment.close()
