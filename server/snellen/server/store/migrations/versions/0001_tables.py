"""Tokens; attempts, their items and leases, answers and traces."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("revoked", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("name", name="uq_tokens_name"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("caller", sa.Text, nullable=False),
        sa.Column("exam", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("tasks", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("contexts", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("opened", sa.BigInteger, nullable=False),
        sa.Column("deadline", sa.BigInteger),
        sa.Column("closed", sa.BigInteger),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("answered", sa.Integer, nullable=False),
        sa.Column("report", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("digest", name="uq_attempts_digest"),
    )
    op.create_index("ix_attempts_caller", "attempts", ["caller"])
    op.create_table(
        "items",
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("opaque", sa.Text, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("pair", sa.Text),
        sa.Column("answered", sa.Boolean, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("leased_until", sa.BigInteger),
        sa.Column("views", sa.Integer, nullable=False),
        sa.Column("submissions", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("attempt", "place", name="pk_items"),
        sa.UniqueConstraint("attempt", "opaque", name="uq_items_attempt"),
        _of_an_attempt("items"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_items_open", "items", ["attempt", "answered", "place"])
    op.create_index("ix_items_holder", "items", ["attempt", "holder", "answered"])
    op.create_table(
        "leases",
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("client", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("pair", sa.Text),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("attempt", "client", "place", name="pk_leases"),
        _of_an_attempt("leases"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_leases_pair", "leases", ["attempt", "client", "pair"])
    op.create_table(
        "answers",
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("given", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.Column("meta", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("attempt", "place", "number", name="pk_answers"),
        _of_an_attempt("answers"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "traces",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("microseconds", sa.Integer, nullable=False),
        sa.Column("image_bytes", sa.Integer, nullable=False),
        sa.Column("image_tokens", sa.Integer, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_traces"),
        _of_an_attempt("traces"),
    )
    op.create_index("ix_traces_attempt", "traces", ["attempt"])


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")


def _of_an_attempt(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["attempt"], ["attempts.id"], name=f"fk_{table}_attempt", ondelete="CASCADE"
    )
