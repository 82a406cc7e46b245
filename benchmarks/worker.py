"""One tool on one case, in a process of its own, or several that share a session.

    python -m benchmarks.worker MODULE CASE TOOL DATA SIZE OUT CALLS

SIZE is `quick` or `full`; the figures and values are written to the folder OUT. With `make` for a tool, the data of
the case is written instead. TOOL may be several names, separated by `|`: these are run one after the other, and the
figures of the first are written to OUT/0, and so on.

Imports as little as it can: what is loaded here costs the tool nothing.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
from array import array
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from benchmarks.cases import WRITTEN, Case, Job, Values


def main() -> None:
    """Do what the command line says."""
    module, name, tool, data, size, out, calls = sys.argv[1:]
    case: Case = next(
        case for case in importlib.import_module(f"benchmarks.{module}").cases(size == "quick") if case.name == name
    )
    if tool == "make":
        if case.make:
            case.make(Path(data))
        return
    for number, name in enumerate(tool.split("|")):
        _write(Path(out, str(number)), *measured(case.tools[name].start(Path(data)), again=calls == "2"))


def measured(job: Job, again: bool) -> tuple[dict[str, float], Values]:
    """The figures of a job, and the values it found."""
    cpu, start = _cpu(), time.perf_counter()
    read = job()
    figures = {"wall": time.perf_counter() - start, "cpu": _cpu() - cpu, "peak": _peak()}
    values = dict(read())
    if written := values.pop(WRITTEN, None):
        figures["size"] = written[0] / 1e6
    if again:
        del read
        start = time.perf_counter()
        job()
        figures["warm"] = time.perf_counter() - start
    return figures, values


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used) + _cpu_of_running_children()


def _cpu_of_running_children() -> float:
    """The time of processes that this one has started and that have not ended, such as Spark's; 0 without /proc."""
    parent, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            _, *fields = path.read_text().rpartition(")")[2].split()
            process = int(path.parent.name)
            parent[process], ticks[process] = int(fields[0]), sum(map(int, fields[10:14]))
    return sum(ticks[process] for process in parent if _is_below(process, parent)) / os.sysconf("SC_CLK_TCK")


def _is_below(process: int, parent: Mapping[int, int]) -> bool:
    while process in parent:
        process = parent[process]
        if process == os.getpid():
            return True
    return False


def _peak() -> float:
    """The most memory held so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _write(out: Path, figures: Mapping[str, float], values: Values) -> None:
    out.mkdir()
    (out / "figures.json").write_text(json.dumps(figures))
    for name, value in values.items():
        with open(out / f"{name}.values", "wb") as stream:
            array("d", value).tofile(stream)


if __name__ == "__main__":
    main()
