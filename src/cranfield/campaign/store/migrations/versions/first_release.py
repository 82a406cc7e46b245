"""The tables of the first release: those of the schema, until a release has been made with them."""

from __future__ import annotations

from alembic import op

from cranfield.campaign.store.schema import metadata

revision = "first_release"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    metadata.create_all(op.get_bind(), checkfirst=False)
