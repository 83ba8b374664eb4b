"""Tokens; attempts, their items and leases, answers and traces."""

from alembic import op

from snellen.server.store.tables import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables.

    Before the first release they are what `tables` says; the release that adds a second step
    writes this one out, because a step that shipped never changes.
    """
    metadata.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
