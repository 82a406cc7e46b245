"""Versions of the qrels say which documents they leave out, and how ties were resolved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "adjudication"
down_revision = "first_release"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the documents without a label, and name the rule of earlier versions in full."""
    op.add_column("qrels", sa.Column("unresolved", sa.Text(), server_default="[]", nullable=False))
    qrels = sa.table("qrels", sa.column("rule", sa.Text()))
    words = {
        "majority": "most frequent grade; higher grade if tied",
        "highest": "highest grade",
        "lowest": "lowest grade",
    }
    for name, full in words.items():
        op.execute(qrels.update().where(qrels.c.rule == name).values(rule=full))
