"""The table that makes a database a store: it has the revision of the others."""

from dataclasses import dataclass
from typing import Annotated

from snellen.server.store.tables.columns import KEY, table

REVISION = "0010"
"""The revision of the tables. It changes if rows get another meaning in the same columns."""


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """The revision of a store, in its one row."""

    revision: Annotated[str, KEY]


revision = table("snellen", RevisionRow)
