"""What the commands run first: from here on an interrupt ends them quietly, also while the package is imported.

A module of its own, since importing any part of the package imports the package first.
"""

from __future__ import annotations

import os
import signal

_INTERRUPTED = 130  # `cranfield.commands.statuses` is not imported yet

if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a shell
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))

from cranfield.commands.process import main, trec_eval  # noqa: E402

__all__ = ["main", "trec_eval"]
