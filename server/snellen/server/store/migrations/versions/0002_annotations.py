"""Annotations, their items and raters' answers."""

from alembic import op

from snellen.server.store.tables import metadata
from snellen.server.store.tables.annotations import annotation_items, annotations, ratings

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    metadata.create_all(op.get_bind(), [annotations, annotation_items, ratings], checkfirst=False)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
