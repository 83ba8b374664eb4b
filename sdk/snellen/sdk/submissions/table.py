"""From columns of any origin to rows."""

from collections.abc import Mapping, Sequence
from typing import cast

from snellen.grading.errors import SubmissionError
from snellen.sdk.submissions.batch import Collector
from snellen.sdk.submissions.records import FIELDS, MAX_ATTEMPT, add_record, is_episode
from snellen.sdk.values import text_fault

_NEEDED = ("item_id", "response")
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


def wanted_columns(names: Sequence[object], file: str | None = None) -> list[str]:
    """Return which of a table's columns are to be read: of submissions, or of episodes.

    Raises:
        SubmissionError: item_id or response is not among them, and they are not those of episodes;
            or one stands there twice.
    """
    episodes = is_episode(names)
    known = _OF_EPISODES if episodes else FIELDS
    for name in known:
        if names.count(name) > 1:
            raise SubmissionError(
                "there are several columns of that name; keep one", file=file, field=name
            )
    for name in () if episodes else _NEEDED:
        if name not in names:
            found = ", ".join(ascii(each) for each in names[:10]) or "none"
            raise SubmissionError(
                f"there is no such column; the columns item_id and response must be there,"
                f" found: {found}",
                file=file,
                field=name,
            )
    return [name for name in known if name in names]


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
    for line, cells in zip(lines, zip(*columns.values(), strict=True), strict=True):
        add_record(collector, dict(zip(names, cells, strict=True)), line)


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
