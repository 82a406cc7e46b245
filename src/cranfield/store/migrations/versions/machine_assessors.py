"""The verbatim answers of machine assessors."""

from __future__ import annotations

import sqlalchemy as sa

from cranfield.store.columns import LONG, number, text
from cranfield.store.migrations.creation import create_table

revision = "machine_assessors"
down_revision = "adjudication"


def upgrade() -> None:
    """Create the table of answers."""
    create_table(
        "answer", sa.Column("event", LONG, sa.ForeignKey("event.id"), primary_key=True), text("model"), text("prompt"),
        text("settings"), text("answer"), number("milliseconds"),
    )  # fmt: skip
