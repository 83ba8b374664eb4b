"""The clients that play episodes."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; of earlier episodes nobody knows who played them."""
    op.add_column("episodes", sa.Column("client", sa.Text(), nullable=True))


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
