"""How episodes ended, as the field's harnesses store it: a table, or a folder an episode.

Their fields have a dozen names. An agent's own claim that it succeeded is none of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from snellen.sdk.submissions.kinds import fault_in
from snellen.sdk.submissions.known import Known, KnownItem

_TASKS = (
    *("env.task_name", "task_name", "task_template", "env_name", "env_id", "environment", "env"),
    *("task", "task_id"),
)
_SEEDS = ("env.task_seed", "task_seed", "seed")
REWARDS = (
    *("completed", "cum_reward", "is_successful", "mean_success_rate", "success", "reward"),
    "score",
)
STEPS = (
    *("steps_used", "n_steps", "num_steps", "step_count", "steps", "episode_length"),
    "mean_episode_length",
)
_ERRORS = ("err_msg", "exception_info")
_SEEDED = re.compile(r"(?:\w+\.)?(?P<page>[\w-]+?)(?:-v[01])?_(?P<seed>\d+)(?:_[0-9a-f]{6})?")
_WORDS = {"true": True, "false": False}


class Outcome(NamedTuple):
    """How one episode ended."""

    names: Sequence[str]  # what its item may be called, the likeliest first
    reward: float | None = None  # its reward or success; None: not stated
    steps: float | None = None  # how many steps it took; None: not stated
    ended: bool | None = None  # whether the environment ended it; None: not stated
    error: object = None  # why it says nothing of the agent; None: it does


def is_outcome(row: Mapping[str, Any], episode: str) -> bool:
    """Whether a row is of an episode that has a task and a reward, and no layout of ours.

    Args:
        row: Its fields.
        episode: What the items are, as `KnownItem.episode`; a record of ours with `task_id` is not
            of a page.
    """
    ours = {"item_id", "response"} | ({"task_id"} if episode == "task" else set[str]())
    tasks, rewards = (any(name in row for name in names) for names in (_TASKS, REWARDS))
    return bool(episode) and tasks and rewards and ours.isdisjoint(row)


def outcome_of(row: Mapping[str, Any], name: str = "") -> Outcome:
    """Return what a row says.

    Args:
        row: The fields of a table's row, or of a file of one episode.
        name: What its item is called; empty: its own fields say it.
    """
    task, seed = (str(_first(row, names) or "") for names in (_TASKS, _SEEDS))
    seeded = f"{task}_{seed}" if seed else ""
    names = [name] if name else [one for one in (seeded, task) if one]
    ended, steps = _number(row.get("terminated")), _first(row, STEPS)
    return Outcome(
        names,
        _number(_first(row, REWARDS)),
        float(len(cast("list[object]", steps))) if isinstance(steps, list) else _number(steps),
        None if ended is None else bool(ended),
        _first(row, _ERRORS) or fault_in(row),
    )


def _first(row: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _number(value: object) -> float | None:
    """Return a number, also of a table's cell; None for anything else."""
    if isinstance(value, str):
        value = _WORDS.get(value.strip().lower(), value)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) else None


def item_of(names: Sequence[str], known: Known) -> KnownItem | None:
    """Return the item that one of some names ends in: its id, or `PAGE_SEED` of MiniWoB++."""
    for end in (end for name in names for end in _ends(name)):
        if end in known.by_id:
            return known.by_id[end]
        seeded = _SEEDED.fullmatch(end)
        tail = f"/{seeded['page']}/{seeded['seed']}" if seeded else ""
        items = [item for item in known.items if tail and f"/{item.id}".endswith(tail)]
        if len(items) == 1:
            return items[0]
    return None


def _ends(name: str) -> Iterator[str]:
    parts = name.split("/")
    yield from ("/".join(parts[index:]) for index in range(len(parts)))
    yield parts[-1].partition(".")[2]


def record_of(outcome: Outcome, item: KnownItem | None) -> dict[str, object]:
    """Return the record of an episode in the form that its item's task reads."""
    if item is not None and item.episode == "page":
        record: dict[str, object] = {"item_id": item.id}
        if outcome.error is not None:
            return {**record, "error": str(outcome.error)}
        ended = bool(outcome.reward) if outcome.ended is None else outcome.ended
        said = {"reward": outcome.reward, "ended": ended, "cost": outcome.steps}
        known = {name: value for name, value in said.items() if value is not None}
        return {**record, "response": known}
    record = {"task_id": outcome.names[0] if item is None else item.id}
    if outcome.error is not None:
        return {**record, "error": str(outcome.error)}
    if outcome.steps is not None:
        whole = cast("float", outcome.steps)
        record["steps"] = int(whole) if whole.is_integer() else whole
    if outcome.reward is not None:
        record["success"] = outcome.reward
    return record
