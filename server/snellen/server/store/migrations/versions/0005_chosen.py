"""When a participant chose a submission to count at the end."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; nothing was chosen before."""
    op.add_column("submissions", sa.Column("chosen", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
