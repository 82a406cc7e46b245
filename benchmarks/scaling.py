"""Scaling: how the cost of rankings grows with lines, queries and runs, on each engine.

What is measured is a call in a process that was used before, for Spark in a session that was: the cost of starting,
which would hide the growth, is measured apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.cases import Case, Job, Target, Tool, Values
from benchmarks.rankings import Shape, make, make_runs, n_runs, pooled, sparse
from benchmarks.running import Measured

ENGINES = {"cranfield": "auto", "cranfield local": "local", "spark": "spark"}  # by the name of the tool
TIMES = (1, 2, 4, 8)
MOST = TIMES[-1]
STARTS = "lines"  # the curve with which starting is measured
_LINEAR = 1.15  # noise is allowed this much


class Size(NamedTuple):
    """A point on a curve: a test collection, and the number of runs."""

    shape: Shape
    folder: str
    n_runs: int = 1

    def n_bytes(self, data: Path) -> int:
        """The size of its runs on disk."""
        runs = sorted((data / self.folder).glob("run*.txt"))
        return sum(path.stat().st_size for path in runs[: self.n_runs])


class Point(NamedTuple):
    """What one size took on one engine."""

    curve: str
    engine: str
    n_lines: int
    n_queries: int  # rankings, those of all runs
    n_judged: int  # documents, once for each run
    n_bytes: int
    cpu: float
    n_runs: int


def curves(quick: bool) -> dict[str, dict[int, Size]]:
    """The sizes of each curve, by how many times the smallest they are."""
    n_queries, depth = (240, 160) if quick else (2_400, 1_000)
    by_lines = {times: sparse(n_queries // 2, depth * times // MOST) for times in TIMES}
    by_queries = {times: sparse(n_queries * times // MOST, depth) for times in TIMES}
    fewest = n_runs(quick) // MOST
    return {
        "lines": {times: Size(shape, shape.name) for times, shape in by_lines.items()},
        "queries": {times: Size(shape, shape.name) for times, shape in by_queries.items()},
        "runs": {times: Size(pooled(quick), pooled(quick).runs_name, fewest * times) for times in TIMES},
    }


def cases(quick: bool) -> tuple[Case, ...]:
    """One case per curve."""
    return tuple(_case(curve, sizes, quick) for curve, sizes in curves(quick).items())


def _case(curve: str, sizes: dict[int, Size], quick: bool) -> Case:
    tools = {
        f"{tool} {times}×": _used(size, sizes[MOST], engine)
        for tool, engine in ENGINES.items()
        for times, size in sizes.items()
    }
    if curve == STARTS:
        tools |= {f"{tool} start": Tool(partial(_evaluating, sizes[1], engine)) for tool, engine in ENGINES.items()}
    targets = tuple(Target(f"cranfield {times}×", at_most=times * _LINEAR, figure="cpu") for times in TIMES[1:])
    largest = sizes[MOST]
    up_to = f"{largest.n_runs} runs of {largest.shape}" if curve == "runs" else largest.shape
    if curve == "runs":
        made: Callable[[Path], None] = partial(
            make_runs, shape=largest.shape, n_runs=n_runs(quick), folder=largest.folder
        )
    else:
        made = partial(make, shapes=[size.shape for size in sizes.values()])
    return Case(f"growth-{curve}", f"1× to {MOST}× the {curve}, up to {up_to}", tools, made, targets, warm=False)


def points(measured: Iterable[Measured], quick: bool, data: Path) -> Iterator[Point]:
    """The points of the curves that were measured."""
    for one in measured:
        curve = one.case.name.removeprefix("growth-")
        if one.benchmark != "scaling":
            continue
        for times, size in curves(quick)[curve].items():
            for tool in ENGINES:
                runs = one.runs.get(f"{tool} {times}×")
                cpu = runs and runs.best("cpu")
                if cpu:
                    yield _point(curve, _engine(tool), size, data, cpu)


def starts(measured: Iterable[Measured]) -> dict[str, float]:
    """CPU seconds to start each engine: of the first call in a process, less those of the same call later."""
    every = {
        tool: runs.best("cpu")
        for one in measured
        if one.case.name == f"growth-{STARTS}"
        for tool, runs in one.runs.items()
    }
    return {
        _engine(tool): first - later
        for tool in ENGINES
        if (first := every.get(f"{tool} start")) is not None and (later := every.get(f"{tool} 1×")) is not None
    }


def _engine(tool: str) -> str:
    """The engine that a tool stands for; the fastest is the one in C."""
    return "native" if ENGINES[tool] == "auto" else ENGINES[tool]


def _point(curve: str, engine: str, size: Size, data: Path, cpu: float) -> Point:
    n_queries = size.n_runs * size.shape.n_queries
    n_judged = n_queries * size.shape.n_judged
    lines = n_queries * size.shape.depth
    return Point(curve, engine, lines, n_queries, n_judged, size.n_bytes(data), cpu, size.n_runs)


def _used(size: Size, largest: Size, engine: str) -> Tool:
    """A call in a process that was used before."""
    if engine == "spark":
        return Tool(partial(_in_session, size, largest), session="Spark")
    return Tool(partial(_warmed, size, engine))


def _warmed(size: Size, engine: str, data: Path) -> Job:
    """The same call again."""
    job = _evaluating(size, engine, data)
    job()
    return job


def _in_session(size: Size, largest: Size, data: Path) -> Job:
    """A call in a session that has evaluated the largest run: Java compiles what is called often."""
    _warm_up(largest, data)
    return _evaluating(size, "spark", data)


@cache
def _warm_up(size: Size, data: Path) -> None:
    _evaluating(size, "spark", data)()


def _evaluating(size: Size, engine: str, data: Path) -> Job:
    def work() -> Callable[[], Values]:
        peers.cranfield_runs(data / size.folder, size.n_runs, engine=engine)
        return dict  # no values: those of different data are not to be compared

    return work
