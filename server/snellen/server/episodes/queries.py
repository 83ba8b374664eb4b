"""The statements that read and write episodes in the store."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.exams import (
    EpisodeRow,
    FrameRow,
    StepRow,
    episodes,
    frames,
    items,
    steps,
)


@dataclass(frozen=True, slots=True)
class Addressed:
    """An episode that an address is of."""

    attempt: int
    client: str  # who plays it
    opaque: str  # the id of its item
    leased_until: int | None  # the end of that client's lease


_THIS = and_(episodes.c.attempt == bindparam("a"), episodes.c.place == bindparam("p"))

EPISODE = Query(select(episodes).where(_THIS), EpisodeRow)
AT_ADDRESS = Query(
    select(episodes.c.attempt, episodes.c.client, items.c.opaque, items.c.leased_until)
    .join_from(
        episodes,
        items,
        and_(episodes.c.attempt == items.c.attempt, episodes.c.place == items.c.place),
    )
    .where(episodes.c.address == bindparam("address")),
    Addressed,
)
STEPS = Query(
    select(steps)
    .where(
        steps.c.attempt == bindparam("a"),
        steps.c.place == bindparam("p"),
        steps.c.episode == bindparam("e"),
    )
    .order_by(steps.c.number),
    StepRow,
)
FRAME = Query(
    select(frames).where(frames.c.attempt == bindparam("a"), frames.c.digest == bindparam("d")),
    FrameRow,
)
_FORGET = Statement(delete(episodes).where(_THIS))
_KEEP = Statement(insert(episodes))
_ADD_STEP = Statement(insert(steps))
_ADD_FRAME = Statement(insert(frames))


def keep(
    connection: Connection, episode: EpisodeRow, taken: Sequence[StepRow], frame: FrameRow | None
) -> None:
    """Write an episode's current state, its new steps and the last screenshot."""
    _FORGET.run(connection, {"a": episode.attempt, "p": episode.place})
    _KEEP.run(connection, row_values(episode))
    for step in taken:
        _ADD_STEP.run(connection, row_values(step))
    if frame is not None:
        known = {"a": frame.attempt, "d": frame.digest}
        if FRAME.first(connection, known) is None:
            _ADD_FRAME.run(connection, row_values(frame))
