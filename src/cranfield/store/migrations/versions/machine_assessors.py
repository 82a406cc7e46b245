"""The answers of machine assessors, as they came."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "machine_assessors"
down_revision = "adjudication"
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of answers."""
    op.create_table(
        "answer",
        sa.Column("event", LONG, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("milliseconds", LONG, nullable=False),
        sa.ForeignKeyConstraint(["event"], ["event.id"], name=op.f("fk_answer_event")),
        sa.PrimaryKeyConstraint("event", name=op.f("pk_answer")),
        sqlite_strict=True,
    )
