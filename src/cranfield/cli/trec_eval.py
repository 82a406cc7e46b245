"""The command `trec_eval`: what NIST's program of that name prints, byte for byte."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

FAULT, INTERRUPTED = 3, 130


def main() -> int:
    """Run the command on the arguments of this process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end when nobody reads on, as the original does
    return trec_eval(sys.argv[1:])


def trec_eval(arguments: Sequence[str]) -> int:
    """Print what trec_eval prints, and give the status it ends with."""
    try:
        return _printed(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as fault:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        print(f"trec_eval: {type(fault).__name__}: {fault} (CRANFIELD_DEBUG=1 shows where)", file=sys.stderr)
        return FAULT


def _printed(arguments: Sequence[str]) -> int:
    from cranfield.cli.trec.evaluation import evaluated  # here, so that nothing is waited for in vain
    from cranfield.cli.trec.quit import Quit

    try:
        for line in evaluated(arguments):
            sys.stdout.buffer.write(line)
        sys.stdout.flush()
    except Quit as end:
        sys.stdout.flush()
        sys.stderr.buffer.write(end.message)
        sys.stderr.flush()
        return end.status
    return 0
