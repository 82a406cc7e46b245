"""Sessions end when they are not used for some hours."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "idle_sessions"
down_revision = "machine_assessors"
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the time at which a session was last used."""
    op.add_column("session", sa.Column("used", LONG, server_default="0", nullable=False))
    session = sa.table("session", sa.column("used", LONG), sa.column("created", LONG))
    op.execute(session.update().values(used=session.c.created))
