"""Traces: what was called and looked at; they wait in memory and are written many at a time."""

from typing import Any

from snellen.server.store import queries
from snellen.server.store.database import Database

MOST_WAITING = 10_000
"""How many wait at most: where the store fails for long, the oldest are let go."""


class Traces:
    """The traces that wait to be written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row until the next flush."""
        self._waiting.append(row)

    async def flush(self) -> None:
        """Write what is waiting; where that fails it goes on waiting.

        Raises:
            StoreError: The store failed.
        """
        if not self._waiting:
            return
        rows, self._waiting = self._waiting, []
        try:
            await self._database.write(lambda c: queries.keep_traces(c, rows))
        except Exception:
            self._waiting = [*rows, *self._waiting][-MOST_WAITING:]
            raise
