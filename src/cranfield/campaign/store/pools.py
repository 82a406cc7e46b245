"""Waves of a pool, each without the documents of earlier ones, the runs behind them, and assignments to assessors."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Subquery, func, insert, select

from cranfield.campaign.rules.assignments import Assessor, Share, ToJudge
from cranfield.campaign.store import schema
from cranfield.campaign.store.topics_and_documents import topic_ids
from cranfield.errors import BadInput

Row = Mapping[str, Any]


def add(
    connection: Connection, benchmark: int, rows: Sequence[Row], *, method: str, settings: Row, by: int, now: int
) -> int:
    """Store the documents of a pool that are not in an earlier wave; returns the number of the new wave.

    Documents outside the sample are stored too, for estimates; a later wave may still choose them.
    """
    topic, table = topic_ids(connection, benchmark), schema.pool
    runs = dict(
        connection.execute(select(schema.run.c.name, schema.run.c.id).where(schema.run.c.benchmark == benchmark)).all()
    )
    wave = 1 + (connection.scalar(select(func.max(table.c.wave)).where(table.c.benchmark == benchmark)) or 0)
    before = pooled_documents(connection, benchmark, sampled=True)
    new = [row for row in rows if row["query"] in topic and (row["query"], row["document"]) not in before]
    if not any(row.get("selected", True) for row in new):
        raise BadInput(
            "all of these documents are already pooled" if rows else "the runs retrieve no documents for the topics"
        )
    values = {"benchmark": benchmark, "wave": wave, "method": method, "settings": json.dumps(settings), "created": now}
    made = insert(table).values(**values, created_by=by).returning(table.c.id)
    pool = connection.execute(made).scalar_one()
    for row in new:
        fields = {"topic": topic[row["query"]], "document": row["document"], "position": row["order"]}
        fields |= {"stratum": str(row["stratum"]), "probability": row["probability"]}
        fields["selected"] = int(row.get("selected", True))
        made = insert(schema.pooled).values(pool=pool, **fields).returning(schema.pooled.c.id)
        key = connection.execute(made).scalar_one()
        ranks = row["contributors"].items()
        contributions = [{"pooled": key, "run": runs[run], "rank": rank} for run, rank in ranks]
        connection.execute(insert(schema.contribution), contributions)
    return wave


def waves(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """Method, settings and size of each wave."""
    pool, pooled = schema.pool, schema.pooled
    rows = connection.execute(
        select(pool.c.wave, pool.c.method, pool.c.settings, pool.c.created,
               func.sum(pooled.c.selected).label("n_documents"), func.sum(1 - pooled.c.selected).label("n_left_out"))
        .join(pooled, pooled.c.pool == pool.c.id)
        .where(pool.c.benchmark == benchmark)
        .group_by(pool.c.id, pool.c.wave, pool.c.method, pool.c.settings, pool.c.created)
        .order_by(pool.c.wave)
    )  # fmt: skip
    return [
        dict(row._mapping)
        | {"settings": json.loads(row.settings), "n_documents": int(row.n_documents), "n_left_out": int(row.n_left_out)}
        for row in rows
    ]


def sampled(connection: Connection, benchmark: int, wave: int) -> list[dict[str, Any]]:
    """All documents from which a wave was sampled: whether each was chosen, its stratum and inclusion probability."""
    pool, pooled, topic = schema.pool, schema.pooled, schema.topic
    rows = connection.execute(
        select(topic.c.name.label("query"), pooled.c.document, pooled.c.selected, pooled.c.stratum,
               pooled.c.probability)
        .select_from(schema.pooled_in_waves)
        .where(pool.c.benchmark == benchmark, pool.c.wave == wave)
        .order_by(topic.c.name, pooled.c.id)
    )  # fmt: skip
    return [dict(row._mapping) | {"selected": bool(row.selected), "stratum": int(row.stratum)} for row in rows]


def rows(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """All pooled documents by wave and topic, each with the runs that retrieved it and its rank in each."""
    pool, pooled, topic, run, contribution = schema.pool, schema.pooled, schema.topic, schema.run, schema.contribution
    ranks: dict[int, dict[str, int]] = {}
    for row in connection.execute(
        select(contribution.c.pooled, run.c.name, contribution.c.rank)
        .join(run, run.c.id == contribution.c.run)
        .where(run.c.benchmark == benchmark)
        .order_by(run.c.id)
    ):
        ranks.setdefault(row.pooled, {})[row.name] = row.rank
    documents = connection.execute(
        select(pooled.c.id, topic.c.name.label("query"), pooled.c.document, pooled.c.position.label("order"),
               pool.c.wave, pooled.c.selected, pooled.c.stratum, pooled.c.probability)
        .select_from(schema.pooled_in_waves)
        .where(pool.c.benchmark == benchmark)
        .order_by(pool.c.wave, topic.c.id, pooled.c.position, pooled.c.id)
    )  # fmt: skip
    return [dict(row._mapping) | {"contributors": json.dumps(ranks.get(row.id, {}))} for row in documents]


def pooled_documents(connection: Connection, benchmark: int, *, sampled: bool) -> set[tuple[str, str]]:
    """The pooled documents that some wave sampled, or that some wave left out, by topic and name."""
    pooled, topic = schema.pooled, schema.topic
    rows = connection.execute(
        select(topic.c.name, pooled.c.document)
        .select_from(pooled.join(topic))
        .where(topic.c.benchmark == benchmark, pooled.c.selected == int(sampled))
    )
    return {(row.name, row.document) for row in rows}


def contributors(connection: Connection, benchmark: int) -> set[int]:
    """The runs that a document was pooled from."""
    table, run = schema.contribution, schema.run
    pooled_from = select(table.c.run).distinct().join(run, run.c.id == table.c.run)
    return set(connection.scalars(pooled_from.where(run.c.benchmark == benchmark)))


def per_topic(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """For each topic, the number of documents that are pooled and that are assigned to people."""
    topic, pooled, share = schema.topic, schema.pooled, _people()
    rows = connection.execute(
        select(
            topic.c.name,
            func.count(pooled.c.id.distinct()).label("n_pooled"),
            func.count(share.c.id).label("n_assigned"),
            func.count(share.c.account.distinct()).label("n_assessors"),
        )
        .select_from(topic.join(pooled, pooled.c.topic == topic.c.id).outerjoin(share, share.c.pooled == pooled.c.id))
        .where(topic.c.benchmark == benchmark, pooled.c.selected == 1)
        .group_by(topic.c.id, topic.c.name)
        .order_by(topic.c.id)
    )
    return [dict(row._mapping) for row in rows]


def unassigned(connection: Connection, benchmark: int) -> dict[str, list[ToJudge]]:
    """The unassigned pooled documents of each topic, with the teams whose runs retrieved them."""
    pooled, topic = schema.pooled, schema.topic
    statement = (
        select(pooled.c.id, topic.c.name, schema.run.c.team)
        .join(topic, topic.c.id == pooled.c.topic)
        .join(schema.contribution, schema.contribution.c.pooled == pooled.c.id)
        .join(schema.run, schema.run.c.id == schema.contribution.c.run)
        .where(topic.c.benchmark == benchmark, pooled.c.selected == 1)
        .where(pooled.c.id.not_in(select(_people().c.pooled)))
        .order_by(topic.c.id, pooled.c.position, pooled.c.id)
    )
    teams: dict[tuple[str, int], set[str]] = {}
    for row in connection.execute(statement):
        teams.setdefault((row.name, row.id), set()).add(row.team)
    listed: dict[str, list[ToJudge]] = {}
    for (name, document), found_by in teams.items():
        listed.setdefault(name, []).append(ToJudge(document, frozenset(found_by)))
    return listed


def assessors(connection: Connection, benchmark: int, roles: Collection[str] = ("assessor",)) -> list[Assessor]:
    """The people who judge; a participant without a team forms their own team, as for their runs."""
    table, account = schema.membership, schema.account
    rows = connection.execute(
        select(table.c.account, table.c.team, table.c.role, account.c.name)
        .join(account, account.c.id == table.c.account)
        .where(table.c.benchmark == benchmark, account.c.kind == "person")
        .order_by(table.c.account)
    )
    return [
        Assessor(row.account, row.team or (row.name if row.role == "participant" else ""))
        for row in rows
        if row.role in roles
    ]


def judges(connection: Connection, benchmark: int) -> dict[int, frozenset[int]]:
    """The people to whom each pooled document is assigned."""
    table = _people()
    rows = connection.execute(select(table.c.pooled, table.c.account).where(table.c.benchmark == benchmark))
    accounts_of: dict[int, set[int]] = {}
    for row in rows:
        accounts_of.setdefault(row.pooled, set()).add(row.account)
    return {pooled: frozenset(accounts) for pooled, accounts in accounts_of.items()}


def assign(connection: Connection, benchmark: int, shared: Sequence[Share]) -> None:
    """Append documents to the assessors' queues."""
    table = schema.assignment
    last = dict(
        connection.execute(
            select(table.c.account, func.max(table.c.position))
            .where(table.c.benchmark == benchmark)
            .group_by(table.c.account)
        ).all()
    )
    rows = [
        {"benchmark": benchmark, "pooled": share.document, "account": share.assessor, "repeat": share.repeat}
        | {"position": last.get(share.assessor, 0) + share.position}
        for share in shared
    ]
    if rows:
        connection.execute(insert(table), rows)


def _people() -> Subquery:
    """The assignments of people."""
    share, account = schema.assignment, schema.account
    joined = select(share).join(account, account.c.id == share.c.account)
    return joined.where(account.c.kind == "person").subquery("people")
