"""Rankings that make each rule speak, and the nearest that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cranfield import evaluate
from cranfield.results.values import Result
from examination.pictured import Case, pictured


def against_baseline(**ranks: list[int]) -> Result:
    """URisk of RR for systems that have the relevant document of each query at these ranks, against the first."""
    runs = {
        system: {f"q{q}": {"+" if at == rank else f"-{at}": -at for at in range(1, 11)} for q, rank in enumerate(each)}
        for system, each in ranks.items()
    }
    return evaluate({f"q{q}": {"+": 1} for q in range(4)}, runs, "URisk(of=RR, alpha=2)", baseline=next(iter(runs)))


SKIPPED = pictured("P", a=["+", "-"], b=["+", "-"])

RANKINGS = {
    "risky-gain": Case(
        against_baseline(bm25=[2, 2, 1, 10], dense=[1, 1, 4, 10]),
        against_baseline(bm25=[2, 2, 2, 10], dense=[1, 1, 4, 10]),
        "dense gains 0.06 RR over bm25 on average, but 1 of 4 queries loses; with losses weighted 3 the mean is -0.31.",
    ),
    "one-query": Case(
        pictured("RR", bm25=["-----+"] * 7 + ["+"]),
        pictured("RR", bm25=["---+"] * 7 + ["-+"]),
        "bm25: without q8 the mean RR would be 0.17 instead of 0.27; 4 of 8 queries make up 69 % of it.",
    ),
    "few-queries": Case(
        pictured("RR", old=["-+"], new=["+-"]),
        pictured("RR", old=["-+", "-+"], new=["+-", "-+"]),
        "Only 1 query is scored for all systems: variability, and so statistical significance, cannot be estimated.",
    ),
    "unanswered-queries": Case(
        pictured("AP", bm25=["+", "|+", "+"]),
        pictured("AP", bm25=["+", "-|+", "+"]),
        "bm25: 1 of 3 queries is missing from the run and counts as 0; over the other queries the mean AP would be "
        "1.00 instead of 0.67.",
    ),
    "different-queries": Case(
        replace(SKIPPED, counted=np.array([[True, True], [True, False]])),
        replace(SKIPPED, counted=np.array([[True, False], [True, False]])),
        "The means are not over the same queries: 1 query is scored for some systems only; b has 1, others up to 2.",
    ),
    "undefined-queries": Case(
        pictured("R", bm25=["+", "-", "+"]),
        pictured("R", {"undefined": "skip"}, bm25=["+", "-", "+"]),
        "R is undefined for 1 of 3 queries and counts as 0 there; without it bm25 would have 1.00 instead of 0.67.",
    ),
    "failed-queries": Case(
        pictured("RR", old=["-+", "--|+", "+-"], new=["+-", "--|+", "+-"]),
        pictured("RR", old=["-+", "-+|+", "+-"], new=["+-", "--|+", "+-"]),
        "RR is 0 for both systems on 1 of 3 queries (q2).",
    ),
    "best-differs": Case(
        pictured("AP RR", old=["-+++", "-+++"], new=["+---|++", "+---|++"]),
        pictured("AP RR", old=["-+++", "-+++"], new=["-+--|++", "-+--|++"]),
        "old is the best system in AP, but new in RR (1.00 against 0.50).",
    ),
    "short-run": Case(
        pictured("AP P@3", long=["+-+-+-+-+"] * 3, short=["-+--|+", "+---", "|+"]),
        pictured("P@3", long=["+-+-+-+-+"] * 3, short=["-+--|+", "+---", "-+-"]),
        "short returned 4 documents per query, others up to 9; AP needs deeper rankings.",
    ),
    "reversed-scores": Case(
        pictured("AP", wrong=["----+", "---+-", "----+"] * 3),
        pictured("AP", poor=["----+", "+----", "--+--"] * 3),
        "wrong has AP 0.22, but 0.83 if its rankings of 9 queries are reversed: lower scores are probably better.",
    ),
    "nothing-judged": Case(
        pictured("AP", fits=["+-", "-+"], lost=["??", "???"]),
        pictured("AP", fits=["+-", "-+"], lost=["??", "?-?"]),
        "lost retrieved no judged document for any query.",
    ),
    "too-perfect": Case(
        pictured("AP", good=["-+-+"] * 60, perfect=["++--"] * 60),
        pictured("AP", good=["-+-+"] * 60, perfect=["++--"] * 59 + ["-+-+"]),
        "perfect: the mean AP is 1.00 over 60 queries.",
    ),
    "macro-micro": Case(
        pictured("R", bm25=["-|+", "+" * 8 + "|++", "+" * 9 + "|+++"]),
        pictured("R", bm25=["+++-|+", "+" * 8 + "|++", "+" * 9 + "|+++"]),
        "bm25: R is 0.52 as a mean over queries (macro) but 0.74 over all documents pooled (micro), mostly because of "
        "q1 (0.00, 1 relevant document, 1 document retrieved).",
    ),
    "f-beta": Case(
        pictured("F(beta=2)", bm25=["++--|+"]),
        pictured("F(beta=2)", bm25=["++-|+"]),
        "bm25: F(beta=2) is 0.62 and gives recall 4 times the weight of precision; with the weights swapped, "
        "F(beta=0.5) would be 0.53.",
    ),
    "sparse-judgments": Case(
        pictured("RR AP", bm25=["?+????????|+", "+?????????|+"]),
        pictured("RR AP", bm25=["?+????????", "+?????????"]),
        "The median query has 2 judged documents, and only 10 % of bm25's top 10 documents are judged: AP is "
        "unreliable, because it is unknown how many relevant documents there are.",
    ),
    "low-judged": Case(
        pictured("P@10", bm25=["+-+-+-+???"]),
        pictured("P@10", bm25=["+-+-+-+-??"]),
        "On average only 70 % of bm25's top 10 documents are judged; unjudged documents count as not relevant.",
    ),
    "unequal-judged": Case(
        pictured("P@10", old=["+-+-+-+-+-"], new=["+-+-+-+-+?"]),
        pictured("P@10", old=["+-+-+-+-+-"] * 2, new=["+-+-+-+-+?", "+-+-+-+-+-"]),
        "100 % of old's top 10 documents are judged, but only 90 % of new's; unjudged documents count as not "
        "relevant, which puts new at a disadvantage.",
    ),
    "unjudged-order": Case(
        pictured("P@4", old=["++--"], new=["+-??"]),
        pictured("P@4", old=["+++-"], new=["+--?"]),
        "Unjudged documents could reverse this order: P@4 is 0.50 for old and 0.25 for new, but could be 0.50 and "
        "0.75 if old's are all not relevant and new's are other documents and all have the top grade.",
    ),
    "ties-order": Case(
        pictured("RR", old=["-+"], new=["(--+)"]),
        pictured("RR", old=["+-"], new=["(--+)"]),
        "Tied documents could reverse this order: RR is 0.50 for old and 0.33 for new, but could be 0.50 and 1.00 "
        "with tied documents in another order.",
    ),
    "ties-value": Case(
        pictured("RR AP", bm25=["(-+)", "+"]),
        pictured("RR AP", {"ties": "expected"}, bm25=["(-+)", "+"]),
        "bm25: 1 of 2 queries has judged documents with tied scores; depending on their order RR lies between 0.75 "
        "and 1.00 (reported: 0.75); 1 other value is affected too.",
    ),
}
