"""Passages that assessors highlight in documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "highlighted_passages"
down_revision = "preference_pairs"
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of highlights: each replaces the one before, which stays."""
    op.create_table(
        "highlight",
        sa.Column("id", LONG, nullable=False),
        sa.Column("assignment", LONG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("spans", sa.Text(), nullable=False),
        sa.Column("at", LONG, nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["assignment.id"], name=op.f("fk_highlight_assignment")),
        sa.ForeignKeyConstraint(["body"], ["body.hash"], name=op.f("fk_highlight_body")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_highlight")),
        sa.UniqueConstraint("assignment", "key", name=op.f("uq_highlight_assignment_key")),
        sqlite_strict=True,
    )
