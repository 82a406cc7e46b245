"""Store inclusion probabilities in double precision: PostgreSQL kept seven digits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "exact_probabilities"
down_revision = "proposals_and_cards"


def upgrade() -> None:
    """Widen the column; SQLite has a single floating-point type."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("pooled", "probability", type_=sa.Double())
