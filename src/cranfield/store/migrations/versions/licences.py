"""Name the licence of a collection."""

from __future__ import annotations

from alembic import op

from cranfield.store.columns import text

revision = "licences"
down_revision = "exact_probabilities"


def upgrade() -> None:
    """Add the licence of a benchmark's collection."""
    op.add_column("benchmark", text("licence", server_default=""))
