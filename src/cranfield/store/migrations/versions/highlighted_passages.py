"""Passages that assessors highlight in documents."""

from __future__ import annotations

import sqlalchemy as sa

from cranfield.store.columns import key, number, of, text
from cranfield.store.migrations.creation import create_table

revision = "highlighted_passages"
down_revision = "preference_pairs"


def upgrade() -> None:
    """Create the table of highlights; each row supersedes earlier ones, which are kept."""
    create_table(
        "highlight", key(), of("assignment"), text("key"),
        sa.Column("body", sa.Text, sa.ForeignKey("body.hash"), nullable=False), text("spans"), number("at"),
        sa.UniqueConstraint("assignment", "key"),
    )  # fmt: skip
