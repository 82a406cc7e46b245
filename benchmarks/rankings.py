"""Rankings: from files and from dicts to AP, nDCG@10 and RR, beside pytrec_eval, ir_measures and ranx."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.cases import Case, Job, Target, Tool, Values


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

    def __str__(self) -> str:
        return f"{self.n_queries:,} queries × {self.depth:,} documents, {self.n_judged:,} judgments a query"


def sparse(n_queries: int, depth: int) -> Shape:
    """A test collection such as MS MARCO's passages: two relevant documents a query, one of them found."""
    return Shape(n_queries, depth, n_judged=2, n_found=1)


def dense(n_queries: int, depth: int) -> Shape:
    """A test collection such as TREC's: many documents judged for each query, by four grades."""
    return Shape(n_queries, depth, n_judged=6 * depth // 5, n_found=7 * depth // 10, least=0, greatest=3)


def cases(quick: bool) -> tuple[Case, ...]:
    """Files of three shapes, dicts of two, and the growth of cost with queries and with lines."""
    few_judged = sparse(700, 100) if quick else sparse(6_980, 1_000)
    all_judged = dense(25, 200) if quick else dense(250, 1_000)
    many = sparse(2_000, 20) if quick else sparse(100_000, 100)
    return (
        _files("sparse", few_judged, _SPARSE, scanned=True, compiles=True),
        _files("dense", all_judged),
        _dicts("sparse-dicts", few_judged, _DICTS),
        _dicts("dense-dicts", all_judged, _DICTS),
        _files("many-queries", many),
        *_growth(120 if quick else 1_200, 100 if quick else 1_000),
    )


_SPARSE = (
    Target("pytrec_eval", at_least=5),
    Target("ir_measures", at_least=10),
    Target("ranx", at_least=20),
    Target("Polars scan", at_least=1 / 2.5),
    Target("cranfield", at_most=400, figure="peak", times=False),
)
_DICTS = (Target("pytrec_eval", at_least=6),)
_LINEAR = 1.15  # noise is allowed this much


def _files(
    name: str, shape: Shape, targets: tuple[Target, ...] = (), *, scanned: bool = False, compiles: bool = False
) -> Case:
    works = {
        "cranfield": peers.cranfield_files,
        "pytrec_eval": peers.pytrec_eval_files,
        "ir_measures": peers.ir_measures_files,
        "ranx": peers.ranx_files,
    } | ({"Polars scan": peers.polars_scan} if scanned else {})
    tools = {tool: Tool(partial(_from_files, work, shape), compiles and tool == "ranx") for tool, work in works.items()}
    return Case(name, f"files, {shape}", tools, partial(_make, shapes=[shape]), targets)


def _dicts(name: str, shape: Shape, targets: tuple[Target, ...]) -> Case:
    works = {
        "cranfield": peers.cranfield_data,
        "pytrec_eval": peers.pytrec_eval_dicts,
        "ir_measures": peers.ir_measures_data,
        "ranx": peers.ranx_dicts,
    }
    tools = {tool: Tool(partial(_from_dicts, tool, work, shape)) for tool, work in works.items()}
    return Case(name, f"dicts in memory, {shape}", tools, partial(_make, shapes=[shape]), targets)


def _growth(n_queries: int, depth: int) -> tuple[Case, ...]:
    """Once, twice and four times the queries, and once, twice and four times the documents of each."""
    by_queries = {f"cranfield {times}×": sparse(n_queries * times // 4, depth) for times in (1, 2, 4)}
    by_lines = {f"cranfield {times}×": sparse(n_queries, depth * times // 4) for times in (1, 2, 4)}
    targets = tuple(Target(f"cranfield {times}×", at_most=times * _LINEAR, figure="cpu") for times in (2, 4))
    return tuple(
        Case(
            name,
            f"1×, 2× and 4× the {what}, up to {shapes['cranfield 4×']}",
            {size: Tool(partial(_warmed, shape)) for size, shape in shapes.items()},
            partial(_make, shapes=list(shapes.values())),
            targets,
            warm=False,
        )
        for name, what, shapes in (("growth-queries", "queries", by_queries), ("growth-lines", "lines", by_lines))
    )


def _make(data: Path, shapes: list[Shape]) -> None:
    from benchmarks.collection import write_collection  # not at the top: NumPy must not be there when timing begins

    for shape in shapes:
        write_collection(data / shape.name, shape)


def _from_files(work: Callable[[Path], peers.Read], shape: Shape, data: Path) -> Job:
    return partial(work, data / shape.name)


def _from_dicts(tool: str, work: Callable[[peers.Grades, peers.Scores], peers.Read], shape: Shape, data: Path) -> Job:
    """The tool imported and the dicts built, so that only the tool's own work is left."""
    importlib.import_module("cranfield.api" if tool == "cranfield" else tool)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    with open(data / shape.name / "qrels.txt") as lines:
        for query, _, document, grade in map(str.split, lines):
            qrels.setdefault(query, {})[document] = int(grade)
    with open(data / shape.name / "run.txt") as lines:
        for query, _, document, _, score, _ in map(str.split, lines):
            run.setdefault(query, {})[document] = float(score)
    return partial(work, qrels, run)


def _warmed(shape: Shape, data: Path) -> Job:
    """cranfield once it has been used: what starting costs would hide the growth."""
    peers.cranfield_files(data / shape.name)

    def work() -> Callable[[], Values]:
        peers.cranfield_files(data / shape.name)
        return dict  # no values: those of different data are not to be compared

    return work
