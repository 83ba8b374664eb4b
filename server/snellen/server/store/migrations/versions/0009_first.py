"""The first revision: every table, written out, because a step that shipped never changes."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "annotations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("closed", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
        sa.UniqueConstraint("name", name="uq_annotations_name"),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("exam", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("tasks", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("contexts", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("opened", sa.BigInteger(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("closed", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("report", sa.Text(), nullable=True),
        sa.Column("space", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("digest", name="uq_attempts_digest"),
    )
    op.create_index("ix_attempts_caller", "attempts", ["caller"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("submission", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_phase", "events", ["phase"], unique=False)
    op.create_table(
        "gradings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("references", sa.LargeBinary(length=32), nullable=False),
        sa.Column("protocols", sa.Text(), nullable=False),
        sa.Column("snellen", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("shown", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_gradings"),
    )
    op.create_index("ix_gradings_phase", "gradings", ["phase"], unique=False)
    op.create_table(
        "quotas",
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("phase", "caller", "day", name="pk_quotas"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=True),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("cost", sa.Text(), nullable=False),
        sa.Column("conditions", sa.Text(), nullable=False),
        sa.Column("baseline", sa.Boolean(), nullable=False),
        sa.Column("removed", sa.Text(), nullable=True),
        sa.Column("chosen", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint("attempt", name="uq_submissions_attempt"),
    )
    op.create_index("ix_submissions_caller", "submissions", ["caller"], unique=False)
    op.create_index("ix_submissions_phase", "submissions", ["phase", "at", "id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("revoked", sa.BigInteger(), nullable=True),
        sa.Column("expires", sa.BigInteger(), nullable=True),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
        sa.UniqueConstraint("name", name="uq_tokens_name"),
    )
    op.create_table(
        "annotation_items",
        sa.Column("annotation", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("elements", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotation"],
            ["annotations.id"],
            name="fk_annotation_items_annotation",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("annotation", "task", "item", name="pk_annotation_items"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "answers",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("given", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_answers_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "place", "number", name="pk_answers"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "episodes",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("looks", sa.Integer(), nullable=False),
        sa.Column("opened", sa.BigInteger(), nullable=False),
        sa.Column("closed", sa.BigInteger(), nullable=True),
        sa.Column("over", sa.Boolean(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("image_tokens", sa.Integer(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("client", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_episodes_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "place", name="pk_episodes"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "frames",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_frames_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "digest", name="pk_frames"),
    )
    op.create_table(
        "items",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("opaque", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("pair", sa.Text(), nullable=True),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("views", sa.Integer(), nullable=False),
        sa.Column("submissions", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_items_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "place", name="pk_items"),
        sa.UniqueConstraint("attempt", "opaque", name="uq_items_attempt"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_items_holder", "items", ["attempt", "holder", "answered"], unique=False)
    op.create_index("ix_items_open", "items", ["attempt", "answered", "place"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("grading", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("problems", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["grading"], ["gradings.id"], name="fk_jobs_grading", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_jobs_submission", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("submission", "grading", name="pk_jobs"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_jobs_open",
        "jobs",
        ["at"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'grading')"),
        sqlite_where=sa.text("state IN ('queued', 'grading')"),
    )
    op.create_table(
        "keys",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("submission", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_keys_submission", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("caller", "key", name="pk_keys"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "leases",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("client", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("pair", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_leases_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "client", "place", name="pk_leases"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_leases_pair", "leases", ["attempt", "client", "pair"], unique=False)
    op.create_table(
        "parts",
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("kept", sa.LargeBinary(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_parts_submission", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("submission", "number", name="pk_parts"),
    )
    op.create_table(
        "ratings",
        sa.Column("annotation", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("given", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("corrected", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotation"], ["annotations.id"], name="fk_ratings_annotation", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("annotation", "task", "item", "rater", name="pk_ratings"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "scores",
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("grading", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("outcomes", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("metrics", sa.Text(), nullable=False),
        sa.Column("item_values", sa.LargeBinary(), nullable=False),
        sa.Column("item_groups", sa.LargeBinary(), nullable=False),
        sa.Column("report", sa.LargeBinary(), nullable=True),
        sa.Column("measures", sa.Text(), nullable=True),
        sa.Column("item_episodes", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["grading"], ["gradings.id"], name="fk_scores_grading", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name="fk_scores_submission", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("submission", "grading", "task", "part", name="pk_scores"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["token"], ["tokens.id"], name="fk_sessions_token", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_table(
        "steps",
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("episode", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("given", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("microseconds", sa.Integer(), nullable=False),
        sa.Column("frame", sa.LargeBinary(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_steps_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("attempt", "place", "episode", "number", name="pk_steps"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("revoked", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("digest", name="uq_invitations_digest"),
    )
    op.create_table(
        "requests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_requests"),
        sa.UniqueConstraint("name", name="uq_requests_name"),
        sa.UniqueConstraint("digest", name="uq_requests_digest"),
        sa.UniqueConstraint("subject", name="uq_requests_subject"),
    )
    op.create_table(
        "teams",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_teams"),
        sa.UniqueConstraint("digest", name="uq_teams_digest"),
    )
    op.create_table(
        "traces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("microseconds", sa.Integer(), nullable=False),
        sa.Column("image_bytes", sa.Integer(), nullable=False),
        sa.Column("image_tokens", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt"], ["attempts.id"], name="fk_traces_attempt", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_traces"),
    )
    op.create_index("ix_traces_attempt", "traces", ["attempt"], unique=False)
    op.create_index("ix_tokens_subject", "tokens", ["subject"], unique=True)
    moved = sa.text("what = 'moved'")
    op.create_index("ix_events_moved", "events", ["id"], postgresql_where=moved, sqlite_where=moved)


def downgrade() -> None:
    """Refuse: a store never goes back."""
    raise NotImplementedError("restore a copy made before the upgrade")
