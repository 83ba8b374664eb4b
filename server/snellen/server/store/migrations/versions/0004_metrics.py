"""Every metric of a score, beside the primary one."""

from alembic import op
from sqlalchemy import Column, Text, inspect

from snellen.server.store.tables.endpoint import scores

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; scores of before have the primary metric alone."""
    # The first step makes the tables as they are now.
    known = {column["name"] for column in inspect(op.get_bind()).get_columns(scores.name)}
    if "metrics" not in known:
        column: Column[str] = Column("metrics", Text, nullable=False, server_default="{}")
        op.add_column(scores.name, column)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
