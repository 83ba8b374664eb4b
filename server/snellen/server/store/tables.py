"""The tables. Times are milliseconds since 1970 in UTC; JSON is text as it came."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite keeps such a table in the order of its key: a change touches a page less.
_CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    # SHA-256 of the token: it is 256 random bits, so nothing slower is needed.
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("revoked", BigInteger),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    # SHA-256 of the handle, which is 192 random bits.
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("secret", LargeBinary(32), nullable=False),
    Column("caller", Text, nullable=False, index=True),
    Column("exam", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("tasks", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("contexts", Text, nullable=False),
    Column("model", Text),
    Column("opened", BigInteger, nullable=False),
    Column("deadline", BigInteger),
    Column("closed", BigInteger),
    Column("state", Text, nullable=False),
    # Kept with every answer, so that no call counts the items of an attempt.
    Column("total", Integer, nullable=False),
    Column("answered", Integer, nullable=False, default=0),
    Column("report", Text),
)

items = Table(
    "items",
    metadata,
    Column("attempt", Integer, ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("opaque", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("pair", Text),
    Column("answered", Boolean, nullable=False, default=False),
    Column("holder", Text),
    Column("leased_until", BigInteger),
    Column("views", Integer, nullable=False, default=0),
    Column("submissions", Integer, nullable=False, default=0),
    UniqueConstraint("attempt", "opaque"),
    Index("ix_items_open", "attempt", "answered", "place"),
    Index("ix_items_holder", "attempt", "holder", "answered"),
    **_CLUSTERED,
)

# Who has ever been given what: an item whose lease ended was seen all the same.
leases = Table(
    "leases",
    metadata,
    Column("attempt", Integer, ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True),
    Column("client", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("pair", Text),
    Column("at", BigInteger, nullable=False),
    Index("ix_leases_pair", "attempt", "client", "pair"),
    **_CLUSTERED,
)

answers = Table(
    "answers",
    metadata,
    Column("attempt", Integer, ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("given", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("meta", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    **_CLUSTERED,
)

traces = Table(
    "traces",
    metadata,
    Column("id", Integer, primary_key=True),
    Column(
        "attempt",
        Integer,
        ForeignKey("attempts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("place", Integer),
    Column("at", BigInteger, nullable=False),
    Column("tool", Text, nullable=False),
    Column("microseconds", Integer, nullable=False),
    Column("image_bytes", Integer, nullable=False, default=0),
    Column("image_tokens", Integer, nullable=False, default=0),
    Column("detail", Text, nullable=False, default="{}"),
)
