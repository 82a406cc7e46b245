"""Passwords, hashed with argon2; a few at a time, since each takes 64 MB."""

from __future__ import annotations

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from cranfield.errors import BadInput

SHORTEST, LONGEST = 12, 1_000
_hasher = PasswordHasher()
_few = threading.Semaphore(2)
_NOBODY = _hasher.hash("a password that nobody has")


def hash_of(password: str) -> str:
    """The hash of a password, as it is stored."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadInput(f"a password has at least {SHORTEST} characters; a few random words are easy to remember")
    with _few:
        return _hasher.hash(password)


def fits(password: str, stored: str | None) -> bool:
    """Whether it is the password; takes as long if there is no such account."""
    with _few:
        try:
            return _hasher.verify(stored or _NOBODY, password[:LONGEST]) and stored is not None
        except (VerificationError, InvalidHashError):
            return False
