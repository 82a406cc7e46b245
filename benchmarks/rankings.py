"""Rankings: from files and from dicts to AP, nDCG@10 and RR, beside pytrec_eval, ir_measures and ranx."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.cases import Case, Job, Target, Tool


class Shape(NamedTuple):
    """The size of a test collection: how many queries, how many documents and judgments for each."""

    n_queries: int
    depth: int
    n_judged: int
    n_found: int  # of the judged documents, those that the ranking has
    least: int = 1
    greatest: int = 1
    first_query: int = 1_000_000

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.n_queries}x{self.depth}-{self.n_judged}"

    @property
    def runs_name(self) -> str:
        """The name of its folder if there are several runs."""
        return f"{self.name}-runs"

    def __str__(self) -> str:
        return f"{self.n_queries:,} queries × {self.depth:,} documents, {self.n_judged:,} judgments a query"


def sparse(n_queries: int, depth: int) -> Shape:
    """A test collection such as MS MARCO's passages: two relevant documents a query, one of them found."""
    return Shape(n_queries, depth, n_judged=2, n_found=1)


def dense(n_queries: int, depth: int) -> Shape:
    """A test collection such as TREC's: many documents judged for each query, by four grades."""
    return Shape(n_queries, depth, n_judged=6 * depth // 5, n_found=7 * depth // 10, least=0, greatest=3)


def pooled(quick: bool) -> Shape:
    """A test collection for several runs: all documents near the top of any of them judged."""
    return Shape(10 if quick else 100, 100 if quick else 1_000, 130 if quick else 1_300, 70 if quick else 700)


def n_runs(quick: bool) -> int:
    """The number of runs for the same judgments."""
    return 8 if quick else 20


def cases(quick: bool) -> tuple[Case, ...]:
    """Files of three shapes, dicts of two, several runs, and lines in random order."""
    few_judged = sparse(700, 100) if quick else sparse(6_980, 1_000)
    all_judged = dense(25, 200) if quick else dense(250, 1_000)
    many = sparse(2_000, 20) if quick else sparse(100_000, 100)
    return (
        _files("sparse", few_judged, _SPARSE, scanned=True, compiles=True),
        _files("dense", all_judged, (Target("pytrec_eval", at_least=2.5),)),
        _dicts("sparse-dicts", few_judged, (Target("pytrec_eval", at_least=8),)),
        _dicts("dense-dicts", all_judged, (Target("pytrec_eval", at_least=2),)),
        _files("many-queries", many),
        _runs(pooled(quick), n_runs(quick)),
        _shuffled(few_judged),
    )


_SPARSE = (
    Target("pytrec_eval", at_least=15),
    Target("ir_measures", at_least=10),
    Target("ranx", at_least=20),
    Target("Polars scan", at_least=1),
    Target("cranfield", at_most=150, figure="peak", times=False),
)


def _files(
    name: str, shape: Shape, targets: tuple[Target, ...] = (), *, scanned: bool = False, compiles: bool = False
) -> Case:
    works = {
        "cranfield": peers.cranfield_files,
        "cranfield local": peers.local_files,
        "pytrec_eval": peers.pytrec_eval_files,
        "ir_measures": peers.ir_measures_files,
        "ranx": peers.ranx_files,
    } | ({"Polars scan": peers.polars_scan} if scanned else {})
    tools = {tool: Tool(partial(_from_files, work, shape), compiles and tool == "ranx") for tool, work in works.items()}
    return Case(name, f"files, {shape}", tools, partial(make, shapes=[shape]), targets)


def _dicts(name: str, shape: Shape, targets: tuple[Target, ...]) -> Case:
    works = {
        "cranfield": peers.cranfield_data,
        "pytrec_eval": peers.pytrec_eval_dicts,
        "ir_measures": peers.ir_measures_data,
        "ranx": peers.ranx_dicts,
    }
    tools = {tool: Tool(partial(_from_dicts, tool, work, shape)) for tool, work in works.items()}
    return Case(name, f"dicts in memory, {shape}", tools, partial(make, shapes=[shape]), targets)


def _runs(shape: Shape, n_runs: int) -> Case:
    """Several runs against the same judgments."""
    folder = shape.runs_name
    works = {"cranfield": peers.cranfield_runs, "pytrec_eval": peers.pytrec_eval_runs}
    tools = {tool: Tool(partial(_in_folder, work, folder)) for tool, work in works.items()}
    make = partial(make_runs, shape=shape, n_runs=n_runs, folder=folder)
    return Case("many-runs", f"{n_runs} files, each {shape}", tools, make, (Target("pytrec_eval", at_least=8),))


def _shuffled(shape: Shape) -> Case:
    """The lines of a run in random order, beside the same lines in order."""
    folder = f"{shape.name}-shuffled"
    tools = {
        "cranfield": Tool(partial(_in_folder, peers.cranfield_files, folder)),
        "cranfield in order": Tool(partial(_in_folder, peers.cranfield_files, shape.name)),
    }
    targets = (
        Target("cranfield in order", at_least=1 / 1.6),
        Target("cranfield", at_most=300, figure="peak", times=False),
    )
    return Case(
        "shuffled", f"files, {shape}, lines in random order", tools, partial(_make_shuffled, shape, folder), targets
    )


def make(data: Path, shapes: list[Shape]) -> None:
    """Write the test collections that are not there yet."""
    from benchmarks.collection import write_collection  # not at the top: NumPy must not be there when timing begins

    for shape in shapes:
        write_collection(data / shape.name, shape)


def make_runs(data: Path, shape: Shape, n_runs: int, folder: str) -> None:
    """Write several runs for the same judgments, unless they are there."""
    from benchmarks.collection import write_runs

    write_runs(data / folder, shape, n_runs)


def _make_shuffled(shape: Shape, folder: str, data: Path) -> None:
    from benchmarks.collection import write_collection, write_shuffled

    write_collection(data / shape.name, shape)
    write_shuffled(data / shape.name, data / folder)


def _in_folder(work: Callable[[Path], peers.Read], folder: str, data: Path) -> Job:
    return partial(work, data / folder)


def _from_files(work: Callable[[Path], peers.Read], shape: Shape, data: Path) -> Job:
    return partial(work, data / shape.name)


def _from_dicts(tool: str, work: Callable[[peers.Grades, peers.Scores], peers.Read], shape: Shape, data: Path) -> Job:
    """The tool imported and the dicts built, so that only the tool's own work is left."""
    importlib.import_module("cranfield.rankings.evaluate" if tool == "cranfield" else tool)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    with open(data / shape.name / "qrels.txt") as lines:
        for query, _, document, grade in map(str.split, lines):
            qrels.setdefault(query, {})[document] = int(grade)
    with open(data / shape.name / "run.txt") as lines:
        for query, _, document, _, score, _ in map(str.split, lines):
            run.setdefault(query, {})[document] = float(score)
    return partial(work, qrels, run)
