"""How episodes ended, as the field's harnesses store it: a table, or a folder an episode.

Their fields have a dozen names. An agent's own claim that it succeeded is none of them.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from snellen.sdk.submissions.columns import MODELS
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
_COSTS = ("cost_usd", "total_cost_usd", "stats.cum_cost", "cum_cost", "total_cost", "cost")
_ERRORS = ("err_msg", "exception_info", "err_message", "exception", "error_message")
_AGENTS = (*MODELS, "agent.agent_name", "agent_name")
_FLAGS = ("isError", "is_error", "mask_sample")
_STOPPED = ("cancelled", "canceled", "crashed", "interrupted")
_PARTS = (
    *("verifier_metadata", "verifier_result", "rewards", "agent_result"),
    *("trace", "grade", "evaluation", "task"),
)
"""Objects in a row whose fields are the episode's: of NeMo Gym, Harbor and HUD."""
_TIMEOUT = "AgentTimeoutError"
"""Harbor's exception for an agent that ran out of time, whose work is judged all the same."""
_SEEDED = re.compile(r"(?:\w+\.)?(?P<page>[\w-]+?)(?:-v[01])?_(?P<seed>\d+)(?:_[0-9a-f]{6})?")
_WORDS = {"true": True, "false": False, "pass": True, "fail": False}


class Outcome(NamedTuple):
    """How one episode ended."""

    names: Sequence[str]  # what its item may be called, the likeliest first
    reward: float | None = None  # its reward or success; None: not stated
    steps: float | None = None  # how many steps it took; None: not stated
    ended: bool | None = None  # whether the environment ended it; None: not stated
    error: object = None  # why it says nothing of the agent; None: it does
    score: float | None = None  # a score that stands beside its reward; None: there is none
    cost: float | None = None  # what it cost in US dollars; None: not stated
    model: str | None = None  # who acted; None: not stated


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
    row = flat(row)
    task, seed = (str(_first(row, names) or "") for names in (_TASKS, _SEEDS))
    seeded = f"{task}_{seed}" if seed else ""
    names = [name] if name else [one for one in (seeded, task) if one]
    ended, steps = number_of(row.get("terminated")), _first(row, STEPS)
    reward, beside = number_of(_first(row, REWARDS)), _first(row, REWARDS[:-1]) is not None
    model = _first(row, _AGENTS)
    return Outcome(
        names,
        reward,
        float(len(cast("list[object]", steps))) if isinstance(steps, list) else number_of(steps),
        None if ended is None else bool(ended),
        _fault_of(row, judged=reward is not None),
        number_of(row.get("score")) if beside else None,
        number_of(_first(row, _COSTS)),
        model if isinstance(model, str) else None,
    )


def flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with the fields of the objects in it, unless it has such fields itself."""
    if "trial_name" in row:
        # Harbor's: the data set, the agent and its model.
        agent = cast("dict[str, Any]", row.get("agent_info") or {})
        model = cast("dict[str, Any]", agent.get("model_info") or {})
        names = [str(part["name"]) for part in (agent, model) if part.get("name")]
        row = {"domain": row.get("source"), "model": " + ".join(names), **row}
        verdict = cast("dict[str, Any]", row.get("verifier_result") or {})
        rewards = cast("dict[str, Any]", verdict.get("rewards") or {})
        if len(rewards) == 1:
            # Its only reward may have any name.
            row["reward"] = next(iter(rewards.values()))
    for name in _PARTS:
        if isinstance(part := row.get(name), dict):
            own = {key: value for key, value in row.items() if key != name}
            row = {**cast("dict[str, Any]", part), **own}
    return row


def _fault_of(row: Mapping[str, Any], *, judged: bool) -> object:
    """Return why an episode says nothing of its agent; None if it does."""
    stopped = row.get("status") if row.get("status") in _STOPPED else None
    flag = next((name for name in _FLAGS if row.get(name) is True), None)
    fault = _first(row, _ERRORS) or fault_in(row) or stopped or flag
    if not isinstance(fault, dict):
        return fault
    said = cast("dict[str, Any]", fault)
    kind, message = said.get("exception_type"), said.get("exception_message")
    if judged and kind == _TIMEOUT:
        return None
    return f"{kind}: {message}" if kind else str(said)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((row[name] for name in names if not _is_absent(row.get(name))), None)


def _is_absent(value: object) -> bool:
    return value in (None, "") or (isinstance(value, float) and math.isnan(value))


def number_of(value: object) -> float | None:
    """Return a number, also of a table's cell or a word; None for anything else, also NaN."""
    if isinstance(value, str):
        value = _WORDS.get(value.strip().lower(), value)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    number = float(value) if isinstance(value, int | float) else math.nan
    return None if math.isnan(number) else number


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
    # A run may lack the domains of the list.
    bare = [f"/{name}" for name in names if name and "/" not in name]
    items = [item for item in known.items if item.id.endswith(tuple(bare))] if bare else []
    return items[0] if len(items) == 1 else None


def _ends(name: str) -> Iterator[str]:
    parts = name.split("/")
    yield from ("/".join(parts[index:]) for index in range(len(parts)))
    yield parts[-1].partition(".")[2]


def verdict_of(outcome: Outcome) -> dict[str, object]:
    """Return the response, or the error, of an episode for the task `outcomes/run`."""
    if outcome.error is not None:
        # Of a traceback, its last line names the exception.
        return {"error": (str(outcome.error).strip() or "error").splitlines()[-1]}
    if outcome.reward is None:
        return {"error": "no verdict: its score is missing, or no number"}
    said: dict[str, object] = {"score": outcome.reward}
    if outcome.score is not None and 0 <= outcome.score <= 1 and outcome.reward in (0, 1):
        said = {"score": outcome.score, "success": bool(outcome.reward)}
    said |= {"steps": outcome.steps, "cost": outcome.cost}
    return {"response": {name: value for name, value in said.items() if value is not None}}


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
