"""What is wrong with the lines of a file, and an index of the events that move phases."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; of earlier gradings only the first line's problem is known."""
    op.add_column("jobs", sa.Column("problems", sa.Text(), nullable=True))
    moved = sa.text("what = 'moved'")
    op.create_index("ix_events_moved", "events", ["id"], postgresql_where=moved, sqlite_where=moved)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
