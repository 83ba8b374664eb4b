"""What an agent did on a task of L3 or L4: from the record of an episode to a submission.

    {"task_id": "linux/gimp-1", "success": 1, "steps": 7, "limit": 50, "platform": "os_linux",
     "planner": "gpt-4o", "grounder": "ui-tars-1.5-7b"}

`success` may be partial (OSWorld and WindowsAgentArena give fractions); only `task_id` and
`success` are required, or `error` in place of `success` where the environment broke. `sdk.grade`
reads such records wherever it reads submissions.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import msgspec

from snellen.tasks.benchmarks.mmbench_gui.rules.online import PLATFORMS
from snellen.tasks.io.rows import Text, fault_of

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Steps = Annotated[int, msgspec.Meta(ge=0)]
_ERROR = "the episode counts as an error"


class _Record(msgspec.Struct):
    task_id: Text
    success: bool | _Share | None = None
    steps: _Steps | None = None
    limit: Annotated[int, msgspec.Meta(gt=0)] | None = None
    platform: str | None = None
    planner: str | None = None
    grounder: str | None = None
    attempt: Annotated[int, msgspec.Meta(ge=0)] = 0
    error: str | None = None


class EpisodeFault(NamedTuple):
    """What is wrong with a record, and in which field where one is."""

    what: str
    field: str | None


class EpisodeRecord(NamedTuple):
    """A record as the fields of a submission, and what is wrong with it."""

    submission: Mapping[str, Any]
    faults: tuple[EpisodeFault, ...] = ()


def read_record(record: Mapping[str, Any]) -> EpisodeRecord:
    """Turn the record of an episode into a submission; a faulty one becomes an error.

    Args:
        record: JSON values. One that is faulty keeps its task, its attempt where that is a number,
            and its model, so that the error is counted in its place.
    """
    try:
        plain = {name: _whole(value) for name, value in record.items()}
        episode = msgspec.convert(plain, _Record)
    except msgspec.ValidationError as error:
        what, _, field = fault_of(error, _Record)
        attempt = record.get("attempt")
        found: dict[str, Any] = {
            "item_id": record.get("task_id"),
            "attempt": attempt if type(attempt) is int and attempt >= 0 else 0,
            "model": _model(record.get("planner"), record.get("grounder")),
            "error": f"unreadable record: {error}",
        }
        return EpisodeRecord(found, (EpisodeFault(f"{what}; {_ERROR}", field),))
    return _of(episode)


def _whole(value: object) -> object:
    # Columns in which a number is missing hold floats: 7 steps are 7.0 there.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of(episode: _Record) -> EpisodeRecord:
    error, faults = episode.error, list[EpisodeFault]()
    if error is None and episode.success is None:
        error = "the record has neither success nor error"
        faults.append(EpisodeFault(f"{error}; {_ERROR}", "success"))
    if episode.platform not in (None, *PLATFORMS, *PLATFORMS.values()):
        known = f"there is no platform {episode.platform!a}; known: {', '.join(PLATFORMS)}"
        faults.append(EpisodeFault(f"{known}; its task's counts", "platform"))
    found: dict[str, Any] = {
        "item_id": episode.task_id,
        "attempt": episode.attempt,
        "model": _model(episode.planner, episode.grounder),
        "error": error,
    }
    if error is None and episode.success is not None:
        said = {
            "success": float(episode.success),
            "cost": episode.steps,
            "limit": episode.limit,
            "platform": episode.platform,
        }
        found["response"] = {key: value for key, value in said.items() if value is not None}
    return EpisodeRecord(found, tuple(faults))


def _model(planner: object, grounder: object) -> str | None:
    names = [name for name in (planner, grounder) if isinstance(name, str) and name]
    return " + ".join(names) or None
