"""Proposed topics, descriptions of runs, components of documents, and pooled documents outside the sample."""

from __future__ import annotations

from alembic import op

from cranfield.store.columns import key, number, of, text
from cranfield.store.migrations.creation import create_table

revision = "proposals_and_cards"
down_revision = "highlighted_passages"


def upgrade() -> None:
    """Create the table of proposals, and add columns about runs, documents and samples."""
    texts = ("title", "description", "narrative", "keywords", "kind", "structured")
    create_table(
        "proposal", key(), of("benchmark"), of("account"), *map(text, texts), number("created"), of("topic", null=True),
        number("declined", null=True), text("reason"),
    )  # fmt: skip
    columns = (("run", "system", ""), ("run", "tags", "[]"), ("run", "models", "[]"), ("document", "elements", "[]"))
    for table, column, default in columns:
        op.add_column(table, text(column, server_default=default))
    op.add_column("pooled", number("selected", server_default="1"))
