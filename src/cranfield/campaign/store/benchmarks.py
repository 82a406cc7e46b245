"""Benchmarks, their scales and their members."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update

from cranfield.campaign.rules.assessor_labels import CURRENT
from cranfield.campaign.rules.events import OutOfDate, content_hash
from cranfield.campaign.rules.permissions import Role
from cranfield.campaign.store import schema
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.labelling.scale import FOUR_GRADES, Grade, Scale

MEASURES = ("nDCG@10", "AP", "P@10", "RR")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@frozen
class Benchmark:
    """A collection, topics, runs and judgments under one name."""

    id: int
    slug: str
    name: str
    purpose: str
    guidelines: str
    scale: Scale
    measures: tuple[str, ...]
    released: bool
    licence: str  # of the collection


def create(connection: Connection, *, slug: str, name: str, purpose: str, by: int, now: int) -> Benchmark:
    """A new benchmark with the four-grade scale."""
    if not _SLUG.fullmatch(slug) or len(slug) > 60:
        raise BadInput(f"the short name {slug!r} must be lower-case letters, digits and single hyphens, at most 60")
    if of_slug(connection, slug):
        raise BadInput(f"there is already a benchmark {slug!r}")
    values = {"slug": slug, "name": name, "purpose": purpose, "guidelines": "", "created_by": by, "created": now}
    values |= {"scale": _written(FOUR_GRADES), "measures": json.dumps(MEASURES)}
    connection.execute(insert(schema.benchmark).values(**values))
    made = of_slug(connection, slug)
    assert made is not None
    return made


def of_slug(connection: Connection, slug: str) -> Benchmark | None:
    """The benchmark with this short name."""
    if not _SLUG.fullmatch(slug):
        return None
    row = connection.execute(select(schema.benchmark).where(schema.benchmark.c.slug == slug)).first()
    return _benchmark(row) if row else None


def with_role(connection: Connection, slug: str, account: int) -> tuple[Benchmark, Role | None] | None:
    """The benchmark with this short name, and the role of an account in it."""
    if not _SLUG.fullmatch(slug):
        return None
    row = connection.execute(_WITH_ROLE, {"slug": slug, "account": account}).first()
    return (_benchmark(row), row.role) if row else None


_OF_ACCOUNT = (
    schema.membership.c.benchmark == schema.benchmark.c.id,
    schema.membership.c.account == bindparam("account"),
)
_WITH_ROLE = (
    select(schema.benchmark, schema.membership.c.role)
    .select_from(schema.benchmark.outerjoin(schema.membership, and_(*_OF_ACCOUNT)))
    .where(schema.benchmark.c.slug == bindparam("slug"))
)  # built once: it is part of every request


def of_account(connection: Connection, account: int, *, everything: bool) -> list[tuple[Benchmark, Role | None]]:
    """The benchmarks that the account is a member of, or all of them, with its role in each."""
    table, membership = schema.benchmark, schema.membership
    joined = table.outerjoin(membership, (membership.c.benchmark == table.c.id) & (membership.c.account == account))
    statement = select(table, membership.c.role).select_from(joined).order_by(table.c.name)
    if not everything:
        statement = statement.where(membership.c.role.is_not(None))
    return [(_benchmark(row), row.role) for row in connection.execute(statement)]


def people(connection: Connection, benchmark: int) -> list[dict[str, Any]]:
    """The members of a benchmark."""
    membership, account = schema.membership, schema.account
    rows = connection.execute(
        select(account.c.id, account.c.name, account.c.email, account.c.kind, membership.c.role, membership.c.team)
        .join(membership, membership.c.account == account.c.id)
        .where(membership.c.benchmark == benchmark)
        .order_by(membership.c.role, account.c.name)
    )
    return [dict(row._mapping) for row in rows]


def change_role(connection: Connection, benchmark: int, account: int, role: Role, team: str) -> None:
    """Give a member another role or team."""
    table = schema.membership
    member = (table.c.benchmark == benchmark, table.c.account == account)
    if not connection.execute(update(table).where(*member).values(role=role, team=team)).rowcount:
        raise BadInput("this person is not a member of the benchmark")


def remove(connection: Connection, benchmark: int, account: int) -> None:
    """End a membership; what the person has judged and submitted stays."""
    table = schema.membership
    connection.execute(delete(table).where(table.c.benchmark == benchmark, table.c.account == account))


def display_names(connection: Connection, benchmark: int) -> dict[int, str]:
    """The name of each member, and of everybody who has judged, by account.

    The account's number is added to names that could be confused.
    """
    membership, account, share = schema.membership, schema.account, schema.assignment
    known = (
        select(membership.c.account).where(membership.c.benchmark == benchmark)
        .union(select(share.c.account).where(share.c.benchmark == benchmark))
    )  # fmt: skip
    rows = connection.execute(select(account.c.id, account.c.name).where(account.c.id.in_(known))).all()
    times = Counter(name for _, name in rows)
    return {
        key: name if times[name] == 1 and name != CURRENT and not name.endswith(")") else f"{name} ({key})"
        for key, name in rows
    }


def set_up(
    connection: Connection, benchmark: int, *, purpose: str, guidelines: str, scale: Scale, measures: Sequence[str],
    licence: str = "", seen: str | None = None,
) -> None:  # fmt: skip
    """Change the settings; the scale is frozen after the first judgment.

    `seen` is the digest of the settings that the change is based on; refused if they have changed since.
    """
    row = connection.execute(select(schema.benchmark).where(schema.benchmark.c.id == benchmark)).one()
    if seen not in (None, settings_digest(_benchmark(row))):
        words = "copy your text, open the settings again, and compare"
        raise OutOfDate(f"somebody has changed the settings since you opened them: {words}")
    if _written(scale) != row.scale and is_judged(connection, benchmark):
        raise BadInput("the scale cannot change after the first judgment; start another benchmark instead")
    values = {"purpose": purpose, "guidelines": guidelines, "scale": _written(scale), "measures": json.dumps(measures)}
    values["licence"] = licence
    connection.execute(update(schema.benchmark).where(schema.benchmark.c.id == benchmark).values(**values))


def settings_digest(benchmark: Benchmark) -> str:
    """A hash of all settings."""
    texts = (benchmark.purpose, benchmark.guidelines, benchmark.licence, _written(benchmark.scale), benchmark.measures)
    return content_hash(json.dumps(texts))


def is_judged(connection: Connection, benchmark: int) -> bool:
    """Whether any document has been judged."""
    statement = select(schema.event.c.id).where(schema.event.c.benchmark == benchmark).limit(1)
    return connection.scalar(statement) is not None


def release(connection: Connection, benchmark: int, now: int | None) -> None:
    """Show the results to all members, or hide them again."""
    connection.execute(update(schema.benchmark).where(schema.benchmark.c.id == benchmark).values(released=now))


def _written(scale: Scale) -> str:
    return json.dumps(asdict(scale))


def _benchmark(row: Any) -> Benchmark:
    scale = json.loads(row.scale)
    grades = tuple(Grade(**grade) for grade in scale["grades"])
    return Benchmark(
        row.id, row.slug, row.name, row.purpose, row.guidelines, Scale(grades, scale["relevant_from"]),
        tuple(json.loads(row.measures)), row.released is not None, row.licence,
    )  # fmt: skip
