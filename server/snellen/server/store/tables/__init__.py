"""The tables: each is defined by one dataclass, whose fields are the columns.

Times are milliseconds since 1970 in UTC. JSON is stored as the received text, unless a field has
its own type. Rows are plain dataclasses because every call creates some: an object tracked by
SQLAlchemy's ORM takes eight times as long to create, and importing the ORM takes half a second.
"""

from snellen.server.store.tables import annotations, endpoint, exams, revision
from snellen.server.store.tables.columns import metadata

__all__ = ["annotations", "endpoint", "exams", "metadata", "revision"]
