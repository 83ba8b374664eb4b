"""From columns of any origin to rows."""

from collections.abc import Mapping, Sequence
from typing import cast

from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions.batch import Collector
from snellen.sdk.submissions.columns import FIELDS, NEEDED
from snellen.sdk.submissions.records import MAX_ATTEMPT, add_named, add_record, is_episode
from snellen.sdk.submissions.trajectories import COLUMNS, is_trajectory
from snellen.sdk.values import text_fault

_OF_EPISODES = (
    "task_id",
    "success",
    "steps",
    "limit",
    "platform",
    "planner",
    "grounder",
    "attempt",
    "error",
)


def wanted_columns(collector: Collector, names: Sequence[object]) -> dict[str, str]:
    """Return which of a table's columns are to be read: of submissions, or of episodes.

    Rows of one step each have `episode_id`; OS-Atlas's rows are read from JSON alone.

    Returns:
        Fields of a submission or an episode, to the columns that hold them.

    Raises:
        SubmissionError: item_id or response is not among them, and they are not those of episodes;
            or one stands there twice.
    """
    if collector.limits.recorded is not None and is_trajectory(names):
        wanted = {name: name for name in (*COLUMNS, *collector.limits.columns)}
    elif is_episode(names):
        wanted = {name: name for name in _OF_EPISODES}
    else:
        found = collector.name([name for name in names if isinstance(name, str)])
        for field in NEEDED:
            if field in found.lacking:
                raise SubmissionError(
                    "the column is missing; the columns item_id and response are needed,"
                    f" {found.lacking[field]}",
                    file=collector.file,
                    field=field,
                )
        for name in collector.limits.columns:
            if name not in names:
                shown = ", ".join(ascii(each) for each in names[:10])
                raise SubmissionError(
                    f"there is no such column; found: {shown}", file=collector.file, field=name
                )
        taken = set(found.other.values())
        wanted = {field: found.other.get(field, field) for field in FIELDS}
        wanted = {
            field: name for field, name in wanted.items() if field != name or name not in taken
        }
    for name in wanted.values():
        if names.count(name) > 1:
            raise SubmissionError(
                "there are several columns of that name; keep one",
                file=collector.file,
                field=name,
            )
    return {field: name for field, name in wanted.items() if name in names}


def add_table(
    collector: Collector, columns: Mapping[str, list[object]], lines: Sequence[int]
) -> None:
    """Add columns of one length, at once when all are right and otherwise row by row."""
    if "item_id" in columns and _is_plain(columns, collector.limits.max_response_chars):
        count = len(lines)
        none: list[object] = [None] * count
        collector.item_ids += cast("list[str]", columns["item_id"])
        collector.responses += columns["response"]
        attempts = cast("list[int | None]", columns.get("attempt", none))
        collector.attempts += [attempt or 0 for attempt in attempts]
        collector.errors += [cast("str", text) or None for text in columns.get("error", none)]
        collector.models += [cast("str", text) or None for text in columns.get("model", none)]
        collector.lines += lines
        return
    names = tuple(columns)
    add = add_named if "item_id" in columns else add_record
    for line, cells in zip(lines, zip(*columns.values(), strict=True), strict=True):
        add(collector, dict(zip(names, cells, strict=True)), line)


def _is_plain(columns: Mapping[str, list[object]], limit: int) -> bool:
    """Whether every cell is of the very type it should be, within its limits."""
    for name, cells in columns.items():
        kinds = set(map(type, cells))
        if name != "item_id":
            kinds.discard(type(None))
        if not kinds:
            continue
        if name == "attempt":
            numbers = [cell for cell in cast("list[int | None]", cells) if cell is not None]
            if kinds != {int} or min(numbers) < 0 or max(numbers) > MAX_ATTEMPT:
                return False
            continue
        if kinds != {str}:
            return False
        texts = [cell for cell in cast("list[str | None]", cells) if cell is not None]
        if name == "response" and max(map(len, texts)) > limit:
            return False
        if not all(map(str.isascii, texts)) and text_fault("".join(texts)) is not None:
            return False
    return True
