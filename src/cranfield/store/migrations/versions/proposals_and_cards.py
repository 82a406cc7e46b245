"""Proposed topics, cards of runs, components of documents, and pooled documents that a sample left out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "proposals_and_cards"
down_revision = "highlighted_passages"
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of proposals, and add columns about runs, documents and samples."""
    texts = ("title", "description", "narrative", "keywords", "kind", "structured")
    op.create_table(
        "proposal",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("account", LONG, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        sa.Column("created", LONG, nullable=False),
        sa.Column("topic", LONG, nullable=True),
        sa.Column("declined", LONG, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_proposal_benchmark")),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_proposal_account")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_proposal_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
        sqlite_strict=True,
    )
    for table, column, default in (
        ("run", "system", ""),
        ("run", "tags", "[]"),
        ("run", "models", "[]"),
        ("document", "elements", "[]"),
    ):
        op.add_column(table, sa.Column(column, sa.Text(), server_default=default, nullable=False))
    op.add_column("pooled", sa.Column("selected", LONG, server_default="1", nullable=False))
