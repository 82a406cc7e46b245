"""Measures of diversity from the bytes of two files: qrels of query, subtopic, document and grade, and a run."""

from __future__ import annotations

from collections.abc import Callable

from kernel.measures import oracles_diversity as papers
from reference.rankings import fields, ranked, read_run

MEASURES: dict[str, Callable[[list[str], papers.Covers], float]] = {
    "alpha_nDCG@5": lambda ranking, covers: papers.alpha_ndcg(ranking, covers, 5, 0.5),
    "alpha_DCG@5": lambda ranking, covers: papers.alpha_dcg(ranking, covers, 5, 0.5),
    "ERR_IA@5": lambda ranking, covers: papers.err_ia(ranking, covers, 5, 0.5),
    "nERR_IA@5": lambda ranking, covers: papers.nerr_ia(ranking, covers, 5, 0.5),
    "NRBP": lambda ranking, covers: papers.nrbp(ranking, covers, 0.5, 0.5),
    "nNRBP": lambda ranking, covers: papers.nnrbp(ranking, covers, 0.5, 0.5),
    "AP_IA": papers.ap_ia,
    "P_IA@5": lambda ranking, covers: papers.p_ia(ranking, covers, 5),
    "StRecall@5": lambda ranking, covers: papers.subtopic_recall(ranking, covers, 5),
}


def read_covers(text: bytes) -> dict[bytes, papers.Covers]:
    """The subtopics to which each document of each query is relevant; names as texts that sort as their bytes do."""
    covers: dict[bytes, papers.Covers] = {}
    for query, subtopic, document, grade in fields(text):
        own = covers.setdefault(query, {})
        if float(grade) >= 1:
            own.setdefault(document.decode("latin-1"), set()).add(subtopic.decode("latin-1"))
    return covers


def per_query(qrels: bytes, run: bytes, measure: str) -> dict[bytes, float]:
    """The value of each judged query; NaN where it is undefined."""
    scores = read_run(run)
    return {
        query: MEASURES[measure]([name.decode("latin-1") for name in ranked(scores.get(query, {}))], covers)
        for query, covers in read_covers(qrels).items()
    }
