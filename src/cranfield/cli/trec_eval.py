"""The command `trec_eval`: the output of NIST's program of that name, byte for byte."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence

from cranfield.cli.exit_statuses import FAILED, FAULT, INTERRUPTED, SUCCESS
from cranfield.cli.process import limit_memory, reason_of
from cranfield.errors import CranfieldError


def main() -> int:
    """Run the command on the arguments of this process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # stop when the pipe is closed, like the original
    return trec_eval(sys.argv[1:], limited=True)


def trec_eval(arguments: Sequence[str], *, limited: bool = False) -> int:
    """Print the output of trec_eval and return its exit status; `limited` sets the memory limit."""
    try:
        if limited:
            limit_memory("trec_eval")
        return _printed(arguments)
    except (CranfieldError, OSError, MemoryError) as error:
        print(f"trec_eval: {reason_of(error)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as fault:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        print(f"trec_eval: {type(fault).__name__}: {fault} (CRANFIELD_DEBUG=1 shows where)", file=sys.stderr)
        return FAULT


def _printed(arguments: Sequence[str]) -> int:
    import numpy as np

    from cranfield.compat.trec_eval.program import evaluated
    from cranfield.compat.trec_eval.quit import Quit

    terminal = sys.stdout.isatty()
    try:
        with np.errstate(all="ignore"):  # C does not warn
            for line in evaluated(arguments):
                sys.stdout.buffer.write(_harmless(line) if terminal else line)
        sys.stdout.flush()
    except Quit as end:
        sys.stdout.flush()
        sys.stderr.buffer.write(_harmless(end.message) if sys.stderr.isatty() else end.message)
        sys.stderr.flush()
        return end.status
    return SUCCESS


def _harmless(line: bytes) -> bytes:
    """The line without control characters, except tabs and line ends, for a terminal."""
    from cranfield.present.table import visible

    text = line.decode("utf-8", "surrogateescape")
    return "".join(part if part in "\t\n" else visible(part) for part in re.split("([\t\n])", text)).encode()
