"""Record in each version of the qrels which documents are left out and how ties were resolved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from cranfield.store.columns import text

revision = "adjudication"
down_revision = "first_release"


def upgrade() -> None:
    """Add the list of documents without a label, and spell out the rule of earlier versions."""
    op.add_column("qrels", text("unresolved", server_default="[]"))
    qrels = sa.table("qrels", sa.column("rule", sa.Text()))
    words = {
        "majority": "most frequent grade; higher grade if tied",
        "highest": "highest grade",
        "lowest": "lowest grade",
    }
    for name, full in words.items():
        op.execute(qrels.update().where(qrels.c.rule == name).values(rule=full))
