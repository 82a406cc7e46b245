"""Seeing it: plots of ten million scores, and reports. Timed from an empty interpreter on, the data being in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.cases import Case, Job, Target, Tool, Values

PLOTS = ("roc", "precision_recall", "prg", "det", "calibration", "cost", "decision", "distributions")
SUFFIXES = ("png", "pdf", "html")
DEPTH = 100  # documents a query
JUDGED = 30
SEED = 6


def cases(quick: bool) -> tuple[Case, ...]:
    """Every plot of scores as SVG, one of them in the other formats, and reports of two sizes."""
    n = 20_000 if quick else 10_000_000
    shapes = ((2, 10), (3, 20)) if quick else ((5, 250), (20, 1_000))
    formats = {f"{name} svg": (name, "svg") for name in PLOTS} | {
        f"roc {suffix}": ("roc", suffix) for suffix in SUFFIXES
    }
    tools = {f"cranfield {label}": Tool(partial(_plotted, n, *what)) for label, what in formats.items()}
    return (
        Case(
            "plots",
            f"a plot of {n:,} scores written to a file",
            tools,
            targets=tuple(Target(tool, at_most=2.0, times=False) for tool in tools),
        ),
        *(
            Case(
                f"report-{systems}",
                f"a report on {systems} systems × {queries:,} queries × {DEPTH} documents",
                {"cranfield": Tool(partial(_reported, systems, queries))},
                targets=(
                    Target("cranfield", at_most=20.0, times=False),
                    Target("cranfield", at_most=3.0 if systems <= 5 else 15.0, figure="size", times=False),
                ),
                warm=False,
            )
            for systems, queries in shapes
        ),
    )


def _plotted(n: int, name: str, suffix: str, _data: Path) -> Job:
    import numpy as np

    rng = np.random.default_rng(SEED)
    actual = rng.random(n) < 0.3
    score = 1 / (1 + np.exp(-1.5 * actual - rng.normal(size=n)))

    def work() -> Callable[[], Values]:
        from cranfield import classify

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"plot.{suffix}")
            getattr(classify(actual, score=score, measures="AUC").plot, name)().save(path)
            return partial(dict, written=[path.stat().st_size])

    return work


def _reported(systems: int, queries: int, _data: Path) -> Job:
    import numpy as np

    rng = np.random.default_rng(SEED)
    names = [f"document{place}" for place in range(10_000)]
    qrels, runs = {}, {f"system{place}": {} for place in range(systems)}
    for query in range(queries):
        pool = rng.choice(len(names), 3 * DEPTH, replace=False)
        worth = rng.normal(size=len(pool))
        judged = rng.choice(len(pool), JUDGED, replace=False)
        qrels[f"query{query}"] = {names[pool[place]]: max(0, round(float(worth[place]))) for place in judged}
        for place, run in enumerate(runs.values()):
            score = worth + rng.normal(scale=1 + place / systems, size=len(pool))
            first = np.argsort(-score)[:DEPTH]
            run[f"query{query}"] = {names[pool[place]]: float(score[place]) for place in first}

    def work() -> Callable[[], Values]:
        from cranfield import report

        page = report(qrels, runs).html
        return partial(dict, written=[len(page.encode())])

    return work
