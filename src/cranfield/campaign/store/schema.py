"""The tables of a campaign's database, the same on SQLite and PostgreSQL.

Times are milliseconds since 1970, booleans are 0 or 1, and structured values are JSON in text: types that both
databases store exactly.

Decided here: which columns the database of campaigns has.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Index, MetaData, Table, Text, UniqueConstraint

from cranfield.campaign.store.columns import FLOAT, LONG, NAMING, key, number, of, text

metadata = MetaData(naming_convention=NAMING)


def _table(name: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts, sqlite_strict=True)


account = _table(
    "account", key(), text("email", unique=True), text("name"), text("password"), number("administrator"),
    text("kind"), number("created"), number("disabled", null=True),
)  # fmt: skip
session = _table(
    "session", key(), text("token_hash", unique=True), of("account"), text("csrf"), number("created"),
    number("expires"), number("used", server_default="0"),
)  # fmt: skip
token = _table(
    "token", key(), text("token_hash", unique=True), of("account"), text("name"), number("created"),
    number("revoked", null=True), text("scope", server_default="act"), number("expires", null=True),
    number("used", null=True),
)  # fmt: skip
benchmark = _table(
    "benchmark", key(), text("slug", unique=True), text("name"), text("purpose"), text("guidelines"),
    text("scale"), text("measures"), number("created"), of("account", name="created_by"),
    number("released", null=True), text("licence", server_default=""),
)  # fmt: skip
membership = _table(
    "membership", Column("account", LONG, ForeignKey("account.id"), primary_key=True),
    Column("benchmark", LONG, ForeignKey("benchmark.id"), primary_key=True), text("role"), text("team"),
)  # fmt: skip
invitation = _table(
    "invitation", key(), text("token_hash", unique=True), of("benchmark"), text("role"), text("note"),
    of("account", name="created_by"), number("created"), number("expires"),
    of("account", name="used_by", null=True),
)  # fmt: skip
topic = _table(
    "topic", key(), of("benchmark"), text("name"), text("title"), text("description"), text("narrative"),
    text("keywords"), text("kind"), text("structured"), UniqueConstraint("benchmark", "name"),
)  # fmt: skip
proposal = _table(  # of topics; accepted if it has a topic
    "proposal", key(), of("benchmark"), of("account"), text("title"), text("description"), text("narrative"),
    text("keywords"), text("kind"), text("structured"), number("created"), of("topic", null=True),
    number("declined", null=True), text("reason"),
)  # fmt: skip
body = _table("body", Column("hash", Text, primary_key=True), text("text"))
document = _table(
    "document", key(), of("benchmark"), text("name"), text("title"),
    Column("body", Text, ForeignKey("body.hash"), nullable=False), text("elements", server_default="[]"),
    UniqueConstraint("benchmark", "name"),
)  # fmt: skip
run = _table(
    "run", key(), of("benchmark"), of("account"), text("name"), text("team"), text("description"), text("kind"),
    text("file"), text("hash"), number("size"), number("n_rows"), number("n_topics"), text("remarks"),
    number("created"), number("withdrawn", null=True), text("system", server_default=""),
    text("tags", server_default="[]"), text("models", server_default="[]"), UniqueConstraint("benchmark", "name"),
)  # fmt: skip
pool = _table(
    "pool", key(), of("benchmark"), number("wave"), text("method"), text("settings"), number("created"),
    of("account", name="created_by"), UniqueConstraint("benchmark", "wave"),
)  # fmt: skip
pooled = _table(
    "pooled", key(), of("pool"), of("topic"), text("document"), number("position"), text("stratum"),
    Column("probability", FLOAT, nullable=False), number("selected", server_default="1"),
    UniqueConstraint("pool", "topic", "document"), Index(None, "topic", "document"),
)  # fmt: skip
contribution = _table(
    "contribution", Column("pooled", LONG, ForeignKey("pooled.id"), primary_key=True),
    Column("run", LONG, ForeignKey("run.id"), primary_key=True), number("rank"),
)  # fmt: skip
assignment = _table(
    "assignment", key(), of("benchmark"), of("pooled"), of("account"), number("position"), number("repeat"),
    UniqueConstraint("pooled", "account", "repeat"), Index(None, "account", "benchmark", "position"),
)  # fmt: skip
# an event without an assignment adjudicates the document
event = _table(
    "event", key(), of("benchmark"), of("assignment", null=True), of("account"), of("topic"), text("document"),
    text("key"), text("kind"), number("grade", null=True), text("note"), number("at"), number("active"),
    number("away"), text("input"), UniqueConstraint("account", "key"), Index(None, "assignment"),
    Index(None, "benchmark", "topic", "document"),
)  # fmt: skip
answer = _table(  # verbatim answers of machine assessors
    "answer", Column("event", LONG, ForeignKey("event.id"), primary_key=True), text("model"), text("prompt"),
    text("settings"), text("answer"), number("milliseconds"),
)  # fmt: skip
qrels = _table(
    "qrels", key(), of("benchmark"), number("version"), text("hash"), text("rule"), text("text"),
    number("n_judgments"), number("created"), of("account", name="created_by"),
    text("unresolved", server_default="[]"), UniqueConstraint("benchmark", "version"),
)  # fmt: skip
pair = _table(  # of documents, assigned to one assessor
    "pair", key(), of("benchmark"), of("account"), of("topic"), text("left"), text("right"), number("position"),
    Index(None, "account", "benchmark", "position"),
)  # fmt: skip
preference = _table(
    "preference", key(), of("pair"), text("key"), text("kind"), text("note"), number("at"),
    UniqueConstraint("pair", "key"),
)  # fmt: skip
highlight = _table(
    "highlight", key(), of("assignment"), text("key"), Column("body", Text, ForeignKey("body.hash"), nullable=False),
    text("spans"), number("at"), UniqueConstraint("assignment", "key"),
)  # fmt: skip
act = _table(  # of coordinators, that leave no other trace
    "act", key(), of("benchmark"), of("account"), text("action"), text("subject"), number("at"),
)  # fmt: skip
score = _table("score", Column("key", Text, primary_key=True), text("value"), number("created"))

# joins that many queries share; the foreign keys are their conditions
assigned = assignment.join(pooled).join(topic)
pooled_in_waves = pooled.join(pool).join(topic)
