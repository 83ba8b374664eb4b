"""The record of an episode, which is graded, made from its row in the store."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from snellen.server.exam.rules import AT_ADDRESS, Door
from snellen.server.store.tables.exams import EpisodeRow

FAULT = "the environment of this item broke: a fault of the exam"


def record_of(
    row: EpisodeRow, limit: int, door: Door, said: Mapping[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """Return an episode's record for the protocols of episodes.

    Args:
        row: The episode.
        limit: The step limit.
        door: The interface for acting in it.
        said: The agent's end of the episode: `status`, `answer`, `reason`; None: the page or the
            limit ended it, and it is graded in that state.
    """
    if said is not None:
        end = "submitted"
    elif row.over:
        end = "page"
    else:
        end = "limit" if row.steps >= limit else "abandoned"
    took = None if row.closed is None else max(0, row.closed - row.opened) / 1000
    record: dict[str, JsonValue] = {
        **(said or {}),
        **json.loads(row.result),
        "cost": row.steps,
        "limit": limit,
        "end": end,
        "calls": row.calls,
    }
    if door is not Door.SCREEN:
        record["door"] = door.value
    if door not in AT_ADDRESS:
        # What the agent's own browser shows it, nobody here knows.
        record |= {"image_tokens": row.image_tokens, "text_tokens": row.text_tokens}
    if row.browsers > 1:
        record["browsers"] = row.browsers
    if row.number > 1:
        record["tries"] = row.number
    return record if took is None else {**record, "seconds": took}
