"""The clients that play episodes, and the episodes that EQA is made of."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the columns; earlier episodes and scores have none."""
    op.add_column("episodes", sa.Column("client", sa.Text(), nullable=True))
    op.add_column("scores", sa.Column("item_episodes", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
