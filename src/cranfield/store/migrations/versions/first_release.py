"""The tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "first_release"
down_revision = None
branch_labels = None
depends_on = None
LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "account",
        sa.Column("id", LONG, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("administrator", LONG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("disabled", LONG, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("email", name=op.f("uq_account_email")),
        sqlite_strict=True,
    )
    op.create_table(
        "body",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_body")),
        sqlite_strict=True,
    )
    op.create_table(
        "score",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_score")),
        sqlite_strict=True,
    )
    op.create_table(
        "benchmark",
        sa.Column("id", LONG, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("guidelines", sa.Text(), nullable=False),
        sa.Column("scale", sa.Text(), nullable=False),
        sa.Column("measures", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("created_by", LONG, nullable=False),
        sa.Column("released", LONG, nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_benchmark_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_benchmark")),
        sa.UniqueConstraint("slug", name=op.f("uq_benchmark_slug")),
        sqlite_strict=True,
    )
    op.create_table(
        "session",
        sa.Column("id", LONG, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("account", LONG, nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("expires", LONG, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_session_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_session_token_hash")),
        sqlite_strict=True,
    )
    op.create_table(
        "token",
        sa.Column("id", LONG, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("account", LONG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("revoked", LONG, nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_token_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_token_token_hash")),
        sqlite_strict=True,
    )
    op.create_table(
        "document",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_document_benchmark")),
        sa.ForeignKeyConstraint(["body"], ["body.hash"], name=op.f("fk_document_body")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("benchmark", "name", name=op.f("uq_document_benchmark_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "invitation",
        sa.Column("id", LONG, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_by", LONG, nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("expires", LONG, nullable=False),
        sa.Column("used_by", LONG, nullable=True),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_invitation_benchmark")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_invitation_created_by")),
        sa.ForeignKeyConstraint(["used_by"], ["account.id"], name=op.f("fk_invitation_used_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
        sqlite_strict=True,
    )
    op.create_table(
        "membership",
        sa.Column("account", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_membership_account")),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_membership_benchmark")),
        sa.PrimaryKeyConstraint("account", "benchmark", name=op.f("pk_membership")),
        sqlite_strict=True,
    )
    op.create_table(
        "pool",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("wave", LONG, nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("created_by", LONG, nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_pool_benchmark")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_pool_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool")),
        sa.UniqueConstraint("benchmark", "wave", name=op.f("uq_pool_benchmark_wave")),
        sqlite_strict=True,
    )
    op.create_table(
        "qrels",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("version", LONG, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("n_judgments", LONG, nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("created_by", LONG, nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_qrels_benchmark")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_qrels_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_qrels")),
        sa.UniqueConstraint("benchmark", "version", name=op.f("uq_qrels_benchmark_version")),
        sqlite_strict=True,
    )
    op.create_table(
        "run",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("account", LONG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("size", LONG, nullable=False),
        sa.Column("n_rows", LONG, nullable=False),
        sa.Column("n_topics", LONG, nullable=False),
        sa.Column("remarks", sa.Text(), nullable=False),
        sa.Column("created", LONG, nullable=False),
        sa.Column("withdrawn", LONG, nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_run_account")),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_run_benchmark")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("benchmark", "name", name=op.f("uq_run_benchmark_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "topic",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("narrative", sa.Text(), nullable=False),
        sa.Column("keywords", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("structured", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_topic_benchmark")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic")),
        sa.UniqueConstraint("benchmark", "name", name=op.f("uq_topic_benchmark_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "pooled",
        sa.Column("id", LONG, nullable=False),
        sa.Column("pool", LONG, nullable=False),
        sa.Column("topic", LONG, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("position", LONG, nullable=False),
        sa.Column("stratum", sa.Text(), nullable=False),
        sa.Column("probability", sa.REAL(), nullable=False),
        sa.ForeignKeyConstraint(["pool"], ["pool.id"], name=op.f("fk_pooled_pool")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_pooled_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pooled")),
        sa.UniqueConstraint("pool", "topic", "document", name=op.f("uq_pooled_pool_topic_document")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pooled_topic_document"), "pooled", ["topic", "document"], unique=False)
    op.create_table(
        "assignment",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("pooled", LONG, nullable=False),
        sa.Column("account", LONG, nullable=False),
        sa.Column("position", LONG, nullable=False),
        sa.Column("repeat", LONG, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_assignment_account")),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_assignment_benchmark")),
        sa.ForeignKeyConstraint(["pooled"], ["pooled.id"], name=op.f("fk_assignment_pooled")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("pooled", "account", "repeat", name=op.f("uq_assignment_pooled_account_repeat")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_assignment_account_benchmark_position"),
        "assignment",
        ["account", "benchmark", "position"],
        unique=False,
    )
    op.create_table(
        "contribution",
        sa.Column("pooled", LONG, nullable=False),
        sa.Column("run", LONG, nullable=False),
        sa.Column("rank", LONG, nullable=False),
        sa.ForeignKeyConstraint(["pooled"], ["pooled.id"], name=op.f("fk_contribution_pooled")),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name=op.f("fk_contribution_run")),
        sa.PrimaryKeyConstraint("pooled", "run", name=op.f("pk_contribution")),
        sqlite_strict=True,
    )
    op.create_table(
        "event",
        sa.Column("id", LONG, nullable=False),
        sa.Column("benchmark", LONG, nullable=False),
        sa.Column("assignment", LONG, nullable=True),
        sa.Column("account", LONG, nullable=False),
        sa.Column("topic", LONG, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("grade", LONG, nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", LONG, nullable=False),
        sa.Column("active", LONG, nullable=False),
        sa.Column("away", LONG, nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_event_account")),
        sa.ForeignKeyConstraint(["assignment"], ["assignment.id"], name=op.f("fk_event_assignment")),
        sa.ForeignKeyConstraint(["benchmark"], ["benchmark.id"], name=op.f("fk_event_benchmark")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_event_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("account", "key", name=op.f("uq_event_account_key")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_event_assignment"), "event", ["assignment"], unique=False)
    op.create_index(
        op.f("ix_event_benchmark_topic_document"), "event", ["benchmark", "topic", "document"], unique=False
    )
