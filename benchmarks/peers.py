"""AP, nDCG@10 and RR of a run, done as each tool's own documentation would have it, from files and from dicts.

Nothing is imported before a job begins: with files the imports are part of what is timed, as they are for a user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.cases import Values

Read = Callable[[], Values]
Grades = Mapping[str, Mapping[str, int]]
Scores = Mapping[str, Mapping[str, float]]

MEASURES = ("AP", "nDCG@10", "RR")
TREC = {"AP": "map", "nDCG@10": "ndcg_cut_10", "RR": "recip_rank"}
RANX = {"AP": "map", "nDCG@10": "ndcg@10", "RR": "mrr"}


def cranfield_files(folder: Path) -> Read:
    """cranfield, from the files in a folder."""
    return cranfield_data(folder / "qrels.txt", folder / "run.txt")


def local_files(folder: Path) -> Read:
    """cranfield without its extension in C, from the files in a folder."""
    return cranfield_data(folder / "qrels.txt", folder / "run.txt", engine="local")


def cranfield_data(qrels: Any, run: Any, **settings: Any) -> Read:
    """cranfield, from whatever holds a run and qrels."""
    from cranfield import evaluate

    result = evaluate(qrels, run, MEASURES, **settings)
    return lambda: {measure: list(result.per_query(measure).values()) for measure in MEASURES}


def cranfield_runs(folder: Path, most: int | None = None, **settings: Any) -> Read:
    """cranfield, all runs of a folder in one call, or so many of them."""
    from cranfield import evaluate

    result = evaluate(folder / "qrels.txt", sorted(folder.glob("run*.txt"))[:most], MEASURES, **settings)
    return lambda: {
        measure: [value for system in result.systems for value in result.per_query(measure, system).values()]
        for measure in MEASURES
    }


def pytrec_eval_files(folder: Path) -> Read:
    """pytrec_eval, from the files in a folder."""
    import pytrec_eval

    with open(folder / "qrels.txt") as qrels, open(folder / "run.txt") as run:
        return pytrec_eval_dicts(pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run))


def pytrec_eval_runs(folder: Path) -> Read:
    """pytrec_eval, one run of a folder after the other."""
    import pytrec_eval

    with open(folder / "qrels.txt") as qrels:
        judged = pytrec_eval.parse_qrel(qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(TREC.values()))
    by_run = []
    for path in sorted(folder.glob("run*.txt")):
        with open(path) as run:
            by_run.append(evaluator.evaluate(pytrec_eval.parse_run(run)))
    return lambda: {
        measure: [values[query][TREC[measure]] for values in by_run for query in sorted(values)] for measure in MEASURES
    }


def pytrec_eval_dicts(qrels: Grades, run: Scores) -> Read:
    """pytrec_eval, from dicts."""
    import pytrec_eval

    values = pytrec_eval.RelevanceEvaluator(qrels, set(TREC.values())).evaluate(run)
    return lambda: {measure: [values[query][TREC[measure]] for query in sorted(values)] for measure in MEASURES}


def ir_measures_files(folder: Path) -> Read:
    """ir_measures, from the files in a folder."""
    import ir_measures

    qrels = ir_measures.read_trec_qrels(str(folder / "qrels.txt"))  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(str(folder / "run.txt"))  # type: ignore[no-untyped-call]
    return ir_measures_data(qrels, run)


def ir_measures_data(qrels: Any, run: Any) -> Read:
    """ir_measures, from dicts or rows."""
    import ir_measures

    result = ir_measures.calc([ir_measures.parse_measure(measure) for measure in MEASURES], qrels, run)

    def read() -> Values:
        values: dict[str, dict[str, float]] = {measure: {} for measure in MEASURES}
        for metric in result.per_query:
            values[str(metric.measure)][metric.query_id] = metric.value
        return {measure: _by_query(value) for measure, value in values.items()}

    return read


def ranx_files(folder: Path) -> Read:
    """ranx, from the files in a folder."""
    from ranx import Qrels, Run  # type: ignore[import-untyped]

    qrels = Qrels.from_file(str(folder / "qrels.txt"), kind="trec")
    return _ranx(qrels, Run.from_file(str(folder / "run.txt"), kind="trec"))


def ranx_dicts(qrels: Grades, run: Scores) -> Read:
    """ranx, from dicts."""
    from ranx import Qrels, Run

    return _ranx(Qrels(qrels), Run(run))


def _ranx(qrels: Any, run: Any) -> Read:
    from ranx import evaluate

    evaluate(qrels, run, list(RANX.values()))
    return lambda: {measure: _by_query(run.scores[RANX[measure]]) for measure in MEASURES}


def polars_scan(folder: Path) -> Read:
    """Polars, reading every query, document and score of the run only to forget it."""
    import polars as pl

    text, number = pl.String(), pl.Float64()
    columns = {"query": text, "Q0": text, "document": text, "rank": text, "score": number, "tag": text}
    run = pl.scan_csv(folder / "run.txt", separator=" ", has_header=False, schema=columns, quote_char=None)
    names = pl.col("query", "document").str.len_bytes().sum()
    run.select(names, pl.col("score").sum()).collect(engine="streaming")
    return dict


def _by_query(values: Mapping[str, float]) -> list[float]:
    return [values[query] for query in sorted(values)]
