"""What is wrong with the lines of a file, as its grading read them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the column; of earlier gradings only the first line's problem is known."""
    op.add_column("jobs", sa.Column("problems", sa.Text(), nullable=True))


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
