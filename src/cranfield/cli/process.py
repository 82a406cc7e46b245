"""The process of a command: its limit of memory, and interrupts, which end it quietly at any moment."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress

from cranfield.cli.exit_statuses import FAILED, INTERRUPTED

_RESERVED = 4 << 30  # bytes of address space that libraries reserve without using them
_PAUSE = 0.02  # seconds between two looks at the memory in use
_IN_USE = "/proc/self/statm"  # only on Linux


def main() -> int:
    """Run `cranfield` on the arguments of this process."""
    _end_when_interrupted()
    from cranfield.cli.main import main

    return _ended(main())


def trec_eval() -> int:
    """Run `trec_eval` on the arguments of this process."""
    _end_when_interrupted()
    from cranfield.cli.trec_eval import main

    return _ended(main())


def limit_memory(program: str) -> None:
    """Limit the memory of the process, so that running out is an error rather than a crash of the machine.

    What is in use is looked at all the time. The system's own limit, which counts reserved memory as well and makes
    libraries hang or crash, is only for what grows faster.
    """
    from cranfield.tables.readers.limits import limits  # here, since a limit in the environment may be invalid

    with suppress(ImportError):  # not on this system
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        known = [limit for limit in (soft, hard, limits.memory + _RESERVED) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    if os.path.exists(_IN_USE):
        from threading import Thread  # here, since nothing should be imported before interrupts are handled

        Thread(target=_watch_memory, args=(program, limits.memory), daemon=True).start()


def not_enough_memory() -> str:
    """The error if memory runs out."""
    from cranfield.tables.readers.limits import MEMORY, limits, shown

    return f"more than {shown(limits.memory)} of memory would be needed; {MEMORY} sets the limit"


def _watch_memory(program: str, most: int) -> None:
    """End the process when it uses more memory than this, not counting pages of files."""
    from time import sleep

    page = os.sysconf("SC_PAGE_SIZE")
    with open(_IN_USE, "rb", buffering=0) as statistics:
        while True:
            _, resident, of_files, *_ = map(int, os.pread(statistics.fileno(), 200, 0).split())
            if (resident - of_files) * page > most:
                os.write(2, f"{program}: {not_enough_memory()}\n".encode())
                _end(FAILED)
            sleep(_PAUSE)


def _end_when_interrupted() -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background of a shell
        # not KeyboardInterrupt, which waits for threads and may be swallowed by other code
        signal.signal(signal.SIGINT, lambda *_: _end(INTERRUPTED))


def _ended(status: int) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done: an interrupt now would only break the shutdown
    gc.freeze()  # Python would look for cycles several times, a tenth of the time of a small evaluation
    return status


def _end(status: int) -> None:
    """Exit at once, removing half-written files and the progress bar."""
    for part in list(getattr(sys.modules.get("cranfield.results.atomic_files"), "unfinished", ())):
        with suppress(OSError):
            os.unlink(part)
    for bar in list(getattr(sys.modules.get("cranfield.cli.progress"), "drawn", ())):
        with suppress(Exception):
            bar.stop()
    os._exit(status)
