"""Passwords, hashed with argon2; only a few at a time, since each hash takes 64 MB."""

from __future__ import annotations

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from cranfield.errors import BadInput

SHORTEST, LONGEST = 12, 1_000
_hasher = PasswordHasher()  # time and memory as argon2-cffi recommends, raised by its new versions
_few = threading.Semaphore(2)
_NOBODY = _hasher.hash("a password that nobody has")


def hash_of(password: str) -> str:
    """The hash to store for a password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadInput(f"a password needs at least {SHORTEST} characters; a few random words are easy to remember")
    with _few:
        return _hasher.hash(password)


def fits(password: str, stored: str | None) -> bool:
    """Whether the password is correct; takes equally long if there is no such account."""
    with _few:
        try:
            return _hasher.verify(stored or _NOBODY, password[:LONGEST]) and stored is not None
        except (VerificationError, InvalidHashError):
            return False
