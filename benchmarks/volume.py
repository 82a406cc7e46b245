"""Volume: runs of 10⁸ lines, 10⁷ queries, 10⁸ predictions, and 200 runs against the same judgments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks import peers
from benchmarks.cases import Case, Job, Target, Tool, Values
from benchmarks.rankings import Shape, make, make_runs, sparse

BOUND = 1000  # MB
_SPEED = 0.7  # of that of 7 million lines, for each line


def cases(quick: bool) -> tuple[Case, ...]:
    """Each is far larger than what memory should hold."""
    return (
        _lines("volume-lines", "run.txt", quick),
        _lines("volume-parquet", "run.parquet", quick),
        _queries(10**4 if quick else 10**7),
        _predictions(10**5 if quick else 10**8),
        _distinct(10**5 if quick else 10**8),
        _runs(8 if quick else 200, quick),
    )


def _lines(name: str, run: str, quick: bool) -> Case:
    """Many lines, and fewer of them, of which each should take as long."""
    many, few = (sparse(3_000, 100), sparse(700, 100)) if quick else (sparse(100_000, 1_000), sparse(6_980, 1_000))
    tools = {"cranfield": Tool(partial(_evaluated, many, run)), "cranfield few": Tool(partial(_evaluated, few, run))}
    targets = (
        Target("cranfield", at_most=BOUND, figure="peak", times=False),
        Target("cranfield few", at_least=_SPEED * few.n_queries / many.n_queries),
    )
    title = f"{run}, {many}; few: {few.n_queries:,} queries"
    return Case(name, title, tools, partial(_make_lines, [many, few], run), targets, warm=False)


def _make_lines(shapes: list[Shape], run: str, data: Path) -> None:
    from benchmarks.collection import write_parquet

    make(data, shapes)
    for shape in shapes:
        if run.endswith(".parquet"):
            write_parquet(data / shape.name)


def _evaluated(shape: Shape, run: str, data: Path) -> Job:
    def work() -> peers.Read:
        peers.cranfield_data(data / shape.name / "qrels.txt", data / shape.name / run)
        return dict  # no values: those of different data are not to be compared

    return work


def _queries(n_queries: int) -> Case:
    """One document and one judgment for each query: the whole of `cranfield eval`, a tenth of what it once took."""
    shape = Shape(n_queries, depth=1, n_judged=1, n_found=1)
    tools = {"cranfield": Tool(partial(_printed, shape))}
    targets = (
        Target("cranfield", at_most=9.8, figure="cpu", times=False),
        Target("cranfield", at_most=550, figure="peak", times=False),
    )
    return Case("volume-queries", f"files, {shape}", tools, partial(make, shapes=[shape]), targets, warm=False)


def _printed(shape: Shape, data: Path) -> Job:
    def work() -> Callable[[], Values]:
        from cranfield import evaluate

        str(evaluate(data / shape.name / "qrels.txt", data / shape.name / "run.txt"))
        return dict

    return work


def _predictions(n_items: int) -> Case:
    """Scores with four decimals, so that items share them, and all thresholds."""
    tools = {"cranfield": Tool(partial(_classified, n_items))}
    targets = (Target("cranfield", at_most=BOUND, figure="peak", times=False),)
    make = partial(_make_predictions, n_items)
    return Case("volume-predictions", f"{n_items:,} scores in a Parquet file", tools, make, targets, warm=False)


def _distinct(n_items: int) -> Case:
    """Scores that are all distinct, hence as many thresholds as items: all that `cranfield classify` prints."""
    tools = {"cranfield": Tool(partial(_classified, n_items, decimals=None))}
    targets = (Target("cranfield", at_most=BOUND, figure="peak", times=False),)
    make = partial(_make_predictions, n_items, decimals=None)
    title = f"{n_items:,} distinct scores in a Parquet file, all tables"
    return Case("volume-distinct", title, tools, make, targets, warm=False)


def _make_predictions(n_items: int, data: Path, decimals: int | None = 4) -> None:
    from benchmarks.collection import write_predictions

    write_predictions(data / _folder(n_items, decimals), n_items, decimals)


def _classified(n_items: int, data: Path, decimals: int | None = 4) -> Job:
    path = data / _folder(n_items, decimals) / "predictions.parquet"

    def work() -> Callable[[], Values]:
        from cranfield import classify

        result = classify("label", score="score", positive=1, data=path)
        if decimals is None:
            str(result)
        return dict

    return work


def _folder(n_items: int, decimals: int | None) -> str:
    return f"predictions-{n_items}" if decimals is not None else f"predictions-{n_items}-distinct"


def _runs(n_runs: int, quick: bool) -> Case:
    """Runs that share their judgments, and so what is prepared for them."""
    shape = Shape(10, 100, 130, 70) if quick else Shape(50, 1_000, 1_300, 700)
    folder = f"{shape.name}-{n_runs}-runs"
    works = {"cranfield": peers.cranfield_runs, "pytrec_eval": peers.pytrec_eval_runs}
    tools = {tool: Tool(partial(_in_folder, work, folder)) for tool, work in works.items()}
    make = partial(make_runs, shape=shape, n_runs=n_runs, folder=folder)
    targets = (Target("pytrec_eval", at_least=10),)
    return Case("volume-runs", f"{n_runs} files, each {shape}", tools, make, targets, warm=False)


def _in_folder(work: Callable[[Path], peers.Read], folder: str, data: Path) -> Job:
    return partial(work, data / folder)
