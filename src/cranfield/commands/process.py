"""The process of a command: its memory limit, and interrupts, which end it quietly at any time."""

from __future__ import annotations

import gc
import os
import signal
import sys
from _thread import allocate_lock, start_new_thread  # the module `threading` imports more than is needed here
from contextlib import suppress

from cranfield.commands.statuses import FAILED, INTERRUPTED

_OBJECTS = 50_000  # created between two garbage collections; imports alone create as many, and none of them is garbage
_RESERVED = 4 << 30  # bytes of address space reserved but not used by libraries
_PAUSE = 0.02  # seconds between checks of the memory in use
_PATIENCE = 1  # seconds that a second interrupt waits for the first one to end the process
_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
_ending = allocate_lock()
_IN_USE, _THREADS = "/proc/self/statm", "/proc/self/task"  # only on Linux


def main() -> int:
    """Run `cranfield` on the arguments of this process."""
    return _ended("cranfield.cli.main")


def trec_eval() -> int:
    """Run `trec_eval` on the arguments of this process."""
    return _ended("cranfield.trec_eval.command")


def limit_memory(program: str) -> None:
    """Limit the memory of the process, so that exceeding it is an error instead of a crash of the machine.

    The memory in use is checked continually. The system's own limit, which includes reserved memory and makes libraries
    hang or crash, only guards against faster growth.
    """
    from cranfield.tables.readers.streams import limits  # here, because a limit in the environment may be invalid

    with suppress(ImportError):  # not available on this system
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        known = [limit for limit in (soft, hard, limits.memory + _RESERVED) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
    if os.path.exists(_IN_USE):
        from threading import Thread  # here, because nothing should be imported before interrupts are handled

        Thread(target=_watch_memory, args=(program, limits.memory), daemon=True).start()


def reason_of(error: Exception) -> str:
    """Why a command failed: what the library says, which file the system refused, or how much memory was needed."""
    if isinstance(error, MemoryError):
        return _not_enough_memory()
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _not_enough_memory() -> str:
    from cranfield.tables.readers.streams import MEMORY, limits, readable_size

    return f"more than {readable_size(limits.memory)} of memory is needed; {MEMORY} sets the limit"


def _watch_memory(program: str, most: int) -> None:
    """End the process when it uses more memory than this, not counting pages of files."""
    from time import sleep

    page = os.sysconf("SC_PAGE_SIZE")
    with open(_IN_USE, "rb", buffering=0) as statistics:
        while True:
            _, resident, of_files, *_ = map(int, os.pread(statistics.fileno(), 200, 0).split())
            if (resident - of_files) * page > most:
                os.write(2, f"{program}: {_not_enough_memory()}\n".encode())
                _end(FAILED)
            sleep(_PAUSE)


def _end_when_interrupted() -> None:
    """From now on an interrupt ends the process, whatever the main thread is doing."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for background jobs of a shell
        # not KeyboardInterrupt, which waits for threads and can be swallowed by other code
        signal.signal(signal.SIGINT, _interrupted)
        received, sent = os.pipe()
        os.set_blocking(sent, False)
        signal.set_wakeup_fd(sent, warn_on_full_buffer=False)
        start_new_thread(_await_interrupt, (received,))


def _interrupted(*_: object) -> None:
    _end(INTERRUPTED)


def _await_interrupt(received: int) -> None:
    """Handle interrupts that the main thread cannot, since it is sorting, or waits for a pipe that nobody writes to."""
    while signals := os.read(received, 64):
        if signal.SIGINT in signals and signal.getsignal(signal.SIGINT) is _interrupted:  # a server has its own handler
            _end(INTERRUPTED)


def _open_closed_streams() -> None:
    """Open the standard streams that are closed, so that no other file gets their numbers.

    Messages are then dropped, but reading, and writing the output, are errors.
    """
    for number, (name, mode, unusable) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            os.open(os.devnull, unusable)  # gets the lowest number that is free
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _drop_unwritten() -> None:
    """Drop output that cannot be written, which has been reported: Python would end with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):
                stream.close()


def _ended(module: str) -> int:
    """The exit status of the command in a module."""
    _open_closed_streams()
    _end_when_interrupted()
    gc.set_threshold(_OBJECTS)
    from importlib import import_module  # here, because nothing should be imported before interrupts are handled

    status: int = import_module(module).main()
    _drop_unwritten()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done: an interrupt now would only break the shutdown
    gc.freeze()  # Python's garbage collection at exit takes a tenth of the time of a small evaluation
    return status


def _end(status: int) -> None:
    """Exit at once, removing half-written files and the progress bar, and ending the processes that were started."""
    _ending.acquire(timeout=_PATIENCE)  # by one thread only, but an interrupt may interrupt the handling of another
    for part in list(getattr(sys.modules.get("cranfield.results.writing"), "unfinished", ())):
        with suppress(OSError):
            os.unlink(part)
    for bar in list(getattr(sys.modules.get("cranfield.commands.progress"), "drawn", ())):
        with suppress(Exception):
            bar.stop()
    for child in _children():  # such as Spark, which would hold the output open for ten seconds more
        with suppress(OSError):
            os.kill(child, signal.SIGTERM)
    os._exit(status)


def _children() -> list[int]:
    """The processes that this one has started, on Linux."""
    children: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(_THREADS):
            with open(f"{_THREADS}/{thread}/children") as listed:
                children += map(int, listed.read().split())
    return children
