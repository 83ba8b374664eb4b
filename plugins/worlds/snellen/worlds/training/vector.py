"""Several worlds that are acted in at the same time, in one browser."""

import asyncio
import os
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Tuple
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from snellen.grading.errors import InputError
from snellen.tasks.environments.base import EpisodeError
from snellen.worlds.training.env import Info, Observation, Settings
from snellen.worlds.training.running import SHARED, Play, Thread, Turn
from snellen.worlds.training.spaces import ActSpace, CallSpace
from snellen.worlds.training.tasks import make

Flags: TypeAlias = NDArray[np.bool_]


class VectorWorldEnv(VectorEnv[Observation, Any, NDArray[Any]]):
    """Worlds whose steps are done at the same time; `gymnasium.make_vec` makes it.

    The screenshots of all are one array, number x height x width x 3; texts are tuples. A world
    that ended begins anew with the next step, which ignores its action. A world that broke is
    truncated, with the reward NaN and the reason in `infos["fault"]`.

    Args:
        environment: `desk` or `miniwob`.
        num_envs: How many worlds.
        render_mode: None; vectors are not rendered.
        **settings: As for `Settings`.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        environment: str,
        num_envs: int = 1,
        *,
        render_mode: None = None,
        **settings: Any,  # noqa: ANN401  # of Settings
    ) -> None:
        if num_envs < 1:
            raise InputError(f"num_envs is at least 1, not {num_envs}")
        if render_mode is not None:
            raise InputError("vectors are not rendered: the observations are the screenshots")
        self.settings = Settings(environment, **settings)
        self.num_envs = num_envs
        self.single_observation_space = self.settings.observations
        self.single_action_space = self.settings.actions
        self.observation_space = _batched(self.settings.observations, num_envs)
        self.action_space = Tuple([self.settings.actions] * num_envs)
        self._process = os.getpid()
        self._thread: Thread | None = None
        self._plays: list[Play | None] = [None] * num_envs
        self._randoms: list[np.random.Generator] = []

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Draw a task for each world, and open them.

        Args:
            seed: One for each world, or the first one's; the others have the next numbers.
            options: `template`, `difficulty` and `feasible` of all tasks.

        Raises:
            EpisodeError: A world can't be opened.
            InputError: There is no such option.
        """
        if seed is None and not self._randoms:
            seed = self.settings.seed
        if seed is not None or not self._randoms:
            self._randoms = [np.random.default_rng(each) for each in self._seeds(seed)]
        thread = self._mine()
        given = dict(options or {})
        turns = thread.run(
            _all([self._begun(thread, number, given) for number in range(self.num_envs)])
        )
        return self._seen([_worked(turn) for turn in turns])

    def step(
        self, actions: Sequence[Any]
    ) -> tuple[Observation, NDArray[np.float64], Flags, Flags, Info]:
        """Do an action in each world.

        Raises:
            InputError: There is not one action a world, or one is outside the space; nothing was
                done in that world.
        """
        if len(actions) != self.num_envs:
            raise InputError(f"{len(actions)} actions for {self.num_envs} worlds")
        thread, rules = self._mine(), self.settings.rules
        live = [play is not None and not play.over for play in self._plays]
        for number, action in enumerate(actions):
            if live[number] and rules.raises:
                _check(self.settings.actions, number, action)
        works = [
            play.step(thread, action) if play and lives else self._begun(thread, number, {})
            for number, (play, lives, action) in enumerate(
                zip(self._plays, live, actions, strict=True)
            )
        ]
        turns = [
            _broken(turn) if isinstance(turn, EpisodeError) else _worked(turn)
            for turn in thread.run(_all(works))
        ]
        for number, turn in enumerate(turns):
            if turn.fault:
                self._drop(thread, number)
        seen, told = self._seen(turns)
        rewards = np.array([turn.reward for turn in turns], dtype=np.float64)
        ended = np.array([turn.terminated for turn in turns], dtype=np.bool_)
        cut = np.array([turn.truncated for turn in turns], dtype=np.bool_)
        return seen, rewards, ended, cut, told

    def close_extras(self, **kwargs: Any) -> None:  # noqa: ANN401  # as Gymnasium
        """Close all worlds; the last environment of a process closes the browser."""
        thread, self._thread = self._thread, None
        if thread is None or os.getpid() != self._process:
            return
        for number in range(self.num_envs):
            self._drop(thread, number)
        SHARED.leave(thread)

    def _mine(self) -> Thread:
        if os.getpid() != self._process:
            raise InputError(
                f"the environment was made in process {self._process}: make one in each process"
            )
        if self._thread is None:
            self._thread = SHARED.take()
        return self._thread

    async def _begun(self, thread: Thread, number: int, options: Mapping[str, Any]) -> Turn:
        settings, before = self.settings, self._plays[number]
        if before is not None:
            await before.close()
        choice = settings.drawn(self._randoms[number], options)
        play = self._plays[number] = Play(make(choice), settings.rules)
        return await play.open(thread)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return range(seed, seed + self.num_envs)
        if len(seed) != self.num_envs:
            raise InputError(f"{len(seed)} seeds for {self.num_envs} worlds")
        return seed

    def _drop(self, thread: Thread, number: int) -> None:
        play, self._plays[number] = self._plays[number], None
        if play is not None:
            thread.run(play.close())

    def _seen(self, turns: Sequence[Turn]) -> tuple[Observation, Info]:
        """Return what all agents see, and what is told of all worlds."""
        told: Info = {}
        seen: list[Observation] = []
        for number, (play, turn) in enumerate(zip(self._plays, turns, strict=True)):
            if play is None:
                seen.append(self.settings.nothing(turn.note))
                told = self._add_info(told, {"fault": turn.fault}, number)
                continue
            seen.append(self.settings.observed(play, turn))
            told = self._add_info(told, self.settings.told(play, turn), number)
        observation: Observation = {
            name: np.stack([one[name] for one in seen])
            if name == "screenshot"
            else tuple(one[name] for one in seen)
            for name in self.settings.observations.spaces
        }
        return observation, told


async def _all(works: Sequence[Coroutine[Any, Any, Turn]]) -> list[Turn | BaseException]:
    return await asyncio.gather(*works, return_exceptions=True)


def _broken(error: BaseException) -> Turn:
    reason = str(error)
    return Turn(None, reason, truncated=True, reward=np.nan, fault=reason)


def _worked(turn: Turn | BaseException) -> Turn:
    if isinstance(turn, BaseException):
        raise turn
    return turn


def _check(space: ActSpace | CallSpace, number: int, action: object) -> None:
    try:
        space.check(action)
    except InputError as error:
        raise InputError(f"actions[{number}]: {error.message}") from None


def _batched(space: Dict, count: int) -> Dict:
    """Return the space of the observations of several worlds."""
    found: dict[str, Any] = {}
    for name, part in space.spaces.items():
        if isinstance(part, Box):
            found[name] = Box(0, 255, (count, *part.shape), np.uint8)
        else:
            found[name] = Tuple([part] * count)
    return Dict(found)
