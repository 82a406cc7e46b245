"""The first administrator, signing in and out, invitations, and the account page."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import Form, HTTPException, Request
from sqlalchemy import Connection

from cranfield.campaign.store import accounts
from cranfield.campaign.store.accounts import Scope
from cranfield.campaign.web.fields import At, Line, Number, Secret
from cranfield.campaign.web.guard import COOKIE, Here, now
from cranfield.campaign.web.passwords import fits, hash_of
from cranfield.campaign.web.replies import Done, Page
from cranfield.campaign.web.sign_in_attempts import count_failure, require_few_attempts
from cranfield.errors import BadInput


def setup_page(request: Request, here: At, secret: str) -> Page:
    """The form that creates the first administrator, for whoever has the link printed by the server."""
    _require_setup(request, here, secret)
    return Page("setup.html", {"secret": secret})


def set_up(request: Request, here: At, secret: str, name: Line, email: Line, password: Secret) -> Done:
    """Create the first administrator."""
    _require_setup(request, here, secret)
    values: dict[str, Any] = {"name": _name(name), "email": _email(email), "password": hash_of(password), "now": now()}
    account = here.store.write(lambda connection: accounts.create_administrator(connection, **values))
    return _signed_in(here, account.id, "/")


def login_page(here: At, following: str = "/") -> Page:  # noqa: ARG001
    """The sign-in form."""
    return Page("login.html", {"following": _local(following)})


def login(request: Request, here: At, email: Line, password: Secret, following: Line = "/") -> Done:
    """Sign in with e-mail address and password."""
    address = request.client.host if request.client else ""
    require_few_attempts(address, email)
    with here.store.read() as connection:
        credentials = accounts.with_password(connection, email)
    if not fits(password, credentials and credentials[1]) or credentials is None:
        count_failure(address, email)
        raise HTTPException(403, "the address or the password is wrong")
    return _signed_in(here, credentials[0].id, _local(following))


def logout(request: Request, here: At) -> Done:
    """End this session."""
    secret = request.cookies.get(COOKIE, "")
    here.store.write(lambda connection: accounts.end_session(connection, secret))
    return Done("/login", cookie="")


def join_page(here: At, secret: str) -> Page:
    """The invitation behind a link."""
    offered = _offered(here, secret)
    data = {"secret": secret, "benchmark": offered.benchmark_name, "role": offered.role}
    return Page("join.html", data | {"signed_in": here.account is not None})


def join(here: At, secret: str, name: Line = "", email: Line = "", password: Secret = "", team: Line = "") -> Done:
    """Accept an invitation, with an existing account or a new one."""
    offered = _offered(here, secret)
    if here.account is not None:
        account = here.me.id
        here.store.write(lambda connection: accounts.accept(connection, secret, account, team, now()))
        return Done(f"/b/{offered.slug}")
    values: dict[str, Any] = {"name": _name(name), "email": _email(email), "password": hash_of(password), "now": now()}

    def joined(connection: Connection) -> int:
        account = accounts.create(connection, **values).id
        accounts.accept(connection, secret, account, team, now())
        return account

    return _signed_in(here, here.store.write(joined), f"/b/{offered.slug}")


def account_page(here: At) -> Page:
    """The account page, with its tokens."""
    with here.store.read() as connection:
        return Page("account.html", {"tokens": accounts.tokens(connection, here.me.id), "secret": None})


def create_token(here: At, name: Line, scope: Annotated[Scope, Form()] = "act",
                 days: Annotated[int, Form(ge=1, le=366)] = 90) -> Page:  # fmt: skip
    """A token for programs, shown once, which expires after some days.

    With the scope `read` it changes nothing; no token can change its account or make other tokens.
    """
    account = here.me.id
    more: dict[str, Any] = {"scope": scope, "days": days}
    secret = here.store.write(lambda connection: accounts.create_token(connection, account, _name(name), now(), **more))
    with here.store.read() as connection:
        return Page("account.html", {"tokens": accounts.tokens(connection, account), "secret": secret}, status=201)


def revoke_token(here: At, token: Number) -> Done:
    """Revoke a token."""
    here.store.write(lambda connection: accounts.revoke_token(connection, here.me.id, token, now()))
    return Done("/account")


def change_password(here: At, password: Secret, new_password: Secret) -> Done:
    """Change the account's password; this ends all its sessions."""
    with here.store.read() as connection:
        credentials = accounts.with_password(connection, here.me.email)
    if not fits(password, credentials and credentials[1]):
        raise BadInput("the current password is wrong")
    stored = hash_of(new_password)
    here.store.write(lambda connection: accounts.change_password(connection, here.me.id, stored))
    return _signed_in(here, here.me.id, "/account")


def sign_out_everywhere(here: At) -> Done:
    """End all sessions of the account."""
    here.store.write(lambda connection: accounts.end_sessions(connection, here.me.id))
    return Done("/login", cookie="")


def _require_setup(request: Request, here: Here, secret: str) -> None:
    expected = request.app.state.setup_secret
    with here.store.read() as connection:
        exists = accounts.n_accounts(connection) > 0
    if exists or not secrets.compare_digest(secret.encode(), expected.encode()):
        raise HTTPException(404, "this link has already been used, or the server has been restarted since")


def _offered(here: Here, secret: str) -> accounts.Invitation:
    with here.store.read() as connection:
        offered = accounts.invitation(connection, secret, now())
    if offered is None:
        raise HTTPException(404, "this invitation has already been used or has expired; ask for a new one")
    return offered


def _signed_in(here: Here, account: int, location: str) -> Done:
    """Start a new session: signing in never continues one whose secret somebody else may know."""
    secret = accounts.new_secret()
    here.store.write(lambda connection: accounts.start_session(connection, account, secret, now()))
    return Done(location, cookie=secret)


def _local(location: str) -> str:
    """The page to go to after signing in, which is always on this site."""
    local = location.startswith("/") and not location.startswith(("//", "/\\"))
    return location if local and "\\" not in location else "/"


def _name(text: str) -> str:
    if not text:
        raise BadInput("a name is needed")
    return text


def _email(text: str) -> str:
    if "@" not in text.strip("@") or " " in text:
        raise BadInput(f"{text!r} is not an e-mail address")
    return text
