"""Pairs of documents, and which of them assessors prefer."""

from __future__ import annotations

import sqlalchemy as sa

from cranfield.store.columns import key, number, of, text
from cranfield.store.migrations.creation import create_table

revision = "preference_pairs"
down_revision = "idle_sessions"


def upgrade() -> None:
    """Create the tables of pairs and of preferences."""
    create_table(
        "pair", key(), of("benchmark"), of("account"), of("topic"), text("left"), text("right"), number("position"),
        sa.Index(None, "account", "benchmark", "position"),
    )  # fmt: skip
    create_table(
        "preference", key(), of("pair"), text("key"), text("kind"), text("note"), number("at"),
        sa.UniqueConstraint("pair", "key"),
    )  # fmt: skip
