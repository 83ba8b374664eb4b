"""Tokens; attempts, their items and leases, answers and traces."""

from alembic import op

from snellen.server.store.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_LATER = {"annotations", "annotation_items", "ratings", "episodes", "steps", "frames"}


def upgrade() -> None:
    """Make the tables.

    Before the first release they are what `tables` says but for those of later steps; the first
    release writes this one out, because a step that shipped never changes.
    """
    first = [table for name, table in metadata.tables.items() if name not in _LATER]
    metadata.create_all(op.get_bind(), first, checkfirst=False)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
