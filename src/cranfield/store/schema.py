"""The tables of a campaign's database, the same on SQLite and PostgreSQL.

Times are milliseconds since 1970, switches are 0 or 1, and structured values are JSON in text: types that both
databases store exactly.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    REAL,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)
LONG = BigInteger().with_variant(Integer(), "sqlite")  # a strict table of SQLite knows INTEGER only
FLOAT: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")


def _table(name: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts, sqlite_strict=True)


def _id() -> Column[Any]:
    return Column("id", LONG, primary_key=True)


def _text(name: str, *, null: bool = False, **settings: Any) -> Column[Any]:
    return Column(name, Text, nullable=null, **settings)


def _number(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, LONG, nullable=null)


def _of(table: str, *, name: str | None = None, null: bool = False) -> Column[Any]:
    return Column(name or table, LONG, ForeignKey(f"{table}.id"), nullable=null)


account = _table(
    "account", _id(), _text("email", unique=True), _text("name"), _text("password"), _number("administrator"),
    _text("kind"), _number("created"), _number("disabled", null=True),
)  # fmt: skip
session = _table(
    "session", _id(), _text("token_hash", unique=True), _of("account"), _text("csrf"), _number("created"),
    _number("expires"), Column("used", LONG, nullable=False, server_default="0"),
)  # fmt: skip
token = _table(
    "token", _id(), _text("token_hash", unique=True), _of("account"), _text("name"), _number("created"),
    _number("revoked", null=True),
)  # fmt: skip
benchmark = _table(
    "benchmark", _id(), _text("slug", unique=True), _text("name"), _text("purpose"), _text("guidelines"),
    _text("scale"), _text("measures"), _number("created"), _of("account", name="created_by"),
    _number("released", null=True),
)  # fmt: skip
membership = _table(
    "membership", Column("account", LONG, ForeignKey("account.id"), primary_key=True),
    Column("benchmark", LONG, ForeignKey("benchmark.id"), primary_key=True), _text("role"), _text("team"),
)  # fmt: skip
invitation = _table(
    "invitation", _id(), _text("token_hash", unique=True), _of("benchmark"), _text("role"), _text("note"),
    _of("account", name="created_by"), _number("created"), _number("expires"),
    _of("account", name="used_by", null=True),
)  # fmt: skip
topic = _table(
    "topic", _id(), _of("benchmark"), _text("name"), _text("title"), _text("description"), _text("narrative"),
    _text("keywords"), _text("kind"), _text("structured"), UniqueConstraint("benchmark", "name"),
)  # fmt: skip
proposal = _table(  # of a topic; accepted once it has one
    "proposal", _id(), _of("benchmark"), _of("account"), _text("title"), _text("description"), _text("narrative"),
    _text("keywords"), _text("kind"), _text("structured"), _number("created"), _of("topic", null=True),
    _number("declined", null=True), _text("reason"),
)  # fmt: skip
body = _table("body", Column("hash", Text, primary_key=True), _text("text"))
document = _table(
    "document", _id(), _of("benchmark"), _text("name"), _text("title"),
    Column("body", Text, ForeignKey("body.hash"), nullable=False), _text("elements", server_default="[]"),
    UniqueConstraint("benchmark", "name"),
)  # fmt: skip
run = _table(
    "run", _id(), _of("benchmark"), _of("account"), _text("name"), _text("team"), _text("description"), _text("kind"),
    _text("file"), _text("hash"), _number("size"), _number("n_rows"), _number("n_topics"), _text("remarks"),
    _number("created"), _number("withdrawn", null=True), _text("system", server_default=""),
    _text("tags", server_default="[]"), _text("models", server_default="[]"), UniqueConstraint("benchmark", "name"),
)  # fmt: skip
pool = _table(
    "pool", _id(), _of("benchmark"), _number("wave"), _text("method"), _text("settings"), _number("created"),
    _of("account", name="created_by"), UniqueConstraint("benchmark", "wave"),
)  # fmt: skip
pooled = _table(
    "pooled", _id(), _of("pool"), _of("topic"), _text("document"), _number("position"), _text("stratum"),
    Column("probability", FLOAT, nullable=False), Column("selected", LONG, nullable=False, server_default="1"),
    UniqueConstraint("pool", "topic", "document"), Index(None, "topic", "document"),
)  # fmt: skip
contribution = _table(
    "contribution", Column("pooled", LONG, ForeignKey("pooled.id"), primary_key=True),
    Column("run", LONG, ForeignKey("run.id"), primary_key=True), _number("rank"),
)  # fmt: skip
assignment = _table(
    "assignment", _id(), _of("benchmark"), _of("pooled"), _of("account"), _number("position"), _number("repeat"),
    UniqueConstraint("pooled", "account", "repeat"), Index(None, "account", "benchmark", "position"),
)  # fmt: skip
# without an assignment, an event adjudicates the document
event = _table(
    "event", _id(), _of("benchmark"), _of("assignment", null=True), _of("account"), _of("topic"), _text("document"),
    _text("key"), _text("kind"), _number("grade", null=True), _text("note"), _number("at"), _number("active"),
    _number("away"), _text("input"), UniqueConstraint("account", "key"), Index(None, "assignment"),
    Index(None, "benchmark", "topic", "document"),
)  # fmt: skip
answer = _table(  # of a machine assessor, as it came
    "answer", Column("event", LONG, ForeignKey("event.id"), primary_key=True), _text("model"), _text("prompt"),
    _text("settings"), _text("answer"), _number("milliseconds"),
)  # fmt: skip
qrels = _table(
    "qrels", _id(), _of("benchmark"), _number("version"), _text("hash"), _text("rule"), _text("text"),
    _number("n_judgments"), _number("created"), _of("account", name="created_by"),
    _text("unresolved", server_default="[]"), UniqueConstraint("benchmark", "version"),
)  # fmt: skip
pair = _table(  # of documents, for one assessor
    "pair", _id(), _of("benchmark"), _of("account"), _of("topic"), _text("left"), _text("right"), _number("position"),
    Index(None, "account", "benchmark", "position"),
)  # fmt: skip
preference = _table(
    "preference", _id(), _of("pair"), _text("key"), _text("kind"), _text("note"), _number("at"),
    UniqueConstraint("pair", "key"),
)  # fmt: skip
highlight = _table(
    "highlight", _id(), _of("assignment"), _text("key"), Column("body", Text, ForeignKey("body.hash"), nullable=False),
    _text("spans"), _number("at"), UniqueConstraint("assignment", "key"),
)  # fmt: skip
score = _table(
    "score", Column("key", Text, primary_key=True), _text("value"), _number("created"),
)  # fmt: skip
