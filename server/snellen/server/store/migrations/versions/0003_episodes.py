"""Episodes, their steps and screenshots; what an attempt's coordinates count."""

from alembic import op
from sqlalchemy import Column, Text, inspect

from snellen.server.store.tables import metadata
from snellen.server.store.tables.exams import attempts, episodes, frames, steps

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and the column."""
    metadata.create_all(op.get_bind(), [episodes, steps, frames], checkfirst=False)
    # The first step makes the tables as they are now.
    known = {column["name"] for column in inspect(op.get_bind()).get_columns(attempts.name)}
    if "space" not in known:
        column: Column[str] = Column("space", Text, nullable=False, server_default="pixels")
        op.add_column(attempts.name, column)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
