"""What an agent did on the tasks of L3 and L4: from records of episodes to submissions.

Two layouts are read. Ours is JSON lines, one episode each:

    {"task_id": "linux/gimp-1", "success": 1, "steps": 7, "limit": 50, "platform": "os_linux",
     "planner": "gpt-4o", "grounder": "ui-tars-1.5-7b"}

`success` may be partial (OSWorld and WindowsAgentArena give fractions); only `task_id` and
`success` are required, or `error` in place of `success` where the environment broke. `sdk.grade`
reads such records wherever it reads submissions. The other is a folder of results as ScaleCUA's
MacOSArena leaves it: `{task}/result.txt`, in each a JSON object with `completed` and
`steps_used`, or the bare score (evaluation/MacOSArena).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from snellen.grading.errors import DataError
from snellen.grading.models.base import NO_JSON
from snellen.grading.models.reports import Problem, ProblemKind
from snellen.grading.models.scores import Submission
from snellen.grading.protocols.mmbench_gui.online import PLATFORMS
from snellen.tasks.io.json_text import JsonText, read_json
from snellen.tasks.io.rows import Text, fault_of

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Steps = Annotated[int, msgspec.Meta(ge=0)]
_RESULT = "result.txt"
_ERROR = "the episode counts as an error"


class _BareRecord(msgspec.Struct):
    """What a record must say so that anything else of it can be kept."""

    task_id: Text


class _Record(_BareRecord):
    success: bool | _Share | None = None
    steps: _Steps | None = None
    limit: Annotated[int, msgspec.Meta(gt=0)] | None = None
    platform: str | None = None
    planner: str | None = None
    grounder: str | None = None
    attempt: Annotated[int, msgspec.Meta(ge=0)] = 0
    error: str | None = None


class _Result(msgspec.Struct):
    completed: bool | _Share
    steps_used: _Steps


@dataclass(frozen=True, slots=True)
class Episodes:
    """Episodes as submissions, and what could not be read.

    Attributes:
        submissions: One an episode, in the order of the file (of the tasks' paths for a folder).
            An episode whose record is faulty is there with its `error`, so that it is counted.
        problems: What names no task, and the faults of the others.
    """

    submissions: tuple[Submission, ...]
    problems: tuple[Problem, ...] = ()


class EpisodeFault(NamedTuple):
    """What is wrong with a record, and in which field where one is."""

    what: str
    field: str | None


class EpisodeRecord(NamedTuple):
    """A record as the fields of a submission, and what is wrong with it."""

    submission: Mapping[str, Any]
    faults: tuple[EpisodeFault, ...] = ()


def read_record(record: Mapping[str, Any], *, cut_at: int | None = None) -> EpisodeRecord:
    """Turn the record of an episode into a submission; a faulty one becomes an error.

    Args:
        record: JSON values. One that is faulty keeps its task, its attempt where that is a number,
            and its model, so that the error is counted in its place.
        cut_at: As for `read_episodes`.
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
    return _of(episode, cut_at)


def _whole(value: object) -> object:
    # Columns in which a number is missing hold floats: 7 steps are 7.0 there.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of(episode: _Record, cut_at: int | None) -> EpisodeRecord:
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
        said = _response(float(episode.success), episode.steps, episode.limit, cut_at)
        platform = {} if episode.platform is None else {"platform": episode.platform}
        found["response"] = said | platform
    return EpisodeRecord(found, tuple(faults))


def _model(planner: object, grounder: object) -> str | None:
    names = [name for name in (planner, grounder) if isinstance(name, str) and name]
    return " + ".join(names) or None


def read_episodes(path: str | Path, *, cut_at: int | None = None) -> Episodes:
    """Read the episodes of one run.

    Args:
        path: A file of JSON lines, or a folder of results.
        cut_at: What the run would have been worth under this limit of steps: an episode that
            took more failed at the limit (ScaleCUA's EQA@15 of a run of 50 steps). Episodes that
            do not say their steps stay as they are.

    Raises:
        DataError: There is nothing there, or no record of an episode in it.
    """
    root = Path(path)
    if root.is_dir():
        found = _folder(root, cut_at)
    elif root.is_file():
        found = _lines(root, cut_at)
    else:
        raise DataError("there is no such file or folder of episodes", file=str(path))
    if not found.submissions:
        raise DataError(
            f"holds no episode: neither JSON lines with task_id nor folders with {_RESULT}",
            file=str(path),
        )
    return found


def _lines(path: Path, cut_at: int | None) -> Episodes:
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for line in read_json(path).lines:
        try:
            named = msgspec.json.decode(line.data, type=_BareRecord)
            record = msgspec.json.decode(line.data, type=dict[str, Any])
        except msgspec.ValidationError as error:
            what, _, field = fault_of(error, _BareRecord)
            problems.append(_problem(ProblemKind.MALFORMED, EpisodeFault(what, field), line))
            continue
        except NO_JSON as error:
            problems.append(_problem(ProblemKind.MALFORMED, EpisodeFault(str(error), None), line))
            continue
        found = read_record(record, cut_at=cut_at)
        for what, field in found.faults:
            fault = EpisodeFault(f"{named.task_id}: {what}", field)
            problems.append(_problem(ProblemKind.WRONG_TYPE, fault, line))
        known = {key: record.get(key) for key in ("platform", "planner", "grounder")}
        meta = {key: value for key, value in known.items() if value is not None}
        submissions.append(Submission(**found.submission, meta=meta))
    return Episodes(tuple(submissions), tuple(problems))


def _problem(kind: ProblemKind, fault: EpisodeFault, where: JsonText) -> Problem:
    return Problem(
        kind=kind, message=fault.what, file=where.file, line=where.line, field=fault.field
    )


def _response(
    success: float, steps: int | None, limit: int | None, cut_at: int | None
) -> dict[str, Any]:
    if cut_at is not None:
        limit = cut_at
        if steps is not None and steps > cut_at:
            success, steps = 0.0, cut_at
    given = {"success": success, "cost": steps, "limit": limit}
    return {key: value for key, value in given.items() if value is not None}


def _folder(root: Path, cut_at: int | None) -> Episodes:
    submissions: list[Submission] = []
    problems: list[Problem] = []
    for path in sorted(root.rglob(_RESULT)):
        name = path.parent.relative_to(root).as_posix()
        try:
            found = msgspec.json.decode(path.read_bytes(), type=_Result | _Share)
        except (*NO_JSON, OSError) as error:
            kind, message = ProblemKind.MALFORMED, f"{name}: {error}"
            problems.append(Problem(kind=kind, message=message, file=str(path)))
            submissions.append(Submission(item_id=name, error=f"unreadable result: {error}"))
            continue
        if isinstance(found, _Result):
            response = _response(float(found.completed), found.steps_used, None, cut_at)
        else:
            response = _response(found, None, None, cut_at)
        submissions.append(Submission(item_id=name, response=response))
    return Episodes(tuple(submissions), tuple(problems))
