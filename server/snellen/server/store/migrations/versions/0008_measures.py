"""The measures of a score, in units of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; scores of earlier gradings have none."""
    op.add_column("scores", sa.Column("measures", sa.Text(), nullable=True))


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
