"""Columns of the tables of a campaign's database: types that SQLite and PostgreSQL store exactly.

The schema and the migrations both declare tables with them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import REAL, BigInteger, Column, Double, ForeignKey, Integer, Text
from sqlalchemy.types import TypeEngine

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
LONG = BigInteger().with_variant(Integer(), "sqlite")  # a strict table of SQLite knows INTEGER only
FLOAT: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")


def key() -> Column[Any]:
    """The number of a row."""
    return Column("id", LONG, primary_key=True)


def text(name: str, *, null: bool = False, **settings: Any) -> Column[Any]:
    """A text."""
    return Column(name, Text, nullable=null, **settings)


def number(name: str, *, null: bool = False, **settings: Any) -> Column[Any]:
    """An integer, a time or a switch."""
    return Column(name, LONG, nullable=null, **settings)


def of(table: str, *, name: str | None = None, null: bool = False) -> Column[Any]:
    """The row of another table."""
    return Column(name or table, LONG, ForeignKey(f"{table}.id"), nullable=null)
