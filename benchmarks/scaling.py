"""Scaling: how the cost of rankings grows with lines, queries and runs, on each engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.cases import Case, Job, Target, Tool, Values
from benchmarks.rankings import Shape, make, make_runs, n_runs, pooled, sparse
from benchmarks.running import Measured

ENGINES = {"cranfield": "auto", "cranfield local": "local", "spark": "spark"}  # by the name of the tool
TIMES = (1, 2, 4, 8)
MOST = TIMES[-1]
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
        f"{tool} {times}×": Tool(partial(_warmed, size, engine))
        for tool, engine in ENGINES.items()
        for times, size in sizes.items()
    }
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
                    name = "native" if ENGINES[tool] == "auto" else ENGINES[tool]
                    yield _point(curve, name, size, data, cpu)


def _point(curve: str, engine: str, size: Size, data: Path, cpu: float) -> Point:
    n_queries = size.n_runs * size.shape.n_queries
    n_judged = n_queries * size.shape.n_judged
    lines = n_queries * size.shape.depth
    return Point(curve, engine, lines, n_queries, n_judged, size.n_bytes(data), cpu, size.n_runs)


def _warmed(size: Size, engine: str, data: Path) -> Job:
    """cranfield once it has been used: what starting costs would hide the growth."""

    def work() -> Callable[[], Values]:
        peers.cranfield_runs(data / size.folder, size.n_runs, engine=engine)
        return dict  # no values: those of different data are not to be compared

    work()
    return work
