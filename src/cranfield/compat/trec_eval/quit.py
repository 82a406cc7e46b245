"""The early exit of trec_eval."""

from __future__ import annotations

import os


class Quit(Exception):
    """An early exit, with the message on standard error and the exit status."""

    def __init__(self, message: str | bytes, status: int) -> None:
        super().__init__(message, status)
        self.message = os.fsencode(message)
        self.status = status

    def followed_by(self, more: str) -> Quit:
        """The same exit with a longer message."""
        return Quit(self.message + os.fsencode(more), self.status)
