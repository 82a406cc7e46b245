"""The tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa

from cranfield.store.columns import LONG, key, number, of, text
from cranfield.store.migrations.creation import create_table

revision = "first_release"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    create_table(
        "account", key(), text("email", unique=True), text("name"), text("password"), number("administrator"),
        text("kind"), number("created"), number("disabled", null=True),
    )  # fmt: skip
    create_table("body", sa.Column("hash", sa.Text, primary_key=True), text("text"))
    create_table("score", sa.Column("key", sa.Text, primary_key=True), text("value"), number("created"))
    create_table(
        "benchmark", key(), text("slug", unique=True), text("name"), text("purpose"), text("guidelines"), text("scale"),
        text("measures"), number("created"), of("account", name="created_by"), number("released", null=True),
    )  # fmt: skip
    create_table(
        "session", key(), text("token_hash", unique=True), of("account"), text("csrf"), number("created"),
        number("expires"),
    )  # fmt: skip
    create_table(
        "token", key(), text("token_hash", unique=True), of("account"), text("name"), number("created"),
        number("revoked", null=True),
    )  # fmt: skip
    create_table(
        "document", key(), of("benchmark"), text("name"), text("title"),
        sa.Column("body", sa.Text, sa.ForeignKey("body.hash"), nullable=False),
        sa.UniqueConstraint("benchmark", "name"),
    )  # fmt: skip
    create_table(
        "invitation", key(), text("token_hash", unique=True), of("benchmark"), text("role"), text("note"),
        of("account", name="created_by"), number("created"), number("expires"),
        of("account", name="used_by", null=True),
    )  # fmt: skip
    create_table(
        "membership", sa.Column("account", LONG, sa.ForeignKey("account.id"), primary_key=True),
        sa.Column("benchmark", LONG, sa.ForeignKey("benchmark.id"), primary_key=True), text("role"), text("team"),
    )  # fmt: skip
    create_table(
        "pool", key(), of("benchmark"), number("wave"), text("method"), text("settings"), number("created"),
        of("account", name="created_by"), sa.UniqueConstraint("benchmark", "wave"),
    )  # fmt: skip
    create_table(
        "qrels", key(), of("benchmark"), number("version"), text("hash"), text("rule"), text("text"),
        number("n_judgments"), number("created"), of("account", name="created_by"),
        sa.UniqueConstraint("benchmark", "version"),
    )  # fmt: skip
    create_table(
        "run", key(), of("benchmark"), of("account"), text("name"), text("team"), text("description"), text("kind"),
        text("file"), text("hash"), number("size"), number("n_rows"), number("n_topics"), text("remarks"),
        number("created"), number("withdrawn", null=True), sa.UniqueConstraint("benchmark", "name"),
    )  # fmt: skip
    create_table(
        "topic", key(), of("benchmark"), text("name"), text("title"), text("description"), text("narrative"),
        text("keywords"), text("kind"), text("structured"), sa.UniqueConstraint("benchmark", "name"),
    )  # fmt: skip
    create_table(
        "pooled", key(), of("pool"), of("topic"), text("document"), number("position"), text("stratum"),
        sa.Column("probability", sa.REAL(), nullable=False), sa.UniqueConstraint("pool", "topic", "document"),
        sa.Index(None, "topic", "document"),
    )  # fmt: skip
    create_table(
        "assignment", key(), of("benchmark"), of("pooled"), of("account"), number("position"), number("repeat"),
        sa.UniqueConstraint("pooled", "account", "repeat"), sa.Index(None, "account", "benchmark", "position"),
    )  # fmt: skip
    create_table(
        "contribution", sa.Column("pooled", LONG, sa.ForeignKey("pooled.id"), primary_key=True),
        sa.Column("run", LONG, sa.ForeignKey("run.id"), primary_key=True), number("rank"),
    )  # fmt: skip
    create_table(
        "event", key(), of("benchmark"), of("assignment", null=True), of("account"), of("topic"), text("document"),
        text("key"), text("kind"), number("grade", null=True), text("note"), number("at"), number("active"),
        number("away"), text("input"), sa.UniqueConstraint("account", "key"), sa.Index(None, "assignment"),
        sa.Index(None, "benchmark", "topic", "document"),
    )  # fmt: skip
