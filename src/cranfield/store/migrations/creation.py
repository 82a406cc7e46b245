"""Tables that migrations create."""

from __future__ import annotations

from typing import Any

from alembic import op


def create_table(name: str, *parts: Any) -> None:
    """Create a table of these columns, constraints and indexes."""
    op.create_table(name, *parts, sqlite_strict=True)
