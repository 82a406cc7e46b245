"""Accounts, sessions, invitations and tokens; secrets are stored as hashes only."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from cranfield.campaign.rules.permissions import Role
from cranfield.campaign.store import schema
from cranfield.errors import BadInput
from cranfield.frozen import frozen

DAY = 24 * 3600 * 1000
SESSION_LASTS = 7 * DAY
IDLE_LASTS = DAY // 2  # a session expires if unused for this long
INVITATION_LASTS = 14 * DAY
Scope = Literal["read", "act"]  # what a token may do: read, or everything that its account may but change itself


@frozen
class Account:
    """A person or a machine assessor."""

    id: int
    email: str
    name: str
    administrator: bool
    kind: str = "person"


@frozen
class Invitation:
    """A role in a benchmark, offered to whoever has the link."""

    id: int
    benchmark: int
    benchmark_name: str
    slug: str
    role: Role


def hashed(secret: str) -> str:
    """The stored form of a random secret: with 256 bits, a plain hash cannot be reversed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret() -> str:
    """A random secret for links, cookies and tokens."""
    return secrets.token_urlsafe(32)


def n_accounts(connection: Connection) -> int:
    """The number of accounts."""
    return connection.scalar(select(func.count()).select_from(schema.account)) or 0


def create(
    connection: Connection, *, email: str, name: str, password: str, now: int, administrator: bool = False
) -> Account:
    """A new account; `password` is its hash."""
    email = email.strip().casefold()
    if connection.scalar(select(schema.account.c.id).where(schema.account.c.email == email)):
        raise BadInput(f"there is already an account {email}")
    values = {"email": email, "name": name, "password": password, "administrator": int(administrator)}
    made = insert(schema.account).values(**values, kind="person", created=now).returning(schema.account.c.id)
    return Account(connection.execute(made).scalar_one(), email, name, administrator)


def create_administrator(connection: Connection, **values: Any) -> Account:
    """The first account; refused if there is one already."""
    if n_accounts(connection):
        raise BadInput("the administrator already exists; sign in instead")
    return create(connection, **values, administrator=True)


def with_password(connection: Connection, email: str) -> tuple[Account, str] | None:
    """The account with this e-mail address, and the hash of its password."""
    table = schema.account
    row = connection.execute(
        select(table).where(table.c.email == email.strip().casefold(), table.c.disabled.is_(None))
    ).first()
    return (_account(row), row.password) if row else None


def change_password(connection: Connection, account: int, password: str) -> None:
    """Set the hash of the password and end all sessions."""
    connection.execute(update(schema.account).where(schema.account.c.id == account).values(password=password))
    end_sessions(connection, account)


def start_session(connection: Connection, account: int, secret: str, now: int) -> None:
    """A session for the holder of the secret; expired sessions are deleted."""
    connection.execute(delete(schema.session).where(schema.session.c.expires < now))
    values = {"token_hash": hashed(secret), "account": account, "csrf": new_secret()}
    connection.execute(insert(schema.session).values(**values, created=now, expires=now + SESSION_LASTS, used=now))


def session(connection: Connection, secret: str, now: int) -> tuple[Account, str] | None:
    """The account of a session and its CSRF token."""
    row = connection.execute(_SESSION, {"secret": hashed(secret), "now": now, "idle": now - IDLE_LASTS}).first()
    return (_account(row), row.csrf) if row else None


_SESSION = (
    select(schema.account, schema.session.c.csrf)
    .join(schema.session, schema.session.c.account == schema.account.c.id)
    .where(schema.session.c.token_hash == bindparam("secret"), schema.session.c.expires > bindparam("now"))
    .where(schema.account.c.disabled.is_(None), schema.session.c.used > bindparam("idle"))
)  # built once: it is part of every request


def use_session(connection: Connection, secret: str, now: int) -> None:
    """Record that a session is in use."""
    connection.execute(update(schema.session).where(schema.session.c.token_hash == hashed(secret)).values(used=now))


def end_session(connection: Connection, secret: str) -> None:
    """End a session."""
    connection.execute(delete(schema.session).where(schema.session.c.token_hash == hashed(secret)))


def end_sessions(connection: Connection, account: int) -> None:
    """End all sessions of an account."""
    connection.execute(delete(schema.session).where(schema.session.c.account == account))


def create_token(
    connection: Connection, account: int, name: str, now: int, *, scope: Scope = "act", days: int | None = None
) -> str:
    """A token for programs, which expires after some days if these are given; only its hash is stored."""
    secret = new_secret()
    values = {"token_hash": hashed(secret), "account": account, "name": name, "created": now, "scope": scope}
    expires = None if days is None else now + days * DAY
    connection.execute(insert(schema.token).values(**values, expires=expires))
    return secret


def tokens(connection: Connection, account: int) -> list[dict[str, Any]]:
    """The tokens of an account that are not revoked."""
    table = schema.token
    rows = connection.execute(
        select(table.c.id, table.c.name, table.c.created, table.c.scope, table.c.expires, table.c.used)
        .where(table.c.account == account, table.c.revoked.is_(None))
        .order_by(table.c.id)
    )
    return [dict(row._mapping) for row in rows]


def revoke_token(connection: Connection, account: int, token: int, now: int) -> None:
    """Revoke a token of the account."""
    table = schema.token
    connection.execute(update(table).where(table.c.id == token, table.c.account == account).values(revoked=now))


def use_token(connection: Connection, secret: str, now: int) -> None:
    """Record that a token is in use."""
    connection.execute(update(schema.token).where(schema.token.c.token_hash == hashed(secret)).values(used=now))


def of_token(connection: Connection, secret: str, now: int) -> tuple[Account, Scope] | None:
    """The account of a token that is neither revoked nor expired, and its scope."""
    table = schema.token
    row = connection.execute(
        select(schema.account, table.c.scope)
        .join(table, table.c.account == schema.account.c.id)
        .where(table.c.token_hash == hashed(secret), table.c.revoked.is_(None), schema.account.c.disabled.is_(None))
        .where(table.c.expires.is_(None) | (table.c.expires > now))
    ).first()
    return (_account(row), row.scope) if row else None


def invite(connection: Connection, *, benchmark: int, role: Role, note: str, by: int, now: int) -> str:
    """The secret of a new invitation."""
    secret = new_secret()
    values = {"token_hash": hashed(secret), "benchmark": benchmark, "role": role, "note": note, "created_by": by}
    connection.execute(insert(schema.invitation).values(**values, created=now, expires=now + INVITATION_LASTS))
    return secret


def invitation(connection: Connection, secret: str, now: int) -> Invitation | None:
    """The invitation with this secret, unless it was used or has expired."""
    table, benchmark = schema.invitation, schema.benchmark
    row = connection.execute(
        select(table.c.id, table.c.benchmark, benchmark.c.name, benchmark.c.slug, table.c.role)
        .join(benchmark, benchmark.c.id == table.c.benchmark)
        .where(table.c.token_hash == hashed(secret), table.c.used_by.is_(None), table.c.expires > now)
    ).first()
    return Invitation(*row) if row else None


def invitations(connection: Connection, benchmark: int, now: int) -> list[dict[str, Any]]:
    """The invitations that nobody has used yet and that have not expired."""
    table = schema.invitation
    rows = connection.execute(
        select(table.c.id, table.c.role, table.c.note, table.c.created, table.c.expires)
        .where(table.c.benchmark == benchmark, table.c.used_by.is_(None), table.c.expires > now)
        .order_by(table.c.id)
    )
    return [dict(row._mapping) for row in rows]


def withdraw(connection: Connection, benchmark: int, invitation: int, now: int) -> None:
    """End an invitation that nobody has used."""
    table = schema.invitation
    unused = (table.c.id == invitation, table.c.benchmark == benchmark, table.c.used_by.is_(None))
    if not connection.execute(update(table).where(*unused).values(expires=now)).rowcount:
        raise BadInput("there is no such invitation, or it has been used")


def accept(connection: Connection, secret: str, account: int, team: str, now: int) -> Invitation:
    """Use an invitation: the account becomes a member, unless it is one already."""
    offered = invitation(connection, secret, now)
    if offered is None:
        raise BadInput("this invitation has already been used or has expired; ask for a new one")
    connection.execute(update(schema.invitation).where(schema.invitation.c.id == offered.id).values(used_by=account))
    table = schema.membership
    if connection.execute(
        select(table.c.role).where(table.c.account == account, table.c.benchmark == offered.benchmark)
    ).first():
        raise BadInput("you are already a member of this benchmark")
    connection.execute(insert(table).values(account=account, benchmark=offered.benchmark, role=offered.role, team=team))
    return offered


def _account(row: Any) -> Account:
    return Account(row.id, row.email, row.name, bool(row.administrator), row.kind)
