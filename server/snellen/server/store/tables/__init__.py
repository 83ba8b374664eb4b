"""The tables, each spelled once: a dataclass is its row, and its fields are the columns.

Times are milliseconds since 1970 in UTC; JSON is text as it came, but where a field has a type of
its own. A row is made by every call, so it is a plain dataclass: an object that SQLAlchemy's ORM
tracks takes eight times as long to make, and its import half a second more.
"""

from snellen.server.store.tables import annotations, endpoint, exams
from snellen.server.store.tables.columns import metadata

__all__ = ["annotations", "endpoint", "exams", "metadata"]
