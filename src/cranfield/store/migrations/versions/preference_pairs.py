"""Pairs of documents, and which of them assessors prefer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "preference_pairs"
down_revision = "idle_sessions"
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of pairs and of preferences."""
    op.create_table(
        "pair",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("account", LONG, nullable=False),
        sa.Column("topic", LONG, nullable=False),
        sa.Column("left", sa.Text(), nullable=False),
        sa.Column("right", sa.Text(), nullable=False),
        sa.Column("position", LONG, nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_pair_benchmark")),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_pair_account")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_pair_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pair_account_benchmark_position"), "pair", ["account", "benchmark", "position"])
    op.create_table(
        "preference",
        sa.Column("id", LONG, nullable=False),
        sa.Column("pair", LONG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", LONG, nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["pair.id"], name=op.f("fk_preference_pair")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preference")),
        sa.UniqueConstraint("pair", "key", name=op.f("uq_preference_pair_key")),
        sqlite_strict=True,
    )
