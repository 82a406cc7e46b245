"""Expire sessions after some hours without use."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from cranfield.store.columns import LONG, number

revision = "idle_sessions"
down_revision = "machine_assessors"


def upgrade() -> None:
    """Add the time at which a session was last used."""
    op.add_column("session", number("used", server_default="0"))
    session = sa.table("session", sa.column("used", LONG), sa.column("created", LONG))
    op.execute(session.update().values(used=session.c.created))
