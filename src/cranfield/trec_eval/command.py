"""The command `trec_eval`: the output of NIST's program of that name, byte for byte."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from cranfield.commands.output import named_as_output
from cranfield.commands.process import limit_memory, reason_of
from cranfield.commands.statuses import FAILED, FAULT, INTERRUPTED, SUCCESS
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
        _tell(f"trec_eval: {reason_of(error)}\n".encode("utf-8", "backslashreplace"))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as fault:
        if os.environ.get("CRANFIELD_DEBUG"):
            raise
        reason = f"trec_eval: {type(fault).__name__}: {fault} (CRANFIELD_DEBUG=1 shows where)\n"
        _tell(reason.encode("utf-8", "backslashreplace"))
        return FAULT


def _printed(arguments: Sequence[str]) -> int:
    import numpy as np

    from cranfield.trec_eval.conventions import Quit
    from cranfield.trec_eval.program import evaluated

    terminal = sys.stdout.isatty()
    try:
        with np.errstate(all="ignore"):  # C does not warn
            for line in evaluated(arguments):
                with named_as_output():
                    sys.stdout.buffer.write(_harmless(line) if terminal else line)
        with named_as_output():
            sys.stdout.flush()
    except Quit as end:
        with named_as_output():
            sys.stdout.flush()
        _tell(end.message)
        return end.status
    return SUCCESS


def _tell(message: bytes) -> None:
    """Print a message on standard error; whether it can be written does not change how the program ends."""
    with suppress(OSError):
        sys.stderr.buffer.write(_harmless(message) if sys.stderr.isatty() else message)
        sys.stderr.flush()


def _harmless(line: bytes) -> bytes:
    """The line without control characters, except tabs and line ends, for a terminal."""
    from cranfield.present.table import visible

    text = line.decode("utf-8", "surrogateescape")
    return "".join(part if part in "\t\n" else visible(part) for part in re.split("([\t\n])", text)).encode()
