"""The command `replay`: episodes replayed, and compared."""

import asyncio
from typing import TYPE_CHECKING

import typer

from snellen.cli.attempts import Number, open_attempt
from snellen.cli.options import PROBLEMS
from snellen.cli.plain import write
from snellen.cli.serving import Packs, Store, report_server_errors
from snellen.grading.errors import InputError

if TYPE_CHECKING:
    from snellen.replay.replay import PlayedEpisode, Replay


def replay(
    number: Number,
    packs: Packs = None,
    store: Store = None,
) -> None:
    """Replay the episodes of a closed attempt and compare every screenshot and final state.

    Use the packs of the attempt; references are not read. Exit status: 0
    if everything is equal, 1 if something differs, 2 if nothing could be replayed.
    """
    from snellen.replay.replay import played_episodes

    with report_server_errors():
        with open_attempt(number, packs, store) as (service, attempt):
            episodes = played_episodes(service, attempt)
        if not episodes:
            raise InputError(f"attempt {number} has no episodes: none of its items is interactive")
        again = asyncio.run(_replayed(episodes))
        for episode, found in zip(episodes, again, strict=True):
            write(f"{episode.row.task} {episode.row.item}  {_said(found)}\n")
        if not all(found.fine for found in again):
            raise typer.Exit(PROBLEMS)


async def _replayed(episodes: "list[PlayedEpisode]") -> "list[Replay]":
    from functools import cache

    from snellen.replay.replay import replay as play_again
    from snellen.tasks.environments.base import Environment
    from snellen.tasks.environments.browser import Browser
    from snellen.tasks.environments.table import environment_of

    browser = Browser() if any(episode.on_stage for episode in episodes) else None

    @cache
    def environment(name: str) -> Environment:
        assert browser is not None
        return environment_of(name, browser)

    try:
        return [await play_again(episode, environment) for episode in episodes]
    finally:
        if browser is not None:
            await browser.close()


def _said(found: "Replay") -> str:
    if found.fault:
        return f"can't be replayed: {found.fault}"
    end = "the same final state" if found.state else "another final state"
    if not found.screens:
        return f"{end}; there were no screenshots"
    return f"{found.same} of {found.screens} screenshots are the same, {end}"
