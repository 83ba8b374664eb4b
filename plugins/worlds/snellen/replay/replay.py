"""Read stored episodes, and replay them."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec

from snellen.grading.errors import InputError
from snellen.server.attempts.service import Service
from snellen.server.episodes import queries
from snellen.server.episodes.seeing import Seeing, see, seed_of
from snellen.server.exam.rules import AT_ADDRESS, ON_STAGE
from snellen.server.store.queries import PLAYED, PlayedItem
from snellen.server.store.tables.exams import Attempt, StepRow
from snellen.tasks.environments.base import CallError, Environment, EpisodeError
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.table import pages_of, toolset_of
from snellen.tasks.models import World


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """A stored step."""

    row: StepRow  # its row in the store
    input: Input | None  # the input; None if nothing was done, or a tool was called
    frame: bytes | None = field(repr=False)  # the screenshot after it, as PNG; None for a tool call


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """A stored episode."""

    row: PlayedItem  # its state and its item
    prompt: str  # the item's prompt
    world: World  # the world that it ran in
    steps: Sequence[PlayedStep]  # its steps; the first one is the first view
    attempt: Attempt  # the attempt that it belongs to

    @property
    def on_stage(self) -> bool:
        """Whether its page was in the server's browser."""
        return self.attempt.rules.door in ON_STAGE

    def seeing(self, step: StepRow) -> Seeing:
        """Return how its agent saw the page after a step."""
        seed = seed_of(self.attempt.secret, self.row.place, self.row.number, step.number)
        return Seeing(self.attempt.rules.door, seed)


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay."""

    screens: int  # the number of compared screenshots
    same: int  # the number of screenshots that are equal, byte for byte
    state: bool  # whether the final state is equal
    fault: str = ""  # why the replay failed; empty if it did not

    @property
    def fine(self) -> bool:
        """Whether nothing differs."""
        return self.state and self.screens == self.same and not self.fault


def played_episodes(service: Service, attempt: Attempt) -> list[PlayedEpisode]:
    """Return the last episode of each item of an attempt, in the order of its items."""
    database = service.database
    found = database.read(lambda c: PLAYED.all(c, {"a": attempt.id}))
    episodes: list[PlayedEpisode] = []
    for row in sorted(found, key=lambda each: each.place):
        line = service.exam.line(row.task, row.item)
        if line.world is not None:
            steps = _steps(service, row)
            episodes.append(PlayedEpisode(row, line.item.prompt, line.world, steps, attempt))
    return episodes


def _steps(service: Service, row: PlayedItem) -> list[PlayedStep]:
    key = {"a": row.attempt, "p": row.place, "e": row.number}
    database = service.database
    rows = database.read(lambda c: queries.STEPS.all(c, key))
    frames: dict[bytes, bytes] = {}
    for digest in {each.frame for each in rows if each.frame is not None}:
        known = {"a": row.attempt, "d": digest}
        frames[digest] = database.read(lambda c, known=known: queries.FRAME.one(c, known)).data
    return [
        PlayedStep(
            each,
            None if each.input is None else msgspec.json.decode(each.input, type=Input),
            None if each.frame is None else frames[each.frame],
        )
        for each in rows
    ]


async def replay(played: PlayedEpisode, environment: Callable[[str], Environment]) -> Replay:
    """Replay an episode input by input, and compare screenshots and the final state.

    The inputs of one call have one screenshot, after the last of them.
    """
    if not played.on_stage:
        again = _visit_again if played.attempt.rules.door in AT_ADDRESS else _call_again
        return again(played)
    screens = same = 0
    try:
        episode = await environment(played.world.environment).open(played.world.start)
        try:
            for place, step in enumerate(played.steps):
                if step.input is not None:
                    # An input that was refused in the episode is refused again.
                    with suppress(InputError):
                        await episode.act(step.input)
                following = played.steps[place + 1 : place + 2]
                if following and following[0].row.at == step.row.at:
                    continue
                frame = (await see(episode, played.seeing(step.row))).frame
                if frame is not None:
                    screens += 1
                    same += sha256(frame).digest() == step.row.frame
            state = json.loads(played.row.result) == json.loads(json.dumps(episode.result))
        finally:
            await episode.close()
    except EpisodeError as error:
        return Replay(screens, same, state=False, fault=str(error))
    return Replay(screens, same, state)


def _visit_again(played: PlayedEpisode) -> Replay:
    """Repeat what the page's browser sent, and compare the final state."""
    page = pages_of(played.world.environment, played.attempt.rules.door).open(played.world.start)
    try:
        for step in played.steps[1:]:
            page.repeat(json.loads(step.row.given))
    except EpisodeError as error:
        return Replay(0, 0, state=False, fault=str(error))
    return Replay(0, 0, json.loads(played.row.result) == json.loads(json.dumps(page.result)))


def _call_again(played: PlayedEpisode) -> Replay:
    """Repeat the calls that were not refused, and compare the final state."""
    episode = toolset_of(played.world.environment).open(played.world.start)
    for step in played.steps[1:]:
        if not step.row.note:
            call = json.loads(step.row.given)
            try:
                episode.call(call["tool"], call["arguments"])
            except CallError as error:
                return Replay(0, 0, state=False, fault=f"{call['tool']} is refused: {error}")
    return Replay(0, 0, json.loads(played.row.result) == json.loads(json.dumps(episode.result)))
