"""One world as a Gymnasium environment."""

import os
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from io import BytesIO
from typing import Any, Literal, cast

import gymnasium
import msgspec
import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray
from PIL import Image
from pydantic import JsonValue

from snellen.grading.errors import InputError
from snellen.grading.protocols.base import Protocol
from snellen.grading.protocols.table import protocol_of
from snellen.tasks.environments.base import NO_HISTORY, EpisodeError, History
from snellen.tasks.environments.inputs import Input
from snellen.tasks.environments.table import need_extra, toolset_of
from snellen.worlds.training.running import SHARED, Play, Rules, Thread, Turn
from snellen.worlds.training.spaces import ActSpace, CallSpace, Unicode
from snellen.worlds.training.splits import Split, templates_of
from snellen.worlds.training.tasks import DIFFICULTIES, Choice, draw, make

Observation = dict[str, Any]
Info = dict[str, Any]

_TASKS: Mapping[str, Sequence[str]] = {
    "desk": ("desk/l3", "desk/l4"),
    "miniwob": ("miniwob/episode",),
}
_SIZES: Mapping[str, tuple[int, int]] = {"desk": (1280, 800), "miniwob": (640, 840)}


class Settings:
    """What an environment draws its tasks from, and its rules.

    Args:
        environment: `desk` or `miniwob`.
        templates: `train`, `test`, `all`, or names of templates or pages.
        seed: The seed of the draws, until `reset` gets one; None: a random one.
        difficulties: Of which each task has one; the desk only.
        infeasible: The share of tasks that can't be done; the desk only.
        door: `screen` or `tools`; MiniWoB++ has no tools.
        protocol: The protocol that judges; None: the task's first one.
        partial: Whether the reward at the end is partial credit.
        unreadable: What becomes of an action outside the space: `raise`, or `step` as in an exam,
            where it costs a step.

    Raises:
        InputError: A value is none of these.
        UnknownNameError: There is no such template, page or protocol.
        MissingExtraError: A package is missing.
    """

    def __init__(
        self,
        environment: str,
        *,
        templates: Split | Sequence[str] = "train",
        seed: int | None = None,
        difficulties: Sequence[str] = DIFFICULTIES,
        infeasible: float = 0.1,
        door: Literal["screen", "tools"] = "screen",
        protocol: str | None = None,
        partial: bool = False,
        unreadable: Literal["raise", "step"] = "raise",
    ) -> None:
        need_extra()
        self.templates = templates_of(environment, templates)
        if not difficulties or set(difficulties) - {*DIFFICULTIES}:
            raise InputError(f"difficulties are of {', '.join(DIFFICULTIES)}")
        if not 0 <= infeasible <= 1:
            raise InputError(f"infeasible is a share from 0 to 1, not {infeasible}")
        if door not in ("screen", "tools"):
            raise InputError(f"door is screen or tools, not {door!r}")
        if unreadable not in ("raise", "step"):
            raise InputError(f"unreadable is raise or step, not {unreadable!r}")
        self.environment, self.seed = environment, seed
        self.difficulties, self.infeasible = tuple(difficulties), infeasible
        protocols: dict[str, Protocol] = {
            task: protocol_of(task, protocol) for task in _TASKS[environment]
        }
        self.rules = Rules(protocols, door == "tools", partial, unreadable == "raise")
        text = Unicode()
        if self.rules.tools:
            names = tuple(tool.name for tool in toolset_of(environment).tools)
            self.actions: ActSpace | CallSpace = CallSpace(names)
            self.observations = Dict({"goal": text, "note": text, "result": text})
            return
        width, height = _SIZES[environment]
        self.actions = ActSpace(width, height)
        screen = Box(0, 255, (height, width, 3), np.uint8)
        self.observations = Dict({"screenshot": screen, "goal": text, "note": text})

    def drawn(self, random: np.random.Generator, options: Mapping[str, Any]) -> Choice:
        """Draw a task, apart from what the options of `reset` say of it.

        Raises:
            InputError: There is no such option.
        """
        unknown = sorted(options.keys() - {"template", "task_seed", "difficulty", "feasible"})
        if unknown:
            raise InputError(
                f"there is no option {unknown[0]!r}; there are: template, task_seed, difficulty,"
                " feasible, snapshot"
            )
        templates = self.templates
        if options.get("template") is not None:
            templates = templates_of(self.environment, [options["template"]])
        choice = draw(
            self.environment,
            templates,
            self.difficulties,
            self.infeasible,
            random,
        )
        return replace(
            choice,
            seed=options.get("task_seed", choice.seed),
            difficulty=options.get("difficulty", choice.difficulty),
            feasible=options.get("feasible", choice.feasible),
        )

    def observed(self, play: Play, turn: Turn) -> Observation:
        """Return what an agent sees after a turn."""
        seen: Observation = {"goal": play.goal, "note": turn.note}
        if turn.frame is not None:
            return {"screenshot": pixels(turn.frame), **seen}
        return {**seen, "result": "" if turn.result is None else _json(turn.result)}

    def nothing(self, note: str) -> Observation:
        """Return an observation of a world that is not there: black, and without texts."""
        width, height = _SIZES[self.environment]
        black = np.zeros((height, width, 3), dtype=np.uint8)
        seen: Observation = {"screenshot": black, "goal": "", "note": note, "result": ""}
        return {name: seen[name] for name in self.observations.spaces}

    def told(self, play: Play, turn: Turn) -> Info:
        """Return what a training loop may know after a turn."""
        choice = asdict(play.task.choice)
        told: Info = {"task": play.task.id, "step": play.steps, "limit": play.task.limit, **choice}
        return told if turn.record is None else {**told, "record": dict(turn.record)}


class WorldEnv(gymnasium.Env[Observation, Any]):
    """One world of the desk or of MiniWoB++.

    An observation has `goal`, `note` (what the screenshot does not show) and `screenshot`, height
    x width x 3; with tools `result`, the JSON text of what the last call returned. The reward is 0
    until the end, and then what the protocol says. An episode terminates if the agent or the page
    ends it, and is truncated at its limit of steps. Each `reset` draws a new task.

    Args:
        environment: `desk` or `miniwob`.
        render_mode: None or `rgb_array`.
        **settings: As for `Settings`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        environment: str,
        *,
        render_mode: str | None = None,
        **settings: Any,  # noqa: ANN401  # of Settings
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.settings = Settings(environment, **settings)
        self.observation_space = self.settings.observations
        self.action_space = self.settings.actions
        self.render_mode = render_mode
        self._given: dict[str, Any] = {
            "environment": environment,
            "render_mode": render_mode,
            **settings,
        }
        self._process = os.getpid()
        self._busy = threading.Lock()
        self._thread: Thread | None = None
        self._play: Play | None = None
        self._last: Turn | None = None
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Draw a task and open its world.

        Args:
            seed: The seed of this and all further draws; equal seeds give equal tasks.
            options: `template`, `task_seed`, `difficulty` and `feasible` of the task; or
                `snapshot`, what `snapshot` returned.

        Raises:
            EpisodeError: The world can't be opened.
            InputError: There is no such option; the task's seed may be one of an exam.
        """
        if seed is None and not self._seeded:
            seed = self.settings.seed
        super().reset(seed=seed)
        self._seeded = True
        given = dict(options or {})
        saved = given.pop("snapshot", None)
        rules = self.settings.rules
        play, history = restored(saved, rules) if saved is not None else (None, NO_HISTORY)
        if play is None:
            play = Play(make(self.settings.drawn(self.np_random, given)), rules)
        with self._alone() as thread:
            self._close_world(thread)
            try:
                turn = self._last = thread.run(play.open(thread, history))
            except BaseException:
                thread.run(play.close())
                raise
            self._play = play
        return self.settings.observed(play, turn), self.settings.told(play, turn)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:  # noqa: ANN401  # any vocabulary
        """Do an action.

        Raises:
            InputError: It is outside the space, and nothing was done; the episode is over; or
                another thread or process uses the environment.
            EpisodeError: The world broke. Call `reset`; the episode has no reward.
        """
        with self._alone() as thread:
            play = self._play
            if play is None:
                raise InputError("there is no world: call reset first")
            if play.over:
                raise InputError("the episode is over: call reset")
            if self.settings.rules.raises:
                self.settings.actions.check(action)
            try:
                turn = self._last = thread.run(play.step(thread, action))
            except EpisodeError as error:
                self._close_world(thread)
                raise EpisodeError(f"the world broke: {error}; call reset") from error
        told = self.settings.told(play, turn)
        seen = self.settings.observed(play, turn)
        return seen, turn.reward, turn.terminated, turn.truncated, told

    @property
    def frame(self) -> bytes | None:
        """The last screenshot, as PNG; None without one."""
        return None if self._last is None else self._last.frame

    def render(self) -> NDArray[np.uint8] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the last screenshot, if the render mode is `rgb_array`."""
        return None if self.render_mode is None or self.frame is None else pixels(self.frame)

    def snapshot(self) -> dict[str, JsonValue]:
        """Return the state as JSON, for the option `snapshot` of `reset`.

        Raises:
            InputError: No episode is going on.
        """
        play = self._play
        if play is None or play.over:
            raise InputError("no episode is going on: call reset first")
        return saved(play)

    def fork(self) -> "WorldEnv":
        """Return another environment in the same state; both go on alone.

        Raises:
            InputError: No episode is going on.
            EpisodeError: The world can't be opened again.
        """
        other = WorldEnv(**self._given)
        other.reset(seed=int(self.np_random.integers(2**31)), options={"snapshot": self.snapshot()})
        return other

    def close(self) -> None:
        """Close the world; the last environment of a process closes the browser."""
        if self._thread is None or os.getpid() != self._process:
            return
        with self._alone() as thread:
            self._close_world(thread)
            self._thread = None
        SHARED.leave(thread)

    def _close_world(self, thread: Thread) -> None:
        play, self._play = self._play, None
        if play is not None:
            thread.run(play.close())

    @contextmanager
    def _alone(self) -> Generator[Thread]:
        """Check that nobody else uses the environment, and yield its thread."""
        if os.getpid() != self._process:
            raise InputError(
                f"the environment was made in process {self._process}: make one in each process"
            )
        if not self._busy.acquire(blocking=False):
            raise InputError("another thread is in a step: make an environment for each thread")
        try:
            if self._thread is None:
                self._thread = SHARED.take()
            yield self._thread
        finally:
            self._busy.release()


def saved(play: Play) -> dict[str, JsonValue]:
    """Return an episode as JSON."""
    return {
        "task": cast("JsonValue", asdict(play.task.choice)),
        "steps": play.steps,
        "inputs": cast("JsonValue", msgspec.to_builtins(play.inputs)),
        "snapshot": play.snapshot(),
    }


def restored(given: Mapping[str, Any], rules: Rules) -> tuple[Play, History]:
    """Return an episode of its JSON, not open yet, and its history.

    Raises:
        InputError: It is none.
    """
    try:
        choice = msgspec.convert(given["task"], Choice)
        steps = msgspec.convert(given["steps"], int)
        history = History(msgspec.convert(given["inputs"], list[Input]), given["snapshot"])
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise InputError(f"that is no snapshot of an environment: {error}") from None
    return Play(make(choice), rules, list(history.inputs), steps), history


def pixels(png: bytes) -> NDArray[np.uint8]:
    """Return a screenshot as height x width x 3."""
    with Image.open(BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def _json(value: JsonValue) -> str:
    return msgspec.json.encode(value).decode()
