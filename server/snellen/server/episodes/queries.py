"""The statements that read and write episodes in the store."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from snellen.server.store.statements import Query, Statement, row_values
from snellen.server.store.tables.exams import EpisodeRow, FrameRow, StepRow, episodes, frames, steps

_THIS = and_(episodes.c.attempt == bindparam("a"), episodes.c.place == bindparam("p"))

EPISODE = Query(select(episodes).where(_THIS), EpisodeRow)
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
