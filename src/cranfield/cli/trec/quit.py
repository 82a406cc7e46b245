"""The end of trec_eval before its time."""

from __future__ import annotations

import os


class Quit(Exception):
    """What trec_eval says on standard error when it ends, and the status it ends with."""

    def __init__(self, message: str | bytes, status: int) -> None:
        super().__init__(message, status)
        self.message = os.fsencode(message)
        self.status = status

    def followed_by(self, more: str) -> Quit:
        """The same end, with more to say."""
        return Quit(self.message + os.fsencode(more), self.status)
