"""Authentication and authorisation, decided before any of the request body is read."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from fastapi import HTTPException, Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from cranfield.campaign.rules.permissions import PERMISSIONS, Role, may
from cranfield.campaign.store import accounts, benchmarks
from cranfield.campaign.store.accounts import Account, Scope
from cranfield.campaign.store.benchmarks import Benchmark
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.machines import MODEL
from cranfield.campaign.web.jobs import Jobs
from cranfield.frozen import frozen

COOKIE = "cranfield_session"
NOTED, MOST_NOTED = 5 * 60 * 1000, 10_000  # milliseconds, sessions
UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
Answer = TypeVar("Answer")
Settings = ParamSpec("Settings")


@frozen
class Here:
    """The account behind a request (None on public pages), its benchmark and role, and the store."""

    store: Store
    jobs: Jobs
    account: Account | None = None
    csrf: str | None = None  # the CSRF token of the session; programs have none
    benchmark: Benchmark | None = None
    role: Role | None = None
    scope: Scope | None = None  # of a token; None for a session
    secure: bool = False  # over HTTPS

    @property
    def me(self) -> Account:
        """The account, on pages that need one."""
        assert self.account is not None
        return self.account

    @property
    def at(self) -> Benchmark:
        """The benchmark, on pages that belong to one."""
        assert self.benchmark is not None
        return self.benchmark

    def read(
        self,
        query: Callable[Concatenate[Connection, int, Settings], Answer],
        *args: Settings.args,
        **more: Settings.kwargs,
    ) -> Answer:
        """What a query of the store returns for this benchmark."""
        with self.store.read() as connection:
            return query(connection, self.at.id, *args, **more)

    def write(
        self,
        change: Callable[Concatenate[Connection, int, Settings], Answer],
        *args: Settings.args,
        **more: Settings.kwargs,
    ) -> Answer:
        """What a change of the store returns for this benchmark, once it is on disk."""
        return self.store.write(lambda connection: change(connection, self.at.id, *args, **more))

    def may(self, action: str) -> bool:
        """Whether the person may take the action here."""
        if self.account is None:
            return PERMISSIONS[action].who == "anyone"
        released = self.benchmark is not None and self.benchmark.released
        who = {"administrator": self.account.administrator, "machine": self.account.kind == MODEL}
        return may(action, **who, role=self.role, released=released)


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


async def authorised(request: Request, action: str) -> Here:
    """The context of a request, if its sender may take the action."""
    _require_same_origin(request)
    store: Store = request.app.state.store
    quick = store.local or store.remembers(_asking(request))
    here = _identified(request) if quick else await run_in_threadpool(_identified, request)
    rule = PERMISSIONS[action]
    if rule.who != "anyone" and here.account is None:
        raise HTTPException(401, "sign in first")
    if rule.who == "members" and here.benchmark is None:
        raise HTTPException(404, "there is no such benchmark, or you are not a member")
    if not here.may(action):
        raise HTTPException(403, f"your role does not allow this: {action}")
    if here.scope is not None and request.method in UNSAFE:
        if action == "use your account":
            raise HTTPException(403, "a token cannot change its account; sign in to do this")
        if here.scope == "read":
            raise HTTPException(403, "this token can only read")
    if here.csrf is not None and request.method in UNSAFE:
        await _require_token(request, here.csrf)
    return here


def _identified(request: Request) -> Here:
    store: Store = request.app.state.store
    asking = _asking(request)
    identity = store.remembered(asking, partial(_identity, *asking)) if any(asking[:2]) else NOBODY
    if identity[0] is not None and (secret := asking[0] or asking[1]):
        _note_use(store, secret, accounts.use_session if asking[0] is None else accounts.use_token)
    return Here(store, request.app.state.jobs, *identity, secure=_is_secure(request))


def _is_secure(request: Request) -> bool:
    """Whether people reach the server over HTTPS, perhaps through a proxy."""
    return request.url.scheme == "https" or request.app.state.address.startswith("https://")


def _asking(request: Request) -> tuple[str | None, str | None, str | None]:
    """The token, the cookie and the benchmark of a request."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else None
    return bearer, request.cookies.get(COOKIE), request.path_params.get("slug")


def _note_use(store: Store, secret: str, use: Callable[[Connection, str, int], None]) -> None:
    """Record from time to time, without waiting, that a session or a token is in use."""
    moment = now()
    if moment - _noted.get(secret, 0) > NOTED:
        if len(_noted) >= MOST_NOTED:
            _noted.clear()
        _noted[secret] = moment
        store.record(lambda connection: use(connection, secret, moment))


_noted: dict[str, int] = {}  # when the use of a session or a token was last recorded


_Identity = tuple[Account | None, str | None, Benchmark | None, Role | None, Scope | None]
NOBODY: _Identity = (None, None, None, None, None)


def _identity(bearer: str | None, cookie: str | None, slug: str | None, connection: Connection) -> _Identity:
    """The account of a token or session, its CSRF token, and the benchmark with the account's role."""
    account, csrf, scope = None, None, None
    if bearer is not None:
        account, scope = accounts.of_token(connection, bearer, now()) or (None, None)
    elif cookie:
        account, csrf = accounts.session(connection, cookie, now()) or (None, None)
    if account is None or slug is None:
        return account, csrf, None, None, scope
    benchmark, role = benchmarks.with_role(connection, slug, account.id) or (None, None)
    if role is None and not account.administrator:
        benchmark = None  # as if it did not exist
    return account, csrf, benchmark, role, scope


def _require_same_origin(request: Request) -> None:
    """Refuse forms sent from another site; browsers send the origin of a request."""
    if request.method not in UNSAFE:
        return
    origin, host = request.headers.get("origin"), request.headers.get("host")
    elsewhere = origin is not None and origin.partition("://")[2] != host
    if elsewhere or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "the request was sent from another site")


async def _require_token(request: Request, csrf: str) -> None:
    """Refuse changes without the CSRF token, which only our own pages have."""
    sent = request.headers.get("x-csrf-token")
    if sent is None and "form" in request.headers.get("content-type", ""):
        sent = str((await request.form(max_files=4, max_fields=100)).get("csrf", ""))
    if not secrets.compare_digest((sent or "").encode(), csrf.encode()):
        raise HTTPException(403, "the form is out of date; reload the page and try again")
