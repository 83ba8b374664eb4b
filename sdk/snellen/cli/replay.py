"""The command `replay`: episodes replayed, and shown step by step."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from snellen.cli.attempts import Number, open_attempt
from snellen.cli.options import PROBLEMS
from snellen.cli.plain import tell, write
from snellen.cli.serving import Packs, Store, report_server_errors
from snellen.grading.errors import InputError
from snellen.sdk.files import write_atomically

if TYPE_CHECKING:
    from snellen.sdk.page.film import Film
    from snellen.server.episodes.replay import PlayedEpisode, PlayedStep, Replay
    from snellen.tasks.environments.inputs import Input


def replay(
    number: Number,
    packs: Packs = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write a page with the steps and their clicks.",
            show_default=False,
        ),
    ] = None,
    only_page: Annotated[
        bool, typer.Option("--no-play", help="Only write the page, without a replay.")
    ] = False,
    store: Store = None,
) -> None:
    """Replay the episodes of a closed attempt and compare every screenshot and final state.

    Use the packs of the attempt; references are not read. Exit status: 0
    if everything is equal, 1 if something differs, 2 if nothing could be replayed.
    """
    from snellen.sdk.page.film import film_page
    from snellen.server.episodes.replay import played_episodes

    with report_server_errors():
        if only_page and output is None:
            raise InputError("--no-play needs --output")
        with open_attempt(number, packs, store) as (service, attempt):
            episodes = played_episodes(service, attempt)
        if not episodes:
            raise InputError(f"attempt {number} has no episodes: none of its items is interactive")
        again = [None] * len(episodes) if only_page else asyncio.run(_replayed(episodes))
        for episode, found in zip(episodes, again, strict=True):
            if found is not None:
                write(f"{episode.row.task} {episode.row.item}  {_said(found)}\n")
        if output is not None:
            films = [_film(*pair) for pair in zip(episodes, again, strict=True)]
            write_atomically(output, [film_page(f"Attempt {number}, step by step", films)])
            tell(f"{len(films)} episodes in {output}")
        if any(found is not None and not found.fine for found in again):
            raise typer.Exit(PROBLEMS)


async def _replayed(episodes: "list[PlayedEpisode]") -> "list[Replay | None]":
    from functools import cache

    from snellen.server.episodes.replay import replay as play_again
    from snellen.tasks.environments.base import Environment
    from snellen.tasks.environments.browser import Browser
    from snellen.tasks.environments.table import environment_of

    browser = None if all(episode.by_tools for episode in episodes) else Browser()

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


def _film(episode: "PlayedEpisode", found: "Replay | None") -> "Film":
    from snellen.sdk.page.film import Film, FilmStep

    row = episode.row
    facts = [
        ("task", row.task),
        ("state", row.state.value),
        ("ended by", _ended_by(episode)),
        ("steps", f"{row.steps} of {episode.world.limit}"),
    ]
    if row.closed is not None:
        facts.append(("took", f"{(row.closed - row.opened) / 1000:.1f} s"))
    if found is not None:
        facts.append(("replay", _said(found)))
    # A step is shown on the screen that it was taken on: the one after the step before it.
    steps = [
        FilmStep(
            number=after.row.number,
            said=_step(after),
            note=after.row.note,
            path=after.input.path if after.input else (),
            frame=before.frame,
        )
        for before, after in zip(episode.steps, episode.steps[1:], strict=False)
    ]
    result = json.dumps(json.loads(row.result), ensure_ascii=False)
    return Film(row.task, row.item, episode.prompt, facts, result, steps, episode.steps[-1].frame)


def _ended_by(episode: "PlayedEpisode") -> str:
    from snellen.server.store.tables.exams import EpisodeState

    row = episode.row
    if row.fault:
        return "a fault of the exam"
    if row.state is EpisodeState.ENDED:
        return "its agent, which submitted an answer"
    if row.over:
        return "the page"
    return "its limit of steps" if row.steps >= episode.world.limit else "nobody: it was abandoned"


def _step(step: "PlayedStep") -> str:
    if step.input is not None:
        return _done(step.input)
    given = step.row.given[:200]
    return given if step.frame is None else f"not understood: {given}"


def _done(given: "Input") -> str:
    """Return an input in words."""
    parts = [given.kind.value]
    if given.count > 1:
        parts.append(f"{given.count} times")
    if given.button != "left":
        parts.append(f"with the {given.button} button")
    if given.keys:
        parts.append("+".join(given.keys))
    if given.text:
        parts.append(repr(given.text))
    if given.path:
        parts.append(
            " to ".join(f"({x:.0f}, {y:.0f})" for x, y in given.path[:1] + given.path[1:][-1:])
        )
    if given.scroll != (0.0, 0.0):
        parts.append(f"by {given.scroll[0]:.0f}, {given.scroll[1]:.0f}")
    if given.seconds:
        parts.append(f"{given.seconds:g} s")
    return " ".join(parts)
